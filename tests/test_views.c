/* SPDX-License-Identifier: MIT */
/* Rows of one kind made of rows of another: entries as sequences and back, tables as tensors. The list of
 * formats is this program's own: beside those of sequences there is one that gives a frame of any kind, cut
 * as a test wants it, and one that takes entries as a test wants them. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/memory.h"
#include "dataset/dataset.h"
#include "dataset/index/pieces.h"
#include "frame/frame.h"
#include "frame/print.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a format that gives a table ---- */

typedef struct giving {
	sheaf_schema schema;
	sheaf_frame frame;
	int64_t step;  /* rows of a piece */
	bool slices;   /* pieces are cut between slices, and say so */
	int64_t at;    /* next row */
	int64_t slice; /* next slice */
	int reviewed;
	int64_t rows_reviewed;
} giving;

static giving given;

static sheaf_likely given_probe(sheaf_glimpse *at)
{
	sheaf_bytes head = at->head;
	return head.size >= 5 && memcmp(head.data, "GIVEN", 5) == 0 ? SHEAF_SURE : SHEAF_NO;
}

static sheaf_status given_open(void *in, const sheaf_values *values, const sheaf_opening *how, sheaf_error *e)
{
	sheaf_reader *reader = (sheaf_reader *)in;
	(void)values, (void)how;
	given.at = given.slice = given.rows_reviewed = given.reviewed = 0;
	return sheaf_schema_copy(&given.schema, reader->cx, &reader->schema, e);
}

static int64_t first_coordinate(int64_t row)
{
	return ((const int32_t *)(const void *)given.frame.columns[0].values.data)[row];
}

static sheaf_status given_cut(void *in, int64_t bytes, sheaf_piece *piece, sheaf_error *e)
{
	giving *g = &given;
	(void)in, (void)bytes, (void)e;
	if (g->at == g->frame.nrows) return SHEAF_END;
	int64_t end = g->at + g->step < g->frame.nrows ? g->at + g->step : g->frame.nrows;
	if (g->slices)
		while (end < g->frame.nrows && first_coordinate(end) == first_coordinate(end - 1)) end++;
	sheaf_buffer_reset(&piece->bytes);
	*piece = (sheaf_piece){.byte = g->at, .size = end - g->at, .line = -1, .column = -1, .chunk = -1};
	if (g->slices) {
		piece->slice = first_coordinate(g->at);
		piece->slices = first_coordinate(end - 1) + 1 - piece->slice;
	}
	g->at = end;
	return SHEAF_OK;
}

static sheaf_status given_decode(const void *in, const sheaf_piece *piece, sheaf_frame *frame,
                                 sheaf_context *cx, sheaf_error *e)
{
	const giving *g = &given;
	(void)in;
	SHEAF_TRY(sheaf_frame_begin(frame, &g->schema, cx, e));
	return sheaf_frame_slice(&g->frame, piece->byte, piece->byte + piece->size, frame, e);
}

static sheaf_status given_review(void *in, const sheaf_frame *frame, int64_t row, sheaf_error *e)
{
	giving *g = &given;
	(void)in, (void)e;
	if (!frame) return SHEAF_OK;
	assert_int_equal(row, g->rows_reviewed);
	g->rows_reviewed += frame->nrows;
	g->reviewed++;
	return SHEAF_OK;
}

static sheaf_status given_rewind(void *in, const sheaf_piece *to, sheaf_error *e)
{
	giving *g = &given;
	(void)in, (void)e;
	if (to) {
		g->at = to->byte;
		return SHEAF_OK;
	}
	g->at = g->slice = g->rows_reviewed = 0;
	return SHEAF_OK;
}

static sheaf_status given_recall(const void *in, sheaf_piece *piece, sheaf_error *e)
{
	(void)in, (void)piece, (void)e;
	piece->slice = piece->slices = 0; /* what cut knew is not relied on */
	return SHEAF_OK;
}

static const char *const given_suffixes[] = {".given", NULL};
static const sheaf_random_access given_random = {.recall = given_recall, .resumes = true};
static const sheaf_format format_given = {
	.name = "given",
	.summary = "a table of the test",
	.suffixes = given_suffixes,
	.probe = given_probe,
	.reader_size = sizeof(sheaf_reader),
	.open = given_open,
	.cut = given_cut,
	.decode = given_decode,
	.review = given_review,
	.rewind = given_rewind,
	.random = &given_random,
};

/* ---- a format that takes entries ---- */

typedef struct taking {
	sheaf_tensor wanted;
	bool as_it_comes;
	int64_t total;
} taking;

static taking taken;

static sheaf_likely taken_probe(sheaf_glimpse *at)
{
	(void)at;
	return SHEAF_NO;
}

static sheaf_status taken_accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *e)
{
	(void)values, (void)e;
	if (taken.as_it_comes) return SHEAF_OK;
	sheaf_tensor shape = schema->tensor;
	schema->tensor = taken.wanted;
	schema->tensor.rank = shape.rank;
	memcpy(schema->tensor.shape, shape.shape, sizeof shape.shape);
	return SHEAF_OK;
}

