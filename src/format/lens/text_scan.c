/* SPDX-License-Identifier: MIT */
/* Where an example ends: at a ';' that is in no string, no comment and no range header. Their contents are
 * read elsewhere; here, a wrong bracket leads back to the state where any ';' counts. */
#include "format/lens/text.h"
#include "number/kernels/find.h"

enum { TOP, BEFORE_STRING, BARE_WORD, RANGE_HEADER, BLOCK };

void sheaf_lens_text_start(sheaf_lens_scan *scan, bool line_start)
{
	scan->at = scan->needed = 0;
	scan->broken = scan->comment = scan->last = false;
	scan->state = TOP;
	scan->line_start = line_start;
}

static bool starts_line(const sheaf_lens_scan *scan, const uint8_t *data)
{
	return scan->at == 0 ? scan->line_start : sheaf_lens_is_newline(data[scan->at - 1]);
}

typedef enum finding {
	MORE,
	INSIDE,
	ENDED
} finding; /* more bytes are needed; something else begins; after the ';' */

static finding scan_top(sheaf_lens_scan *scan, const uint8_t *data, size_t size)
{
	static const sheaf_wanted reporting = {{SHEAF_SIXTEEN(';'), SHEAF_SIXTEEN('n'), SHEAF_SIXTEEN('p'),
	                                        SHEAF_SIXTEEN('{'), SHEAF_SIXTEEN('('), SHEAF_SIXTEEN('#')}};
	enum { WORD = 5 };
	for (;;) {
		size_t at = scan->at = (size_t)(sheaf_find_any(data + scan->at, data + size, &reporting) - data);
		if (at == size) return MORE;
		bool letter = data[at] == 'n' || data[at] == 'p';
		bool cut = size - at < WORD;
		if (letter && cut && !scan->last) return MORE;
		scan->comment = data[at] == '#' && starts_line(scan, data);
		if (scan->comment) return INSIDE;
		scan->at++;
		if (data[at] == ';') return ENDED;
		if (data[at] == '{' || data[at] == '(') {
			scan->state = RANGE_HEADER;
			return INSIDE;
		}
		bool is_word = letter && !cut && data[at + 4] == ':';
		if (is_word && (memcmp(data + at, "name", 4) == 0 || memcmp(data + at, "proc", 4) == 0)) {
			scan->state = BEFORE_STRING;
			scan->at = at + WORD;
			return INSIDE;
		}
	}
}

static void scan_block(sheaf_lens_scan *scan, const uint8_t *data, size_t size)
{
	scan->at = (size_t)(sheaf_lens_pass_plain(&scan->nest, data + scan->at, data + size) - data);
	if (scan->at == size) return;
	uint8_t byte = data[scan->at++];
	sheaf_lens_nesting nesting =
		sheaf_lens_is_newline(byte) ? SHEAF_LENS_INSIDE : sheaf_lens_nest_byte(&scan->nest, byte);
	if (nesting != SHEAF_LENS_INSIDE) scan->state = nesting == SHEAF_LENS_CLOSED ? scan->after : TOP;
}

static void enter_block(sheaf_lens_scan *scan, uint8_t opener, int after)
{
	sheaf_lens_nest_begin(&scan->nest, opener);
	scan->state = BLOCK;
	scan->after = after;
}

/* A byte before a string, in a bare word or in a range header; some are examined once more, in the next
 * state. */
static void scan_inside(sheaf_lens_scan *scan, uint8_t byte)
{
	switch (scan->state) {
	case BEFORE_STRING:
		if (sheaf_lens_is(byte, LENS_BLANK)) break;
		if (!sheaf_lens_is(byte, LENS_OPENER)) {
			scan->state = BARE_WORD;
			return;
		}
		enter_block(scan, byte, TOP);
		break;
	case BARE_WORD:
		if (byte && !sheaf_lens_is(byte, LENS_BLANK | LENS_BRACKET)) break;
		scan->state = TOP;
		return;
	default:
		if (sheaf_lens_is(byte, LENS_OPENER))
			enter_block(scan, byte, RANGE_HEADER);
		else if (sheaf_lens_is(byte, LENS_BRACKET))
			scan->state = TOP;
	}
	scan->at++;
}

bool sheaf_lens_text_end(sheaf_lens_scan *scan, const uint8_t *data, size_t size)
{
	while (scan->at < size) {
		if (scan->comment) {
			while (scan->at < size && !sheaf_lens_is_newline(data[scan->at])) scan->at++;
			scan->comment = scan->at == size;
		} else if (scan->state == TOP) {
			finding found = scan_top(scan, data, size);
			if (found != INSIDE) return found == ENDED;
		} else if (data[scan->at] == '#' && starts_line(scan, data)) {
			scan->comment = true;
		} else if (scan->state == BLOCK) {
			scan_block(scan, data, size);
		} else {
			scan_inside(scan, data[scan->at]);
		}
	}
	return false;
}
