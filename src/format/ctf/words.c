/* SPDX-License-Identifier: MIT */
/* Bytes of the text format: their classes, and how messages show them. */
#include "format/ctf/ctf.h"
#include "number/number.h"
#include <stdio.h>
#include <string.h>

/* CNTK tests `char < 0x20` with a signed char, so bytes from 0x80 on count as control characters outside names. In names they are
 * letters, as in its later versions: names may be UTF-8. */
enum { CONTROL = CTF_ENDS_VALUES | CTF_ENDS_NAME | CTF_SKIPPED, HIGH = CTF_ENDS_VALUES | CTF_SKIPPED };

const uint8_t sheaf_ctf_classes[256] = {
	[0 ... '\t' - 1] = CONTROL,    ['\t'] = CTF_SPACE | CTF_ENDS_NAME | CTF_SKIPPED, ['\n'] = CTF_ENDS_VALUES | CTF_ENDS_NAME,
	['\n' + 1 ... 0x1f] = CONTROL, [' '] = CTF_SPACE | CTF_ENDS_NAME | CTF_SKIPPED,  ['|'] = CTF_ENDS_VALUES | CTF_ENDS_NAME,
	[0x80 ... 0xff] = HIGH,
};

const uint8_t *sheaf_ctf_next_input(const uint8_t *at, const uint8_t *end)
{
	while (at < end && *at != '|' && *at != '\n') at++;
	return at;
}

const char *sheaf_ctf_found(const uint8_t *at, const uint8_t *end, char text[CTF_FOUND_SIZE])
{
	enum { SHOWN = 24 };
	size_t n = 0;
	if (at == end) return "the end of the file";
	if (*at == '\n' || (*at == '\r' && at + 1 < end && at[1] == '\n')) return "the end of the line";
	if (*at == ' ') return "a space";
	if (*at == '\t') return "a tab";
	if (*at < 0x20 || *at == 0x7f) {
		snprintf(text, CTF_FOUND_SIZE, "byte 0x%02x", *at);
		return text;
	}
	while (at + n < end && n < SHOWN && at[n] > ' ' && at[n] != 0x7f && (at[n] != '|' || n == 0)) n++;
	snprintf(text, CTF_FOUND_SIZE, "\"%.*s%s\"", (int)n, (const char *)at, n == SHOWN ? "..." : "");
	return text;
}

bool sheaf_ctf_read_id(const uint8_t **at, const uint8_t *end, uint64_t *id, bool *over)
{
	if (*at == end || !sheaf_ctf_is_digit(**at)) return false;
	sheaf_scanned scanned = sheaf_scan_u64((const char *)*at, (const char *)end, id);
	*over = scanned.flaw == SHEAF_NUMBER_OVERFLOW;
	if (*over) *id = UINT64_MAX;
	*at = (const uint8_t *)scanned.end;
	return true;
}
