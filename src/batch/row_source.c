/* SPDX-License-Identifier: MIT */
/* The table of rows: parts (datasets) have pieces, pieces with rows become chunks, and all are numbered
 * through all parts. Also what a batch asks: in which piece a row is, and reading that piece. */
#include "batch/row_source.h"
#include "base/third/xxhash.h"
#include "batch/reserve.h"
#include "dataset/index/index.h"
#include "dataset/index/pieces.h"
#include "frame/frame.h"
#include "io/source.h"
#include <string.h>

void sheaf_row_source_close(sheaf_row_source *s)
{
	if (!s->cx) return;
	size_t fields = (size_t)s->schema.nfields, rows = (size_t)s->match_room;
	if (s->parts) sheaf_row_source_end_lazy_table(s);
	sheaf_release(s->cx, s->parts, (size_t)s->nparts * sizeof *s->parts);
	sheaf_release(s->cx, s->first_chunks, ((size_t)s->nparts + 1) * sizeof *s->first_chunks);
	sheaf_release(s->cx, s->origins, fields * sizeof *s->origins);
	sheaf_release(s->cx, s->frequencies, (size_t)s->rows.rows * sizeof *s->frequencies);
	sheaf_schema_free(&s->schema);
	sheaf_release(s->cx, s->first_row, s->row_room * sizeof *s->first_row);
	sheaf_release(s->cx, s->first_sample, s->sample_room * sizeof *s->first_sample);
	sheaf_release(s->cx, s->piece_of_chunk, s->piece_room * sizeof *s->piece_of_chunk);
	sheaf_release(s->cx, s->matches, rows * (size_t)s->lanes * sizeof *s->matches);
	sheaf_release(s->cx, s->lengths, rows * sizeof *s->lengths);
	*s = (sheaf_row_source){0};
}

/* ---- parts ---- */

static const char *name_of(const sheaf_row_source_part *part)
{
	return sheaf_source_name(sheaf_dataset_source(part->dataset));
}

/* ---- the schema ---- */

/* Fills s->schema with the fields of the first part, then the streams of those joined to it, whose names must
 * differ, and s->origins with the lane and column from which each field comes. If there is no room for the
 * origin of a field, the field is taken away again, since close frees as many origins as fields. */
static sheaf_status merge_schemas(sheaf_row_source *s, sheaf_error *err)
{
	for (int lane = 0; lane < s->lanes; lane++) {
		const sheaf_row_source_part *part = &s->parts[lane];
		const sheaf_schema *schema = sheaf_dataset_schema(part->dataset);
		for (int c = 0; c < schema->nfields; c++) {
			const sheaf_field *from = &schema->fields[c];
			sheaf_field *field;
			int found;
			if (lane > 0 && from->meaning == SHEAF_KEY) continue;
			SHEAF_TRY(sheaf_schema_look_up(&s->schema, from->name, &found, err));
			if (found >= 0)
				return sheaf_fail(err, SHEAF_DATA,
				                  "%s: expected streams that no other joined input has, found \"%s\" again",
				                  name_of(part), from->name);
			SHEAF_TRY(sheaf_schema_add_like(&s->schema, s->cx, from, &field, err));
			size_t fields = (size_t)s->schema.nfields;
			sheaf_status status = sheaf_reallocate(s->cx, &s->origins, (fields - 1) * sizeof *s->origins,
			                                       fields * sizeof *s->origins, err);
			if (status) sheaf_schema_remove(&s->schema, s->schema.nfields - 1);
			SHEAF_TRY(status);
			s->origins[fields - 1] = (sheaf_origin){lane, c};
		}
	}
	s->key = s->nparts == s->lanes ? sheaf_schema_key(&s->schema) : -1;
	return SHEAF_OK;
}

/* Whether two columns have the same name, type and levels: then one can follow the other. */
static bool same_field(const sheaf_field *a, const sheaf_field *b)
{
	bool same = strcmp(a->name, b->name) == 0 && a->meaning == b->meaning && a->digits == b->digits &&
	            a->type == b->type && a->nlevels == b->nlevels;
	for (int l = 0; same && l < a->nlevels; l++) {
		const sheaf_level_shape *x = &a->levels[l], *y = &b->levels[l];
		same = x->kind == y->kind && x->rank == y->rank && x->index_type == y->index_type &&
		       x->extent == y->extent;
	}
	return same;
}

