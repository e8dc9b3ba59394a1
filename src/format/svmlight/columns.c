/* SPDX-License-Identifier: MIT */
/* Indices and values into their columns: one by one, and many at once. A kernel reads pairs of an index
 * and a value from one line, as many as are plain and as there is room for; what it leaves is read by
 * line.c, which also reports what is wrong. Indices in the file begin with 0 or 1, those in columns with
 * 0. */
#include "format/svmlight/svmlight.h"

static const sheaf_delimiters delimiters = {
	.spaces = {' ', '\t'}, .pair = ':', .mark = '#', .feed = '\n', .before_feed = '\r', .comment = '#'};

/* ---- one by one ---- */

void sheaf_svm_put_value(const sheaf_svm_decoding *d, sheaf_svm_stream *s, double value)
{
	sheaf_put_real(s->values, d->in->wide ? SHEAF_F64 : SHEAF_F32, value);
}

void sheaf_svm_put_index(sheaf_svm_stream *s, int64_t index)
{
	sheaf_put_index(s->indices, s->wide ? SHEAF_I64 : SHEAF_I32, index);
}

/* ---- many at once ---- */

static size_t index_size(const sheaf_svm_stream *s) { return s->wide ? sizeof(int64_t) : sizeof(int32_t); }

/* Turns n indices from byte `from` on, as they are written, into ones from 0 on; false if one is below
 * the first. */
static bool shift_indices(const sheaf_svm_decoding *d, size_t from, size_t n)
{
	const sheaf_svm_stream *s = &d->features;
	int32_t *narrow = (int32_t *)(void *)(s->indices->data + from);
	int64_t *wide = (int64_t *)(void *)(s->indices->data + from), least = 0;
	for (size_t k = 0; k < n && s->wide; k++) {
		wide[k] -= d->in->base;
		least = wide[k] < least ? wide[k] : least;
	}
	for (size_t k = 0; k < n && !s->wide; k++) {
		narrow[k] -= d->in->base;
		least = narrow[k] < least ? narrow[k] : least;
	}
	return least == 0;
}

/* Lets the kernel read the features from d->text.at on. Returns false if there were none, or if one of
 * them has to be looked at: then nothing is taken, and line.c reads all of them again, one by one. */
bool sheaf_svm_read_many(sheaf_svm_decoding *d)
{
	sheaf_svm_stream *s = &d->features;
	size_t value_size = d->in->wide ? sizeof(double) : sizeof(float), from = s->indices->size;
	if (!sheaf_builder_room(s->values, SHEAF_NUMBERS_ROOM * value_size) ||
	    !sheaf_builder_room(s->indices, SHEAF_NUMBERS_ROOM * index_size(s)))
		return false;
	size_t room = (s->indices->capacity - from) / index_size(s);
	sheaf_numbers run = {.delimiters = &delimiters,
	                     .at = d->text.at,
	                     .end = d->text.end,
	                     .values = s->values->data + s->values->size,
	                     .indices = s->indices->data + from};
	run.room = (s->values->capacity - s->values->size) / value_size;
	if (run.room > room) run.room = room;
	run.wide_indices = s->wide;
	run.limit = d->in->guessed ? INT32_MAX
	                           : (uint64_t)sheaf_field_dim(&d->in->schema.fields[1]) + (uint64_t)d->in->base;
	(d->in->wide ? d->kernel->pairs_f64 : d->kernel->pairs_f32)(&run);
	if (run.count == 0 || !shift_indices(d, from, run.count)) return false; /* read again, by line.c */
	d->text.at = run.at;
	s->values->size += run.count * value_size;
	s->indices->size += run.count * index_size(s);
	return true;
}

/* Returns the first index of a row that is not above the one before it; -1: all ascend. `from`: the byte
 * where the row's indices begin. */
int64_t sheaf_svm_find_descent(const sheaf_svm_stream *s, size_t from)
{
	size_t n = (s->indices->size - from) / index_size(s);
	if (n < 2) return -1;
	const int32_t *narrow = (const int32_t *)(const void *)(s->indices->data + from);
	const int64_t *wide = (const int64_t *)(const void *)(s->indices->data + from);
	for (size_t k = 1; k < n; k++) {
		bool ascends = s->wide ? wide[k] > wide[k - 1] : narrow[k] > narrow[k - 1];
		if (!ascends) return s->wide ? wide[k] : narrow[k];
	}
	return -1;
}
