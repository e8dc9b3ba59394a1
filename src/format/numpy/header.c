/* SPDX-License-Identifier: MIT */
/* The header of an array: a signature, a version, and a Python dictionary that says what the items are, in
 * which order, and how many (NumPy's NEP 1, and numpy.lib.format).
 *
 *   93 'N' 'U' 'M' 'P' 'Y'   major minor   length   {'descr': '<f8', 'fortran_order': False, 'shape': (3,), }
 *   6 bytes                  1     1       2 or 4   `length` bytes, with blanks before a line feed at the end
 *
 * The length has two bytes in version 1, and four in versions 2 and 3; version 3 says that the dictionary is
 * UTF-8. The items follow at once. Everything that the header claims is compared with the bytes that are
 * there before anything is allocated for it. */
#include "base/checked.h"
#include "base/context.h"
#include "base/endian.h"
#include "base/show.h"
#include "format/numpy/array.h"
#include "io/source.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char mark[] = "\x93NUMPY";
enum { MARK = 6, PREAMBLE = 10, LONG_PREAMBLE = 12, MOST_HEADER = 16 << 20, ALIGNMENT = 64 };

bool sheaf_array_begins(sheaf_bytes head) { return head.size >= MARK && memcmp(head.data, mark, MARK) == 0; }

sheaf_status sheaf_holding_view(const sheaf_holding *h, int64_t at, int64_t size, sheaf_buffer *out,
                                sheaf_error *err)
{
	if (h->source) return sheaf_source_view_at(h->source, h->at + at, (size_t)size, out, err);
	sheaf_buffer_reset(out);
	*out = sheaf_buffer_part(&h->bytes, (size_t)(h->at + at), (size_t)size);
	return SHEAF_OK;
}

static sheaf_status refuse(const sheaf_array *a, sheaf_status status, int64_t byte, const char *expected,
                           const char *found, sheaf_error *err)
{
	return sheaf_fail(err, status, "%s (byte %" PRId64 "): expected %s, found %s", a->holding.name, byte,
	                  expected, found);
}

/* ---- the dictionary ---- */

enum { HAS_DESCR = 1, HAS_ORDER = 2, HAS_SHAPE = 4, HAS_ALL = 7 };

/* Reads a key of the header's dictionary and its value. *has collects the keys that came, a bit for each,
 * as none may come twice. An array of too many dimensions is only noted in *too_many, since what follows
 * may be a flaw of the literal, which is the better message. */
static sheaf_status read_member(sheaf_array *a, sheaf_literal *l, unsigned *has, bool *too_many,
                                sheaf_error *err)
{
	static const char *const names[] = {"descr", "fortran_order", "shape"};
	char key[32];
	unsigned bit = 0;
	sheaf_literal_string(l, key, sizeof key);
	for (unsigned i = 0; i < 3 && !l->expected; i++) bit |= strcmp(key, names[i]) == 0 ? 1u << i : 0;
	if (!bit || (*has & bit))
		sheaf_literal_refuse(l, "each of the keys 'descr', 'fortran_order' and 'shape' once");
	*has |= bit;
	sheaf_literal_needs(l, ':', "':' after a key");
	if (l->expected) return SHEAF_OK;
	if (bit == HAS_DESCR) return sheaf_dtype_read(l, a->cx, &a->dtype, a->holding.name, err);
	if (bit == HAS_ORDER) {
		a->fortran = sheaf_literal_bool(l);
		return SHEAF_OK;
	}
	sheaf_literal_needs(l, '(', "'(' of a shape");
	for (int n = 0; sheaf_literal_next(l, &n, ')', "',' or ')' after an extent");) {
		int64_t extent = sheaf_literal_integer(l);
		*too_many |= a->rank == SHEAF_MAX_RANK;
		if (!*too_many && !l->expected) a->shape[a->rank++] = extent;
	}
	return SHEAF_OK;
}

/* Reads the header's dictionary, whose text begins at byte `at` of the array; nothing but blanks may
 * follow it. Some writers end the text with a NUL, which is passed. */
