/* SPDX-License-Identifier: MIT */
/* NumPy's archives: the table entry, and reading. What an archive is, the names of its members say:
 *
 *   format, shape, data ...     a sparse matrix of SciPy's save_npz
 *   sheaf.schema; or NAME.values and NAME.offsets       streams, or a table, in parts
 *   anything else               arrays, one of which is read: by its name, or if it is the only one
 *
 * Each of the three has rows that begin anywhere, and a piece is a run of them. */
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "base/status.h"
#include "base/suffix.h"
#include "container/box.h"
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
	sheaf_zip archive;
	bool is_sparse, is_streams;
	sheaf_npz_sparse sparse;
	sheaf_npz_streams streams;
	sheaf_array array;
	int64_t items; /* of a row */
	int64_t rows, next;
} reader;

/* A ZIP file whose first member is an array: the name in its local header ends in ".npy". A damaged file is
 * taken by its suffix, so that what is wrong can be said. */
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
	return sheaf_has_suffix_of(at->name, suffixes) ? SHEAF_PERHAPS : SHEAF_NO;
}

/* ---- listing ---- */

/* Opens a member to see its header. Stored contents are not checked, since their values are not read. */
static sheaf_status look_at(const sheaf_zip *archive, const sheaf_zip_member *m, sheaf_array *array,
                            sheaf_error *err)
{
	sheaf_holding holding = {.source = archive->source, .size = m->size, .name = m->name};
	if (m->method) return sheaf_npz_open_member(archive, m, array, err);
	SHEAF_TRY(sheaf_zip_locate(archive, m, &holding.at, err));
	return sheaf_array_open(array, &holding, archive->cx, err);
}

/* Shows a member. One that is no array, or whose header is not read, is shown with the reason. */
static sheaf_status show_member(const sheaf_zip *archive, const sheaf_zip_member *m, bool is_dataset,
                                const sheaf_item_teller *teller, sheaf_error *err)
{
	sheaf_error failure = {0};
	SHEAF_SCOPED(sheaf_array_close) sheaf_array array = {.cx = NULL};
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder type = {.cx = archive->cx};
	sheaf_box_item item = {.path = m->name,
	                       .of = "unknown",
	                       .bytes = m->stored,
	                       .filters = m->method ? "deflate" : NULL,
	                       .dataset = is_dataset ? "array" : NULL};
	if (!sheaf_npz_is_array(m)) item.refused = item.of = "no array";
	if (item.refused || teller->briefly) return teller->show(teller->user, NULL, &item, err);
	sheaf_status status = look_at(archive, m, &array, &failure);
	if (status && !sheaf_is_flaw(status) && status != SHEAF_LIMIT) return sheaf_fail_again(err, &failure);
	if (status) {
		item.refused = failure.message;
		item.is_damaged = status != SHEAF_UNSUPPORTED;
		return teller->show(teller->user, NULL, &item, err);
	}
	sheaf_dtype_spell(&array.dtype, &type);
	SHEAF_TRY(sheaf_builder_status(&type, err));
	bool is_quoted = type.data[0] == '\''; /* and not a list of fields */
	type.size -= is_quoted;
	sheaf_builder_text(&type, array.fortran ? ", by columns" : "");
	sheaf_builder_byte(&type, '\0');
	SHEAF_TRY(sheaf_builder_status(&type, err));
	item.of = (const char *)type.data + is_quoted;
	item.rank = array.rank;
	item.dims = array.shape;
	item.count = array.count;
	return teller->show(teller->user, NULL, &item, err);
}

/* Shows the members of an archive. Each array is a dataset, unless the whole is one: a sparse matrix, or
 * streams. */
static sheaf_status list(const void *opened, sheaf_source *source, const sheaf_item_teller *teller,
                         sheaf_error *err)
{
	sheaf_zip archive;
	(void)opened;
	SHEAF_TRY(sheaf_zip_open(&archive, source, source->cx, err));
	bool is_sparse = sheaf_npz_is_sparse(&archive), is_one = is_sparse || sheaf_npz_is_streams(&archive);
	sheaf_box_item root = {.path = "", .is_group = true, .of = "archive", .count = archive.count};
	if (is_one) root.dataset = is_sparse ? "a matrix of SciPy" : "streams";
	sheaf_status status = teller->show(teller->user, NULL, &root, err);
	for (int m = 0; m < archive.count && status == SHEAF_OK; m++) {
		const sheaf_zip_member *member = &archive.members[m];
		status = show_member(&archive, member, !is_one && sheaf_npz_is_array(member), teller, err);
	}
	sheaf_zip_close(&archive);
	return status;
}

/* ---- reading ---- */

static void close_reader(void *opened)
{
	reader *in = (reader *)opened;
	sheaf_npz_close_sparse(&in->sparse);
	sheaf_npz_close_streams(&in->streams);
	sheaf_array_close(&in->array);
	sheaf_zip_close(&in->archive);
}

