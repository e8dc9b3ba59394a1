/* SPDX-License-Identifier: MIT */
/* Using an index: only a fresh one, and only its sound parts.
 *
 * An index is fresh if it was made from the input as it is (size, time and hash), if its table fits what the
 * reader finds, and if it was made with settings that give the same rows. All of that is looked at when the
 * dataset is opened. It is not proof: two contents may have the same hashes of samples, and a file with
 * correct hashes can be written by anybody who may write there. So each piece that is read by the index is
 * held against the hash and the lengths that it claims, and one that differs refutes the index. */
#include "dataset/index/index.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "dataset/input/measure.h"
#include "frame/frame.h"
#include "frame/schema/schema_bytes.h"
#include "io/descriptor.h"
#include "io/source.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void say_why(sheaf_index *x, const char *format, ...) SHEAF_PRINTF(2, 3);

/* Keeps the reason for which the index is not used, as the message that --index require would give. */
static void say_why(sheaf_index *x, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	x->why.status = sheaf_fail_list(&x->why, SHEAF_DATA, format, args);
	va_end(args);
}

/* ---- settings ---- */

static void put_setting(sheaf_builder *b, const char *name, const char *value)
{
	sheaf_builder_printf(b, "%s=%zu:%s\n", name, value ? strlen(value) : 0, value ? value : "");
}

/* Writes the format and all settings for reading as one text, line by line, that ends with a zero. They are
 * in the order of the format's table of options, whatever the order in which they were given, so that equal
 * settings are equal texts. */
static sheaf_status make_settings(const sheaf_indexed *d, sheaf_buffer *out, sheaf_error *err)
{
	sheaf_builder settings;
	const char *value;
	sheaf_builder_begin(&settings, d->cx, out);
	sheaf_builder_printf(&settings, "%s\n", d->format->name);
	for (const sheaf_option *option = d->format->options; option && option->name; option++) {
		if (option->kind == SHEAF_OPTION_FLAG && sheaf_values_flag(&d->values, option->name))
			put_setting(&settings, option->name, NULL);
		if (option->kind == SHEAF_OPTION_FLAG) continue;
		for (int nth = 0; (value = sheaf_values_nth(&d->values, option->name, nth)); nth++)
			put_setting(&settings, option->name, value);
	}
	sheaf_builder_append(&settings, "", 1);
	return sheaf_builder_finish(&settings, out, err);
}

const char *sheaf_index_settings(const sheaf_index *x) { return (const char *)x->settings.data; }

const char *sheaf_index_counting(const sheaf_indexed *d)
{
	const char *word = d->in->counting;
	return word ? word : sheaf_index_settings(d->index);
}

/* ---- finding ---- */

/* Closes the index's file: from now on there is no index. Why not is said by whoever has found out. */
static void drop_file(sheaf_index *x)
{
	x->fresh = false;
	sheaf_pieces_free(x->pieces);
	x->pieces = NULL;
	sheaf_index_close(&x->file);
}

void sheaf_index_drop(sheaf_indexed *d, const sheaf_error *why)
{
	d->index->why = *why;
	drop_file(d->index);
}

/* Opens the index at a place. It is OK to find one of another input, of which x->why tells; a failure is
 * that of reading it. Only if x->fresh is set, the file and its table stay open. */
static sheaf_status look_at(sheaf_indexed *d, const char *path, sheaf_error *why)
{
	sheaf_index *x = d->index;
	sheaf_status status = sheaf_index_open(path, d->source, d->cx, &x->file, why);
	if (status == SHEAF_OK && !sheaf_identity_equal(&x->input, &x->file.head.input)) {
		say_why(x,
		        "%s: expected an index of the input as it is now, found one of another size, time or content",
		        path);
		sheaf_index_close(&x->file);
		return SHEAF_OK;
	}
	if (status == SHEAF_OK) status = sheaf_index_pieces(&x->file, &x->pieces, why);
	x->fresh = status == SHEAF_OK;
	if (x->fresh) return SHEAF_OK;
	x->why = *why;
	sheaf_index_close(&x->file);
	return status;
}

/* Computes the identity of the input, with its hash, unless that was done. DATA if the content is no longer
 * the one that it had then. */
sheaf_status sheaf_index_identify(sheaf_indexed *d, sheaf_error *err)
{
	sheaf_index *x = d->index;
	sheaf_identity now;
	if (!x->applies)
		return sheaf_fail(err, x->obstacle, "%s: expected an input that can have an index, found that %s",
		                  sheaf_source_name(d->source), x->why.message);
	SHEAF_TRY(sheaf_source_identify(d->source, &x->input, &now, err));
	if (x->hashed && !sheaf_identity_equal(&now, &x->input))
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: expected the content that it had when it was opened, found another",
		                  sheaf_source_name(d->source));
	x->input = now;
	x->hashed = true;
	return SHEAF_OK;
}

