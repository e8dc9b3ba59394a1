/* SPDX-License-Identifier: MIT */
/* Encodings of text, into UTF-8. */
#include "io/filters/charset.h"
#include "base/show.h"
#include "base/spell.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#if SHEAF_ICONV
#include <iconv.h>
#endif

/* What Windows has where Latin-1 has control characters. */
static const uint16_t windows[32] = {0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                     0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
                                     0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                     0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

enum { LITTLE = 3, BIG, CP1252 = 2 };
static const sheaf_charset charsets[] = {
	{"UTF-8", {"utf8", "ascii", "usascii", NULL}, 0, false, NULL},
	{"Latin-1", {"latin1", "iso88591", "l1", NULL}, 1, false, NULL},
	{"CP1252", {"cp1252", "windows1252", NULL}, 1, false, windows},
	{"UTF-16LE", {"utf16le", "ucs2le", NULL}, 2, false, NULL},
	{"UTF-16BE", {"utf16be", "ucs2be", NULL}, 2, true, NULL},
};

/* ---- names ---- */

const sheaf_charset *sheaf_charset_find(const char *name)
{
	char bare[16];
	size_t n = 0;
	for (; *name; name++) {
		if (*name == '-' || *name == '_' || *name == ' ') continue;
		if (n == sizeof bare - 1) return NULL;
		bare[n++] = (char)tolower((unsigned char)*name);
	}
	bare[n] = '\0';
	for (size_t i = 0; i < sizeof charsets / sizeof *charsets; i++)
		for (const char *const *known = charsets[i].names; *known; known++)
			if (strcmp(*known, bare) == 0) return &charsets[i];
	return NULL;
}

/* ---- from the text ---- */

static bool is_in_text(uint8_t c) { return (c >= ' ' && c < 0x7f) || (c >= '\t' && c <= '\r'); }

const sheaf_charset *sheaf_charset_of_head(sheaf_bytes head)
{
	const uint8_t *s = head.data;
	if (head.size < 2) return NULL;
	if (s[0] == 0xfe && s[1] == 0xff) return &charsets[BIG];
	if (s[0] == 0xff && s[1] == 0xfe)
		return head.size >= 4 && s[2] == 0 && s[3] == 0 ? NULL : &charsets[LITTLE]; /* that of UTF-32 */
	if (head.size < 4) return NULL;
	if (is_in_text(s[0]) && s[1] == 0 && is_in_text(s[2]) && s[3] == 0) return &charsets[LITTLE];
	return s[0] == 0 && is_in_text(s[1]) && s[2] == 0 && is_in_text(s[3]) ? &charsets[BIG] : NULL;
}

static bool is_letter(uint8_t c) { return (uint8_t)((c | 0x20) - 'a') < 26; }

/* What bytes above 0x7f show. */
typedef struct evidence {
	int64_t inside; /* letters of CP1252, or its apostrophe, alone between two letters of ASCII */
	int64_t beside; /* the same beside at least one, the former included */
	int64_t others;
	uint8_t letter; /* one of those inside */
	bool several;   /* they differ, or are apostrophes: one may be any letter of another encoding */
} evidence;

enum { APOSTROPHE = 0x92 };

/* A capital inside a word, after a small letter, is a small letter of another encoding than CP1252. Where
 * CP1252 has letters that only Icelandic uses, the Turkish encoding has its own, which are more likely. */
static bool looks_like_letter(uint8_t before, uint8_t c)
{
	if (c == APOSTROPHE) return true;
	bool capital = c < 0xdf, icelandic = strchr("\xd0\xdd\xde\xf0\xfd\xfe", c) != NULL;
	return !icelandic && c >= 0xc0 && c != 0xd7 && c != 0xf7 && !(capital && before >= 'a' && before <= 'z');
}

/* Quotes around words, dashes between blanks, an ellipsis or a euro sign: as Windows writes them for many
 * languages, so they are no evidence. */
static bool looks_like_sign(uint8_t before, uint8_t c, uint8_t after)
{
	switch (c) {
	case 0x91:
	case 0x93: return !is_letter(before) && is_letter(after);
	case 0x85:
	case 0x94: return before > ' ' && before < 0x80 && !is_letter(after);
	case 0x96:
	case 0x97: return before == ' ' && after == ' ';
	case 0x80: return !is_letter(before) && !is_letter(after) && before < 0x80 && after < 0x80;
	default: return false;
	}
}

/* False: there is UTF-8 in it, or a byte that is no character. */
static bool weigh(sheaf_bytes text, evidence *e)
{
	const uint8_t *s = text.data;
	for (size_t i = 0; i < text.size; i++) {
		uint8_t before = i > 0 ? s[i - 1] : '\n', after = i + 1 < text.size ? s[i + 1] : '\n';
		if (s[i] < 0x80) continue;
		if (s[i] < 0xa0 && !windows[s[i] - 0x80]) return false;
		if (sheaf_utf8_length(s + i, text.size - i) > 0) return false;
		bool good = before < 0x80 && after < 0x80 && looks_like_letter(before, s[i]) &&
		            (is_letter(before) || is_letter(after));
		e->beside += good;
		e->others += !good && !looks_like_sign(before, s[i], after);
		if (!good || !is_letter(before) || !is_letter(after)) continue;
		e->several |= s[i] == APOSTROPHE || (e->inside && s[i] != e->letter);
		e->letter = s[i];
		e->inside++;
	}
	return true;
}

const sheaf_charset *sheaf_charset_guess(sheaf_bytes text, bool whole)
{
	enum { LEAST = 3, TIMES = 3 };
	evidence e = {0};
	size_t valid = sheaf_utf8_prefix(text.data, text.size);
	/* A character may go on after the end. */
	if (valid == text.size || (!whole && text.size - valid < 4 && text.data[valid] >= 0xc2)) return NULL;
	if (!weigh(text, &e)) return NULL;
	return e.several && e.inside >= LEAST && e.beside >= TIMES * e.others ? &charsets[CP1252] : NULL;
}

/* ---- decoding ---- */

/* Writes a character; false if there is no room. */
static bool put(sheaf_charset_step *step, uint32_t c)
{
	uint8_t bytes[4];
	if (step->out_left < sizeof bytes && step->out_left < sheaf_utf8_put(c, bytes)) return false;
	size_t n = sheaf_utf8_put(c, step->out);
	step->out += n;
	step->out_left -= n;
	return true;
}

static void pass(sheaf_charset_step *step, size_t n)
{
	step->in += n;
	step->in_left -= n;
}

/* Eight bytes of ASCII at a time. */
static void copy_ascii(sheaf_charset_step *step)
{
	uint64_t eight;
	while (step->in_left >= sizeof eight && step->out_left >= sizeof eight) {
		memcpy(&eight, step->in, sizeof eight);
		if (eight & UINT64_C(0x8080808080808080)) return;
		memcpy(step->out, &eight, sizeof eight);
		step->out += sizeof eight;
		step->out_left -= sizeof eight;
		pass(step, sizeof eight);
	}
}

static sheaf_status run_bytes(const sheaf_charset *set, sheaf_charset_step *step)
{
	for (copy_ascii(step); step->in_left > 0; copy_ascii(step)) {
		uint32_t c = *step->in;
		if (set->high && c >= 0x80 && c < 0xa0) c = set->high[c - 0x80];
		if (c == 0 && *step->in) {
			snprintf(step->found, sizeof step->found, "byte 0x%02x, which is no character of it", *step->in);
			return SHEAF_DATA;
		}
		if (!put(step, c)) return SHEAF_OK;
		pass(step, 1);
	}
	return SHEAF_OK;
}

static uint32_t unit_at(const sheaf_charset *set, const uint8_t *at)
{
	return set->is_big ? (uint32_t)at[0] << 8 | at[1] : (uint32_t)at[1] << 8 | at[0];
}

static sheaf_status run_units(const sheaf_charset *set, sheaf_charset_step *step)
{
	while (step->in_left >= 2) {
		size_t n = 2;
		uint32_t c = unit_at(set, step->in), low = 0;
		if (c >= 0xd800 && c < 0xdc00 && step->in_left < 4) return SHEAF_OK;
		if (c >= 0xd800 && c < 0xdc00) low = unit_at(set, step->in + 2);
		if (c >= 0xd800 && c < 0xe000 && (low < 0xdc00 || low >= 0xe000)) {
			snprintf(step->found, sizeof step->found, "0x%04x, half a character, without the other half", c);
			return SHEAF_DATA;
		}
		if (low) {
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			n = 4;
		}
		if (!put(step, c)) return SHEAF_OK;
		pass(step, n);
	}
	return SHEAF_OK;
}

/* ---- iconv ---- */

#if SHEAF_ICONV

static bool open_foreign(sheaf_recoder *r, const char *name)
{
	/* What follows a slash changes what is done with what cannot be decoded. */
	iconv_t it = strchr(name, '/') ? (iconv_t)-1 : iconv_open("UTF-8", name);
	if (it == (iconv_t)-1) return false;
	r->foreign = it;
	return true;
}

static void close_foreign(const sheaf_recoder *r) { iconv_close((iconv_t)r->foreign); }

static void restart_foreign(const sheaf_recoder *r) { iconv((iconv_t)r->foreign, NULL, NULL, NULL, NULL); }

static sheaf_status run_foreign(const sheaf_recoder *r, sheaf_charset_step *step)
{
	char *in = (char *)(uintptr_t)step->in, *out = (char *)step->out;
	if (iconv((iconv_t)r->foreign, &in, &step->in_left, &out, &step->out_left) == (size_t)-1 &&
	    errno == EILSEQ)
		snprintf(step->found, sizeof step->found, "byte 0x%02x, which begins no character of it",
		         *(uint8_t *)in);
	step->in = (const uint8_t *)in;
	step->out = (uint8_t *)out;
	return step->found[0] ? SHEAF_DATA : SHEAF_OK;
}

#else

static bool open_foreign(sheaf_recoder *r, const char *name) { return (void)r, (void)name, false; }
static void close_foreign(const sheaf_recoder *r) { (void)r; }
static void restart_foreign(const sheaf_recoder *r) { (void)r; }
static sheaf_status run_foreign(const sheaf_recoder *r, sheaf_charset_step *step)
{
	return (void)r, (void)step, SHEAF_UNSUPPORTED;
}

#endif

/* ---- a decoder ---- */

void sheaf_recoder_use(sheaf_recoder *r, const sheaf_charset *charset)
{
	*r = (sheaf_recoder){.charset = charset};
	if (charset->unit) snprintf(r->name, sizeof r->name, "%s", charset->name);
}

sheaf_status sheaf_recoder_open(sheaf_recoder *r, const char *name, sheaf_bytes head, sheaf_error *err)
{
	const sheaf_charset *known = sheaf_charset_find(name), *shown = sheaf_charset_of_head(head);
	*r = (sheaf_recoder){0};
	/* Windows's order, if nothing shows another. */
	if (strcasecmp(name, "utf-16") == 0 || strcasecmp(name, "utf16") == 0)
		known = shown ? shown : &charsets[LITTLE];
	if (known) sheaf_recoder_use(r, known);
	if (known) return SHEAF_OK;
	if (!open_foreign(r, name))
		return sheaf_fail_option(err, SHEAF_USAGE, "encoding",
		                         ": expected auto, utf-8, latin-1, cp1252, utf-16, utf-16le, utf-16be or "
		                         "another one that the system's iconv knows, found \"%s\"",
		                         name);
	snprintf(r->name, sizeof r->name, "%s", name);
	return SHEAF_OK;
}

void sheaf_recoder_close(sheaf_recoder *r)
{
	if (r->foreign) close_foreign(r);
	*r = (sheaf_recoder){0};
}

void sheaf_recoder_restart(sheaf_recoder *r)
{
	if (r->foreign) restart_foreign(r);
}

sheaf_status sheaf_recoder_run(const sheaf_recoder *r, sheaf_charset_step *step)
{
	step->found[0] = '\0';
	if (r->foreign) return run_foreign(r, step);
	return (r->charset->unit == 1 ? run_bytes : run_units)(r->charset, step);
}

int64_t sheaf_charset_measure(const sheaf_charset *set, const uint8_t *text, size_t n)
{
	int64_t characters = 0, long_ones = 0;
	for (size_t i = 0; i < n; i++) characters += (text[i] & 0xc0) != 0x80;
	if (set->unit == 2)
		for (size_t i = 0; i < n; i++) long_ones += text[i] >= 0xf0;
	return set->unit * (characters + long_ones);
}
