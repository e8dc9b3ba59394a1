/* SPDX-License-Identifier: MIT */
/* Cells that are written in the places of their coordinates. */
#ifndef SHEAF_FORMAT_SCIDB_PLACE_H
#define SHEAF_FORMAT_SCIDB_PLACE_H

#include "format/scidb/scidb.h"
#include "io/spool.h"
#include "sparse/sort/sorter.h"

typedef struct sheaf_scidb_places {
	sheaf_context *cx;
	sheaf_sink *sink;
	const sheaf_scidb_array *array;
	const sheaf_scidb_layout *layout;
	int64_t next;         /* cells that are written */
	sheaf_builder empty;  /* a cell for those without a row; no bytes: they are refused */
	sheaf_sorter *sorter; /* NULL: all cells have come in order */
	sheaf_spool spool;
	sheaf_builder window; /* of the temporary file, from window_at on */
	int64_t window_at;
} sheaf_scidb_places;

void sheaf_scidb_places_begin(sheaf_scidb_places *places, sheaf_sink *sink, const sheaf_scidb_array *array,
                              const sheaf_scidb_layout *layout, sheaf_context *cx);
/* n cells, one after the other, and their numbers in the array. */
SHEAF_USE sheaf_status sheaf_scidb_places_add(sheaf_scidb_places *places, sheaf_bytes cells,
                                              const int64_t *numbers, int64_t n, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_scidb_places_finish(sheaf_scidb_places *places, sheaf_error *err);
void sheaf_scidb_places_end(sheaf_scidb_places *places);

/* "{3, 5}", into room for the most coordinates. */
enum { SCIDB_PLACE_TEXT = SHEAF_MAX_RANK * 24 };
const char *sheaf_scidb_place_text(const int64_t *coordinates, int n, char text[SCIDB_PLACE_TEXT]);

#endif