static sheaf_status taken_create(void *out, const sheaf_facts *totals, const sheaf_values *values,
                                 sheaf_error *e)
{
	(void)out, (void)values, (void)e;
	taken.total = totals->rows;
	return SHEAF_OK;
}

static sheaf_status taken_encode(const void *out, const sheaf_frame *frame, int64_t row, sheaf_builder *b,
                                 int64_t *samples, sheaf_error *e)
{
	(void)samples;
	for (int64_t r = 0; r < frame->nrows; r++)
		sheaf_row_text(b, frame, &((const sheaf_output *)out)->schema, SHEAF_TEXT, row, r);
	return sheaf_builder_status(b, e);
}

static const char *const taken_suffixes[] = {".taken", NULL}, *const counted_suffixes[] = {".counted", NULL};

#define TAKING \
	.takes = SHEAF_TAKES_ENTRIES, .accept = taken_accept, .create = taken_create, .encode = taken_encode, \
	.output_size = sizeof(sheaf_output)

static const sheaf_writing plain_writing = {TAKING};
static const sheaf_writing counted_writing = {TAKING, .needs_rows = true};

static const sheaf_format format_taken = {
	.name = "taken",
	.summary = "entries for the test",
	.suffixes = taken_suffixes,
	.write = &plain_writing,
	.probe = taken_probe,
};
static const sheaf_format format_counted = {
	.name = "counted",
	.summary = "entries for the test",
	.suffixes = counted_suffixes,
	.write = &counted_writing,
	.probe = taken_probe,
};

extern const sheaf_format sheaf_format_ctf, sheaf_format_cbf;
const sheaf_format *const sheaf_formats[] = {&sheaf_format_ctf, &sheaf_format_cbf, &format_given,
                                             &format_taken,     &format_counted,   NULL};

/* ---- what is given ---- */

/* Entries from a text: "i j v; i j v; ...". */
static void give_entries(sheaf_context *cx, int rank, const int64_t *shape, sheaf_type type, const char *text)
{
	sheaf_field *value;
	sheaf_builder b[SHEAF_MAX_RANK + 1];
	given = (giving){.step = 3};
	assert_ok(sheaf_schema_make_entries(&given.schema, cx, (sheaf_dimensions){rank, shape}, &value, &err));
	value->type = type;
	given.schema.tensor.sorted = given.schema.tensor.unique = false;
	assert_ok(sheaf_frame_begin(&given.frame, &given.schema, cx, &err));
	for (int c = 0; c <= rank; c++) sheaf_builder_begin(&b[c], cx, NULL);
	for (const char *at = text; *at; given.frame.nrows++) {
		for (int c = 0; c <= rank; c++) {
			char *end;
			double v = strtod(at, &end);
			float narrow = (float)v;
			int32_t whole = (int32_t)v;
			at = end;
			if (c < rank || type == SHEAF_I32)
				sheaf_builder_append(&b[c], &whole, 4);
			else
				sheaf_builder_append(&b[c], &narrow, 4);
		}
		at += strspn(at, "; ");
	}
	for (int c = 0; c <= rank; c++)
		assert_ok(sheaf_builder_finish(&b[c], &given.frame.columns[c].values, &err));
	assert_ok(sheaf_frame_check(&given.frame, &given.schema, SHEAF_CHECK_FULL, &err));
}

static void end_given(void)
{
	sheaf_frame_free(&given.frame);
	sheaf_schema_free(&given.schema);
}

static sheaf_status open_given(const sheaf_open_options *options, sheaf_context *cx, sheaf_dataset **out)
{
	return open_bytes((sheaf_bytes){(const uint8_t *)"GIVEN", 5}, "a.given", options, cx, out);
}

/* All rows as text. */
static const char *text_of(sheaf_dataset *dataset, sheaf_context *cx)
{
	static char all[8192];
	sheaf_buffer text = {0};
	const sheaf_frame *frame;
	sheaf_status status;
	size_t used = 0;
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK) {
		assert_ok(sheaf_frame_check(frame, sheaf_dataset_schema(dataset), SHEAF_CHECK_FULL, &err));
		assert_ok(sheaf_rows_text(frame, sheaf_dataset_schema(dataset), SHEAF_TEXT,
		                          sheaf_dataset_row(dataset), 0, frame->nrows, &text, &err));
		assert_true(used + text.size < sizeof all);
		if (text.size) memcpy(all + used, text.data, text.size);
		used += text.size;
	}
	all[used] = '\0';
	sheaf_buffer_reset(&text);
	(void)cx;
	if (status != SHEAF_END) snprintf(all, sizeof all, "%s", err.message);
	return all;
}

static void check_rows(const sheaf_open_options *options, const char *wanted)
{
	sheaf_context *cx = usual_context();
	sheaf_dataset *dataset;
	assert_ok(open_given(options, cx, &dataset));
	assert_text(wanted, text_of(dataset, cx));
	sheaf_close(dataset);
	end_context(cx);
}

