/* SPDX-License-Identifier: MIT */
/* One conversion of one small file. */
#include "conversion.h"
#include <stdio.h>
#include <string.h>

static void set(const char *text, sheaf_convert_options *options, settings *s)
{
	read_settings(text ? text : "", s);
	options->settings = s->list;
	options->nsettings = s->n;
}

static bool is_told(const record *r, const char *part)
{
	for (int k = 0; k < r->n; k++)
		if (strstr(r->found[k].text, part)) return true;
	return strstr(err.message, part) != NULL;
}

void check_conversion(const conversion *c, size_t input_size, size_t output_size)
{
	record r;
	settings s;
	char from[32], to[32];
	sheaf_convert_options options = {.size = sizeof options, .force = true};
	snprintf(from, sizeof from, "a.%s", c->from);
	snprintf(to, sizeof to, "b.%s", c->to);
	set(c->settings, &options, &s);
	write_file(from, c->input, input_size ? input_size : strlen(c->input));
	begin(&r, (sheaf_context_options){.threads = 1});
	const char *input = in_folder(from);
	assert_status(c->status, sheaf_convert(&input, 1, in_folder(to), &options, r.cx, &err));
	if (c->told && !is_told(&r, c->told))
		fail_msg("not told: %s; but %s", c->told, r.n ? r.found[0].text : err.message);
	if (c->output) {
		bytes_sink file = read_file(to);
		if (file.size != (output_size ? output_size : strlen(c->output)) ||
		    memcmp(file.data, c->output, file.size) != 0)
			fail_msg("expected %s, found %.*s", c->output, (int)file.size, (const char *)file.data);
		free_bytes(&file);
	}
	end(&r);
}

static const conversion *all;
static size_t count;

static void test_conversions(void **state)
{
	(void)state;
	for (size_t k = 0; k < count; k++) check_conversion(&all[k], 0, 0);
}

int check_conversions(const conversion *conversions, size_t n)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_conversions, make_folder, remove_folder)};
	all = conversions;
	count = n;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
