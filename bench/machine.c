/* SPDX-License-Identifier: MIT */
/* Describes the machine and the build, in the lines before the table. */
#include "bench.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

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
