/* SPDX-License-Identifier: MIT */
/* The inside of Lens example files: one model for both spellings, its readers and writers.
 *
 *   model.c     the set: examples, events, lists of ranges     reader.c   opening, pieces of whole examples
 *   text.h      the text spelling                              binary.h   the binary spelling
 *
 * What is read and why is in docs/formats/lens.md. */
#ifndef SHEAF_FORMAT_LENS_LENS_H
#define SHEAF_FORMAT_LENS_LENS_H

#include "base/arena.h"
#include "base/buffer.h"
#include "format/format.h"
#include "frame/schema/names.h"

/* ---- model.c ---- */

/* The settings of a set, and of an event, in the order of the binary spelling. */
typedef enum sheaf_lens_field {
	SHEAF_LENS_MAX,   /* maxTime */
	SHEAF_LENS_MIN,   /* minTime */
	SHEAF_LENS_GRACE, /* graceTime */
	SHEAF_LENS_DEF_I, /* defaultInput */
	SHEAF_LENS_ACT_I, /* activeInput */
	SHEAF_LENS_DEF_T, /* defaultTarget */
	SHEAF_LENS_ACT_T, /* activeTarget */
	SHEAF_LENS_FIELDS
} sheaf_lens_field;

/* A string of the set: where it begins in `texts`, with a NUL after it; SHEAF_LENS_ABSENT: there is none,
 * which differs from "". */
typedef int64_t sheaf_lens_text;
enum { SHEAF_LENS_ABSENT = -1 };

/* Settings of an event. A time that is NaN is the set's; the other four are always the event's own values. */
typedef struct sheaf_lens_traits {
	float fields[SHEAF_LENS_FIELDS];
	sheaf_lens_text proc; /* Tcl text, never executed */
} sheaf_lens_traits;

/* A run of values (dense) or a list of units that share a value (sparse). Later ranges of a list override
 * earlier ones. */
typedef struct sheaf_lens_range {
	int64_t at;    /* index of its first item in the set's `values` (dense) or `units` (sparse) */
	int32_t count; /* of its items */
	int32_t group; /* number of the group to which these units belong; -1: units of the whole network, counted
	                  over all groups of its side */
	int32_t first; /* dense: the first unit */
	float value; /* sparse: the value of the units. Dense: the owner's active value, which matters only in the
	                binary spelling of an empty range */
	bool sparse;
} sheaf_lens_range;

/* Units are stored as in the file: u is a unit, u and then -v the units u to v; a list that begins with a
 * negative number means all units. */

/* Ranges that one event or several use, as inputs, as targets, or both: sharing means having the same
 * list. */
typedef struct sheaf_lens_list {
	int64_t first; /* index of its first range in the set's `ranges` */
	int32_t count; /* at least 1 */
} sheaf_lens_list;

/* Lists and traits are numbered within the example. */
typedef struct sheaf_lens_event {
	int32_t input, target; /* list; -1: none was given, so only the defaults apply */
	int32_t traits;        /* -1: the usual ones of an event, see sheaf_lens_event_traits */
} sheaf_lens_event;

typedef struct sheaf_lens_example {
	sheaf_lens_text name, proc;
	float frequency;
	int32_t nevents, nlists, ntraits;
	int64_t events, lists, traits; /* index of its first ones in the set's arrays */
	int64_t byte;                  /* where it begins in the input, see sheaf_lens_place */
} sheaf_lens_example;

/* The header of a set. Its proc is text, never executed. */
typedef struct sheaf_lens_header {
	float fields[SHEAF_LENS_FIELDS];
	char *proc; /* NULL: none; owned, sheaf_release_text */
} sheaf_lens_header;

enum { SHEAF_LENS_ARRAYS = 8 };

/* Examples in flat arrays: a whole set or a part of one. Begins as zeros, with sheaf_lens_set_begin. */
typedef struct sheaf_lens_set {
	sheaf_context *cx;
	const sheaf_lens_header *header; /* the reader's */
	sheaf_lens_traits
		plain; /* the traits of an event without settings: times to inherit, the header's other values */
	sheaf_names groups;             /* in order of appearance */
	sheaf_arena *arena;             /* of their texts */
	struct sheaf_lens_edits *edits; /* of the reader that fills it; NULL: none */
	union {
		struct {
			sheaf_builder texts;    /* char */
			sheaf_builder examples; /* sheaf_lens_example */
			sheaf_builder events;   /* sheaf_lens_event */
			sheaf_builder lists;    /* sheaf_lens_list */
			sheaf_builder ranges;   /* sheaf_lens_range */
			sheaf_builder traits;   /* sheaf_lens_traits */
			sheaf_builder values;   /* float */
			sheaf_builder units;    /* int32_t */
		};
		sheaf_builder arrays[SHEAF_LENS_ARRAYS];
	};
	sheaf_lens_range lost; /* where a range goes for which there is no memory */
} sheaf_lens_set;

