/* SPDX-License-Identifier: MIT */
/* What a part of a conversion has beside its rows. */
#ifndef SHEAF_JOB_PART_H
#define SHEAF_JOB_PART_H

#include "job/conversion.h"
#include "job/part/reading_part.h"

/* What all parts of a conversion have in common. */
typedef struct sheaf_part_shared {
	bool copies;        /* there are no rows: the merge copies what the format has */
	bool keyed;         /* rows have keys */
	sheaf_facts totals; /* what the output was encoded with */
} sheaf_part_shared;

typedef struct sheaf_part_state {
	bool structured; /* the first part has found a structure */
	sheaf_structure structure;
	sheaf_facts facts; /* of its rows */
} sheaf_part_state;

/* All parts of a conversion, whose bytes have been read. */
struct sheaf_merging {
	sheaf_parts *parts;
	sheaf_part_shared shared;
	sheaf_part_state *states; /* one for each part */
};

/* ---- part_bytes.c ---- */

/* Parts have options as lines: UNSUPPORTED if one has a line feed. */
SHEAF_USE sheaf_status sheaf_part_check_options(const sheaf_conversion_options *options, sheaf_error *err);
/* Writes the options of a conversion as a text that ends with a zero. */
void sheaf_part_put_options(sheaf_builder *b, const sheaf_conversion *c);
void sheaf_part_put_shared(sheaf_builder *b, const sheaf_part_shared *shared);
void sheaf_part_put_state(sheaf_builder *b, const sheaf_part_state *state);

/* The options of a conversion from its lines, which are cut and stay in use; `settings` has room for one a
 * line. False: they are none. */
bool sheaf_part_read_options(char *text, sheaf_conversion_options *out, sheaf_setting *settings);
bool sheaf_part_read_shared(sheaf_bytes bytes, sheaf_part_shared *out);
bool sheaf_part_read_state(sheaf_bytes bytes, sheaf_part_state *out);

#endif
