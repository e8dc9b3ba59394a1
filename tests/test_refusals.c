/* SPDX-License-Identifier: MIT */
/* What formats of text, CBF, Lens and SciDB refuse to write or to be told: schemas that they cannot hold,
 * settings that cannot be, places of pieces and findings that no reader has kept. */
#include "base/buffer.h"
#include "base/carried.h"
#include "conversion.h"
#include "dataset/dataset.h"
#include "io/source.h"
#include <string.h>

#define COLUMNS(rows, columns) "{\"sheaf\":\"schema\",\"rows\":\"" rows "\",\"columns\":[" columns "]}\n"
#define STREAM(name, storage, dim) \
	"{\"name\":\"" name "\",\"storage\":\"" storage "\",\"type\":\"float32\",\"dim\":" dim "}"
#define CELL "{\"name\":\"a\",\"storage\":\"values\",\"type\":\"int64\"}"
#define DELIMITER "--delimiter: expected one byte that is no part of numbers, words and quotes"

static const conversion conversions[] = {
	/* one byte that can be nothing else in a field */
	{"csv", "a,b\n1,2\n", "csv", "-out-delimiter=x", SHEAF_USAGE, NULL,
     "--out-delimiter: expected one byte that is no part of numbers, words and quotes"},
	{"csv", "a,b\n1,2\n", "csv", "-delimiter=Z", SHEAF_USAGE, NULL, DELIMITER},
	{"csv", "a,b\n1,2\n", "csv", "-delimiter=A", SHEAF_USAGE, NULL, DELIMITER},
	{"csv", "a,b\n1,2\n", "csv", "-delimiter=\"", SHEAF_USAGE, NULL, DELIMITER},
	{"csv", "a,b\n1,2\n", "csv", "-delimiter='", SHEAF_USAGE, NULL, DELIMITER},
	{"csv", "a,b\n1,2\n", "csv", "-delimiter=\\", SHEAF_USAGE, NULL, DELIMITER},
	{"csv", "a,b\n1,2\n", "csv", "-delimiter=?", SHEAF_USAGE, NULL, DELIMITER},
	{"csv", "a,b\n1,2\n", "csv", "-delimiter=\n", SHEAF_USAGE, NULL, DELIMITER},
	{"csv", "a,b\n1,2\n", "csv", "-delimiter=\r", SHEAF_USAGE, NULL, DELIMITER},
	{"csv", "a,b\n1,2\n", "csv", "-delimiter=0", SHEAF_USAGE, NULL, DELIMITER},
	{"csv", "a,b\n1,2\n", "csv", "-delimiter=9", SHEAF_USAGE, NULL, DELIMITER},
	{"csv", "a,b\n1,2\n", "csv", "-delimiter=.", SHEAF_USAGE, NULL, DELIMITER},
	{"csv", "a,b\n1,2\n", "csv", "-delimiter=-", SHEAF_USAGE, NULL, DELIMITER},
	{"csv", "a,b\n1,2\n", "csv", "-delimiter=+", SHEAF_USAGE, NULL, DELIMITER},
	{"csv", "a,b\n1,2\n", "csv", "-delimiter=,,", SHEAF_USAGE, NULL, DELIMITER},
	{"csv", "a,b\n1,2\n", "csv", "-delimiter=", SHEAF_USAGE, NULL, DELIMITER},
	/* the bytes beside those */
	{"csv", "a,b\n1,2\n", "csv", "-out-delimiter=/", SHEAF_OK, "a/b\n1/2\n", NULL},
	{"csv", "a,b\n1,2\n", "csv", "-out-delimiter=:", SHEAF_OK, "a:b\n1:2\n", NULL},
	{"csv", "a,b\n1,2\n", "csv", "-out-delimiter=@", SHEAF_OK, "a@b\n1@2\n", NULL},
	{"csv", "a,b\n1,2\n", "csv", "-out-delimiter=[", SHEAF_OK, "a[b\n1[2\n", NULL},
	/* a comma in numbers and between them */
	{"csv", "a,b\n1,2\n", "csv", "-out-decimal=comma -out-delimiter=comma", SHEAF_USAGE, NULL,
     "--out-decimal comma: expected another delimiter between fields, found a comma"},
	{"csv", "a,b\n1,2\n", "csv", "-decimal=comma -delimiter=,", SHEAF_USAGE, NULL,
     "--decimal comma: expected another delimiter between fields, found a comma"},
	{"csv", "a,b\n\"1,5\",2\n", "csv", "-decimal=comma -delimiter=, -quoted=any -out-decimal=point", SHEAF_OK,
     "a,b\n1.5,2\n", NULL},
	{"csv", "a,b\n1.5,2\n", "csv", "-out-decimal=comma", SHEAF_OK, "a;b\n1,5;2\n", NULL},
	/* no quotes, so an empty text would be a missing one; numbers are never empty */
	{"csv", "a,b\n1,2\n,3\n", "tsv", "-null=empty -out-header=no", SHEAF_OK, "1\t2\n\t3\n", NULL},
	{"csv", "a,b\nx,2\n,3\n", "tsv", "-null=empty -out-header=no", SHEAF_USAGE, NULL,
     "--null empty: expected a dialect in which an empty text differs from a missing value, found column "
     "\"a\""},
	/* an empty file is no table */
	{"jsonl", COLUMNS("cells", CELL), "csv", "-out-header=no", SHEAF_UNSUPPORTED, NULL,
     "expected a row or a header, since an empty file is no table"},
	{"jsonl", COLUMNS("cells", CELL), "csv", NULL, SHEAF_OK, "a\n", NULL},
	/* nothing to write */
	{"jsonl", COLUMNS("cells", ""), "csv", NULL, SHEAF_UNSUPPORTED, NULL, "expected at least one column"},
	{"jsonl", COLUMNS("cells", ""), "scidb", NULL, SHEAF_UNSUPPORTED, NULL,
     "expected at least one column to write, found 0"},
	{"jsonl", COLUMNS("cells", ""), "arrow", NULL, SHEAF_UNSUPPORTED, NULL,
     "expected at least one column to write, found 0"},
	{"jsonl", COLUMNS("sequences", ""), "cbf", NULL, SHEAF_UNSUPPORTED, NULL,
     "expected at least one stream to write, found 0"},
	/* words that say what columns are */
	{"jsonl", COLUMNS("cells", "{\"name\":\"a\",\"storage\":\"value\",\"type\":\"int64\"}"), "csv", NULL,
     SHEAF_DATA, NULL, "expected columns with a name, a storage and a type, found another"},
	{"jsonl", COLUMNS("cells", "{\"name\":\"a\",\"storage\":\"values\",\"type\":\"int65\"}"), "csv", NULL,
     SHEAF_DATA, NULL, "expected columns with a name, a storage and a type, found another"},
	{"csv", "a,b\n1,2\n", "csv", "-columns=<a:int64,b:int64>c", SHEAF_USAGE, NULL, "expected ',' or the end"},
	/* samples made columns, one of which has the name of another */
	{"jsonl",
     COLUMNS("sequences", STREAM("A", "dense", "2") "," STREAM(
							  "A.0", "dense", "1")) "{\"key\":1,\"streams\":{\"A\":[[1,2]],\"A.0\":[[3]]}}\n",
     "csv", NULL, SHEAF_UNSUPPORTED, NULL, "column \"A.0\": expected a name for each column, found it twice"},
	/* the numbers of 32 bits in CBF and Lens */
	{"jsonl", COLUMNS("sequences", STREAM("A", "dense", "4294967296")), "cbf", NULL, SHEAF_UNSUPPORTED, NULL,
     "stream \"A\": expected a dim from 1 to 4294967295, found 4294967296"},
	{"jsonl", COLUMNS("sequences", STREAM("A", "dense", "4294967295")), "cbf", NULL, SHEAF_OK, NULL, NULL},
	{"jsonl", COLUMNS("sequences", STREAM("A", "sparse", "2147483648")), "cbf", NULL, SHEAF_UNSUPPORTED, NULL,
     "expected a dim from 1 to 2147483647, found 2147483648"},
	{"jsonl", COLUMNS("sequences", STREAM("A", "sparse", "2147483647")), "cbf", NULL, SHEAF_OK, NULL, NULL},
	{"jsonl", COLUMNS("sequences", STREAM("A.input", "dense", "2147483648")), "ex", NULL, SHEAF_UNSUPPORTED,
     NULL, "stream \"A.input\": expected a dim of at most 2147483647, found 2147483648"},
	{"jsonl", COLUMNS("sequences", STREAM("A.input", "dense", "2147483647")), "ex", NULL, SHEAF_OK, NULL,
     NULL},
	/* a main stream that is none */
	{"jsonl", COLUMNS("sequences", STREAM("A", "dense", "1")), "cbf", "-main-stream=B", SHEAF_USAGE, NULL,
     "--main-stream: expected the name of a stream, found \"B\""},
	/* groups */
	{"jsonl", COLUMNS("sequences", STREAM("A", "dense", "2")), "ex",
     "-group=A:2147483647:input -group=B:1:input", SHEAF_USAGE, NULL,
     "--group: expected at most 2147483647 units on each side, found more with B:1:input"},
	{"jsonl", COLUMNS("sequences", STREAM("A", "dense", "2147483646")), "ex",
     "-group=A:2147483646:input -group=B:1:input", SHEAF_OK, NULL, NULL},
	{"jsonl", COLUMNS("sequences", STREAM("A.input", "dense", "3") "," STREAM("A", "dense", "2")), "ex",
     "-group=A:2:input", SHEAF_USAGE, NULL,
     "stream \"A\": expected a group and side of its own, found those of \"A.input\""},
	{"jsonl", COLUMNS("sequences", STREAM("A.input", "dense", "3") "," STREAM("A", "dense", "2")), "ex",
     "-group=A:2:output", SHEAF_OK, NULL, NULL},
	{"ex", "name:n I:1 0 T:1;\n", "ctf", "-group=name:2:input -group=t:1:output", SHEAF_USAGE, NULL,
     "--group: expected a name for a group on one side that no column has, found \"name\""},
	{"ex", "name:n I:1 0 T:1;\n", "ex", "-group=name:2:input -group=name:1:output", SHEAF_OK, NULL, NULL},
	{"ex", "I:1 0 T:1;\n", "ctf", "-group=A:2:input -group=A.input:1:output -group=A:1:output", SHEAF_USAGE,
     NULL, "--group: expected groups whose streams have names of their own, found two for \"A.input\""},
	/* no name */
	{"jsonl", "{\"key\":0,\"streams\":{\"\":[[1]]}}\n", "cbf", NULL, SHEAF_UNSUPPORTED, NULL,
     "stream: expected a name of at least 1 byte, found none"},
	{"jsonl", "{\"\":1,\"b\":2}\n", "csv", NULL, SHEAF_UNSUPPORTED, NULL,
     "column 0: expected a name, found none; --header no writes none"},
	{"jsonl", "{\"\":1,\"b\":2}\n", "csv", "-out-header=no", SHEAF_OK, "1,2\n", NULL},
	/* a label of two numbers */
	{"ctf", "|label 1 2 |x 1 2\n", "svmlight", NULL, SHEAF_UNSUPPORTED, NULL,
     "stream \"label\": expected a label to be dense with dim 1, or sparse, found it dense with dim 2"},
	{"ctf", "|label 0:1 3:1 |x 1 2\n", "svmlight", NULL, SHEAF_OK, "0,3 1:1 2:2\n", NULL},
};

