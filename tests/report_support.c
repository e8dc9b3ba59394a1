/* SPDX-License-Identifier: MIT */
/* What several tests share: report_support.h. */
#include "report_support.h"
#include <math.h>

/* ---- whole summaries ---- */

const sheaf_summary_options as_json = {.size = sizeof as_json, .style = SHEAF_JSON};

table streams_of(int64_t rows)
{
	sheaf_schema schema = {.cx = cx};
	sheaf_frame_builder *b;
	table t = {.cx = cx};
	assert_ok(sheaf_schema_add_dense(&schema, "d<b>", 2, SHEAF_F32, &err));
	assert_ok(sheaf_schema_add_sparse(&schema, "s\x01&\"", 5000, SHEAF_F64, &err));
	assert_ok(sheaf_schema_add_dense(&schema, "label", 1, SHEAF_F32, &err));
	assert_ok(sheaf_frame_builder_new(&schema, cx, &b, &err));
	seed_random(7);
	for (int64_t r = 0; r < rows; r++) {
		for (int64_t k = random_below(9); k >= 0; k--) {
			int64_t indices[] = {random_below(5000), random_below(50)};
			double values[] = {(double)random_below(1000) / 7 - 50, r % 50 ? 1 : NAN};
			sheaf_build_dense(b, 0, (float[]){(float)random_below(9), k == 3 ? INFINITY : -1.5f}, 1);
			sheaf_build_sparse(b, 1, indices, values, 2);
		}
		sheaf_build_dense(b, 2, &(float){(float)(r % 10)}, 1);
		sheaf_build_row(b);
	}
	assert_ok(sheaf_frame_builder_take(b, &t.frame, &err));
	sheaf_frame_builder_free(b);
	t.schema = schema;
	return t;
}

sheaf_buffer page_of(const sheaf_summary *summary)
{
	sheaf_buffer page = {0};
	sheaf_fact card[] = {{"file", "</script><b>&\u202e\u2066\u200f\u061c\u05d0"}};
	sheaf_page_options options = {.title = "a <title>", .card = card, .ncard = 1, .rows = "<i>"};
	assert_ok(sheaf_summary_page(summary, &options, &page, &err));
	return page;
}

sheaf_summary *summary_of(const table *t, int64_t from, int64_t to)
{
	sheaf_summary *summary;
	sheaf_frame part = {0};
	assert_ok(sheaf_summary_new(&t->schema, cx, &summary, &err));
	assert_ok(sheaf_frame_slice(&t->frame, from, to, &part, &err));
	assert_ok(sheaf_summary_add(summary, &part, from, &err));
	sheaf_frame_free(&part);
	return summary;
}

/* ---- as bytes ---- */

sheaf_buffer saved(const sheaf_summary *summary)
{
	sheaf_buffer bytes = {0};
	assert_ok(sheaf_summary_save(summary, &bytes, &err));
	return bytes;
}

void assert_same_page(const sheaf_summary *one, const sheaf_summary *other)
{
	sheaf_buffer a = page_of(one), b = page_of(other);
	assert_int_equal(a.size, b.size);
	assert_memory_equal(a.data, b.data, a.size);
	sheaf_buffer_reset(&a);
	sheaf_buffer_reset(&b);
}

/* ---- drawings ---- */

bool has(const sheaf_buffer *page, const char *text)
{
	return memmem(page->data, page->size, text, strlen(text)) != NULL;
}
