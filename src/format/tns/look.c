/* SPDX-License-Identifier: MIT */
/* Rank and shape: from a setting, from a comment of ours, from the two lines that some programs put before
 * the entries, or from the entries alone. FROSTT's files themselves say nothing: each line is an entry, with
 * coordinates from 1 on and a value.
 *
 *   3 4             rank and number of entries       (extended FROSTT)
 *   10 20 30        shape
 *   1 2 3 0.5       an entry
 *
 * The first two lines look like entries of other ranks; whether they are is seen from the third one. */
#include "base/context.h"
#include "base/spell.h"
#include "format/tns/tns.h"
#include "io/source.h"
#include "number/number.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The contents of the first lines. */
typedef struct opening {
	int64_t shape[SHEAF_MAX_RANK];
	int dims; /* of the shape; 0: not given */
	bool integers;
	int words;     /* on the first line of entries; 0: there is none */
	int64_t count; /* of entries, or -1 */
	size_t header; /* bytes and lines before the entries */
	int64_t lines;
} opening;

/* ---- words ---- */

enum { MOST_WORDS = SHEAF_MAX_RANK + 2 };

/* Splits a line into words, which may be whole numbers (*whole: all are); returns how many there are,
 * MOST_WORDS meaning that many or more. */
static int split(const uint8_t *at, const uint8_t *end, int64_t numbers[MOST_WORDS], bool *whole)
{
	int n = 0;
	*whole = true;
	for (;;) {
		uint64_t value;
		at = sheaf_lined_pass_spaces(&sheaf_tns_syntax, at, end);
		if (sheaf_lined_ends_row(&sheaf_tns_syntax, at, end) || n == MOST_WORDS) return n;
		sheaf_scanned scanned = sheaf_scan_u64((const char *)at, (const char *)end, &value);
		while (at < end && !sheaf_lined_is_space(&sheaf_tns_syntax, *at) && *at != '\n') at++;
		*whole &= !scanned.flaw && scanned.end == (const char *)at && value <= INT64_MAX;
		numbers[n++] = (int64_t)value;
	}
}

/* ---- the first lines ---- */

/* A line of the input's first ones that is no comment. */
typedef struct first_line {
	int64_t numbers[MOST_WORDS];
	int words;
	bool whole;
	size_t end; /* bytes of the input after it */
	int64_t line;
} first_line;

/* Reads a shape of sizes between blanks into *o; anything else is left alone. */
static void read_shape(opening *o, const uint8_t *at, const uint8_t *end)
{
	int64_t numbers[MOST_WORDS];
	bool whole;
	int n = split(at, end, numbers, &whole);
	if (!whole || n < 1 || n > SHEAF_MAX_RANK) return;
	o->dims = n;
	memcpy(o->shape, numbers, (size_t)n * sizeof *numbers);
}

static bool begins_with(const uint8_t *at, const uint8_t *end, const char *mark)
{
	return (size_t)(end - at) >= strlen(mark) && memcmp(at, mark, strlen(mark)) == 0;
}

/* Finds the first lines other than comments in `head`, up to three, and returns how many there are.
 * Comments before them may give the shape and the type, which go to *o. */
static int find_lines(opening *o, sheaf_bytes head, first_line lines[3])
{
	if (head.size == 0) return 0;
	const uint8_t *at = head.data, *end = at + head.size;
	int n = 0;
	for (int64_t line = 1; at < end && n < 3; line++) {
		const uint8_t *feed = (const uint8_t *)memchr(at, '\n', (size_t)(end - at)),
					  *after = feed ? feed + 1 : end;
		if (n == 0 && begins_with(at, after, TNS_SHAPE)) read_shape(o, at + strlen(TNS_SHAPE), after);
		if (n == 0 && begins_with(at, after, TNS_INTEGERS)) o->integers = true;
		if (sheaf_lined_is_row(&sheaf_tns_syntax, at, after)) {
			first_line *l = &lines[n++];
			l->words = split(at, after, l->numbers, &l->whole);
			l->end = (size_t)(after - head.data);
			l->line = line;
		}
		at = after;
	}
	return n;
}

/* Returns whether the first n lines are a header: a rank, and perhaps a count; then as many sizes; then
 * entries of that rank, or none. */
