/* SPDX-License-Identifier: MIT */
/* Reading runs of values: views if the file has them in the requested form, else parts that are fetched
 * in order, and unfiltered and converted on any thread.
 *
 * There are five ways, from the cheapest on: a view of the file or of memory; chunks without filters,
 * read to their places; a contiguous range, read and converted; chunks with filters, each on a thread;
 * and rows, for arrays of several dimensions in chunks, and for numbers that are not of our types. A
 * chunk that a call needs only in part is kept for the next one, since whoever reads an array in batches
 * asks for its other part next. */
#include "base/buffer.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/extend.h"
#include "base/status.h"
#include "base/threads/pipeline.h"
#include "container/bits.h"
#include "container/filter.h"
#include "container/inside.h"
#include "frame/integers.h"
#include "frame/value.h"
#include "io/descriptor.h"
#include "io/source.h"
#include "number/number.h"
#include <inttypes.h>
#include <string.h>

/* One call: which values, as which type, to where. */
typedef struct reading {
	sheaf_box *box;
	const sheaf_box_item *item;
	int64_t from, to; /* values */
	sheaf_type type;
	uint8_t *out;
} reading;

/* A run of values that is read at once: a chunk, or a range of an array without chunks. */
typedef struct part {
	int64_t from, to;               /* values of the array */
	int64_t needed_from, needed_to; /* those of them that are needed */
	uint32_t skipped;               /* filters */
	sheaf_builder stored;
	sheaf_buffer kept; /* the whole chunk, unfiltered, if its end will be needed, or its beginning was */
	sheaf_filtering filtering;
	sheaf_error failure;
	bool in_filters; /* the error belongs to filters, which do not know where they are */
} part;

static size_t width_of(const sheaf_box_item *item) { return sheaf_type_size(item->type); }

/* Whether stored values need no conversion. */
static bool is_as_wanted(const reading *r)
{
	return r->type == r->item->type && !r->item->inside->is_swapped;
}

/* Where a value of the array is wanted. */
static uint8_t *place_of(const reading *r, int64_t value)
{
	return r->out + (size_t)(value - r->from) * sheaf_type_size(r->type);
}

/* ---- values into their place ---- */

/* Converts stored values [at, at + count) of the array, whose bytes are at `from`, to the place where
 * they are needed. A value that the type does not hold is an error that names it. */
static sheaf_status deliver(const reading *r, const uint8_t *from, int64_t at, int64_t count,
                            sheaf_error *err)
{
	uint8_t *to = place_of(r, at);
	if (from == to && is_as_wanted(r)) return SHEAF_OK;
	sheaf_box_stored stored = {r->item->type, r->item->inside->is_swapped, from, (size_t)count};
	int64_t changed = sheaf_box_convert(stored, r->type, to);
	if (changed >= 0) {
		/* Value `changed` of the stored ones at `from`, which is value `at` of the array. */
		char where[300], text[SHEAF_NUMBER_MAX];
		uint64_t value = 0;
		const uint8_t *one = from + (size_t)changed * width_of(r->item);
		sheaf_box_convert((sheaf_box_stored){r->item->type, r->item->inside->is_swapped, one, 1},
		                  r->item->type, &value);
		*sheaf_value_print(r->item->type, &value, 0, text) = '\0';
		return sheaf_fail(err, SHEAF_DATA, "%s, value %" PRId64 ": expected a number that %s holds, found %s",
		                  sheaf_box_where(r->box, r->item, where), at + changed, sheaf_type_name(r->type),
		                  text);
	}
	return SHEAF_OK;
}

/* Values that are not stored are the fill value. */
static sheaf_status deliver_fill(const reading *r, int64_t from, int64_t to, sheaf_error *err)
{
	const sheaf_box_detail *inside = r->item->inside;
	size_t width = width_of(r->item);
	for (int64_t i = from; i < to; i++)
		SHEAF_TRY(deliver(r, inside->fill + (size_t)(i % inside->per) * width, i, 1, err));
	return SHEAF_OK;
}

/* ---- chunks as they are ---- */

/* Whether chunks have no filters and are stored as they are needed, so that they can be read to their places,
 * and those that follow one another in the file at once. */
static bool is_plain(const reading *r)
{
	const sheaf_box_detail *inside = r->item->inside;
	return inside->chunk && inside->nfilters == 0 && r->box->driver->chunk_at && is_as_wanted(r);
}

static int64_t values_of_chunk(const reading *r) { return r->item->inside->chunk * r->item->inside->per; }

