/* SPDX-License-Identifier: MIT */
/* What columns contain, and the types that follow: each column gets the narrowest type that holds all its
 * values, and nothing is rounded or respelled to fit one.
 *
 * What is in a column is a set of KIND_ bits. Sets of several parts of an input are joined by "or", in any
 * order, so that threads look at parts at the same time; only the set of all parts becomes a type. */
#include "base/context.h"
#include "base/memory.h"
#include "format/csv/delimited.h"
#include "frame/item.h"
#include "io/source.h"
#include "number/kernels/kernel.h"

sheaf_status sheaf_seen_begin(sheaf_seen *seen, sheaf_context *cx, int width, sheaf_error *err)
{
	*seen = (sheaf_seen){.kinds = NULL};
	return sheaf_allocate_array(cx, (uint64_t)width, sizeof *seen->kinds, &seen->kinds, err);
}

void sheaf_seen_free(sheaf_seen *seen, sheaf_context *cx, int width)
{
	sheaf_release(cx, seen->kinds, (size_t)width * sizeof *seen->kinds);
	*seen = (sheaf_seen){.kinds = NULL};
}

/* Passes words from record r on that a kernel knows, up to one that is something else: those of the kind that
 * the last other word had, or ordinary numbers, whose kinds are added to *seen. */
static int64_t see_alike(const sheaf_fields *fields, int64_t r, unsigned kind, unsigned *seen)
{
	const sheaf_fields_kernel *kernel = sheaf_kernel_chosen()->fields;
	if (kind & KIND_DATETIME) return (int64_t)kernel->read_times(fields, (size_t)r, NULL);
	if (kind & KIND_DATE) return (int64_t)kernel->read_days(fields, (size_t)r, NULL);
	if (kind & KIND_BOOL) return (int64_t)kernel->read_bools(fields, (size_t)r, NULL);
	unsigned found = 0;
	r = (int64_t)kernel->look(fields, (size_t)r, &found);
	if (found & SHEAF_FIELD_WHOLE) *seen |= KIND_INTEGER;
	if (found & SHEAF_FIELD_NEGATIVE) *seen |= KIND_NEGATIVE;
	if (found & SHEAF_FIELD_REAL) *seen |= KIND_REAL;
	return r;
}

/* Returns the kinds of words that a column has in some records, as bits. After the first text only
 * missing values matter: with them, there is nothing left to find in the column. Where words have their
 * plain meaning, a kernel passes words of the kind of the last one many at a time; `patience` calls it
 * less often if it stops at once. */
unsigned sheaf_see_column(const sheaf_records *records, const sheaf_dialect *dialect, uint32_t column)
{
	unsigned kinds_seen = 0, kind = 0;
	bool plain = sheaf_values_are_plain(dialect);
	sheaf_fields fields = sheaf_records_column(records, column);
	sheaf_patience patience = {0};
	for (int64_t r = 0; !(kinds_seen & KIND_TEXT); r++) {
		if (plain && r >= patience.next) {
			int64_t from = r;
			r = see_alike(&fields, from, kind, &kinds_seen);
			sheaf_patience_note(&patience, from, r);
		}
		if (r >= records->count) return kinds_seen;
		sheaf_word word = sheaf_word_of(records, dialect, r, column);
		unsigned found = sheaf_word_kind(&word, dialect);
		if (!(found & (KIND_NULL | KIND_BLANK))) kind = found;
		kinds_seen |= found;
	}
	for (int64_t r = 0; r < records->count && !(kinds_seen & KIND_NULL); r++) {
		sheaf_word word = sheaf_word_of(records, dialect, r, column);
		if (sheaf_word_may_be_null(word, dialect) && sheaf_word_null(&word, dialect) != SHEAF_NO_CODE)
			kinds_seen |= KIND_NULL;
	}
	return kinds_seen;
}

/* Adds what the records of a text contain to *seen. Records that were left out as flawed are noted, since
 * what they contain is not known. */
sheaf_status sheaf_see(sheaf_seen *seen, const sheaf_delimited_reader *in, sheaf_bytes text, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_records_drop) sheaf_records records;
	sheaf_records_begin(&records, in->cx);
	sheaf_status status = sheaf_records_find(&records, &in->dialect, in->width, text, 1, err);
	for (uint32_t c = 0; status == SHEAF_OK && c < records.width; c++)
		seen->kinds[c] |= sheaf_see_column(&records, &in->dialect, c);
	seen->rows += records.count;
	seen->flawed |= records.findings.size > 0;
	return status;
}

/* ---- the first part ---- */

/* A small limit leaves room only for a small window. */
size_t sheaf_infer_part_size(const sheaf_context *cx)
{
	enum { FIRST_PART = 512 << 10, SHARE = 64, LEAST = 4096 };
	int64_t share = sheaf_max_memory(cx) / SHARE;
	return share > FIRST_PART ? FIRST_PART : share < LEAST ? LEAST : (size_t)share;
}

