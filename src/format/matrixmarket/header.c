/* SPDX-License-Identifier: MIT */
/* What stands before the entries: the banner, comments, and the sizes. */
#include "base/checked.h"
#include "base/context.h"
#include "format/matrixmarket/matrixmarket.h"
#include "number/number.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *const sheaf_mtx_fields[] = {"real", "integer", "unsigned-integer", "complex", "pattern", NULL};
const char *const sheaf_mtx_symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian", NULL};

/* ---- lines ---- */

typedef struct header_line {
	const uint8_t *begin, *at, *end; /* end: its feed, or the input's end */
	bool is_last;                    /* the input ends with it */
} header_line;

static sheaf_status refuse(const sheaf_mtx_reader *in, sheaf_status status, const header_line *l,
                           const uint8_t *at, const char *expected, const char *found, sheaf_error *err)
{
	return sheaf_fail(err, status, "%s:%" PRId64 ":%" PRId64 " (byte %" PRId64 "): expected %s, found %s",
	                  sheaf_source_name(in->lined.source), in->lined.line, (int64_t)(at - l->begin) + 1,
	                  sheaf_source_tell(in->lined.source) + (at - l->begin), expected, found);
}

static const char *found_at(const header_line *l, const uint8_t *at, char text[SHEAF_SHOWN_SIZE])
{
	return at == l->end && !l->is_last ? "the end of the line" : sheaf_show(at, l->end, '\n', text);
}

/* The line at which the source stands, all of it. END where there is none. */
static sheaf_status show_line(const sheaf_mtx_reader *in, header_line *l, sheaf_error *err)
{
	enum { FIRST = 1024 };
	sheaf_bytes window;
	const uint8_t *feed = NULL;
	for (size_t want = FIRST;; want *= 2) {
		SHEAF_TRY(sheaf_source_ahead(in->lined.source, want, &window, err));
		feed = window.size ? (const uint8_t *)memchr(window.data, '\n', window.size) : NULL;
		if (feed || window.size < want) break;
		/* Only comments are long, and they are kept: the limit of memory is theirs. */
		if ((int64_t)want > sheaf_max_memory(in->cx))
			return sheaf_fail(err, SHEAF_LIMIT,
			                  "%s: expected shorter lines, found one beyond the memory limit (--max-memory)",
			                  sheaf_source_name(in->lined.source));
	}
	if (window.size == 0) return SHEAF_END;
	*l = (header_line){.begin = window.data,
	                   .at = window.data,
	                   .end = feed ? feed : window.data + window.size,
	                   .is_last = !feed};
	return SHEAF_OK;
}

static void pass_line(sheaf_mtx_reader *in, const header_line *l)
{
	sheaf_source_consume(in->lined.source, (size_t)(l->end - l->begin) + !l->is_last);
	in->lined.line += !l->is_last;
}

static void pass_spaces(header_line *l) { l->at = sheaf_lined_pass_spaces(&sheaf_mtx_syntax, l->at, l->end); }

/* ---- the banner ---- */

/* The number of the next word among some, without regard to case; -1 where it is none of them. *at is where
 * it begins. */
static int read_word(header_line *l, const char *const *words, const uint8_t **at)
{
	pass_spaces(l);
	*at = l->at;
	while (l->at < l->end && !sheaf_lined_is_space(&sheaf_mtx_syntax, *l->at)) l->at++;
	size_t n = (size_t)(l->at - *at);
	for (int w = 0; words[w]; w++)
		if (strlen(words[w]) == n && strncasecmp(words[w], (const char *)*at, n) == 0) return w;
	return -1;
}

static sheaf_status take_word(const sheaf_mtx_reader *in, header_line *l, const char *const *words,
                              sheaf_status status, const char *expected, int *out, sheaf_error *err)
{
	char found[SHEAF_SHOWN_SIZE];
	const uint8_t *at;
	*out = read_word(l, words, &at);
	if (*out >= 0) return SHEAF_OK;
	return refuse(in, at == l->end ? SHEAF_DATA : status, l, at, expected, found_at(l, at, found), err);
}

static sheaf_status check_banner(const sheaf_mtx_reader *in, const header_line *l, const uint8_t *at,
                                 sheaf_error *err)
{
	if (in->bare && in->value == SHEAF_ENTRY_PATTERN)
		return refuse(in, SHEAF_DATA, l, at, "a field with values in an array", "\"pattern\"", err);
	if (in->symmetry == MTX_HERMITIAN && in->value != SHEAF_ENTRY_COMPLEX)
		return refuse(in, SHEAF_DATA, l, at, "the field complex in a hermitian matrix",
		              sheaf_mtx_fields[in->value], err);
	if (in->symmetry == MTX_SKEW && (in->value == SHEAF_ENTRY_PATTERN || in->value == SHEAF_ENTRY_UNSIGNED))
		return refuse(in, SHEAF_DATA, l, at, "a field with signs in a skew-symmetric matrix",
		              sheaf_mtx_fields[in->value], err);
	return SHEAF_OK;
}