/* Where the file has the chunk of a value; -1: nowhere. */
static int64_t chunk_of(const reading *r, int64_t value)
{
	return r->box->driver->chunk_at(r->box->state, r->item, value / values_of_chunk(r));
}

/* Reads the needed values of a part from chunks without filters, straight to their places. Chunks that
 * are not there are the fill value; those that follow one another in the file are one call. */
static sheaf_status read_plain(const reading *r, const part *p, sheaf_error *err)
{
	size_t width = width_of(r->item);
	int64_t values = values_of_chunk(r), size = values * (int64_t)width;
	for (int64_t at = p->needed_from, end; at < p->needed_to; at = end) {
		int64_t place = chunk_of(r, at), last = place, skip = at % values;
		for (end = at - skip + values; last >= 0 && end < p->needed_to && chunk_of(r, end) == last + size;
		     end += values)
			last += size;
		if (end > p->needed_to) end = p->needed_to;
		if (place < 0)
			SHEAF_TRY(deliver_fill(r, at, end, err));
		else
			SHEAF_TRY(r->box->store.read(r->box->store.user, place + skip * (int64_t)width, place_of(r, at),
			                             (size_t)(end - at) * width, err));
	}
	return SHEAF_OK;
}

/* ---- parts ---- */

/* Reads a range of a contiguous array on any thread, to its place if it needs no conversion there, else
 * into the part. */
static sheaf_status read_stretch(const reading *r, part *p, sheaf_error *err)
{
	uint8_t *to = place_of(r, p->needed_from);
	int64_t count = p->needed_to - p->needed_from;
	size_t width = width_of(r->item);
	if (!is_as_wanted(r)) {
		/* Room for stored values that are converted afterwards. */
		if (!p->stored.cx) sheaf_builder_begin(&p->stored, r->box->cx, NULL);
		p->stored.size = 0;
		if (!sheaf_builder_room(&p->stored, (uint64_t)count * width))
			return sheaf_builder_status(&p->stored, err);
		to = p->stored.data;
	}
	SHEAF_TRY(r->box->store.read(r->box->store.user,
	                             r->item->inside->offset + p->needed_from * (int64_t)width, to,
	                             (size_t)count * width, err));
	return deliver(r, to, p->needed_from, count, err);
}

/* Unpacks the chunk of a part and delivers the values that are needed, on any thread. A whole chunk that
 * needs no conversion is unfiltered to its place; of others only what is needed is converted. The bytes
 * are kept if the chunk's end was not requested. */
static sheaf_status unpack_chunk(const reading *r, part *p, sheaf_error *err)
{
	const sheaf_box_detail *inside = r->item->inside;
	size_t width = width_of(r->item), size = (size_t)(inside->chunk * inside->per) * width;
	int64_t values = inside->chunk * inside->per;
	sheaf_bytes bytes;
	size_t skip = (size_t)(p->needed_from - p->from) * width;
	if (p->kept.data)
		return deliver(r, p->kept.data + skip, p->needed_from, p->needed_to - p->needed_from, err);
	if (p->stored.size == 0) return deliver_fill(r, p->needed_from, p->needed_to, err);
	bool is_whole = p->needed_to - p->needed_from == values && is_as_wanted(r);
	p->filtering.cx = r->box->cx;
	p->in_filters = true;
	sheaf_filtered stored = {inside, p->skipped, sheaf_builder_bytes(&p->stored), size};
	SHEAF_TRY(
		sheaf_unfilter(&p->filtering, &stored, is_whole ? place_of(r, p->needed_from) : NULL, &bytes, err));
	p->in_filters = false;
	if (p->needed_to < p->to) {
		/* The chunk's bytes are in one of these, which gives them away. */
		sheaf_builder *in = &p->stored;
		for (int i = 0; i < 2; i++)
			if (p->filtering.bytes[i].data == bytes.data) in = &p->filtering.bytes[i];
		in->size = size;
		SHEAF_TRY(sheaf_builder_finish(in, &p->kept, err));
	}
	return deliver(r, bytes.data + skip, p->needed_from, p->needed_to - p->needed_from, err);
}

/* Reads or unpacks a part, on any thread. Failures are kept in the part, and reported in order. */
static void work(void *user, void *item)
{
	const reading *r = (const reading *)user;
	part *p = (part *)item;
	p->failure.status = SHEAF_OK;
	p->in_filters = false;
	p->failure.status = is_plain(r)              ? read_plain(r, p, &p->failure)
	                    : r->item->inside->chunk ? unpack_chunk(r, p, &p->failure)
	                                             : read_stretch(r, p, &p->failure);
}

