/* SPDX-License-Identifier: MIT */
/* Naming items and indices of a summary. */
#include "report/words.h"
#include "frame/frame.h"
#include "frame/item.h"
#include "frame/value.h"
#include <math.h>
#include <stdio.h>

/* Puts an item into text[SHEAF_ITEM_TEXT], and returns its length; there may be no zero after it. A number is
 * shown as such, a time as a time if it is one that can be printed, bytes as hexadecimal digits; an item of
 * which only the beginning was kept ends with dots. */
size_t sheaf_item_words(const sheaf_field *field, const sheaf_item_count *item, char *text)
{
	static const char dots[] = "...";
	bool is_text = sheaf_means_text(field->meaning);
	if (!is_text && field->meaning != SHEAF_BYTES) {
		double value = sheaf_item_double(item);
		if (field->meaning == SHEAF_BOOL)
			return (size_t)snprintf(text, SHEAF_ITEM_TEXT, value != 0 ? "true" : "false");
		int64_t time = fabs(value) < 0x1p53 ? (int64_t)value : 0;
		bool timed = sheaf_means_time(field->meaning) && field->meaning != SHEAF_DATETIMETZ;
		char *end = timed && (double)time == value
		                ? sheaf_time_print(text, field->meaning, field->digits, &time)
		                : sheaf_value_print(SHEAF_F64, &value, 0, text);
		return (size_t)(end - text);
	}
	size_t n = is_text ? item->size : 0;
	memcpy(text, item->bytes, n);
	for (int i = 0; !is_text && i < item->size && n + 3 < SHEAF_ITEM_TEXT; i++)
		n += (size_t)snprintf(text + n, SHEAF_ITEM_TEXT - n, "%02x", item->bytes[i]);
	if (!item->cut || n + sizeof dots > SHEAF_ITEM_TEXT) return n;
	memcpy(text + n, dots, sizeof dots - 1);
	return n + sizeof dots - 1;
}

/* The list is kept in order while all indices are gone through: an index is put before those that are used
 * less, and the last one drops out if there is no room. Of equal counts the smaller index comes first. */
int sheaf_most_used(const sheaf_field_summary *f, sheaf_use *out, int n)
{
	int found = 0;
	for (int64_t i = 0; f->uses && i < f->dim; i++) {
		if (f->uses[i] == 0 || (found == n && f->uses[i] <= out[n - 1].count)) continue;
		int at = found < n ? found++ : n - 1;
		for (; at > 0 && out[at - 1].count < f->uses[i]; at--) out[at] = out[at - 1];
		out[at] = (sheaf_use){i, f->uses[i]};
	}
	return found;
}

bool sheaf_names_units(const sheaf_field *field, const sheaf_field_summary *f)
{
	const sheaf_value_counts *v = &f->values;
	if (!sheaf_field_is_stream(field) || sheaf_field_dim(field) < 2) return false;
	if (sheaf_field_is_sparse(field))
		return f->uses && f->entries.n && f->entries.least == 1 && f->entries.most == 1;
	return f->pattern.cells && v->n && v->least == 0 && v->most == 1 && sheaf_values_finite(v) == v->n &&
	       (v->n - v->zeros) * sheaf_field_dim(field) == v->n &&
	       sheaf_exact_value(&v->sum) == (double)(v->n - v->zeros);
}

/* An estimate is no more than there are. */
int64_t sheaf_field_distinct(const sheaf_field_summary *f, bool *exact)
{
	int64_t distinct = sheaf_frequent_distinct(&f->frequent, exact),
			all = f->values.n ? f->values.n : f->lengths.n;
	return distinct < all ? distinct : all;
}

int64_t sheaf_never_used(const sheaf_field_summary *f)
{
	int64_t never = 0;
	for (int64_t i = 0; f->uses && i < f->dim; i++) never += f->uses[i] == 0;
	return never;
}

sheaf_status sheaf_count_uses(const sheaf_field_summary *f, sheaf_length_counts *out, sheaf_context *cx,
                              sheaf_error *err)
{
	sheaf_status status = SHEAF_OK;
	*out = (sheaf_length_counts){0};
	for (int64_t i = 0; f->uses && i < f->dim && status == SHEAF_OK; i++)
		status = sheaf_length_counts_add(out, f->uses[i], 1, cx, err);
	if (status) sheaf_length_counts_free(out, cx);
	return status;
}
