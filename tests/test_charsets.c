/* SPDX-License-Identifier: MIT */
/* Text in other encodings: decoded from every kind of input, with places in bytes of the file; what is no
 * text of its encoding; which encoding a text shows. */
#include "io/source.h"
#include "io_support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts in an encoding ---- */

typedef struct encoded {
	uint8_t *text;   /* UTF-8 */
	int64_t *places; /* of each of its bytes that begins a character, in `stored` */
	size_t size;
	uint8_t *stored;
	size_t stored_size;
} encoded;

static const struct {
	const char *name;
	size_t mark;
	int unit; /* bytes of a character of ASCII */
	bool is_big;
} encodings[] = {{"latin-1", 0, 1, false},
                 {"cp1252", 0, 1, false},
                 {"utf-16", 2, 2, false},
                 {"UTF-16BE", 0, 2, true},
                 {"utf_16_le", 2, 2, false}};

static size_t put_unit(uint8_t *to, unsigned unit, int size, bool is_big)
{
	to[0] = (uint8_t)(size == 1 || !is_big ? unit : unit >> 8);
	if (size == 2) to[1] = (uint8_t)(is_big ? unit : unit >> 8);
	return (size_t)size;
}

/* Lines of ASCII with a character of two bytes here and there and, where the encoding has such, some of three
 * and four bytes. */
static encoded make(size_t e, size_t characters)
{
	encoded x = {.text = malloc(4 * characters + 1),
	             .places = calloc(4 * characters + 1, sizeof(int64_t)),
	             .stored = malloc(4 * characters + 4)};
	bool wide = encodings[e].unit == 2;
	if (encodings[e].mark) x.stored_size = put_unit(x.stored, 0xfeff, 2, encodings[e].is_big);
	for (size_t i = 0; i < characters; i++) {
		static const char *const utf8[] = {"é", "中", "😀"};
		static const unsigned units[][2] = {{0xe9}, {0x4e2d}, {0xd83d, 0xde00}};
		char ascii[2] = {(char)(i % 50 == 49 ? '\n' : 'a' + (char)(i % 26)), '\0'};
		size_t k = i * 2654435761U % 97;
		const char *c = k == 0 ? utf8[0] : k < 3 && wide ? utf8[k] : ascii;
		unsigned first = c == ascii ? (unsigned)ascii[0] : units[k][0];
		x.places[x.size] = (int64_t)x.stored_size;
		memcpy(x.text + x.size, c, strlen(c));
		x.size += strlen(c);
		x.stored_size += put_unit(x.stored + x.stored_size, first, encodings[e].unit, encodings[e].is_big);
		if (c != ascii && units[k][1])
			x.stored_size +=
				put_unit(x.stored + x.stored_size, units[k][1], encodings[e].unit, encodings[e].is_big);
	}
	return x;
}

static void drop(encoded *x)
{
	free(x->text);
	free(x->places);
	free(x->stored);
}

static void decode(sheaf_source *source, const char *name)
{
	sheaf_recoder recoder;
	sheaf_bytes head;
	assert_ok(sheaf_source_ahead(source, 4, &head, &err));
	assert_ok(sheaf_recoder_open(&recoder, name, head, &err));
	assert_ok(sheaf_source_decode(source, &recoder, &err));
}

/* ---- inputs ---- */

static void every_kind_of_input_is_decoded(void **state)
{
	(void)state;
	static const size_t sizes[] = {0, 1, 3, 1000, 60000};
	for (size_t e = 0; e < COUNT(encodings); e++)
		for (size_t i = 0; i < COUNT(sizes); i++) {
			encoded x = make(e, sizes[i]);
			for (int kind = 0; kind < KINDS; kind++) {
				input in;
				if (kind == ONE_BYTE && sizes[i] > 1000) continue;
				open_input(&in, (enum kind)kind, x.stored, x.stored_size);
				decode(in.source, encodings[e].name);
				assert_false(sheaf_source_is_plain(in.source));
				assert_int_equal(sheaf_source_size(in.source), -1);
				assert_rest(in.source, 5000, x.text, x.size);
				assert_non_null(sheaf_source_encoding(in.source));
				close_input(&in);
			}
			drop(&x);
		}
}

/* Of each character, as messages find it: from where its piece begins. */
static void assert_places(sheaf_source *source, const encoded *x)
{
	enum { PIECE = 9000 };
	for (size_t from = 0; from < x->size;) {
		sheaf_buffer piece = {0};
		sheaf_bytes bytes;
		assert_ok(sheaf_source_ahead(source, PIECE, &bytes, &err));
		size_t n = bytes.size < PIECE ? bytes.size : PIECE;
		while (from + n < x->size && (x->text[from + n] & 0xc0) == 0x80) n--;
		assert_int_equal(sheaf_source_tell(source), (int64_t)from);
		sheaf_source_take(source, n, &piece);
		for (size_t at = 0; at < n; at += 61) {
			while (at < n && (piece.data[at] & 0xc0) == 0x80) at++;
			if (at == n) break;
			assert_int_equal(sheaf_source_place(source, (int64_t)from, piece.data, (int64_t)at),
			                 x->places[from + at]);
		}
		from += n;
		sheaf_buffer_reset(&piece);
	}
}

