/* SPDX-License-Identifier: MIT */
/* Which arrays the columns of a schema become, and their names; and the reverse. A column's arrays are
 *
 *   NAME                        values, where no list is above them; with dimensions for runs of fixed length
 *   NAME.values, NAME.text      values below a list
 *   NAME.offsets, .offsets1     where each list begins among what is below, and where the last one ends
 *   NAME.text_offsets           the same for the texts of a list of texts
 *   NAME.entry_offsets, .indices, .indices1, .dim      of a sparse stream: the entries of its samples
 *   NAME.valid, .codes          which positions of a level have a value, and why the others have none
 *
 * The member sheaf.schema has what names cannot say, and archives of ours contain it. Without it, one can be
 * made from arrays that another program has named in this way, if they are streams of numbers, texts, or
 * plain columns. */
#include "base/checked.h"
#include "base/context.h"
#include "base/cursor.h"
#include "base/memory.h"
#include "format/numpy/npz/streams.h"
#include "frame/frame.h"
#include "frame/schema/schema_bytes.h"
#include "io/source.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char sheaf_npz_schema_name[] = "sheaf.schema";

/* ---- slots of a field ---- */

typedef struct planning {
	const sheaf_schema *schema;
	sheaf_npz_slots *slots; /* slots NULL: they are only counted */
	int field;
	sheaf_error *err;
} planning;

static const sheaf_field *field_of(const planning *p) { return &p->schema->fields[p->field]; }

/* Adds a slot for an array called after the column, a dot and `word`; NULL: after the column alone. In
 * the first pass there is no memory for slots yet, and they are only counted, so that they are allocated
 * at once. */
static sheaf_status add(const planning *p, const char *word, sheaf_npz_slot slot)
{
	sheaf_npz_slots *slots = p->slots;
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = slots->cx};
	if (!slots->slots) {
		slots->n++;
		return SHEAF_OK;
	}
	sheaf_builder_printf(&b, "%s%s%s", field_of(p)->name, word ? "." : "", word ? word : "");
	SHEAF_TRY(sheaf_builder_status(&b, p->err));
	slot.field = p->field;
	SHEAF_TRY(sheaf_copy_text(slots->cx, (const char *)b.data, b.size, &slot.name, p->err));
	slots->slots[slots->n++] = slot;
	return SHEAF_OK;
}

/* Adds the level's number to a word if a level above uses the word alone. */
static const char *name_with_number(const char *word, int level, bool first, char text[32])
{
	snprintf(text, 32, first ? "%s" : "%s%d", word, level);
	return text;
}

/* One number for each position of a level: a truth value, or an integer of `size` bytes. */
static sheaf_status add_numbers(const planning *p, const char *word, sheaf_npz_slot slot, char kind,
                                int64_t size)
{
	slot.item = (sheaf_part){.kind = kind, .size = size, .scale = 1};
	slot.per = 1;
	return add(p, word, slot);
}

static bool is_list_of_text(const sheaf_field *field, int level)
{
	return level + 1 == field->nlevels && field->levels[level].kind == SHEAF_LIST &&
	       (sheaf_means_text(field->meaning) || field->meaning == SHEAF_BYTES);
}

/* Adds the slots of one level of the column at hand. *lists and *missing say whether a level above has
 * offsets or marks of missing values, as then the name gets the level's number; the function sets them
 * for the levels below. A level of a fixed length needs only marks. A list of texts below a list has its
 * own name, "text_offsets". */
static sheaf_status add_level(const planning *p, int level, bool *lists, bool *missing)
{
	char word[32];
	const sheaf_field *field = field_of(p);
	const sheaf_level_shape *shape = &field->levels[level];
	sheaf_npz_slot slot = {.what = NPZ_VALID, .level = level};
	if (shape->missing != SHEAF_NEVER) {
		SHEAF_TRY(add_numbers(p, name_with_number("valid", level, !*missing, word), slot, 'b', 1));
		slot.what = NPZ_CODES;
		SHEAF_TRY(add_numbers(p, name_with_number("codes", level, !*missing, word), slot, 'i', 1));
		*missing = true;
	}
	if (shape->kind == SHEAF_FIXED) return SHEAF_OK;
	slot.what = NPZ_OFFSETS;
	if (shape->kind == SHEAF_LIST) {
		bool text = *lists && is_list_of_text(field, level);
		const char *name = text ? "text_offsets" : name_with_number("offsets", level, !*lists, word);
		*lists = true;
		return add_numbers(p, name, slot, 'i', sizeof(int64_t));
	}
	SHEAF_TRY(add_numbers(p, "entry_offsets", slot, 'i', sizeof(int64_t)));
	slot.what = NPZ_INDICES;
	for (; slot.at < shape->rank; slot.at++)
		SHEAF_TRY(add_numbers(p, name_with_number("indices", slot.at, slot.at == 0, word), slot, 'i',
		                      (int64_t)sheaf_type_size(shape->index_type)));
	slot.what = NPZ_DIM;
	slot.at = 0;
	return add_numbers(p, "dim", slot, 'i', sizeof(int64_t));
}

