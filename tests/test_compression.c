/* SPDX-License-Identifier: MIT */
/* Compressed inputs and outputs: whole, cut off, corrupted, followed by other bytes. */
#include "io/source.h"
#include "io_support.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- compression ---- */

static void round_trips_by_suffix_and_content(void **state)
{
	(void)state;
	static const size_t sizes[] = {0, 1, 100, 1000000};
	for (size_t f = 0; f < COUNT(filters); f++)
		for (size_t i = 0; i < COUNT(sizes); i++) {
			uint8_t *content = make_content(sizes[i]);
			size_t size;
			uint8_t *packed = compress(filters[f].suffix, content, sizes[i], &size);
			assert_true(sizes[i] < 1000 || size < sizes[i] / 2);
			for (int kind = 0; kind < KINDS; kind++) {
				/* The content decides: "input" has no suffix. */
				input in;
				sheaf_bytes bytes;
				open_input(&in, (enum kind)kind, packed, size);
				assert_int_equal(sheaf_source_size(in.source), -1);
				assert_ok(sheaf_source_ahead(in.source, 1, &bytes, &err));
				assert_string_equal(sheaf_source_compression(in.source), filters[f].name);
				assert_int_equal(sheaf_source_size(in.source), -1);
				assert_rest(in.source, 5000, content, sizes[i]);
				int64_t done, total;
				sheaf_source_progress(in.source, &done, &total);
				assert_int_equal(done, (int64_t)size);
				assert_int_equal(total, kind == PATH || kind == MEMORY ? (int64_t)size : -1);
				close_input(&in);
			}
			free(packed);
			free(content);
		}
}

static void a_suffix_alone_is_no_compression(void **state)
{
	(void)state;
	static const char *const texts[] = {"",
	                                    "B",
	                                    "BZ",
	                                    "BZh",
	                                    "BZh9 is plain text",
	                                    "\x1f",
	                                    "\x1f\x8b",
	                                    "\x1f\x8b\x07not deflate",
	                                    "\xfd\x37zXZ",
	                                    "(\xb5/",
	                                    "plain"};
	for (size_t i = 0; i < COUNT(texts); i++)
		for (int kind = 0; kind < KINDS; kind++) {
			input in;
			open_input(&in, (enum kind)kind, (const uint8_t *)texts[i], strlen(texts[i]));
			assert_rest(in.source, 3, (const uint8_t *)texts[i], strlen(texts[i]));
			assert_null(sheaf_source_compression(in.source));
			close_input(&in);
		}
	write_raw(in_folder("plain.gz"), "plain", 5);
	sheaf_source *source = NULL;
	assert_ok(sheaf_source_path(in_folder("plain.gz"), cx, &source, &err));
	assert_rest(source, 1, (const uint8_t *)"plain", 5);
	sheaf_source_close(source);
}

/* Three members, the middle one empty, with `pad` zero bytes after each. */
static uint8_t *make_members(const char *suffix, const uint8_t *content, size_t size, size_t pad,
                             size_t *out_size)
{
	size_t first, none, second;
	uint8_t *a = compress(suffix, content, size / 3, &first);
	uint8_t *b = compress(suffix, content, 0, &none);
	uint8_t *c = compress(suffix, content + size / 3, size - size / 3, &second);
	*out_size = first + none + second + 3 * pad;
	uint8_t *all = (uint8_t *)calloc(1, *out_size);
	assert_non_null(all);
	memcpy(all, a, first);
	memcpy(all + first + pad, b, none);
	memcpy(all + first + none + 2 * pad, c, second);
	free(a);
	free(b);
	free(c);
	return all;
}

static void concatenated_members(void **state)
{
	(void)state;
	static const size_t pads[] = {0, 4, 5, 1000000};
	uint8_t *content = make_content(100000);
	for (size_t f = 0; f < COUNT(filters); f++)
		for (size_t p = 0; p < (filters[f].padded ? COUNT(pads) : 1); p++) {
			size_t size;
			uint8_t *members = make_members(filters[f].suffix, content, 100000, pads[p], &size);
			for (int kind = 0; kind < KINDS; kind++) {
				if (kind == ONE_BYTE && pads[p] > 5) continue; /* a long walk that shows nothing new */
				input in;
				open_input(&in, (enum kind)kind, members, size);
				assert_rest(in.source, 777, content, 100000);
				close_input(&in);
			}
			free(members);
		}
	free(content);
}

