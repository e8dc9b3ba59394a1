/* SPDX-License-Identifier: MIT */
/* Which file a source reads: its size, its time, and a hash of some of its bytes. Also the files that are
 * stored beside an input and describe it: these are opened only if nobody else can have written them. */
#include "io/identity.h"
#include "base/memory.h"
#include "base/third/xxhash.h"
#include "io/descriptor.h"
#include "io/sink.h"
#include "io/source.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What is hashed of a file: all of it, if it has at most MOST bytes, else
 *
 *     END bytes | ... SAMPLE bytes ... SAMPLE bytes ... | END bytes
 *
 * with SAMPLES samples at equal distances. */
enum { END = 64 << 10, SAMPLE = 4 << 10, SAMPLES = 14, MOST = 2 * END + SAMPLES * SAMPLE };
static const int64_t SECOND = 1000000000;

static sheaf_status refuse(const sheaf_source *s, const char *found, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: expected an uncompressed regular file, found %s", s->name,
	                  found);
}

sheaf_status sheaf_source_stamp(sheaf_source *s, sheaf_identity *out, sheaf_error *err)
{
	struct stat info;
	*out = (sheaf_identity){0};
	if (s->raw.kind != SHEAF_RAW_FILE)
		return refuse(s, "an input that can be read only once, or memory", err);
	if (s->raw.folder >= 0) return refuse(s, "a folder", err);
	SHEAF_TRY(sheaf_source_begin(s, err));
	if (s->compression) return refuse(s, s->compression, err);
	if (s->recoder.name[0]) return refuse(s, "text that is decoded", err);
	if (s->raw.is_spool) return refuse(s, "an input that can be read only once", err);
	if (!s->raw.is_owned) return refuse(s, "an input without a name", err);
	if (fstat(s->raw.fd, &info) != 0) return sheaf_fail_sys(err, errno, "%s: expected an open file", s->name);
	*out = (sheaf_identity){.size = info.st_size,
	                        .mtime = (int64_t)info.st_mtim.tv_sec * SECOND + info.st_mtim.tv_nsec};
	return SHEAF_OK;
}

sheaf_status sheaf_source_identify(sheaf_source *s, const sheaf_identity *stamp, sheaf_identity *out,
                                   sheaf_error *err)
{
	uint8_t *bytes;
	SHEAF_TRY(sheaf_source_stamp(s, out, err));
	int64_t whole = s->raw.size, distance = (whole - 2 * (int64_t)END - SAMPLE) / (SAMPLES + 1);
	if (out->size != stamp->size || out->mtime != stamp->mtime || out->size != whole)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: expected the input to stay as it was when it was opened, found it changed",
		                  s->name);
	size_t size = whole < MOST ? (size_t)whole : MOST;
	SHEAF_TRY(sheaf_allocate(s->cx, MOST, &bytes, err));
	sheaf_status status = sheaf_raw_read_at(&s->raw, 0, bytes, whole <= MOST ? size : END, err);
	if (whole > MOST) {
		for (int k = 0; k < SAMPLES && !status; k++)
			status = sheaf_raw_read_at(&s->raw, END + distance * (k + 1), bytes + END + (size_t)k * SAMPLE,
			                           SAMPLE, err);
		if (!status) status = sheaf_raw_read_at(&s->raw, whole - END, bytes + MOST - END, END, err);
	}
	sheaf_digest digest = sheaf_xxhash(bytes, status ? 0 : size, (uint64_t)out->size);
	out->low = digest.low;
	out->high = digest.high;
	sheaf_release(s->cx, bytes, MOST);
	return status;
}

/* Systems store times in steps of some milliseconds, some file systems in steps of one or two seconds. */
bool sheaf_identity_is_fresh(const sheaf_identity *identity)
{
	struct timespec now;
	int64_t step = identity->mtime % SECOND ? SECOND / 50 : 2 * SECOND;
	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * SECOND + now.tv_nsec < identity->mtime + step;
}