/* Opens the index that was written just now, instead of the one before. A table that readers have does not
 * change under them, so it stays. */
sheaf_status sheaf_index_look(sheaf_indexed *d, sheaf_error *err)
{
	sheaf_index *x = d->index;
	if (x->pieces && d->pieces == x->pieces) return SHEAF_OK; /* in use */
	drop_file(x);
	x->found = true;
	sheaf_error why;
	sheaf_status status = look_at(d, x->places[x->place], &why);
	if (status) return sheaf_fail_again(err, &why);
	return x->fresh ? SHEAF_OK : sheaf_fail_again(err, &x->why);
}

/* Looks for a fresh index in all places, beside the input first. If none is fresh, x->place and x->why are
 * those of the first one that was found, or say that there is none. */
static sheaf_status look_everywhere(sheaf_indexed *d, sheaf_error *err)
{
	sheaf_index *x = d->index;
	bool found = false;
	say_why(x, "%s: expected an index, found none", x->places[0]);
	for (int p = 0; p < SHEAF_INDEX_PLACES && !x->fresh; p++) {
		if (!sheaf_index_is_file(x->places[p])) continue;
		SHEAF_TRY(sheaf_index_identify(d, err));
		x->found = true;
		sheaf_error earlier_why = x->why, why;
		sheaf_status status = look_at(d, x->places[p], &why);
		status = sheaf_forgive(status, "a damaged index is ignored");
		if (status) return sheaf_fail_again(err, &why);
		if (x->fresh || !found) x->place = p;
		if (found && !x->fresh) x->why = earlier_why;
		found = true;
	}
	return SHEAF_OK;
}

/* Fails if the policy demands an index and there is none that can be used, or demands one to be written and
 * the input cannot have one. */
static sheaf_status refuse(sheaf_indexed *d, sheaf_error *err)
{
	sheaf_index *x = d->index;
	bool is_explicit = x->policy == SHEAF_INDEX_REQUIRE || x->policy == SHEAF_INDEX_WRITE;
	if (is_explicit && !x->applies) return sheaf_index_identify(d, err);
	if (x->policy != SHEAF_INDEX_REQUIRE || x->fresh) return SHEAF_OK;
	x->why.status = SHEAF_UNKNOWN;
	sheaf_error_append(&x->why, "; an index is required");
	return sheaf_fail_again(err, &x->why);
}

/* Looks for the index of an input before it is opened. The settings, whether the input can have an index,
 * and where that would be, are found in any case: somebody may ask for one to be written. An index of the
 * whole also has pieces that end with what is cut off, so there is none where that is left out. */
sheaf_status sheaf_index_find(sheaf_indexed *d, sheaf_index_policy policy, sheaf_error *err)
{
	sheaf_error why = {0};
	SHEAF_TRY(sheaf_allocate(d->cx, sizeof *d->index, &d->index, err));
	sheaf_index *x = d->index;
	x->policy = policy;
	x->asked = policy == SHEAF_INDEX_WRITE;
	SHEAF_TRY(make_settings(d, &x->settings, err));
	sheaf_status status = sheaf_source_stamp(d->source, &x->input, &why);
	if (status && status != SHEAF_UNSUPPORTED) return sheaf_fail_again(err, &why);
	if (status == SHEAF_OK)
		status = sheaf_index_find_places(sheaf_source_name(d->source), d->cx, x->places, &why);
	if (sheaf_is_of_memory(status)) return sheaf_fail_again(err, &why);
	x->applies = x->places[0] && !sheaf_drops_incomplete(d->cx);
	x->obstacle = status ? status : SHEAF_UNSUPPORTED;
	if (!x->applies && status)
		x->why = why;
	else if (!x->applies)
		say_why(x, x->places[0] ? "what is cut off is left out" : "its path is too long");
	status = x->applies && policy != SHEAF_INDEX_NEVER ? look_everywhere(d, &why) : SHEAF_OK;
	if (status) x->why = why;
	status = sheaf_forgive(status, "a damaged index is ignored");
	return status ? sheaf_fail_again(err, &why) : refuse(d, err);
}

/* ---- using ---- */

/* Whether two schemas are equal, byte by byte. A schema may come from another file, such as a map, so equal
 * settings prove nothing. */
bool sheaf_index_same_schema(const sheaf_schema *a, const sheaf_schema *b, sheaf_context *cx)
{
	sheaf_builder one, other;
	sheaf_builder_begin(&one, cx, NULL);
	sheaf_builder_begin(&other, cx, NULL);
	sheaf_schema_to_bytes(a, &one);
	sheaf_schema_to_bytes(b, &other);
	bool same =
		!one.failed && !other.failed && one.size == other.size && memcmp(one.data, other.data, one.size) == 0;
	sheaf_builder_drop(&one);
	sheaf_builder_drop(&other);
	return same;
}

