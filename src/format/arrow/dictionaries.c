/* SPDX-License-Identifier: MIT */
/* Dictionaries: each is valid from its message on, until another one with the same number comes. They are
 * only added to, so a thread that has the one that was current at some point can continue from it. */
#include "base/memory.h"
#include "base/status.h"
#include "format/arrow/ipc.h"
#include "io/source.h"
#include <inttypes.h>

enum { ID, IS_DELTA = 2 }; /* slots of DictionaryBatch */

/* The last dictionary of a number, for the thread that adds them. */
static sheaf_ipc_dictionary *newest(const sheaf_ipc_words *words)
{
	return atomic_load_explicit(&words->newest, memory_order_relaxed);
}

/* Makes a dictionary the newest one of its number, which owns the values from then on. Other threads decode
 * meanwhile, so it is published only when it is complete (release; look_up in body.c acquires). */
static sheaf_status add(sheaf_ipc_reader *in, sheaf_ipc_words *words, const sheaf_ipc_dictionary *made,
                        sheaf_error *err)
{
	sheaf_ipc_dictionary *d;
	SHEAF_TRY(sheaf_allocate(in->cx, sizeof *d, &d, err));
	*d = *made;
	atomic_store_explicit(&words->newest, d, memory_order_release);
	in->last_dictionary = made->byte;
	return SHEAF_OK;
}

/* Joins the values of a delta to those of the dictionary before it: made->values becomes all of them. The
 * delta's own array is released; the dictionary before stays, for batches that came before. */
static sheaf_status join_delta(const sheaf_ipc_reader *in, sheaf_ipc_body *body,
                               const struct ArrowSchema *field, sheaf_ipc_dictionary *made, sheaf_error *err)
{
	sheaf_error failure = {0};
	struct ArrowArray delta = made->values;
	const sheaf_ipc_dictionary *before = made->before;
	made->values.release = NULL;
	sheaf_status status =
		before ? sheaf_ipc_join_values(body, field->dictionary,
	                                   (const struct ArrowArray *const[]){&before->values, &delta},
	                                   &made->values, &failure)
			   : sheaf_fail(&failure, SHEAF_DATA, "expected a dictionary to add to, found none before");
	delta.release(&delta);
	if (!status) return SHEAF_OK;
	return sheaf_fail_within(err, &failure, "%s: byte %" PRId64 ": column \"%s\"",
	                         sheaf_source_name(in->source), made->byte, field->name);
}

/* Reads the dictionary in a message, alone or joined to the one before. Those of columns that are left out
 * are not read. In a file, dictionaries hold for all batches, wherever they are, so there must not be two of
 * one number. */
sheaf_status sheaf_ipc_add_dictionary(sheaf_ipc_reader *in, sheaf_ipc_message *message,
                                      const sheaf_buffer *bytes, int64_t byte, sheaf_error *err)
{
	int64_t id = sheaf_fb_number(&message->table, ID, 8, 0);
	sheaf_ipc_words *words = sheaf_ipc_find_words(&in->lexicon, id);
	const struct ArrowSchema *field = words ? words->field : NULL;
	sheaf_ipc_body body = {
		.message = message, .bytes = *bytes, .byte = byte, .rows = -1, .swapped = in->swapped, .cx = in->cx};
	if (words && !field) return SHEAF_OK; /* it is left out */
	if (!field || !message->batch.in)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: byte %" PRId64
		                  ": expected the dictionary of a field, found one with the number %" PRId64,
		                  sheaf_source_name(in->source), byte, id);
	sheaf_ipc_dictionary made = {.before = newest(words), .byte = byte};
	bool is_delta = sheaf_fb_number(&message->table, IS_DELTA, 1, 0) != 0;
	if (in->is_file && !is_delta && made.before)
		return sheaf_fail(
			err, SHEAF_DATA,
			"%s: footer: expected one dictionary of column \"%s\", which holds for all batches, "
			"found two",
			sheaf_source_name(in->source), field->name);
	SHEAF_TRY(sheaf_ipc_read_values(&body, field->dictionary, &made.values, err));
	if (is_delta) SHEAF_TRY(join_delta(in, &body, field, &made, err));
	sheaf_status status = add(in, words, &made, err);
	if (status && made.values.release) made.values.release(&made.values);
	return status;
}

void sheaf_ipc_free_dictionaries(sheaf_ipc_reader *in)
{
	sheaf_ipc_lexicon *all = &in->lexicon;
	for (int64_t i = 0; i < all->n; i++)
		for (sheaf_ipc_dictionary *d = newest(&all->words[i]), *before; d; d = before) {
			before = d->before;
			if (d->values.release) d->values.release(&d->values);
			sheaf_release(in->cx, d, sizeof *d);
		}
	sheaf_release(in->cx, all->words, (size_t)all->room * sizeof *all->words);
	*all = (sheaf_ipc_lexicon){0};
}

sheaf_status sheaf_ipc_read_dictionary(sheaf_ipc_reader *in, const sheaf_buffer *bytes, int64_t byte,
                                       sheaf_error *err)
{
	sheaf_ipc_message message;
	sheaf_buffer body;
	SHEAF_TRY(sheaf_ipc_read_taken(in, bytes, byte, &message, &body, err));
	if (message.kind != SHEAF_IPC_DICTIONARY)
		return sheaf_ipc_unsound(in, byte, "another one in place of a dictionary", err);
	return sheaf_ipc_add_dictionary(in, &message, &body, byte, err);
}

/* Which rows of a batch a piece has. */
sheaf_status sheaf_ipc_note(const sheaf_ipc_reader *in, int64_t first, int64_t rows, sheaf_piece *piece,
                            sheaf_error *err)
{
	sheaf_builder b;
	sheaf_ipc_notes notes = {first, rows};
	sheaf_builder_begin(&b, in->cx, &piece->notes);
	sheaf_builder_append(&b, &notes, sizeof notes);
	return sheaf_builder_finish(&b, &piece->notes, err);
}
