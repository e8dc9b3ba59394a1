/* SPDX-License-Identifier: MIT */
/* One thread at a time: the library is not built for more. What it prints by itself is turned off while we
 * are inside, and as it was for anybody else in this process. */
#include "base/thread.h"
#include "box/libhdf5/libhdf5.h"
#include "io/descriptor.h"
#include <string.h>

static struct {
	sheaf_mutex lock;
	H5E_auto2_t print;
	void *user;
	bool ready;
} door = {.lock = {PTHREAD_MUTEX_INITIALIZER}};

void sheaf_h5_enter(void)
{
	sheaf_mutex_lock(&door.lock);
	if (!door.ready) {
		(void)H5dont_atexit();
		(void)H5open();
		/* Filters that a file names are not looked for. */
		(void)H5PLset_loading_state(0);
		door.ready = true;
	}
	(void)H5Eget_auto2(H5E_DEFAULT, &door.print, &door.user);
	(void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void sheaf_h5_leave(void)
{
	(void)H5Eclear2(H5E_DEFAULT);
	(void)H5Eset_auto2(H5E_DEFAULT, door.print, door.user);
	sheaf_mutex_unlock(&door.lock);
}

/* The innermost says what is wrong, the others who asked for it. */
static herr_t keep_innermost(unsigned n, const H5E_error2_t *error, void *user)
{
	if (n == 0 && error->desc) strncat((char *)user, error->desc, 200);
	return 0;
}

sheaf_status sheaf_h5_fail(sheaf_h5 *h5, const char *path, const char *expected, sheaf_error *err)
{
	char text[256] = "";
	if (h5->failure.status) return sheaf_fail_again(err, &h5->failure);
	(void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, text);
	return sheaf_fail(err, SHEAF_DATA, "%s: /%s: expected %s, found that the HDF5 library says \"%s\"",
	                  h5->store->name, path, expected, text[0] ? text : "no");
}
