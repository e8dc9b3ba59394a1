/* SPDX-License-Identifier: MIT */
/* Keeping an index: gathered while the input is read, or made on request, and written at the end. */
#include "base/context.h"
#include "dataset/dataset.h"
#include "dataset/index.h"
#include <errno.h>
#include <string.h>

/* Below this a scan takes a fraction of a second: not worth a file that nobody has asked for. */
static const int64_t LARGE = 64 << 20;

/* ---- writing ---- */

static bool is_about_folder(const sheaf_error *err)
{
	return err->status == SHEAF_IO && err->sys != ENOSPC && err->sys != EDQUOT && err->sys != EIO;
}

/* Nothing but an index may be replaced. */
static sheaf_status check_place(const char *place, sheaf_context *cx, sheaf_error *err)
{
	sheaf_index_file there;
	if (sheaf_index_is_free(place)) return SHEAF_OK;
	if (!sheaf_index_is_file(place))
		return sheaf_fail_sys(err, EEXIST, "%s: expected an index or nothing at that place", place);
	sheaf_status status = sheaf_index_open(place, cx, &there, err);
	if (status == SHEAF_OK) sheaf_index_close(&there);
	return status == SHEAF_UNKNOWN || status == SHEAF_NOMEM || status == SHEAF_IO ? status : SHEAF_OK;
}

static sheaf_status write_at(const sheaf_keeping *k, int place, sheaf_error *err)
{
	int64_t size;
	const char *path = k->d->index->places[place];
	if (place > 0) sheaf_index_make_folder(path);
	SHEAF_TRY(check_place(path, k->d->cx, err));
	return sheaf_index_write(path, k->d->source, &k->head, k->pieces, k->d->cx, &size, err);
}

/* Beside the input, else in the cache folder. */
static void write_somewhere(sheaf_keeping *k)
{
	k->status = write_at(k, k->place = 0, &k->error);
	if (k->status && is_about_folder(&k->error) && k->d->index->places[1])
		k->status = write_at(k, k->place = 1, &k->error);
}

/* What an index of these pieces says before its tables. The texts and the schema are borrowed. */
static sheaf_status make_head(sheaf_dataset *d, int64_t piece_bytes, sheaf_index_head *head, sheaf_error *err)
{
	sheaf_index *x = d->index;
	SHEAF_TRY(sheaf_index_identify(d, err));
	*head = (sheaf_index_head){.input = x->input,
	                           .piece_bytes = piece_bytes,
	                           .facts = SHEAF_NO_FACTS,
	                           .schema = *d->format->schema(d->in)};
	head->counting = (char *)(uintptr_t)sheaf_index_counting(d);
	head->settings = (char *)x->settings.data;
	if (d->format->facts) d->format->facts(d->in, &head->facts);
	head->inferred = head->facts.guess && !d->glance;
	return SHEAF_OK;
}

static sheaf_status write_index(sheaf_dataset *d, const sheaf_pieces *pieces, sheaf_error *err)
{
	sheaf_keeping k = {.d = d, .pieces = pieces};
	SHEAF_TRY(make_head(d, sheaf_table_bytes(d), &k.head, err));
	write_somewhere(&k);
	if (k.status && err) *err = k.error;
	if (k.status == SHEAF_OK) d->index->place = k.place;
	return k.status;
}

sheaf_status sheaf_dataset_write_index(sheaf_dataset *d, sheaf_error *err)
{
	const sheaf_pieces *pieces;
	SHEAF_TRY(sheaf_index_identify(d, err));
	if (d->glance)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "%s: expected it opened for more than a glance, found it opened for one",
		                  sheaf_source_name(d->source));
	SHEAF_TRY(sheaf_dataset_pieces(d, &pieces, err));
	SHEAF_TRY(write_index(d, pieces, err));
	return sheaf_index_look(d, err);
}

/* ---- gathering ---- */

/* Chunks are found at once, so they need no index for that. A file that has just been changed may change
 * again in the same tick of its clock. */
static bool is_worth_it(const sheaf_dataset *d)
{
	const sheaf_index *x = d->index;
	bool wanted = x->policy == SHEAF_INDEX_AUTO && x->applies && !x->fresh && !x->foreign && !d->glance &&
	              d->format->random;
	return wanted && sheaf_table_bytes(d) > 0 && x->input.size >= LARGE &&
	       !sheaf_identity_is_fresh(&x->input);
}

