/* SPDX-License-Identifier: MIT */
/* Making an index: gathered while the input is read, or made on request, and written at the end. */
#include "base/context.h"
#include "base/endian.h"
#include "base/status.h"
#include "dataset/index/counts.h"
#include "dataset/index/index.h"
#include "io/source.h"
#include <errno.h>
#include <string.h>

/* Below this a scan takes a fraction of a second: not worth a file that nobody has requested. */
static const int64_t LARGE = 64 << 20;

/* ---- writing ---- */

/* Writes the index in a place, where nothing but an index, sound or damaged, may be replaced. UNKNOWN if
 * something else is there. */
static sheaf_status write_at(const sheaf_keeping *k, int place, sheaf_error *err)
{
	sheaf_index_file existing;
	const char *path = k->d->index->places[place];
	const sheaf_source *input = k->d->source;
	if (place > 0) sheaf_index_make_folder(path);
	if (!sheaf_index_is_free(path)) {
		if (!sheaf_index_is_file(path))
			return sheaf_fail_sys(err, EEXIST, "%s: expected an index or nothing at that place", path);
		sheaf_status status = sheaf_index_open(path, input, k->d->cx, &existing, err);
		if (status == SHEAF_OK) sheaf_index_close(&existing);
		if (status == SHEAF_UNKNOWN) return status;
		SHEAF_TRY(sheaf_forgive(status, "a damaged index is replaced"));
	}
	return sheaf_index_write(path, input, &k->head, k->pieces, k->d->cx, err);
}

/* Writes the index beside the input, or else in the cache folder: if the input's folder is to blame, as one
 * that cannot be written or where somebody else's file is in the way, but not a disk that is full or broken.
 * The outcome is in k->status and k->error, as this may run on a thread of its own. */
static void write_somewhere(sheaf_keeping *k)
{
	k->status = write_at(k, k->place = 0, &k->error);
	int error_number = k->error.sys;
	bool folder_is_to_blame = k->status == SHEAF_IO
	                              ? error_number != ENOSPC && error_number != EDQUOT && error_number != EIO
	                              : k->status == SHEAF_UNKNOWN && error_number == EPERM;
	if (folder_is_to_blame && k->d->index->places[1]) k->status = write_at(k, k->place = 1, &k->error);
}

/* Fills in what an index has before its tables. The texts and the schema are borrowed from the dataset. */
static sheaf_status make_head(sheaf_indexed *d, int64_t piece_bytes, sheaf_index_head *head, sheaf_error *err)
{
	sheaf_index *x = d->index;
	SHEAF_TRY(sheaf_index_identify(d, err));
	*head = (sheaf_index_head){.input = x->input, .piece_bytes = piece_bytes, .schema = d->in->schema};
	head->counting = (char *)(uintptr_t)sheaf_index_counting(d);
	head->settings = (char *)x->settings.data;
	head->inferred = d->in->facts.guess && !d->glance;
	return SHEAF_OK;
}

/* Writes an index of these pieces. A table that was made before anybody requested an index has no hashes
 * yet: the pieces are hashed here, in place. A hash is the last word of its entry. */
sheaf_status sheaf_index_write_table(sheaf_indexed *d, const sheaf_pieces *pieces, sheaf_error *err)
{
	sheaf_keeping k = {.d = d, .pieces = pieces};
	sheaf_pieces *unhashed = pieces == d->surveyed && !pieces->hashed ? d->surveyed : NULL;
	for (int64_t i = 0; unhashed && i < unhashed->count; i++) {
		sheaf_piece_entry entry;
		sheaf_pieces_at(unhashed, i, &entry);
		sheaf_piece piece = sheaf_piece_of(&entry);
		SHEAF_TRY(sheaf_piece_hash(&d->input, &piece, &entry.hash, err));
		sheaf_store_u64le(unhashed->entries.data + (size_t)(i + 1) * SHEAF_PIECES_ENTRY - sizeof entry.hash,
		                  entry.hash);
		SHEAF_TRY(sheaf_check_stop(d->cx, err));
	}
	if (unhashed) unhashed->hashed = true;
	SHEAF_TRY(make_head(d, sheaf_table_bytes(d), &k.head, err));
	write_somewhere(&k);
	if (k.status && err) *err = k.error;
	if (k.status == SHEAF_OK) d->index->place = k.place;
	return k.status;
}

/* ---- gathering ---- */

/* Whether reading should also gather an index that nobody has requested: only of a large input without a
 * fresh one. Chunks are found at once, so they need no index for that. A file that was just changed may
 * change again within the same tick of its clock, so its identity would prove nothing. */
static bool is_worth_it(const sheaf_indexed *d)
{
	const sheaf_index *x = d->index;
	bool wanted = x->policy == SHEAF_INDEX_AUTO && x->applies && !x->fresh && !x->foreign && !d->glance &&
	              d->format->random;
	return wanted && sheaf_table_bytes(d) > 0 && x->input.size >= LARGE &&
	       !sheaf_identity_is_fresh(&x->input);
}

/* Frees what was gathered so far; nothing is gathered from now on. */
static void stop_gathering(sheaf_index *x)
{
	if (x->gathering == SHEAF_GATHERING) {
		sheaf_gathering_drop(&x->gathered);
		sheaf_measurer_end(&x->measurer);
	}
	x->gathering = SHEAF_GATHERING_NOT;
}

