/* SPDX-License-Identifier: MIT */
/* NumPy's archives: the table entry, and reading: a sparse matrix, one of several arrays by its name, or
 * streams and columns in parts. */
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "base/suffix.h"
#include "format/numpy/npz/streams.h"
#include "frame/frame.h"
#include "io/source.h"
#include <inttypes.h>
#include <string.h>

static const char *const suffixes[] = {".npz", NULL};

static const sheaf_option options[] = {
	{"layout", SHEAF_OPTION_TEXT, SHEAF_WRITING, "csr|csc|coo|dense|streams",
     "how to store a sparse matrix for SciPy (default: that of the input, else csr; coo if it has other than "
     "two dimensions); dense: a single array (default if the input is dense); streams: sequences as arrays "
     "of values and offsets (default for several streams)",
     0},
	{"compression", SHEAF_OPTION_TEXT, SHEAF_WRITING, "none|deflate[:LEVEL]",
     "compress the arrays, at a level of 1 to 12, 6 if none is given (default none)", 0},
	{NULL, SHEAF_OPTION_FLAG, 0, NULL, NULL, 0},
};

typedef struct reader {
	SHEAF_BASE(sheaf_reader, reader);
	sheaf_npz_archive archive;
	bool is_sparse, is_streams;
	sheaf_npz_sparse sparse;
	sheaf_npz_streams streams;
	sheaf_array array;
	int64_t items; /* of a row */
	int64_t rows, next;
} reader;

/* A ZIP file whose first member is an array. */
static sheaf_likely probe(sheaf_glimpse *at)
{
	sheaf_bytes head = at->head;
	enum { LOCAL_SIZE = 30 };
	bool is_zip =
		head.size >= 4 && (memcmp(head.data, "PK\3\4", 4) == 0 || memcmp(head.data, "PK\5\6", 4) == 0);
	size_t length = head.size > LOCAL_SIZE ? (size_t)(head.data[26] | head.data[27] << 8) : 0;
	bool has_array = is_zip && length > 4 && length <= head.size - LOCAL_SIZE &&
	                 memcmp(head.data + LOCAL_SIZE + length - 4, ".npy", 4) == 0;
	if (has_array) return SHEAF_SURE;
	return sheaf_has_suffix_of(at->name, suffixes) ? SHEAF_PERHAPS : SHEAF_NO; /* a damaged one, too */
}

static sheaf_status members(sheaf_source *source, sheaf_context *cx, sheaf_member_teller show, void *user,
                            sheaf_error *err)
{
	sheaf_npz_archive archive;
	SHEAF_TRY(sheaf_npz_open_archive(&archive, source, cx, err));
	bool sparse = sheaf_npz_is_sparse(&archive) || sheaf_npz_is_streams(&archive);
	sheaf_status status = sparse ? show(user, "/", err) : SHEAF_OK;
	for (int m = 0; m < archive.count && status == SHEAF_OK && !sparse; m++)
		if (sheaf_npz_is_array(&archive.members[m])) status = show(user, archive.members[m].name, err);
	sheaf_npz_close_archive(&archive);
	return status;
}

static void close_reader(void *opened)
{
	reader *in = (reader *)opened;
	sheaf_npz_close_sparse(&in->sparse);
	sheaf_npz_close_streams(&in->streams);
	sheaf_array_close(&in->array);
	sheaf_npz_close_archive(&in->archive);
}

/* The array of the given name, or the only one. */
static sheaf_status choose(const reader *in, const char *name, const sheaf_npz_member **out, sheaf_error *err)
{
	const sheaf_npz_archive *a = &in->archive;
	const char *file = sheaf_source_name(a->source), *first = NULL, *second = NULL;
	*out = NULL;
	if (name && strcmp(name, "/") != 0) {
		*out = sheaf_npz_find(a, name[0] == '/' ? name + 1 : name);
		return *out ? SHEAF_OK
		            : sheaf_fail(err, SHEAF_UNKNOWN, "%s: expected an array %s in the archive, found none",
		                         file, name);
	}
	for (int m = 0; m < a->count; m++) {
		if (!sheaf_npz_is_array(&a->members[m])) continue;
		*out = &a->members[m];
		second = first;
		first = a->members[m].name;
		if (second)
			return sheaf_fail(
				err, SHEAF_USAGE,
				"%s: expected one array, or the name of one (" SHEAF_OPTION("dataset") "), found %s, %s",
				file, second, first);
	}
	return *out ? SHEAF_OK
	            : sheaf_fail(err, SHEAF_DATA, "%s: expected an array in the archive, found none", file);
}

static sheaf_status prepare_streams(reader *in, sheaf_error *err)
{
	SHEAF_TRY(sheaf_npz_streams_schema(&in->archive, in->cx, &in->schema, err));
	SHEAF_TRY(sheaf_npz_open_streams(&in->archive, &in->schema, &in->streams, err));
	in->rows = in->streams.rows;
	return SHEAF_OK;
}

