/* SPDX-License-Identifier: MIT */
/* The driver of HDF5 files, which is loaded when the first such file comes: the library behind it takes
 * longer to start than most commands run. */
#include "box/inside.h"
#include <stdio.h>
#include <string.h>

#if SHEAF_HDF5 == 0

sheaf_status sheaf_box_load_hdf5(const char *name, const sheaf_box_driver **out, sheaf_error *err)
{
	*out = NULL;
	return sheaf_fail(err, SHEAF_UNSUPPORTED,
	                  "%s: expected a build of sheaf with HDF5, found that it was not built in", name);
}

#elif defined SHEAF_HDF5_LINKED

extern const sheaf_box_driver sheaf_hdf5_driver;

sheaf_status sheaf_box_load_hdf5(const char *name, const sheaf_box_driver **out, sheaf_error *err)
{
	(void)name, (void)err;
	*out = &sheaf_hdf5_driver;
	return SHEAF_OK;
}

#else

#include "base/thread.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#define MODULE "sheaf-hdf5.so"
#define ENTRY "sheaf_hdf5_driver"

/* Loaded once and never let go: what it hands out may be in use until the end. */
static struct {
	sheaf_mutex lock;
	const sheaf_box_driver *driver;
} loaded = {.lock = {PTHREAD_MUTEX_INITIALIZER}};

/* What dlopen says of the last file that is there and cannot be loaded. */
typedef struct search {
	const sheaf_box_driver *driver;
	char trouble[400];
} search;

static void try_file(search *s, const char *path)
{
	if (s->driver || access(path, F_OK) != 0) return;
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	const char *trouble = library ? NULL : dlerror();
	const sheaf_box_driver *driver = library ? (const sheaf_box_driver *)dlsym(library, ENTRY) : NULL;
	if (driver && driver->abi == SHEAF_BOX_ABI)
		s->driver = driver;
	else
		snprintf(s->trouble, sizeof s->trouble, "%.200s, which cannot be used: %.150s", path,
		         trouble ? trouble : "it is of another version");
}

static void try_folder(search *s, const char *folder, const char *below)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof path, "%s/%s" MODULE, folder, below);
	if (n > 0 && (size_t)n < sizeof path) try_file(s, path);
}

/* The folder of the program or library that this code is in. */
static bool own_folder(char folder[PATH_MAX])
{
	Dl_info info;
	if (!dladdr((const void *)&loaded, &info) || !info.dli_fname) return false;
	/* A program's name is as it was called by, so its file is asked for. */
	ssize_t n = readlink("/proc/self/exe", folder, PATH_MAX - 1);
	folder[n > 0 ? n : 0] = '\0';
	if (strchr(info.dli_fname, '/') && strstr(info.dli_fname, ".so") && !realpath(info.dli_fname, folder))
		return false;
	char *slash = strrchr(folder, '/');
	if (slash) *slash = '\0';
	return slash != NULL;
}

/* Beside the program (where it was built), beside the library, where both are installed, and where they were
 * to be. */
static void look_everywhere(search *s)
{
	char folder[PATH_MAX];
	const char *wanted = secure_getenv("SHEAF_MODULES");
	if (wanted && *wanted) {
		try_folder(s, wanted, "");
		return;
	}
	if (own_folder(folder)) {
		try_folder(s, folder, "");
		try_folder(s, folder, "sheaf/");
		try_folder(s, folder, SHEAF_MODULES_FROM_COMMAND "/");
	}
	try_folder(s, SHEAF_MODULES_INSTALLED, "");
}

sheaf_status sheaf_box_load_hdf5(const char *name, const sheaf_box_driver **out, sheaf_error *err)
{
	search s = {0};
	sheaf_mutex_lock(&loaded.lock);
	s.driver = loaded.driver;
	if (!s.driver) look_everywhere(&s);
	loaded.driver = s.driver;
	sheaf_mutex_unlock(&loaded.lock);
	*out = s.driver;
	if (s.driver) return SHEAF_OK;
	if (s.trouble[0])
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: expected the module for HDF5, found %s", name,
		                  s.trouble);
	return sheaf_fail(err, SHEAF_UNSUPPORTED,
	                  "%s: expected the module for HDF5 (" MODULE "), found that it is not installed", name);
}

#endif