static const sheaf_open_options as_sequences = {.size = sizeof as_sequences, .rows = SHEAF_TAKES_SEQUENCES};

/* ---- entries as sequences ---- */

static void set_order(bool sorted, bool slices, int64_t step)
{
	given.schema.tensor.sorted = given.schema.tensor.unique = sorted;
	given.slices = slices;
	given.step = step;
}

/* Whatever the pieces are, the rows are the same. */
static void check_matrix(const char *sorted, const char *wanted, int rank, const int64_t *shape, bool dense)
{
	for (int64_t step = 1; step < 6; step++) {
		for (int slices = 0; slices < 2; slices++) {
			sheaf_context *cx = usual_context();
			give_entries(cx, rank, shape, SHEAF_F32, sorted);
			given.schema.tensor.dense = dense;
			set_order(true, slices, step);
			check_rows(&as_sequences, wanted);
			assert_int_equal(given.rows_reviewed, given.frame.nrows);
			end_given();
			end_context(cx);
		}
	}
}

static void test_matrix(void **state)
{
	(void)state;
	static const int64_t shape[] = {5, 4};
	check_matrix("1 0 1; 1 3 2; 3 2 3",
	             "0  value []\n1  value [0:1 3:2]\n2  value []\n3  value [2:3]\n4  value []\n", 2, shape,
	             false);
	check_matrix("", "0  value []\n1  value []\n2  value []\n3  value []\n4  value []\n", 2, shape, false);
	static const int64_t full[] = {2, 3};
	check_matrix("0 0 1; 0 1 2; 0 2 3; 1 0 4; 1 1 5; 1 2 6", "0  value [1 2 3]\n1  value [4 5 6]\n", 2, full,
	             true);
}

static void test_other_ranks(void **state)
{
	(void)state;
	static const int64_t one[] = {3}, three[] = {3, 4, 5}, four[] = {2, 2, 2, 3};
	check_matrix("0 1; 2 3", "0  value [0:1]\n1  value []\n2  value [0:3]\n", 1, one, false);
	check_matrix("0 1; 1 0; 2 3", "0  value [1]\n1  value [0]\n2  value [3]\n", 1, one, true);
	check_matrix("0 0 1 1; 0 2 0 2; 0 2 4 3; 2 0 0 4",
	             "0  value [1:1] [] [0:2 4:3]\n1  value -\n2  value [0:4]\n", 3, three, false);
	check_matrix("0 1 1 2 1; 1 0 0 1 2", "0  value [] [5:1]\n1  value [1:2]\n", 4, four, false);
	static const int64_t cube[] = {2, 2, 1};
	check_matrix("0 0 0 1; 0 1 0 2; 1 0 0 3; 1 1 0 4", "0  value [1] [2]\n1  value [3] [4]\n", 3, cube, true);
}

static void test_scalar(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	give_entries(cx, 0, NULL, SHEAF_F32, "7");
	given.schema.tensor.dense = true;
	set_order(true, false, 1);
	check_rows(&as_sequences, "0  value [7]\n");
	end_given();
	end_context(cx);
}

/* Entries in no order, or of one triangle, are sorted and expanded first; a position twice is refused. */
static void test_gathered(void **state)
{
	(void)state;
	static const int64_t shape[] = {3, 3};
	sheaf_context *cx = usual_context();
	give_entries(cx, 2, shape, SHEAF_F32, "2 1 1; 0 2 2; 2 0 3; 0 0 4");
	check_rows(&as_sequences, "0  value [0:4 2:2]\n1  value []\n2  value [0:3 1:1]\n");
	end_given();
	give_entries(cx, 2, shape, SHEAF_F32, "0 0 1; 1 0 2; 2 2 3");
	set_order(true, true, 2);
	given.schema.tensor.structure = SHEAF_SYMMETRIC_LOWER;
	check_rows(&as_sequences, "0  value [0:1 1:2]\n1  value [0:2]\n2  value [2:3]\n");
	end_given();
	give_entries(cx, 2, shape, SHEAF_F32, "2 1 1; 2 1 2");
	check_rows(&as_sequences, "a.given: expected each position once, found (2,1) twice (--duplicates sum or "
	                          "last makes one of them)");
	end_given();
	give_entries(cx, 2, shape, SHEAF_F32, "2 1 1; 1 1 2; 0 0 3");
	set_order(true, true, 1);
	check_rows(&as_sequences,
	           "a.given: expected slices of the tensor from 3 on, below 3, found 1 of them from 1");
	set_order(true, false, 1);
	check_rows(&as_sequences,
	           "a.given: expected entries in the order that the file promises, found (1,1) after (2,1)");
	end_given();
	end_context(cx);
}