static sheaf_status read_dictionary(sheaf_array *a, const sheaf_buffer *text, int64_t at, sheaf_error *err)
{
	const char *begin = text->size ? (const char *)text->data : "";
	sheaf_literal l = {.begin = begin, .at = begin, .end = begin + text->size};
	unsigned has = 0;
	bool too_many = false;
	sheaf_literal_needs(&l, '{', "'{' of a dictionary");
	for (int n = 0; sheaf_literal_next(&l, &n, '}', "',' or '}' after a value");)
		SHEAF_TRY(read_member(a, &l, &has, &too_many, err));
	if (!l.expected && has != HAS_ALL)
		sheaf_literal_refuse(&l, "the keys 'descr', 'fortran_order' and 'shape'");
	sheaf_literal_takes(&l, '\0');
	if (!l.expected && l.at != l.end) sheaf_literal_refuse(&l, "nothing after the dictionary");
	char shown[SHEAF_SHOWN_SIZE];
	if (l.expected)
		return refuse(a, SHEAF_DATA, at + (l.at - l.begin), l.expected,
		              sheaf_show((const uint8_t *)l.at, (const uint8_t *)l.end, ',', shown), err);
	if (too_many)
		return refuse(a, SHEAF_UNSUPPORTED, at, "an array of at most 8 dimensions", "one of more", err);
	return SHEAF_OK;
}

/* ---- opening ---- */

/* Reads the preamble, which has the version and says how long the dictionary is, and then the dictionary.
 * The length has two bytes in version 1 and four in later ones. The preamble of later versions has twelve
 * bytes, and as many are read at once, since a file that has fewer has no array; `size` is -1 then. Sets
 * where the items begin. */
static sheaf_status read_header(sheaf_array *a, sheaf_error *err)
{
	sheaf_buffer head = {0};
	char found[48];
	int64_t preamble = a->holding.size < LONG_PREAMBLE ? a->holding.size : LONG_PREAMBLE;
	SHEAF_TRY(sheaf_holding_view(&a->holding, 0, preamble, &head, err));
	bool begins = sheaf_array_begins((sheaf_bytes){head.data, head.size});
	uint8_t version = begins && head.size > MARK ? head.data[MARK] : 0;
	uint8_t minor = begins && head.size > MARK + 1 ? head.data[MARK + 1] : 0;
	int64_t size = head.size < LONG_PREAMBLE ? -1
	               : version == 1            ? head.data[8] | head.data[9] << 8
	                                         : (int64_t)sheaf_load_u32le(head.data + 8);
	sheaf_buffer_reset(&head);
	snprintf(found, sizeof found, "version %d.%d", version, minor);
	if (!begins) return refuse(a, SHEAF_DATA, 0, "the signature of a NumPy array", "other bytes", err);
	if (version < 1 || version > 3 || minor)
		return refuse(a, SHEAF_UNSUPPORTED, MARK, "version 1.0, 2.0 or 3.0", found, err);
	int64_t at = version == 1 ? PREAMBLE : LONG_PREAMBLE;
	snprintf(found, sizeof found, "%" PRId64 " bytes", size);
	if (size < 0 || size > a->holding.size - at)
		return refuse(a, SHEAF_SHORT, 8, "a header within the file", size < 0 ? "the end of it" : found, err);
	if (size > MOST_HEADER) return refuse(a, SHEAF_LIMIT, 8, "a header of at most 16 MiB", found, err);
	SHEAF_TRY(sheaf_holding_view(&a->holding, at, size, &head, err));
	sheaf_status status = read_dictionary(a, &head, at, err);
	sheaf_buffer_reset(&head);
	a->data_at = at + size;
	return status;
}

/* Computes the number of items and compares their bytes with those that are there. An extent of 0 makes
 * an array empty whatever the others are, so that their product, which NumPy accepts, is not asked for.
 * Bytes after the items are reported and left alone: NumPy passes them, too. */
static sheaf_status check_size(sheaf_array *a, sheaf_error *err)
{
	char expected[64], found[48];
	int64_t bytes = 0;
	bool empty = false, fits = true;
	for (int d = 0; d < a->rank; d++) empty |= a->shape[d] == 0;
	a->count = empty ? 0 : 1;
	for (int d = 0; d < a->rank && !empty; d++)
		fits = fits && sheaf_mul_i64(&a->count, a->count, a->shape[d]);
	fits = fits && sheaf_mul_i64(&bytes, a->count, a->dtype.size);
	int64_t left = a->holding.size - a->data_at;
	snprintf(expected, sizeof expected, fits ? "%" PRId64 " bytes of items" : "items of less than 2^63 bytes",
	         bytes);
	snprintf(found, sizeof found, "%" PRId64, left);
	if (!fits) return refuse(a, SHEAF_DATA, a->data_at, expected, "more", err);
	if (bytes > left) return refuse(a, SHEAF_SHORT, a->data_at, expected, found, err);
	if (bytes == left) return SHEAF_OK;
	sheaf_problem problem =
		sheaf_problem_in(a->holding.name, &SHEAF_FINDING(SHEAF_BREACH, "bytes after the items", expected,
	                                                     found, "the rest is ignored"));
	problem.place.byte = a->data_at;
	return sheaf_report(a->cx, &problem, err);
}

