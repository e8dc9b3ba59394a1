/* SPDX-License-Identifier: MIT */
/* The first line, and the line in which GraphBLAS gives the exact type:
 *
 *   %%MatrixMarket matrix coordinate real general
 *   %%GraphBLAS type float
 *
 * Words are taken in letters of any case. What programs write otherwise and what has one meaning only is
 * read with a finding; the rest is refused, or needs --allow breach. */
#include "format/matrixmarket/matrixmarket.h"
#include <strings.h>

const char *const sheaf_mtx_fields[] = {"real", "integer", "unsigned-integer", "complex", "pattern", NULL};
const char *const sheaf_mtx_symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian", NULL};

/* ---- words ---- */

/* Returns the number of the next word among some, ignoring case; -1 if it is none of them. *at is where
 * it begins. */
static int read_word(sheaf_mtx_line *l, const char *const *words, const uint8_t **at)
{
	sheaf_mtx_pass_spaces(l);
	*at = l->at;
	while (l->at < l->end && !sheaf_lined_is_space(&sheaf_mtx_syntax, *l->at)) l->at++;
	size_t n = (size_t)(l->at - *at);
	for (int w = 0; words[w]; w++)
		if (strlen(words[w]) == n && strncasecmp(words[w], (const char *)*at, n) == 0) return w;
	return -1;
}

/* Takes the next word, which must be one of some; `wanted` says what else is wrong. */
static sheaf_status take_word(const sheaf_mtx_reader *in, sheaf_mtx_line *l, const char *const *words,
                              sheaf_finding wanted, int *out, sheaf_error *err)
{
	char found[SHEAF_SHOWN_SIZE];
	const uint8_t *at;
	*out = read_word(l, words, &at);
	if (*out >= 0) return SHEAF_OK;
	wanted.found = sheaf_mtx_found(l, at, found);
	if (at == l->end) wanted.status = SHEAF_DATA;
	return sheaf_mtx_refuse(in, l, at, wanted, err);
}

/* ---- the banner ---- */

/* Reads the mark "%%MatrixMarket", after a byte order mark if there is one. Readers of other programs
 * need it to be first, with both signs: white space before it and a single sign are read and reported. */
static sheaf_status read_mark(sheaf_mtx_reader *in, sheaf_mtx_line *l, sheaf_error *err)
{
	static const char *const marks[] = {"%%MatrixMarket", "%MatrixMarket", NULL};
	int mark;
	l->at += sheaf_utf8_mark(l->begin, (size_t)(l->end - l->begin));
	const uint8_t *begin = l->at;
	SHEAF_TRY(take_word(in, l, marks, SHEAF_FINDING(.expected = "%%MatrixMarket"), &mark, err));
	if (sheaf_lined_is_space(&sheaf_mtx_syntax, *begin))
		SHEAF_TRY(sheaf_mtx_tolerate(
			in, l, begin,
			SHEAF_FINDING(.rule = "space before the banner", .expected = "%%MatrixMarket as the first bytes",
		                  .found = "white space before it", .consequence = "it is ignored"),
			err));
	if (mark == 0) return SHEAF_OK;
	return sheaf_mtx_tolerate(in, l, begin,
	                          SHEAF_FINDING(.rule = "banner of one %", .expected = "%%MatrixMarket",
	                                        .found = "%MatrixMarket", .consequence = "it is read anyway"),
	                          err);
}

/* Reads the field of the banner, which is the type of values. Some programs write "double" for real,
 * which is read and reported. */
static sheaf_status read_field(sheaf_mtx_reader *in, sheaf_mtx_line *l, sheaf_error *err)
{
	static const char *const others[] = {"double", NULL};
	static const char expected[] = "one of the fields real, integer, unsigned-integer, complex, pattern";
	int field;
	const uint8_t *at;
	sheaf_mtx_line looked = *l;
	in->value = SHEAF_ENTRY_REAL;
	if (read_word(&looked, others, &at) == 0) {
		*l = looked;
		return sheaf_mtx_allow(in, l, at,
		                       SHEAF_FINDING(.rule = "field", .expected = expected, .found = "\"double\"",
		                                     .consequence = "it is read as real"),
		                       err);
	}
	SHEAF_TRY(take_word(in, l, sheaf_mtx_fields, SHEAF_FINDING(.expected = expected), &field, err));
	in->value = (sheaf_entry_value)field;
	return SHEAF_OK;
}

/* Checks what the words of the banner mean together: an array has values, a vector no structure, and
 * numbers without signs no opposites. A hermitian matrix of real numbers is read as a symmetric one. `at`
 * is where the field is, for messages. */
static sheaf_status check_banner(sheaf_mtx_reader *in, const sheaf_mtx_line *l, const uint8_t *at,
                                 sheaf_error *err)
{
	const char *field = sheaf_mtx_fields[in->value];
	if (in->bare && in->value == SHEAF_ENTRY_PATTERN)
		return sheaf_mtx_refuse(
			in, l, at, SHEAF_FINDING(.expected = "a field with values in an array", .found = "\"pattern\""),
			err);
	if (in->rank == 1 && in->symmetry != MTX_GENERAL)
		return sheaf_mtx_refuse(
			in, l, at,
			SHEAF_FINDING(.expected = "a vector to be general", .found = sheaf_mtx_symmetries[in->symmetry]),
			err);
	if (in->symmetry == MTX_SKEW && (in->value == SHEAF_ENTRY_PATTERN || in->value == SHEAF_ENTRY_UNSIGNED))
		return sheaf_mtx_refuse(
			in, l, at,
			SHEAF_FINDING(.expected = "a field with signs in a skew-symmetric matrix", .found = field), err);
	if (in->symmetry != MTX_HERMITIAN || in->value == SHEAF_ENTRY_COMPLEX) return SHEAF_OK;
	in->symmetry = MTX_SYMMETRIC;
	return sheaf_mtx_allow(in, l, at,
	                       SHEAF_FINDING(.rule = "hermitian matrix of numbers that are not complex",
	                                     .expected = "the field complex in a hermitian matrix",
	                                     .found = field, .consequence = "it is read as symmetric"),
	                       err);
}

