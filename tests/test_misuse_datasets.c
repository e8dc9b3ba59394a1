/* SPDX-License-Identifier: MIT */
/* Public functions of datasets, tensors and batches with invalid arguments. */
#include "dataset/index/pieces.h"
#include "misuse_support.h"
#include "sparse/compress.h"
#include <string.h>

static sheaf_status read_nothing_status(void *user, const char *path, sheaf_error *error)
{
	(void)user, (void)path, (void)error;
	return SHEAF_OK;
}

/* ---- datasets ---- */

static void test_opening(void **state)
{
	static const sheaf_setting unnamed = {NULL, "1"};
	static const sheaf_container_options container = {.size = 1};
	static const sheaf_tensor_options tensor = {.size = 1}, entries = {.entries = (sheaf_entries_as)9};
	static const sheaf_sequence_options sequences = {.size = 1};
	static const struct {
		sheaf_open_options options;
		const char *message;
	} bad[] = {
		{{.nsettings = -1}, "expected a number of settings of at least 0, found -1"},
		{{.nsettings = 1}, "expected settings, found NULL"},
		{{.settings = &unnamed, .nsettings = 1}, "expected settings with names, found NULL"},
		{{.piece_bytes = -1}, "expected piece_bytes of at least 0, found -1"},
		{{.view = (sheaf_view)9}, "expected a view, found 9"},
		{{.index = (sheaf_index_policy)-1}, "expected a policy for indices, found -1"},
		{{.access = (sheaf_access)4}, "expected a word for an access, found 4"},
		{{.tensor = &entries}, "expected a word for entries, found 9"},
		{{.container = &container}, "container options: expected size 32, found 1"},
		{{.tensor = &tensor}, "tensor options: expected size 40, found 1"},
		{{.sequences = &sequences}, "sequence options: expected size 40, found 1"},
	};
	(void)state;
	sheaf_dataset *d = (sheaf_dataset *)&err;
	sheaf_source *source;
	sheaf_buffer text = {0};
	const char *path = in_folder("a.ctf");
	assert_usage(sheaf_open(NULL, NULL, cx, &d, &err), "sheaf_open: expected a path, found NULL");
	assert_null(d);
	assert_usage(sheaf_open(path, NULL, NULL, &d, &err), "sheaf_open: expected a context, found NULL");
	assert_usage(sheaf_open(path, NULL, cx, NULL, &err),
	             "sheaf_open: expected a place for the outcome, found NULL");
	for (size_t i = 0; i < COUNT(bad); i++) {
		sheaf_open_options options = bad[i].options;
		options.size = sizeof options;
		assert_usage(sheaf_open(path, &options, cx, &d, &err), bad[i].message);
		assert_usage(sheaf_members(path, &options, cx, read_nothing_status, NULL, &err), bad[i].message);
		assert_ok(sheaf_source_path(path, cx, &source, &err));
		assert_usage(sheaf_open_source(source, &options, cx, &d, &err), bad[i].message);
	}
	assert_usage(sheaf_open_source(NULL, NULL, cx, &d, &err), "expected a source");
	assert_ok(sheaf_source_path(path, cx, &source, &err));
	assert_usage(sheaf_open_source(source, NULL, NULL, &d, &err), "expected a context");
	assert_usage(sheaf_members(NULL, NULL, cx, read_nothing_status, NULL, &err), "expected a path");
	assert_usage(sheaf_members(path, NULL, NULL, read_nothing_status, NULL, &err), "expected a context");
	assert_usage(sheaf_members(path, NULL, cx, NULL, NULL, &err), "expected a function");
	assert_usage(sheaf_tree(NULL, NULL, cx, &text, &err), "expected a source");
	assert_usage(sheaf_tree(NULL, NULL, cx, NULL, &err), "expected a place");
	assert_ok(sheaf_source_path(path, cx, &source, &err));
	assert_usage(sheaf_tree(source, NULL, NULL, &text, &err), "expected a context");
	assert_ok(sheaf_source_path(path, cx, &source, &err));
	assert_usage(sheaf_tree(source, &(sheaf_tree_options){.size = sizeof(sheaf_tree_options), .depth = -1},
	                        cx, &text, &err),
	             "expected a depth of at least 0");
	assert_ok(sheaf_source_path(path, cx, &source, &err));
	assert_usage(sheaf_tree(source, &(sheaf_tree_options){.size = 1}, cx, &text, &err), "tree options");
	sheaf_close(NULL);
}