/* Whether the index was made with the same settings, inferred its schema from all of the input, and has the
 * one that the reader has found. */
bool sheaf_index_confirms(const sheaf_indexed *d)
{
	const sheaf_index *x = d->index;
	return x->fresh && x->file.head.inferred && strcmp(x->file.head.settings, sheaf_index_settings(x)) == 0 &&
	       sheaf_index_same_schema(&x->file.head.schema, &d->in->schema, d->cx);
}

/* Whether an index describes the rows that the dataset has: it is of the same format, and was made either
 * with the same settings or by a way of counting that does not depend on them. */
bool sheaf_index_is_of(const sheaf_indexed *d, const sheaf_index_head *head)
{
	bool any_settings = d->in->counting != NULL;
	const char *settings = sheaf_index_settings(d->index);
	if (strncmp(head->settings, settings, strcspn(settings, "\n") + 1) != 0)
		return false; /* of another format */
	return strcmp(head->counting, sheaf_index_counting(d)) == 0 &&
	       (any_settings || sheaf_index_same_schema(&head->schema, &d->in->schema, d->cx));
}

/* Whether only white space and comments follow the last piece; otherwise the table lacks rows. A longer rest
 * than 64 KB is not looked at, and does not fit. */
static sheaf_status check_rest(const sheaf_indexed *d, int64_t end_of_pieces, bool *fits, sheaf_error *err)
{
	enum { MOST = 64 << 10 };
	uint8_t *bytes;
	int64_t size = d->source->raw.size - end_of_pieces;
	*fits = size == 0;
	if (size <= 0 || size > MOST) return SHEAF_OK;
	SHEAF_TRY(sheaf_allocate(d->cx, (size_t)size, &bytes, err));
	sheaf_status status = sheaf_raw_read_at(&d->source->raw, end_of_pieces, bytes, (size_t)size, err);
	const uint8_t *place = bytes, *end = bytes + size;
	for (*fits = status == SHEAF_OK; *fits && place < end; place++) {
		if (*place == '#') place = (const uint8_t *)memchr(place, '\n', (size_t)(end - place));
		if (!place) break;
		*fits = *place && strchr(" \t\r\n\v\f", *place);
	}
	sheaf_release(d->cx, bytes, (size_t)size);
	return status;
}

/* Whether the table covers everything from where the reader begins to the last row, and has the number of
 * rows that the input itself states, if it does. Chunks (line < 0) are not compared by bytes. */
static sheaf_status check_cover(const sheaf_indexed *d, bool *fits, sheaf_error *err)
{
	const sheaf_pieces *pieces = d->index->pieces;
	sheaf_facts facts = d->in->facts;
	sheaf_piece_entry first, last;
	*fits = facts.guess || facts.rows < 0 || facts.rows == pieces->rows;
	if (!*fits || pieces->count == 0) return SHEAF_OK;
	sheaf_pieces_at(pieces, 0, &first);
	sheaf_pieces_at(pieces, pieces->count - 1, &last);
	if (first.line < 0) return SHEAF_OK;
	*fits = first.byte == sheaf_source_tell(d->source);
	return *fits ? check_rest(d, last.byte + last.size, fits, err) : SHEAF_OK;
}

/* Opens the reader and compares the index with it, since only an open reader knows the schema. An index
 * that does not fit is dropped. A speculative reader with other columns than the index of the same settings
 * has seen too little: STALE. */
sheaf_status sheaf_index_open_input(sheaf_indexed *d, const sheaf_opening *how, sheaf_error *err)
{
	sheaf_index *x = d->index;
	SHEAF_TRY(sheaf_reader_open(&d->input, how, &d->in, err));
	bool fits = true;
	if (x->fresh) SHEAF_TRY(check_cover(d, &fits, err));
	if (!fits) {
		say_why(x, "expected an index of all of the input, found one of a part of it");
		drop_file(x);
	}
	bool is_other = x->fresh && !sheaf_index_is_of(d, &x->file.head);
	if (is_other && d->in->speculative && strcmp(x->file.head.settings, sheaf_index_settings(x)) == 0)
		return sheaf_fail(err, SHEAF_STALE,
		                  "%s: expected the columns that its index has, found others at first",
		                  sheaf_source_name(d->source));
	if (is_other) {
		say_why(x, "%s: expected an index made with the same settings, found one made with others",
		        x->places[x->place]);
		x->foreign = true;
		drop_file(x);
	}
	return refuse(d, err);
}

/* Gives the table of a fresh index, if its pieces have the requested size; NULL otherwise. Whoever gets it
 * uses the index from then on, which pieces->input marks. */