/* Reads the first line: mark, object (matrix, or the vector that some programs write), format, field,
 * symmetry. in->bare means the format "array", whose lines have no coordinates. */
sheaf_status sheaf_mtx_read_banner(sheaf_mtx_reader *in, sheaf_mtx_line *l, sheaf_error *err)
{
	static const char *const objects[] = {"vector", "matrix", NULL}, *const formats[] = {"coordinate",
	                                                                                     "array", NULL};
	static const sheaf_type types[] = {SHEAF_F64, SHEAF_I64, SHEAF_U64, SHEAF_F64, SHEAF_U8};
	int word, symmetry;
	SHEAF_TRY(read_mark(in, l, err));
	SHEAF_TRY(take_word(in, l, objects,
	                    SHEAF_FINDING(.expected = "the object matrix or vector", .status = SHEAF_UNSUPPORTED),
	                    &word, err));
	in->rank = word + 1;
	SHEAF_TRY(take_word(in, l, formats, SHEAF_FINDING(.expected = "coordinate or array"), &word, err));
	in->bare = word == 1;
	sheaf_mtx_pass_spaces(l);
	const uint8_t *at = l->at;
	SHEAF_TRY(read_field(in, l, err));
	SHEAF_TRY(take_word(in, l, sheaf_mtx_symmetries,
	                    SHEAF_FINDING(.expected = "one of general, symmetric, skew-symmetric, hermitian"),
	                    &symmetry, err));
	in->symmetry = (sheaf_mtx_symmetry)symmetry;
	SHEAF_TRY(check_banner(in, l, at, err));
	in->type = types[in->value];
	in->is_bool = in->value == SHEAF_ENTRY_PATTERN;
	return sheaf_mtx_end_line(in, l, "text after the banner", "the end of the banner", err);
}

/* ---- GraphBLAS ---- */

/* A type that GraphBLAS writes, and the field that it is read as. */
typedef struct type_name {
	const char *name, *other; /* the name in C, and in GraphBLAS */
	sheaf_entry_value value;
	sheaf_type type;
} type_name;

static const type_name type_names[] = {
	{"bool", "GrB_BOOL", SHEAF_ENTRY_INTEGER, SHEAF_U8},
	{"int8_t", "GrB_INT8", SHEAF_ENTRY_INTEGER, SHEAF_I8},
	{"int16_t", "GrB_INT16", SHEAF_ENTRY_INTEGER, SHEAF_I16},
	{"int32_t", "GrB_INT32", SHEAF_ENTRY_INTEGER, SHEAF_I32},
	{"int64_t", "GrB_INT64", SHEAF_ENTRY_INTEGER, SHEAF_I64},
	{"uint8_t", "GrB_UINT8", SHEAF_ENTRY_INTEGER, SHEAF_U8},
	{"uint16_t", "GrB_UINT16", SHEAF_ENTRY_INTEGER, SHEAF_U16},
	{"uint32_t", "GrB_UINT32", SHEAF_ENTRY_INTEGER, SHEAF_U32},
	{"uint64_t", "GrB_UINT64", SHEAF_ENTRY_UNSIGNED, SHEAF_U64},
	{"float", "GrB_FP32", SHEAF_ENTRY_REAL, SHEAF_F32},
	{"double", "GrB_FP64", SHEAF_ENTRY_REAL, SHEAF_F64},
	{"float complex", "GxB_FC32", SHEAF_ENTRY_COMPLEX, SHEAF_F32},
	{"double complex", "GxB_FC64", SHEAF_ENTRY_COMPLEX, SHEAF_F64},
};

/* Whether the rest of the line is this text, in letters of any case. */
static bool is_rest(const sheaf_mtx_line *l, const char *text)
{
	size_t n = (size_t)(l->end - l->at);
	while (n > 0 && sheaf_lined_is_space(&sheaf_mtx_syntax, l->at[n - 1])) n--;
	return strlen(text) == n && strncasecmp(text, (const char *)l->at, n) == 0;
}

/* Takes the type that a comment of GraphBLAS gives the values: "%%GraphBLAS type NAME", in which the word
 * "type" may be missing; any other comment changes nothing. A pattern has no values that could have a type,
 * complex numbers cannot have a real one, and a skew-symmetric matrix needs signs. */
void sheaf_mtx_read_type(sheaf_mtx_reader *in, const sheaf_mtx_line *line)
{
	static const char *const marks[] = {"%%GraphBLAS", NULL}, *const types[] = {"type", NULL};
	sheaf_mtx_line l = *line;
	const uint8_t *at;
	if (read_word(&l, marks, &at) < 0) return;
	if (read_word(&l, types, &at) < 0) l.at = at;
	sheaf_mtx_pass_spaces(&l);
	for (size_t t = 0; t < sizeof type_names / sizeof *type_names; t++) {
		const type_name *type = &type_names[t];
		if (!is_rest(&l, type->name) && !is_rest(&l, type->other)) continue;
		if (in->value == SHEAF_ENTRY_PATTERN ||
		    (in->value == SHEAF_ENTRY_COMPLEX) != (type->value == SHEAF_ENTRY_COMPLEX))
			return;
		if (in->symmetry == MTX_SKEW && type->type < SHEAF_I8) return;
		in->value = type->value;
		in->type = type->type;
		in->is_bool = t == 0;
	}
}