/* Finds the member that a reader is to open as a single array: the one called `name`, where a leading '/'
 * is optional; or, where `name` is NULL or "/", the only array of the archive. *out points into the
 * archive. Several arrays and no name are an error that lists the first two of them. */
static sheaf_status choose(const reader *in, const char *name, const sheaf_zip_member **out, sheaf_error *err)
{
	const sheaf_zip *a = &in->archive;
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
	            : sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: expected an array in the archive, found none",
	                         file);
}

/* Opens an archive in one of three ways: as a sparse matrix of SciPy, as sequences or a table in parts,
 * or as one array. A caller that names a member gets that array, whatever the archive is as a whole. A
 * sparse matrix can be one row if its arrays are those of levels. Its number of entries is announced as
 * unknown (-1): SciPy allows values that belong to nothing, and diagonals have zeros. */
static sheaf_status open_reader(void *opened, const sheaf_values *values, const sheaf_opening *how,
                                sheaf_error *err)
{
	reader *in = (reader *)opened;
	const sheaf_zip *archive = &in->archive;
	const sheaf_zip_member *member;
	const char *name = how->member;
	bool takes_all = !name || strcmp(name, "/") == 0, whole = false;
	(void)values;
	SHEAF_TRY(sheaf_zip_open(&in->archive, in->source, in->cx, err));
	in->is_sparse = takes_all && sheaf_npz_is_sparse(archive);
	in->is_streams = takes_all && !in->is_sparse && sheaf_npz_is_streams(archive);
	in->items = 1;
	if (in->is_streams) {
		SHEAF_TRY(sheaf_npz_streams_schema(archive, &in->schema, err));
		SHEAF_TRY(sheaf_npz_open_streams(archive, &in->schema, &in->streams, err));
		in->facts.rows = in->rows = in->streams.rows;
		return SHEAF_OK;
	}
	if (in->is_sparse) {
		SHEAF_TRY(sheaf_npz_open_sparse(archive, &in->sparse, err));
		whole = how->rows == SHEAF_TAKES_WHOLE && sheaf_npz_is_plain(&in->sparse);
		in->rows = whole ? 1 : in->sparse.data.count;
		SHEAF_TRY(sheaf_npz_sparse_schema(&in->sparse, whole, &in->schema, err));
	} else {
		SHEAF_TRY(choose(in, name, &member, err));
		SHEAF_TRY(sheaf_npz_open_member(archive, member, &in->array, err));
		SHEAF_TRY(sheaf_array_schema(&in->array, how->rows, "x", &in->schema, err));
		in->items = sheaf_array_items_of_row(&in->array, &in->schema);
		in->rows = sheaf_array_count_rows(&in->array, &in->schema);
	}
	sheaf_array_facts(&in->schema, in->is_sparse && !whole ? -1 : in->rows, &in->facts);
	return SHEAF_OK;
}

/* Takes the next piece of rows for a worker to decode: about as many as `bytes` bytes hold, at least one.
 * The piece's byte and size are the number of its first row and its number of rows, as an archive has no
 * single place of a row. It carries the bytes of its values where those of a row lie together; streams
 * and whole sparse matrices read their arrays in `decode`. Rows that are entries take PLACES more bytes
 * in memory, for their coordinates. */
static sheaf_status cut(void *opened, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	enum { PLACES = 24 };
	reader *in = (reader *)opened;
	const sheaf_array *values = in->is_sparse ? &in->sparse.data : &in->array;
	int64_t size = values->dtype.size * in->items, left = in->rows - in->next;
	int64_t n = bytes / (size + (in->schema.rows == SHEAF_ENTRIES ? PLACES : 1));
	if (left == 0) return SHEAF_END;
	if (in->is_streams) SHEAF_TRY(sheaf_npz_count_streams(&in->streams, in->next, bytes, &n, err));
	if (n < 1) n = 1;
	if (n > left) n = left;
	sheaf_buffer_reset(&piece->bytes);
	*piece = (sheaf_piece){.byte = in->next, .size = n, .line = -1, .column = -1, .chunk = -1};
	if (!in->is_streams && (!in->is_sparse || in->schema.rows != SHEAF_WHOLE))
		SHEAF_TRY(sheaf_holding_view(&values->holding, values->data_at + in->next * size, n * size,
		                             &piece->bytes, err));
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

static const sheaf_model model = {
	.list = list,
};

const sheaf_format sheaf_format_npz = {
	.name = "npz",
	.summary = "NumPy archives: SciPy's sparse matrices, arrays by name, sequences and tables in parts",
	.suffixes = suffixes,
	.can = SHEAF_CAN_KEYS | SHEAF_CAN_CONTAIN,
	.needs_seek = true,
	.options = options,
	.write = &sheaf_npz_writing,
	.model = &model,
	.probe = probe,
	.reader_size = sizeof(reader),
	.open = open_reader,
	.cut = cut,
	.decode = decode,
	.rewind = rewind_reader,
	.close = close_reader,
};
