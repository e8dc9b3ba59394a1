/* SPDX-License-Identifier: MIT */
/* A target that begins as a copy of what it will replace. If the file system can, the two share their blocks
 * until one is changed. */
#include "base/context.h"
#include "base/memory.h"
#include "io/descriptor.h"
#include "io/target.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Whether a file is the one that was looked at before, without a change since. */
static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static sheaf_status refuse_changed(const sheaf_target *target, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_IO,
	                  "%s: expected the file to stay unchanged while it is updated, found it changed",
	                  target->name);
}

sheaf_status sheaf_target_check_clone(const sheaf_target *target, sheaf_error *err)
{
	struct stat now;
	if (!target->is_clone) return SHEAF_OK;
	bool is_there = fstatat(target->folder, target->base, &now, 0) == 0;
	if (!target->is_there) return is_there ? refuse_changed(target, err) : SHEAF_OK;
	return is_there && is_same(&now, &target->old) ? SHEAF_OK : refuse_changed(target, err);
}

/* Copies the old file: by sharing its blocks, else by the system, else by reading and writing what the system
 * has not copied. */
static sheaf_status copy(const sheaf_target *target, int from, sheaf_error *err)
{
	enum { SYSTEM_STEP = 64 << 20, STEP = 1 << 20 };
	sheaf_descriptor old = {target->cx, from, target->name}, fresh = {target->cx, target->fd, target->name};
	uint8_t *step;
	int64_t at = 0;
	if (ioctl(target->fd, FICLONE, from) == 0) return SHEAF_OK;
	for (ssize_t n;; at += n > 0 ? n : 0) {
		n = copy_file_range(from, NULL, target->fd, NULL, SYSTEM_STEP, 0);
		if (n == 0 || (n < 0 && errno != EINTR)) break;
		SHEAF_TRY(sheaf_check_stop(target->cx, err));
	}
	if (at == target->old.st_size) return SHEAF_OK;
	SHEAF_TRY(sheaf_allocate(target->cx, STEP, &step, err));
	sheaf_status status = SHEAF_OK;
	for (size_t got = 1; !status && got > 0; at += (int64_t)got) {
		status = sheaf_fd_read(old, at, step, STEP, &got, err);
		if (!status) status = sheaf_fd_write(fresh, at, step, got, err);
	}
	sheaf_release(target->cx, step, STEP);
	return status;
}

sheaf_status sheaf_target_clone(sheaf_target *target, sheaf_error *err)
{
	struct stat info;
	target->is_clone = true;
	if (!target->is_there) return SHEAF_OK;
	int from;
	while ((from = openat(target->folder, target->base, O_RDONLY | O_CLOEXEC | O_NOCTTY)) < 0 &&
	       errno == EINTR)
		SHEAF_TRY(sheaf_check_stop(target->cx, err));
	if (from < 0) return sheaf_fail_sys(err, errno, "cannot open %s to keep its contents", target->name);
	sheaf_status status = SHEAF_OK;
	if (fstat(from, &info) != 0 || !is_same(&info, &target->old)) status = refuse_changed(target, err);
	if (!status) status = copy(target, from, err);
	if (!status) status = sheaf_target_check_clone(target, err);
	sheaf_fd_close(&from);
	return status;
}