/* A tensor of a huge shape has its rows in pieces that fit. */
static void test_many_empty_rows(void **state)
{
	(void)state;
	static const int64_t shape[] = {1000000, 4};
	for (int slices = 0; slices < 2; slices++) {
		sheaf_context *cx = usual_context();
		sheaf_dataset *dataset;
		const sheaf_frame *frame;
		int64_t rows = 0, values = 0, most = 0;
		give_entries(cx, 2, shape, SHEAF_F32, "300000 1 5; 700000 2 6");
		set_order(true, slices, 1);
		assert_ok(open_given(&as_sequences, cx, &dataset));
		while (sheaf_next(dataset, &frame, &err) == SHEAF_OK) {
			rows += frame->nrows;
			if (frame->nrows > most) most = frame->nrows;
			values += sheaf_level_offsets(&frame->columns[0].levels[1])[frame->nrows];
		}
		assert_int_equal(rows, 1000000);
		assert_int_equal(values, 2);
		assert_true(most <= 1 << 17);
		sheaf_close(dataset);
		end_given();
		end_context(cx);
	}
}

static void test_pieces_of_rows(void **state)
{
	(void)state;
	static const int64_t shape[] = {9, 4};
	sheaf_context *cx = usual_context();
	sheaf_open_options options = as_sequences;
	sheaf_dataset *dataset;
	const sheaf_pieces *pieces;
	sheaf_frame frame = {0};
	sheaf_buffer text = {0};
	uint32_t lengths[9];
	char all[512] = "";
	options.access = SHEAF_RANDOM;
	give_entries(cx, 2, shape, SHEAF_F32, "1 0 1; 1 3 2; 4 2 3; 6 0 9");
	set_order(true, true, 1);
	assert_ok(open_given(&options, cx, &dataset));
	assert_ok(sheaf_dataset_pieces(dataset, &pieces, &err));
	assert_int_equal(sheaf_pieces_rows(pieces), 9);
	assert_ok(sheaf_pieces_lengths(pieces, 0, 9, lengths, &err));
	for (int64_t i = sheaf_pieces_count(pieces); i-- > 0;) {
		sheaf_piece_entry entry;
		sheaf_pieces_at(pieces, i, &entry);
		assert_ok(sheaf_dataset_read_piece(dataset, i, &frame, cx, &err));
		assert_ok(sheaf_rows_text(&frame, sheaf_dataset_schema(dataset), SHEAF_TEXT, entry.row, 0,
		                          frame.nrows, &text, &err));
		assert_true((size_t)text.size + strlen(all) < sizeof all);
		memmove(all + text.size, all, strlen(all) + 1);
		memcpy(all, text.data, (size_t)text.size);
	}
	assert_text("0  value []\n1  value [0:1 3:2]\n2  value []\n3  value []\n4  value [2:3]\n5  value []\n6  "
	            "value [0:9]\n7  value []\n8  value []\n",
	            all);
	sheaf_frame_free(&frame);
	sheaf_buffer_reset(&text);
	sheaf_close(dataset);
	for (int64_t skip = 1; skip < 9; skip++) {
		char wanted[512];
		const char *at = all;
		assert_ok(open_given(&as_sequences, cx, &dataset));
		assert_ok(sheaf_skip(dataset, skip, &err));
		snprintf(wanted, sizeof wanted, "%s", text_of(dataset, cx));
		for (int64_t r = 0; r < 9 && strcmp(at, wanted) != 0; r++) at = strchr(at, '\n') + 1;
		assert_true(*at && at - all <= strchr(strstr(all, "0  value"), '\0') - all);
		sheaf_close(dataset);
	}
	end_given();
	end_context(cx);
}

static void test_what_no_sequence_holds(void **state)
{
	(void)state;
	static const int64_t shape[] = {2, 2};
	sheaf_context *cx = usual_context();
	sheaf_dataset *dataset;
	give_entries(cx, 2, shape, SHEAF_F32, "0 0 1");
	given.schema.fields[2].meaning = SHEAF_DATETIME;
	assert_status(SHEAF_UNSUPPORTED, open_given(&as_sequences, cx, &dataset));
	assert_message("a.given: expected a tensor of numbers, none missing, since its rows are to be sequences, "
	               "found datetime values");
	given.schema.fields[2].meaning = SHEAF_NUMBER;
	given.schema.tensor.has_fill = true;
	given.schema.tensor.fill[3] = 0x40;
	assert_status(SHEAF_UNSUPPORTED, open_given(&as_sequences, cx, &dataset));
	assert_message("a.given: the fill of the tensor is not 0");
	sheaf_open_options whole = {.size = sizeof whole, .rows = SHEAF_TAKES_WHOLE};
	assert_status(SHEAF_UNSUPPORTED, open_given(&whole, cx, &dataset));
	assert_message("a.given: expected a whole tensor, found entries of a tensor");
	end_given();
	end_context(cx);
}

/* ---- sequences as entries ---- */

