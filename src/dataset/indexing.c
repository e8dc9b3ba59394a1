/* SPDX-License-Identifier: MIT */
/* Requests for the index of a dataset: describe it, check it. Writing one, whole or in parts, is the
 * job of src/job/part.
 *
 * Describing it says what was found when the dataset was opened, and why it is not used, if it is not.
 * Checking it finds all pieces as writing does, with the hash of each and the lengths of its rows, and for
 * sequences what each stream has in it, without the index, and compares: the size, time and hash of the
 * input, the settings, the schema if that was inferred, and then the tables byte by byte. */
#include "base/need.h"
#include "dataset/range.h"
#include "frame/frame.h"
#include "io/source.h"
#include <string.h>

/* Describes the index of a dataset: whether there is one, and why it is not used, if it is not. Numbers are
 * -1 unless the index is fresh, since those of another input would be wrong here. */
void sheaf_dataset_index(const sheaf_dataset *d, sheaf_index_info *out)
{
	if (!out) return;
	*out = (sheaf_index_info){.bytes = -1, .piece_bytes = -1, .pieces = -1, .rows = -1, .samples = -1};
	if (!d) return;
	const sheaf_index *x = d->index;
	const sheaf_index_head *head = &x->file.head;
	out->found = x->found;
	out->fresh = x->fresh;
	out->path = x->applies ? x->places[x->place] : NULL;
	out->why = x->fresh || x->policy == SHEAF_INDEX_NEVER ? NULL : x->why.message;
	if (!x->fresh) return;
	out->bytes = x->file.size;
	out->piece_bytes = head->piece_bytes;
	out->pieces = head->count;
	out->rows = head->rows;
	out->samples = head->samples;
	out->inferred = head->inferred;
}

/* ---- checking ---- */

/* Fails because a part of the index, named by `what`, is not as the input has it. */
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

/* Makes the table of pieces again, without the index, and compares each part of it with the index's. There
 * is only one way to pack lengths, so equal tables are equal bytes. */
static sheaf_status compare_tables(sheaf_dataset *d, sheaf_index_file *file, sheaf_error *err)
{
	sheaf_pieces *kept;
	const sheaf_pieces *found;
	SHEAF_TRY(sheaf_index_pieces(file, &kept, err));
	d->table_bytes = file->head.piece_bytes;
	d->index->asked = true;
	sheaf_status status = sheaf_dataset_pieces(d, &found, err);
	if (status == SHEAF_OK && kept->counts.size) status = sheaf_dataset_count_pieces(d, d->surveyed, err);
	if (status == SHEAF_OK) {
		if (!same_bytes(&kept->entries, &found->entries))
			status = differ(d, "pieces", err);
		else if (!same_bytes(&kept->lengths.blocks, &found->lengths.blocks) ||
		         !same_bytes(&kept->lengths.bits, &found->lengths.bits))
			status = differ(d, "lengths", err);
		else if (kept->counts.size && !same_bytes(&kept->counts, &found->counts))
			status = differ(d, "counts of streams", err);
	}
	sheaf_pieces_free(kept);
	return status;
}

/* Compares an index with the input: its identity, settings, schema and tables. A schema that was inferred
 * is found again with the same settings alone, so it is compared only then; any other is part of the
 * settings. */
static sheaf_status compare(sheaf_dataset *d, sheaf_index_file *file, sheaf_error *err)
{
	const sheaf_index_head *head = &file->head;
	if (!sheaf_identity_equal(&head->input, &d->index->input)) return differ(d, "size, time and hash", err);
	if (!sheaf_index_is_of(&d->indexed, head)) return differ(d, "settings", err);
	bool inferred = head->inferred && strcmp(head->settings, sheaf_index_settings(d->index)) == 0;
	if (inferred && !sheaf_index_same_schema(&head->schema, &d->in->schema, d->cx))
		return differ(d, "streams", err);
	return compare_tables(d, file, err);
}

/* Checks the index of a dataset that was opened without it: the one beside the input, or else the one in
 * the cache folder. UNKNOWN if there is none. */
sheaf_status sheaf_dataset_check_index(sheaf_dataset *d, sheaf_error *err)
{
	SHEAF_NEED(d, "a dataset");
	sheaf_index *x = d->index;
	sheaf_index_file file;
	if (x->policy != SHEAF_INDEX_NEVER || d->glance)
		return sheaf_fail(
			err, SHEAF_USAGE,
			"%s: expected it to be opened for reading without its index, found it opened differently",
			sheaf_source_name(d->source));
	SHEAF_TRY(sheaf_index_identify(&d->indexed, err));
	x->place = sheaf_index_is_file(x->places[0]) || !sheaf_index_is_file(x->places[1]) ? 0 : 1;
	if (!sheaf_index_is_file(x->places[x->place]))
		return sheaf_fail(err, SHEAF_UNKNOWN, "%s: expected an index, found none", x->places[x->place]);
	SHEAF_TRY(sheaf_index_open(x->places[x->place], d->source, d->cx, &file, err));
	sheaf_status status = compare(d, &file, err);
	sheaf_index_close(&file);
	SHEAF_TRY(status);
	return sheaf_index_look(&d->indexed, err);
}
