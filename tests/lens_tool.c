/* SPDX-License-Identifier: MIT */
/* For the conformance of example files: reads a file of either spelling and prints its model as the real program's dumps do, or writes it
 * in one of the spellings. usage: lens_tool dump|text|binary FILE PIECE_BYTES */
#include "format/lens/lens.h"
#include "format/lens/writing.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void print_text(const char *text)
{
	if (!text) {
		printf("null");
		return;
	}
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\') putchar('\\');
		if (*text == '\n')
			printf("\\n");
		else
			putchar(*text);
	}
	putchar('"');
}

static void print_real(float v)
{
	if (isnan(v))
		printf("nan");
	else
		printf("%.9g", (double)v);
}

static void print_fields(const float fields[SHEAF_LENS_FIELDS], const char *proc)
{
	static const char *const names[SHEAF_LENS_FIELDS] = {"max", "min", "grace", "defI", "actI", "defT", "actT"};
	for (int f = 0; f < SHEAF_LENS_FIELDS; f++) {
		printf(" %s=", names[f]);
		print_real(fields[f]);
	}
	printf(" proc=");
	print_text(proc);
	printf("\n");
}

static void print_range(const sheaf_lens_set *set, const sheaf_lens_range *range)
{
	printf("      range group=");
	print_text(range->group < 0 ? NULL : set->groups.names[range->group].text);
	if (range->count == 0) {
		printf(" empty first=%" PRId32 " value=", range->first);
		print_real(range->value);
	} else if (range->sparse) {
		printf(" sparse value=");
		print_real(range->value);
		printf(" n=%" PRId32 ":", range->count);
		for (int32_t i = 0; i < range->count; i++) printf(" %" PRId32, sheaf_lens_units_of(set, range)[i]);
	} else {
		printf(" dense first=%" PRId32 " n=%" PRId32 ":", range->first, range->count);
		for (int32_t i = 0; i < range->count; i++) {
			putchar(' ');
			print_real(sheaf_lens_values_of(set, range)[i]);
		}
	}
	printf("\n");
}

/* A list is printed where its first event is; the others name that one. */
static void print_list(const sheaf_lens_writing *w, int32_t event, sheaf_lens_direction side)
{
	int32_t count, n;
	const sheaf_lens_event *e = sheaf_lens_event_at(w->set, w->example, event);
	int32_t list = side == SHEAF_LENS_INPUTS ? e->input : e->target;
	if (list < 0) return;
	printf("    %s", side == SHEAF_LENS_INPUTS ? "input" : "target");
	int32_t owner = *sheaf_lens_users_of(w, side, list, &count);
	const int32_t *inputs = sheaf_lens_users_of(w, SHEAF_LENS_INPUTS, list, &n);
	if (side == SHEAF_LENS_TARGETS && n) {
		printf(" shared-with INPUT of event %" PRId32 "\n", *inputs);
	} else if (owner < event) {
		printf(side == SHEAF_LENS_INPUTS ? " shared-with event %" PRId32 "\n" : " shared-with target of event %" PRId32 "\n", owner);
	} else {
		printf("\n");
		const sheaf_lens_range *ranges = sheaf_lens_ranges_of(w->set, w->example, list, &count);
		for (int32_t i = 0; i < count; i++) print_range(w->set, &ranges[i]);
	}
}

static sheaf_status print_example(sheaf_lens_writing *w, const sheaf_lens_set *set, int64_t number, float probability, sheaf_error *err)
{
	const sheaf_lens_example *example = sheaf_lens_example_at(set, number);
	SHEAF_TRY(sheaf_lens_find_users(w, set, example, err));
	printf("example %" PRId64 " name=", number);
	print_text(sheaf_lens_string(set, example->name));
	printf(" freq=");
	print_real(example->frequency);
	printf(" prob=");
	print_real(probability);
	printf(" events=%" PRId32 " proc=", example->nevents);
	print_text(sheaf_lens_string(set, example->proc));
	printf("\n");
	for (int32_t e = 0; e < example->nevents; e++) {
		const sheaf_lens_traits *traits = sheaf_lens_event_traits(set, example, sheaf_lens_event_at(set, example, e));
		printf("  event %" PRId32, e);
		print_fields(traits->fields, sheaf_lens_string(set, traits->proc));
		print_list(w, e, SHEAF_LENS_INPUTS);
		print_list(w, e, SHEAF_LENS_TARGETS);
	}
	return SHEAF_OK;
}