static void test_conversions(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(conversions); i++) check_conversion(&conversions[i], 0, 0);
}

/* Lens has a place for the proc of a set, and for nothing else that is said of the whole; AnnData for names
 * of rows and columns. */
static void test_attributes_without_a_place(void **state)
{
	static const struct {
		const char *file, *name;
		sheaf_status status;
		const char *message;
		bool silent; /* it is not part of the contents */
	} outputs[] = {
		{"a.ex", "proc", SHEAF_OK, NULL},
		{"a.ex", "note", SHEAF_UNSUPPORTED, "expected no attribute but \"proc\", found \"note\""},
		{"a.h5ad", "note", SHEAF_LOSS, "format hdf5 can hold, found loss: attribute (1)"},
		{"a.mtx", "note", SHEAF_LOSS, "format matrixmarket can hold, found loss: attribute (1)"},
		{"b.mtx", "note", SHEAF_OK, NULL, true},
	};
	static const sheaf_tensor matrix = {.rank = 2, .shape = {2, 3}};
	(void)state;
	for (size_t i = 0; i < COUNT(outputs); i++) {
		record r;
		sheaf_writer *writer;
		begin(&r, (sheaf_context_options){.threads = 1});
		sheaf_schema schema = {.cx = r.cx};
		if (i < 2)
			assert_ok(sheaf_schema_add_dense(&schema, "x.input", 1, SHEAF_F32, &err));
		else
			assert_ok(sheaf_schema_add_entries(&schema, &matrix, SHEAF_NUMBER, SHEAF_F64, &err));
		assert_ok(sheaf_schema_add_attribute(&schema, outputs[i].name, "text", &err));
		if (outputs[i].silent) schema.attributes[0].loss = NULL;
		sheaf_status status = sheaf_create(in_folder(outputs[i].file), &schema, NULL, r.cx, &writer, &err);
		if (!status && i >= 2) status = sheaf_finish(writer, &err), writer = NULL;
		assert_status(outputs[i].status, status);
		if (outputs[i].message) assert_message(outputs[i].message);
		sheaf_abandon(writer);
		sheaf_schema_free(&schema);
		end(&r);
	}
}

