/* SPDX-License-Identifier: MIT */
/* Distributing rows among several files, decoded and written again.
 *
 * A unit is what goes to one part as a whole: a row, or, of a tensor, a slice, which is a position along its
 * first dimension. Unit u goes to the part that its number says, if parts are of equal length, or its hash,
 * if they are drawn; so nothing depends on how rows come in frames. Each part numbers its slices from 0, and
 * so it does with rows whose keys are nothing but their numbers. */
#include "job/share.h"
#include "base/context.h"
#include "base/memory.h"
#include "frame/frame.h"
#include "frame/row_choice.h"
#include "io/set.h"
#include "io/source.h"
#include "job/conversion.h"
#include "number/number.h"
#include <inttypes.h>
#include <string.h>

typedef struct part {
	sheaf_writer *writer;
	sheaf_frame frame; /* rows to be written next */
	uint64_t limit;    /* drawn: hashes up to this one belong to this part, or to one before it */
	int64_t rows;      /* of it, in units: sequences, or slices of a tensor */
	int64_t written;   /* rows, as they come */
} part;

typedef struct sharing {
	const sheaf_sharing *how;
	sheaf_context *cx;
	sheaf_dataset *d;
	part *parts;
	bool tensor;
	int64_t units;   /* how many there are to distribute */
	int64_t *places; /* of a tensor whose parts are drawn: the index of each slice in its part */
	sheaf_schema schema;
	sheaf_facts facts;
	int key; /* a field that parts omit, or -1 */
	int *kept;
	bool *used; /* one for each setting: by the reader, or by the writers */
} sharing;

/* ---- which part ---- */

/* The part that a unit goes to: by the hash of its number, if parts are drawn, or else by the number alone,
 * with consecutive units in each part. */
static int part_of(const sharing *s, int64_t unit)
{
	int i = 0, last = s->how->n - 1;
	if (s->how->fractions) {
		uint64_t hash = sheaf_row_hash(s->how->seed, unit);
		while (i < last && hash > s->parts[i].limit) i++;
		return i;
	}
	int64_t units_each = s->units / s->how->n,
			longer_parts = s->units % s->how->n; /* the first parts have one more */
	if (unit < longer_parts * (units_each + 1)) return (int)(unit / (units_each + 1));
	return units_each == 0 ? last : (int)((unit - longer_parts) / units_each);
}

/* ---- fractions ---- */

/* The numbers that the caller has given, as they were. */
static sheaf_status refuse_fractions(const sharing *s, sheaf_error *err)
{
	return sheaf_fail_option(
		err, SHEAF_USAGE, "parts",
		": expected a number above 0 for each of %d parts, with commas between, which add up "
		"to 1, found \"%s\"",
		s->how->n, s->how->fractions);
}

/* Reads the fractions of the parts, and sets the limits of their hashes: "0.75,0.25" divides the range of
 * hashes at 0.75 of 2^64. Sums are rounded after each step, so that they are the same on machines that
 * calculate with more digits. */
static sheaf_status read_fractions(const sharing *s, sheaf_error *err)
{
	static const double range = 18446744073709551616.0, slack = 1e-9;
	const char *text = s->how->fractions;
	double sum = 0;
	for (int i = 0; i < s->how->n; i++) {
		double share;
		sheaf_scanned scanned = sheaf_scan_f64(text, text + strlen(text), &share);
		bool is_last = i == s->how->n - 1;
		if (scanned.flaw || !(share > 0 && share <= 1) || *scanned.end != (is_last ? '\0' : ','))
			return refuse_fractions(s, err);
		text = scanned.end + 1;
		sum = sheaf_rounded(sum + share);
		double limit = sheaf_rounded(sum * range);
		s->parts[i].limit = is_last || limit >= range ? UINT64_MAX : (uint64_t)limit;
	}
	return sum > 1 - slack && sum < 1 + slack ? SHEAF_OK : refuse_fractions(s, err);
}

/* ---- what is distributed ---- */

/* Finds how many units there are, and how many each part has, which the header of an output may say.
 * Writers of sequences must also know how long the longest is. A drawn part of a tensor has slices from
 * anywhere in it, so the place of each slice in its part is kept. */
