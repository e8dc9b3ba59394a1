/* SPDX-License-Identifier: MIT */
/* Reading samples of one element type; included with T (its C type), NAME and NOTE_ROUNDING.
 *
 * `before` is where the last value that was read by itself ended: at that byte a kernel has nothing to go on
 * with, and another value there is not separated from the last one. */

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

/* One value, with what is unusual about it. *ok: there is one. */
static sheaf_status JOIN(read_value, NAME)(sheaf_ctf_decoding *d, int stream, T *value, bool *ok)
{
	const uint8_t *at = d->at;
	sheaf_scanned scanned = JOIN(sheaf_scan, NAME)((const char *)at, (const char *)d->end, value);
	d->at = (const uint8_t *)scanned.end;
	*ok = scanned.flaw == SHEAF_NUMBER_OK;
	if (!*ok) return report_number(d, stream, scanned);
	NOTE_ROUNDING(d, stream, at, *value);
	return scanned.infinite || scanned.unusual ? note_number(d, stream, at, scanned) : SHEAF_OK;
}

/* Zeros for the values that a sample lacks. */
static sheaf_status JOIN(pad, NAME)(sheaf_ctf_decoding *d, int stream, int64_t missing)
{
	size_t size;
	if (__builtin_mul_overflow(missing, sizeof(T), &size))
		return sheaf_fail(d->err, SHEAF_LIMIT, "memory: expected a smaller dim, found %" PRId64,
		                  d->columns[stream].dim);
	uint8_t *zeros = sheaf_builder_extend(d->columns[stream].values, size);
	if (zeros) memset(zeros, 0, size); /* the builder keeps the failure */
	return SHEAF_OK;
}

/* Lets the kernel read what it can of a dense sample. If a sample is too long it may append some values
 * beyond dim, for which there is room. */
static bool JOIN(run_dense, NAME)(sheaf_ctf_decoding *d, int stream, int64_t *count)
{
	sheaf_ctf_column *column = &d->columns[stream];
	int64_t dim = column->dim;
	if (column->values->size < FEW * sizeof(T)) return false;
	if (!sheaf_builder_room(column->values, SHEAF_NUMBERS_ROOM * sizeof(T))) return false;
	sheaf_numbers run = begin_run(d, column, sizeof(T));
	if (*count >= dim) return false;
	if (run.room > (size_t)(dim - *count) + SHEAF_NUMBERS_ROOM)
		run.room = (size_t)(dim - *count) + SHEAF_NUMBERS_ROOM;
	d->kernel->JOIN(dense, NAME)(&run);
	d->at = run.at;
	*count += (int64_t)run.count;
	column->values->size += (run.count - (*count > dim ? (size_t)(*count - dim) : 0)) * sizeof(T);
	column->rounded += run.rounded;
	return run.count > 0;
}

/* The same for a sparse sample. The kernel leaves an index beyond the limit to be read, and reported, by
 * itself. */
static bool JOIN(run_pairs, NAME)(sheaf_ctf_decoding *d, int stream)
{
	sheaf_ctf_column *column = &d->columns[stream];
	size_t index_size = column->wide_indices ? sizeof(int64_t) : sizeof(int32_t);
	if (column->values->size < FEW * sizeof(T)) return false;
	if (!sheaf_builder_room(column->values, SHEAF_NUMBERS_ROOM * sizeof(T)) ||
	    !sheaf_builder_room(column->indices, SHEAF_NUMBERS_ROOM * index_size))
		return false;
	sheaf_numbers run = begin_run(d, column, sizeof(T));
	size_t room = (column->indices->capacity - column->indices->size) / index_size;
	if (run.room > room) run.room = room;
	run.indices = column->indices->data + column->indices->size;
	run.wide_indices = column->wide_indices;
	run.limit = index_limit(d, stream);
	d->kernel->JOIN(pairs, NAME)(&run);
	d->at = run.at;
	column->values->size += run.count * sizeof(T);
	column->indices->size += run.count * index_size;
	column->rounded += run.rounded;
	return run.count > 0;
}

/* Values beyond the dim are read and counted, but not kept. */
static sheaf_status JOIN(read_dense, NAME)(sheaf_ctf_decoding *d, int stream, bool *kept)
{
	int64_t dim = d->columns[stream].dim, count = 0;
	const uint8_t *before = NULL, *begin = d->at;
	for (pass_space(d); !ends_values(d); pass_space(d)) {
		bool ok = true;
		T value;
		if (d->at != before && JOIN(run_dense, NAME)(d, stream, &count)) continue;
		if (d->at == before) SHEAF_TRY(check_separated(d, stream, &ok));
		if (ok) SHEAF_TRY(JOIN(read_value, NAME)(d, stream, &value, &ok));
		if (!ok) return SHEAF_OK;
		before = d->at;
		if (count++ < dim) sheaf_builder_append(d->columns[stream].values, &value, sizeof value);
	}
	*kept = count <= dim && (count > 0 || d->at < d->end);
	if (count == dim) return SHEAF_OK;
	SHEAF_TRY(report_count(d, stream, begin, count));
	return *kept ? JOIN(pad, NAME)(d, stream, dim - count) : SHEAF_OK;
}

/* Any number of pairs, in any order, is a sample: indices may repeat. */
static sheaf_status JOIN(read_sparse, NAME)(sheaf_ctf_decoding *d, int stream, bool *kept)
{
	sheaf_ctf_column *column = &d->columns[stream];
	const uint8_t *before = NULL;
	for (pass_space(d); !ends_values(d); pass_space(d)) {
		int64_t index;
		T value;
		bool ok;
		if (d->at != before && JOIN(run_pairs, NAME)(d, stream)) continue;
		if (d->at == before) return report_found(d, "not an index", stream, "a space between pairs");
		SHEAF_TRY(read_index(d, stream, &index, &ok));
		if (ok) SHEAF_TRY(JOIN(read_value, NAME)(d, stream, &value, &ok));
		if (!ok) return SHEAF_OK;
		before = d->at;
		sheaf_put_index(column->indices, column->wide_indices ? SHEAF_I64 : SHEAF_I32, index);
		sheaf_builder_append(column->values, &value, sizeof value);
	}
	*kept = true;
	return SHEAF_OK;
}

#undef JOIN
#undef JOIN_
#undef T
#undef NAME
#undef NOTE_ROUNDING
