/* SPDX-License-Identifier: MIT */
/* Schemas that come from files: each byte of the schema in each kind of file that carries one is changed, and
 * the hash over it made right. Such a file is refused with a message, or gives the rows that it had. */
#include "data/print.h"
#include "data/schema_bytes.h"
#include "support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* ---- what carries a schema ---- */

/* A file as bytes, and where its schema is. */
typedef struct carried {
	bytes_sink bytes;
	size_t at, size; /* of the schema; its digits, where `hex` */
	bool hex;
} carried;

static uint64_t load(const uint8_t *at, int bytes)
{
	uint64_t v = 0;
	for (int i = bytes; i-- > 0;) v = v << 8 | at[i];
	return v;
}

static void store(uint8_t *at, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(v >> 8 * i);
}

static void store_xxhash(uint8_t *at, const uint8_t *data, size_t size, uint64_t seed)
{
	store(at, XXH3_128bits_withSeed(data, size, seed).low64, 8);
}

static void mend_nothing(carried *c) { (void)c; }

static uint32_t crc_of(const uint8_t *data, size_t size)
{
	uint32_t crc = UINT32_MAX;
	for (size_t i = 0; i < size; i++) {
		crc ^= data[i];
		for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

/* The sum of the member with the schema: in the archive's list, 30 bytes before the name, and after the
 * member's bytes, behind four of a mark. The list has their size 22 bytes before the name. */
static void mend_archive(carried *c)
{
	static const char name[] = "sheaf.schema.npy";
	enum { LENGTH = sizeof name - 1, MARK = 4 };
	uint8_t *from = c->bytes.data, *end = from + c->bytes.size;
	uint8_t *head = memmem(from, c->bytes.size, name, LENGTH);
	assert_non_null(head);
	uint8_t *listed = memmem(head + 1, (size_t)(end - head - 1), name, LENGTH);
	assert_non_null(listed);
	uint8_t *data = head + LENGTH + load(head - 2, 2);
	size_t size = load(listed - 22, 4);
	uint32_t sum = crc_of(data, size);
	store(data + size + MARK, sum, 4);
	store(listed - 30, sum, 4);
}

static void mend_index(carried *c)
{
	enum { SEED = 4, HEAD_SIZE = 12, HEAD_HASH = 16, HASHED_FROM = 24 };
	uint8_t *data = c->bytes.data;
	store_xxhash(data + HEAD_HASH, data + HASHED_FROM, load(data + HEAD_SIZE, 4) - HASHED_FROM, SEED);
}

static void mend_summary(carried *c)
{
	enum { SEED = 3, HASH = 8 };
	size_t n = c->bytes.size - HASH;
	store_xxhash(c->bytes.data + n, c->bytes.data, n, SEED);
}

/* ---- rows, and what is made of them ---- */

/* Rows as JSON, from an input whose schema may be another one; NULL: it is refused. To be freed. */
static char *rows_of(const char *name, sheaf_index_policy index)
{
	sheaf_context *cx = usual_context();
	sheaf_dataset *dataset = NULL;
	sheaf_summary *summary = NULL;
	const sheaf_frame *frame;
	char *text = NULL;
	size_t size = 0;
	sheaf_open_options options = {.size = sizeof options, .index = index};
	err = (sheaf_error){0};
	sheaf_status status = sheaf_open(in_folder(name), &options, cx, &dataset, &err);
	if (!status) status = sheaf_summary_new(sheaf_dataset_schema(dataset), cx, &summary, &err);
	FILE *out = open_memstream(&text, &size);
	while (!status && (status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK) {
		status = sheaf_summary_add(summary, frame, sheaf_dataset_row(dataset), &err);
		for (int64_t r = 0; r < frame->nrows && !status; r++) {
			sheaf_builder row;
			sheaf_builder_begin(&row, cx, NULL);
			sheaf_row_text(&row, frame, sheaf_dataset_schema(dataset), SHEAF_JSON, sheaf_dataset_row(dataset),
			               r);
			fwrite(row.data, 1, row.size, out);
			sheaf_builder_drop(&row);
		}
	}
	fclose(out);
	assert_true(status == SHEAF_END || *err.message);
	sheaf_summary_free(summary);
	sheaf_close(dataset);
	end_context(cx);
	if (status == SHEAF_END) return text;
	free(text);
	return NULL;
}

/* Conversions of what is not refused. */
static void convert_it(const char *name)
{
	static const char *const outputs[] = {"o.npz", "o.arrow", "o.jsonl", "o.cbf", "o.csv", "o.npy", "o.h5"};
	for (size_t i = 0; i < COUNT(outputs); i++) {
		sheaf_context_options lax = {.size = sizeof lax, .allow_loss = true};
		sheaf_context *cx = context_with(&lax);
		const char *input = in_folder(name);
		sheaf_convert_options options = {.size = sizeof options, .force = true};
		err = (sheaf_error){0};
		sheaf_status status = sheaf_convert(&input, 1, in_folder(outputs[i]), &options, cx, &err);
		assert_true(!status || *err.message);
		end_context(cx);
	}
}

/* ---- changing bytes ---- */

static const uint8_t values[] = {0, 1, 2, 9, 0xff};

/* Calls `look` for each file in which one byte of the schema is another one. */
static void change_each(carried *c, const char *name, void (*mend)(carried *c), void (*look)(void *user),
                        void *user)
{
	static const char digits[] = "0123456789abcdef";
	for (size_t i = 0; i < c->size / (c->hex ? 2 : 1); i++)
		for (size_t k = 0; k < COUNT(values); k++) {
			uint8_t *at = c->bytes.data + c->at + i * (c->hex ? 2 : 1), was[2];
			memcpy(was, at, 2);
			at[0] = c->hex ? (uint8_t)digits[values[k] >> 4] : values[k];
			if (c->hex) at[1] = (uint8_t)digits[values[k] & 15];
			mend(c);
			write_file(name, c->bytes.data, c->bytes.size);
			look(user);
			memcpy(at, was, 2);
		}
}

static carried find_schema(const char *name, bytes_sink schema, bool hex)
{
	static const char digits[] = "0123456789abcdef";
	char *text = (char *)malloc(2 * schema.size + 1);
	for (size_t i = 0; i < schema.size; i++)
		text[2 * i] = digits[schema.data[i] >> 4], text[2 * i + 1] = digits[schema.data[i] & 15];
	carried c = {.bytes = read_file(name), .size = schema.size * (hex ? 2 : 1), .hex = hex};
	const void *wanted = hex ? (const void *)text : schema.data;
	const uint8_t *data = c.bytes.data, *at = NULL;
	/* An Arrow file has it twice, of which the last counts. */
	for (const uint8_t *next = data;
	     (next = memmem(next, c.bytes.size - (size_t)(next - data), wanted, c.size)); next++)
		at = next;
	assert_non_null(at);
	c.at = (size_t)(at - data);
	free(text);
	return c;
}

/* The schema with which an input is read, as bytes. */
static bytes_sink schema_of(const char *name)
{
	sheaf_context *cx = usual_context();
	sheaf_dataset *dataset;
	sheaf_builder b;
	bytes_sink out = {0};
	assert_ok(sheaf_open(in_folder(name), NULL, cx, &dataset, &err));
	sheaf_builder_begin(&b, cx, NULL);
	sheaf_schema_to_bytes(sheaf_dataset_schema(dataset), &b);
	write_bytes(&out, b.data, b.size);
	sheaf_builder_drop(&b);
	sheaf_close(dataset);
	end_context(cx);
	return out;
}

/* ---- files of rows ---- */

typedef struct looking {
	const char *name, *rows;
	int read, refused;
} looking;

static void look_at_rows(void *user)
{
	looking *l = (looking *)user;
	char *rows = rows_of(l->name, SHEAF_INDEX_NEVER);
	*(rows ? &l->read : &l->refused) += 1;
	/* Cells may also be said to be columns of sequences, and keys to be numbers, which are shown otherwise.
	 */
	if (rows && rows[2] == 'r' && l->rows[2] == 'r') check_text(l->rows, rows, l->name, l->read + l->refused);
	if (rows && l->read % 100 == 0) convert_it(l->name);
	free(rows);
}

static void make(const char *from, const char *to)
{
	sheaf_context *cx = usual_context();
	const char *input = in_folder(from);
	sheaf_convert_options options = {.size = sizeof options, .force = true};
	assert_ok(sheaf_convert(&input, 1, in_folder(to), &options, cx, &err));
	end_context(cx);
}

static void write_inputs(void)
{
	write_text(
		"a.csv",
		"i,f,s,t,b\n1,0.5,one,2020-01-02 03:04:05,true\n,,,,\n3,1.5,two,2021-01-02 03:04:05.25,false\n");
	write_text("a.ctf", "7 |A 1 2 |B 3:0.5 9:1\n7 |A 3 4 |B 0:1\n9 |A 3 5 |B 0:1\n");
	write_text("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 2\n1 1 2.5\n3 4 1\n");
}

static void test_files_of_rows(void **state)
{
	static const char *const inputs[] = {"a.csv", "a.ctf"};
	static const struct {
		const char *name;
		bool hex;
		void (*mend)(carried *c);
	} outputs[] = {
		{"b.arrow", true, mend_nothing}, {"b.arrows", true, mend_nothing}, {"b.npz", false, mend_archive}};
	(void)state;
	write_inputs();
	for (size_t i = 0; i < COUNT(inputs); i++)
		for (size_t o = 0; o < COUNT(outputs); o++) {
			make(inputs[i], outputs[o].name);
			bytes_sink schema = schema_of(outputs[o].name);
			carried c = find_schema(outputs[o].name, schema, outputs[o].hex);
			char *rows = rows_of(outputs[o].name, SHEAF_INDEX_NEVER);
			assert_non_null(rows);
			looking l = {outputs[o].name, rows, 0, 0};
			change_each(&c, outputs[o].name, outputs[o].mend, look_at_rows, &l);
			assert_true(l.read > 0 && l.refused > 0);
			free(rows);
			free_bytes(&c.bytes);
			free_bytes(&schema);
		}
}

/* ---- files beside rows ---- */

static void look_at_index(void *user)
{
	looking *l = (looking *)user;
	char *rows = rows_of("a.ctf", SHEAF_INDEX_USE);
	assert_non_null(rows);
	check_text(l->rows, rows, "index", ++l->read);
	free(rows);
}

static void test_indexes(void **state)
{
	(void)state;
	write_inputs();
	bytes_sink schema = schema_of("a.ctf");
	sheaf_context *cx = usual_context();
	sheaf_dataset *dataset;
	assert_ok(sheaf_open(in_folder("a.ctf"), NULL, cx, &dataset, &err));
	assert_ok(sheaf_dataset_write_index(dataset, &err));
	sheaf_close(dataset);
	end_context(cx);
	carried c = find_schema("a.ctf.sheaf-index", schema, false);
	char *rows = rows_of("a.ctf", SHEAF_INDEX_NEVER);
	assert_non_null(rows);
	looking l = {"a.ctf", rows, 0, 0};
	change_each(&c, "a.ctf.sheaf-index", mend_index, look_at_index, &l);
	free(rows);
	free_bytes(&c.bytes);
	free_bytes(&schema);
}

/* What is loaded can be shown, and saved again. */
static void look_at_summary(void *user)
{
	looking *l = (looking *)user;
	sheaf_context *cx = usual_context();
	bytes_sink bytes = read_file("a.summary");
	sheaf_summary *s;
	sheaf_buffer text = {0};
	err = (sheaf_error){0};
	if (sheaf_summary_load(bytes.data, bytes.size, cx, &s, &err)) {
		assert_true(*err.message);
		l->refused++;
	} else {
		assert_ok(sheaf_summary_text(s, NULL, &text, &err));
		assert_ok(sheaf_summary_save(s, &text, &err));
		sheaf_summary_free(s);
		l->read++;
	}
	sheaf_buffer_reset(&text);
	free_bytes(&bytes);
	end_context(cx);
}

static void test_summaries(void **state)
{
	static const char *const inputs[] = {"a.csv", "a.ctf", "a.mtx"};
	(void)state;
	write_inputs();
	for (size_t i = 0; i < COUNT(inputs); i++) {
		sheaf_context *cx = usual_context();
		sheaf_dataset *dataset;
		sheaf_summary *s;
		const sheaf_frame *frame;
		sheaf_buffer bytes = {0};
		bytes_sink schema = schema_of(inputs[i]);
		assert_ok(sheaf_open(in_folder(inputs[i]), NULL, cx, &dataset, &err));
		assert_ok(sheaf_summary_new(sheaf_dataset_schema(dataset), cx, &s, &err));
		while (sheaf_next(dataset, &frame, &err) == SHEAF_OK)
			assert_ok(sheaf_summary_add(s, frame, sheaf_dataset_row(dataset), &err));
		assert_ok(sheaf_summary_save(s, &bytes, &err));
		write_file("a.summary", bytes.data, bytes.size);
		sheaf_buffer_reset(&bytes);
		sheaf_summary_free(s);
		sheaf_close(dataset);
		end_context(cx);
		carried c = find_schema("a.summary", schema, false);
		looking l = {0};
		change_each(&c, "a.summary", mend_summary, look_at_summary, &l);
		assert_true(l.read > 0 && l.refused > 0);
		free_bytes(&c.bytes);
		free_bytes(&schema);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_files_of_rows), cmocka_unit_test(test_indexes),
	                                   cmocka_unit_test(test_summaries)};
	return cmocka_run_group_tests_name("schemas", tests, make_folder, remove_folder);
}
