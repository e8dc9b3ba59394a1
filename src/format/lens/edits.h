/* SPDX-License-Identifier: MIT */
/* Changes to examples while they are read. */
#ifndef SHEAF_FORMAT_LENS_EDITS_H
#define SHEAF_FORMAT_LENS_EDITS_H

#include "format/lens/lens.h"
#include <stdatomic.h>

enum { SHEAF_LENS_MOST_EDITS = 64 };

typedef struct sheaf_lens_edit {
	bool is_group; /* a group's name becomes `to`; otherwise the frequency of examples becomes `value` */
	bool all; /* of all examples; otherwise of those with this name, or with names that match this pattern */
	char *name, *to;
	float value;
	atomic_bool met; /* something was changed */
} sheaf_lens_edit;

typedef struct sheaf_lens_edits {
	sheaf_context *cx;
	int count;
	sheaf_lens_edit items[SHEAF_LENS_MOST_EDITS];
} sheaf_lens_edits;

/* USAGE if a setting makes no sense. Free it in any case. */
SHEAF_USE sheaf_status sheaf_lens_edits_read(sheaf_lens_edits *edits, const sheaf_values *values,
                                             sheaf_context *cx, sheaf_error *err);
void sheaf_lens_edits_free(sheaf_lens_edits *edits);
/* The new name of a group. edits NULL: the same. */
void sheaf_lens_edits_rename(sheaf_lens_edits *edits, const void **name, size_t *size);
/* Changes the examples of a set from number `from` on. */
void sheaf_lens_edits_apply(sheaf_lens_edits *edits, sheaf_lens_set *set, int64_t from);
/* At the end of the file: USAGE if an edit was never applied. */
SHEAF_USE sheaf_status sheaf_lens_edits_check(const sheaf_lens_edits *edits, const char *file,
                                              sheaf_error *err);

#endif
