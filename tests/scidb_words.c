/* SPDX-License-Identifier: MIT */
/* What format strings and array schemas are read into. */
#include "scidb_words.h"

void begin_words(words *w)
{
	*w = (words){.cx = usual_context()};
	w->types.cx = w->cx;
}

void end_words(words *w)
{
	sheaf_scidb_entries_free(&w->entries);
	sheaf_scidb_array_free(&w->array);
	sheaf_scidb_types_free(&w->types);
	end_context(w->cx);
}
