/* SPDX-License-Identifier: MIT */
/* The unnamed temporary file. */
#include "io/spool.h"
#include "base/checked.h"
#include "base/context.h"
#include "io/descriptor.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *spool_folder(void)
{
	/* Not getenv: a program that runs with more rights than its user must not write where the user says. */
	const char *folder = secure_getenv("TMPDIR");
	return folder && *folder ? folder : "/tmp";
}

sheaf_status sheaf_spool_open(sheaf_spool *spool, sheaf_context *cx, sheaf_error *err)
{
	const char *folder = spool_folder();
	*spool = (sheaf_spool){.cx = cx, .fd = -1};
	SHEAF_TRY(sheaf_check_stop(cx, err));
	/* O_EXCL: nobody can link the file into the file system later. */
	spool->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, S_IRUSR | S_IWUSR);
	if (spool->fd >= 0) return SHEAF_OK;
	/* On file systems without O_TMPFILE, the name exists for a moment. */
	char path[PATH_MAX];
	int n = snprintf(path, sizeof path, "%s/.sheaf-XXXXXX", folder);
	bool fits = n >= 0 && (size_t)n < sizeof path;
	if (fits) spool->fd = mkostemp(path, O_CLOEXEC);
	if (spool->fd < 0)
		return sheaf_fail_sys(err, fits ? errno : ENAMETOOLONG, "cannot make a temporary file in %s", folder);
	unlink(path);
	return SHEAF_OK;
}

sheaf_status sheaf_spool_append(sheaf_spool *spool, const void *data, size_t size, sheaf_error *err)
{
	char name[256];
	int64_t end;
	uint64_t bytes = size;
	if (bytes > INT64_MAX || !sheaf_add_i64(&end, spool->size, (int64_t)bytes))
		return sheaf_fail_sys(err, EFBIG, "temporary file: too many bytes for a file");
	snprintf(name, sizeof name, "temporary file in %.200s", spool_folder());
	SHEAF_TRY(sheaf_fd_write((sheaf_descriptor){spool->cx, spool->fd, name}, spool->size, data, size, err));
	spool->size = end;
	return SHEAF_OK;
}

sheaf_status sheaf_spool_read(const sheaf_spool *spool, int64_t offset, void *data, size_t size,
                              sheaf_error *err)
{
	uint8_t *at = (uint8_t *)data;
	while (size > 0) {
		size_t got;
		SHEAF_TRY(sheaf_fd_read((sheaf_descriptor){spool->cx, spool->fd, "temporary file"}, offset, at, size,
		                        &got, err));
		if (got == 0)
			return sheaf_fail(err, SHEAF_SHORT,
			                  "temporary file (byte %" PRId64 "): expected %zu bytes more, found the end",
			                  offset, size);
		at += got;
		size -= got;
		offset += (int64_t)got;
	}
	return SHEAF_OK;
}

void sheaf_spool_close(sheaf_spool *spool) { sheaf_fd_close(&spool->fd); }
