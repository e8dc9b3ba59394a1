/* SPDX-License-Identifier: MIT */
/* The fuzz target of index files. A small file and its index are made once; an input says which bytes of the
 * index are changed, see README.md.
 *
 * What must hold: if the hashes are left as they are, everything is as without an index; if they are
 * mended, the outcome may be anything, but no access is out of bounds, and all memory is freed. */
#include "dataset/dataset.h"
#include "dataset/index/pieces.h"
#include "seal.h"
#include <fcntl.h>
#include <sheaf/sheaf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 16, PIECE = 300, ROWS = 200, MEMORY = 64 << 20 };
/* Bits of byte 0. */
enum { RIGHT_HASHES = 1, CUT = 2 };
/* The outcome of a reading. */
typedef struct outcome {
	sheaf_status status;
	char hash[33], tail[33];
	int64_t pieces, rows, samples;
} outcome;

static char folder[] = "/tmp/sheaf-fuzz.XXXXXX", file[64], index_file[96];
static uint8_t sound[MOST], changed[MOST];
static size_t sound_size;
static outcome expected;

static void broken(const char *rule, const char *message)
{
	fprintf(stderr, "fuzz_index: broken: %s: %s\n", rule, message);
	abort();
}

static void put_file(const char *path, const uint8_t *data, size_t size)
{
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f)) broken("a file can be written", path);
}

/* ---- reading with an index ---- */

static sheaf_status open_file(sheaf_index_policy policy, sheaf_context *cx, sheaf_dataset **out,
                              sheaf_error *err)
{
	sheaf_open_options options = {.size = sizeof options, .piece_bytes = PIECE, .index = policy};
	return sheaf_open(file, &options, cx, out, err);
}

static sheaf_status hash_rest(sheaf_dataset *dataset, sheaf_context *cx, char text[33], sheaf_error *err)
{
	sheaf_hash *hash;
	const sheaf_frame *frame;
	sheaf_status status;
	SHEAF_TRY(sheaf_hash_new(sheaf_dataset_schema(dataset), true, true, cx, &hash, err));
	while ((status = sheaf_next(dataset, &frame, err)) == SHEAF_OK &&
	       (status = sheaf_hash_add(hash, frame, -1, err)) == SHEAF_OK) {
	}
	sheaf_hash_text(hash, text);
	sheaf_hash_free(hash);
	return status == SHEAF_END ? SHEAF_OK : status;
}

static sheaf_status read_pieces(sheaf_dataset *dataset, sheaf_context *cx, outcome *out, sheaf_error *err)
{
	const sheaf_pieces *pieces;
	sheaf_frame frame = {0};
	uint32_t lengths[ROWS];
	sheaf_status status = sheaf_dataset_pieces(dataset, &pieces, err);
	if (status) return status;
	out->pieces = sheaf_pieces_count(pieces);
	out->rows = sheaf_pieces_rows(pieces);
	for (int64_t i = 0; i < out->pieces && status == SHEAF_OK; i++)
		status = sheaf_dataset_read_piece(dataset, i, &frame, cx, err);
	for (int64_t row = 0; row < out->rows && status == SHEAF_OK; row += ROWS) {
		int64_t n = out->rows - row < ROWS ? out->rows - row : ROWS;
		status = sheaf_pieces_lengths(pieces, row, n, lengths, err);
		for (int64_t k = 0; k < n && status == SHEAF_OK; k++) out->samples += lengths[k] % 1000;
	}
	sheaf_frame_free(&frame);
	return status;
}

static sheaf_status read_all(sheaf_dataset *dataset, bool skip, sheaf_context *cx, outcome *out,
                             sheaf_error *err)
{
	if (skip) {
		SHEAF_TRY(sheaf_skip(dataset, ROWS / 2, err));
		return hash_rest(dataset, cx, out->tail, err);
	}
	SHEAF_TRY(read_pieces(dataset, cx, out, err));
	return hash_rest(dataset, cx, out->hash, err);
}

static outcome reading(sheaf_index_policy policy)
{
	static const sheaf_context_options options = {.size = sizeof options, .max_memory = MEMORY, .threads = 1};
	sheaf_context *cx;
	sheaf_error err = {0};
	outcome out = {.status = sheaf_context_new(&options, &cx, &err)};
	for (int skip = 0; skip < 2 && out.status == SHEAF_OK; skip++) {
		sheaf_dataset *dataset;
		out.status = open_file(policy, cx, &dataset, &err);
		if (out.status) break;
		out.status = read_all(dataset, skip, cx, &out, &err);
		sheaf_close(dataset);
	}
	if (out.status && !err.message[0]) broken("a failure has a message", "none");
	if (sheaf_context_memory(cx, NULL)) broken("memory is given back", "some is left");
	sheaf_context_free(cx);
	return out;
}

/* ---- the file and its index ---- */

static void make_index(void)
{
	sheaf_context *cx;
	sheaf_dataset *dataset = NULL;
	sheaf_error err;
	if (sheaf_context_new(NULL, &cx, &err) || open_file(SHEAF_INDEX_NEVER, cx, &dataset, &err))
		broken("the file can be read", err.message);
	if (sheaf_dataset_write_index(dataset, NULL, &err)) broken("an index can be written", err.message);
	sheaf_close(dataset);
	sheaf_context_free(cx);
	FILE *f = fopen(index_file, "rb");
	sound_size = f ? fread(sound, 1, sizeof sound, f) : 0;
	if (f) fclose(f);
}

static void clean(void)
{
	unlink(index_file);
	unlink(file);
	rmdir(folder);
}

static void make_files(void)
{
	static char text[ROWS * 100];
	size_t n = 0;
	if (!mkdtemp(folder)) broken("a folder can be made", folder);
	snprintf(file, sizeof file, "%s/a", folder);
	snprintf(index_file, sizeof index_file, "%s.sheaf-index", file);
	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	for (int r = 0; r < ROWS; r++)
		for (int line = 0; line <= r % 3; line++)
			n += (size_t)snprintf(text + n, sizeof text - n, "%d |A %d |B %d:1\n", r, r, r % 10);
	put_file(file, (const uint8_t *)text, n);
	atexit(clean);
	make_index();
	expected = reading(SHEAF_INDEX_NEVER);
}

/* ---- changing the index ---- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!sound_size) make_files();
	if (size < 2) return 0;
	size_t n = data[0] & CUT ? sound_size * data[1] / 256 : sound_size;
	memcpy(changed, sound, sound_size);
	for (size_t i = 2; i + 2 < size; i += 3) changed[seal_load(data + i, 2) % sound_size] = data[i + 2];
	if (data[0] & RIGHT_HASHES) seal_index(changed, n);
	put_file(index_file, changed, n);
	outcome found = reading(SHEAF_INDEX_USE);
	if (!(data[0] & RIGHT_HASHES) && memcmp(&found, &expected, sizeof found) != 0)
		broken("a damaged index changes nothing", found.hash);
	return 0;
}
