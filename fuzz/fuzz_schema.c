/* SPDX-License-Identifier: MIT */
/* The fuzz target of schemas that come from files: Arrow, NPZ, index files, the states in part files, and
 * summaries. An input says which bytes of the schema are changed; all hashes over it are made right, see
 * README.md.
 *
 * What must hold: such a file is refused with a message, or gives the rows that it had as far as the schema
 * does not say otherwise; an index changes nothing; all memory is freed. */
#include "carriers.h"
#include "seal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct sound {
	carrier carrier;
	uint8_t *bytes;
	char *rows;
} sound;

static char folder[] = "/tmp/sheaf-fuzz.XXXXXX";
static sound all[CARRIERS];

static void broken(const char *rule, const char *message)
{
	fprintf(stderr, "fuzz_schema: broken: %s: %s\n", rule, message);
	abort();
}

static void clean(void)
{
	for (int i = 0; i < CARRIERS; i++) {
		unlink(all[i].carrier.way->file);
		unlink(all[i].carrier.way->input);
		carrier_free(&all[i].carrier);
		free(all[i].bytes);
		free(all[i].rows);
	}
	if (chdir("/") == 0) rmdir(folder);
}

static void make_all(void)
{
	sheaf_error err;
	if (!mkdtemp(folder) || chdir(folder) != 0) broken("a folder can be made", folder);
	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	carrier_write_inputs();
	for (int i = 0; i < CARRIERS; i++) {
		all[i].carrier = carrier_make(&carrier_ways[i]);
		all[i].bytes = malloc(all[i].carrier.size);
		if (!all[i].bytes) abort();
		memcpy(all[i].bytes, all[i].carrier.bytes, all[i].carrier.size);
		all[i].rows = carrier_read(&all[i].carrier, &err);
		if (!all[i].rows) broken("a sound file is read", err.message);
	}
	atexit(clean);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	sheaf_error err;
	if (!all[0].bytes) make_all();
	if (size < 1) return 0;
	const sound *s = &all[data[0] % CARRIERS];
	carrier_promise promise = s->carrier.way->promise;
	memcpy(s->carrier.bytes, s->bytes, s->carrier.size);
	for (size_t i = 1; i + 2 < size; i += 3)
		carrier_change(&s->carrier, seal_load(data + i, 2) % carrier_length(&s->carrier), data[i + 2]);
	char *rows = carrier_read(&s->carrier, &err);
	if (!rows && promise == CARRIES_SAME) broken("a schema in an index refuses nothing", err.message);
	bool same = promise == CARRIES_SAME ||
	            (promise == CARRIES_SAME_KIND && rows && rows[2] == 'r' && s->rows[2] == 'r');
	if (same && strcmp(rows, s->rows) != 0) broken("rows stay the same", rows);
	free(rows);
	return 0;
}
