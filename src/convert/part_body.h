/* SPDX-License-Identifier: MIT */
/* What a part of a conversion contains, apart from which part it is. */
#ifndef SHEAF_CONVERT_PART_BODY_H
#define SHEAF_CONVERT_PART_BODY_H

#include "convert/conversion.h"
#include "dataset/range.h"
#include "part/part_file.h"

/* What a payload is. */
typedef enum sheaf_payload {
	SHEAF_PAYLOAD_OUTPUT, /* bytes of the output */
	SHEAF_PAYLOAD_ROWS,   /* rows as they were read */
	SHEAF_PAYLOAD_SORTED, /* entries of a tensor, in the order of the output: each its key and its value */
	SHEAF_PAYLOAD_SLICES, /* encoded entries; those of one part follow those of the part before */
	SHEAF_PAYLOAD_NONE    /* nothing: the merge converts the input, which has no rows to share out */
} sheaf_payload;

/* Entries are written to the output when all rows have been reviewed. */
static inline bool sheaf_payload_is_of_entries(sheaf_payload payload)
{
	return payload == SHEAF_PAYLOAD_SORTED || payload == SHEAF_PAYLOAD_SLICES;
}

/* What all parts have in common. */
typedef struct sheaf_part_common {
	sheaf_context *cx;
	char *to;
	sheaf_payload payload;
	sheaf_entry_shape entry; /* of sorted ones */
	bool allow_large;
	sheaf_duplicates duplicates;
	int64_t input_bytes;
	sheaf_facts totals;
	sheaf_schema schema;    /* of the writer */
	sheaf_selection select; /* without a payload: what is converted; its texts are owned */
	int nsettings;
	sheaf_setting *settings; /* their texts are owned */
	char *member;
	int ninputs;
	char **formats; /* of each input, for a reader that completes the review of the parts */
} sheaf_part_common;

/* The rows of one input in a part. */
typedef struct sheaf_part_segment {
	int input;
	int64_t blob;         /* index of the first blob that may have any of them */
	bool settled;         /* the input was read to its end, and findings about the whole were reported */
	sheaf_bytes findings; /* what was found in them */
	sheaf_bytes kept;     /* the results of their review */
} sheaf_part_segment;

/* What belongs to one part. */
typedef struct sheaf_part_own {
	bool structured;
	sheaf_structure structure;
	int64_t row, rows;   /* number of its first row, and number of its rows */
	bool is_last;        /* it has the last row */
	sheaf_facts facts;   /* of the rows */
	sheaf_bytes opening; /* findings in opening the inputs */
	sheaf_bytes closing; /* findings in encoding slices, after all rows */
	int64_t nblobs;
	sheaf_bytes blobs; /* three numbers for each: bytes, rows, samples */
	int nsegments;
	sheaf_cursor segments; /* the next one */
} sheaf_part_own;

void sheaf_part_put_common(sheaf_builder *b, const sheaf_conversion *c);
/* The common data of a part without a payload. */
void sheaf_part_put_whole(sheaf_builder *b, const sheaf_conversion *c);
/* The common data of a part whose payload was converted. */
void sheaf_part_put_common_again(sheaf_builder *b, const sheaf_part_file *part, sheaf_payload payload);
void sheaf_part_put_own(sheaf_builder *b, const sheaf_part_own *own);
/* A sink for a part file, with what precedes the payload. */
SHEAF_USE sheaf_status sheaf_conversion_open_part(const sheaf_conversion *c, const char *output,
                                                  sheaf_sink **out, sheaf_error *err);
/* Writes the foot and commits the sink, which is closed in any case; *head gets the options. */
SHEAF_USE sheaf_status sheaf_conversion_finish_part(const sheaf_conversion *c, sheaf_sink *sink,
                                                    sheaf_part_head *head, const sheaf_builder *common,
                                                    const sheaf_part_own *own, sheaf_error *err);
/* A sink for a writer whose rows go into a part: the merge writes what would come before and after them. */
SHEAF_USE sheaf_status sheaf_part_scrap(const char *name, sheaf_context *cx, sheaf_sink **out,
                                        sheaf_error *err);
/* The options that affect the result, as lines. */
void sheaf_part_put_options(sheaf_builder *b, const sheaf_conversion *c);
void sheaf_part_put_bytes(sheaf_builder *b, sheaf_bytes bytes);

SHEAF_USE sheaf_status sheaf_part_read_common(const sheaf_part_file *part, sheaf_part_common *out,
                                              sheaf_error *err);
void sheaf_part_common_free(sheaf_part_common *common);
/* Borrows from the part. */
SHEAF_USE sheaf_status sheaf_part_read_own(const sheaf_part_file *part, sheaf_part_own *out,
                                           sheaf_error *err);
SHEAF_USE sheaf_status sheaf_part_next_segment(const sheaf_part_file *part, sheaf_part_own *own,
                                               sheaf_part_segment *out, sheaf_error *err);
/* Refuses a part whose sorted entries do not have the number, or the shape, that it states. */
SHEAF_USE sheaf_status sheaf_part_check_entries(const sheaf_part_file *part, const sheaf_part_own *own,
                                                const sheaf_entry_shape *entry, sheaf_error *err);
/* The bytes, rows and samples of a blob. */
void sheaf_part_blob(const sheaf_part_own *own, int64_t i, int64_t *size, int64_t *rows, int64_t *samples);

#endif
