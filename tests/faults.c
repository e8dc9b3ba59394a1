/* SPDX-License-Identifier: MIT */
/* Loaded before the C library (LD_PRELOAD): makes calls on files fail, and records what they would write
 * to a disk. tests/faults.py and tests/power.py say why.
 *
 * - FAULTS_ROOT: the folder whose files count, and pipes; other files (modules, devices) work
 * - FAULTS_PLAN: CALL:FIRST:TIMES:WHAT, as `pread:3:1:5`: the third pread fails with error 5, once; instead
 * of an error WHAT may be `short`: only a part is read or written
 * - FAULTS_COUNTS: a file for how often each call came, a line each
 * - FAULTS_RECORD: a file for what was created, written, cut, renamed, removed and synced (struct record)
 */
#undef _FILE_OFFSET_BITS /* the calls of both sizes are made here */
#undef _FORTIFY_SOURCE   /* and their hardened names */
#define _LARGEFILE64_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define CALLS(X) \
	X(access) \
	X(close) \
	X(closedir) \
	X(copy_file_range) \
	X(dlopen) \
	X(fchmod) \
	X(fchown) \
	X(fclose) \
	X(fcntl) \
	X(fdopendir) \
	X(flock) \
	X(fopen) \
	X(fread) \
	X(fstat) \
	X(fstatat) \
	X(fsync) \
	X(ftruncate) \
	X(getdelim) \
	X(glob) \
	X(ioctl) \
	X(lseek) \
	X(lstat) \
	X(mkdir) \
	X(mkdirat) \
	X(mkostemp) \
	X(mmap) \
	X(open) \
	X(openat) \
	X(poll) \
	X(pread) \
	X(pthread_create) \
	X(pwrite) \
	X(read) \
	X(readdir) \
	X(readlink) \
	X(realpath) \
	X(renameat) \
	X(renameat2) \
	X(stat) \
	X(sync_file_range) \
	X(unlink) \
	X(unlinkat) \
	X(write)

#define AS_MEMBER(name) CALL_##name,
#define AS_TEXT(name) #name,
enum { CALLS(AS_MEMBER) COUNT };
static const char *const names[] = {CALLS(AS_TEXT)};
enum { SHORT = -1 };

