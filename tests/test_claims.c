/* SPDX-License-Identifier: MIT */
/* What a caller says of entries before they come, and does not keep: that all have one value, or how many
 * there will be. */
#include "record.h"
#include <string.h>

/* Entries in a row of a matrix, with as many values each as there are columns for them. */
static sheaf_status write_row(sheaf_writer *w, const sheaf_schema *schema, int32_t row, const double *values,
                              int64_t n)
{
	sheaf_frame frame = {0};
	sheaf_builder columns[4];
	assert_ok(sheaf_frame_begin(&frame, schema, schema->cx, &err));
	for (int c = 0; c < schema->nfields; c++) sheaf_builder_begin(&columns[c], schema->cx, NULL);
	for (int32_t i = 0; i < n; i++) {
		int32_t at[] = {row, i};
		for (int c = 0; c < 2; c++) sheaf_builder_append(&columns[c], &at[c], sizeof at[c]);
		for (int c = 2; c < schema->nfields; c++)
			sheaf_builder_append(&columns[c], &values[i], sizeof values[i]);
	}
	for (int c = 0; c < schema->nfields; c++)
		assert_ok(sheaf_builder_finish(&columns[c], &frame.columns[c].values, &err));
	frame.nrows = n;
	sheaf_status status = sheaf_write(w, &frame, &err);
	sheaf_frame_free(&frame);
	return status;
}

static const struct {
	const char *file;
	bool iso;
	int nvalues;   /* of each entry; 0: none is declared */
	int64_t count; /* announced; -1: not */
	double first[2], second[1];
	sheaf_status status;
	const char *told;
} cases[] = {
	{"b.h5", true, 1, -1, {1, 1}, {1}, SHEAF_OK, NULL},
	{"b.h5", true, 1, -1, {1, 2}, {1}, SHEAF_USAGE, "entry 1: expected the value that all entries have"},
	{"b.h5", true, 1, -1, {1, 1}, {2}, SHEAF_USAGE, "the value that all entries have, found another"},
	{"b.h5", false, 2, -1, {1, 1}, {1}, SHEAF_UNSUPPORTED, "expected one value of each entry"},
	{"b.h5", false, 0, -1, {1, 1}, {1}, SHEAF_UNSUPPORTED, "expected one value of each entry"},
	{"b.npy", false, 0, -1, {1, 1}, {1}, SHEAF_UNSUPPORTED, "tensor: expected values, found none"},
	{"b.npz", false, 0, -1, {1, 1}, {1}, SHEAF_UNSUPPORTED, "tensor: expected values, found none"},
	{"b.h5ad", false, 0, -1, {1, 1}, {1}, SHEAF_UNSUPPORTED, "numbers, none of which may be missing"},
	{"b.npz", false, 1, 2, {1, 2}, {3}, SHEAF_USAGE, "expected 2 entries, as announced before, found 3"},
	{"b.npz", false, 1, 3, {1, 2}, {3}, SHEAF_OK, NULL},
	{"b.npz", false, 1, 4, {1, 2}, {3}, SHEAF_USAGE, "expected 4 entries, as announced before, found 3"},
	{"b.mtx", false, 1, 2, {1, 2}, {3}, SHEAF_USAGE, "expected 2 entries, as the totals say, found 3"},
	{"b.mtx", false, 1, 3, {1, 2}, {3}, SHEAF_OK, NULL},
	{"b.mtx", false, 1, 4, {1, 2}, {3}, SHEAF_USAGE, "expected 4 entries, as the totals say, found 3"},
};

static sheaf_status write_case(size_t i, sheaf_context *cx)
{
	static const int64_t shape[] = {9, 9};
	sheaf_field *field;
	sheaf_writer *w = NULL;
	sheaf_schema schema = {.cx = cx};
	sheaf_facts totals = SHEAF_NO_FACTS;
	totals.rows = cases[i].count;
	sheaf_create_options how = {.size = sizeof how, .force = true, .totals = &totals};
	assert_ok(sheaf_schema_make_entries(&schema, cx, (sheaf_dimensions){2, shape}, &field, &err));
	field->type = SHEAF_F64;
	schema.tensor.sorted = schema.tensor.unique = true;
	schema.tensor.iso = cases[i].iso;
	if (cases[i].nvalues > 1) {
		assert_ok(sheaf_schema_add(&schema, cx, "b", 1, &field, &err));
		sheaf_field_make_cell(field, SHEAF_NUMBER, SHEAF_F64, 1, false);
	}
	int nfields = schema.nfields;
	if (cases[i].nvalues == 0) schema.nfields--;
	sheaf_status status = sheaf_create(in_folder(cases[i].file), &schema, &how, cx, &w, &err);
	if (status == SHEAF_OK) status = write_row(w, &schema, 0, cases[i].first, 2);
	if (status == SHEAF_OK) status = write_row(w, &schema, 1, cases[i].second, 1);
	if (status == SHEAF_OK)
		status = sheaf_finish(w, &err);
	else
		sheaf_abandon(w);
	schema.nfields = nfields;
	sheaf_schema_free(&schema);
	return status;
}

static void test_claims(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		record r;
		begin(&r, (sheaf_context_options){.threads = 1});
		sheaf_status status = write_case(i, r.cx);
		if (status != cases[i].status) fail_msg("case %zu: %s", i, err.message);
		if (cases[i].told) assert_message(cases[i].told);
		end(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_claims, make_folder, remove_folder),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
