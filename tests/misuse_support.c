/* SPDX-License-Identifier: MIT */
/* What several tests share: misuse_support.h. */
#include "misuse_support.h"
#include <stdio.h>
#include <string.h>

#define TEXT "0 |A 1 2 |B 3:1\n1 |A 3 4 |B 4:1\n"

sheaf_context *cx;

int set_up(void **state)
{
	make_folder(state);
	write_text("a.ctf", TEXT);
	cx = usual_context();
	return 0;
}

int tear_down(void **state)
{
	assert_int_equal(sheaf_context_memory(cx, NULL), 0);
	end_context(cx);
	return remove_folder(state);
}

sheaf_dataset *open_some(void)
{
	sheaf_dataset *d;
	assert_ok(sheaf_open(in_folder("a.ctf"), NULL, cx, &d, &err));
	return d;
}

void try_frames(sheaf_status (*take)(void *user, const sheaf_frame *frame), void *user, const char *name)
{
	table t = stream_table(cx, "A", false, 2, SHEAF_F32, "1 2,3 4;5 6");
	table other[] = {stream_table(cx, "A", true, 2, SHEAF_F32, "1:2;1:3"),
	                 stream_table(cx, "A", false, 3, SHEAF_F32, "1 2 3;4 5 6"),
	                 stream_table(cx, "A", false, 2, SHEAF_F64, "1 2;3 4")};
	sheaf_frame frame = t.frame;
	char part[120];
	snprintf(part, sizeof part, "%s: expected a frame, found NULL", name);
	assert_usage(take(user, NULL), part);
	snprintf(part, sizeof part, "%s: expected a sound frame of the same schema; ", name);
	for (size_t i = 0; i < COUNT(other); i++) assert_usage(take(user, &other[i].frame), part);
	static const int64_t counts[] = {-1, 3, 1 << 30, INT64_MAX};
	for (size_t i = 0; i < COUNT(counts); i++) {
		frame.nrows = counts[i];
		assert_usage(take(user, &frame), part);
	}
	frame = t.frame;
	frame.ncolumns = 0;
	assert_usage(take(user, &frame), part);
	for (size_t i = 0; i < COUNT(other); i++) free_table(&other[i]);
	free_table(&t);
}
