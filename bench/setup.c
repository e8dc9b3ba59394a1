/* SPDX-License-Identifier: MIT */
/* What the environment asks for, and what the machine is. */
#include "bench.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

void die(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fputs("bench: error: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	exit(1);
}

void *need(size_t bytes)
{
	void *memory = calloc(1, bytes ? bytes : 1);
	if (!memory) die("expected %zu bytes of memory, found none", bytes);
	return memory;
}

static const char *text_of(const char *name, const char *otherwise)
{
	const char *value = getenv(name);
	return value && *value ? value : otherwise;
}

static int64_t number_of(const char *name, int64_t otherwise, int64_t most)
{
	const char *value = text_of(name, NULL);
	char *end;
	if (!value) return otherwise;
	long long number = strtoll(value, &end, 10);
	if (*end || number < 1 || number > most)
		die("%s: expected a number from 1 to %" PRId64 ", found \"%s\"", name, most, value);
	return number;
}

void setup_read(bench_setup *s, const char *command)
{
	*s = (bench_setup){
		.command = command,
		.folder = text_of("BENCH_DIR", "bench-data"),
		.only = text_of("BENCH_ONLY", NULL),
		.records = text_of("BENCH_RECORDS", NULL),
		.megabytes = number_of("BENCH_MB", 200, 100000),
		.rounds = (int)number_of("BENCH_ROUNDS", 5, MAX_ROUNDS),
	};
	if (mkdir(s->folder, 0777) != 0 && access(s->folder, W_OK) != 0)
		die("%s: expected a folder to write in, found none", s->folder);
}

bool setup_wants(const bench_setup *s, const char *part)
{
	size_t n = strlen(part);
	const char *at = s->only;
	while (at) {
		if (strncmp(at, part, n) == 0 && (at[n] == ',' || at[n] == '\0')) return true;
		at = strchr(at, ',');
		if (at) at++;
	}
	return !s->only;
}

/* Copies what stands after "key : " in the first such line of a file of /proc; "unknown" where there is
 * none. */
static void read_fact(const char *path, const char *key, char *value, size_t size)
{
	char line[512];
	FILE *file = fopen(path, "r");
	snprintf(value, size, "unknown");
	while (file && fgets(line, sizeof line, file)) {
		if (strncmp(line, key, strlen(key)) != 0) continue;
		char *fact = strchr(line, ':');
		if (!fact) continue;
		fact += 1 + strspn(fact + 1, " \t");
		fact[strcspn(fact, "\n")] = '\0';
		snprintf(value, size, "%s", fact);
		break;
	}
	if (file) fclose(file);
}

static void read_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "r");
	if (!file || !fgets(line, (int)size, file)) snprintf(line, size, "unknown");
	line[strcspn(line, "\n")] = '\0';
	if (file) fclose(file);
}

void machine_print(const bench_setup *s)
{
	char kernel[NAME_SIZE], model[128], family[32], number[32], pages[128], load[128];
	struct utsname system;
	read_fact("/proc/cpuinfo", "model name", model, sizeof model);
	read_fact("/proc/cpuinfo", "cpu family", family, sizeof family);
	read_fact("/proc/cpuinfo", "model\t", number, sizeof number);
	read_line("/sys/kernel/mm/transparent_hugepage/enabled", pages, sizeof pages);
	read_line("/proc/loadavg", load, sizeof load);
	if (uname(&system) != 0) die("expected the system's name, found none");
	double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / (1 << 30);
	printf("machine   %s (family %s, model %s), %ld cores, %.1f GiB, %s %s, huge pages %s, load %s\n", model,
	       family, number, sysconf(_SC_NPROCESSORS_ONLN), memory, system.sysname, system.release, pages,
	       load);
	kernel_find(kernel);
	printf("built     sheaf %s, compiler %s, kernel chosen: %s\n", sheaf_version(), __VERSION__, kernel);
	printf("settings  workloads of %" PRId64 " MB, medians of %d rounds, files in %s\n", s->megabytes,
	       s->rounds, s->folder);
}
