/* SPDX-License-Identifier: MIT */
/* Texts and numbers as JSON spells them. */
#include "data/json_text.h"
#include "base/show.h"
#include "number/number.h"
#include <math.h>

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