static sheaf_status read_banner(sheaf_mtx_reader *in, header_line *l, sheaf_error *err)
{
	static const char *const marks[] = {"%%MatrixMarket", NULL}, *const objects[] = {"matrix", NULL},
							 *const formats[] = {"coordinate", "array", NULL};
	char found[SHEAF_SHOWN_SIZE];
	int word, field, symmetry;
	const uint8_t *at;
	if (l->end - l->begin >= 3 && memcmp(l->begin, "\xef\xbb\xbf", 3) == 0) l->at += 3;
	SHEAF_TRY(take_word(in, l, marks, SHEAF_DATA, "%%MatrixMarket", &word, err));
	SHEAF_TRY(take_word(in, l, objects, SHEAF_UNSUPPORTED, "the object matrix", &word, err));
	SHEAF_TRY(take_word(in, l, formats, SHEAF_DATA, "coordinate or array", &word, err));
	in->bare = word == 1;
	pass_spaces(l);
	at = l->at;
	SHEAF_TRY(take_word(in, l, sheaf_mtx_fields, SHEAF_DATA,
	                    "one of the fields real, integer, unsigned-integer, complex, pattern", &field, err));
	SHEAF_TRY(take_word(in, l, sheaf_mtx_symmetries, SHEAF_DATA,
	                    "one of general, symmetric, skew-symmetric, hermitian", &symmetry, err));
	in->value = (sheaf_entry_value)field;
	in->symmetry = (sheaf_mtx_symmetry)symmetry;
	SHEAF_TRY(check_banner(in, l, at, err));
	pass_spaces(l);
	return l->at == l->end
	           ? SHEAF_OK
	           : refuse(in, SHEAF_DATA, l, l->at, "the end of the banner", found_at(l, l->at, found), err);
}

/* ---- comments ---- */

static sheaf_status keep_comment(sheaf_mtx_reader *in, const header_line *l, sheaf_error *err)
{
	const uint8_t *end = l->end, *nul = (const uint8_t *)memchr(l->at, '\0', (size_t)(l->end - l->at));
	if (nul) return refuse(in, SHEAF_DATA, l, nul, "text in a comment", "byte 0x00", err);
	if (end > l->at + 1 && end[-1] == '\r') end--;
	if (in->has_comments) sheaf_builder_byte(&in->comments, '\n');
	in->has_comments = true;
	sheaf_builder_append(&in->comments, l->at + 1, (size_t)(end - l->at - 1));
	return sheaf_builder_status(&in->comments, err);
}

static sheaf_status add_comments(sheaf_mtx_reader *in, sheaf_error *err)
{
	if (!in->has_comments) return SHEAF_OK;
	sheaf_builder_byte(&in->comments, '\0');
	SHEAF_TRY(sheaf_builder_status(&in->comments, err));
	return sheaf_schema_put_attribute(&in->schema, in->cx, "comment", (const char *)in->comments.data, NULL,
	                                  err);
}

/* ---- sizes ---- */

static sheaf_status read_size(const sheaf_mtx_reader *in, header_line *l, const char *expected, int64_t *out,
                              sheaf_error *err)
{
	char found[SHEAF_SHOWN_SIZE];
	uint64_t value;
	pass_spaces(l);
	const uint8_t *at = l->at;
	sheaf_scanned scanned = sheaf_scan_u64((const char *)at, (const char *)l->end, &value);
	l->at = (const uint8_t *)scanned.end;
	bool ends = l->at == l->end || sheaf_lined_is_space(&sheaf_mtx_syntax, *l->at);
	if (scanned.flaw == SHEAF_NUMBER_NO_DIGIT || !ends)
		return refuse(in, SHEAF_DATA, l, at, expected, found_at(l, at, found), err);
	if (scanned.flaw || value > INT64_MAX)
		return refuse(in, SHEAF_DATA, l, at, "a size below 2^63", found_at(l, at, found), err);
	*out = (int64_t)value;
	return SHEAF_OK;
}

/* What a general array, or a triangle of one, holds. False beyond 63 bits. */
static bool count_array(const sheaf_mtx_reader *in, int64_t *entries)
{
	int64_t n = in->rows, other = in->symmetry == MTX_SKEW ? n - 1 : n < INT64_MAX ? n + 1 : n;
	if (in->symmetry == MTX_GENERAL) return sheaf_mul_i64(entries, in->rows, in->columns);
	return sheaf_mul_i64(entries, n % 2 ? n : other, (n % 2 ? other : n) / 2);
}

/* No entry is shorter than a digit, or two of them, and what parts them. */
static sheaf_status check_room(const sheaf_mtx_reader *in, const header_line *l, sheaf_error *err)
{
	int64_t bytes = sheaf_source_size(in->lined.source), least = in->bare ? 2 : 4;
	char expected[96], found[64];
	if (bytes < 0 || in->entries == 0) return SHEAF_OK;
	int64_t rest = bytes - sheaf_source_tell(in->lined.source) - (l->end - l->begin);
	if (in->entries - 1 <= rest / least) return SHEAF_OK;
	snprintf(expected, sizeof expected, "the %" PRId64 " entries announced by the size line", in->entries);
	snprintf(found, sizeof found, "%" PRId64 " bytes after them", rest < 0 ? 0 : rest);
	return refuse(in, SHEAF_SHORT, l, l->begin, expected, found, err);
}