/* What a part owns. */
static void drop(void *user, void *item)
{
	(void)user;
	part *p = (part *)item;
	sheaf_builder_drop(&p->stored);
	sheaf_buffer_reset(&p->kept);
	sheaf_filtering_close(&p->filtering);
}

/* Takes the first part off the pipeline, on the reader's thread: leaves its chunk for the next call, or
 * takes that away if its end was reached, and reports its failure. */
static sheaf_status pass_first(const reading *r, sheaf_pipeline *parts, sheaf_error *err)
{
	char where[300];
	part *p = (part *)sheaf_pipeline_first(parts);
	/* One for each array: calls follow one another. */
	sheaf_box_detail *inside = r->item->inside;
	if (p->kept.data) {
		sheaf_mutex_lock(&r->box->kept);
		sheaf_buffer old = inside->kept;
		inside->kept = p->needed_to < p->to ? p->kept : (sheaf_buffer){0};
		inside->kept_number = p->from / (inside->chunk * inside->per);
		sheaf_mutex_unlock(&r->box->kept);
		sheaf_buffer_reset(&old);
		if (p->needed_to < p->to) p->kept = (sheaf_buffer){0};
	}
	sheaf_status status = p->failure.status;
	/* Errors from filters do not say where they are. */
	if ((status == SHEAF_DATA || status == SHEAF_UNSUPPORTED) && p->in_filters)
		status = sheaf_fail_within(err, &p->failure, "%s, values from %" PRId64,
		                           sheaf_box_where(r->box, r->item, where), p->from);
	else if (status)
		status = sheaf_fail_again(err, &p->failure);
	sheaf_pipeline_pass(parts);
	return status;
}

/* Prepares and fetches part `number`, of `length` values, and hands it to the threads. Drivers read one
 * chunk at a time; the rest of the work is shared. */
static sheaf_status submit(const reading *r, sheaf_pipeline *parts, int64_t number, int64_t length,
                           sheaf_error *err)
{
	part *p = (part *)sheaf_pipeline_free_item(parts);
	p->from = number * length;
	p->to = p->from + length < r->item->count ? p->from + length : r->item->count;
	p->needed_from = p->from > r->from ? p->from : r->from;
	p->needed_to = p->to < r->to ? p->to : r->to;
	if (!p->stored.cx) sheaf_builder_begin(&p->stored, r->box->cx, NULL);
	p->stored.size = 0;
	p->skipped = 0;
	if (r->item->inside->chunk && !is_plain(r)) {
		/* The chunk that an earlier call has left, if it is this one. */
		const sheaf_box_detail *inside = r->item->inside;
		sheaf_buffer_reset(&p->kept);
		sheaf_mutex_lock(&r->box->kept);
		if (inside->kept.data && inside->kept_number == number) p->kept = sheaf_buffer_ref(&inside->kept);
		sheaf_mutex_unlock(&r->box->kept);
		if (!p->kept.data)
			SHEAF_TRY(
				r->box->driver->read_chunk(r->box->state, r->item, number, &p->skipped, &p->stored, err));
	}
	sheaf_pipeline_submit(parts);
	return SHEAF_OK;
}

/* ---- arrays that are not contiguous, and texts ---- */

/* Numbers of a band of rows. */
static sheaf_status deliver_band(void *user, const uint8_t *elements, int64_t from, int64_t count,
                                 sheaf_error *err)
{
	return deliver((const reading *)user, elements, from, count, err);
}

static sheaf_status read_rows(const reading *r, sheaf_error *err)
{
	return sheaf_box_bands(r->box, (sheaf_box_run){r->item, r->from, r->to}, width_of(r->item), deliver_band,
	                       (void *)(uintptr_t)r, err);
}

/* Texts of an array, and where each ends. */
typedef struct text_list {
	sheaf_box *box;
	const sheaf_box_item *item;
	sheaf_builder bytes, offsets;
} text_list;

static void drop_texts(text_list *list)
{
	sheaf_builder_drop(&list->bytes);
	sheaf_builder_drop(&list->offsets);
}

/* Appends the texts of a band's elements to the list, on the thread that reads the bands. */
static sheaf_status keep_texts(void *user, const uint8_t *elements, int64_t from, int64_t count,
                               sheaf_error *err)
{
	text_list *to = (text_list *)user;
	(void)from;
	for (int64_t i = 0; i < count; i++) {
		const uint8_t *element = elements + (size_t)i * to->item->inside->width;
		SHEAF_TRY(to->box->driver->text_of(to->box->state, to->item, element, &to->bytes, err));
		sheaf_builder_i64(&to->offsets, (int64_t)to->bytes.size);
	}
	return sheaf_builder_status(to->bytes.failed ? &to->bytes : &to->offsets, err);
}

