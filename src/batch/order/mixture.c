/* SPDX-License-Identifier: MIT */
/* A round has as many turns as the sum of the weights. A permutation shuffles the turns of each round; table
 * i has the turns [before, before + weight). So the number of a draw determines its round and its turn, hence
 * the table, and how many draws that table had before: any draw is found without those before it. */
#include "batch/order/mixture.h"
#include "batch/order/permutation.h"
#include "batch/reserve.h"

/* One of the tables, and its order. */
typedef struct source {
	sheaf_rows rows;                   /* the table by itself, numbered from 0 */
	int64_t first, first_chunk;        /* numbers of its row 0 and its chunk 0 among all rows and chunks */
	int64_t sweep;                     /* of the last draw; -1: there was none */
	const sheaf_rows *all;             /* the rows of all tables */
	int64_t *first_row, *first_sample; /* owned: rows.first_row and rows.first_sample */
	int64_t weight, before;            /* the number of its turns in a round, and of those before its first */
	void *order;                       /* opened */
} source;

struct sheaf_mixture {
	const sheaf_rows *rows;
	const sheaf_order *order;
	uint64_t seed;
	sheaf_context *cx;
	source *sources;
	int n;
	int64_t turns; /* of a round: the sum of the weights */
	int64_t round; /* whose turns `shuffled` permutes; -1: none */
	sheaf_permutation shuffled;
};

void sheaf_mixture_close(sheaf_mixture *m)
{
	if (!m) return;
	for (int i = 0; m->sources && i < m->n; i++) {
		source *s = &m->sources[i];
		m->order->close(s->order);
		sheaf_release(m->cx, s->first_row, ((size_t)s->rows.chunks + 1) * sizeof *s->first_row);
		sheaf_release(m->cx, s->first_sample, ((size_t)s->rows.chunks + 1) * sizeof *s->first_sample);
	}
	sheaf_release(m->cx, m->sources, (size_t)m->n * sizeof *m->sources);
	sheaf_release(m->cx, m, sizeof *m);
}

static sheaf_status report_lengths(const void *user, int64_t row, int64_t n, uint32_t *lengths,
                                   sheaf_error *err)
{
	const source *s = (const source *)user;
	return s->all->lengths(s->all->user, s->first + row, n, lengths, err);
}

/* Opens table i, after those before it. */
static sheaf_status open_source(sheaf_mixture *m, const sheaf_mixture_options *options, int i,
                                sheaf_error *err)
{
	const sheaf_rows *all = m->rows;
	source *s = &m->sources[i];
	int64_t chunk = options->first_chunks[i], end = options->first_chunks[i + 1];
	uint64_t n = (uint64_t)(end - chunk) + 1;
	sheaf_order_options arranged = options->arranged;
	arranged.seed += (uint64_t)i; /* so that tables of the same size are not in step */
	s->weight = options->weights[i];
	s->before = m->turns;
	m->turns += s->weight;
	s->all = all;
	s->first = all->first_row[chunk];
	s->first_chunk = chunk;
	s->sweep = -1;
	s->rows = (sheaf_rows){.rows = all->first_row[end] - s->first,
	                       .samples = all->first_sample[end] - all->first_sample[chunk],
	                       .chunks = end - chunk,
	                       .lengths = all->lengths ? report_lengths : NULL,
	                       .user = s};
	SHEAF_TRY(sheaf_allocate_array(m->cx, n, sizeof *s->first_row, &s->first_row, err));
	SHEAF_TRY(sheaf_allocate_array(m->cx, n, sizeof *s->first_sample, &s->first_sample, err));
	for (int64_t c = 0; c <= s->rows.chunks; c++) {
		s->first_row[c] = all->first_row[chunk + c] - s->first;
		s->first_sample[c] = all->first_sample[chunk + c] - all->first_sample[chunk];
	}
	s->rows.first_row = s->first_row;
	s->rows.first_sample = s->first_sample;
	return m->order->open(&s->rows, &arranged, m->cx, &s->order, err);
}

sheaf_status sheaf_mixture_open(const sheaf_rows *rows, const sheaf_mixture_options *options,
                                sheaf_context *cx, sheaf_mixture **out, sheaf_error *err)
{
	sheaf_mixture *m;
	*out = NULL;
	SHEAF_TRY(sheaf_allocate(cx, sizeof *m, &m, err));
	*m = (sheaf_mixture){.rows = rows,
	                     .order = options->order,
	                     .seed = options->arranged.seed,
	                     .cx = cx,
	                     .n = options->n,
	                     .round = -1};
	sheaf_status status = sheaf_allocate_array(cx, (uint64_t)m->n, sizeof *m->sources, &m->sources, err);
	for (int i = 0; i < m->n && !status; i++) status = open_source(m, options, i, err);
	if (status)
		sheaf_mixture_close(m);
	else
		*out = m;
	return status;
}

int64_t sheaf_mixture_sweep(const sheaf_mixture *m, int table) { return m->sources[table].sweep; }

int64_t sheaf_mixture_needed(const sheaf_mixture *m, int table)
{
	const source *s = &m->sources[table];
	return s->sweep < 0 ? 0 : m->order->needed(s->order);
}

int64_t sheaf_mixture_chunk(const sheaf_mixture *m, int table, int64_t i)
{
	const source *s = &m->sources[table];
	return s->first_chunk + m->order->chunk(s->order, i);
}

sheaf_status sheaf_mixture_fill(sheaf_mixture *m, sheaf_item_run *run, sheaf_error *err)
{
	sheaf_item_run_limit(run, m->rows->rows - run->ordinal);
	for (int64_t k = 0; k < run->n; k++) {
		int64_t draw = run->sweep * m->rows->rows + run->ordinal + k, round = draw / m->turns;
		if (round != m->round) sheaf_permutation_make(&m->shuffled, m->turns, ~m->seed, round, 0);
		m->round = round;
		int64_t turn = sheaf_permutation_at(&m->shuffled, draw % m->turns);
		int i = 0;
		while (i + 1 < m->n && m->sources[i + 1].before <= turn) i++;
		source *s = &m->sources[i];
		int64_t own = round * s->weight + turn - s->before; /* draws of this table before this one */
		sheaf_item_run one = {own / s->rows.rows, own % s->rows.rows, 1, &run->items[k]};
		SHEAF_TRY(m->order->fill(s->order, &one, err));
		run->items[k].row += s->first;
		s->sweep = own / s->rows.rows;
	}
	return SHEAF_OK;
}
