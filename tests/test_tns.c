/* SPDX-License-Identifier: MIT */
/* FROSTT: what is written, byte by byte, what is lost, and what messages say. Files with one rule each are in tests/files/tns. */
#include "record.h"
#include <sheaf/sheaf.h>
#include <stdio.h>
#include <string.h>

/* What a conversion of one file into another comes to. */
typedef struct conversion {
	const char *from, *input, *to, *settings;
	sheaf_status status;
	const char *output, *told; /* the whole file; a part of a message. NULL: nothing */
} conversion;

static const char *settings_of(const char *text, sheaf_convert_options *options, settings *s)
{
	read_settings(text ? text : "", s);
	options->settings = s->list;
	options->nsettings = s->n;
	return text;
}

static bool is_told(const record *r, const char *part)
{
	for (int k = 0; k < r->n; k++)
		if (strstr(r->found[k].text, part)) return true;
	return strstr(err.message, part) != NULL;
}

static void check_conversion(const conversion *c)
{
	record r;
	settings s;
	char from[32], to[32];
	sheaf_convert_options options = {.size = sizeof options};
	snprintf(from, sizeof from, "a.%s", c->from);
	snprintf(to, sizeof to, "b.%s", c->to);
	settings_of(c->settings, &options, &s);
	write_text(from, c->input);
	begin(&r, (sheaf_context_options){.threads = 1});
	const char *input = in_folder(from);
	assert_status(c->status, sheaf_convert(&input, 1, in_folder(to), &options, r.cx, &err));
	if (c->told && !is_told(&r, c->told)) fail_msg("not told: %s; but %s", c->told, r.n ? r.found[0].text : err.message);
	if (c->output) {
		bytes_sink file = read_file(to);
		if (file.size != strlen(c->output) || memcmp(file.data, c->output, file.size) != 0)
			fail_msg("expected %s, found %.*s", c->output, (int)file.size, (const char *)file.data);
		free_bytes(&file);
	}
	end(&r);
}

static const conversion conversions[] = {
	/* the shape in a comment */
	{"tns", "# shape: 9 9\n1 1 0.5\n2 1 -1\n", "tns", NULL, SHEAF_OK, "# shape: 9 9\n1 1 0.5\n2 1 -1\n", NULL},
	/* or in a header */
	{"tns", "1 1 0.5\n2 1 -1\n", "tns", "-extended", SHEAF_OK, "2 2\n2 1\n1 1 0.5\n2 1 -1\n", NULL},
	/* integers */
	{"tns", "1 9223372036854775807\n", "tns", "-integers", SHEAF_OK, "# values: integers\n# shape: 1\n1 9223372036854775807\n", NULL},
	/* a structure is expanded */
	{"mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 1 3\n", "tns", NULL, SHEAF_OK, NULL, NULL},
	/* a pattern */
	{"mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n", "tns", NULL, SHEAF_OK, "# values: integers\n# shape: 2 2\n2 1 1\n", NULL},
	/* complex values */
	{"mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2\n", "tns", NULL, SHEAF_UNSUPPORTED, NULL, "expected numbers, none of which may be missing, found complex"},
	/* a bad line writes nothing */
	{"tns", "1 1 1\n0 1 1\n", "tns", NULL, SHEAF_DATA, NULL, "a.tns:2:1 (byte 6): expected a coordinate from 1 on, found \"0\""},
};

static void test_conversions(void **state)
{
	(void)state;
	for (size_t k = 0; k < COUNT(conversions); k++) check_conversion(&conversions[k]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_conversions, make_folder, remove_folder)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
