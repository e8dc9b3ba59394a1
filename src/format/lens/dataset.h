/* SPDX-License-Identifier: MIT */
/* Example files as a dataset: an example is a row, an event a sample, and each group of units a stream of
 * inputs or of targets.
 *
 *   streams.c    the streams: given as a network, or taken from what the file uses
 *   survey.c     what the file uses
 *   network.c    --group
 *   declared.c   whether declared groups are there
 *   edits.c      what is changed of examples while they are read
 *   rows.c       examples into columns
 *   cells.c      ranges into the values of an event
 *   show.c       examples as people and programs see them
 *   encode.c     columns into examples
 *   output.c     files of them */
#ifndef SHEAF_FORMAT_LENS_DATASET_H
#define SHEAF_FORMAT_LENS_DATASET_H

#include "base/arena.h"
#include "format/lens/edits.h"
#include "format/lens/lens.h"
#include "frame/frame_builder.h"
#include "frame/row_choice.h"
#include "frame/schema/names.h"

/* ---- network.c ---- */

/* A group of units on one side, of the network or as a file uses it. */
typedef struct sheaf_lens_stream {
	sheaf_name group; /* size 0: the units of all groups, if no network is given */
	bool target, sparse;
	bool said;           /* some unit of it was named in the rows reviewed */
	int64_t width;       /* in a survey: the highest unit named, plus one */
	int64_t before;      /* units in earlier groups of its side, in the order in which they are given */
	int64_t named, alls; /* in a survey: units, counted each time events name them; and how often events name
	                        all */
} sheaf_lens_stream;

/* Streams, found by their group and side, with copies of the names. */
typedef struct sheaf_lens_streams {
	sheaf_context *cx;
	sheaf_arena *arena;
	sheaf_names names;
	sheaf_builder numbers; /* two ints for each name: its streams of inputs and of targets; -1: none */
	sheaf_builder all;     /* sheaf_lens_stream */
	bool given;            /* given by --group: then they are all groups of the network, in its order */
	bool allow_missing;    /* examples need not use any of the declared groups */
} sheaf_lens_streams;

void sheaf_lens_streams_begin(sheaf_lens_streams *streams, sheaf_context *cx);
/* The caller ensures that there is none of this group and side. */
SHEAF_USE sheaf_status sheaf_lens_streams_add(sheaf_lens_streams *streams, const sheaf_lens_stream *stream,
                                              sheaf_error *err);
void sheaf_lens_streams_free(sheaf_lens_streams *streams);
static inline int sheaf_lens_streams_count(const sheaf_lens_streams *streams)
{
	return (int)(streams->all.size / sizeof(sheaf_lens_stream));
}
static inline sheaf_lens_stream *sheaf_lens_stream_at(const sheaf_lens_streams *streams, int number)
{
	return (sheaf_lens_stream *)(void *)streams->all.data + number;
}
/* The number of the stream of a group on a side, or -1. */
int sheaf_lens_stream_of(const sheaf_lens_streams *streams, sheaf_name group, bool target);
/* Units of all groups of a side. */
int64_t sheaf_lens_side_width(const sheaf_lens_streams *streams, bool target);
/* Reads the --group options. USAGE names the one that is wrong. */
SHEAF_USE sheaf_status sheaf_lens_read_groups(sheaf_lens_streams *streams, const sheaf_values *values,
                                              sheaf_error *err);

/* ---- survey.c ---- */

enum { SHEAF_LENS_SHOWN_PROCS = 5 };

/* The contents of a file, or of its first part. */
typedef struct sheaf_lens_survey {
	bool made, complete;
	int64_t examples, events, longest, procs;
	int64_t bytes;            /* that were read */
	bool filled[2];           /* by side: units that an event does not name have a value other than 0 */
	sheaf_lens_streams found; /* the groups in order of appearance */
	char *lines[SHEAF_LENS_SHOWN_PROCS]; /* the first lines of the first procs, as far as they are shown */
} sheaf_lens_survey;

