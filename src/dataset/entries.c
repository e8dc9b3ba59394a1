/* SPDX-License-Identifier: MIT */
/* Entries in parts: writers that each sort some of them, and writers that continue from there. */
#include "base/endian.h"
#include "base/memory.h"
#include "dataset/writer.h"
#include "tensor/arrange.h"

bool sheaf_writer_orders(const sheaf_writer *w)
{
	return w->arranger && w->whole.nfields == 0 && sheaf_arrange_orders(w->arranger);
}

sheaf_entry_shape sheaf_writer_entry(const sheaf_writer *w)
{
	const sheaf_arranger *a = w->arranger;
	return (sheaf_entry_shape){(uint32_t)a->layout.words, (uint32_t)a->element.size};
}

/* ---- sorted entries as bytes ---- */

typedef struct giving {
	sheaf_status (*take)(void *user, const void *entries, int64_t n, sheaf_error *err);
	void *user;
	size_t key_words, value_size, number_size; /* numbers in a value */
	uint8_t *step;
} giving;

enum { STEP = 4096 /* entries */ };

static sheaf_status give(const giving *g, const sheaf_keyed *entries, sheaf_error *err)
{
	const uint64_t *keys = entries->keys;
	const uint8_t *values = entries->values;
	for (int64_t from = 0; from < entries->n; from += STEP) {
		int64_t n = entries->n - from < STEP ? entries->n - from : STEP;
		uint8_t *to = g->step;
		for (int64_t i = 0; i < n; i++, keys += g->key_words, values += g->value_size) {
			sheaf_copy_le(to, keys, g->key_words, sizeof *keys);
			to += g->key_words * sizeof *keys;
			sheaf_copy_le(to, values, g->value_size / g->number_size, g->number_size);
			to += g->value_size;
		}
		SHEAF_TRY(g->take(g->user, g->step, n, err));
	}
	return SHEAF_OK;
}

static sheaf_status give_all(const sheaf_writer *w, const giving *g, sheaf_error *err)
{
	sheaf_keyed entries;
	sheaf_status status;
	SHEAF_TRY(sheaf_arranger_finish(w->arranger, err));
	while ((status = sheaf_arrange_sorted(w->arranger, &entries, err)) == SHEAF_OK)
		SHEAF_TRY(give(g, &entries, err));
	return status == SHEAF_END ? SHEAF_OK : status;
}

sheaf_status sheaf_writer_give(sheaf_writer *w,
                               sheaf_status (*take)(void *user, const void *entries, int64_t n,
                                                    sheaf_error *err),
                               void *user, sheaf_error *err)
{
	void *memory;
	sheaf_entry_shape shape = sheaf_writer_entry(w);
	size_t size = STEP * (size_t)sheaf_entry_bytes(&shape);
	sheaf_status status = sheaf_allocate(w->outer, size, &memory, err);
	if (status == SHEAF_OK) {
		giving g = {take,
		            user,
		            shape.key_words,
		            shape.value_size,
		            sheaf_type_size(w->arranger->element.type),
		            (uint8_t *)memory};
		status = give_all(w, &g, err);
		sheaf_release(w->outer, memory, size);
	}
	sheaf_abandon(w);
	return status;
}

sheaf_status sheaf_writer_supply(sheaf_writer *w, const sheaf_sorted_run *runs, int n, sheaf_error *err)
{
	for (int i = 0; i < n; i++)
		SHEAF_TRY(sheaf_arrange_supply(w->arranger, runs[i].source, runs[i].at, runs[i].n, err));
	return SHEAF_OK;
}

/* ---- slices ---- */

/* What is written between the entries of two slices belongs to neither. */
bool sheaf_writer_slices(const sheaf_writer *w)
{
	const sheaf_writing *write = w->format->write;
	return sheaf_writer_orders(w) && !w->arranger->fills && (!write->append || write->adopt);
}

sheaf_status sheaf_writer_count(sheaf_writer *w, int64_t *rows, sheaf_error *err)
{
	*rows = 0;
	SHEAF_TRY(sheaf_arranger_finish(w->arranger, err));
	return sheaf_arranger_count(w->arranger, rows, err);
}

/* A format that must know the number of entries first can begin now. */
static sheaf_status start(sheaf_writer *w, int64_t rows, sheaf_error *err)
{
	if (!w->holds) return SHEAF_OK;
	w->totals.rows = rows;
	return sheaf_writer_start(w, err);
}

static sheaf_status slice(sheaf_writer *w, const sheaf_slicing *how, sheaf_error *err)
{
	SHEAF_TRY(sheaf_arranger_finish(w->arranger, err));
	SHEAF_TRY(start(w, how->rows, err));
	sheaf_writer_divert(w, how->row, 0, how->divert, how->user);
	return sheaf_writer_put_arranged(w, err);
}

sheaf_status sheaf_writer_slice(sheaf_writer *w, const sheaf_slicing *how, sheaf_error *err)
{
	w->failure.status = slice(w, how, &w->failure);
	return sheaf_finish_diverted(w, err);
}

/* Arrays are opened as if the writer had sorted all entries itself. */
sheaf_status sheaf_writer_await(sheaf_writer *w, int64_t rows, sheaf_error *err)
{
	bool known = w->arranger->options.duplicates == SHEAF_DUPLICATES_ERROR;
	SHEAF_TRY(start(w, rows, err));
	SHEAF_TRY(sheaf_writer_foretell(w, known ? rows : -1, err));
	sheaf_arranger_free(w->arranger);
	w->arranger = NULL;
	return SHEAF_OK;
}
