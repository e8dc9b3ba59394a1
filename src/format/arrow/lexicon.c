/* SPDX-License-Identifier: MIT */
/* Which dictionaries the columns need, by their numbers: thousands of them are found as fast as a few. */
#include "base/memory.h"
#include "format/arrow/ipc.h"
#include <stdlib.h>

/* Orders by number; of one number, a field that is read comes before one that is left out. */
static int by_id(const void *a, const void *b)
{
	const sheaf_ipc_words *x = (const sheaf_ipc_words *)a, *y = (const sheaf_ipc_words *)b;
	if (x->id != y->id) return x->id < y->id ? -1 : 1;
	return (x->field == NULL) - (y->field == NULL);
}

/* Lists the dictionaries of a field and of all fields below it, also below the values of a dictionary, and of
 * columns that are left out: their dictionaries are known, and passed. Without memory for the list they are
 * only counted. */
static void list_field(sheaf_ipc_lexicon *to, const struct ArrowSchema *field, bool is_read)
{
	const struct ArrowSchema *values = field->dictionary ? field->dictionary : field;
	if (field->dictionary && to->words) {
		to->words[to->n].id = sheaf_ipc_dictionary_of(field);
		to->words[to->n].field = is_read ? field : NULL;
	}
	to->n += field->dictionary != NULL;
	for (int64_t i = 0; i < values->n_children; i++) {
		bool passed = sheaf_arrow_is_struct(field) && sheaf_arrow_is_left_out(field->children[i]);
		list_field(to, values->children[i], is_read && !passed);
	}
}

/* Several fields may share a number, and then its dictionary: of each number the first in order is kept. */
sheaf_status sheaf_ipc_list_dictionaries(sheaf_ipc_reader *in, sheaf_error *err)
{
	int64_t n = 0;
	sheaf_ipc_lexicon *to = &in->lexicon;
	list_field(to, &in->columns, true);
	to->room = to->n;
	if (to->n == 0) return SHEAF_OK;
	SHEAF_TRY(sheaf_allocate_array(in->cx, (uint64_t)to->room, sizeof *to->words, &to->words, err));
	to->n = 0;
	list_field(to, &in->columns, true);
	qsort(to->words, (size_t)to->n, sizeof *to->words, by_id);
	for (int64_t i = 0; i < to->n; i++)
		if (n == 0 || to->words[n - 1].id != to->words[i].id) {
			to->words[n].id = to->words[i].id;
			to->words[n++].field = to->words[i].field;
		}
	to->n = n;
	return SHEAF_OK;
}

sheaf_ipc_words *sheaf_ipc_find_words(const sheaf_ipc_lexicon *lexicon, int64_t id)
{
	int64_t low = 0, high = lexicon->n;
	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		if (lexicon->words[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < lexicon->n && lexicon->words[low].id == id ? &lexicon->words[low] : NULL;
}