/* Checks that datasets that follow one another have the same fields, in the same order; joined ones are not
 * compared. */
static sheaf_status check_likeness(const sheaf_row_source *s, sheaf_error *err)
{
	char text[200];
	for (int i = s->lanes; i < s->nparts; i++) {
		const sheaf_schema *schema = sheaf_dataset_schema(s->parts[i].dataset);
		for (int f = 0; f < s->schema.nfields; f++)
			if (f >= schema->nfields || !same_field(&s->schema.fields[f], &schema->fields[f]))
				return sheaf_fail(err, SHEAF_DATA,
				                  "%s: expected the streams of %s, found no stream \"%s\" (%s) as number %d",
				                  name_of(&s->parts[i]), name_of(s->parts), s->schema.fields[f].name,
				                  sheaf_field_text(&s->schema.fields[f], text, sizeof text), f + 1);
		if (schema->nfields > s->schema.nfields)
			return sheaf_fail(err, SHEAF_DATA, "%s: expected the streams of %s, found \"%s\" as well",
			                  name_of(&s->parts[i]), name_of(s->parts),
			                  schema->fields[s->schema.nfields].name);
	}
	return SHEAF_OK;
}

/* ---- chunks and lengths ---- */

/* Puts the lengths of n rows, from `row` on, into the array, as sheaf_rows.lengths says; the rows may be in
 * several parts. Of the part that is growing (no table of pieces yet) only the lengths from s->recent_row on
 * are known, and nobody asks for others. */
static sheaf_status report_lengths(const void *user, int64_t row, int64_t n, uint32_t *lengths,
                                   sheaf_error *err)
{
	const sheaf_row_source *s = (const sheaf_row_source *)user;
	if (s->lengths) {
		memcpy(lengths, s->lengths + row, (size_t)n * sizeof *lengths);
		return SHEAF_OK;
	}
	while (n > 0) {
		const sheaf_row_source_part *part = &s->parts[s->nparts - 1];
		while (part->first_row > row) part--;
		if (!part->pieces) {
			memcpy(lengths, s->recent + (row - s->recent_row), (size_t)n * sizeof *lengths);
			return SHEAF_OK;
		}
		int64_t left = sheaf_pieces_rows(part->pieces) - (row - part->first_row), count = n < left ? n : left;
		SHEAF_TRY(sheaf_pieces_lengths(part->pieces, row - part->first_row, count, lengths, err));
		row += count;
		lengths += count;
		n -= count;
	}
	return SHEAF_OK;
}

/* Adds the chunks of all parts, one after the other: each piece with rows is one. s->first_chunks gets the
 * number of each part's first chunk, and the end. */
static sheaf_status add_all_chunks(sheaf_row_source *s, sheaf_error *err)
{
	sheaf_piece_entry entry;
	SHEAF_TRY(
		sheaf_allocate_array(s->cx, (uint64_t)s->nparts + 1, sizeof *s->first_chunks, &s->first_chunks, err));
	for (int i = 0; i < s->nparts; i++) {
		const sheaf_row_source_part *part = &s->parts[i];
		for (int64_t k = 0; k < sheaf_pieces_count(part->pieces); k++) {
			sheaf_pieces_at(part->pieces, k, &entry);
			sheaf_row_source_add_chunk(s, part->first_piece + k, entry.rows, entry.samples);
		}
		s->first_chunks[i + 1] = s->rows.chunks;
	}
	return SHEAF_OK;
}

/* Adds the chunks of a joined table: the pieces of the first part, with the rows that are left of each, which
 * are those that have a partner. Their numbers in s->matches ascend. */
static void add_joined_chunks(sheaf_row_source *s)
{
	sheaf_piece_entry entry;
	int64_t row = 0;
	for (int64_t i = 0; i < sheaf_pieces_count(s->parts->pieces); i++) {
		int64_t first = row, samples = 0;
		sheaf_pieces_at(s->parts->pieces, i, &entry);
		for (; row < s->matched && s->matches[row] < entry.row + entry.rows; row++)
			samples += s->lengths[row];
		sheaf_row_source_add_chunk(s, i, row - first, samples);
	}
}

/* Fills the table of a source: its parts, fields, chunks and lengths. A table that grows (GROW) has no pieces
 * until it is asked for rows. DATA if there is no sample in all of it. */