static void check_converted(const char *ctf, const sheaf_convert_options *options, const char *wanted)
{
	sheaf_context_options how = {.size = sizeof how, .allow_loss = true};
	sheaf_context *cx = context_with(&how);
	char path[192];
	const char *inputs[] = {path};
	write_text("a.ctf", ctf);
	snprintf(path, sizeof path, "%s", in_folder("a.ctf"));
	sheaf_status status = sheaf_convert(inputs, 1, in_folder("a.taken"), options, cx, &err);
	if (status) {
		assert_text(wanted, strrchr(err.message, '/') ? strrchr(err.message, '/') + 1 : err.message);
	} else {
		bytes_sink bytes = read_file("a.taken");
		write_bytes(&bytes, "", 1);
		assert_text(wanted, (const char *)bytes.data);
		free_bytes(&bytes);
	}
	end_context(cx);
}

static void test_sequences(void **state)
{
	(void)state;
	static const sheaf_setting sparse[] = {{"stream", "A:4:sparse"}}, dense[] = {{"stream", "A:2:dense"}},
							   two[] = {{"stream", "A:4:sparse"}, {"stream", "B:1:dense"}};
	sheaf_tensor_options tensor = {0};
	sheaf_open_options open = {.settings = sparse, .nsettings = 1, .tensor = &tensor};
	sheaf_convert_options o = {.size = sizeof o, .force = true, .open = &open};
	taken = (taking){.as_it_comes = true};
	check_converted("|A 1:5\n|A 0:6 3:7\n", &o, "0 1  5\n1 0  6\n1 3  7\n");
	check_converted("0 |A 1:5\n0 |A 2:1\n1 |A 0:6\n", &o, "0 0 1  5\n0 1 2  1\n1 0 0  6\n");
	check_converted("0 |A 1:5\n0 |A\n1 |A 0:6\n", &o, "0 0 1  5\n1 0 0  6\n");
	open.settings = dense;
	check_converted("|A 1 2\n|A 3 4\n", &o, "0 0  1\n0 1  2\n1 0  3\n1 1  4\n");
	check_converted("0 |A 1 2\n0 |A 3 4\n1 |A 5 6\n", &o,
	                "0 0 0  1\n0 0 1  2\n0 1 0  3\n0 1 1  4\n1 0 0  5\n1 0 1  6\n");
	open.settings = two, open.nsettings = 2;
	check_converted("|A 1:5 |B 2\n", &o,
	                "a.ctf: expected one stream, since sequences are to become one tensor, found 2 (A, B); "
	                "choose one (--value NAME)");
	tensor.value = "A";
	check_converted("|A 1:5 |B 2\n", &o, "0 1  5\n");
	tensor.value = "C";
	check_converted("|A 1:5 |B 2\n", &o, "a.ctf, found \"C\"; it has A, B");
}

/* Unsorted entries show in all rows. */
/* What every row has is never missing: a column may lack a value only where a sample may be absent. */
static void test_columns_of_samples(void **state)
{
	(void)state;
	static const char text[] = "7 |A 1 2 |B 1:1\n7 |A 3 4 |B\n";
	static const struct {
		sheaf_samples_as as;
		const char *columns; /* those that may be missing have a question mark */
	} cases[] = {{SHEAF_SAMPLES_WIDE, "key sample? A.0? A.1? B? "},
	             {SHEAF_SAMPLES_LONG, "key sample? stream index value "},
	             {SHEAF_SAMPLES_LISTS, "key A B "}};
	sheaf_context *cx = usual_context();
	for (size_t i = 0; i < COUNT(cases); i++) {
		char found[100] = "";
		sheaf_source *source;
		sheaf_dataset *dataset;
		sheaf_open_options o = {.size = sizeof o,
		                        .format = "ctf",
		                        .rows = SHEAF_TAKES_CELLS,
		                        .sequences = &(sheaf_sequence_options){.samples = cases[i].as}};
		sheaf_bytes bytes = {(const uint8_t *)text, strlen(text)};
		assert_ok(sheaf_source_memory(bytes, "a.ctf", cx, &source, &err));
		assert_ok(sheaf_open_source(source, &o, cx, &dataset, &err));
		const sheaf_schema *schema = sheaf_dataset_schema(dataset);
		for (int f = 0; f < schema->nfields; f++) {
			const sheaf_field *field = &schema->fields[f];
			bool may_miss = field->nlevels > 0 && field->levels[0].missing != SHEAF_NEVER;
			size_t n = strlen(found);
			snprintf(found + n, sizeof found - n, "%s%s ", field->name, may_miss ? "?" : "");
		}
		assert_text(cases[i].columns, found);
		sheaf_close(dataset);
	}
	end_context(cx);
}

static void test_order_of_sequences(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool sorted;
	} all[] = {{"|A 0:6 3:7\n|A 1:1\n", true},
	           {"|A 0:6 2:1 3:7\n", true},
	           {"|A 0:6 3:7\n|A 3:1 1:1\n", false},
	           {"|A 0:6 3:7 2:8\n", false}};
	static const sheaf_setting sparse = {"stream", "A:4:sparse"};
	sheaf_open_options o = {
		.size = sizeof o, .rows = SHEAF_TAKES_ENTRIES, .settings = &sparse, .nsettings = 1};
	for (size_t i = 0; i < COUNT(all); i++) {
		sheaf_context *cx = usual_context();
		sheaf_dataset *dataset;
		sheaf_bytes bytes = {(const uint8_t *)all[i].text, strlen(all[i].text)};
		assert_ok(open_bytes(bytes, "a.ctf", &o, cx, &dataset));
		assert_int_equal(sheaf_dataset_schema(dataset)->tensor.sorted, all[i].sorted);
		sheaf_close(dataset);
		end_context(cx);
	}
}

