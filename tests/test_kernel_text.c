/* SPDX-License-Identifier: MIT */
/* The text format's frames and findings do not depend on which kernel reads; and kernels read the plain lines
 * that they are for. */
#include "data/frame.h"
#include "format/ctf/ctf.h"
#include "texts.h"
#include <inttypes.h>
#include <sheaf/sheaf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Everything that a reading says and makes, as text. */
typedef struct reading {
	char *said;
	size_t size;
	FILE *out;
} reading;

static void say_problem(void *user, const sheaf_problem *problem)
{
	char message[1024];
	sheaf_problem_text(problem, message, sizeof message);
	fprintf((FILE *)user, "%d %s: %s (%" PRId64 ":%" PRId64 ", %" PRId64 ")\n", (int)problem->severity,
	        problem->rule, message, problem->place.line, problem->place.column, problem->place.byte);
}

static sheaf_status say_frames(sheaf_dataset *dataset, FILE *out, sheaf_error *error)
{
	const sheaf_frame *frame;
	sheaf_status status;
	while ((status = sheaf_next(dataset, &frame, error)) == SHEAF_OK) {
		sheaf_buffer rows = {0};
		assert_ok(sheaf_frame_check(frame, sheaf_dataset_schema(dataset), SHEAF_CHECK_FULL, &err));
		assert_ok(sheaf_rows_text(frame, sheaf_dataset_schema(dataset), SHEAF_JSON,
		                          sheaf_dataset_row(dataset), 0, frame->nrows, &rows, &err));
		fwrite(rows.data, 1, rows.size, out);
		for (int64_t r = 0; r < frame->nrows; r++)
			fprintf(out, "line %" PRId64 "\n", ((const int64_t *)(const void *)frame->lines.data)[r]);
		sheaf_buffer_reset(&rows);
	}
	return status;
}

typedef struct how {
	const char *streams[3];
	const char *flag;
	bool validate;
	int64_t piece_bytes;
} how;

static void read_how(const how *h, const sheaf_kernel *kernel, const char *input, size_t size, reading *r)
{
	sheaf_context *cx;
	sheaf_dataset *dataset = NULL;
	sheaf_error error = {0};
	sheaf_setting settings[4];
	sheaf_kernel_use(kernel->name);
	r->out = open_memstream(&r->said, &r->size);
	sheaf_context_options options = {.size = sizeof options,
	                                 .max_errors = 1000,
	                                 .validate = h->validate,
	                                 .on_problem = say_problem,
	                                 .user = r->out};
	assert_ok(sheaf_context_new(&options, &cx, &err));
	sheaf_open_options open = {
		.size = sizeof open, .format = "ctf", .settings = settings, .piece_bytes = h->piece_bytes};
	for (size_t i = 0; i < COUNT(h->streams) && h->streams[i]; i++)
		settings[open.nsettings++] = (sheaf_setting){"stream", h->streams[i]};
	if (h->flag) settings[open.nsettings++] = (sheaf_setting){h->flag, NULL};
	sheaf_status status = open_bytes((sheaf_bytes){(const uint8_t *)input, size}, "x", &open, cx, &dataset);
	if (status == SHEAF_OK) status = say_frames(dataset, r->out, &error);
	fprintf(r->out, "%d %s\n", (int)status, error.message);
	for (int i = 0;; i++) {
		sheaf_tally tally;
		if (!sheaf_context_tally(cx, i, &tally)) break;
		fprintf(r->out, "%s %" PRId64 "\n", tally.rule, tally.count);
	}
	sheaf_close(dataset);
	end_context(cx);
	fclose(r->out);
	sheaf_kernel_use(NULL);
}

static const how hows[] = {
	{{"A:3:dense", "B:100:sparse"}, NULL, false, 0},
	{{"A:3:dense", "B:100:sparse"}, NULL, true, 0},
	{{"A:40:dense:double", "B:50000000000:sparse:double"}, NULL, true, 0},
	{{"A:3:dense", "B:100:sparse"}, "skip-sequence-ids", false, 0},
	{{"A:3:dense", "B:100:sparse", "a-name-longer-than-eight:7:sparse"}, "allow-unaligned", false, 64},
	{{"B:100:sparse"}, "allow-missing", true, 0},
	{{NULL}, NULL, false, 0},
};

static void compare_readings(const char *input, size_t size)
{
	for (size_t h = 0; h < COUNT(hows); h++) {
		reading wanted, found;
		read_how(&hows[h], sheaf_kernels[0], input, size, &wanted);
		for (int i = 1; sheaf_kernels[i]; i++) {
			if (!sheaf_kernels[i]->is_available()) continue;
			read_how(&hows[h], sheaf_kernels[i], input, size, &found);
			if (wanted.size != found.size || memcmp(wanted.said, found.said, found.size))
				fail_msg("%s, way %zu:\n%.*s\n---- wanted\n%s---- found\n%s", sheaf_kernels[i]->name, h,
				         (int)size, input, wanted.said, found.said);
			free(found.said);
		}
		free(wanted.said);
	}
}