/* Adds all slots of the column at hand: those of its levels from the outermost one on, then its values.
 * The values are called after the column itself if no list is above them, else "NAME.text" or
 * "NAME.values". */
static sheaf_status add_field(const planning *p)
{
	bool lists = false, missing = false;
	const sheaf_field *field = field_of(p);
	for (int l = 0; l < field->nlevels; l++) SHEAF_TRY(add_level(p, l, &lists, &missing));
	sheaf_npz_slot values = {
		.what = NPZ_VALUES, .level = field->nlevels, .item = sheaf_array_part(field), .per = 1};
	/* Runs of a fixed length after the last list become dimensions, except one that is a single item, and the
	 * two numbers of a complex one. */
	int level = field->nlevels, end = field->nlevels - (field->meaning == SHEAF_COMPLEX);
	while (level > 0 && field->levels[level - 1].kind == SHEAF_FIXED) level--;
	for (; level < end; level++) {
		const sheaf_level_shape *shape = &field->levels[level];
		if (level + 1 == field->nlevels && shape->extent == 1 && shape->missing == SHEAF_NULLABLE) continue;
		values.tail[values.ntail++] = shape->extent;
		if (!sheaf_mul_i64(&values.per, values.per, shape->extent)) values.per = INT64_MAX;
	}
	bool text = lists && is_list_of_text(field, field->nlevels - 1) && sheaf_means_text(field->meaning);
	bool parts = lists || sheaf_field_is_sparse(field);
	return add(p, text ? "text" : parts ? "values" : NULL, values);
}

/* ---- all of them ---- */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Refuses a schema that would give two arrays one name, such as that of a column "a" with offsets, and of
 * a column "a.offsets"; or an array the name of the schema's own member. */
static sheaf_status check_names(const sheaf_npz_slots *slots, sheaf_error *err)
{
	size_t n = (size_t)slots->n;
	const char **names;
	SHEAF_TRY(sheaf_allocate_array(slots->cx, n, sizeof(char *), &names, err));
	sheaf_status status = SHEAF_OK;
	for (size_t i = 0; i < n; i++) names[i] = slots->slots[i].name;
	if (n) qsort(names, n, sizeof *names, by_name);
	for (size_t i = 0; i < n && status == SHEAF_OK; i++)
		if ((i && strcmp(names[i - 1], names[i]) == 0) || strcmp(names[i], sheaf_npz_schema_name) == 0)
			status = sheaf_fail(
				err, SHEAF_UNSUPPORTED,
				"columns: expected names that make one array of each name, found two of \"%s\"", names[i]);
	sheaf_release(slots->cx, names, n * sizeof(char *));
	return status;
}

static sheaf_status add_fields(planning *p)
{
	p->slots->n = 0;
	for (p->field = 0; p->field < p->schema->nfields; p->field++) SHEAF_TRY(add_field(p));
	return SHEAF_OK;
}

/* Makes the slots of a schema in two passes: the first counts them, the second fills the memory. *out is
 * empty after an error. */
sheaf_status sheaf_npz_make_slots(const sheaf_schema *schema, sheaf_context *cx, sheaf_npz_slots *out,
                                  sheaf_error *err)
{
	enum { MOST = 1 << 24 }; /* far below what an int can count */
	planning p = {schema, out, 0, err};
	*out = (sheaf_npz_slots){.cx = cx};
	SHEAF_TRY(add_fields(&p));
	if (out->n > MOST)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "columns: expected at most %d arrays, found %d", MOST,
		                  out->n);
	out->room = out->n + 1;
	SHEAF_TRY(sheaf_allocate_array(cx, (uint64_t)out->room, sizeof *out->slots, &out->slots, err));
	sheaf_status status = add_fields(&p);
	if (status == SHEAF_OK) status = check_names(out, err);
	if (status) sheaf_npz_free_slots(out);
	return status;
}

void sheaf_npz_free_slots(sheaf_npz_slots *slots)
{
	if (!slots->slots) return;
	for (int i = 0; i < slots->n; i++) sheaf_release_text(slots->cx, slots->slots[i].name);
	sheaf_release(slots->cx, slots->slots, (size_t)slots->room * sizeof *slots->slots);
	*slots = (sheaf_npz_slots){0};
}

