/* SPDX-License-Identifier: MIT */
/* What precedes the entries: the banner, which banner.c reads, comments, and the sizes.
 *
 *   %%MatrixMarket matrix coordinate real general      banner
 *   % text                                             comments, any number of them
 *   3 4 5                                              rows, columns, and entries unless it is an array
 *
 * Sizes are checked against the bytes that are left before anything of that size is made. */
#include "base/checked.h"
#include "base/context.h"
#include "base/spell.h"
#include "format/matrixmarket/matrixmarket.h"
#include "io/source.h"
#include "number/number.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- lines ---- */

/* Shows the whole line at the source's position in *l, without moving; the bytes stay until the source
 * moves. Returns SHEAF_END if there is none. The last line need not have a line feed. */
static sheaf_status show_line(const sheaf_mtx_reader *in, sheaf_mtx_line *l, sheaf_error *err)
{
	enum { FIRST = 1024 };
	sheaf_bytes window;
	const uint8_t *feed = NULL;
	for (size_t want = FIRST;; want *= 2) {
		SHEAF_TRY(sheaf_source_ahead(in->lined.source, want, &window, err));
		feed = window.size ? (const uint8_t *)memchr(window.data, '\n', window.size) : NULL;
		if (feed || window.size < want) break;
		/* Only comments are long, and they are kept: the memory limit bounds them. */
		if ((int64_t)want > sheaf_max_memory(in->cx))
			return sheaf_fail(err, SHEAF_LIMIT,
			                  "%s: expected shorter lines, found one beyond the memory limit (" SHEAF_OPTION(
								  "max-memory") ")",
			                  sheaf_source_name(in->lined.source));
	}
	if (window.size == 0) return SHEAF_END;
	*l = (sheaf_mtx_line){.begin = window.data,
	                      .at = window.data,
	                      .end = feed ? feed : window.data + window.size,
	                      .is_last = !feed};
	return SHEAF_OK;
}

/* Moves past a line, with its line feed if it has one. */
static void pass_line(sheaf_mtx_reader *in, const sheaf_mtx_line *l)
{
	sheaf_source_consume(in->lined.source, (size_t)(l->end - l->begin) + !l->is_last);
	in->lined.line += !l->is_last;
}

/* ---- comments ---- */

/* Adds a comment, without its sign and line end, to those before it, as another line of one text. */
static sheaf_status keep_comment(sheaf_mtx_reader *in, const sheaf_mtx_line *l, sheaf_error *err)
{
	const uint8_t *end = l->end, *nul = (const uint8_t *)memchr(l->at, '\0', (size_t)(l->end - l->at));
	if (nul)
		return sheaf_mtx_refuse(in, l, nul,
		                        SHEAF_FINDING(.expected = "text in a comment", .found = "byte 0x00"), err);
	if (end > l->at + 1 && end[-1] == '\r') end--;
	if (in->has_comments) sheaf_builder_byte(&in->comments, '\n');
	in->has_comments = true;
	sheaf_builder_append(&in->comments, l->at + 1, (size_t)(end - l->at - 1));
	return sheaf_builder_status(&in->comments, err);
}

/* Makes the comments an attribute. The format says nothing about their encoding; what is not UTF-8 is
 * most likely Latin-1, in which any bytes are a text. */
static sheaf_status add_comments(sheaf_mtx_reader *in, sheaf_error *err)
{
	if (!in->has_comments) return SHEAF_OK;
	if (sheaf_builder_make_utf8(&in->comments, 0)) {
		sheaf_problem problem =
			sheaf_problem_in(sheaf_source_name(in->lined.source),
		                     &SHEAF_FINDING(SHEAF_WARNING, "text that is not UTF-8", SHEAF_UTF8_EXPECTED,
		                                    "other bytes in comments", "they are taken as Latin-1"));
		SHEAF_TRY(sheaf_report(in->cx, &problem, err));
	}
	sheaf_builder_byte(&in->comments, '\0');
	SHEAF_TRY(sheaf_builder_status(&in->comments, err));
	return sheaf_schema_put_attribute(&in->schema, in->cx, "comment", (const char *)in->comments.data, NULL,
	                                  err);
}