static sheaf_status print_set(sheaf_lens_writing *w, const sheaf_lens_set *set, sheaf_error *err)
{
	int64_t events = 0, n = sheaf_lens_count(set);
	float total = 0, sum = 0;
	for (int64_t i = 0; i < n; i++) {
		events += sheaf_lens_example_at(set, i)->nevents;
		total += sheaf_lens_example_at(set, i)->frequency;
	}
	printf("set examples=%" PRId64 " events=%" PRId64, n, events);
	print_fields(set->header->fields, set->header->proc);
	float scale = (float)(1.0 / (double)total);
	for (int64_t i = 0; i < n; i++) {
		sum += sheaf_lens_example_at(set, i)->frequency * scale;
		SHEAF_TRY(print_example(w, set, i, i == n - 1 ? 1 : sum, err));
	}
	return SHEAF_OK;
}

static sheaf_status write_set(sheaf_lens_writing *w, const sheaf_lens_spelling *spelling, const sheaf_lens_set *set, sheaf_error *err)
{
	sheaf_builder to;
	sheaf_builder_begin(&to, w->cx, NULL);
	sheaf_status status = spelling->put_header(w, set->header, sheaf_lens_count(set), &to, err);
	for (int64_t i = 0; i < sheaf_lens_count(set) && status == SHEAF_OK; i++)
		status = spelling->put_example(w, set, sheaf_lens_example_at(set, i), i, &to, err);
	if (status == SHEAF_OK) fwrite(to.data, 1, to.size, stdout);
	sheaf_builder_drop(&to);
	return status;
}

static sheaf_status read_set(sheaf_lens_reader *in, int64_t bytes, sheaf_lens_set *set, sheaf_context *cx, sheaf_error *err)
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

static void tell(void *user, const sheaf_problem *problem)
{
	char text[1000];
	(void)user;
	fprintf(stderr, "%d %s: %s\n", problem->severity, problem->rule, sheaf_problem_text(problem, text, sizeof text));
}

int main(int argc, char **argv)
{
	sheaf_context *cx;
	sheaf_error err = {0};
	sheaf_source *source = NULL;
	sheaf_lens_reader *in = NULL;
	sheaf_lens_set set = {0};
	sheaf_lens_writing w = {0};
	sheaf_context_options options = {.size = sizeof options, .on_problem = tell, .validate = getenv("VALIDATE") != NULL};
	if (argc != 4 || sheaf_context_new(&options, &cx, &err)) return 2;
	sheaf_lens_writing_begin(&w, argv[2], cx);
	sheaf_status status = sheaf_source_path(argv[2], cx, &source, &err);
	if (status == SHEAF_OK) status = sheaf_lens_open(source, cx, &in, &err);
	if (status == SHEAF_OK) {
		sheaf_lens_set_begin(&set, sheaf_lens_header_of(in), cx);
		status = read_set(in, atoll(argv[3]), &set, cx, &err);
	}
	if (status == SHEAF_OK && strcmp(argv[1], "dump") == 0)
		status = print_set(&w, &set, &err);
	else if (status == SHEAF_OK && strcmp(argv[1], "none") != 0)
		status = write_set(&w, strcmp(argv[1], "text") == 0 ? &sheaf_lens_text_spelling : &sheaf_lens_binary_spelling, &set, &err);
	if (status) fprintf(stderr, "%s\n", err.message);
	sheaf_lens_set_free(&set);
	sheaf_lens_close(in);
	sheaf_source_close(source);
	sheaf_lens_writing_end(&w);
	if (sheaf_context_memory(cx, NULL) != 0) return 3;
	sheaf_context_free(cx);
	return status ? 1 : 0;
}
