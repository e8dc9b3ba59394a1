/* SPDX-License-Identifier: MIT */
/* What the environment asks for. */
#include "bench.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