/* The values of an empty header: 1, 0, 0, 0, 1, 0, 1. */
extern const float sheaf_lens_defaults[SHEAF_LENS_FIELDS];

/* An empty set under a header that outlives it. */
void sheaf_lens_set_begin(sheaf_lens_set *set, const sheaf_lens_header *header, sheaf_context *cx);
/* Removes all examples; memory is kept for the next ones. */
void sheaf_lens_set_clear(sheaf_lens_set *set);
void sheaf_lens_set_free(sheaf_lens_set *set);

/* The items of an array, and their number. */
#define LENS_ITEMS(set, type, array) ((type *)(void *)(set)->array.data)
#define LENS_COUNT(set, type, array) ((int64_t)((set)->array.size / sizeof(type)))

static inline int64_t sheaf_lens_count(const sheaf_lens_set *set)
{
	return LENS_COUNT(set, sheaf_lens_example, examples);
}
static inline const sheaf_lens_example *sheaf_lens_example_at(const sheaf_lens_set *set, int64_t number)
{
	return LENS_ITEMS(set, sheaf_lens_example, examples) + number;
}
static inline const sheaf_lens_event *sheaf_lens_event_at(const sheaf_lens_set *set,
                                                          const sheaf_lens_example *example, int32_t number)
{
	return LENS_ITEMS(set, sheaf_lens_event, events) + example->events + number;
}

static inline const sheaf_lens_traits *sheaf_lens_event_traits(const sheaf_lens_set *set,
                                                               const sheaf_lens_example *example,
                                                               const sheaf_lens_event *event)
{
	return event->traits < 0 ? &set->plain
	                         : LENS_ITEMS(set, sheaf_lens_traits, traits) + example->traits + event->traits;
}

/* The value of units without one in lists of the event. */
static inline float sheaf_lens_active(const sheaf_lens_set *set, const sheaf_lens_example *example,
                                      int32_t event, bool is_input)
{
	const sheaf_lens_event *e = sheaf_lens_event_at(set, example, event);
	return sheaf_lens_event_traits(set, example, e)->fields[is_input ? SHEAF_LENS_ACT_I : SHEAF_LENS_ACT_T];
}

/* The ranges of a list of the example; number -1: none, *count is 0. */
const sheaf_lens_range *sheaf_lens_ranges_of(const sheaf_lens_set *set, const sheaf_lens_example *example,
                                             int32_t list, int32_t *count);
/* These two are NULL if the range has no items. */
const float *sheaf_lens_values_of(const sheaf_lens_set *set, const sheaf_lens_range *dense);
const int32_t *sheaf_lens_units_of(const sheaf_lens_set *set, const sheaf_lens_range *sparse);
/* The group that a range names; NULL: none. */
static inline const char *sheaf_lens_group_name(const sheaf_lens_set *set, const sheaf_lens_range *range)
{
	return range->group < 0 ? NULL : set->groups.names[range->group].text;
}
/* NULL if absent. */
static inline const char *sheaf_lens_string(const sheaf_lens_set *set, sheaf_lens_text text)
{
	return text < 0 ? NULL : (const char *)set->texts.data + text;
}

/* Filling a set, for readers; the steps for every example, list and range are in filling.h. Builders'
 * failures stick: sheaf_lens_set_status checks once. */
sheaf_lens_text sheaf_lens_add_text(sheaf_lens_set *set, const void *text, size_t size);
/* Number of a group by name, new or old. */
SHEAF_USE sheaf_status sheaf_lens_group(sheaf_lens_set *set, const void *name, size_t size, int32_t *out,
                                        sheaf_error *err);
/* Makes room for examples that will come from that many bytes: for the examples themselves, and not for all
 * that they may hold. */
void sheaf_lens_set_expect(sheaf_lens_set *set, int64_t examples, int64_t bytes);
/* An example whose events have no settings: a place after the set's examples, until the next one is begun. */
SHEAF_USE sheaf_status sheaf_lens_begin_example(sheaf_lens_set *set, int32_t nevents,
                                                sheaf_lens_example **out, sheaf_error *err);
/* Makes room for n bytes of values or units and, if memory must be allocated for that, for what may yet come
 * from the input. */
bool sheaf_lens_items_room(sheaf_builder *items, size_t n, int64_t more);
/* Returns the number for events. Traits equal to the last ones are not added again. */
int32_t sheaf_lens_add_traits(sheaf_lens_set *set, sheaf_lens_example *example,
                              const sheaf_lens_traits *traits);