/* ---- the door ---- */

/* Checks all that a run must be before anything is read, and whether it has texts as expected; then the
 * driver may prepare. A run that extends beyond the array is SHEAF_SHORT. */
static sheaf_status check(const sheaf_box *box, sheaf_box_run run, bool texts, sheaf_error *err)
{
	const sheaf_box_item *item = run.item;
	char where[300];
	if (box->failure.status) return sheaf_fail_again(err, &box->failure);
	/* The reason in the list becomes the error. */
	if (item->is_group || item->refused)
		return sheaf_fail(err, item->is_damaged ? SHEAF_DATA : SHEAF_UNSUPPORTED,
		                  "%s: expected a readable array, found %s", sheaf_box_where(box, item, where),
		                  item->is_group ? "a group" : item->refused);
	bool is_other = item->what >= SHEAF_BOX_RECORDS && item->what != SHEAF_BOX_LISTS;
	if (is_other || (item->what >= SHEAF_BOX_TEXTS) != texts)
		return sheaf_fail(err, SHEAF_DATA, "%s: expected %s, found %s", sheaf_box_where(box, item, where),
		                  texts ? "texts" : "numbers", item->of);
	bool is_within = run.from >= 0 && run.from <= run.to && run.to <= item->count;
	if (is_within) return box->driver->prepare ? box->driver->prepare(box->state, item, err) : SHEAF_OK;
	return sheaf_fail(err, SHEAF_SHORT,
	                  "%s: expected values %" PRId64 " to %" PRId64 ", found %" PRId64 " in all",
	                  sheaf_box_where(box, item, where), run.from, run.to, item->count);
}

/* Reads a run that has been checked, in the cheapest way that fits: elements of whole rows, values in
 * memory, parts that threads share, or rows. Parts are submitted as long as there is room, and the first
 * is awaited otherwise. */
static sheaf_status read_checked(const reading *r, sheaf_error *err)
{
	const sheaf_box_detail *inside = r->item->inside;
	if (r->from == r->to) return SHEAF_OK;
	if (inside->bits) return read_rows(r, err);
	if (inside->grid && !inside->chunk && is_as_wanted(r)) {
		int64_t row = r->item->count / r->item->dims[0];
		if (r->from % row == 0 && r->to % row == 0)
			return sheaf_box_read_elements(r->box, r->item, r->from / row, r->to / row, r->out, err);
	}
	if (inside->held.data)
		return deliver(r, inside->held.data + (size_t)r->from * width_of(r->item), r->from, r->to - r->from,
		               err);
	if ((inside->offset >= 0 && !inside->is_absent) || inside->chunk) {
		/* Values of a part: large enough to be worth a call, small enough to share. */
		enum { STRETCH = 2 << 20 };
		int64_t length = STRETCH / (int64_t)width_of(r->item), chunk = inside->chunk * inside->per;
		if (chunk) length = is_plain(r) && length > chunk ? length / chunk * chunk : chunk;
		int64_t at = r->from / length, end = (r->to - 1) / length + 1;
		sheaf_pipeline parts = {0};
		int depth = sheaf_box_depth(r->box, length * (int64_t)width_of(r->item) * 4, 8, 1);
		if (depth > end - at) depth = (int)(end - at);
		SHEAF_TRY(sheaf_pipeline_open(&parts, r->box->cx, sizeof(part), depth,
		                              (sheaf_pipeline_steps){work, NULL, drop, (void *)(uintptr_t)r}, err));
		sheaf_status status = SHEAF_OK;
		while (!status && (at < end || sheaf_pipeline_count(&parts) > 0)) {
			status = sheaf_check_stop(r->box->cx, err);
			if (!status && at < end && sheaf_pipeline_free_item(&parts))
				status = submit(r, &parts, at++, length, err);
			else if (!status)
				status = pass_first(r, &parts, err);
		}
		sheaf_pipeline_close(&parts);
		return status;
	}
	return read_rows(r, err);
}

sheaf_status sheaf_box_read_into(sheaf_box *box, sheaf_box_run run, sheaf_type type, void *out,
                                 sheaf_error *err)
{
	SHEAF_TRY(check(box, run, false, err));
	return read_checked(&(reading){box, run.item, run.from, run.to, type, (uint8_t *)out}, err);
}