/* Reads all of the source, or takes a quick look at its first part, without reporting flaws: whoever reads
 * the rows reports them. Afterwards the source is where the rows begin. */
SHEAF_USE sheaf_status sheaf_lens_make_survey(sheaf_source *source, bool glance, sheaf_lens_edits *edits,
                                              sheaf_context *cx, sheaf_lens_survey *out, sheaf_error *err);
/* A few bytes can name any number of units, by a span or by a list that many events share. If nobody says how
 * large the network is, the size of an example bounds what is made from it: a number of units, and more for
 * each byte. */
enum { SHEAF_LENS_USUAL_UNITS = 1 << 20, SHEAF_LENS_UNITS_OF_A_BYTE = 256 };
/* Whether the units of a group are better stored one by one: events name few of them, or all would be too
 * many. */
bool sheaf_lens_is_thin(const sheaf_lens_survey *survey, const sheaf_lens_stream *use);
/* The number of input bytes that become `bytes` bytes of values, at least 1 and at most `bytes`. */
int64_t sheaf_lens_share(const sheaf_lens_survey *survey, int64_t bytes);

/* ---- declared.c ---- */

struct sheaf_lens_dataset;
/* Whether the declared groups exist, as far as the beginning of the input shows: USAGE if a name is
 * mistyped. */
SHEAF_USE sheaf_status sheaf_lens_check_groups(struct sheaf_lens_dataset *in, sheaf_error *err);
/* The same, once all of it was read. */
SHEAF_USE sheaf_status sheaf_lens_settle_groups(const struct sheaf_lens_dataset *in, sheaf_error *err);
/* Counts the rows of a frame, and notes which streams had a named unit. */
void sheaf_lens_note_rows(struct sheaf_lens_dataset *in, const sheaf_frame *frame);

/* ---- streams.c ---- */

/* The columns for examples and events, besides their values: after the streams and in this order. */
typedef enum sheaf_lens_column {
	SHEAF_LENS_NAME,
	SHEAF_LENS_PROC,
	SHEAF_LENS_FREQUENCY,
	SHEAF_LENS_EVENT_MAX,
	SHEAF_LENS_EVENT_MIN,
	SHEAF_LENS_EVENT_GRACE,
	SHEAF_LENS_EVENT_PROC,
	SHEAF_LENS_COLUMNS
} sheaf_lens_column;

/* Row sheaf_lens_column is what that column is. */
extern const sheaf_column_kind sheaf_lens_columns[SHEAF_LENS_COLUMNS + 1];
/* Makes streams for what the file uses. */
SHEAF_USE sheaf_status sheaf_lens_streams_of_survey(const sheaf_lens_survey *survey,
                                                    sheaf_lens_streams *streams, sheaf_error *err);
/* Streams and columns as a schema, the set's proc as an attribute. */
SHEAF_USE sheaf_status sheaf_lens_make_schema(const sheaf_lens_streams *streams,
                                              const sheaf_lens_header *header, sheaf_context *cx,
                                              sheaf_schema *out, sheaf_error *err);
/* The group and side in a stream's name: "inputs", "targets", "GROUP.input", "GROUP.target". False if it has
 * none. */
bool sheaf_lens_name_to_stream(const char *name, sheaf_lens_stream *out);
sheaf_status sheaf_lens_declare(const sheaf_schema *schema, const char *file, bool own, sheaf_context *cx,
                                sheaf_buffer *text, sheaf_error *err);

/* ---- the reader of a dataset ---- */

typedef struct sheaf_lens_dataset {
	SHEAF_BASE(sheaf_reader, reader);
	sheaf_lens_reader *first;   /* of the header; later pieces are parsed by it, too */
	sheaf_lens_reader *current; /* cuts: the first one, or the one of the current round */
	sheaf_lens_streams streams;
	sheaf_lens_survey survey;
	sheaf_opening how;
	sheaf_lens_edits edits;
	sheaf_buffer heading;
	bool any;     /* example was cut in this round */
	int64_t rows; /* reviewed */
	char guess[64];
} sheaf_lens_dataset;