/* ---- what readers keep for others ---- */

static const struct {
	const char *name, *text, *settings;
	size_t from; /* of which it is made, if it has no text */
} inputs[] = {
	{"a.ctf", "7 |A 1\n7 |A 2\n9 |A 3\n", "A:1:dense"},
	{"a.cbf", NULL, ""},
	{"a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n", ""},
	{"a.tns", "1 2 3\n", ""},
	{"a.scidb", "12", "-format-string=(int8,int8)"},
	{"a.h5", NULL, "", 0},
	{"b.h5", NULL, "", 2},
};

static sheaf_dataset *open_one(size_t i, record *r)
{
	settings s;
	sheaf_dataset *dataset;
	const char *from = in_folder(inputs[inputs[i].from].name), *path = in_folder(inputs[i].name);
	begin(r, (sheaf_context_options){.threads = 1});
	read_settings(inputs[i].settings, &s);
	if (inputs[i].text) write_text(inputs[i].name, inputs[i].text);
	if (!inputs[i].text) write_text(inputs[inputs[i].from].name, inputs[inputs[i].from].text);
	if (!inputs[i].text && !file_exists(inputs[i].name))
		assert_ok(sheaf_convert(&from, 1, path, NULL, r->cx, &err));
	sheaf_open_options options = {.size = sizeof options, .settings = s.list, .nsettings = s.n};
	assert_ok(sheaf_open(path, &options, r->cx, &dataset, &err));
	return dataset;
}