static void put_sample(made_text *t)
{
	int n = random_below(8) ? 3 : (int)random_below(60);
	switch (random_below(9)) {
	case 0: put(t, "|a-name-longer-than-eight "); break;
	case 1: put(t, random_below(2) ? "|# a comment" : "|C 1"); return;
	case 2:
	case 3:
	case 4:
		put(t, "|A ");
		for (; n > 0; n--) {
			put_number(t);
			if (n > 1) put_space(t);
		}
		return;
	default: put(t, "|B "); break;
	}
	for (n = (int)random_below(random_below(10) ? 3 : 50); n > 0; n--) {
		char word[32];
		snprintf(word, sizeof word, "%d:", (int)random_below(random_below(50) ? 100 : 200));
		put(t, word);
		if (random_below(3))
			put(t, "1");
		else
			put_number(t);
		if (n > 1) put_space(t);
	}
}

static void put_line(made_text *t, int *id)
{
	char word[32];
	*id += random_below(3) == 0;
	snprintf(word, sizeof word, "%d%s", *id, random_below(2) ? "\t" : " ");
	if (random_below(10)) put(t, word);
	for (int samples = random_below(5) ? 2 : (int)random_below(5); samples > 0; samples--) {
		put_sample(t);
		if (samples > 1) put(t, random_below(3) ? "\t" : " ");
	}
	put(t, random_below(20) ? "\n" : "\r\n");
}

/* Bytes changed, lost, doubled; the end cut off. */
static void damage(made_text *t)
{
	static const char bytes[] = "0123456789 \t|:.-+eE\n\r#AB\x80";
	for (int64_t n = random_below(4); n > 0 && t->size > 1; n--) {
		size_t at = (size_t)random_below((int64_t)t->size);
		switch (random_below(5)) {
		case 0: t->size = at; break;
		case 1: memmove(t->data + at, t->data + at + 1, --t->size - at); break;
		case 2: memmove(t->data + at + 1, t->data + at, t->size++ - at); break;
		default: t->data[at] = bytes[random_below((int64_t)sizeof bytes - 1)]; break;
		}
	}
}

static void test_text_format(void **state)
{
	(void)state;
	static made_text t;
	seed_random(7);
	for (int round = 0; round < 1500; round++) {
		int id = 0;
		t.size = 0;
		for (int64_t lines = random_below(30); lines >= 0; lines--) put_line(&t, &id);
		if (round % 3) damage(&t);
		compare_readings(t.data, t.size);
	}
}

/* ---- tapes ---- */

/* A kernel that reads lines at all reads plain ones to the end of the text, or of the tape, and no byte
 * after it. */
static void check_tape(const sheaf_kernel *kernel, const char *data, size_t size)
{
	static sheaf_tape tape;
	sheaf_tape_reader *const readers[] = {kernel->lines_f32, kernel->lines_f64};
	for (size_t i = 0; i < COUNT(readers) && readers[i]; i++) {
		tape.delimiters = &sheaf_ctf_delimiters;
		tape.begin = (const uint8_t *)data;
		tape.end = tape.begin + size;
		readers[i](&tape);
		bool full = tape.nvalues + SHEAF_TAPE_SLACK >= SHEAF_TAPE_ROOM ||
		            tape.nevents + SHEAF_TAPE_SLACK >= SHEAF_TAPE_ROOM;
		assert_true(tape.nevents > 0 && (full || size - tape.at[tape.nevents - 1] < 100));
		for (size_t e = 0; e < tape.nevents; e++) assert_int_equal(e % 3 == 2 ? '\n' : '|', data[tape.at[e]]);
		for (size_t e = 2; e < tape.nevents; e += 3) assert_int_equal(e / 3 * 2 + 2, tape.values_before[e]);
		for (size_t v = 0; v < tape.nvalues; v++)
			assert_true((i ? tape.values.f64[v] : (double)tape.values.f32[v]) == (v % 2 ? 0.5 : 1));
		for (size_t v = 0; v < tape.nindices; v++) assert_int_equal(v * 7 % 1000, tape.indices[v]);
		for (size_t v = 0; v < tape.nids; v++) assert_int_equal(v / 3, tape.ids[v]);
	}
}

static void test_tape(void **state)
{
	(void)state;
	static made_text t;
	for (int lines = 1; lines < 400; lines += lines < 20 ? 1 : 63) {
		t.size = 0;
		for (int i = 0; i < lines; i++) {
			char line[80];
			snprintf(line, sizeof line, "%d\t|S0 %d:1\t|S2 %d:0.5%s", i / 3, 2 * i * 7 % 1000,
			         (2 * i + 1) * 7 % 1000, i % 5 ? "\n" : "\r\n");
			put(&t, line);
		}
		if (lines > 4) with_kernels(check_tape, t.data, t.size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tape),
		cmocka_unit_test(test_text_format),
	};
	return cmocka_run_group_tests(tests, map_guarded, unmap_guarded);
}