/* Errors for a file that does not exist, or not for this user; any other means that the system has failed. */
static bool is_about_name(int sys)
{
	return sys == ENOENT || sys == ENOTDIR || sys == ELOOP || sys == EACCES || sys == EPERM || sys == ENXIO ||
	       sys == ENAMETOOLONG || sys == EISDIR;
}

/* Opens a file without waiting, as for the writer of a FIFO. */
static int open_at_once(const char *path, int flags)
{
	int fd;
	do fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | flags);
	while (fd < 0 && errno == EINTR);
	return fd;
}

sheaf_status sheaf_source_regular(const char *path, sheaf_context *cx, sheaf_source **out, sheaf_error *err)
{
	struct stat info;
	int fd = open_at_once(path, 0);
	*out = NULL;
	if (fd < 0) return sheaf_fail_sys(err, errno, "cannot open %s", path);
	int failed = fstat(fd, &info) != 0 ? errno : 0;
	if (!failed && S_ISREG(info.st_mode)) return sheaf_source_stored(fd, path, cx, out, err);
	sheaf_fd_close(&fd);
	if (failed) return sheaf_fail_sys(err, failed, "cannot learn what kind of file %s is", path);
	return sheaf_fail(err, SHEAF_DATA, "%s: this is not a regular file", path);
}

static sheaf_status distrust(const char *path, const char *expected, const char *found, sheaf_error *err)
{
	sheaf_status status = sheaf_fail(err, SHEAF_UNKNOWN, "%s: expected %s, found %s", path, expected, found);
	if (err) err->sys = EPERM;
	return status;
}

/* Whether an open file is one that only this user, or the owner of the input, can have written. */
static sheaf_status check_kept(int fd, const char *path, const sheaf_source *about, sheaf_error *err)
{
	struct stat kept, of;
	if (fstat(fd, &kept) != 0 || fstat(about->raw.fd, &of) != 0)
		return sheaf_fail_sys(err, errno, "%s: expected an open file", path);
	if (!S_ISREG(kept.st_mode)) return distrust(path, "a regular file", "another kind of file", err);
	if (kept.st_uid != geteuid() && kept.st_uid != of.st_uid)
		return distrust(path, "a file owned by this user or by its input's owner",
		                "one owned by somebody else", err);
	if (kept.st_mode & (S_IWGRP | S_IWOTH))
		return distrust(path, "a file that its owner alone may write", "one that others may write", err);
	return SHEAF_OK;
}

sheaf_status sheaf_source_open_kept(const char *path, const sheaf_source *about, sheaf_context *cx,
                                    sheaf_source **out, sheaf_error *err)
{
	int fd = open_at_once(path, O_NOFOLLOW);
	*out = NULL;
	if (fd < 0) {
		int sys = errno;
		sheaf_status failed =
			sheaf_fail_sys(err, sys, "%s: expected a file owned by this user or by its input's owner", path);
		if (!is_about_name(sys)) return failed;
		if (err) err->status = SHEAF_UNKNOWN;
		return SHEAF_UNKNOWN;
	}
	sheaf_status status = check_kept(fd, path, about, err);
	if (!status) return sheaf_source_stored(fd, path, cx, out, err);
	sheaf_fd_close(&fd);
	return status;
}

void sheaf_sink_resemble(sheaf_sink *sink, const sheaf_source *source)
{
	sheaf_target *target = &sink->target;
	struct stat info;
	bool applies =
		target->folder >= 0 && source->raw.kind == SHEAF_RAW_FILE && fstat(source->raw.fd, &info) == 0;
	if (!applies || fchmod(target->fd, S_IRUSR | S_IWUSR) != 0) return;
	target->is_there = true;
	target->old = info;
	target->old.st_mode &= S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH;
}

bool sheaf_identity_equal(const sheaf_identity *a, const sheaf_identity *b)
{
	return a->size == b->size && a->mtime == b->mtime && a->low == b->low && a->high == b->high;
}