/* Bytes that are fewer than a reader has kept. */
static void test_findings_cut_short(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(inputs); i++) {
		record r;
		const sheaf_frame *frame;
		sheaf_buffer kept = {0};
		sheaf_builder b;
		sheaf_dataset *d = open_one(i, &r);
		while (sheaf_next(d, &frame, &err) == SHEAF_OK) continue;
		sheaf_builder_begin(&b, r.cx, &kept);
		assert_ok(d->format->carry(d->in, &(sheaf_carried){.to = &b}, &err));
		assert_ok(sheaf_builder_finish(&b, &kept, &err));
		const size_t sizes[] = {0, 1, kept.size - 1, kept.size};
		for (size_t k = 0; k < COUNT(sizes); k++) {
			sheaf_cursor bytes = sheaf_cursor_over(kept.data, sizes[k], 0);
			assert_status(sizes[k] == kept.size ? SHEAF_OK : SHEAF_DATA,
			              d->format->carry(d->in, &(sheaf_carried){.from = &bytes}, &err));
			if (sizes[k] < kept.size) assert_message("part: expected what a reader has counted");
		}
		sheaf_buffer_reset(&kept);
		sheaf_close(d);
		end(&r);
	}
}

/* Places where no piece can be, as a damaged index may have them. */
static void test_places_of_no_piece(void **state)
{
	static const struct {
		size_t input;
		sheaf_piece piece;
		const char *told;
	} places[] = {
		{0, {.byte = 0, .size = 0, .line = 1, .column = 1, .chunk = -1}, "expected the place of a piece"},
		{0, {.byte = 0, .size = 7, .line = 0, .column = 1, .chunk = -1}, "expected the place of a piece"},
		{0, {.byte = 0, .size = 7, .line = 3, .column = 1, .chunk = -1}, "expected the place of a piece"},
		{0, {.byte = 0, .size = 7, .line = 1, .column = 0, .chunk = -1}, "expected the place of a piece"},
		{1, {.chunk = -1}, "expected a chunk below 1, found -1"},
		{1, {.chunk = 1}, "expected a chunk below 1, found 1"},
		{2, {.byte = 45, .size = 6, .line = 3, .column = 1, .chunk = -1}, "expected the place of a piece"},
		{2, {.byte = 52, .size = 6, .line = 2, .column = 1, .chunk = -1}, "expected the place of a piece"},
		{2, {.byte = 52, .size = 6, .line = 4, .column = 1, .chunk = -1}, "expected the place of a piece"},
		{2, {.byte = 52, .size = 6, .line = 3, .column = 2, .chunk = -1}, "expected the place of a piece"},
		{2, {.byte = 52, .size = 0, .line = 3, .column = 1, .chunk = -1}, "expected the place of a piece"},
		{2, {.byte = 52, .size = 6, .line = 3, .column = 1, .chunk = 0}, "expected the place of a piece"},
		{4, {.byte = 0, .size = 0, .line = 1}, "expected 0 bytes of whole cells"},
		{4, {.byte = 0, .size = 2, .line = 0}, "expected 2 bytes of whole cells"},
		{4, {.byte = 0, .size = 1, .line = 1}, "expected 1 bytes of whole cells"},
		{4, {.byte = 0, .size = 2, .line = 2}, "expected 2 bytes of whole cells"},
		{5, {.byte = -1, .size = 1}, "expected a piece of the 2 sequences, found byte -1, size 1"},
		{5, {.byte = 0, .size = -1}, "expected a piece of the 2 sequences, found byte 0, size -1"},
		{5, {.byte = 0, .size = 3}, "expected a piece of the 2 sequences, found byte 0, size 3"},
		{5, {.byte = 1, .size = 2}, "expected a piece of the 2 sequences, found byte 1, size 2"},
		{5, {.byte = 3, .size = 0}, "expected a piece of the 2 sequences, found byte 3, size 0"},
		{5, {.byte = 0, .size = 2}, NULL},
		{5, {.byte = 2, .size = 0}, NULL},
		{6, {.byte = -1, .size = 0}, "expected a piece of the 1 elements, found byte -1, size 0"},
		{6, {.byte = 0, .size = -1}, "expected a piece of the 1 elements, found byte 0, size -1"},
		{6, {.byte = 1, .size = 0}, "expected a piece of the 1 elements, found byte 1, size 0"},
		{6, {.byte = 0, .size = 1}, "expected a piece of the 1 elements, found byte 0, size 1"},
		{6, {.byte = 720720, .size = 0}, "expected a piece of the 1 elements, found byte 720720, size 0"},
		{6, {.byte = 0, .size = 720720}, "expected a piece of the 1 elements, found byte 0, size 720720"},
		{6, {.byte = 0, .size = 0}, NULL},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(places); i++) {
		record r;
		sheaf_piece piece = places[i].piece;
		sheaf_dataset *d = open_one(places[i].input, &r);
		assert_ok(sheaf_source_make_seekable(d->source, &err));
		sheaf_status status = d->format->random->recall(d->in, &piece, &err);
		if (!status && d->format->random->resumes) status = d->format->rewind(d->in, &piece, &err);
		assert_int_equal(status, places[i].told ? SHEAF_DATA : SHEAF_OK);
		if (places[i].told) assert_message(places[i].told);
		sheaf_buffer_reset(&piece.bytes);
		sheaf_buffer_reset(&piece.notes);
		sheaf_close(d);
		end(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_conversions, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_attributes_without_a_place, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_findings_cut_short, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_places_of_no_piece, make_folder, remove_folder),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