/* ---- sizes ---- */

/* Reads the next number of the line of sizes into *out. `expected` says in messages which one it is. */
static sheaf_status read_size(const sheaf_mtx_reader *in, sheaf_mtx_line *l, const char *expected,
                              int64_t *out, sheaf_error *err)
{
	char found[SHEAF_SHOWN_SIZE];
	uint64_t value;
	sheaf_mtx_pass_spaces(l);
	const uint8_t *at = l->at;
	sheaf_scanned scanned = sheaf_scan_u64((const char *)at, (const char *)l->end, &value);
	l->at = (const uint8_t *)scanned.end;
	bool ends = l->at == l->end || sheaf_lined_is_space(&sheaf_mtx_syntax, *l->at);
	if (scanned.flaw == SHEAF_NUMBER_NO_DIGIT || !ends)
		return sheaf_mtx_refuse(
			in, l, at, SHEAF_FINDING(.expected = expected, .found = sheaf_mtx_found(l, at, found)), err);
	if (scanned.flaw || value > INT64_MAX)
		return sheaf_mtx_refuse(
			in, l, at, SHEAF_FINDING(.expected = "a size below 2^63", .found = sheaf_mtx_found(l, at, found)),
			err);
	*out = (int64_t)value;
	return SHEAF_OK;
}

/* Reads the line of sizes. A structure needs as many rows as columns. An array has as many values as
 * positions, or as its triangle has: n (n + 1) / 2, or n (n - 1) / 2 without the diagonal. More entries
 * than the bytes that are left can hold are refused: an entry has at least a digit for each coordinate,
 * or for a single value, and separators. Where the size of the input is not known, reading finds it. */
static sheaf_status read_sizes(sheaf_mtx_reader *in, sheaf_mtx_line *l, sheaf_error *err)
{
	char expected[96], found[64];
	in->columns = 1;
	SHEAF_TRY(read_size(in, l, "the number of rows", &in->rows, err));
	if (in->rank == 2) SHEAF_TRY(read_size(in, l, "the number of columns", &in->columns, err));
	if (!in->bare) SHEAF_TRY(read_size(in, l, "the number of entries", &in->entries, err));
	SHEAF_TRY(sheaf_mtx_end_line(in, l, "text after the sizes", "the end of the sizes", err));
	if (in->symmetry != MTX_GENERAL && in->rows != in->columns)
		return sheaf_mtx_refuse(
			in, l, l->begin,
			SHEAF_FINDING(.expected = "as many rows as columns, since the matrix has a symmetry",
		                  .found = "different sizes"),
			err);
	/* One of n and the number beside it is even, and is halved before they are multiplied, so that the
	 * product does not overflow earlier than it must. */
	int64_t n = in->rows, other = in->symmetry == MTX_SKEW ? n - 1 : n < INT64_MAX ? n + 1 : n;
	bool general = in->symmetry == MTX_GENERAL;
	if (in->bare && !sheaf_mul_i64(&in->entries, general || n % 2 ? n : other,
	                               general ? in->columns : (n % 2 ? other : n) / 2))
		return sheaf_mtx_refuse(
			in, l, l->begin,
			SHEAF_FINDING(.expected = "an array of less than 2^63 values", .found = "larger sizes"), err);
	int64_t bytes = sheaf_source_size(in->lined.source), least = in->bare ? 2 : 2 * in->rank;
	if (bytes < 0 || in->entries == 0 || sheaf_drops_incomplete(in->lined.cx)) return SHEAF_OK;
	int64_t rest = bytes - sheaf_source_tell(in->lined.source) - (l->end - l->begin);
	if (in->entries - 1 <= rest / least) return SHEAF_OK;
	snprintf(expected, sizeof expected, "the %" PRId64 " entries announced by the size line", in->entries);
	snprintf(found, sizeof found, "%" PRId64 " bytes after them", rest < 0 ? 0 : rest);
	return sheaf_mtx_refuse(in, l, l->begin,
	                        SHEAF_FINDING(.expected = expected, .found = found, .status = SHEAF_SHORT), err);
}