static sheaf_status prepare(reader *in, const sheaf_opening *how, sheaf_error *err)
{
	const sheaf_npz_member *member;
	const char *name = how->member;
	SHEAF_TRY(sheaf_npz_open_archive(&in->archive, in->source, in->cx, err));
	bool whole = !name || strcmp(name, "/") == 0;
	in->is_sparse = whole && sheaf_npz_is_sparse(&in->archive);
	in->is_streams = whole && !in->is_sparse && sheaf_npz_is_streams(&in->archive);
	in->items = 1;
	if (in->is_streams) return prepare_streams(in, err);
	if (in->is_sparse) {
		SHEAF_TRY(sheaf_npz_open_sparse(&in->archive, &in->sparse, err));
		bool is_whole = how->rows == SHEAF_TAKES_WHOLE && sheaf_npz_is_plain(&in->sparse);
		in->rows = is_whole ? 1 : in->sparse.data.count;
		return sheaf_npz_sparse_schema(&in->sparse, is_whole, &in->schema, err);
	}
	SHEAF_TRY(choose(in, name, &member, err));
	SHEAF_TRY(sheaf_npz_open_member(&in->archive, member, &in->array, err));
	SHEAF_TRY(sheaf_array_schema(&in->array, how->rows, "x", &in->schema, err));
	in->items = sheaf_array_items_of_row(&in->array, &in->schema);
	in->rows = sheaf_array_count_rows(&in->array, &in->schema);
	return SHEAF_OK;
}

static sheaf_status open_reader(void *opened, const sheaf_values *values, const sheaf_opening *how,
                                sheaf_error *err)
{
	reader *in = (reader *)opened;
	(void)values;
	SHEAF_TRY(prepare(in, how, err));
	if (in->is_streams) {
		in->facts.rows = in->rows;
		return SHEAF_OK;
	}
	bool known = !in->is_sparse || in->schema.rows == SHEAF_WHOLE;
	sheaf_array_facts(&in->schema, known ? in->rows : -1, &in->facts);
	return SHEAF_OK;
}

static const sheaf_array *values_of(const reader *in)
{
	return in->is_sparse ? &in->sparse.data : &in->array;
}

/* A piece is identified by the number of its first row, as if rows were bytes of the array. */
static sheaf_status cut_streams(reader *in, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	int64_t n;
	if (in->next == in->rows) return SHEAF_END;
	SHEAF_TRY(sheaf_npz_count_streams(&in->streams, in->next, bytes, &n, err));
	sheaf_buffer_reset(&piece->bytes);
	*piece = (sheaf_piece){.byte = in->next, .size = n, .line = -1, .column = -1, .chunk = -1};
	in->next += n;
	return SHEAF_OK;
}

static sheaf_status cut(void *opened, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	enum { PLACES = 24 };
	reader *in = (reader *)opened;
	if (in->is_streams) return cut_streams(in, bytes, piece, err);
	const sheaf_array *values = values_of(in);
	int64_t size = values->dtype.size * in->items, left = in->rows - in->next;
	int64_t n = bytes / (size + (in->schema.rows == SHEAF_ENTRIES ? PLACES : 1));
	if (n < 1) n = 1;
	if (n > left) n = left;
	if (left == 0) return SHEAF_END;
	sheaf_buffer_reset(&piece->bytes);
	*piece = (sheaf_piece){.byte = in->next, .size = n, .line = -1, .column = -1, .chunk = -1};
	if (in->is_sparse && in->schema.rows == SHEAF_WHOLE) {
		in->next = in->rows;
		return SHEAF_OK;
	}
	SHEAF_TRY(sheaf_holding_view(&values->holding, values->data_at + in->next * size, n * size, &piece->bytes,
	                             err));
	in->next += n;
	return SHEAF_OK;
}

static sheaf_status take_rows(const reader *in, const sheaf_piece *piece, sheaf_frame_builder *to,
                              sheaf_error *err)
{
	if (in->is_streams) return sheaf_npz_stream_rows(&in->streams, piece->byte, piece->size, to, err);
	if (in->is_sparse && in->schema.rows == SHEAF_WHOLE) return sheaf_npz_whole_row(&in->sparse, to, err);
	if (in->is_sparse)
		return sheaf_npz_sparse_rows(&in->sparse, &piece->bytes, piece->byte, piece->size, to, err);
	return sheaf_array_rows(&in->array, &piece->bytes, piece->byte, piece->size, to, err);
}

static sheaf_status decode(const void *opened, const sheaf_piece *piece, sheaf_frame *frame,
                           sheaf_context *cx, sheaf_error *err)
{
	const reader *in = (const reader *)opened;
	sheaf_frame_builder to;
	sheaf_status status = sheaf_frame_builder_begin(&to, &in->schema, frame, cx, err);
	if (status == SHEAF_OK) status = take_rows(in, piece, &to, err);
	return sheaf_frame_builder_end(&to, status, frame, err);
}

static sheaf_status rewind_reader(void *opened, const sheaf_piece *to, sheaf_error *err)
{
	(void)to, (void)err;
	((reader *)opened)->next = 0;
	return SHEAF_OK;
}

static const sheaf_container container = {
	.members = members,
};

const sheaf_format sheaf_format_npz = {
	.name = "npz",
	.summary = "NumPy archives: SciPy's sparse matrices, arrays by name, sequences and tables in parts",
	.suffixes = suffixes,
	.can = SHEAF_CAN_KEYS,
	.needs_seek = true,
	.options = options,
	.write = &sheaf_npz_writing,
	.container = &container,
	.probe = probe,
	.reader_size = sizeof(reader),
	.open = open_reader,
	.cut = cut,
	.decode = decode,
	.rewind = rewind_reader,
	.close = close_reader,
};