static sheaf_status count_units(sharing *s, sheaf_error *err)
{
	const sheaf_schema *schema = sheaf_dataset_schema(s->d);
	int64_t nparts = s->how->n;
	s->facts = s->d->in->facts;
	s->tensor = schema->rows == SHEAF_ENTRIES;
	if (s->tensor && schema->tensor.rank == 0)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected a tensor with a dimension to split, found a scalar",
		                  sheaf_source_name(s->d->source));
	s->units = s->tensor ? schema->tensor.shape[0] : s->facts.rows;
	if (s->units < 0 || (schema->rows == SHEAF_SEQUENCES && s->facts.longest < 0)) {
		SHEAF_TRY(sheaf_dataset_count(s->d, true, true, &s->facts, err));
		s->units = s->facts.rows;
	}
	for (int i = 0; i < nparts && !s->how->fractions; i++)
		s->parts[i].rows = s->units / nparts + (i < s->units % nparts);
	if (!s->how->fractions) return SHEAF_OK;
	if (s->tensor)
		SHEAF_TRY(sheaf_allocate_array(s->cx, (uint64_t)s->units, sizeof *s->places, &s->places, err));
	for (int64_t unit = 0; unit < s->units; unit++) {
		part *p = &s->parts[part_of(s, unit)];
		if (s->places) s->places[unit] = p->rows;
		p->rows++;
	}
	return SHEAF_OK;
}

/* Makes the schema of the parts, and lists which fields of the input they have. Keys that are just the
 * numbers of rows, one sample each, are omitted: each part numbers its own rows. */
static sheaf_status make_schema(sharing *s, sheaf_error *err)
{
	const sheaf_schema *schema = sheaf_dataset_schema(s->d);
	SHEAF_TRY(sheaf_schema_copy(schema, s->cx, &s->schema, err));
	/* Keys that are just the numbers of rows, in a file that need not have them, are omitted: each part
	 * numbers its own rows. Sequences of several samples need keys in text. */
	bool only_numbers = s->facts.ordinal_keys == 1 && s->facts.longest >= 0 && s->facts.longest <= 1;
	s->key = only_numbers ? sheaf_schema_key(schema) : -1;
	if (s->key >= 0) sheaf_schema_remove(&s->schema, s->key);
	SHEAF_TRY(sheaf_allocate_array(s->cx, (uint64_t)schema->nfields, sizeof *s->kept, &s->kept, err));
	for (int f = 0, nkept = 0; f < schema->nfields; f++)
		if (f != s->key) s->kept[nkept++] = f;
	return SHEAF_OK;
}

/* ---- writers ---- */

/* Creates the writer of part i. What is known of a part is said before its first row, since some formats
 * write it there. */
static sheaf_status open_writer(sharing *s, int i, sheaf_error *err)
{
	part *p = &s->parts[i];
	sheaf_sink *sink;
	sheaf_facts totals = SHEAF_NO_FACTS;
	totals.rows = s->tensor ? -1 : p->rows;
	totals.longest = s->facts.longest;
	totals.ordinal_keys = s->key >= 0 || (s->facts.ordinal_keys == 1 && i == 0 && !s->how->fractions);
	sheaf_create_options create = {.size = sizeof create,
	                               .format = s->how->to->name,
	                               .totals = &totals,
	                               .settings = s->how->open->settings,
	                               .nsettings = s->how->open->nsettings};
	if (s->tensor) s->schema.tensor.shape[0] = p->rows;
	SHEAF_TRY(sheaf_sink_path(s->how->outputs[i], s->how->force, s->cx, &sink, err));
	return sheaf_create_overlapping(sink, &s->schema, &(sheaf_creation){&create, s->used, true}, s->cx,
	                                &p->writer, err);
}

/* Changes the numbers of slices from those in the input to those in part i: the ones that were kept when
 * slices were counted, or, where parts follow one another, the number without the slices of the parts
 * before. */
static void number_slices(const sharing *s, int i, sheaf_frame *frame)
{
	sheaf_column *first = &frame->columns[0];
	int32_t *narrow = (int32_t *)(void *)first->values.data;
	int64_t *wide = (int64_t *)(void *)first->values.data, before = 0;
	for (int k = 0; k < i; k++) before += s->parts[k].rows;
	for (int64_t e = 0; e < frame->nrows; e++) {
		int64_t unit = sheaf_coordinate_at(first, e), place = s->places ? s->places[unit] : unit - before;
		if (first->type == SHEAF_I64)
			wide[e] = place;
		else
			narrow[e] = (int32_t)place;
	}
}

/* ---- rows ---- */

/* The number of the unit that a row of a frame belongs to. */
static int64_t unit_of(const sharing *s, const sheaf_frame *frame, int64_t r)
{
	return s->tensor ? sheaf_coordinate_at(&frame->columns[0], r) : sheaf_dataset_row(s->d) + r;
}

/* Distributes the rows of a frame. Rows that follow each other into the same part are appended together.
 * What a frame gives to a part is written at once, so that no part holds more than a frame. */