/* Looks at the columns in the first part of the input, without moving in it. The part ends with a whole
 * record, so that a record that is longer than the part makes it longer. *complete: the part is all of
 * the input. If the input fails in it, the records before that are the part, and the failure is met again
 * by whoever reads on. */
sheaf_status sheaf_infer_part(sheaf_delimited_reader *in, sheaf_seen *seen, size_t *part, bool *complete,
                              sheaf_error *err)
{
	sheaf_bytes window;
	const uint8_t *end = NULL;
	*part = sheaf_infer_part_size(in->cx);
	SHEAF_TRY(sheaf_seen_begin(seen, in->cx, in->width, err));
	for (size_t most = *part; !end; most *= 2) {
		sheaf_status status = sheaf_source_ahead(in->source, most, &window, err);
		*complete = status == SHEAF_OK && window.size < most;
		if (window.size > most) window.size = most;
		end =
			window.size ? sheaf_records_last_end(&in->dialect, window.data, window.data + window.size) : NULL;
		if (!end) SHEAF_TRY(status);
		SHEAF_TRY(sheaf_forgive(status, "reading what follows the first part meets it again"));
		if (window.size == 0) return SHEAF_OK;
		if (*complete) end = window.data + window.size;
		if (status) break;
	}
	return sheaf_see(seen, in, (sheaf_bytes){window.data, (size_t)(end - window.data)}, err);
}

/* ---- results ---- */

/* What a field of a schema needs to know of a type. */
typedef struct cell_type {
	sheaf_meaning meaning;
	sheaf_type type;
	int width;  /* of a run; -1: any */
	int digits; /* of times */
} cell_type;

/* Returns the narrowest type that holds what is in a column, given the kinds of its words. Numbers are
 * integers of 64 bits, with a sign if they can be, or doubles; a column of nothing is one of texts. A
 * number among dates makes all of them texts. Large integers, which need unsigned numbers, beside
 * negative ones are no numbers of any type. */
static cell_type type_of(unsigned kinds)
{
	enum {
		NUMBERS = KIND_INTEGER | KIND_LARGE | KIND_REAL,
		TIMES = KIND_DATE | KIND_TIME | KIND_DATETIME | KIND_DATETIMETZ,
		VALUES = NUMBERS | KIND_BOOL | TIMES | KIND_TEXT | KIND_ABSENT | KIND_COMMA
	};
	unsigned values = kinds & VALUES;
	bool are_numbers = values && !(values & ~(unsigned)NUMBERS) &&
	                   ((values & KIND_REAL) || !((values & KIND_LARGE) && (kinds & KIND_NEGATIVE)));
	if (are_numbers)
		return (cell_type){SHEAF_NUMBER,
		                   values & KIND_REAL    ? SHEAF_F64
		                   : values & KIND_LARGE ? SHEAF_U64
		                                         : SHEAF_I64,
		                   1};
	if (values == KIND_BOOL) return (cell_type){SHEAF_BOOL, SHEAF_U8, 1};
	if (values && !(values & ~(unsigned)TIMES)) {
		int digits;
		sheaf_meaning meaning = sheaf_time_seen(kinds, &digits);
		if (meaning != SHEAF_STRING)
			return (cell_type){meaning, SHEAF_I64, meaning == SHEAF_DATETIMETZ ? 2 : 1, digits};
	}
	return (cell_type){SHEAF_STRING, SHEAF_U8, -1};
}

/* Whether the column has missing values; blanks are a text, and no value of another type. */
static bool may_miss(unsigned kinds, bool text)
{
	return !kinds || (kinds & KIND_NULL) || (!text && (kinds & KIND_BLANK));
}

unsigned sheaf_infer_doubts(unsigned kinds)
{
	enum { ODD = KIND_ABSENT | KIND_COMMA };
	unsigned without = (kinds & ~(unsigned)ODD) | (kinds & KIND_COMMA ? (unsigned)KIND_REAL : 0);
	return type_of(without).meaning == SHEAF_STRING ? 0 : kinds & ODD;
}

bool sheaf_infers_same(unsigned kinds, unsigned others)
{
	cell_type a = type_of(kinds), b = type_of(others);
	return a.meaning == b.meaning && a.type == b.type && a.digits == b.digits &&
	       may_miss(kinds, a.meaning == SHEAF_STRING) == may_miss(others, b.meaning == SHEAF_STRING) &&
	       sheaf_infer_doubts(kinds) == sheaf_infer_doubts(others);
}

/* What was not seen to the end may have missing values later. */
void sheaf_infer_field(sheaf_field *field, unsigned kinds, bool complete)
{
	cell_type cell = type_of(kinds);
	bool nullable = may_miss(kinds, cell.meaning == SHEAF_STRING) || !complete;
	sheaf_field_make_cell(field, cell.meaning, cell.type, cell.width, nullable);
	field->digits = cell.digits;
}
