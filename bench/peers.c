/* SPDX-License-Identifier: MIT */
/* What a programmer writes without a library: loops of strtof over the text, of bytes, of printf over the values. */
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
	out->values = walk(l->text.data, l->text.data + l->text.size, job->work->sparse, &l->kept, read_by_strtof);
}

const bench_runner strtof_loop = {"strtof loop", begin_loop, run_strtof};

/* ---- finding lines and where sequences begin ---- */

typedef struct survey {
	int32_t id;
	int64_t lines, sequences;
} survey;

static void begin_line(survey *s, const char *at)
{
	int32_t id;
	walk_digits(at, &id);
	s->sequences += s->lines == 0 || id != s->id;
	s->id = id;
	s->lines++;
}

static void expect_lines(const survey *s)
{
	if (s->sequences > s->lines) die("expected no more sequences than lines, found %lld", (long long)s->sequences);
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
	sheaf_schema *schema;
	sheaf_frame frame;
} printing;

static const char *begin_printing(const bench_job *job, void **state)
{
	printing *p = (printing *)need(sizeof *p);
	sheaf_dataset *dataset;
	sheaf_error err;
	if (sheaf_context_new(NULL, &p->cx, &err) || sheaf_open(job->binary, NULL, p->cx, &dataset, &err) || sheaf_read_all(dataset, &p->frame, &err))
		die("%s", err.message);
	sheaf_close(dataset);
	*state = p;
	return NULL;
}

static int64_t print_column(const sheaf_column *column, FILE *file)
{
	const sheaf_level *last = &column->levels[column->nlevels - 1];
	const int32_t *indices = last->shape.kind == SHEAF_COORD ? (const int32_t *)(const void *)last->indices[0].data : NULL;
	const float *values = (const float *)(const void *)column->values.data;
	int64_t n = (int64_t)(column->values.size / sizeof *values);
	for (int64_t i = 0; i < n; i++) {
		if (indices)
			fprintf(file, " %d:%.9g", indices[i], (double)values[i]);
		else
			fprintf(file, " %.9g", (double)values[i]);
	}
	return n;
}

static void run_printf(const bench_job *job, void *state, bench_yield *out)
{
	const printing *p = (const printing *)state;
	FILE *file = fopen(job->output, "w");
	if (!file) die("%s: expected to create it, found that it cannot be", job->output);
	for (int c = 0; c < p->frame.ncolumns; c++) out->values += print_column(&p->frame.columns[c], file);
	if (fflush(file) != 0 || fsync(fileno(file)) != 0 || fclose(file) != 0) die("%s: expected room for the output, found none", job->output);
}

const bench_runner printf_loop = {"printf loop", begin_printing, run_printf};