static sheaf_status make_table(sheaf_row_source *s, sheaf_dataset *const *datasets, sheaf_union how,
                               sheaf_error *err)
{
	int64_t rows = 0;
	SHEAF_TRY(sheaf_allocate_array(s->cx, (uint64_t)s->nparts, sizeof *s->parts, &s->parts, err));
	for (int i = 0; i < s->nparts; i++) {
		sheaf_row_source_part *part = &s->parts[i];
		*part = (sheaf_row_source_part){.dataset = datasets[i], .first_piece = s->pieces, .first_row = rows};
		if (how == SHEAF_UNION_GROW) continue;
		SHEAF_TRY(sheaf_dataset_pieces(part->dataset, &part->pieces, err));
		SHEAF_TRY(sheaf_index_keep_table(&part->dataset->indexed, err));
		s->pieces += sheaf_pieces_count(part->pieces);
		rows += sheaf_pieces_rows(part->pieces);
	}
	SHEAF_TRY(merge_schemas(s, err));
	SHEAF_TRY(check_likeness(s, err));
	s->rows.lengths = report_lengths;
	s->rows.user = s;
	SHEAF_TRY(sheaf_row_source_chunk_room(s, (size_t)s->pieces, err));
	if (how == SHEAF_UNION_JOIN) {
		SHEAF_TRY(sheaf_row_source_join(s, err));
		add_joined_chunks(s);
	} else {
		SHEAF_TRY(how == SHEAF_UNION_GROW ? sheaf_row_source_begin_lazy_table(s, err)
		                                  : add_all_chunks(s, err));
	}
	if (s->rows.samples > 0) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_DATA, "%s: expected sequences with samples, found %s", name_of(s->parts),
	                  how == SHEAF_UNION_JOIN ? "no key that all joined inputs have" : "none");
}

sheaf_status sheaf_row_source_open(sheaf_row_source *s, sheaf_dataset *const *datasets, int n,
                                   sheaf_union how, sheaf_context *cx, sheaf_error *err)
{
	*s = (sheaf_row_source){.cx = cx, .nparts = n, .lanes = how == SHEAF_UNION_JOIN ? n : 1};
	sheaf_status status = make_table(s, datasets, how, err);
	if (status) sheaf_row_source_close(s);
	return status;
}

/* ---- asking ---- */

/* In a joined table a chunk is a piece of the first lane only; the row's number in another lane, `own`, leads
 * to the piece there. */
void sheaf_row_source_locate(const sheaf_row_source *s, int lane, int64_t row, int64_t *chunk, int64_t *piece,
                             int64_t *at)
{
	*chunk = sheaf_rows_chunk_near(&s->rows, row, *chunk);
	*piece = s->piece_of_chunk[*chunk];
	*at = row - s->first_row[*chunk];
	if (!s->matches) return;
	sheaf_piece_entry entry;
	const sheaf_row_source_part *part = &s->parts[lane];
	int64_t own = s->matches[lane * s->match_room + row];
	if (lane > 0) *piece = part->first_piece + sheaf_pieces_find(part->pieces, own);
	sheaf_pieces_at(part->pieces, *piece - part->first_piece, &entry);
	*at = own - entry.row;
}

sheaf_piece_ref sheaf_row_source_piece(const sheaf_row_source *s, int64_t piece)
{
	const sheaf_row_source_part *part = &s->parts[s->nparts - 1];
	while (part->first_piece > piece) part--;
	sheaf_piece_ref ref = {.dataset = part->dataset};
	if (part->pieces)
		sheaf_pieces_at(part->pieces, piece - part->first_piece, &ref.entry);
	else
		ref.entry = s->entries[piece];
	return ref;
}

sheaf_status sheaf_row_source_read(const sheaf_piece_ref *piece, bool locate, sheaf_loaded_piece *loaded,
                                   sheaf_context *cx, sheaf_error *err)
{
	if (loaded->of) sheaf_dataset_let_go(loaded->of, &loaded->located);
	loaded->is_located = locate;
	loaded->of = locate ? piece->dataset : NULL;
	if (locate) return sheaf_dataset_locate(piece->dataset, &piece->entry, &loaded->located, cx, err);
	return sheaf_dataset_read_entry(piece->dataset, &piece->entry, &loaded->frame, cx, err);
}