static sheaf_status read_sizes(sheaf_mtx_reader *in, header_line *l, sheaf_error *err)
{
	char found[SHEAF_SHOWN_SIZE];
	SHEAF_TRY(read_size(in, l, "the number of rows", &in->rows, err));
	SHEAF_TRY(read_size(in, l, "the number of columns", &in->columns, err));
	if (!in->bare) SHEAF_TRY(read_size(in, l, "the number of entries", &in->entries, err));
	pass_spaces(l);
	if (l->at < l->end)
		return refuse(in, SHEAF_DATA, l, l->at, "the end of the sizes", found_at(l, l->at, found), err);
	if (in->symmetry != MTX_GENERAL && in->rows != in->columns)
		return refuse(in, SHEAF_DATA, l, l->begin, "as many rows as columns, since the matrix has a symmetry",
		              "different sizes", err);
	if (in->bare && !count_array(in, &in->entries))
		return refuse(in, SHEAF_DATA, l, l->begin, "an array of less than 2^63 values", "larger sizes", err);
	return check_room(in, l, err);
}

/* ---- the schema ---- */

static sheaf_status make_schema(sheaf_mtx_reader *in, sheaf_error *err)
{
	static const sheaf_structure structures[] = {SHEAF_GENERAL, SHEAF_SYMMETRIC_LOWER,
	                                             SHEAF_SKEW_SYMMETRIC_LOWER, SHEAF_HERMITIAN_LOWER};
	sheaf_field *value;
	SHEAF_TRY(sheaf_schema_make_entries(&in->schema, in->cx, 2, (int64_t[]){in->rows, in->columns}, NULL,
	                                    &value, err));
	switch (in->value) {
	case SHEAF_ENTRY_REAL: sheaf_field_make_cell(value, SHEAF_NUMBER, SHEAF_F64, 1, false); break;
	case SHEAF_ENTRY_INTEGER: sheaf_field_make_cell(value, SHEAF_NUMBER, SHEAF_I64, 1, false); break;
	case SHEAF_ENTRY_UNSIGNED: sheaf_field_make_cell(value, SHEAF_NUMBER, SHEAF_U64, 1, false); break;
	case SHEAF_ENTRY_COMPLEX: sheaf_field_make_cell(value, SHEAF_COMPLEX, SHEAF_F64, 2, false); break;
	case SHEAF_ENTRY_PATTERN: sheaf_field_make_cell(value, SHEAF_BOOL, SHEAF_U8, 1, false); break;
	}
	sheaf_tensor *t = &in->schema.tensor;
	t->order[0] = 1; /* columns first, as nearly all such files are */
	t->order[1] = 0;
	t->sorted = t->unique = in->bare;
	t->structure = structures[in->symmetry];
	t->dense = in->bare;
	t->iso = in->value == SHEAF_ENTRY_PATTERN;
	snprintf(t->layout, sizeof t->layout, "%s", in->bare ? "array" : "coordinate");
	return add_comments(in, err);
}

static sheaf_status read_up_to_sizes(sheaf_mtx_reader *in, sheaf_error *err)
{
	header_line l = {0};
	sheaf_status status;
	while ((status = show_line(in, &l, err)) == SHEAF_OK) {
		pass_spaces(&l);
		bool comment = l.at < l.end && *l.at == '%', blank = l.at == l.end;
		if (comment) SHEAF_TRY(keep_comment(in, &l, err));
		if (!comment && !blank) SHEAF_TRY(read_sizes(in, &l, err));
		pass_line(in, &l);
		if (!comment && !blank) return SHEAF_OK;
	}
	if (status != SHEAF_END) return status;
	return sheaf_fail(
		err, SHEAF_SHORT,
		"%s:%" PRId64 ":1 (byte %" PRId64 "): expected a line of sizes, found the end of the file",
		sheaf_source_name(in->lined.source), in->lined.line, sheaf_source_tell(in->lined.source));
}

sheaf_status sheaf_mtx_read_header(sheaf_mtx_reader *in, sheaf_error *err)
{
	header_line l = {0};
	in->lined.line = 1;
	sheaf_status status = show_line(in, &l, err);
	if (status == SHEAF_END)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: expected %%%%MatrixMarket and more words, found an empty input",
		                  sheaf_source_name(in->lined.source));
	SHEAF_TRY(status);
	SHEAF_TRY(read_banner(in, &l, err));
	pass_line(in, &l);
	sheaf_builder_begin(&in->comments, in->cx, NULL);
	status = read_up_to_sizes(in, err);
	if (status == SHEAF_OK) status = make_schema(in, err);
	sheaf_builder_drop(&in->comments);
	sheaf_lined_begin(&in->lined, in->lined.line);
	in->lined.numbered = in->bare;
	in->rank = 2;
	return status;
}