static bool is_header(const first_line lines[3], int n)
{
	const first_line *a = &lines[0], *b = &lines[1], *c = &lines[2];
	if (n < 2 || a->words > 2 || !a->whole || !b->whole || a->numbers[0] < 1 ||
	    a->numbers[0] > SHEAF_MAX_RANK || b->words != a->numbers[0])
		return false;
	if (n == 2) return a->words == 2 ? a->numbers[1] == 0 && a->words != b->words : a->words != b->words;
	return c->words == b->words + 1;
}

/* Looks at the first lines without moving, and finds out whether they are a header of two lines, which
 * gives the shape and perhaps the number of entries (-1: it does not). o->header is the number of bytes
 * to pass. */
static sheaf_status read_opening(sheaf_entry_reader *in, opening *o, sheaf_error *err)
{
	enum { FIRST = 1 << 16 };
	sheaf_bytes head;
	first_line lines[3];
	size_t mark = 0; /* a byte order mark is passed over */
	int n = 0;
	*o = (opening){.count = -1};
	/* Comments may be long: the window grows until it has the first lines, or, where one has been found and
	 * no others follow for long, until it takes a large part of the memory. */
	for (size_t want = FIRST;; want *= 2) {
		SHEAF_TRY(sheaf_source_ahead(in->lined.source, want, &head, err));
		bool is_all = head.size < want;
		mark = sheaf_utf8_mark(head.data, head.size);
		n = find_lines(o, (sheaf_bytes){head.data + mark, head.size - mark}, lines);
		if (n == 3 || is_all || (n > 0 && (int64_t)want > sheaf_max_memory(in->cx) / 4)) break;
	}
	if (n && is_header(lines, n)) {
		o->dims = lines[1].words;
		memcpy(o->shape, lines[1].numbers, (size_t)o->dims * sizeof *o->shape);
		o->count = lines[0].words == 2 ? lines[0].numbers[1] : -1;
		o->header = lines[1].end;
		o->lines = lines[1].line;
	} else if (n) {
		o->words = lines[0].words;
	}
	o->header += mark;
	return SHEAF_OK;
}

/* ---- inferring the shape ---- */

/* Reads all pieces to find the shape, with a context that reports nothing: if one breaks off, that is
 * reported when it is read again. The shape becomes as large as the entries' coordinates, which begin
 * with 0 in a frame. With `glance` it stops after the first piece if that is a large one; the number of
 * rows is unknown (-1) then. */
static sheaf_status look_at_pieces(sheaf_entry_reader *in, int64_t *shape, bool glance, sheaf_context *quiet,
                                   sheaf_error *err)
{
	enum { BYTES = 1 << 19, GLANCE = 1 << 15 };
	sheaf_piece piece = {0};
	SHEAF_SCOPED(sheaf_frame_free) sheaf_frame frame = {0};
	sheaf_status status;
	int64_t rows = 0;
	while ((status = sheaf_lined_cut(in, glance ? GLANCE : BYTES, &piece, err)) == SHEAF_OK) {
		if ((status = sheaf_entry_decode(in, &piece, &frame, quiet, err))) break;
		for (int c = 0; c < in->rank; c++) {
			const int64_t *at = (const int64_t *)(const void *)frame.columns[c].values.data;
			for (int64_t r = 0; r < frame.nrows; r++)
				if (at[r] >= shape[c]) shape[c] = at[r] + 1;
		}
		rows += frame.nrows;
		in->guessed = glance && piece.size >= GLANCE / 2;
		if (in->guessed) break;
	}
	in->facts.rows = in->guessed ? -1 : rows;
	sheaf_buffer_reset(&piece.bytes);
	if (status == SHEAF_END) return SHEAF_OK;
	bool broken = status == SHEAF_SHORT || status == SHEAF_DATA;
	return broken ? sheaf_forgive(status, "it is met, and reported, when the input is read") : status;
}

/* Makes the schema of entries of a shape, in any order, with integers or doubles as values; it replaces
 * an earlier one. */
static sheaf_status make_schema(sheaf_entry_reader *in, const int64_t *shape, sheaf_error *err)
{
	sheaf_field *value;
	sheaf_schema_free(&in->schema);
	SHEAF_TRY(
		sheaf_schema_make_entries(&in->schema, in->cx, (sheaf_dimensions){in->rank, shape}, &value, err));
	sheaf_field_make_cell(value, SHEAF_NUMBER, in->value == SHEAF_ENTRY_INTEGER ? SHEAF_I64 : SHEAF_F64, 1,
	                      false);
	in->schema.tensor.sorted = in->schema.tensor.unique = false;
	return SHEAF_OK;
}