/* ---- rows.c, show.c ---- */

sheaf_status sheaf_lens_decode(const void *dataset, const sheaf_piece *piece, sheaf_frame *frame,
                               sheaf_context *cx, sheaf_error *err);
/* The number of events in each example of a piece. */
sheaf_status sheaf_lens_measure(const void *dataset, const sheaf_piece *piece, sheaf_context *cx,
                                sheaf_buffer *lengths, sheaf_buffer *keys, sheaf_error *err);
/* Examples as the texts of rows. */
SHEAF_USE sheaf_status sheaf_lens_show(const sheaf_lens_dataset *in, const sheaf_piece *piece,
                                       const sheaf_lens_set *set, sheaf_frame_builder *to, sheaf_error *err);
/* What stands before them. */
SHEAF_USE sheaf_status sheaf_lens_show_heading(sheaf_lens_dataset *in, sheaf_error *err);
sheaf_status sheaf_lens_describe(const void *dataset, const sheaf_listing *to, sheaf_error *err);

/* ---- cells.c ---- */

/* The values of one stream, being made event by event. */
typedef struct sheaf_lens_cells {
	const sheaf_lens_stream *stream;
	sheaf_builder *values;      /* float */
	sheaf_level_builder *level; /* an event without a list is missing; sparse: entries, indices int32_t */
	int64_t events;             /* made so far */
	bool said;                  /* some unit of it is named */
	float *dense;               /* of the current event */
	int64_t last;               /* sparse: the last unit that the event has named, or -1 */
	bool unordered;             /* sparse: it has named one that does not come after the one before it */
} sheaf_lens_cells;

/* For a column that will have `events`. */
SHEAF_USE sheaf_status sheaf_lens_cells_begin(sheaf_lens_cells *cells, const sheaf_lens_stream *stream,
                                              int64_t events, sheaf_column_builder *to, sheaf_error *err);
/* Begins an event, all of whose units have the default. */
void sheaf_lens_cells_start(sheaf_lens_cells *cells, float usual, bool given);
/* Gives units [from, to) of the stream these values, or one value if `values` is NULL. */
void sheaf_lens_cells_set(sheaf_lens_cells *cells, int64_t from, int64_t to, const float *values,
                          float value);
/* Gives each of n units, at least one, this value. */
void sheaf_lens_cells_set_units(sheaf_lens_cells *cells, const int32_t *units, int32_t n, float value);
/* After the last event. */
void sheaf_lens_cells_end(sheaf_lens_cells *cells);

/* ---- encode.c, output.c ---- */

sheaf_status sheaf_lens_accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_lens_create(void *created, const sheaf_facts *totals, const sheaf_values *values,
                                         sheaf_error *err);
sheaf_status sheaf_lens_encode(const void *out, const sheaf_frame *frame, int64_t row, sheaf_builder *b,
                               int64_t *samples, sheaf_error *err);
sheaf_status sheaf_lens_append(void *out, const sheaf_blob *blob, sheaf_error *err);
sheaf_status sheaf_lens_finish(void *out, sheaf_error *err);
void sheaf_lens_close_output(void *out);
sheaf_status sheaf_lens_transcode(sheaf_source *source, sheaf_sink *sink, const sheaf_values *values,
                                  const sheaf_selection *selection, sheaf_context *cx, sheaf_error *err);

/* The writer of a file. */
typedef struct sheaf_lens_output {
	SHEAF_BASE(sheaf_output, output);
	char *name; /* the sink's */
	const sheaf_lens_spelling *spelling;
	sheaf_lens_header header;
	sheaf_builder streams; /* sheaf_lens_stream of each field; unused for a column */
	bool counted;          /* the number of examples comes first: the header is written last */
	bool begun;            /* the header is written */
	int64_t examples;
	int64_t end; /* `counted`: where the next examples go */
} sheaf_lens_output;

#endif
