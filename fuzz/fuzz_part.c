/* SPDX-License-Identifier: MIT */
/* The fuzz target of part files. Three jobs are done in two parts each, once: one whose parts hold bytes, one
 * whose parts hold entries, and one whose parts hold nothing. An input says which bytes of the first
 * part are changed, see README.md.
 *
 * What must hold: if anything was changed and the hashes were not, the part is refused; whatever the outcome,
 * no access is out of bounds, a failure has a message and leaves no output, and all memory is freed. */
#include "seal.h"
#include <sheaf/sheaf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 17, END = 40, MEMORY = 64 << 20 };
/* Bits of byte 0. */
enum { RIGHT_HASH = 1, CUT = 2, ENTRIES = 4, IN_FOOT = 8, EMPTY = 16 };

typedef struct job {
	const char *input, *suffix;
	uint8_t sound[MOST];
	size_t size;
} job;

static char folder[] = "/tmp/sheaf-fuzz.XXXXXX";
enum { JOBS = 3 };
static job jobs[JOBS] = {{.input = "a.ctf", .suffix = "ctf"},
                         {.input = "a.mtx", .suffix = "npz"},
                         {.input = "a.ex", .suffix = "bex"}};
static uint8_t changed[MOST];

static void broken(const char *rule, const char *message)
{
	fprintf(stderr, "fuzz_part: broken: %s: %s\n", rule, message);
	abort();
}

static void put_file(const char *path, const uint8_t *data, size_t size)
{
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f)) broken("a file can be written", path);
}

/* ---- the jobs ---- */

static void put_inputs(void)
{
	static char text[1 << 16];
	size_t n = 0;
	for (int r = 0; r < 60; r++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%d |A %d.123456789 |B %d:1\n", r, r, r % 10);
	put_file("a.ctf", (const uint8_t *)text, n);
	n = (size_t)snprintf(text, sizeof text, "%%%%MatrixMarket matrix coordinate real general\n9 9 40\n");
	for (int e = 0; e < 40; e++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%d %d %d\n", e * 2 % 9 + 1, e / 9 + e % 2 * 4 + 1,
		                      e);
	put_file("a.mtx", (const uint8_t *)text, n);
	n = 0;
	for (int e = 0; e < 20; e++)
		n += (size_t)snprintf(text + n, sizeof text - n, "name: {e%d} I: %d 2 T: 1 0;\n", e, e);
	put_file("a.ex", (const uint8_t *)text, n);
}

static void name_part(const job *j, int number, char name[64])
{
	snprintf(name, 64, "out.%s.%d.part", j->suffix, number);
}

static void make_part(job *j, int number)
{
	char output[64], part[16];
	sheaf_context *cx;
	sheaf_error err;
	snprintf(part, sizeof part, "%d/2", number);
	name_part(j, number, output);
	sheaf_convert_options options = {.size = sizeof options,
	                                 .duplicates = SHEAF_DUPLICATES_SUM,
	                                 .part = &(sheaf_part_options){.part = part}};
	if (sheaf_context_new(NULL, &cx, &err) || sheaf_convert(&j->input, 1, output, &options, cx, &err))
		broken("a part can be made", err.message);
	sheaf_context_free(cx);
	if (number > 1) return;
	FILE *f = fopen(output, "rb");
	j->size = f ? fread(j->sound, 1, MOST, f) : 0;
	if (f) fclose(f);
}

static void clean(void)
{
	char name[64];
	for (int j = 0; j < JOBS; j++) {
		unlink(jobs[j].input);
		for (int number = 1; number <= 2; number++) {
			name_part(&jobs[j], number, name);
			unlink(name);
		}
	}
	if (chdir("/") == 0) rmdir(folder);
}

static void make_jobs(void)
{
	if (!mkdtemp(folder) || chdir(folder) != 0) broken("a folder can be made", folder);
	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	atexit(clean);
	put_inputs();
	for (int j = 0; j < JOBS; j++)
		for (int number = 1; number <= 2; number++) make_part(&jobs[j], number);
}

/* ---- changing a part ---- */

static sheaf_status merge(const job *j, sheaf_error *err)
{
	static const sheaf_context_options options = {.size = sizeof options, .max_memory = MEMORY, .threads = 1};
	char first[64], second[64], output[64];
	sheaf_context *cx;
	name_part(j, 1, first), name_part(j, 2, second);
	snprintf(output, sizeof output, "out.%s", j->suffix);
	const char *const parts[] = {first, second};
	sheaf_status status = sheaf_context_new(&options, &cx, err);
	if (status) return status;
	status = sheaf_merge(parts, 2, output, NULL, cx, NULL, err);
	if (status && !err->message[0]) broken("a failure has a message", "none");
	if (status && access(output, F_OK) == 0) broken("a failure leaves no output", output);
	unlink(output);
	if (sheaf_context_memory(cx, NULL)) broken("memory is given back", "some is left");
	sheaf_context_free(cx);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	sheaf_error err = {0};
	if (!jobs[0].size) make_jobs();
	if (size < 2) return 0;
	const job *j = &jobs[data[0] & EMPTY ? 2 : data[0] & ENTRIES ? 1 : 0];
	size_t n = data[0] & CUT ? j->size * data[1] / 256 : j->size;
	size_t foot = data[0] & IN_FOOT ? (size_t)seal_load(j->sound + j->size - END, 8) : 0;
	memcpy(changed, j->sound, j->size);
	for (size_t i = 2; i + 2 < size; i += 3)
		changed[foot + seal_load(data + i, 2) % (j->size - foot)] = data[i + 2];
	bool same = n == j->size && memcmp(changed, j->sound, n) == 0;
	if (data[0] & RIGHT_HASH) seal_part(changed, n);
	name_part(j, 1, path);
	put_file(path, changed, n);
	sheaf_status status = merge(j, &err);
	if (same && status) broken("a sound part can be merged", err.message);
	if (!same && !(data[0] & RIGHT_HASH) && !status) broken("a damaged part is refused", "merged");
	return 0;
}