/* Infers the shape from the entries: they are read with a shape that holds any, and what is wrong with
 * them is reported when they are read again. A first part that was examined is read again, too. */
static sheaf_status infer_shape(sheaf_entry_reader *in, int64_t *shape, bool glance, sheaf_error *err)
{
	sheaf_context *quiet;
	int64_t all[SHEAF_MAX_RANK];
	for (int d = 0; d < SHEAF_MAX_RANK; d++) all[d] = INT64_MAX, shape[d] = 0;
	SHEAF_TRY(make_schema(in, all, err));
	SHEAF_TRY(sheaf_source_make_rewindable(in->lined.source, err));
	SHEAF_TRY(sheaf_context_quiet(in->cx, &quiet, err));
	sheaf_status status = look_at_pieces(in, shape, glance, quiet, err);
	sheaf_context_free(quiet);
	in->facts.guess = in->guessed ? "inferred from the first 32768 bytes" : "inferred from the whole input";
	SHEAF_TRY(status);
	return sheaf_entry_rewind(in, NULL, err);
}

/* ---- looking ---- */

/* Decides the rank: that of the shape, or the first line's number of words, of which the last is the
 * value. */
static sheaf_status choose_rank(sheaf_entry_reader *in, const opening *o, sheaf_error *err)
{
	in->rank = o->dims ? o->dims : o->words - 1;
	const char *file = sheaf_source_name(in->lined.source);
	if (!o->dims && o->words == 0)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: expected entries, or a comment \"" TNS_SHAPE
		                  " ...\" before none, found nothing (" SHEAF_OPTION("shape") " says what it is)",
		                  file);
	if (in->rank < 1)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: expected coordinates and a value on the first line, found one number", file);
	if (in->rank > SHEAF_MAX_RANK)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: expected at most %d dimensions, found more", file,
		                  SHEAF_MAX_RANK);
	return SHEAF_OK;
}

/* Finds shape, type and number of entries, and makes the schema. A setting for the shape, as in
 * "10,20,30", comes before what the file says; if neither gives one, the entries are read for it. The
 * source is at the first entry then. */
sheaf_status sheaf_tns_look(sheaf_entry_reader *in, const sheaf_values *values, bool glance, sheaf_error *err)
{
	opening o;
	char sizes[256];
	const char *shape = sheaf_values_text(values, "shape"), *type = sheaf_values_text(values, "element-type");
	in->facts = SHEAF_NO_FACTS;
	SHEAF_TRY(read_opening(in, &o, err));
	bool are_integers = type ? strcmp(type, "int64") == 0 : o.integers;
	in->value = are_integers ? SHEAF_ENTRY_INTEGER : SHEAF_ENTRY_REAL;
	if (shape) {
		snprintf(sizes, sizeof sizes, "%s", shape);
		for (char *comma = sizes; (comma = strchr(comma, ','));) *comma = ' ';
		o.dims = 0;
		if (strlen(shape) < sizeof sizes)
			read_shape(&o, (const uint8_t *)sizes, (const uint8_t *)sizes + strlen(sizes));
		if (!o.dims)
			return sheaf_fail_option(err, SHEAF_USAGE, "shape",
			                         ": expected up to %d sizes separated by commas, found %s",
			                         SHEAF_MAX_RANK, shape);
	}
	SHEAF_TRY(choose_rank(in, &o, err));
	in->entries = o.count;
	in->facts.rows = sheaf_leaves_out(in->cx) ? -1 : o.count; /* entries may be left out */
	for (size_t left = o.header; left > 0;) {
		sheaf_bytes head;
		SHEAF_TRY(sheaf_source_ahead(in->lined.source, left, &head, err));
		size_t n = head.size < left ? head.size : left;
		sheaf_source_consume(in->lined.source, n);
		left -= n;
	}
	sheaf_lined_begin(&in->lined, o.lines + 1);
	in->inferred = !o.dims;
	if (in->inferred) SHEAF_TRY(infer_shape(in, o.shape, glance, err));
	return make_schema(in, o.shape, err);
}