static void stop_gathering(sheaf_index *x)
{
	if (x->gathering == SHEAF_GATHERING) {
		sheaf_gathering_drop(&x->gathered);
		sheaf_measurer_end(&x->measurer);
	}
	x->gathering = SHEAF_GATHERING_NOT;
}

void sheaf_index_pass_over(sheaf_dataset *d) { stop_gathering(d->index); }

static void begin_gathering(sheaf_dataset *d)
{
	sheaf_index *x = d->index;
	x->gathering = is_worth_it(d) ? SHEAF_GATHERING : SHEAF_GATHERING_NOT;
	if (x->gathering == SHEAF_GATHERING_NOT) return;
	sheaf_status status = sheaf_gathering_begin(&x->gathered, d->cx, NULL);
	if (status == SHEAF_OK) status = sheaf_measurer_begin(&x->measurer, d, NULL);
	if (status) stop_gathering(x);
}

/* Lengths are a small part of what is read; but a small limit is for the reading. */
static bool is_too_large(const sheaf_dataset *d)
{
	enum { SHARE = 16 };
	const sheaf_gathering *g = &d->index->gathered;
	return (int64_t)(g->entries.capacity + g->packer.bits.capacity + g->packer.blocks.capacity) >
	       sheaf_max_memory(d->cx) / SHARE;
}

void sheaf_index_gather(sheaf_dataset *d, const sheaf_piece *piece, const sheaf_frame *frame)
{
	sheaf_index *x = d->index;
	if (x->gathering == SHEAF_GATHERING_NOT_YET) begin_gathering(d);
	if (x->gathering == SHEAF_GATHERING_NOT) return;
	if (is_too_large(d) || sheaf_measure_frame(&x->measurer, frame, NULL))
		stop_gathering(x);
	else
		sheaf_gathering_add(&x->gathered, piece, x->measurer.lengths, x->measurer.rows);
}

static void *keep(void *user)
{
	write_somewhere((sheaf_keeping *)user);
	return NULL;
}

/* Written by another thread, where there may be one: the caller goes on. Rows that errors have changed are
 * not as long as their lines say. */
static void keep_gathered(sheaf_dataset *d)
{
	sheaf_index *x = d->index;
	sheaf_keeping *k = &x->keeping;
	if (sheaf_context_problems(d->cx, SHEAF_ERROR) > 0) return;
	if (make_head(d, d->piece_bytes, &k->head, NULL) || sheaf_gathering_finish(&x->gathered, &x->kept, NULL))
		return;
	k->d = d;
	k->pieces = x->kept;
	k->runs = sheaf_context_threads(d->cx) > 1 && sheaf_thread_start(&k->thread, keep, k);
	if (!k->runs) write_somewhere(k);
}

void sheaf_index_wait(sheaf_dataset *d)
{
	sheaf_index *x = d->index;
	if (x->keeping.runs) sheaf_thread_join(&x->keeping.thread);
	x->keeping.runs = false;
	sheaf_pieces_free(x->kept);
	x->kept = NULL;
}

static sheaf_status tell_failure(sheaf_dataset *d, const sheaf_error *failure, sheaf_error *err)
{
	sheaf_problem problem = {SHEAF_WARNING, failure->status,     "index not written",
	                         SHEAF_NOWHERE, "to write an index", failure->message,
	                         NULL};
	problem.place.file = sheaf_source_name(d->source);
	return sheaf_report(d->cx, &problem, err);
}

sheaf_status sheaf_index_finish(sheaf_dataset *d, sheaf_error *err)
{
	sheaf_index *x = d->index;
	sheaf_error failure = {0};
	if (x->gathering == SHEAF_GATHERING) keep_gathered(d);
	stop_gathering(x);
	if (x->policy != SHEAF_INDEX_WRITE || x->fresh) return SHEAF_OK;
	sheaf_status status = d->format->rewind(d->in, &failure);
	if (status == SHEAF_OK) status = sheaf_survey(d, &failure);
	if (status == SHEAF_OK) status = write_index(d, d->pieces, &failure);
	return status ? tell_failure(d, &failure, err) : SHEAF_OK;
}

