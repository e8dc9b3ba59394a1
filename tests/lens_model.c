/* SPDX-License-Identifier: MIT */
/* Whole sets of examples, and their printed form. */
#include "lens_model.h"
#include <inttypes.h>
#include <math.h>

static void print_text(const char *text, FILE *to)
{
	if (!text) {
		fprintf(to, "null");
		return;
	}
	fputc('"', to);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\') fputc('\\', to);
		if (*text == '\n')
			fprintf(to, "\\n");
		else
			fputc(*text, to);
	}
	fputc('"', to);
}

static void print_real(float v, FILE *to)
{
	if (isnan(v))
		fprintf(to, "nan");
	else
		fprintf(to, "%.9g", (double)v);
}

static void print_fields(const float fields[SHEAF_LENS_FIELDS], const char *proc, FILE *to)
{
	static const char *const names[SHEAF_LENS_FIELDS] = {"max",  "min",  "grace", "defI",
	                                                     "actI", "defT", "actT"};
	for (int f = 0; f < SHEAF_LENS_FIELDS; f++) {
		fprintf(to, " %s=", names[f]);
		print_real(fields[f], to);
	}
	fprintf(to, " proc=");
	print_text(proc, to);
	fprintf(to, "\n");
}

static void print_range(const sheaf_lens_set *set, const sheaf_lens_range *range, FILE *to)
{
	fprintf(to, "      range group=");
	print_text(range->group < 0 ? NULL : set->groups.names[range->group].text, to);
	if (range->count == 0) {
		fprintf(to, " empty first=%" PRId32 " value=", range->first);
		print_real(range->value, to);
	} else if (range->sparse) {
		fprintf(to, " sparse value=");
		print_real(range->value, to);
		fprintf(to, " n=%" PRId32 ":", range->count);
		for (int32_t i = 0; i < range->count; i++)
			fprintf(to, " %" PRId32, sheaf_lens_units_of(set, range)[i]);
	} else {
		fprintf(to, " dense first=%" PRId32 " n=%" PRId32 ":", range->first, range->count);
		for (int32_t i = 0; i < range->count; i++) {
			fputc(' ', to);
			print_real(sheaf_lens_values_of(set, range)[i], to);
		}
	}
	fprintf(to, "\n");
}

/* A list is printed where its first event is; the others name that one. */
static void print_list(const sheaf_lens_writing *w, int32_t event, sheaf_lens_direction side, FILE *to)
{
	int32_t count, n;
	const sheaf_lens_event *e = sheaf_lens_event_at(w->set, w->example, event);
	int32_t list = side == SHEAF_LENS_INPUTS ? e->input : e->target;
	if (list < 0) return;
	fprintf(to, "    %s", side == SHEAF_LENS_INPUTS ? "input" : "target");
	int32_t owner = *sheaf_lens_users_of(w, side, list, &count);
	const int32_t *inputs = sheaf_lens_users_of(w, SHEAF_LENS_INPUTS, list, &n);
	if (side == SHEAF_LENS_TARGETS && n) {
		fprintf(to, " shared-with INPUT of event %" PRId32 "\n", *inputs);
	} else if (owner < event) {
		fprintf(to,
		        side == SHEAF_LENS_INPUTS ? " shared-with event %" PRId32 "\n"
		                                  : " shared-with target of event %" PRId32 "\n",
		        owner);
	} else {
		fprintf(to, "\n");
		const sheaf_lens_range *ranges = sheaf_lens_ranges_of(w->set, w->example, list, &count);
		for (int32_t i = 0; i < count; i++) print_range(w->set, &ranges[i], to);
	}
}

static sheaf_status print_example(sheaf_lens_writing *w, const sheaf_lens_set *set, int64_t number,
                                  float probability, FILE *to, sheaf_error *err)
{
	const sheaf_lens_example *example = sheaf_lens_example_at(set, number);
	SHEAF_TRY(sheaf_lens_find_users(w, set, example, err));
	fprintf(to, "example %" PRId64 " name=", number);
	print_text(sheaf_lens_string(set, example->name), to);
	fprintf(to, " freq=");
	print_real(example->frequency, to);
	fprintf(to, " prob=");
	print_real(probability, to);
	fprintf(to, " events=%" PRId32 " proc=", example->nevents);
	print_text(sheaf_lens_string(set, example->proc), to);
	fprintf(to, "\n");
	for (int32_t e = 0; e < example->nevents; e++) {
		const sheaf_lens_traits *traits =
			sheaf_lens_event_traits(set, example, sheaf_lens_event_at(set, example, e));
		fprintf(to, "  event %" PRId32, e);
		print_fields(traits->fields, sheaf_lens_string(set, traits->proc), to);
		print_list(w, e, SHEAF_LENS_INPUTS, to);
		print_list(w, e, SHEAF_LENS_TARGETS, to);
	}
	return SHEAF_OK;
}

sheaf_status print_set(sheaf_lens_writing *w, const sheaf_lens_set *set, FILE *to, sheaf_error *err)
{
	int64_t events = 0, n = sheaf_lens_count(set);
	float total = 0, sum = 0;
	for (int64_t i = 0; i < n; i++) {
		events += sheaf_lens_example_at(set, i)->nevents;
		total += sheaf_lens_example_at(set, i)->frequency;
	}
	fprintf(to, "set examples=%" PRId64 " events=%" PRId64, n, events);
	print_fields(set->header->fields, set->header->proc, to);
	float scale = (float)(1.0 / (double)total);
	for (int64_t i = 0; i < n; i++) {
		sum += sheaf_lens_example_at(set, i)->frequency * scale;
		SHEAF_TRY(print_example(w, set, i, i == n - 1 ? 1 : sum, to, err));
	}
	return SHEAF_OK;
}

sheaf_status write_set(sheaf_lens_writing *w, const sheaf_lens_spelling *spelling, const sheaf_lens_set *set,
                       sheaf_builder *to, sheaf_error *err)
{
	SHEAF_TRY(spelling->put_header(w, set->header, sheaf_lens_count(set), to, err));
	for (int64_t i = 0; i < sheaf_lens_count(set); i++)
		SHEAF_TRY(spelling->put_example(w, set, sheaf_lens_example_at(set, i), i, to, err));
	return SHEAF_OK;
}

sheaf_status read_set(sheaf_lens_reader *in, int64_t bytes, sheaf_lens_set *set, sheaf_context *cx,
                      sheaf_error *err)
{
	sheaf_piece piece = {0};
	sheaf_status status;
	while ((status = sheaf_lens_cut(in, bytes, &piece, err)) == SHEAF_OK) {
		status = sheaf_lens_parse(in, &piece, set, cx, err);
		if (status) break;
	}
	sheaf_buffer_reset(&piece.bytes);
	sheaf_buffer_reset(&piece.notes);
	return status == SHEAF_END ? SHEAF_OK : status;
}