static void places_are_bytes_of_the_file(void **state)
{
	(void)state;
	for (size_t e = 0; e < COUNT(encodings); e++)
		for (int kind = 0; kind < KINDS; kind++)
			for (int seeks = 0; seeks < 2; seeks++) {
				if (kind > MEMORY) continue;
				encoded x = make(e, 60000);
				input in;
				open_input(&in, (enum kind)kind, x.stored, x.stored_size);
				decode(in.source, encodings[e].name);
				if (seeks) assert_ok(sheaf_source_make_seekable(in.source, &err));
				assert_places(in.source, &x);
				if (seeks || kind == PATH || kind == MEMORY) {
					assert_ok(sheaf_source_rewind(in.source, &err));
					assert_places(in.source, &x);
				}
				/* Far from where pieces began, it is counted in the temporary file, or not known. */
				size_t some = 34567;
				while ((x.text[some] & 0xc0) == 0x80) some++;
				int64_t place = sheaf_source_place(in.source, (int64_t)some, NULL, 0);
				assert_true(place == x.places[some] || (!seeks && place == -1));
				close_input(&in);
				drop(&x);
			}
}

static void a_compressed_text_is_decoded(void **state)
{
	(void)state;
	encoded x = make(2, 40000);
	size_t size;
	uint8_t *packed = compress(".gz", x.stored, x.stored_size, &size);
	input in;
	open_input(&in, PATH, packed, size);
	decode(in.source, "utf-16");
	assert_places(in.source, &x);
	assert_ok(sheaf_source_rewind(in.source, &err));
	assert_rest(in.source, 100, x.text, x.size);
	close_input(&in);
	free(packed);
	drop(&x);
}

/* ---- what is no text of its encoding ---- */