static void test_reading(void **state)
{
	(void)state;
	sheaf_facts facts;
	const sheaf_frame *frame = (const sheaf_frame *)&err;
	sheaf_frame own;
	sheaf_buffer text = {0};
	sheaf_index_info info;
	assert_null(sheaf_dataset_schema(NULL));
	assert_null(sheaf_dataset_format(NULL));
	assert_null(sheaf_dataset_source(NULL));
	sheaf_dataset_facts(NULL, &facts);
	assert_int_equal(-1, facts.rows);
	sheaf_dataset_facts(NULL, NULL);
	assert_usage(sheaf_dataset_describe(NULL, NULL, &text, &err), "expected a dataset");
	assert_usage(sheaf_next(NULL, &frame, &err), "sheaf_next: expected a dataset, found NULL");
	assert_null(frame);
	assert_int_equal(-1, sheaf_dataset_row(NULL));
	assert_usage(sheaf_read_all(NULL, &own, &err), "expected a dataset");
	sheaf_dataset_index(NULL, &info);
	assert_false(info.found);
	sheaf_dataset_index(NULL, NULL);
	assert_usage(sheaf_dataset_write_index(NULL, NULL, &err), "expected a dataset");
	assert_usage(sheaf_dataset_check_index(NULL, &err), "expected a dataset");

	sheaf_dataset *d = open_some();
	assert_usage(sheaf_next(d, NULL, &err), "expected a place for the outcome");
	assert_usage(sheaf_read_all(d, NULL, &err), "expected a place for the outcome");
	assert_usage(sheaf_dataset_describe(d, NULL, NULL, &err), "expected a place");
	assert_ok(sheaf_next(d, &frame, &err));
	/* the end stays the end */
	for (int i = 0; i < 3; i++) {
		assert_int_equal(SHEAF_END, sheaf_next(d, &frame, &err));
		assert_null(frame);
	}
	sheaf_close(d);
}

static void test_pieces(void **state)
{
	(void)state;
	const sheaf_pieces *pieces;
	sheaf_piece_entry entry = {.rows = 9};
	sheaf_frame frame = {0};
	assert_usage(sheaf_dataset_pieces(NULL, &pieces, &err), "expected a dataset");
	assert_int_equal(0, sheaf_pieces_count(NULL));
	sheaf_pieces_at(NULL, 0, &entry);
	assert_int_equal(0, entry.rows);
	assert_int_equal(-1, sheaf_pieces_find(NULL, 0));
	assert_usage(sheaf_dataset_read_piece(NULL, 0, &frame, cx, &err), "expected a dataset");
	sheaf_dataset *d = open_some();
	assert_usage(sheaf_dataset_pieces(d, NULL, &err), "expected a place");
	assert_usage(sheaf_dataset_read_piece(d, 0, &frame, cx, &err), "");
	assert_ok(sheaf_dataset_pieces(d, &pieces, &err));
	sheaf_pieces_at(pieces, 0, NULL);
	sheaf_pieces_at(pieces, -1, &entry);
	sheaf_pieces_at(pieces, 1, &entry);
	assert_int_equal(0, entry.rows);
	assert_int_equal(-1, sheaf_pieces_find(pieces, -1));
	assert_int_equal(-1, sheaf_pieces_find(pieces, 2));
	assert_int_equal(0, sheaf_pieces_find(pieces, 1));
	assert_usage(sheaf_dataset_read_piece(d, -1, &frame, cx, &err), "found -1");
	assert_usage(sheaf_dataset_read_piece(d, 1, &frame, cx, &err), "found 1");
	assert_usage(sheaf_dataset_read_piece(d, 0, NULL, cx, &err), "expected a frame");
	assert_usage(sheaf_dataset_read_piece(d, 0, &frame, NULL, &err), "expected a context");
	sheaf_close(d);
}