/* A table that was made for other orders than the file's is as good as one gathered on the way. One of
 * unusual pieces would serve nobody else. */
sheaf_status sheaf_index_keep_table(sheaf_dataset *d, sheaf_error *err)
{
	const sheaf_index *x = d->index;
	sheaf_error failure = {0};
	bool asked = x->policy == SHEAF_INDEX_WRITE && !x->fresh;
	if (d->pieces != d->surveyed || (!asked && (d->table_bytes > 0 || !is_worth_it(d)))) return SHEAF_OK;
	sheaf_status status = write_index(d, d->pieces, &failure);
	return status && asked ? tell_failure(d, &failure, err) : SHEAF_OK;
}

/* ---- checking ---- */

static sheaf_status differ(const sheaf_dataset *d, const char *what, sheaf_error *err)
{
	const sheaf_index *x = d->index;
	return sheaf_fail(err, SHEAF_DATA, "%s: expected the %s of %s, found others", x->places[x->place], what,
	                  sheaf_source_name(d->source));
}

static bool same_bytes(const sheaf_buffer *a, const sheaf_buffer *b)
{
	return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

static sheaf_status compare_heads(sheaf_dataset *d, const sheaf_index_head *head, sheaf_error *err)
{
	sheaf_facts facts = SHEAF_NO_FACTS;
	if (d->format->facts) d->format->facts(d->in, &facts);
	if (!sheaf_index_is_of(d, head)) return differ(d, "settings", err);
	if (!head->inferred || strcmp(head->settings, sheaf_index_settings(d->index)) != 0) return SHEAF_OK;
	if (!sheaf_index_same_schema(&head->schema, d->format->schema(d->in), d->cx))
		return differ(d, "streams", err);
	bool same = head->facts.rows == facts.rows && head->facts.samples == facts.samples &&
	            head->facts.longest == facts.longest && head->facts.ordinal_keys == facts.ordinal_keys;
	return same ? SHEAF_OK : differ(d, "counts", err);
}

/* Lengths are packed in one way only, so equal tables are equal bytes. */
static sheaf_status compare_tables(sheaf_dataset *d, sheaf_index_file *file, sheaf_error *err)
{
	sheaf_pieces *kept;
	const sheaf_pieces *found;
	SHEAF_TRY(sheaf_index_pieces(file, &kept, err));
	d->table_bytes = file->head.piece_bytes;
	sheaf_status status = sheaf_dataset_pieces(d, &found, err);
	if (status == SHEAF_OK) {
		if (!same_bytes(&kept->entries, &found->entries))
			status = differ(d, "pieces", err);
		else if (!same_bytes(&kept->lengths.blocks, &found->lengths.blocks) ||
		         !same_bytes(&kept->lengths.bits, &found->lengths.bits))
			status = differ(d, "lengths", err);
	}
	sheaf_pieces_free(kept);
	return status;
}

static sheaf_status compare(sheaf_dataset *d, sheaf_index_file *file, sheaf_error *err)
{
	if (!sheaf_identity_equal(&file->head.input, &d->index->input))
		return differ(d, "size, time and hash", err);
	SHEAF_TRY(compare_heads(d, &file->head, err));
	return compare_tables(d, file, err);
}

sheaf_status sheaf_dataset_check_index(sheaf_dataset *d, sheaf_error *err)
{
	sheaf_index *x = d->index;
	sheaf_index_file file;
	if (x->policy != SHEAF_INDEX_NEVER || d->glance)
		return sheaf_fail(
			err, SHEAF_USAGE,
			"%s: expected it opened without its index and for more than a glance, found it opened otherwise",
			sheaf_source_name(d->source));
	SHEAF_TRY(sheaf_index_identify(d, err));
	x->place = sheaf_index_is_file(x->places[0]) || !sheaf_index_is_file(x->places[1]) ? 0 : 1;
	if (!sheaf_index_is_file(x->places[x->place]))
		return sheaf_fail(err, SHEAF_UNKNOWN, "%s: expected an index, found none", x->places[x->place]);
	SHEAF_TRY(sheaf_index_open(x->places[x->place], d->cx, &file, err));
	sheaf_status status = compare(d, &file, err);
	sheaf_index_close(&file);
	return status ? status : sheaf_index_look(d, err);
}