static void what_is_wrong_comes_after_what_is_not(void **state)
{
	(void)state;
	static const struct {
		const char *encoding, *bytes;
		size_t size;
		const char *before;
		size_t before_size;
		sheaf_status status;
		const char *message;
	} cases[] = {
		{"cp1252", "ab\x8dz", 4, "ab", 2, SHEAF_DATA,
	     "(byte 2): expected text in CP1252 (--encoding names another encoding), found byte 0x8d, which is "
	     "no "
	     "character of it"},
		{"utf-16le", "a\0b", 3, "a", 1, SHEAF_SHORT,
	     "(byte 2): expected text in UTF-16LE (--encoding names another encoding), found that the file ends "
	     "inside a character"},
		{"utf-16be", "\0a\xd8\0", 4, "a", 1, SHEAF_SHORT, "(byte 2): expected text in UTF-16BE"},
		{"utf-16be", "\0a\xd8\0\0b", 6, "a", 1, SHEAF_DATA,
	     "(byte 2): expected text in UTF-16BE (--encoding names another encoding), found 0xd800, half a "
	     "character, without the other half"},
		{"utf-16be", "\0a\xdc\0\0b", 6, "a", 1, SHEAF_DATA, "found 0xdc00, half a character"},
		{"utf-16be", "\0a\xdf\xff\0b", 6, "a", 1, SHEAF_DATA, "found 0xdfff, half a character"},
		{"cp1252", "a\0\x8dz", 4, "a", 2, SHEAF_DATA, "(byte 2): expected text in CP1252"},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		for (int kind = 0; kind < KINDS; kind++) {
			input in;
			sheaf_bytes bytes;
			open_input(&in, (enum kind)kind, (const uint8_t *)cases[i].bytes, cases[i].size);
			decode(in.source, cases[i].encoding);
			for (int again = 0; again < 2; again++) {
				assert_int_equal(sheaf_source_ahead(in.source, 100, &bytes, &err), cases[i].status);
				assert_non_null(strstr(err.message, cases[i].message));
				assert_string_equal(err.advice, "encoding");
				assert_int_equal(bytes.size, cases[i].before_size);
				assert_memory_equal(bytes.data, cases[i].before, bytes.size);
			}
			close_input(&in);
		}
}

/* ---- which encoding it is ---- */

static void names_have_no_case_or_punctuation(void **state)
{
	(void)state;
	static const char *const same[][2] = {{"latin-1", "ISO-8859-1"}, {"cp1252", "Windows_1252"},
	                                      {"utf-8", "UTF8"},         {"utf-16le", "UTF-16-LE"},
	                                      {"latin-1", "LATIN 1"},    {"utf-8", "us-ascii"}};
	for (size_t i = 0; i < COUNT(same); i++) {
		assert_non_null(sheaf_charset_find(same[i][0]));
		assert_ptr_equal(sheaf_charset_find(same[i][0]), sheaf_charset_find(same[i][1]));
	}
	static const char *const none[] = {"",         "-",         "latin",
	                                   "latin-1/", "utf-16lee", "a name that is too long for one"};
	for (size_t i = 0; i < COUNT(none); i++) assert_null(sheaf_charset_find(none[i]));
	sheaf_recoder recoder;
	assert_int_equal(sheaf_recoder_open(&recoder, "latin2//IGNORE", (sheaf_bytes){NULL, 0}, &err),
	                 SHEAF_USAGE);
	assert_string_equal(err.option, "encoding");
}

static void the_first_characters_show_utf_16(void **state)
{
	(void)state;
	static const struct {
		const char *head;
		size_t size;
		const char *name; /* NULL: they do not */
	} cases[] = {
		{"\xff\xfe", 2, "UTF-16LE"},
		{"\xfe\xff", 2, "UTF-16BE"},
		{"a\0,\0", 4, "UTF-16LE"},
		{"\0a\0\n", 4, "UTF-16BE"},
		{"a\0,", 3, NULL},
		{"\xff\xfe\0\0", 4, NULL},
		{"\0\0\0a", 4, NULL},
		{"a\0\x01\0", 4, NULL},
		{"\x01\0a\0", 4, NULL},
		{"\0a\0\x01", 4, NULL},
		{"a,b\n", 4, NULL},
		{"a", 1, NULL},
		{"\xef\xbb\xbf"
	     "a",
	     4, NULL},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		const sheaf_charset *found =
			sheaf_charset_of_head((sheaf_bytes){(const uint8_t *)cases[i].head, cases[i].size});
		assert_int_equal(found != NULL, cases[i].name != NULL);
		if (found) assert_string_equal(found->name, cases[i].name);
	}
}

static void letters_alone_between_letters_show_cp1252(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool whole, shows;
	} cases[] = {
		{"M\xfcller,Fran\xe7ois,J\xf6rg", true, true},
		{"don\x92t,can\x92t,won\x92t", true, true},
		{"M\xfcller,Fran\xe7ois,J\xf6rg,\x93quoted\x94,5 \x80,a \x96 z,so\x85", true, true},
		{"\x93quoted\x94,5 \x80,a \x96 z,so\x85", true, false}, /* as in any language */
		{"M\xfcller,M\xfcller,Gr\xfcn", true, false},                         /* one letter alone */
		{"Y\xfdld\xfdz,\xddz,\xdeim\xfe\xe7i,D\xfcz,K\xf6y", true, false},               /* Turkish */
		{"M\xfcller,Fran\xe7ois", true, false},                               /* too few */
		{"plain", true, false},                                               /* nothing to decide */
		{"M\xc3\xbcller,Fran\xe7ois,J\xf6rg,B\xf6ll", true, false},           /* UTF-8 among them */
		{"\xcf\xf0\xe8\xe2\xe5\xf2 \xcc\xe8\xf0 \xea\xf3", true, false},      /* runs: Cyrillic, say */
		{"M\xfcller,Fran\xe7ois,J\xf6rg,\x81", true, false},                  /* no character */
		{"g\xc4 r,x\xc9y,x\xc9y,x\xc9y,x\xc9y", true, false},                 /* capitals inside of words */
		{"M\xfcller,Fran\xe7ois,J\xf6rg,5 \xb5,\xb5,\xb0,\xb1", true, false}, /* signs outweigh letters */
		{"M\xc3\xbcller,\xc3", false, false},                                 /* it may go on */
		{"x,\xe9", true, false},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		sheaf_bytes text = {(const uint8_t *)cases[i].text, strlen(cases[i].text)};
		assert_int_equal(sheaf_charset_guess(text, cases[i].whole) != NULL, cases[i].shows);
	}
}

/* ---- memory ---- */

static sheaf_status read_utf_16(sheaf_context *c, const char *name)
{
	sheaf_source *source;
	sheaf_recoder recoder;
	sheaf_bytes bytes;
	(void)name;
	SHEAF_TRY(sheaf_source_memory((sheaf_bytes){(const uint8_t *)"a\0b\0", 4}, NULL, c, &source, &err));
	sheaf_status status = sheaf_recoder_open(&recoder, "utf-16", (sheaf_bytes){NULL, 0}, &err);
	if (!status) status = sheaf_source_decode(source, &recoder, &err);
	if (!status) status = sheaf_source_make_seekable(source, &err);
	if (!status) status = sheaf_source_ahead(source, 1, &bytes, &err);
	sheaf_source_close(source);
	return status;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	assert_allocations_may_fail(read_utf_16, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_kind_of_input_is_decoded),
		TEST(places_are_bytes_of_the_file),
		TEST(a_compressed_text_is_decoded),
		TEST(what_is_wrong_comes_after_what_is_not),
		TEST(names_have_no_case_or_punctuation),
		TEST(the_first_characters_show_utf_16),
		TEST(letters_alone_between_letters_show_cp1252),
		TEST(memory_may_run_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