static sheaf_status write_to(void *user, const sheaf_frame *frame)
{
	/* after a failure a writer fails in the same way: each try has its own */
	sheaf_writer *w;
	SHEAF_TRY(sheaf_create(in_folder("out.ctf"), (const sheaf_schema *)user, NULL, cx, &w, &err));
	sheaf_status status = sheaf_write(w, frame, &err);
	sheaf_abandon(w);
	return status;
}

static void test_writing(void **state)
{
	(void)state;
	table t = stream_table(cx, "A", false, 2, SHEAF_F32, "1 2,3 4;5 6");
	sheaf_writer *w = (sheaf_writer *)&err;
	sheaf_sink *sink;
	sheaf_create_options options = {.size = sizeof options, .format = "ctf"};
	sheaf_structure structure = (sheaf_structure)99;
	assert_usage(sheaf_create(NULL, &t.schema, NULL, cx, &w, &err),
	             "sheaf_create: expected a path, found NULL");
	assert_null(w);
	assert_usage(sheaf_create("x.ctf", NULL, NULL, cx, &w, &err), "expected a schema");
	assert_usage(sheaf_create("x.ctf", &t.schema, NULL, NULL, &w, &err), "expected a context");
	assert_usage(sheaf_create("x.ctf", &t.schema, NULL, cx, NULL, &err), "expected a place");
	options.nsettings = -1;
	assert_usage(sheaf_create(in_folder("x.ctf"), &t.schema, &options, cx, &w, &err), "found -1");
	options.nsettings = 0;
	options.duplicates = (sheaf_duplicates)9;
	assert_usage(sheaf_create(in_folder("x.ctf"), &t.schema, &options, cx, &w, &err),
	             "a word for duplicates, found 9");
	options.duplicates = SHEAF_DUPLICATES_ERROR;
	options.structure = &structure;
	assert_usage(sheaf_create(in_folder("x.ctf"), &t.schema, &options, cx, &w, &err),
	             "expected a structure, found 99");
	options.structure = NULL;
	assert_usage(sheaf_create_sink(NULL, &t.schema, &options, cx, &w, &err), "expected a sink");
	for (int missing = 0; missing < 4; missing++) {
		assert_ok(sheaf_sink_path(in_folder("x.ctf"), true, cx, &sink, &err));
		if (missing == 3) {
			assert_usage(sheaf_create_sink(sink, &t.schema, &options, cx, NULL, &err), "expected a place");
			sheaf_sink_abandon(sink);
		} else {
			assert_usage(sheaf_create_sink(sink, missing == 0 ? NULL : &t.schema,
			                               missing == 1 ? NULL : &options, missing == 2 ? NULL : cx, &w,
			                               &err),
			             "found NULL");
		}
	}
	/* not as many rows as were announced */
	const sheaf_facts three = {.rows = 3, .samples = -1, .chunks = -1, .longest = 1, .ordinal_keys = 1};
	table two = stream_table(cx, "A", false, 2, SHEAF_F32, "1 2;5 6");
	options = (sheaf_create_options){.size = sizeof options, .format = "npy", .totals = &three};
	assert_ok(sheaf_create(in_folder("x.npy"), &two.schema, &options, cx, &w, &err));
	assert_ok(sheaf_write(w, &two.frame, &err));
	assert_usage(sheaf_finish(w, &err), "expected 3 rows, as the totals say, found 2");
	free_table(&two);
	assert_usage(sheaf_write(NULL, &t.frame, &err), "sheaf_write: expected a writer, found NULL");
	assert_usage(sheaf_finish(NULL, &err), "sheaf_finish: expected a writer, found NULL");
	sheaf_abandon(NULL);
	try_frames(write_to, &t.schema, "sheaf_write");
	assert_int_equal(1, files_in_folder());
	free_table(&t);
}