static void test_empty_samples_are_a_loss(void **state)
{
	(void)state;
	static const sheaf_setting sparse[] = {{"stream", "A:4:sparse"}};
	sheaf_tensor_options tensor = {0};
	sheaf_open_options open = {.settings = sparse, .nsettings = 1, .tensor = &tensor};
	sheaf_convert_options o = {.size = sizeof o, .force = true, .open = &open};
	sheaf_context *cx = usual_context();
	char path[192];
	const char *inputs[] = {path};
	taken = (taking){.as_it_comes = true};
	write_text("a.ctf", "0 |A 1:5\n0 |A\n1 |A 0:6\n");
	snprintf(path, sizeof path, "%s", in_folder("a.ctf"));
	assert_status(SHEAF_LOSS, sheaf_convert(inputs, 1, in_folder("b.taken"), &o, cx, &err));
	assert_message("found loss: empty samples (1)");
	assert_false(file_exists("b.taken"));
	end_context(cx);
}

/* ---- tables ---- */

static void add_cell(sheaf_context *cx, const char *name, sheaf_meaning meaning, sheaf_type type,
                     bool nullable)
{
	sheaf_field *field;
	assert_ok(sheaf_schema_add(&given.schema, cx, name, strlen(name), &field, &err));
	sheaf_field_make_cell(field, meaning, type, 1, nullable);
}

static void give_cells(sheaf_context *cx)
{
	static const int64_t x[] = {2, 0, 2}, y[] = {1, 3, 0};
	static const double v[] = {1.5, 2.5, 3.5}, w[] = {7, 8, 9};
	static const uint8_t valid[] = {0x5};
	given = (giving){.step = 2};
	given.schema.rows = SHEAF_CELLS;
	add_cell(cx, "x", SHEAF_NUMBER, SHEAF_I64, false);
	add_cell(cx, "y", SHEAF_NUMBER, SHEAF_I64, false);
	add_cell(cx, "v", SHEAF_NUMBER, SHEAF_F64, false);
	add_cell(cx, "w", SHEAF_NUMBER, SHEAF_F64, true);
	assert_ok(sheaf_frame_begin(&given.frame, &given.schema, cx, &err));
	given.frame.nrows = 3;
	given.frame.columns[0].values = borrow(x);
	given.frame.columns[1].values = borrow(y);
	given.frame.columns[2].values = borrow(v);
	given.frame.columns[3].values = borrow(w);
	given.frame.columns[3].levels[0].gaps->valid = borrow(valid);
	assert_ok(sheaf_frame_check(&given.frame, &given.schema, SHEAF_CHECK_FULL, &err));
}

static void test_coordinates(void **state)
{
	(void)state;
	sheaf_context_options how = {.size = sizeof how};
	sheaf_context *cx = context_with(&how);
	sheaf_dataset *dataset;
	sheaf_tensor_options tensor = {.size = sizeof tensor, .coordinates = "x,y", .value = "v"};
	sheaf_open_options o = {.size = sizeof o, .tensor = &tensor};
	give_cells(cx);
	assert_ok(open_given(&o, cx, &dataset));
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	assert_int_equal(schema->rows, SHEAF_ENTRIES);
	assert_int_equal(schema->tensor.shape[0], 3);
	assert_int_equal(schema->tensor.shape[1], 4);
	assert_false(schema->tensor.sorted);
	assert_text("2 1  1.5\n0 3  2.5\n2 0  3.5\n", text_of(dataset, cx));
	sheaf_close(dataset);
	tensor.value = "w"; /* one is missing */
	assert_ok(open_given(&o, cx, &dataset));
	assert_text("2 1  7\n2 0  9\n", text_of(dataset, cx));
	assert_int_equal(sheaf_context_losses(cx), 1);
	sheaf_close(dataset);
	tensor.value = "v", tensor.shape = "5,6", o.rows = SHEAF_TAKES_SEQUENCES;
	assert_ok(open_given(&o, cx, &dataset));
	assert_text("0  v [3:2.5]\n1  v []\n2  v [0:3.5 1:1.5]\n3  v []\n4  v []\n", text_of(dataset, cx));
	sheaf_close(dataset);
	end_given();
	end_context(cx);
}