/* The current end of the set, and going back to it: removes what a flawed example has added. */
typedef struct sheaf_lens_mark {
	size_t sizes[SHEAF_LENS_ARRAYS];
} sheaf_lens_mark;
void sheaf_lens_set_mark(const sheaf_lens_set *set, sheaf_lens_mark *mark);
/* Keeps only the first n examples. */
void sheaf_lens_set_shorten(sheaf_lens_set *set, int64_t n);
void sheaf_lens_set_back(sheaf_lens_set *set, const sheaf_lens_mark *mark);
SHEAF_USE sheaf_status sheaf_lens_set_status(const sheaf_lens_set *set, sheaf_error *err);

/* ---- reader.c ---- */

/* Reads either spelling, recognised by its content, as pieces of whole examples: cut on one thread, parse on
 * any. */
typedef struct sheaf_lens_reader sheaf_lens_reader;

/* Whether the bytes begin like a binary example file. */
bool sheaf_lens_is_binary(sheaf_bytes head);
/* Reads the header of the set. The source outlives the reader. */
SHEAF_USE sheaf_status sheaf_lens_open(sheaf_source *source, sheaf_context *cx, sheaf_lens_reader **out,
                                       sheaf_error *err);
void sheaf_lens_close(sheaf_lens_reader *in);
/* From here on examples are changed as they are parsed; the edits outlive the reader. */
void sheaf_lens_edit_with(sheaf_lens_reader *in, struct sheaf_lens_edits *edits);
const sheaf_lens_header *sheaf_lens_header_of(const sheaf_lens_reader *in);
/* Number of examples if the header has it (binary), else -1. */
int64_t sheaf_lens_examples_stated(const sheaf_lens_reader *in);
/* The next run of whole examples: as many as end within `bytes` bytes, at least one, and from a pipe no more
 * than is available once there is one. END after the last one. piece->notes belongs to the reader. */
SHEAF_USE sheaf_status sheaf_lens_cut(sheaf_lens_reader *in, int64_t bytes, sheaf_piece *piece,
                                      sheaf_error *err);
/* Fills a piece whose place and size are known, as cut has filled it, from a source made seekable; except for
 * the number of examples before it, which is -1. Any thread. */
SHEAF_USE sheaf_status sheaf_lens_recall(const sheaf_lens_reader *in, sheaf_piece *piece, sheaf_error *err);
/* The number of examples in a piece, and of those before it, at the time of cutting. */
int64_t sheaf_lens_piece_examples(const sheaf_piece *piece, int64_t *before);
/* Adds the examples of a piece to the set, which was begun with the reader's header. Flaws are reported; an
 * example with an error is left out. */
SHEAF_USE sheaf_status sheaf_lens_parse(const sheaf_lens_reader *in, const sheaf_piece *piece,
                                        sheaf_lens_set *set, sheaf_context *cx, sheaf_error *err);
/* The place of a byte of the input that is in the piece: line and column in the text spelling. */
sheaf_place sheaf_lens_place(const sheaf_lens_reader *in, const sheaf_piece *piece, int64_t byte);
/* Returns to before the first example and reads the header again; the source is rewindable. */
SHEAF_USE sheaf_status sheaf_lens_rewind(sheaf_lens_reader *in, sheaf_error *err);

/* ---- users.c, text_write.c, binary_write.c ---- */

/* The state for writing examples; one thread uses it at a time. */
typedef struct sheaf_lens_writing {
	sheaf_context *cx;
	const char *file;  /* for messages */
	sheaf_builder *to; /* of the current call, as is `err` */
	sheaf_error *err;
	const sheaf_lens_set *set; /* the current example */
	const sheaf_lens_example *example;
	int64_t row;                  /* its number, for messages; -1 for the header */
	sheaf_builder starts, events; /* int32_t: who uses its lists */
} sheaf_lens_writing;
/* `file` is borrowed. */
void sheaf_lens_writing_begin(sheaf_lens_writing *w, const char *file, sheaf_context *cx);
void sheaf_lens_writing_end(sheaf_lens_writing *w);

/* Writes one spelling to the end of a builder. What it cannot hold is reported as a LOSS, and left out if
 * that is allowed. */
typedef struct sheaf_lens_spelling {
	/* `examples` is their number, which the text spelling does not contain. */
	sheaf_status (*put_header)(sheaf_lens_writing *w, const sheaf_lens_header *header, int64_t examples,
	                           sheaf_builder *to, sheaf_error *err);
	/* `row` is the number of the example in the file, for messages. */
	sheaf_status (*put_example)(sheaf_lens_writing *w, const sheaf_lens_set *set,
	                            const sheaf_lens_example *example, int64_t row, sheaf_builder *to,
	                            sheaf_error *err);
} sheaf_lens_spelling;
extern const sheaf_lens_spelling sheaf_lens_text_spelling, sheaf_lens_binary_spelling;
/* The bytes of a header with this proc; NULL: none. */
int64_t sheaf_lens_binary_header_size(const char *proc);

#endif