static void test_conversions(void **state)
{
	(void)state;
	const char *path = in_folder("a.ctf"), *out = in_folder("out.cbf"), *none = NULL;
	sheaf_convert_options options = {.size = sizeof options};
	bool equal = true;
	int64_t rows;
	assert_usage(sheaf_convert(NULL, 1, out, NULL, cx, &err),
	             "sheaf_convert: expected paths of inputs, found NULL");
	assert_usage(sheaf_convert(&none, 1, out, NULL, cx, &err), "expected paths of inputs");
	assert_usage(sheaf_convert(&path, 0, out, NULL, cx, &err), "expected at least one input");
	assert_usage(sheaf_convert(&path, -1, out, NULL, cx, &err), "expected at least one input");
	assert_usage(sheaf_convert(&path, 1, NULL, NULL, cx, &err), "expected a path for the output");
	assert_usage(sheaf_convert(&path, 1, out, NULL, NULL, &err), "expected a context");
	options.open = &(sheaf_open_options){.nsettings = 2};
	assert_usage(sheaf_convert(&path, 1, out, &options, cx, &err), "expected settings");
	options =
		(sheaf_convert_options){.size = sizeof options, .open = &(sheaf_open_options){.piece_bytes = -9}};
	assert_usage(sheaf_convert(&path, 1, out, &options, cx, &err),
	             "expected piece_bytes of at least 0, found -9");
	options = (sheaf_convert_options){.size = sizeof options,
	                                  .open = &(sheaf_open_options){.index = (sheaf_index_policy)9}};
	assert_usage(sheaf_convert(&path, 1, out, &options, cx, &err), "expected a policy for indices");
	options = (sheaf_convert_options){.size = sizeof options, .duplicates = (sheaf_duplicates)9};
	assert_usage(sheaf_convert(&path, 1, out, &options, cx, &err), "expected a word for duplicates");
	options = (sheaf_convert_options){.part = &(sheaf_part_options){.size = 1}};
	assert_usage(sheaf_convert(&path, 1, out, &options, cx, &err), "part options: expected size 32, found 1");
	options = (sheaf_convert_options){.part = &(sheaf_part_options){0}};
	assert_usage(sheaf_convert(&path, 1, out, &options, cx, &err), "expected a part, found NULL");

	sheaf_dataset *d = open_some();
	assert_usage(sheaf_diff(NULL, d, NULL, &equal, &err), "expected two datasets");
	assert_false(equal);
	assert_usage(sheaf_diff(d, NULL, NULL, &equal, &err), "expected two datasets");
	assert_usage(sheaf_diff(d, d, NULL, NULL, &err), "expected a place");
	sheaf_close(d);

	assert_usage(sheaf_split(NULL, &out, 1, NULL, cx, NULL, &err), "expected a path");
	assert_usage(sheaf_split(path, NULL, 1, NULL, cx, NULL, &err), "expected paths of outputs");
	assert_usage(sheaf_split(path, &none, 1, NULL, cx, NULL, &err), "expected paths of outputs");
	assert_usage(sheaf_split(path, &out, 0, NULL, cx, NULL, &err), "expected at least 1 output");
	assert_usage(sheaf_split(path, &out, -1, NULL, cx, NULL, &err), "expected at least 1 output");
	assert_usage(sheaf_split(path, &out, 1, NULL, NULL, NULL, &err), "expected a context");
	assert_usage(sheaf_merge(NULL, 1, out, NULL, cx, &rows, &err), "expected paths of inputs");
	assert_usage(sheaf_merge(&none, 1, out, NULL, cx, &rows, &err), "expected paths of inputs");
	assert_usage(sheaf_merge(&path, 0, out, NULL, cx, &rows, &err), "expected at least 1 input");
	assert_usage(sheaf_merge(&path, 1, NULL, NULL, cx, &rows, &err), "expected a path for the output");
	assert_usage(sheaf_merge(&path, 1, out, NULL, NULL, &rows, &err), "expected a context");
	assert_int_equal(1, files_in_folder());
}

/* ---- tensors ---- */

static sheaf_dataset *open_matrix(void)
{
	sheaf_dataset *d;
	write_text("m.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 1\n2 3 4\n");
	assert_ok(sheaf_open(in_folder("m.mtx"), NULL, cx, &d, &err));
	return d;
}