static void check_coordinates_refused(sheaf_status wanted, const char *message, const char *coordinates,
                                      const char *value, const char *shape)
{
	sheaf_context *cx = usual_context();
	sheaf_dataset *dataset;
	sheaf_open_options o = {
		.size = sizeof o,
		.tensor = &(sheaf_tensor_options){.coordinates = coordinates, .value = value, .shape = shape}};
	give_cells(cx);
	sheaf_status status = open_given(&o, cx, &dataset);
	const sheaf_frame *frame;
	if (status == SHEAF_OK) status = sheaf_next(dataset, &frame, &err);
	assert_int_equal(status, wanted);
	assert_message(message);
	sheaf_close(dataset);
	end_given();
	end_context(cx);
}

static void test_coordinates_refused(void **state)
{
	(void)state;
	check_coordinates_refused(SHEAF_USAGE, "a.given: expected a column \"z\", found none of that name", "x,z",
	                          "v", NULL);
	check_coordinates_refused(SHEAF_USAGE, "--coordinates: expected each column once, found \"x\" twice",
	                          "x,x", "v", NULL);
	check_coordinates_refused(SHEAF_USAGE,
	                          "a.given: expected one column besides the coordinates, found 2; say which one "
	                          "is the value (--value NAME)",
	                          "x,y", NULL, NULL);
	check_coordinates_refused(SHEAF_USAGE, "--value: expected a column that is no coordinate, found \"x\"",
	                          "x,y", "x", NULL);
	check_coordinates_refused(
		SHEAF_UNSUPPORTED, "column \"v\": expected integers, since they are to be coordinates, found float64",
		"x,v", "w", NULL);
	check_coordinates_refused(SHEAF_USAGE, "--shape: expected 2 extents, separated by commas, found \"3\"",
	                          "x,y", "v", "3");
	check_coordinates_refused(SHEAF_DATA, "a.given: column \"y\": expected a coordinate from 0 to 2, found 3",
	                          "x,y", "v", "3,3");
}

static void test_cells_as_sequences(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_dataset *dataset;
	give_cells(cx);
	assert_ok(open_given(&as_sequences, cx, &dataset));
	assert_text(
		"0  x [2]  y [1]  v [1.5]  w [7]\n1  x [0]  y [3]  v [2.5]  w -\n2  x [2]  y [0]  v [3.5]  w [9]\n",
		text_of(dataset, cx));
	assert_int_equal(sheaf_context_losses(cx), 1);
	sheaf_close(dataset);
	end_given();
	end_context(cx);
}

static void test_entries_as_cells(void **state)
{
	(void)state;
	static const int64_t shape[] = {2, 2};
	sheaf_context *cx = usual_context();
	sheaf_tensor_options tensor = {.size = sizeof tensor};
	sheaf_open_options o = {.size = sizeof o, .rows = SHEAF_TAKES_CELLS, .tensor = &tensor};
	give_entries(cx, 2, shape, SHEAF_F32, "0 0 1; 1 0 2");
	given.schema.tensor.structure = SHEAF_SKEW_SYMMETRIC_LOWER;
	check_rows(&o,
	           "a.given: entry (0,0): expected 0 on the diagonal of a skew_symmetric_lower matrix, found 1");
	given.schema.tensor.structure = SHEAF_SYMMETRIC_LOWER;
	check_rows(&o, "0  i 0  j 0  value 1\n1  i 1  j 0  value 2\n2  i 0  j 1  value 2\n");
	tensor.entries = SHEAF_ENTRIES_EXPANDED;
	o.rows = 0;
	check_rows(&o, "0 0  1\n1 0  2\n0 1  2\n");
	tensor.entries = SHEAF_ENTRIES_STORED;
	check_rows(&o, "0 0  1\n1 0  2\n");
	end_given();
	end_context(cx);
}

/* ---- writing entries ---- */

static void check_written(const char *name, const sheaf_convert_options *options, const char *wanted,
                          int64_t total)
{
	sheaf_context *cx = usual_context();
	char path[192], out[64];
	const char *inputs[] = {path};
	write_text("a.given", "GIVEN");
	snprintf(path, sizeof path, "%s", in_folder("a.given"));
	snprintf(out, sizeof out, "a.%s", name);
	taken.total = -2;
	assert_ok(sheaf_convert(inputs, 1, in_folder(out), options, cx, &err));
	bytes_sink bytes = read_file(out);
	write_bytes(&bytes, "", 1);
	assert_text(wanted, (const char *)bytes.data);
	if (total >= 0) assert_int_equal(taken.total, total);
	free_bytes(&bytes);
	end_context(cx);
}