/* ---- the schema ---- */

/* Makes the schema of entries with their coordinates and a value; those of a structure are in its lower
 * triangle. The lines of an array are sorted by columns; those of coordinates may have any order. */
static sheaf_status make_schema(sheaf_mtx_reader *in, sheaf_error *err)
{
	static const sheaf_structure structures[] = {SHEAF_GENERAL, SHEAF_SYMMETRIC_LOWER,
	                                             SHEAF_SKEW_SYMMETRIC_LOWER, SHEAF_HERMITIAN_LOWER};
	sheaf_field *value;
	SHEAF_TRY(sheaf_schema_make_entries(
		&in->schema, in->cx, (sheaf_dimensions){in->rank, (int64_t[]){in->rows, in->columns}}, &value, err));
	sheaf_field_make_cell(value,
	                      in->value == SHEAF_ENTRY_COMPLEX ? SHEAF_COMPLEX
	                      : in->is_bool                    ? SHEAF_BOOL
	                                                       : SHEAF_NUMBER,
	                      in->type, in->value == SHEAF_ENTRY_COMPLEX ? 2 : 1, false);
	sheaf_tensor *t = &in->schema.tensor;
	for (int d = 0; d < in->rank; d++)
		t->order[d] = in->rank - 1 - d; /* columns first, as in nearly all such files */
	t->sorted = t->unique = in->bare;
	t->structure = structures[in->symmetry];
	t->dense = in->bare;
	t->iso = in->value == SHEAF_ENTRY_PATTERN;
	snprintf(t->layout, sizeof t->layout, "%s", in->bare ? "array" : "coordinate");
	return add_comments(in, err);
}

/* Reads the comments and blank lines that may come before the sizes, and the line of sizes. A comment of
 * GraphBLAS says the type of the values. */
static sheaf_status read_up_to_sizes(sheaf_mtx_reader *in, sheaf_error *err)
{
	sheaf_mtx_line l = {0};
	sheaf_status status;
	while ((status = show_line(in, &l, err)) == SHEAF_OK) {
		sheaf_mtx_pass_spaces(&l);
		bool comment = l.at < l.end && *l.at == '%', blank = l.at == l.end;
		if (comment) {
			sheaf_mtx_read_type(in, &l);
			SHEAF_TRY(keep_comment(in, &l, err));
		}
		if (!comment && !blank) SHEAF_TRY(read_sizes(in, &l, err));
		pass_line(in, &l);
		if (!comment && !blank) return SHEAF_OK;
	}
	if (status != SHEAF_END) return status;
	sheaf_problem problem = sheaf_problem_in(sheaf_source_name(in->lined.source),
	                                         &SHEAF_FINDING(SHEAF_FATAL, "sizes", "a line of sizes",
	                                                        "the end of the file", .status = SHEAF_SHORT));
	problem.place.line = in->lined.line;
	problem.place.column = 1;
	problem.place.byte = sheaf_source_place(in->lined.source, sheaf_source_tell(in->lined.source), NULL, 0);
	return sheaf_fail_problem(err, &problem);
}

/* Reads all that comes before the first entry: banner, comments, sizes; and makes the schema. The source
 * is at the first entry then. */
sheaf_status sheaf_mtx_read_header(sheaf_mtx_reader *in, sheaf_error *err)
{
	sheaf_mtx_line l = {0};
	in->lined.line = 1;
	sheaf_status status = show_line(in, &l, err);
	if (status == SHEAF_END)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: expected %%%%MatrixMarket and more words, found an empty input",
		                  sheaf_source_name(in->lined.source));
	SHEAF_TRY(status);
	SHEAF_TRY(sheaf_mtx_read_banner(in, &l, err));
	pass_line(in, &l);
	sheaf_builder_begin(&in->comments, in->cx, NULL);
	status = read_up_to_sizes(in, err);
	if (status == SHEAF_OK) status = make_schema(in, err);
	sheaf_builder_drop(&in->comments);
	sheaf_lined_begin(&in->lined, in->lined.line);
	in->lined.numbered = in->bare;
	return status;
}
