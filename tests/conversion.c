/* SPDX-License-Identifier: MIT */
/* One conversion of one small file. */
#include "conversion.h"
#include <stdio.h>
#include <string.h>

static void set(const char *text, sheaf_open_options *options, settings *s)
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
	sheaf_open_options open = {.size = sizeof open};
	sheaf_convert_options options = {.size = sizeof options, .open = &open, .force = true};
	snprintf(from, sizeof from, "a.%s", c->from);
	snprintf(to, sizeof to, "b.%s", c->to);
	set(c->settings, &open, &s);
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

sheaf_status open_whole(record *r, const char *file, sheaf_dataset **out)
{
	sheaf_open_options options = {.size = sizeof options, .rows = SHEAF_TAKES_WHOLE};
	begin(r, (sheaf_context_options){.threads = 1});
	return sheaf_open(file, &options, r->cx, out, &err);
}

void check_whole(const char *file, const char *to)
{
	record r;
	sheaf_dataset *data;
	sheaf_writer *writer;
	const sheaf_frame *frame;
	sheaf_create_options creating = {.size = sizeof creating, .force = true};
	sheaf_convert_options converting = {.size = sizeof converting, .force = true};
	assert_ok(open_whole(&r, file, &data));
	assert_ok(sheaf_create(in_folder(to), sheaf_dataset_schema(data), &creating, r.cx, &writer, &err));
	assert_ok(sheaf_next(data, &frame, &err));
	assert_int_equal(frame->nrows, 1);
	assert_ok(sheaf_frame_check(frame, sheaf_dataset_schema(data), SHEAF_CHECK_FULL, &err));
	assert_ok(sheaf_write(writer, frame, &err));
	assert_int_equal(sheaf_next(data, &frame, &err), SHEAF_END);
	assert_ok(sheaf_finish(writer, &err));
	sheaf_close(data);
	bytes_sink whole = read_file(to);
	assert_ok(sheaf_convert(&file, 1, in_folder(to), &converting, r.cx, &err));
	bytes_sink entries = read_file(to);
	if (whole.size != entries.size || memcmp(whole.data, entries.data, whole.size) != 0)
		fail_msg("%s: as one row\n%.*s\nas entries\n%.*s", file, (int)whole.size, (char *)whole.data,
		         (int)entries.size, (char *)entries.data);
	free_bytes(&whole);
	free_bytes(&entries);
	end(&r);
}
