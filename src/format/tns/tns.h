/* SPDX-License-Identifier: MIT */
/* The inside of FROSTT files: declarations that its files share.
 *
 *   format.c   the table entry, options, recognition    look.c   rank and shape, which files may lack
 *   write.c    entries into lines
 *
 * format/lines/entries.h describes lines of entries.
 * What is read and why is in docs/formats/tns.md. */
#ifndef SHEAF_FORMAT_TNS_TNS_H
#define SHEAF_FORMAT_TNS_TNS_H

#include "format/lines/entries.h"

/* The comments in which this format's writer gives the shape, and says that values are integers of 64
 * bits. */
#define TNS_SHAPE "# shape:"
#define TNS_INTEGERS "# values: integers"

static const sheaf_lined_syntax sheaf_tns_syntax = {
	.spaces = SHEAF_LINED_SPACES, .comment = '#', .stop = '#'};

/* ---- look.c ---- */

/* Finds rank and shape, and where the entries begin. */
SHEAF_USE sheaf_status sheaf_tns_look(sheaf_entry_reader *in, const sheaf_values *values, bool glance,
                                      sheaf_error *err);

/* ---- write.c ---- */

extern const sheaf_writing sheaf_tns_writing;

#endif