/* Returns the index of a field's first slot, by bisection: the slots are in the order of fields. */
int sheaf_npz_first_slot(const sheaf_npz_slots *slots, int field)
{
	int from = 0, to = slots->n;
	while (from < to) {
		int middle = from + (to - from) / 2;
		if (slots->slots[middle].field < field)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

const sheaf_npz_slot *sheaf_npz_slot_of(const sheaf_npz_slots *slots, int field, int level,
                                        sheaf_npz_what what)
{
	for (int i = sheaf_npz_first_slot(slots, field); i < slots->n && slots->slots[i].field == field; i++) {
		const sheaf_npz_slot *slot = &slots->slots[i];
		if (slot->level == level && slot->what == what) return slot;
	}
	return NULL;
}

/* ---- the schema that an archive has ---- */

/* Reads the schema of the member sheaf.schema. It is as untrusted as the rest of the archive: it must
 * take all bytes of the member, and describe sequences or a table of at least one column. *out is freed
 * if it does not. */
static sheaf_status read_own(const sheaf_zip *archive, const sheaf_zip_member *member, sheaf_schema *out,
                             sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_array_close) sheaf_array array = {0};
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer bytes = {0};
	SHEAF_TRY(sheaf_npz_open_member(archive, member, &array, err));
	SHEAF_TRY(sheaf_holding_view(&array.holding, array.data_at, array.count * array.dtype.size, &bytes, err));
	sheaf_cursor c = sheaf_cursor_over(bytes.data, bytes.size, 0);
	SHEAF_TRY(sheaf_schema_from_bytes(&c, out->cx, out, err));
	bool takes_all_bytes = sheaf_cursor_left(&c) == 0;
	sheaf_schema_name_losses(out);
	bool is_table = out->rows == SHEAF_SEQUENCES || out->rows == SHEAF_CELLS;
	if (takes_all_bytes && out->nfields > 0 && is_table) return SHEAF_OK;
	const char *found = !takes_all_bytes ? "bytes after it"
	                    : is_table       ? "one without columns"
	                                     : sheaf_row_kind_name(out->rows);
	sheaf_schema_free(out);
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s, member %s: expected the schema of sequences or of a table, found %s",
	                  sheaf_source_name(archive->source), member->name, found);
}

/* ---- a schema by names ---- */

/* Length of a member's name before ".WORD.npy"; 0 if it has another ending. */
static size_t stem_of(const char *name, const char *word)
{
	size_t n = strlen(name), m = strlen(word);
	if (n < m + 6 || strcmp(name + n - 4, ".npy") != 0) return 0;
	size_t stem = n - 4 - m - 1;
	return name[stem] == '.' && memcmp(name + stem + 1, word, m) == 0 ? stem : 0;
}

/* The member of the same stem with another word. Names are at most 900 bytes long here, as others do not come
 * from such columns. */
static const sheaf_zip_member *beside(const sheaf_zip *archive, const char *name, size_t stem,
                                      const char *word)
{
	char text[1024];
	int n = snprintf(text, sizeof text, "%.*s.%s", (int)(stem < 900 ? stem : 900), name, word);
	return stem < 900 && n > 0 ? sheaf_npz_find(archive, text) : NULL;
}

/* A column in parts, recognised by its values. */
static bool is_stem(const sheaf_zip *archive, const char *name, size_t *stem, bool *text)
{
	*stem = stem_of(name, "values");
	*text = *stem == 0;
	if (*text) *stem = stem_of(name, "text");
	return *stem && beside(archive, name, *stem, "offsets");
}

bool sheaf_npz_is_streams(const sheaf_zip *archive)
{
	size_t stem;
	bool text;
	if (sheaf_npz_find(archive, sheaf_npz_schema_name)) return true;
	for (int m = 0; m < archive->count; m++)
		if (is_stem(archive, archive->members[m].name, &stem, &text)) return true;
	return false;
}

typedef struct guess {
	const sheaf_zip *archive;
	sheaf_schema *out;
	sheaf_error *err;
} guess;

/* Reads the dim of a sparse stream from the array "NAME.dim" beside its indices, where NAME is the first
 * `stem` bytes of `name`. */
static sheaf_status read_dim(const guess *g, const char *name, size_t stem, int64_t *out)
{
	SHEAF_SCOPED(sheaf_array_close) sheaf_array array = {0};
	const char *file = sheaf_source_name(g->archive->source);
	const sheaf_zip_member *member = beside(g->archive, name, stem, "dim");
	if (!member)
		return sheaf_fail(g->err, SHEAF_DATA,
		                  "%s: expected a member %.*s.dim.npy beside its indices, found none", file,
		                  (int)stem, name);
	SHEAF_TRY(sheaf_npz_open_member(g->archive, member, &array, g->err));
	if (array.count == 1) SHEAF_TRY(sheaf_array_integers(&array, 0, 1, out, g->err));
	if (array.count == 1 && *out >= 1) return SHEAF_OK;
	return sheaf_fail(g->err, SHEAF_DATA, "%s, member %s: expected one number of at least 1, found another",
	                  file, member->name);
}

