/* SPDX-License-Identifier: MIT */
/* Texts and numbers as JSON spells them (RFC 8259). Reports, rows and schemas are written by these functions
 * alone, so all of them escape, separate and spell in one way. */
#include "frame/schema/json_text.h"
#include "base/show.h"
#include "number/number.h"
#include <inttypes.h>
#include <math.h>

/* Bytes that are no UTF-8 become U+FFFD, quotes and backslashes are escaped, and so are control characters.
 */
void sheaf_json_string(sheaf_builder *b, const char *text, size_t n)
{
	const uint8_t *s = (const uint8_t *)text;
	sheaf_builder_byte(b, '"');
	for (size_t i = 0; i < n;) {
		size_t length = sheaf_utf8_length(s + i, n - i);
		if (length == 0)
			sheaf_builder_text(b, "\xef\xbf\xbd");
		else if (s[i] == '"' || s[i] == '\\')
			sheaf_builder_byte(b, '\\'), sheaf_builder_byte(b, (char)s[i]);
		else if (s[i] < 0x20)
			sheaf_builder_printf(b, "\\u%04x", s[i]);
		else
			sheaf_builder_append(b, s + i, length);
		i += length ? length : 1;
	}
	sheaf_builder_byte(b, '"');
}

void sheaf_put_visibly(sheaf_builder *b, const char *text)
{
	char shown[SHEAF_SHOWN];
	for (size_t n = strlen(text), used; n > 0; text += used, n -= used) {
		used = sheaf_show_character(text, n, shown);
		sheaf_builder_text(b, shown);
	}
}

void sheaf_json_real(sheaf_builder *b, double v)
{
	if (!sheaf_builder_room(b, SHEAF_NUMBER_MAX + 2)) return;
	char *at = (char *)b->data + b->size;
	if (!isfinite(v)) *at++ = '"';
	at = sheaf_print_f64(at, v);
	if (!isfinite(v)) *at++ = '"';
	b->size = (size_t)(at - (char *)b->data);
}

void sheaf_member(sheaf_builder *b, const char *name)
{
	if (b->size ? !strchr("{[:,\n", b->data[b->size - 1]) : name != NULL) sheaf_builder_byte(b, ',');
	if (!name) return;
	sheaf_json_string(b, name, strlen(name));
	sheaf_builder_byte(b, ':');
}

void sheaf_member_text(sheaf_builder *b, const char *name, const char *text)
{
	sheaf_member(b, name);
	if (text)
		sheaf_json_string(b, text, strlen(text));
	else
		sheaf_builder_text(b, "null");
}

void sheaf_member_count(sheaf_builder *b, const char *name, int64_t n)
{
	sheaf_member(b, name);
	sheaf_builder_printf(b, "%" PRId64, n);
}

void sheaf_member_real(sheaf_builder *b, const char *name, double v)
{
	sheaf_member(b, name);
	sheaf_json_real(b, v);
}

void sheaf_member_flag(sheaf_builder *b, const char *name, bool flag)
{
	sheaf_member(b, name);
	sheaf_builder_text(b, flag ? "true" : "false");
}

void sheaf_member_open(sheaf_builder *b, const char *name, char bracket)
{
	sheaf_member(b, name);
	sheaf_builder_byte(b, bracket);
}
