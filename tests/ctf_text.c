/* SPDX-License-Identifier: MIT */
/* What the tests of the text format share. */
#include "ctf_text.h"
#include <stdio.h>
#include <string.h>

sheaf_status open_text(const char *input, size_t size, const char *options, int64_t piece_bytes, record *r,
                       sheaf_dataset **out)
{
	settings s;
	sheaf_source *source;
	read_settings(options, &s);
	sheaf_open_options open = {.size = sizeof open,
	                           .format = "ctf",
	                           .glance = false,
	                           .settings = s.list,
	                           .nsettings = s.n,
	                           .piece_bytes = piece_bytes};
	assert_int_equal(SHEAF_OK, sheaf_source_memory((sheaf_bytes){(const uint8_t *)input, size}, "x.ctf",
	                                               r->cx, &source, &err));
	return sheaf_open_source(source, &open, r->cx, out, &err);
}

sheaf_status read_text(const char *input, size_t size, const char *options, int64_t piece_bytes, record *r,
                       char *rows, size_t room)
{
	sheaf_dataset *dataset;
	const sheaf_frame *frame;
	sheaf_status status = open_text(input, size, options, piece_bytes, r, &dataset);
	if (status) return status;
	if (rows) *rows = '\0';
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK) {
		sheaf_buffer text = {0};
		if (!rows) continue;
		assert_int_equal(SHEAF_OK, sheaf_rows_text(frame, sheaf_dataset_schema(dataset), SHEAF_JSON,
		                                           sheaf_dataset_row(dataset), 0, frame->nrows, &text, &err));
		assert_true(strlen(rows) + text.size < room);
		strncat(rows, (const char *)text.data, text.size);
		sheaf_buffer_reset(&text);
	}
	sheaf_close(dataset);
	return status == SHEAF_END ? SHEAF_OK : status;
}

void put_file(const char *name, const char *text, char path[128])
{
	snprintf(path, 128, "%s/%s", folder, name);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(strlen(text), fwrite(text, 1, strlen(text), file));
	assert_int_equal(0, fclose(file));
}

const finding *find_rule(const record *r, const char *rule)
{
	for (int i = 0; i < r->n; i++)
		if (strcmp(r->found[i].rule, rule) == 0) return &r->found[i];
	print_error("expected a finding of the rule \"%s\", found none\n", rule);
	fail();
	return NULL;
}

struct CMUnitTest tests[MOST_TESTS];
size_t ntests;

void add(const char *name, CMUnitTestFunction function, const void *state)
{
	assert_true(ntests < MOST_TESTS);
	tests[ntests++] = (struct CMUnitTest){name, function, NULL, NULL, (void *)state};
}

const char *name_of(const char *what, const char *which)
{
	enum { ROOM = MOST_TESTS * 120 };
	static char names[ROOM];
	static size_t used;
	char *name = names + used;
	used += (size_t)snprintf(name, ROOM - used, "%s: %.90s", what, which) + 1;
	assert_true(used < ROOM);
	for (char *c = name; *c; c++) *c = (char)(*c == '#' || *c < ' ' ? '?' : *c);
	return name;
}
