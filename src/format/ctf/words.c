/* SPDX-License-Identifier: MIT */
/* Bytes of the text format: their classes. */
#include "format/ctf/ctf.h"
#include "number/number.h"

/* CNTK tests `char < 0x20` with a signed char, so bytes from 0x80 on count as control characters outside
 * names. In names they are letters, as in its later versions: names may be UTF-8. */
enum { CONTROL = CTF_ENDS_VALUES | CTF_ENDS_NAME | CTF_SKIPPED, HIGH = CTF_ENDS_VALUES | CTF_SKIPPED };

const uint8_t sheaf_ctf_classes[256] = {
	[0 ... '\t' - 1] = CONTROL,
	['\t'] = CTF_SPACE | CTF_ENDS_NAME | CTF_SKIPPED,
	['\n'] = CTF_ENDS_VALUES | CTF_ENDS_NAME,
	['\n' + 1 ... 0x1f] = CONTROL,
	[' '] = CTF_SPACE | CTF_ENDS_NAME | CTF_SKIPPED,
	['|'] = CTF_ENDS_VALUES | CTF_ENDS_NAME,
	[0x80 ... 0xff] = HIGH,
};

const sheaf_delimiters sheaf_ctf_delimiters = {
	.spaces = {' ', '\t'}, .pair = ':', .mark = '|', .feed = '\n', .before_feed = '\r', .comment = '#'};

const uint8_t *sheaf_ctf_next_input(const uint8_t *at, const uint8_t *end)
{
	while (at < end && *at != '|' && *at != '\n') at++;
	return at;
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