void sheaf_index_pass_over(sheaf_indexed *d) { stop_gathering(d->index); }

/* Adds a piece that was read to the index being gathered, which begins with the first piece. Lengths are a
 * small part of what is read; but a small memory limit is reserved for reading. Whatever keeps the index from
 * being gathered is no failure of the reading: another one can gather it. */
void sheaf_index_gather(sheaf_indexed *d, const sheaf_piece *piece, const sheaf_frame *frame)
{
	enum { SHARE = 16 };
	sheaf_index *x = d->index;
	sheaf_gathering *g = &x->gathered;
	const sheaf_schema *schema = &d->in->schema;
	uint64_t hash;
	if (x->gathering == SHEAF_GATHERING_NOT_YET) {
		x->gathering = is_worth_it(d) ? SHEAF_GATHERING : SHEAF_GATHERING_NOT;
		if (x->gathering == SHEAF_GATHERING_NOT) return;
		sheaf_status status = sheaf_gathering_begin(g, d->cx, NULL);
		if (status == SHEAF_OK) status = sheaf_measurer_begin(&x->measurer, &d->input, NULL);
		if (status) stop_gathering(x);
	}
	if (x->gathering == SHEAF_GATHERING_NOT) return;
	size_t size =
		g->entries.capacity + g->packer.bits.capacity + g->packer.blocks.capacity + g->counts.capacity;
	if ((int64_t)size > sheaf_max_memory(d->cx) / SHARE ||
	    sheaf_put_off(sheaf_measure_frame(&x->measurer, frame, NULL), "another reading") ||
	    sheaf_put_off(sheaf_piece_hash(&d->input, piece, &hash, NULL), "another reading")) {
		stop_gathering(x);
		return;
	}
	if (sheaf_counts_apply(schema)) sheaf_counts_add(&g->counts, schema, frame, g->packer.rows);
	(void)sheaf_gathering_add(g, piece, x->measurer.lengths, x->measurer.rows, hash);
}

static void *keep(void *user)
{
	write_somewhere((sheaf_keeping *)user);
	return NULL;
}

/* Waits for the thread that writes an index, if there is one, and frees what was gathered. */
void sheaf_index_wait(sheaf_indexed *d)
{
	sheaf_index *x = d->index;
	if (!x) return;
	if (x->keeping.runs) sheaf_thread_join(&x->keeping.thread);
	x->keeping.runs = false;
	sheaf_pieces_free(x->kept);
	x->kept = NULL;
	stop_gathering(x);
}

/* Warns that the index could not be written, which is no failure of the reading. */
static sheaf_status report_failure(sheaf_indexed *d, const sheaf_error *failure, sheaf_error *err)
{
	sheaf_problem problem = {SHEAF_WARNING, failure->status,     "index not written",
	                         SHEAF_NOWHERE, "to write an index", failure->message,
	                         NULL};
	problem.place.file = sheaf_source_name(d->source);
	return sheaf_report(d->cx, &problem, err);
}

/* Writes the index at the end of the input: what was gathered, by another thread if there is one, while the
 * caller continues. Rows that errors have changed do not have the length that their lines show, so nothing is
 * written then. If an index was asked for, a survey of its own makes it. */
sheaf_status sheaf_index_finish(sheaf_indexed *d, sheaf_error *err)
{
	sheaf_index *x = d->index;
	sheaf_keeping *k = &x->keeping;
	sheaf_error failure = {0};
	if (x->gathering == SHEAF_GATHERING && sheaf_context_problems(d->cx, SHEAF_ERROR) == 0 &&
	    !sheaf_put_off(make_head(d, d->piece_bytes, &k->head, NULL), "another reading") &&
	    !sheaf_put_off(sheaf_gathering_finish(&x->gathered, &x->kept, NULL), "another reading")) {
		x->kept->hashed = true;
		k->d = d;
		k->pieces = x->kept;
		k->runs = sheaf_context_threads(d->cx) > 1 && sheaf_thread_start(&k->thread, keep, k);
		if (!k->runs) write_somewhere(k);
	}
	stop_gathering(x);
	if (x->policy != SHEAF_INDEX_WRITE || x->fresh) return SHEAF_OK;
	sheaf_status status = d->format->rewind(d->in, NULL, &failure);
	if (status == SHEAF_OK) status = sheaf_survey(d, &failure);
	if (status == SHEAF_OK) status = sheaf_index_write_table(d, d->pieces, &failure);
	return status ? report_failure(d, &failure, err) : SHEAF_OK;
}

/* Writes the table of a survey as an index, if one was asked for or is worth it: it is as good as one
 * gathered on the way. A table of unusual pieces would help nobody else. */
sheaf_status sheaf_index_keep_table(sheaf_indexed *d, sheaf_error *err)
{
	const sheaf_index *x = d->index;
	sheaf_error failure = {0};
	bool is_requested = x->policy == SHEAF_INDEX_WRITE && !x->fresh;
	bool is_wanted = is_requested || (d->table_bytes <= 0 && is_worth_it(d));
	if (d->pieces != d->surveyed || !is_wanted) return SHEAF_OK;
	sheaf_status status = sheaf_index_write_table(d, d->pieces, &failure);
	if (sheaf_put_off(status, "another reading, which nobody has asked for") && is_requested)
		return report_failure(d, &failure, err);
	return SHEAF_OK;
}