static void a_skippable_zstd_frame_is_skipped(void **state)
{
	(void)state;
	static const uint8_t skipped[] = {0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'};
	size_t size;
	uint8_t *packed = compress(".zst", "content", 7, &size);
	uint8_t *all = (uint8_t *)malloc(size + 2 * sizeof skipped);
	assert_non_null(all);
	memcpy(all, skipped, sizeof skipped);
	memcpy(all + sizeof skipped, packed, size);
	memcpy(all + sizeof skipped + size, skipped, sizeof skipped);
	for (int kind = 0; kind < KINDS; kind++) {
		input in;
		open_input(&in, (enum kind)kind, all, size + 2 * sizeof skipped);
		assert_rest(in.source, 2, (const uint8_t *)"content", 7);
		assert_string_equal(sheaf_source_compression(in.source), "zstd");
		close_input(&in);
	}
	free(all);
	free(packed);
}

/* Reads to the end or the first failure. *got is the number of bytes, or SIZE_MAX if they differ from
 * data[size]. */
static sheaf_status read_through(sheaf_source *source, const uint8_t *data, size_t size, size_t *got)
{
	*got = 0;
	for (;;) {
		sheaf_bytes bytes;
		sheaf_status status = sheaf_source_ahead(source, 1, &bytes, &err);
		if (status) {
			/* It stays: the same failure is reported again. */
			assert_status(status, sheaf_source_ahead(source, 1, &bytes, &err));
			return status;
		}
		if (bytes.size == 0) return SHEAF_OK;
		bool is_same =
			*got <= size && bytes.size <= size - *got && memcmp(bytes.data, data + *got, bytes.size) == 0;
		*got = is_same ? *got + bytes.size : SIZE_MAX;
		sheaf_source_consume(source, bytes.size);
	}
}

static void truncated_at_every_byte(void **state)
{
	(void)state;
	uint8_t *content = make_content(600);
	for (size_t f = 0; f < COUNT(filters); f++) {
		size_t size, got;
		uint8_t *packed = compress(filters[f].suffix, content, 600, &size);
		for (size_t cut = 0; cut < size; cut++)
			for (int kind = MEMORY; kind <= ONE_BYTE; kind++) {
				input in;
				open_input(&in, (enum kind)kind, packed, cut);
				if (cut < filters[f].magic) {
					assert_ok(read_through(in.source, packed, cut, &got));
					assert_null(sheaf_source_compression(in.source));
				} else {
					assert_status(SHEAF_SHORT, read_through(in.source, content, 600, &got));
					assert_true(got <= 600);
					assert_message("ends inside a");
					assert_message(filters[f].name);
				}
				close_input(&in);
			}
		/* A second member that is cut, also within its magic. */
		uint8_t *twice = (uint8_t *)malloc(2 * size + 1);
		assert_non_null(twice);
		memcpy(twice, packed, size);
		memcpy(twice + size, packed, size);
		for (size_t cut = size + 1; cut < 2 * size; cut += cut < size + 12 ? 1 : 97) {
			input in;
			open_input(&in, MEMORY, twice, cut);
			uint8_t *both = (uint8_t *)malloc(1200);
			assert_non_null(both);
			memcpy(both, content, 600);
			memcpy(both + 600, content, 600);
			assert_status(SHEAF_SHORT, read_through(in.source, both, 1200, &got));
			assert_true(got >= 600 && got <= 1200);
			free(both);
			close_input(&in);
		}
		free(twice);
		free(packed);
	}
	free(content);
}

static void corrupted_at_every_byte(void **state)
{
	(void)state;
	static const uint8_t flips[] = {0x01, 0x80, 0xff};
	uint8_t *content = make_content(600);
	for (size_t f = 0; f < COUNT(filters); f++) {
		size_t size, got, refused = 0;
		uint8_t *packed = compress(filters[f].suffix, content, 600, &size);
		for (size_t i = 0; i < size * COUNT(flips); i++) {
			input in;
			packed[i / COUNT(flips)] ^= flips[i % COUNT(flips)];
			open_input(&in, MEMORY, packed, size);
			sheaf_bytes bytes;
			sheaf_status status = sheaf_source_ahead(in.source, 0, &bytes, &err);
			bool is_plain = !status && !sheaf_source_compression(in.source);
			if (!status && is_plain)
				status = read_through(in.source, packed, size, &got);
			else if (!status)
				status = read_through(in.source, content, 600, &got);
			assert_true(status == SHEAF_OK || status == SHEAF_DATA || status == SHEAF_SHORT ||
			            status == SHEAF_UNSUPPORTED || status == SHEAF_LIMIT);
			if (status == SHEAF_OK) assert_int_equal(got, is_plain ? size : 600);
			if (status == SHEAF_DATA) assert_message(" of the file)");
			refused += status != SHEAF_OK;
			close_input(&in);
			packed[i / COUNT(flips)] ^= flips[i % COUNT(flips)];
		}
		assert_true(refused > size * COUNT(flips) / 2);
		free(packed);
	}
	free(content);
}

static void trailing_garbage_is_refused(void **state)
{
	(void)state;
	static const struct {
		const char *bytes;
		size_t size;
	} tails[] = {{"x", 1},  {"\n", 1},       {"garbage that is long enough", 27},
	             {"\0", 1}, {"\0\0\0\0", 4}, {"\0\0\0x", 4}};
	for (size_t f = 0; f < COUNT(filters); f++) {
		size_t size;
		uint8_t *packed = compress(filters[f].suffix, "content", 7, &size);
		uint8_t *all = (uint8_t *)malloc(size + 32);
		assert_non_null(all);
		memcpy(all, packed, size);
		for (size_t i = 0; i < COUNT(tails) * KINDS; i++) {
			size_t t = i / KINDS, got;
			memcpy(all + size, tails[t].bytes, tails[t].size);
			input in;
			open_input(&in, (enum kind)(i % KINDS), all, size + tails[t].size);
			bool is_padding = filters[f].padded && tails[t].bytes[tails[t].size - 1] == '\0';
			assert_status(is_padding ? SHEAF_OK : SHEAF_DATA,
			              read_through(in.source, (const uint8_t *)"content", 7, &got));
			assert_int_equal(got, 7);
			if (!is_padding) {
				char place[64];
				size_t zeros = filters[f].padded && tails[t].bytes[0] == '\0' ? 3 : 0;
				snprintf(place, sizeof place, "(byte %zu of the file)", size + zeros);
				assert_message(place);
			}
			close_input(&in);
		}
		free(all);
		free(packed);
	}
}

static void xz_keeps_to_the_memory_limit(void **state)
{
	(void)state;
	uint8_t *content = make_content(500000);
	size_t size;
	uint8_t *packed = compress(".xz", content, 500000, &size);
	sheaf_context *usual = cx;
	cx = new_context(2 << 20);
	input in;
	sheaf_bytes bytes;
	open_input(&in, MEMORY, packed, size);
	assert_status(SHEAF_LIMIT, sheaf_source_ahead(in.source, 1, &bytes, &err));
	assert_message("xz");
	close_input(&in);
	/* Writing takes a preset that fits, so that a small limit is enough to write and to read. */
	sheaf_context_free(cx);
	cx = new_context(16 << 20);
	write_sink(in_folder("small.xz"), content, 500000);
	assert_ok(sheaf_source_path(in_folder("small.xz"), cx, &in.source, &err));
	assert_rest(in.source, 1000, content, 500000);
	sheaf_source_close(in.source);
	sheaf_context_free(cx);
	cx = usual;
	free(packed);
	free(content);
}

/* A whole member says its size where there is room for it, and that it has more where there is not. */
static void whole_members_of_any_size(void **state)
{
	(void)state;
	enum { SIZE = 300000, ROOM = SIZE + 100 };
	uint8_t *content = malloc(SIZE);
	assert_non_null(content);
	uint8_t *out = malloc(ROOM);
	assert_non_null(out);
	for (uint32_t i = 0, x = 1; i < SIZE; i++) content[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
	for (int f = 0; sheaf_filter_at(f); f++) {
		sheaf_builder packed;
		const char *found = NULL;
		sheaf_builder_begin(&packed, cx, NULL);
		assert_ok(sheaf_filter_pack(sheaf_filter_at(f), (sheaf_bytes){content, SIZE}, &packed, &found));
		static const size_t rooms[][2] = {
			{ROOM, SIZE}, {SIZE, SIZE}, {SIZE - 1, SIZE_MAX}, {SIZE / 2, SIZE_MAX}, {0, SIZE_MAX}};
		for (int i = 0; i < 5; i++) {
			size_t size = rooms[i][0];
			memset(out, 0, ROOM);
			assert_ok(sheaf_filter_unpack(sheaf_filter_at(f), sheaf_builder_bytes(&packed), out, &size, cx,
			                              &found));
			assert_int_equal(size, rooms[i][1]);
			assert_memory_equal(out, content, rooms[i][0] < SIZE ? rooms[i][0] : SIZE);
		}
		size_t size = ROOM;
		sheaf_bytes half = {packed.data, packed.size / 2};
		assert_int_equal(sheaf_filter_unpack(sheaf_filter_at(f), half, out, &size, cx, &found), SHEAF_DATA);
		assert_non_null(found);
		sheaf_builder_drop(&packed);
	}
	free(out);
	free(content);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	const struct CMUnitTest tests[] = {
		TEST(round_trips_by_suffix_and_content),
		TEST(a_suffix_alone_is_no_compression),
		TEST(concatenated_members),
		TEST(a_skippable_zstd_frame_is_skipped),
		TEST(truncated_at_every_byte),
		TEST(corrupted_at_every_byte),
		TEST(trailing_garbage_is_refused),
		TEST(xz_keeps_to_the_memory_limit),
		TEST(whole_members_of_any_size),
	};
	return cmocka_run_group_tests_name("compression", tests, NULL, NULL);
}
