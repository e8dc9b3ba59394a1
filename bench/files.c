/* SPDX-License-Identifier: MIT */
/* Files: what the system takes for the bytes alone. */
#include "bench.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 256 << 10 };

static int open_or_die(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0666);
	if (fd < 0) die("%s: expected to open it, found: %s", path, strerror(errno));
	return fd;
}

int64_t file_size(const char *path)
{
	struct stat about;
	return stat(path, &about) == 0 ? (int64_t)about.st_size : -1;
}

bench_mapped map_file(const char *path)
{
	int fd = open_or_die(path, O_RDONLY);
	size_t size = (size_t)file_size(path);
	void *data = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (data == MAP_FAILED) die("%s: expected to map it, found: %s", path, strerror(errno));
	close(fd);
	return (bench_mapped){(const char *)data, size};
}

void drop_cache(const char *path)
{
	int fd = open_or_die(path, O_RDONLY);
	/* Only clean pages are dropped. */
	if (fdatasync(fd) != 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
		die("%s: expected to drop its cached pages, found an error", path);
	close(fd);
}

/* ---- reading ---- */

static const char *begin_read(const bench_job *job, void **state)
{
	(void)job;
	*state = need(BLOCK);
	return NULL;
}

static void run_read(const bench_job *job, void *state, bench_yield *out)
{
	int fd = open_or_die(job->counted, O_RDONLY);
	ssize_t n;
	(void)out;
	while ((n = read(fd, state, BLOCK)) > 0) {
	}
	if (n < 0) die("%s: expected to read it, found: %s", job->counted, strerror(errno));
	close(fd);
}

const bench_runner bare_read = {"bare read", begin_read, run_read};

static void run_size(const bench_job *job, void *state, bench_yield *out)
{
	(void)state;
	out->size = file_size(job->text);
}

const bench_runner size_of_text = {"text", NULL, run_size};

/* The values as they are in a binary file: the least that a model of it can take. */
static void run_values(const bench_job *job, void *state, bench_yield *out)
{
	(void)state;
	out->memory = file_size(job->binary);
}

const bench_runner size_of_values = {"the binary", NULL, run_values};

/* Each word of the mapped file is read once. */
static void run_map(const bench_job *job, void *state, bench_yield *out)
{
	bench_mapped file = map_file(job->binary);
	const uint64_t *words = (const uint64_t *)(const void *)file.data;
	uint64_t sum = 0;
	(void)state, (void)out;
	for (size_t i = 0; i < file.size / sizeof *words; i++) sum += words[i];
	*(volatile uint64_t *)&sum;
	munmap((void *)file.data, file.size);
}

const bench_runner bare_map = {"bare mapped read", NULL, run_map};

/* ---- writing ---- */

static const char *begin_write(const bench_job *job, void **state)
{
	bench_mapped *file = (bench_mapped *)need(sizeof *file);
	*file = map_file(job->binary);
	*state = file;
	return NULL;
}

/* The bytes of the binary file into a new one, which is then renamed. */
static void run_write(const bench_job *job, void *state, bench_yield *out)
{
	const bench_mapped *file = (const bench_mapped *)state;
	char fresh[PATH_SIZE + 8];
	(void)out;
	snprintf(fresh, sizeof fresh, "%s.new", job->output);
	int fd = open_or_die(fresh, O_WRONLY | O_CREAT | O_TRUNC);
	for (size_t at = 0; at < file->size;) {
		size_t left = file->size - at;
		ssize_t n = write(fd, file->data + at, left < BLOCK ? left : BLOCK);
		if (n <= 0) die("%s: expected room for the output, found: %s", fresh, strerror(errno));
		at += (size_t)n;
	}
	if (fsync(fd) != 0 || close(fd) != 0 || rename(fresh, job->output) != 0)
		die("%s: expected to commit it, found: %s", fresh, strerror(errno));
}

const bench_runner bare_write = {"bare write", begin_write, run_write};