/* What a dataset is not open for. */
static void test_other_datasets(void **state)
{
	(void)state;
	bool equal;
	sheaf_part_share share;
	const sheaf_frame *frame;
	const sheaf_pieces *pieces;
	sheaf_sink *sink;
	sheaf_source *source;
	sheaf_dataset *d = open_some(), *m = open_matrix();
	assert_usage(sheaf_diff(d, m, NULL, &equal, &err), "expected rows of the same kind");
	assert_usage(sheaf_diff(m, d, NULL, &equal, &err), "expected rows of the same kind");
	sheaf_close(d);
	sheaf_close(m);

	assert_ok(sheaf_open(in_folder("a.ctf"), &(sheaf_open_options){.glance = true}, cx, &d, &err));
	assert_usage(sheaf_dataset_write_index(d, NULL, &err), "opened only to look at its beginning");
	sheaf_close(d);

	/* no size of options means all defaults */
	const char *input = in_folder("a.ctf"), *output = in_folder("half.ctf");
	assert_ok(sheaf_split(input, &output, 1, &(sheaf_split_options){.force = true}, cx, NULL, &err));

	input = in_folder("m.mtx");
	assert_ok(sheaf_convert(&input, 1, in_folder("m.npz"), NULL, cx, &err));
	assert_ok(sheaf_open(in_folder("m.npz"), NULL, cx, &d, &err));
	assert_status(SHEAF_UNSUPPORTED, sheaf_dataset_pieces(d, &pieces, &err));
	assert_message("expected a format whose pieces can be read in any order, found npz");
	assert_status(SHEAF_UNSUPPORTED, sheaf_dataset_shares(d, 1, &share, &err));
	assert_message("expected an input that can be read in parts");
	sheaf_close(d);

	write_text("flawed.ctf", "|x 1\n|x q\n");
	assert_ok(sheaf_open(in_folder("flawed.ctf"), NULL, cx, &d, &err));
	sheaf_status status;
	while ((status = sheaf_next(d, &frame, &err)) == SHEAF_OK) {
	}
	assert_int_equal(SHEAF_DATA, status);
	assert_usage(sheaf_next(d, &frame, &err), "expected no call after a failure");
	sheaf_close(d);

	assert_ok(sheaf_source_path(input, cx, &source, &err));
	assert_ok(sheaf_sink_path(in_folder("n.mtx"), true, cx, &sink, &err));
	assert_status(SHEAF_UNSUPPORTED,
	              sheaf_transcode(sheaf_format_find("matrixmarket"), source, sink, cx, &err));
	assert_message("expected one with several spellings, found one with a single one");
	sheaf_source_close(source);
}

static void test_arrays(void **state)
{
	(void)state;
	int32_t rows[2] = {0, 1}, columns[2] = {0, 1}, indices[2];
	int64_t pointers[3] = {0, 1, 2}, room[3];
	double values[2] = {1, 2}, out[2];
	const sheaf_entry_arrays from = {2, rows, columns, values, 8};
	const sheaf_compressed_arrays to = {room, indices, out, 8}, matrix = {pointers, indices, values, 8};
	sheaf_entry_arrays entries;
	sheaf_compressed_arrays other;
	struct {
		sheaf_entry_arrays from;
		int64_t nrows;
		sheaf_compressed_arrays to;
	} bad[] = {
		{from, -1, to},
		{{-1, rows, columns, values, 8}, 2, to},
		{{2, NULL, columns, values, 8}, 2, to},
		{{2, rows, NULL, values, 8}, 2, to},
		{{2, rows, columns, NULL, 8}, 2, to},
		{{2, rows, columns, values, 3}, 2, to},
		{{2, rows, columns, values, 8}, 2, {room, indices, out, 4}},
		{{2, rows, columns, values, 8}, 2, {NULL, indices, out, 8}},
		{{2, rows, columns, values, 8}, 2, {room, NULL, out, 8}},
		{{2, rows, columns, values, 8}, 2, {room, indices, NULL, 8}},
	};
	for (size_t i = 0; i < COUNT(bad); i++) {
		entries = bad[i].from;
		other = bad[i].to;
		assert_usage(sheaf_compress_entries(&entries, bad[i].nrows, cx, &other, &err),
		             "sheaf_compress_entries: expected");
		assert_usage(
			sheaf_compress_sorted(&entries, bad[i].nrows, SHEAF_F64, SHEAF_DUPLICATES_SUM, cx, &other, &err),
			"sheaf_compress_sorted: expected");
	}
	assert_usage(sheaf_compress_entries(NULL, 2, cx, &to, &err), "expected entries");
	assert_usage(sheaf_compress_entries(&from, 2, NULL, &to, &err), "expected a context");
	assert_usage(sheaf_compress_entries(&from, 2, cx, NULL, &err), "expected a place");
	assert_usage(sheaf_compress_sorted(NULL, 2, SHEAF_F64, SHEAF_DUPLICATES_SUM, cx, &to, &err),
	             "expected entries");
	assert_usage(sheaf_compress_sorted(&from, 2, (sheaf_type)99, SHEAF_DUPLICATES_SUM, cx, &to, &err),
	             "expected an element type, found 99");
	assert_usage(sheaf_compress_sorted(&from, 2, SHEAF_F64, (sheaf_duplicates)9, cx, &to, &err),
	             "a word for duplicates");
	assert_usage(sheaf_transpose_compressed(NULL, 2, 2, cx, &to, &err), "expected a matrix");
	assert_usage(sheaf_transpose_compressed(&matrix, 2, 2, NULL, &to, &err), "expected a context");
	assert_usage(sheaf_transpose_compressed(&matrix, 2, 2, cx, NULL, &err), "expected a place");
	assert_usage(sheaf_transpose_compressed(&matrix, -1, 2, cx, &to, &err), "a number of rows of at least 0");
	assert_usage(sheaf_transpose_compressed(&matrix, 2, -1, cx, &to, &err),
	             "a number of columns of at least 0");
	other = (sheaf_compressed_arrays){NULL, indices, values, 8};
	assert_usage(sheaf_transpose_compressed(&other, 2, 2, cx, &to, &err), "expected pointers of the matrix");
	assert_usage(sheaf_transpose_compressed(&matrix, 2, 2, cx, &other, &err), "expected room for pointers");
	other = (sheaf_compressed_arrays){room, NULL, out, 8};
	assert_usage(sheaf_transpose_compressed(&matrix, 2, 2, cx, &other, &err),
	             "expected room for indices and values");
	other = (sheaf_compressed_arrays){pointers, NULL, values, 8};
	assert_usage(sheaf_transpose_compressed(&other, 2, 2, cx, &to, &err), "expected indices and values");
	other = (sheaf_compressed_arrays){room, indices, out, 4};
	assert_usage(sheaf_transpose_compressed(&matrix, 2, 2, cx, &other, &err), "expected values of");
}

