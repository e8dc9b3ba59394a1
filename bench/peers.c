/* SPDX-License-Identifier: MIT */
/* What a programmer writes without a library: loops of strtof over the text, of bytes, of printf over the
 * values. */
#include "bench.h"
#include "walk.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct loop {
	bench_mapped text;
	kept kept;
} loop;

static const char *begin_loop(const bench_job *job, void **state)
{
	loop *l = (loop *)need(sizeof *l);
	l->text = map_file(job->text);
	*state = l;
	return NULL;
}

static const char *read_by_strtof(const char *at, const char *end, float *value)
{
	char *stop;
	(void)end;
	*value = strtof(at, &stop);
	return stop;
}

static void run_strtof(const bench_job *job, void *state, bench_yield *out)
{
	loop *l = (loop *)state;
	out->values =
		walk(l->text.data, l->text.data + l->text.size, job->work->sparse, &l->kept, read_by_strtof) -
		job->work->kind->numbers;
}

const bench_runner strtof_loop = {"strtof loop", begin_loop, run_strtof};

/* ---- finding lines and where sequences begin ---- */

typedef struct survey {
	uint32_t id;
	int64_t lines, sequences;
} survey;

static void begin_line(survey *s, const char *at)
{
	uint32_t id = 0;
	while (walk_is_digit(*at)) id = id * 10 + (uint32_t)(*at++ - '0');
	s->sequences += s->lines == 0 || id != s->id;
	s->id = id;
	s->lines++;
}

static void expect_lines(const survey *s)
{
	if (s->sequences > s->lines)
		die("expected no more sequences than lines, found %lld", (long long)s->sequences);
}

static void run_bytes(const bench_job *job, void *state, bench_yield *out)
{
	const loop *l = (const loop *)state;
	const char *at = l->text.data, *end = at + l->text.size;
	survey s = {0};
	(void)job, (void)out;
	begin_line(&s, at);
	for (; at < end - 1; at++)
		if (*at == '\n') begin_line(&s, at + 1);
	expect_lines(&s);
}

const bench_runner byte_loop = {"byte loop", begin_loop, run_bytes};

static void run_memchr(const bench_job *job, void *state, bench_yield *out)
{
	const loop *l = (const loop *)state;
	const char *at = l->text.data, *end = at + l->text.size;
	survey s = {0};
	(void)job, (void)out;
	for (; at < end; at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1) begin_line(&s, at);
	expect_lines(&s);
}

const bench_runner memchr_loop = {"memchr loop", begin_loop, run_memchr};

/* ---- printing ---- */

typedef struct printing {
	sheaf_context *cx;
	sheaf_dataset *dataset;
	sheaf_frame frame;
	bool ids; /* a row may take several lines */
} printing;

static const char *begin_printing(const bench_job *job, void **state)
{
	printing *p = (printing *)need(sizeof *p);
	sheaf_error err;
	if (sheaf_context_new(NULL, &p->cx, &err) || sheaf_open(job->binary, NULL, p->cx, &p->dataset, &err) ||
	    sheaf_read_all(p->dataset, &p->frame, &err))
		die("%s", err.message);
	p->ids = sheaf_level_offsets(&p->frame.columns[0].levels[0])[p->frame.nrows] > p->frame.nrows;
	*state = p;
	return NULL;
}

static void print_sample(FILE *file, const char *name, const sheaf_column *column, int64_t sample)
{
	const sheaf_level *level = &column->levels[1];
	const float *values = (const float *)(const void *)column->values.data;
	const int32_t *indices =
		level->shape.kind == SHEAF_COORD ? (const int32_t *)(const void *)level->indices[0].data : NULL;
	int64_t from = sample * level->shape.extent, to = from + level->shape.extent;
	if (indices) from = sheaf_level_offsets(level)[sample], to = sheaf_level_offsets(level)[sample + 1];
	fprintf(file, "\t|%s", name);
	for (int64_t i = from; i < to; i++) {
		if (indices)
			fprintf(file, " %d:%.9g", indices[i], (double)values[i]);
		else
			fprintf(file, " %.9g", (double)values[i]);
	}
}

/* A line for each sample of the row's longest stream. */
static void print_row(FILE *file, const printing *p, int64_t row)
{
	const sheaf_schema *schema = sheaf_dataset_schema(p->dataset);
	bool more = true;
	for (int64_t line = 0; more; line++) {
		more = false;
		if (p->ids) fprintf(file, "%lld", (long long)row);
		for (int c = 0; c < p->frame.ncolumns; c++) {
			const int64_t *samples = sheaf_level_offsets(&p->frame.columns[c].levels[0]);
			if (samples[row] + line < samples[row + 1])
				print_sample(file, schema->fields[c].name, &p->frame.columns[c], samples[row] + line);
			more |= samples[row] + line + 1 < samples[row + 1];
		}
		fputc('\n', file);
	}
}

static void run_printf(const bench_job *job, void *state, bench_yield *out)
{
	const printing *p = (const printing *)state;
	FILE *file = fopen(job->output, "w");
	(void)out;
	if (!file) die("%s: expected to create it, found that it cannot be", job->output);
	for (int64_t row = 0; row < p->frame.nrows; row++) print_row(file, p, row);
	if (fflush(file) != 0 || fsync(fileno(file)) != 0 || fclose(file) != 0)
		die("%s: expected room for the output, found none", job->output);
}

const bench_runner printf_loop = {"printf loop", begin_printing, run_printf};