bool sheaf_row_source_locates(const sheaf_row_source *s)
{
	bool all = s->lanes == 1 && sheaf_dataset_locates(s->parts->dataset);
	for (int i = 1; i < s->nparts; i++) all &= s->parts[i].dataset->format == s->parts->dataset->format;
	return all;
}

sheaf_status sheaf_row_source_pick(const sheaf_row_source *s, const sheaf_row_at *rows, size_t n,
                                   sheaf_frame *frame, sheaf_context *cx, sheaf_error *err)
{
	return sheaf_dataset_pick(s->parts->dataset, rows, n, frame, cx, err);
}

void sheaf_loaded_piece_free(sheaf_loaded_piece *loaded)
{
	sheaf_frame_free(&loaded->frame);
	if (loaded->of) sheaf_dataset_let_go(loaded->of, &loaded->located);
}

int64_t sheaf_loaded_piece_bytes(const sheaf_loaded_piece *loaded)
{
	return loaded->is_located ? (int64_t)loaded->located.rows.size + loaded->located.piece.size
	                          : sheaf_frame_bytes(&loaded->frame);
}

int64_t sheaf_row_source_piece_size(const sheaf_row_source *s, int64_t piece)
{
	return sheaf_row_source_piece(s, piece).entry.size;
}

/* ---- fingerprints of the data ---- */

/* Each number goes on from the hash of those before it. */
static uint64_t mix_number(uint64_t hash, int64_t number)
{
	return sheaf_xxhash_numbers(&number, 1, sizeof number, hash).low;
}

/* Adds an input to a hash, without looking at the number of rows, which may not be known yet: its size, its
 * first and last bytes, and the options that determine which rows there are (`counting`). An input of at most
 * LOOK bytes is hashed as a whole. */
static sheaf_status mix_input(uint64_t *hash, const sheaf_dataset *d, sheaf_error *err)
{
	enum { LOOK = 4096 };
	uint8_t bytes[LOOK];
	const char *counting = d->in->counting;
	int64_t size = sheaf_source_size(d->source), look = size < LOOK ? size : LOOK;
	*hash = mix_number(*hash, size);
	if (counting) *hash = sheaf_xxhash(counting, strlen(counting), *hash).low;
	for (int64_t at = 0; look > 0; at = size - look) {
		SHEAF_TRY(sheaf_source_read_at(d->source, at, bytes, (size_t)look, err));
		*hash = sheaf_xxhash(bytes, (size_t)look, *hash).low;
		if (at == size - look) break;
	}
	return SHEAF_OK;
}

/* The order in which numbers enter the hash is fixed: states of earlier runs depend on it. */
sheaf_status sheaf_row_source_fingerprint(const sheaf_row_source *s, sheaf_likeness like, uint32_t *out,
                                          sheaf_error *err)
{
	bool inputs = like == SHEAF_LIKE_INPUTS;
	uint64_t hash = inputs ? 0 : mix_number(mix_number(0, s->rows.rows), s->rows.samples);
	for (int i = 0; !inputs && i < s->nparts; i++) {
		sheaf_piece_entry last = {0};
		int64_t n = sheaf_pieces_count(s->parts[i].pieces);
		if (n > 0) sheaf_pieces_at(s->parts[i].pieces, n - 1, &last);
		hash = mix_number(mix_number(hash, last.byte + last.size), last.row + last.rows);
	}
	for (int f = 0; f < s->schema.nfields; f++) {
		const sheaf_field *field = &s->schema.fields[f];
		hash = sheaf_xxhash(field->name, strlen(field->name), hash).low;
		hash = mix_number(hash, (int64_t)field->type * 16 + field->nlevels);
		for (int l = 0; l < field->nlevels; l++)
			hash = mix_number(mix_number(hash, field->levels[l].kind), field->levels[l].extent);
	}
	for (int i = 0; inputs && i < s->nparts; i++) SHEAF_TRY(mix_input(&hash, s->parts[i].dataset, err));
	for (int64_t c = 0; like == SHEAF_LIKE_CHUNKS && c <= s->rows.chunks; c++)
		hash = mix_number(mix_number(hash, s->first_row[c]), s->first_sample[c]);
	*out = (uint32_t)hash;
	return SHEAF_OK;
}