void sheaf_index_table(sheaf_indexed *d, int64_t piece_bytes, const sheaf_pieces **out)
{
	sheaf_index *x = d->index;
	*out = NULL;
	if (!x->fresh || (piece_bytes >= 0 && x->file.head.piece_bytes != piece_bytes)) return;
	x->pieces->input = &d->input;
	*out = x->pieces;
}

/* Makes the dataset one that can have no index, since views have changed its rows. */
void sheaf_index_disown(sheaf_indexed *d)
{
	sheaf_index *x = d->index;
	drop_file(x);
	x->applies = x->found = false;
	say_why(x, "%s: expected rows as in the file, found converted rows", sheaf_source_name(d->source));
}

/* Frees the index of a dataset; NULL is allowed. No thread may be writing one. */
void sheaf_index_free(sheaf_indexed *d)
{
	sheaf_index *x = d->index;
	if (!x) return;
	drop_file(x);
	sheaf_buffer_reset(&x->settings);
	for (int p = 0; p < SHEAF_INDEX_PLACES; p++) sheaf_release_text(d->cx, x->places[p]);
	sheaf_release(d->cx, x, sizeof *x);
	d->index = NULL;
}

/* ---- holding it against the input ---- */

/* Whether the table in use is the index's. */
static bool is_in_use(const sheaf_indexed *d)
{
	return d->index->pieces && (d->pieces == d->index->pieces || d->index->pieces->input);
}

/* Fails because a piece is not what the index says: STALE, so that the caller can do without the index. */
static sheaf_status refute(const sheaf_indexed *d, const sheaf_piece_entry *entry, const char *expected,
                           sheaf_error *err)
{
	const sheaf_index *x = d->index;
	return sheaf_fail(
		err, SHEAF_STALE,
		"%s: expected the %s of %s from byte %" PRId64
		" on, found others: it has other contents (" SHEAF_OPTION("index") " never does without)",
		x->places[x->place], expected, sheaf_source_name(d->source), entry->byte);
}

/* Brings back a piece by its entry. If an index has a piece where none can be, the index is wrong, not the
 * input. */
sheaf_status sheaf_index_recall(const sheaf_indexed *d, const sheaf_format *format, const sheaf_reader *in,
                                const sheaf_piece_entry *entry, sheaf_piece *piece, sheaf_error *err)
{
	sheaf_status status = format->random->recall(in, piece, err);
	bool misplaced = status == SHEAF_DATA || status == SHEAF_SHORT;
	return misplaced && is_in_use(d) ? refute(d, entry, "pieces", err) : status;
}

/* Compares the bytes of a piece with the hash that the index has of it: STALE if they differ. A piece of
 * another table than the index's needs no comparison. */
sheaf_status sheaf_index_hold_bytes(const sheaf_indexed *d, const sheaf_piece_entry *entry,
                                    const sheaf_piece *piece, sheaf_error *err)
{
	uint64_t hash;
	if (!is_in_use(d)) return SHEAF_OK;
	SHEAF_TRY(sheaf_piece_hash(&d->input, piece, &hash, err));
	return hash == entry->hash ? SHEAF_OK : refute(d, entry, "bytes", err);
}

/* Compares the lengths of a piece's rows with those that the index claims, block by block. Blocks of
 * lengths that are damaged in the index are left out: whoever needs these lengths measures the rows. Rows
 * that can only be measured by decoding are not measured without a frame. */
sheaf_status sheaf_index_hold_rows(const sheaf_indexed *d, const sheaf_piece_entry *entry,
                                   const sheaf_piece *piece, const sheaf_frame *frame, sheaf_error *err)
{
	enum { BATCH = 1024 };
	uint32_t claimed[BATCH];
	sheaf_measurer m;
	if (!is_in_use(d) || (!frame && !d->format->random->measure)) return SHEAF_OK;
	const sheaf_lengths *claimed_lengths = &d->index->pieces->lengths;
	SHEAF_TRY(sheaf_measurer_begin(&m, &d->input, err));
	sheaf_status status = sheaf_measure_quickly(&m, piece, frame, err);
	bool is_same = status || m.rows == entry->rows;
	for (int64_t r = 0, n; is_same && !status && r < m.rows; r += n) {
		int64_t row = entry->row + r, left_in_block = SHEAF_LENGTHS_BLOCK - row % SHEAF_LENGTHS_BLOCK;
		n = m.rows - r < left_in_block ? m.rows - r : left_in_block;
		if (n > BATCH) n = BATCH;
		if (!sheaf_lengths_is_sound(claimed_lengths, row / SHEAF_LENGTHS_BLOCK)) continue;
		sheaf_lengths_unpack(claimed_lengths, row, n, claimed);
		is_same = memcmp(claimed, m.lengths + r, (size_t)n * sizeof *claimed) == 0;
	}
	sheaf_measurer_end(&m);
	if (!is_same) return refute(d, entry, "rows and lengths", err);
	return status == SHEAF_END ? SHEAF_OK : status;
}
