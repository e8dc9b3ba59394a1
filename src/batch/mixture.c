/* SPDX-License-Identifier: MIT */
#include "batch/mixture.h"
#include "batch/permutation.h"
#include "batch/reserve.h"

/* One table, and the state of its draws. */
typedef struct source {
	sheaf_rows rows;
	int64_t first, first_chunk; /* numbers of its row 0 and its chunk 0 among all rows and chunks */
	int64_t sweep;              /* of the last draw; -1: none so far */
	const sheaf_rows *all;
	int64_t *first_row, *first_sample;
	int64_t weight, before; /* its turns in a round, and those of the tables before it */
	void *order;
} source;

struct sheaf_mixture {
	const sheaf_rows *rows;
	const sheaf_order *order;
	uint64_t seed;
	sheaf_context *cx;
	source *sources;
	int n;
	int64_t turns; /* of a round */
	int64_t round; /* the round of `shuffled`; -1: none */
	sheaf_permutation shuffled;
};

void sheaf_mixture_close(sheaf_mixture *m)
{
	if (!m) return;
	for (int i = 0; m->sources && i < m->n; i++) {
		source *s = &m->sources[i];
		m->order->close(s->order);
		sheaf_release_reserved(m->cx, s->first_row, (size_t)s->rows.chunks + 1, sizeof *s->first_row);
		sheaf_release_reserved(m->cx, s->first_sample, (size_t)s->rows.chunks + 1, sizeof *s->first_sample);
	}
	sheaf_release_reserved(m->cx, m->sources, (size_t)m->n, sizeof *m->sources);
	sheaf_release(m->cx, m, sizeof *m);
}

static sheaf_status report_lengths(const void *user, int64_t row, int64_t n, uint32_t *lengths,
                                   sheaf_error *err)
{
	const source *s = (const source *)user;
	return s->all->lengths(s->all->user, s->first + row, n, lengths, err);
}

static sheaf_status open_source(sheaf_mixture *m, source *s, int64_t chunk, int64_t end,
                                const sheaf_order_options *arranged, sheaf_error *err)
{
	const sheaf_rows *all = m->rows;
	void *rows, *samples;
	s->all = all;
	s->first = all->first_row[chunk];
	s->first_chunk = chunk;
	s->sweep = -1;
	s->rows = (sheaf_rows){.rows = all->first_row[end] - s->first,
	                       .samples = all->first_sample[end] - all->first_sample[chunk],
	                       .chunks = end - chunk,
	                       .lengths = all->lengths ? report_lengths : NULL,
	                       .user = s};
	SHEAF_TRY(sheaf_allocate_array(m->cx, (uint64_t)s->rows.chunks + 1, sizeof *s->first_row, &rows, err));
	s->first_row = (int64_t *)rows;
	SHEAF_TRY(
		sheaf_allocate_array(m->cx, (uint64_t)s->rows.chunks + 1, sizeof *s->first_sample, &samples, err));
	s->first_sample = (int64_t *)samples;
	for (int64_t c = 0; c <= s->rows.chunks; c++) {
		s->first_row[c] = all->first_row[chunk + c] - s->first;
		s->first_sample[c] = all->first_sample[chunk + c] - all->first_sample[chunk];
	}
	s->rows.first_row = s->first_row;
	s->rows.first_sample = s->first_sample;
	return m->order->open(&s->rows, arranged, m->cx, &s->order, err);
}

static sheaf_status open_sources(sheaf_mixture *m, const sheaf_mixture_options *options, sheaf_error *err)
{
	void *sources;
	SHEAF_TRY(sheaf_allocate_array(m->cx, (uint64_t)m->n, sizeof *m->sources, &sources, err));
	m->sources = (source *)sources;
	for (int i = 0; i < m->n; i++) {
		sheaf_order_options arranged = options->arranged;
		arranged.seed += (uint64_t)i; /* so that tables of the same size are not in step */
		m->sources[i].weight = options->weights[i];
		m->sources[i].before = m->turns;
		m->turns += options->weights[i];
		SHEAF_TRY(open_source(m, &m->sources[i], options->first_chunks[i], options->first_chunks[i + 1],
		                      &arranged, err));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_mixture_open(const sheaf_rows *rows, const sheaf_mixture_options *options,
                                sheaf_context *cx, sheaf_mixture **out, sheaf_error *err)
{
	void *memory;
	*out = NULL;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_mixture), &memory, err));
	sheaf_mixture *m = (sheaf_mixture *)memory;
	*m = (sheaf_mixture){.rows = rows,
	                     .order = options->order,
	                     .seed = options->arranged.seed,
	                     .cx = cx,
	                     .n = options->n,
	                     .round = -1};
	sheaf_status status = open_sources(m, options, err);
	if (status)
		sheaf_mixture_close(m);
	else
		*out = m;
	return status;
}

/* Draw number `draw` of all. The number alone determines which table has its turn, and which of its draws
 * this is. */
static sheaf_status draw_one(sheaf_mixture *m, int64_t draw, sheaf_item *item, sheaf_error *err)
{
	int64_t round = draw / m->turns;
	int i = 0;
	if (round != m->round) sheaf_permutation_make(&m->shuffled, m->turns, ~m->seed, round, 0);
	m->round = round;
	int64_t turn = sheaf_permutation_at(&m->shuffled, draw % m->turns);
	while (i + 1 < m->n && m->sources[i + 1].before <= turn) i++;
	source *s = &m->sources[i];
	int64_t own = round * s->weight + turn - s->before;
	sheaf_item_run one = {own / s->rows.rows, own % s->rows.rows, 1, item};
	SHEAF_TRY(m->order->fill(s->order, &one, err));
	item->row += s->first;
	s->sweep = own / s->rows.rows;
	return SHEAF_OK;
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
	for (int64_t i = 0; i < run->n; i++)
		SHEAF_TRY(draw_one(m, run->sweep * m->rows->rows + run->ordinal + i, &run->items[i], err));
	return SHEAF_OK;
}
