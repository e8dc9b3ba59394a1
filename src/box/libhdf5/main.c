/* SPDX-License-Identifier: MIT */
/* A program that reads one HDF5 file with libhdf5 for its parent, within limits of memory and time. */
#include "box/libhdf5/libhdf5.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- limits ---- */

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { MEMORY_CAN_BE_LIMITED = 0 };
#else
enum { MEMORY_CAN_BE_LIMITED = 1 };
#endif

static void limit(int what, rlim_t most) { (void)setrlimit(what, &(struct rlimit){most, most}); }

/* No memory beyond what the caller allows, no core, and no new descriptor. */
static void limit_all(int64_t memory)
{
	if (MEMORY_CAN_BE_LIMITED && memory > 0 && memory < INT64_MAX - SHEAF_HDF5_SPARE)
		limit(RLIMIT_AS, (rlim_t)memory + SHEAF_HDF5_SPARE);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_NOFILE, STDERR_FILENO + 1);
}

/* Allows the program this much more CPU time, after which SIGXCPU ends it. */
static void limit_time(int64_t seconds)
{
	struct rusage used;
	if (getrusage(RUSAGE_SELF, &used) != 0) return;
	rlim_t now = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
	(void)setrlimit(RLIMIT_CPU, &(struct rlimit){now + (rlim_t)seconds + 1, RLIM_INFINITY});
}

/* ---- errors of the library ---- */

typedef struct complaint {
	char text[300];
	bool is_of_memory;
} complaint;

/* The innermost error says what is wrong, the others who called it. */
static herr_t keep_innermost(unsigned n, const H5E_error2_t *error, void *user)
{
	complaint *c = (complaint *)user;
	if (n == 0 && error->desc) snprintf(c->text, sizeof c->text, "%s", error->desc);
	c->is_of_memory |= error->min_num == H5E_CANTALLOC || error->min_num == H5E_NOSPACE;
	return 0;
}

static void complain(const char *why)
{
	complaint c = {"no", false};
	char text[500];
	if (why) {
		sheaf_h5_send_failure(strcmp(why, "none") == 0 ? SHEAF_HDF5_UNKNOWN : SHEAF_HDF5_DAMAGED, why);
		return;
	}
	(void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &c);
	(void)H5Eclear2(H5E_DEFAULT);
	snprintf(text, sizeof text, "the HDF5 library says \"%s\"", c.text);
	sheaf_h5_send_failure(c.is_of_memory ? SHEAF_HDF5_TOO_MUCH : SHEAF_HDF5_DAMAGED, text);
}

/* ---- requests ---- */

static bool open_file(sheaf_h5_file *f, const sheaf_hdf5_request *request)
{
	limit_all(request->to);
	hid_t access = sheaf_h5_access(request->from);
	f->file = access < 0 ? H5I_INVALID_HID : H5Fopen("box", H5F_ACC_RDONLY, access);
	return f->file >= 0 && sheaf_h5_list(f);
}

static bool answer(sheaf_h5_file *f, sheaf_hdf5_word word, const sheaf_hdf5_request *r, const char *text,
                   const char **why)
{
	static const sheaf_h5_array none;
	const sheaf_h5_array *item = r->item > 0 && (size_t)r->item <= f->count ? &f->items[r->item - 1] : &none;
	hsize_t from = (hsize_t)r->from, to = (hsize_t)r->to;
	switch ((int)word) {
	case SHEAF_HDF5_OPEN: return open_file(f, r);
	case SHEAF_HDF5_ROWS: return item->path && sheaf_h5_send_rows(item, f->file, from, to);
	case SHEAF_HDF5_TEXTS: return item->path && sheaf_h5_send_texts(item, f->file, from, to);
	case SHEAF_HDF5_ATTRIBUTE:
		return sheaf_h5_send_attribute(f->file, r->item == 0 ? "/" : item->path, text, why);
	default: return false;
	}
}

int main(void)
{
	static char text[SHEAF_HDF5_MESSAGE + 1];
	static sheaf_h5_file file = {.file = H5I_INVALID_HID};
	sheaf_hdf5_request request;
	uint32_t version = SHEAF_HDF5_PROTOCOL;
	int64_t seconds = 1;
	/* The caller's open descriptors do not concern us. */
	closefrom(STDERR_FILENO + 1);
	(void)H5dont_atexit();
	(void)H5open();
	(void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	/* Plugins for filters in a file are not searched for. */
	(void)H5PLset_loading_state(0);
	sheaf_h5_send(SHEAF_HDF5_HELLO, &version, sizeof version);
	for (;;) {
		const char *why = NULL;
		sheaf_hdf5_word word = sheaf_h5_hear(&request, text);
		if (word == SHEAF_HDF5_OPEN) seconds = request.item;
		limit_time(seconds);
		if (answer(&file, word, &request, text, &why))
			sheaf_h5_send(SHEAF_HDF5_DONE, &file.is_netcdf, 1);
		else
			complain(why);
	}
}