sheaf_status sheaf_array_open(sheaf_array *a, const sheaf_holding *holding, sheaf_context *cx,
                              sheaf_error *err)
{
	*a = (sheaf_array){.cx = cx, .holding = *holding};
	sheaf_status status = read_header(a, err);
	if (status == SHEAF_OK) status = check_size(a, err);
	if (status) sheaf_array_close(a);
	return status;
}

void sheaf_array_close(sheaf_array *a)
{
	sheaf_buffer_reset(&a->holding.bytes);
	if (a->cx) sheaf_dtype_free(&a->dtype, a->cx);
}

/* ---- writing ---- */

/* Appends the value of "descr" as NumPy writes it: the type alone, or a list of fields, each with its
 * name in quotes, its type, and its shape if its parts form a subarray. The name of a subarray is that of
 * its first part up to the bracket. */
void sheaf_dtype_spell(const sheaf_dtype *dtype, sheaf_builder *b)
{
	if (!dtype->structured) {
		sheaf_part_spell(&dtype->parts[0], b);
		return;
	}
	char shape[32];
	for (int p = 0, n; p < dtype->nparts; p += n) {
		const char *name = dtype->parts[p].name;
		n = sheaf_subarray_parts(dtype, p, shape, sizeof shape);
		const char *end = shape[0] ? strrchr(name, '[') : strchr(name, '\0');
		sheaf_builder_text(b, p ? ", ('" : "[('");
		for (; name < end; name++) {
			if (*name == '\'' || *name == '\\') sheaf_builder_byte(b, '\\');
			sheaf_builder_byte(b, *name);
		}
		sheaf_builder_text(b, "', ");
		sheaf_part_spell(&dtype->parts[p], b);
		if (shape[0]) sheaf_builder_printf(b, ", %s", shape);
		sheaf_builder_byte(b, ')');
	}
	sheaf_builder_byte(b, ']');
}

/* Appends the header of an array: version 1 for a short one, 2 for a long one, 3 if names are UTF-8.
 * Blanks bring the items to a multiple of 64 bytes, as NumPy's writer does, so that a mapping of the file
 * has them aligned. The length field has preamble - 8 bytes: two in version 1, four in the others. */
void sheaf_array_put_header(sheaf_builder *b, const sheaf_array_head *head)
{
	sheaf_builder text;
	bool ascii = true;
	for (int p = 0; p < head->dtype->nparts; p++)
		for (const char *c = head->dtype->parts[p].name; *c; c++) ascii &= (uint8_t)*c < 0x80;
	sheaf_builder_begin(&text, b->cx, NULL);
	sheaf_builder_text(&text, "{'descr': ");
	sheaf_dtype_spell(head->dtype, &text);
	sheaf_builder_printf(&text, ", 'fortran_order': %s, 'shape': (", head->fortran ? "True" : "False");
	for (int d = 0; d < head->rank; d++)
		sheaf_builder_printf(&text, d ? ", %" PRId64 : "%" PRId64, head->shape[d]);
	sheaf_builder_text(&text, head->rank == 1 ? ",), }" : "), }");
	int version = !ascii ? 3 : text.size + ALIGNMENT > UINT16_MAX ? 2 : 1;
	size_t preamble = version == 1 ? PREAMBLE : LONG_PREAMBLE;
	while ((preamble + text.size + 1) % ALIGNMENT && !text.failed) sheaf_builder_byte(&text, ' ');
	sheaf_builder_byte(&text, '\n');
	sheaf_builder_append(b, mark, MARK);
	sheaf_builder_byte(b, (char)version);
	sheaf_builder_byte(b, '\0');
	uint8_t size[4];
	sheaf_store_u32le(size, (uint32_t)text.size);
	sheaf_builder_append(b, size, preamble - 8);
	sheaf_builder_append(b, text.data, text.size);
	if (text.failed && !b->failed) b->failed = text.failed;
	sheaf_builder_drop(&text);
}