static struct {
	char root[PATH_MAX], counts[PATH_MAX];
	size_t length;
	int call, what; /* an error, SHORT, or 0 */
	long first, times;
	int record; /* its descriptor, or -1 */
	atomic_long came[COUNT];
	pthread_mutex_t lock; /* of the record: lines in the order of the calls */
} it = {.call = -1, .record = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

#define REAL(name) \
	static __typeof__(name) *real; \
	if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/* ---- the plan ---- */

static void read_plan(const char *text)
{
	char name[32], what[16];
	if (sscanf(text, "%31[a-z_0-9]:%ld:%ld:%15s", name, &it.first, &it.times, what) != 4) _exit(99);
	for (int c = 0; c < COUNT; c++)
		if (strcmp(names[c], name) == 0) it.call = c;
	it.what = strcmp(what, "short") == 0 ? SHORT : atoi(what);
	if (it.call < 0 || it.what == 0) _exit(99);
}

__attribute__((constructor)) static void begin(void)
{
	const char *root = getenv("FAULTS_ROOT"), *plan = getenv("FAULTS_PLAN");
	const char *counts = getenv("FAULTS_COUNTS"), *record = getenv("FAULTS_RECORD");
	if (root) it.length = (size_t)snprintf(it.root, sizeof it.root, "%s", root);
	if (counts) snprintf(it.counts, sizeof it.counts, "%s", counts);
	if (record)
		it.record = (int)syscall(SYS_openat, AT_FDCWD, record,
		                         O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0600);
	if (plan) read_plan(plan);
}

__attribute__((destructor)) static void end(void)
{
	char text[4096];
	size_t used = 0;
	if (!it.counts[0]) return;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, it.counts, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	for (int c = 0; c < COUNT; c++)
		used +=
			(size_t)snprintf(text + used, sizeof text - used, "%s %ld\n", names[c], atomic_load(&it.came[c]));
	syscall(SYS_write, fd, text, used);
	syscall(SYS_close, fd);
}

/* ---- which files count ---- */

static bool is_in_root(const char *path)
{
	return it.length && strncmp(path, it.root, it.length) == 0 &&
	       (path[it.length] == '/' || path[it.length] == '\0' || path[it.length] == ' ');
}

static bool counts_fd(int fd)
{
	char link[64], path[PATH_MAX];
	int before = errno;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	long n = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
	path[n > 0 ? n : 0] = '\0';
	errno = before;
	return is_in_root(path) || strncmp(path, "pipe:", 5) == 0;
}

static bool counts_at(int folder, const char *path)
{
	if (path[0] == '/') return is_in_root(path);
	if (folder != AT_FDCWD) return counts_fd(folder);
	char here[PATH_MAX];
	return syscall(SYS_getcwd, here, sizeof here) > 0 && is_in_root(here);
}

/* What should happen to this call: an error, SHORT, or 0. */
static int fate(int call, bool counts)
{
	if (!counts) return 0;
	long n = atomic_fetch_add(&it.came[call], 1) + 1;
	return call == it.call && n >= it.first && n - it.first < it.times ? it.what : 0;
}

/* A part of the requested bytes: few of few, so that small files are cut up, too. */
static size_t shortened(size_t size) { return size ? 1 + size / 64 : 0; }

/* Returns `result`, with the error if the call should fail. */
#define MEET(call, counts, result) \
	do { \
		int sys = fate(CALL_##call, counts); \
		if (sys > 0) { \
			errno = sys; \
			return result; \
		} \
	} while (0)

/* ---- the record ---- */

enum { CREATED = 1, WRITTEN, CUT, RENAMED, REMOVED, SYNCED };

/* Then come the bytes, and the names with a NUL each. */
typedef struct record {
	uint64_t kind, file, folder, offset, size;
} record;

static uint64_t file_number(int fd)
{
	struct stat64 info;
	char nothing[] = "";
	return syscall(SYS_newfstatat, fd, nothing, &info, AT_EMPTY_PATH) == 0 ? (uint64_t)info.st_ino : 0;
}

static uint64_t file_number_at(int folder, const char *name)
{
	struct stat64 info;
	return syscall(SYS_newfstatat, folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 ? (uint64_t)info.st_ino : 0;
}

static void put(record r, const void *data)
{
	struct iovec parts[] = {{&r, sizeof r}, {(void *)(uintptr_t)data, r.size}};
	int before = errno;
	pthread_mutex_lock(&it.lock);
	syscall(SYS_writev, it.record, parts, 2);
	pthread_mutex_unlock(&it.lock);
	errno = before;
}

static void put_names(uint64_t kind, uint64_t file, int folder, const char *name, const char *other)
{
	char text[2 * PATH_MAX];
	int n = snprintf(text, sizeof text, "%s%c%s", name, '\0', other ? other : "");
	put((record){kind, file, file_number_at(folder, "."), 0, (uint64_t)n}, text);
}

static void put_written(int fd, int64_t end, const void *data, ssize_t n)
{
	if (it.record >= 0 && n > 0 && counts_fd(fd))
		put((record){WRITTEN, file_number(fd), 0, (uint64_t)(end - n), (uint64_t)n}, data);
}

/* What the system itself copied is read back. */
static void put_copied(int fd, int64_t from, int64_t end)
{
	static char step[1 << 16];
	for (ssize_t n; from < end; from += n) {
		n = (ssize_t)syscall(SYS_pread64, fd, step, sizeof step, from);
		if (n <= 0) return;
		put_written(fd, from + n, step, n);
	}
}

/* ---- opening and closing ---- */

static mode_t mode_of(int flags, va_list args)
{
	return flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(args, int) : 0;
}

static int open_at(int folder, const char *path, int flags, mode_t mode)
{
	int fd = (int)syscall(SYS_openat, folder, path, flags | O_LARGEFILE, mode);
	bool is_new = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
	if (fd >= 0 && it.record >= 0 && is_new && counts_fd(fd))
		put_names(CREATED, file_number(fd), folder, path, NULL);
	return fd;
}

static int open_plainly(const char *path, int flags, mode_t mode)
{
	MEET(open, counts_at(AT_FDCWD, path), -1);
	return open_at(AT_FDCWD, path, flags, mode);
}

static int open_in(int folder, const char *path, int flags, mode_t mode)
{
	MEET(openat, counts_at(folder, path), -1);
	return open_at(folder, path, flags, mode);
}

#define OPENING(name) \
	int name(const char *path, int flags, ...) \
	{ \
		va_list args; \
		va_start(args, flags); \
		mode_t mode = mode_of(flags, args); \
		va_end(args); \
		return open_plainly(path, flags, mode); \
	}
OPENING(open)
OPENING(open64)

#define OPENING_AT(name) \
	int name(int folder, const char *path, int flags, ...) \
	{ \
		va_list args; \
		va_start(args, flags); \
		mode_t mode = mode_of(flags, args); \
		va_end(args); \
		return open_in(folder, path, flags, mode); \
	}
OPENING_AT(openat)
OPENING_AT(openat64)

/* The names that hardened builds call. */
int __open64_2(const char *path, int flags) { return open_plainly(path, flags, 0); }
int __openat64_2(int folder, const char *path, int flags) { return open_in(folder, path, flags, 0); }

int close(int fd)
{
	int sys = fate(CALL_close, counts_fd(fd));
	int result = (int)syscall(SYS_close, fd); /* closed in any case, as on Linux */
	if (sys <= 0) return result;
	errno = sys;
	return -1;
}

int mkostemp64(char *pattern, int flags)
{
	REAL(mkostemp64);
	MEET(mkostemp, counts_at(AT_FDCWD, pattern), -1);
	return real(pattern, flags);
}

/* ---- reading and writing ---- */

static ssize_t read_some(int fd, void *data, size_t size)
{
	int sys = fate(CALL_read, counts_fd(fd));
	if (sys > 0) errno = sys;
	return sys > 0 ? -1 : (ssize_t)syscall(SYS_read, fd, data, sys == SHORT ? shortened(size) : size);
}

ssize_t read(int fd, void *data, size_t size) { return read_some(fd, data, size); }
ssize_t __read_chk(int fd, void *data, size_t size, size_t room)
{
	return read_some(fd, data, size < room ? size : room);
}

ssize_t pread64(int fd, void *data, size_t size, off64_t offset)
{
	REAL(pread64);
	int sys = fate(CALL_pread, counts_fd(fd));
	if (sys > 0) errno = sys;
	return sys > 0 ? -1 : real(fd, data, sys == SHORT ? shortened(size) : size, offset);
}
ssize_t __pread64_chk(int fd, void *data, size_t size, off64_t offset, size_t room)
{
	return pread64(fd, data, size < room ? size : room, offset);
}

ssize_t write(int fd, const void *data, size_t size)
{
	int sys = fate(CALL_write, counts_fd(fd));
	if (sys > 0) errno = sys;
	if (sys > 0) return -1;
	ssize_t n = (ssize_t)syscall(SYS_write, fd, data, sys == SHORT ? shortened(size) : size);
	put_written(fd, (int64_t)syscall(SYS_lseek, fd, 0, SEEK_CUR), data, n);
	return n;
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
	REAL(pwrite64);
	int sys = fate(CALL_pwrite, counts_fd(fd));
	if (sys > 0) errno = sys;
	if (sys > 0) return -1;
	ssize_t n = real(fd, data, sys == SHORT ? shortened(size) : size, offset);
	put_written(fd, offset + n, data, n);
	return n;
}

ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t size, unsigned flags)
{
	int sys = fate(CALL_copy_file_range, counts_fd(to));
	if (sys > 0) errno = sys;
	if (sys > 0) return -1;
	ssize_t n = (ssize_t)syscall(SYS_copy_file_range, from, from_at, to, to_at,
	                             sys == SHORT ? shortened(size) : size, flags);
	if (it.record >= 0 && n > 0) {
		int64_t end = to_at ? *to_at : (int64_t)syscall(SYS_lseek, to, 0, SEEK_CUR);
		put_copied(to, end - n, end);
	}
	return n;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	va_start(args, request);
	void *argument = va_arg(args, void *);
	va_end(args);
	MEET(ioctl, counts_fd(fd), -1);
	int result = (int)syscall(SYS_ioctl, fd, request, argument);
	if (result == 0 && it.record >= 0 && counts_fd(fd)) put_copied(fd, 0, INT64_MAX);
	return result;
}

int ftruncate64(int fd, off64_t size)
{
	REAL(ftruncate64);
	MEET(ftruncate, counts_fd(fd), -1);
	int result = real(fd, size);
	if (result == 0 && it.record >= 0 && counts_fd(fd))
		put((record){CUT, file_number(fd), 0, (uint64_t)size, 0}, NULL);
	return result;
}

/* What could not be written is dropped by the system: the next sync finds nothing to write, and succeeds. */
static void lose_last_byte(int fd)
{
	struct stat64 info;
	REAL(ftruncate64);
	if (syscall(SYS_fstat, fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
		real(fd, info.st_size - 1);
}

/* Nothing is really synced: that would take long, and no real disk fails here. */
int fsync(int fd)
{
	int sys = fate(CALL_fsync, counts_fd(fd));
	if (sys == EIO || sys == ENOSPC) lose_last_byte(fd);
	if (sys > 0) {
		errno = sys;
		return -1;
	}
	if (it.record >= 0 && counts_fd(fd)) put((record){SYNCED, file_number(fd), 0, 0, 0}, NULL);
	return 0;
}

int sync_file_range(int fd, off64_t offset, off64_t size, unsigned flags)
{
	(void)offset, (void)size, (void)flags;
	MEET(sync_file_range, counts_fd(fd), -1);
	return 0;
}

void *mmap64(void *at, size_t size, int access, int flags, int fd, off64_t offset)
{
	REAL(mmap64);
	MEET(mmap, fd >= 0 && counts_fd(fd), MAP_FAILED);
	return real(at, size, access, flags, fd, offset);
}

off64_t lseek64(int fd, off64_t offset, int whence)
{
	REAL(lseek64);
	MEET(lseek, counts_fd(fd), -1);
	return real(fd, offset, whence);
}

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	REAL(poll);
	MEET(poll, n > 0 && counts_fd(fds[0].fd), -1);
	return real(fds, n, timeout);
}

int fcntl64(int fd, int command, ...)
{
	va_list args;
	va_start(args, command);
	void *argument = va_arg(args, void *);
	va_end(args);
	MEET(fcntl, command == F_DUPFD_CLOEXEC && counts_fd(fd), -1);
	return (int)syscall(SYS_fcntl, fd, command, argument);
}

int flock(int fd, int operation)
{
	MEET(flock, counts_fd(fd), -1);
	return (int)syscall(SYS_flock, fd, operation);
}

/* ---- names and what they stand for ---- */

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
	MEET(renameat, counts_at(to_folder, to), -1);
	uint64_t file = it.record >= 0 ? file_number_at(from_folder, from) : 0;
	int result = (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
	if (result == 0 && it.record >= 0 && counts_at(to_folder, to))
		put_names(RENAMED, file, to_folder, from, to);
	return result;
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
	MEET(renameat2, counts_at(to_folder, to), -1);
	uint64_t file = it.record >= 0 ? file_number_at(from_folder, from) : 0;
	int result = (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
	if (result == 0 && it.record >= 0 && counts_at(to_folder, to))
		put_names(RENAMED, file, to_folder, from, to);
	return result;
}

int unlinkat(int folder, const char *name, int flags)
{
	MEET(unlinkat, counts_at(folder, name), -1);
	int result = (int)syscall(SYS_unlinkat, folder, name, flags);
	if (result == 0 && it.record >= 0 && counts_at(folder, name)) put_names(REMOVED, 0, folder, name, NULL);
	return result;
}

int unlink(const char *name)
{
	MEET(unlink, counts_at(AT_FDCWD, name), -1);
	return (int)syscall(SYS_unlinkat, AT_FDCWD, name, 0);
}

int mkdir(const char *name, mode_t mode)
{
	MEET(mkdir, counts_at(AT_FDCWD, name), -1);
	int result = (int)syscall(SYS_mkdirat, AT_FDCWD, name, mode);
	if (result == 0 && it.record >= 0 && counts_at(AT_FDCWD, name))
		put_names(CREATED, file_number_at(AT_FDCWD, name), AT_FDCWD, name, NULL);
	return result;
}

int mkdirat(int folder, const char *name, mode_t mode)
{
	MEET(mkdirat, counts_at(folder, name), -1);
	int result = (int)syscall(SYS_mkdirat, folder, name, mode);
	if (result == 0 && it.record >= 0 && counts_at(folder, name))
		put_names(CREATED, file_number_at(folder, name), folder, name, NULL);
	return result;
}

int fstat64(int fd, struct stat64 *info)
{
	REAL(fstat64);
	MEET(fstat, counts_fd(fd), -1);
	return real(fd, info);
}

int stat64(const char *path, struct stat64 *info)
{
	REAL(stat64);
	MEET(stat, counts_at(AT_FDCWD, path), -1);
	return real(path, info);
}

int lstat64(const char *path, struct stat64 *info)
{
	REAL(lstat64);
	MEET(lstat, counts_at(AT_FDCWD, path), -1);
	return real(path, info);
}

int fstatat64(int folder, const char *path, struct stat64 *info, int flags)
{
	REAL(fstatat64);
	MEET(fstatat, counts_at(folder, path), -1);
	return real(folder, path, info, flags);
}

int access(const char *path, int mode)
{
	REAL(access);
	MEET(access, counts_at(AT_FDCWD, path), -1);
	return real(path, mode);
}

ssize_t readlink(const char *path, char *to, size_t size)
{
	REAL(readlink);
	MEET(readlink, counts_at(AT_FDCWD, path), -1);
	return real(path, to, size);
}
ssize_t __readlink_chk(const char *path, char *to, size_t size, size_t room)
{
	return readlink(path, to, size < room ? size : room);
}

char *realpath(const char *path, char *to)
{
	REAL(realpath);
	MEET(realpath, counts_at(AT_FDCWD, path), NULL);
	return real(path, to);
}
char *__realpath_chk(const char *path, char *to, size_t room)
{
	(void)room;
	return realpath(path, to);
}

int fchmod(int fd, mode_t mode)
{
	MEET(fchmod, counts_fd(fd), -1);
	return (int)syscall(SYS_fchmod, fd, mode);
}

int fchown(int fd, uid_t user, gid_t group)
{
	MEET(fchown, counts_fd(fd), -1);
	return (int)syscall(SYS_fchown, fd, user, group);
}

DIR *fdopendir(int fd)
{
	REAL(fdopendir);
	MEET(fdopendir, counts_fd(fd), NULL);
	return real(fd);
}

struct dirent64 *readdir64(DIR *folder)
{
	REAL(readdir64);
	MEET(readdir, counts_fd(dirfd(folder)), NULL);
	return real(folder);
}

int closedir(DIR *folder)
{
	REAL(closedir);
	MEET(closedir, counts_fd(dirfd(folder)), (real(folder), -1));
	return real(folder);
}

int glob64(const char *pattern, int flags, int (*failed)(const char *, int), glob64_t *found)
{
	REAL(glob64);
	if (fate(CALL_glob, counts_at(AT_FDCWD, pattern)) > 0) return GLOB_ABORTED;
	return real(pattern, flags, failed, found);
}

/* ---- the standard library's files ---- */

FILE *fopen64(const char *path, const char *mode)
{
	REAL(fopen64);
	MEET(fopen, counts_at(AT_FDCWD, path), NULL);
	return real(path, mode);
}

/* A stream whose read has failed says so, too. */
static void spoil(FILE *f, int sys)
{
#ifdef __GLIBC__
	f->_flags |= 0x20; /* _IO_ERR_SEEN */
#endif
	errno = sys;
}

size_t fread(void *data, size_t size, size_t n, FILE *f)
{
	REAL(fread);
	int sys = fate(CALL_fread, counts_fd(fileno(f)));
	if (sys <= 0) return real(data, size, n, f);
	spoil(f, sys);
	return 0;
}

size_t __fread_chk(void *data, size_t room, size_t size, size_t n, FILE *f)
{
	(void)room;
	return fread(data, size, n, f);
}

ssize_t getdelim(char **line, size_t *room, int delimiter, FILE *f)
{
	REAL(getdelim);
	int sys = fate(CALL_getdelim, counts_fd(fileno(f)));
	if (sys <= 0) return real(line, room, delimiter, f);
	spoil(f, sys);
	return -1;
}
ssize_t getline(char **line, size_t *room, FILE *f) { return getdelim(line, room, '\n', f); }
ssize_t __getdelim(char **line, size_t *room, int delimiter, FILE *f)
{
	return getdelim(line, room, delimiter, f);
}

int fclose(FILE *f)
{
	REAL(fclose);
	MEET(fclose, counts_fd(fileno(f)), (real(f), EOF));
	return real(f);
}

/* ---- other things that a system may refuse ---- */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *user)
{
	REAL(pthread_create);
	int sys = fate(CALL_pthread_create, true);
	return sys > 0 ? sys : real(thread, attributes, run, user);
}

void *dlopen(const char *path, int flags)
{
	REAL(dlopen);
	return real(fate(CALL_dlopen, path != NULL) > 0 ? "/nowhere/to/be/found" : path, flags);
}