/* Adds a stream to the schema that is made from the names of arrays: a text in each row if `text`; sparse
 * if there is an array of indices beside `member`; else dense, with the second extent of the values as
 * its dim. The first `stem` bytes of the member's name are the name of the stream. */
static sheaf_status guess_stream(const guess *g, const sheaf_zip_member *member, size_t stem, bool text)
{
	SHEAF_SCOPED(sheaf_array_close) sheaf_array values = {0};
	sheaf_field *field;
	bool sparse = beside(g->archive, member->name, stem, "indices");
	SHEAF_TRY(sheaf_npz_open_member(g->archive, member, &values, g->err));
	SHEAF_TRY(sheaf_schema_add(g->out, g->out->cx, member->name, stem, &field, g->err));
	if (text) {
		sheaf_field_make_cell(field, SHEAF_STRING, SHEAF_U8, -1, false);
		return SHEAF_OK;
	}
	SHEAF_TRY(sheaf_array_value_field(&values, field, g->err));
	int64_t dim = values.rank == 2 ? values.shape[1] : 1;
	if (field->meaning != SHEAF_NUMBER || values.rank < 1 || values.rank > 2 || dim < 1)
		return sheaf_fail(
			g->err, SHEAF_UNSUPPORTED,
			"%s: expected numbers, of one or two dimensions, as the values of a stream, found others",
			values.holding.name);
	if (sparse) SHEAF_TRY(read_dim(g, member->name, stem, &dim));
	sheaf_field_make_stream(field, sparse, dim, field->type);
	return SHEAF_OK;
}

/* Whether a column that is known by its values explains the array. */
static bool is_part(const sheaf_zip *archive, const char *name)
{
	static const char *const words[] = {"offsets", "entry_offsets", "indices", "dim"};
	for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
		size_t stem = stem_of(name, words[w]);
		if (stem && (beside(archive, name, stem, "values") || beside(archive, name, stem, "text")))
			return true;
	}
	return false;
}

/* Adds a column with an item in each row to the schema that is made from the names of arrays. An array of
 * unsigned 64-bit integers called "key" is the keys of the rows. */
static sheaf_status guess_column(const guess *g, const sheaf_zip_member *member)
{
	SHEAF_SCOPED(sheaf_array_close) sheaf_array array = {0};
	sheaf_field *field = NULL;
	size_t n = strlen(member->name) - 4;
	SHEAF_TRY(sheaf_npz_open_member(g->archive, member, &array, g->err));
	const sheaf_part *part = array.dtype.parts;
	if (array.rank != 1)
		return sheaf_fail(g->err, SHEAF_UNSUPPORTED,
		                  "%s, member %s: expected a column with an item for each row, found an array of %d "
		                  "dimensions",
		                  sheaf_source_name(g->archive->source), member->name, array.rank);
	SHEAF_TRY(sheaf_schema_add(g->out, g->out->cx, member->name, n, &field, g->err));
	SHEAF_TRY(sheaf_array_value_field(&array, field, g->err));
	if (n == 3 && memcmp(member->name, "key", 3) == 0 && part->kind == 'u' && part->size == 8)
		*field = (sheaf_field){.name = field->name,
		                       .room = field->room,
		                       .levels = field->levels,
		                       .meaning = SHEAF_KEY,
		                       .type = SHEAF_U64};
	return SHEAF_OK;
}

/* Makes a schema from the names of arrays: a stream for each name that has parts, a column for each array
 * that is no part of one. */
static sheaf_status guess_schema(const guess *g)
{
	size_t stem;
	bool text;
	for (int m = 0; m < g->archive->count; m++) {
		const sheaf_zip_member *member = &g->archive->members[m];
		if (!sheaf_npz_is_array(member)) continue;
		if (is_stem(g->archive, member->name, &stem, &text))
			SHEAF_TRY(guess_stream(g, member, stem, text));
		else if (!is_part(g->archive, member->name))
			SHEAF_TRY(guess_column(g, member));
	}
	sheaf_schema_name_losses(g->out);
	return SHEAF_OK;
}

sheaf_status sheaf_npz_streams_schema(const sheaf_zip *archive, sheaf_schema *out, sheaf_error *err)
{
	const sheaf_zip_member *own = sheaf_npz_find(archive, sheaf_npz_schema_name);
	*out = (sheaf_schema){.rows = SHEAF_SEQUENCES, .cx = archive->cx};
	if (own) return read_own(archive, own, out, err);
	sheaf_status status = guess_schema(&(guess){archive, out, err});
	if (status) sheaf_schema_free(out);
	return status;
}