static sheaf_status share_frame(sharing *s, const sheaf_frame *frame, sheaf_error *err)
{
	for (int64_t r = 0, run_end; r < frame->nrows; r = run_end) {
		int i = part_of(s, unit_of(s, frame, r));
		for (run_end = r + 1; run_end < frame->nrows && part_of(s, unit_of(s, frame, run_end)) == i;)
			run_end++;
		SHEAF_TRY(sheaf_frame_append(&s->parts[i].frame, frame, r, run_end, s->cx, err));
	}
	for (int i = 0; i < s->how->n; i++) {
		part *p = &s->parts[i];
		if (p->frame.nrows == 0) continue;
		if (s->tensor) number_slices(s, i, &p->frame);
		SHEAF_TRY(sheaf_write(p->writer, &p->frame, err));
		p->written += p->frame.nrows;
		sheaf_frame_clear(&p->frame);
	}
	return SHEAF_OK;
}

/* ---- the whole ---- */

/* Finishes all outputs before the first one takes its name, so that either all appear or none does. */
static sheaf_status commit(sharing *s, sheaf_error *err)
{
	int nparts = s->how->n;
	size_t size = (size_t)nparts * sizeof(sheaf_sink *);
	sheaf_sink **sinks;
	SHEAF_TRY(sheaf_allocate(s->cx, size, &sinks, err));
	sheaf_status status = SHEAF_OK;
	for (int i = 0; i < nparts && status == SHEAF_OK; i++) {
		sheaf_writer *writer = s->parts[i].writer;
		s->parts[i].writer = NULL;
		status = sheaf_finish_into(writer, &sinks[i], err);
	}
	if (status == SHEAF_OK) status = sheaf_sinks_commit(sinks, nparts, err); /* which leaves no sink */
	for (int i = 0; i < nparts; i++) sheaf_sink_abandon(sinks[i]);
	sheaf_release(s->cx, sinks, size);
	return status;
}

/* Does the steps on an input that is open. What they have made so far is abandoned by the caller if one
 * fails. */
static sheaf_status share(sharing *s, sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_status status;
	const sheaf_open_options *open = s->how->open;
	SHEAF_TRY(count_units(s, err));
	SHEAF_TRY(make_schema(s, err));
	for (int i = 0; i < s->how->n; i++) SHEAF_TRY(open_writer(s, i, err));
	SHEAF_TRY(sheaf_check_used(open->settings, open->nsettings, s->used, s->d, s->how->to, err));
	while ((status = sheaf_next(s->d, &frame, err)) == SHEAF_OK) {
		sheaf_frame kept = {0};
		status = sheaf_frame_pick(frame, s->kept, s->schema.nfields, &kept, err);
		if (status == SHEAF_OK) status = share_frame(s, &kept, err);
		sheaf_frame_free(&kept);
		SHEAF_TRY(status);
	}
	if (status != SHEAF_END) return status;
	for (int i = 0; i < s->how->n && s->how->rows; i++) s->how->rows[i] = s->parts[i].written;
	return commit(s, err);
}

/* Distributes the rows of an input among several files; the source is closed in any case. Entries of a
 * tensor are read one by one, whatever structure the file stores, since a part of a symmetric matrix is not
 * symmetric. */
sheaf_status sheaf_share(const sheaf_sharing *how, sheaf_context *cx, sheaf_error *err)
{
	sharing s = {.how = how, .cx = cx, .key = -1};
	sheaf_open_options open = *how->open;
	sheaf_tensor_options tensor = *open.tensor;
	sheaf_sequence_options sequences = *open.sequences;
	size_t n = (size_t)how->n, nused = (size_t)open.nsettings;
	sheaf_status status = sheaf_allocate_array(cx, n, sizeof *s.parts, &s.parts, err);
	if (status == SHEAF_OK) status = sheaf_allocate_array(cx, nused, sizeof *s.used, &s.used, err);
	if (status == SHEAF_OK && how->fractions) status = read_fractions(&s, err);
	if (status == SHEAF_OK) {
		open.used = s.used;
		open.rows = sheaf_format_about(how->to).takes;
		sequences.samples = sheaf_samples_of(how->to, open.settings, open.nsettings);
		tensor.entries = SHEAF_ENTRIES_EXPANDED;
		open.sequences = &sequences;
		open.tensor = &tensor;
		status = sheaf_open_with(how->source, &open, true, cx, &s.d, err);
	} else {
		sheaf_source_close(how->source);
	}
	if (status == SHEAF_OK) status = share(&s, err);
	for (size_t i = 0; s.parts && i < n; i++) {
		sheaf_abandon(s.parts[i].writer);
		sheaf_frame_free(&s.parts[i].frame);
	}
	sheaf_release(cx, s.places, (size_t)s.units * sizeof *s.places);
	if (s.kept) sheaf_release(cx, s.kept, (size_t)sheaf_dataset_schema(s.d)->nfields * sizeof *s.kept);
	sheaf_schema_free(&s.schema);
	sheaf_close(s.d);
	sheaf_release(cx, s.used, nused * sizeof *s.used);
	sheaf_release(cx, s.parts, n * sizeof *s.parts);
	return status;
}