static void test_writing(void **state)
{
	(void)state;
	static const int64_t shape[] = {2, 3};
	sheaf_context *cx = usual_context();
	sheaf_convert_options o = {.size = sizeof o, .force = true, .duplicates = SHEAF_DUPLICATES_SUM};
	give_entries(cx, 2, shape, SHEAF_I32, "1 2 1; 0 1 2; 1 2 3; 1 0 4");
	taken = (taking){.wanted = {.order = {0, 1}, .sorted = true, .unique = true}};
	check_written("taken", &o, "0 1  2\n1 0  4\n1 2  4\n", -1);
	check_written("counted", &o, "0 1  2\n1 0  4\n1 2  4\n", 3);
	o.duplicates = SHEAF_DUPLICATES_LAST;
	taken.wanted.order[0] = 1, taken.wanted.order[1] = 0;
	check_written("counted", &o, "1 0  4\n0 1  2\n1 2  3\n", 3);
	taken.wanted.dense = true;
	check_written("counted", &o, "0 0  0\n1 0  4\n0 1  2\n1 1  0\n0 2  0\n1 2  3\n", 6);
	taken = (taking){.wanted = {.order = {0, 1}}};
	o.duplicates = SHEAF_DUPLICATES_ERROR;
	check_written("counted", &o, "1 2  1\n0 1  2\n1 2  3\n1 0  4\n", 4);
	given.schema.tensor.has_fill = true;
	given.schema.tensor.fill[0] = 9;
	const char *inputs[] = {in_folder("a.given")};
	assert_status(SHEAF_LOSS, sheaf_convert(inputs, 1, in_folder("a.taken"), &o, cx, &err));
	assert_message("found loss: fill value (1)");
	end_given();
	end_context(cx);
}

/* ---- failing allocations ---- */

static sheaf_status read_through(const sheaf_open_options *options, sheaf_context *cx)
{
	sheaf_dataset *dataset;
	const sheaf_frame *frame;
	SHEAF_TRY(open_given(options, cx, &dataset));
	sheaf_status status;
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK) {
	}
	sheaf_close(dataset);
	return status == SHEAF_END ? SHEAF_OK : status;
}

/* Whichever allocation fails, that is reported, and nothing is leaked. */
static void check_failing(const sheaf_open_options *options)
{
	for (int64_t fail_at = 1;; fail_at++) {
		allocator memory = {0};
		sheaf_context_options how = options_with(&memory);
		how.threads = 1 + (int)(fail_at % 2);
		sheaf_context *cx = context_with(&how);
		memory.fail_at = memory.calls + fail_at;
		sheaf_status status = read_through(options, cx);
		bool through = memory.calls < memory.fail_at;
		/* If two pieces were too much, one may fit. */
		if (status != SHEAF_OK && status != SHEAF_NOMEM)
			print_error("allocation %d: %s\n", (int)fail_at, err.message);
		if (status != SHEAF_OK) assert_int_equal(status, SHEAF_NOMEM);
		end_context(cx);
		if (through) {
			assert_int_equal(status, SHEAF_OK);
			return;
		}
	}
}

static void test_failing_allocations(void **state)
{
	(void)state;
	static const int64_t shape[] = {5, 4};
	static const sheaf_tensor_options all = {.entries = SHEAF_ENTRIES_EXPANDED},
									  named = {.coordinates = "x,y", .value = "w"};
	static const sheaf_open_options expanded = {.size = sizeof expanded, .tensor = &all},
									as_cells = {.size = sizeof as_cells, .rows = SHEAF_TAKES_CELLS},
									coordinates = {.size = sizeof coordinates,
									               .tensor = &named,
	                                               .rows = SHEAF_TAKES_SEQUENCES};
	sheaf_context *cx = usual_context();
	give_entries(cx, 2, shape, SHEAF_F32, "2 1 1; 0 2 2; 2 0 3; 0 0 4; 4 3 5");
	check_failing(&as_sequences);
	check_failing(&as_cells);
	end_given();
	give_entries(cx, 2, shape, SHEAF_F32, "0 0 1; 0 2 2; 3 0 3; 3 1 4; 4 3 5");
	set_order(true, true, 1);
	check_failing(&as_sequences);
	end_given();
	static const int64_t square[] = {5, 5};
	give_entries(cx, 2, square, SHEAF_F32, "0 0 1; 2 1 2; 3 0 3; 3 1 4; 4 3 5");
	given.schema.tensor.structure = SHEAF_SYMMETRIC_LOWER;
	check_failing(&expanded);
	end_given();
	give_cells(cx);
	check_failing(&coordinates);
	check_failing(&as_sequences);
	end_given();
	end_context(cx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matrix),
		cmocka_unit_test(test_other_ranks),
		cmocka_unit_test(test_scalar),
		cmocka_unit_test(test_gathered),
		cmocka_unit_test(test_many_empty_rows),
		cmocka_unit_test(test_pieces_of_rows),
		cmocka_unit_test(test_what_no_sequence_holds),
		cmocka_unit_test_setup_teardown(test_sequences, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_order_of_sequences, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_columns_of_samples, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_empty_samples_are_a_loss, make_folder, remove_folder),
		cmocka_unit_test(test_coordinates),
		cmocka_unit_test(test_coordinates_refused),
		cmocka_unit_test(test_cells_as_sequences),
		cmocka_unit_test(test_entries_as_cells),
		cmocka_unit_test(test_failing_allocations),
		cmocka_unit_test_setup_teardown(test_writing, make_folder, remove_folder),
	};
	return cmocka_run_group_tests_name("views", tests, NULL, NULL);
}