/* ---- batches and configurations ---- */

static void test_batches(void **state)
{
	const struct {
		sheaf_batch_options options;
		const char *message;
	} bad[] = {
		{{.window = &(const sheaf_window_options){.size = 1}}, "window options: expected size"},
		{{.epochs = &(const sheaf_epoch_options){.size = 1}}, "epoch options: expected size"},
		{{.shard = &(const sheaf_shard_options){.size = 1}}, "shard options: expected size"},
		{{.packing = &(const sheaf_packing_options){.size = 1}}, "packing options: expected size"},
		{{.batch_size = -1}, "size of a batch"},
		{{.batch_size = 1, .window = &(const sheaf_window_options){.length = -1}}, "window"},
		{{.batch_size = 1, .shard = &(const sheaf_shard_options){.world = -1}}, "shard: expected a rank"},
		{{.batch_size = 1, .shard = &(const sheaf_shard_options){.rank = -1}}, "found -1"},
		{{.batch_size = 1, .shard = &(const sheaf_shard_options){.rank = 2, .world = 2}}, "found 2"},
		{{.batch_size = 1, .epochs = &(const sheaf_epoch_options){.sweeps = -1}}, "must be at least 0"},
		{{.batch_size = 1, .epochs = &(const sheaf_epoch_options){.epoch_size = -1}}, "must be at least 0"},
		{{.batch_size = 1, .epochs = &(const sheaf_epoch_options){.first_epoch = -1}}, "must be at least 0"},
		{{.batch_size = 1, .epochs = &(const sheaf_epoch_options){.epochs = -1}}, "must be at least 0"},
		{{.batch_size = 1, .window = &(const sheaf_window_options){.chunk_bytes = -1}}, "must be at least 0"},
		{{.batch_size = 1, .packing = &(const sheaf_packing_options){.pad_multiple = -1}},
		 "pad multiple: expected a number of at least 0, found -1"},
		{{.batch_size = 1, .packing = &(const sheaf_packing_options){.truncation = -1}},
		 "truncation: expected steps of at least 0, found -1"},
		{{.batch_size = 1, .shard = &(const sheaf_shard_options){.stride = -1}},
		 "stride: expected a number of at least 0, found -1"},
		{{.batch_size = 1, .unit = (sheaf_size_unit)9}, "found 9"},
		{{.batch_size = 1, .rest = (sheaf_rest)9}, "found 9"},
		{{.batch_size = 1, .packing = &(const sheaf_packing_options){.packing = (sheaf_packing)9}},
		 "found 9"},
		{{.batch_size = 1, .order = "no such order"}, "no such order"},
	};
	(void)state;
	sheaf_batches *b = (sheaf_batches *)&err;
	const sheaf_batch *batch;
	char text[SHEAF_STATE_SIZE] = "x";
	int64_t rows = 5;
	sheaf_batch_options good = {.size = sizeof good, .batch_size = 1};
	sheaf_shard shard;
	assert_usage(sheaf_shard_from_text(NULL, &shard, &err), "expected a text");
	assert_usage(sheaf_shard_from_text("0/1", NULL, &err), "expected room for the shard");
	sheaf_dataset *d, *none = NULL;
	sheaf_open_options how = {.size = sizeof how, .access = SHEAF_RANDOM};
	assert_ok(sheaf_open(in_folder("a.ctf"), &how, cx, &d, &err));
	assert_usage(sheaf_batches_open(NULL, 1, &good, cx, &b, &err), "sheaf_batches_open: expected datasets");
	assert_null(b);
	assert_usage(sheaf_batches_open(&d, 0, &good, cx, &b, &err),
	             "expected a number of datasets of at least 1, found 0");
	assert_usage(sheaf_batches_open(&none, 1, &good, cx, &b, &err), "expected datasets");
	assert_usage(sheaf_batches_open(&d, 0, &good, cx, &b, &err),
	             "a number of datasets of at least 1, found 0");
	assert_usage(sheaf_batches_open(&d, -1, &good, cx, &b, &err), "found -1");
	assert_usage(sheaf_batches_open(&d, 1, NULL, cx, &b, &err), "expected options");
	assert_usage(sheaf_batches_open(&d, 1, &(sheaf_batch_options){.size = 3}, cx, &b, &err),
	             "batch options: expected size");
	assert_usage(sheaf_batches_open(&d, 1, &good, NULL, &b, &err), "expected a context");
	assert_usage(sheaf_batches_open(&d, 1, &good, cx, NULL, &err), "expected a place");
	for (size_t i = 0; i < COUNT(bad); i++) {
		sheaf_batch_options options = bad[i].options;
		options.size = sizeof options;
		assert_usage(sheaf_batches_open(&d, 1, &options, cx, &b, &err), bad[i].message);
	}
	sheaf_batches_close(NULL);
	assert_null(sheaf_batches_schema(NULL));
	sheaf_batches_facts(NULL, &rows, NULL, NULL);
	assert_int_equal(-1, rows);
	assert_usage(sheaf_batches_next(NULL, &batch, &err), "expected batches");
	assert_usage(sheaf_batches_seek(NULL, 0, &err), "expected batches");
	assert_usage(sheaf_batches_resume(NULL, "{}", &err), "expected batches");
	sheaf_batches_state(NULL, text);
	assert_text("", text);
	sheaf_batches_state(NULL, NULL);
	assert_ok(sheaf_batches_open(&d, 1, &good, cx, &b, &err));
	sheaf_batches_facts(b, NULL, NULL, NULL);
	assert_usage(sheaf_batches_next(b, NULL, &err), "expected a place");
	assert_usage(sheaf_batches_seek(b, -1, &err), "expected a position of at least 0, found -1");
	assert_usage(sheaf_batches_resume(b, NULL, &err), "expected a state");
	assert_usage(sheaf_batches_resume(b, "{}", &err), "");
	for (int i = 0; i < 2; i++) assert_ok(sheaf_batches_next(b, &batch, &err));
	for (int i = 0; i < 3; i++) assert_int_equal(SHEAF_END, sheaf_batches_next(b, &batch, &err));
	sheaf_batches_close(b);
	sheaf_close(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_opening),     TEST(test_reading),        TEST(test_pieces), TEST(test_writing),
		TEST(test_conversions), TEST(test_other_datasets), TEST(test_arrays), TEST(test_batches),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
