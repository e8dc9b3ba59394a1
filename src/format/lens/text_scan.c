/* SPDX-License-Identifier: MIT */
/* Where an example ends: at a ';' that is in no string, no comment and no range header. What is within them is read by others; here, a
 * wrong bracket leads back to where any ';' counts. */
#include "format/lens/text.h"

enum { TOP, BEFORE_STRING, BARE_WORD, RANGE_HEADER, BLOCK };

void sheaf_lens_text_start(sheaf_lens_scan *scan, bool line_start)
{
	scan->at = scan->needed = 0;
	scan->broken = scan->comment = false;
	scan->state = TOP;
	scan->line_start = line_start;
}

static bool starts_line(const sheaf_lens_scan *scan, const uint8_t *data)
{
	return scan->at == 0 ? scan->line_start : sheaf_lens_is_newline(data[scan->at - 1]);
}

static void enter_block(sheaf_lens_scan *scan, uint8_t opener, int behind)
{
	sheaf_lens_nest_begin(&scan->nest, opener);
	scan->state = BLOCK;
	scan->behind = behind;
}

static bool announces_string(const uint8_t *data, size_t colon)
{
	return colon >= 4 && (memcmp(data + colon - 4, "name", 4) == 0 || memcmp(data + colon - 4, "proc", 4) == 0);
}

/* Stops at the next byte that tells something, or behind the ';'. */
static bool scan_top(sheaf_lens_scan *scan, const uint8_t *data, size_t size)
{
	size_t at = scan->at;
	while (at < size && !sheaf_lens_is(data[at], LENS_TELLS)) at++;
	scan->at = at;
	if (at == size) return false;
	uint8_t byte = data[at];
	if (byte == '#' && starts_line(scan, data)) {
		scan->comment = true;
		return false;
	}
	scan->at++;
	if (byte == '{' || byte == '(')
		scan->state = RANGE_HEADER;
	else if (byte == ':' && announces_string(data, at))
		scan->state = BEFORE_STRING;
	return byte == ';';
}

static void scan_comment(sheaf_lens_scan *scan, const uint8_t *data, size_t size)
{
	while (scan->at < size && !sheaf_lens_is_newline(data[scan->at])) scan->at++;
	scan->comment = scan->at == size;
}

/* A byte that is not at the top; some are looked at once more, in the next state. */
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
	case RANGE_HEADER:
		if (sheaf_lens_is(byte, LENS_OPENER))
			enter_block(scan, byte, RANGE_HEADER);
		else if (sheaf_lens_is(byte, LENS_BRACKET))
			scan->state = TOP;
		break;
	default:
		if (sheaf_lens_is_newline(byte)) break;
		sheaf_lens_nesting nesting = sheaf_lens_nest_byte(&scan->nest, byte);
		if (nesting != SHEAF_LENS_INSIDE) scan->state = nesting == SHEAF_LENS_CLOSED ? scan->behind : TOP;
	}
	scan->at++;
}

bool sheaf_lens_text_end(sheaf_lens_scan *scan, const uint8_t *data, size_t size)
{
	while (scan->at < size) {
		if (scan->comment) {
			scan_comment(scan, data, size);
		} else if (scan->state == TOP) {
			if (scan_top(scan, data, size)) return true;
		} else if (data[scan->at] == '#' && starts_line(scan, data)) {
			scan->comment = true;
		} else {
			scan_inside(scan, data[scan->at]);
		}
	}
	return false;
}