/* Gives a view of a run of values in *out, of the file or of memory, or leaves it empty if there can be
 * none: its bytes must lie at a multiple of their width, or not every processor could read them as
 * numbers. */
static sheaf_status view(sheaf_box *box, sheaf_box_run run, sheaf_buffer *out, sheaf_error *err)
{
	const sheaf_box_detail *inside = run.item->inside;
	size_t width = width_of(run.item), size = (size_t)(run.to - run.from) * width;
	if (inside->held.data) {
		*out = sheaf_buffer_part(&inside->held, (size_t)run.from * width, size);
		return SHEAF_OK;
	}
	if (inside->offset < 0 || inside->is_absent || inside->bits || !box->source) return SHEAF_OK;
	int64_t at = inside->offset + run.from * (int64_t)width;
	SHEAF_TRY(sheaf_source_view_at(box->source, at, size, out, err));
	if ((uintptr_t)out->data % width != 0) sheaf_buffer_reset(out);
	return SHEAF_OK;
}

/* Reads a run of values as a type into *out, which the caller resets: a view if there can be one, else a
 * copy. */
sheaf_status sheaf_box_read(sheaf_box *box, sheaf_box_run run, sheaf_type type, sheaf_buffer *out,
                            sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = box->cx};
	size_t size;
	sheaf_buffer_reset(out);
	SHEAF_TRY(check(box, run, false, err));
	if (run.from == run.to) return SHEAF_OK;
	if (type == run.item->type && !run.item->inside->is_swapped) SHEAF_TRY(view(box, run, out, err));
	if (out->data) return SHEAF_OK;
	if (!sheaf_mul_size(&size, (uint64_t)(run.to - run.from), sheaf_type_size(type)))
		return sheaf_fail(err, SHEAF_LIMIT, "%s: expected fewer values at a time, found %" PRId64, box->name,
		                  run.to - run.from);
	if (!sheaf_builder_room(&b, size)) return sheaf_builder_status(&b, err);
	SHEAF_TRY(read_checked(&(reading){box, run.item, run.from, run.to, type, b.data}, err));
	b.size = size;
	return sheaf_builder_finish(&b, out, err);
}

/* Appends indices as a type. Those that are as wide as wanted are taken as they are stored: unsigned ones
 * of the same width have the same bytes, and those that are too large are found negative by whoever
 * checks them. Others are converted. */
sheaf_status sheaf_box_read_indices(sheaf_box *box, sheaf_box_run run, sheaf_type type, sheaf_builder *to,
                                    sheaf_error *err)
{
	sheaf_buffer found = {0};
	sheaf_type stored = run.item->type;
	size_t width = sheaf_type_size(type);
	SHEAF_TRY(check(box, run, false, err));
	if (sheaf_type_size(stored) != width) {
		SHEAF_TRY(sheaf_box_read(box, run, stored, &found, err));
		sheaf_integers_put(stored, found.data, run.to - run.from, type, to);
		sheaf_buffer_reset(&found);
		return sheaf_builder_status(to, err);
	}
	if (!run.item->inside->is_swapped) SHEAF_TRY(view(box, run, &found, err));
	if (found.data) {
		sheaf_builder_hold(to, &found);
		return SHEAF_OK;
	}
	uint8_t *room = sheaf_builder_extend(to, (uint64_t)(run.to - run.from) * width);
	if (!room) return sheaf_builder_status(to, err);
	return read_checked(&(reading){box, run.item, run.from, run.to, stored, room}, err);
}

/* Reads a run of texts: text i is bytes [offsets[i], offsets[i + 1]). The caller resets both lists; after
 * an error there is neither. */
sheaf_status sheaf_box_read_texts(sheaf_box *box, sheaf_box_run run, sheaf_buffer *bytes,
                                  sheaf_buffer *offsets, sheaf_error *err)
{
	SHEAF_SCOPED(drop_texts)
	text_list to = {.box = box, .item = run.item, .bytes = {.cx = box->cx}, .offsets = {.cx = box->cx}};
	sheaf_buffer_reset(bytes);
	sheaf_buffer_reset(offsets);
	SHEAF_TRY(check(box, run, true, err));
	sheaf_builder_i64(&to.offsets, 0);
	if (run.from < run.to)
		SHEAF_TRY(sheaf_box_bands(box, run, run.item->inside->width, keep_texts, &to, err));
	SHEAF_TRY(sheaf_builder_finish(&to.offsets, offsets, err));
	sheaf_status status = sheaf_builder_finish(&to.bytes, bytes, err);
	if (status) sheaf_buffer_reset(offsets);
	return status;
}
