/* SPDX-License-Identifier: MIT */
/* Datasets: open one of any format and read its frames, create one and write frames, convert, compare.
 *
 * A dataset and a writer are used by one thread at a time; different ones by different threads, also in one
 * context.
 *
 * Most used: sheaf_open, sheaf_dataset_schema, sheaf_next, sheaf_close; sheaf_convert. A file is written by
 * sheaf_create, sheaf_write and sheaf_finish. */
#ifndef SHEAF_DATASET_H
#define SHEAF_DATASET_H

#include <sheaf/format.h>
#include <sheaf/select.h>
#include <sheaf/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sheaf_dataset sheaf_dataset;

/* How index files are used (sheaf/index.h). */
typedef enum sheaf_index_policy {
	SHEAF_INDEX_USE,     /* a fresh one is used, none is written */
	SHEAF_INDEX_AUTO,    /* the same; and if there is none, one is written after a file of at least 64 MiB has
	                        been read to its end */
	SHEAF_INDEX_NEVER,   /* none is used */
	SHEAF_INDEX_REQUIRE, /* without a fresh one nothing is opened: UNKNOWN */
	SHEAF_INDEX_WRITE    /* a fresh one is used; else one is written after the file has been read to its end,
	                        however small it is; WARNING if it cannot be written */
} sheaf_index_policy;

/* How entries of a tensor are given. */
typedef enum sheaf_entries_as {
	SHEAF_ENTRIES_STORED,   /* as the file has them */
	SHEAF_ENTRIES_EXPANDED, /* with those that the structure implies */
	SHEAF_ENTRIES_CONTENT   /* expanded, and of a dense tensor only the positions that do not hold its fill
	                           value, or 0: the same for all storage of a tensor, except for the order */
} sheaf_entries_as;

/* How sequences become rows of a table, if these are needed and no stream is named that is to become a
 * tensor. Rows begin with the sequence's key, or its number. */
typedef enum sheaf_samples_as {
	SHEAF_SAMPLES_NOT,     /* the values of the only stream become entries of a tensor */
	SHEAF_SAMPLES_SEVERAL, /* the same; but if there are several streams, or columns beside them, as WIDE */
	SHEAF_SAMPLES_WIDE,  /* a row for each sample: each value of a dense stream is a column, a sparse sample a
	                        text like "3:1 7:0.5"; columns beside streams are repeated. A sequence without
	                        samples has one row */
	SHEAF_SAMPLES_LONG,  /* a row for each value: its stream, sample and index. Samples without values have no
	                        row */
	SHEAF_SAMPLES_LISTS, /* a row for each sequence: each stream is a text, as rows of SHEAF_JSON have it */
	SHEAF_SAMPLES_TENSOR /* the values of the only stream become entries, also where sequences are wanted */
} sheaf_samples_as;

/* How much of the input is read to infer what it does not declare. */
typedef enum sheaf_glance {
	SHEAF_GLANCE_NOT,     /* all of it */
	SHEAF_GLANCE_SHOWING, /* its first part, for a quick look. Later indices may then be beyond the dims, so
	                         such frames are for showing, not for writing */
	/* Its first part, if the format notices whatever that part lacks, and all rows are selected: reading is
	 * then STALE, and the caller opens the input again without, which finds and reports everything again.
	 * Else all of it. */
	SHEAF_GLANCE_SPECULATIVE
} sheaf_glance;

/* In which order an input is read. */
typedef enum sheaf_access {
	SHEAF_IN_ORDER,
	SHEAF_RANDOM, /* pieces in any order (sheaf/pieces.h): a pipe or a compressed input is copied to a
	                 temporary file */
	SHEAF_PIPED,  /* rows are given as they arrive, from a file, a FIFO or a function; nothing is read ahead,
	               * and reading begins again at the end, forever. UNSUPPORTED if the format cannot do this */
	SHEAF_PIPED_ONCE /* the same, up to the end */
} sheaf_access;

/* How rows are tensors. `size` is sizeof of this struct, or 0, here and in each struct of options. */
typedef struct sheaf_tensor_options {
	size_t size;
	/* Of a table: the columns that are coordinates of a tensor ("i,j"), the one that is its value (NULL: the
	 * only other one), and the tensor's shape ("10,20"; NULL: as large as it must be). The value may also
	 * name one of several streams that are to become a tensor, or the stream that a tensor without such a
	 * name becomes. */
	const char *coordinates, *value, *shape;
	sheaf_entries_as entries;
	bool matrix; /* a table of numbers is a matrix: its rows and columns are the dimensions, its values all of
	                one type that holds them */
	bool table; /* a matrix is a table with a column for each of its columns, if rows of tables can be used */
} sheaf_tensor_options;

/* How rows are sequences. */
typedef struct sheaf_sequence_options {
	size_t size;
	sheaf_samples_as samples;
	const char *layout; /* "wide", "long" or "lists": a table has been made of sequences in this way, and its
	                     * rows are sequences again. NULL: a table is a table */
	/* The file with the number of samples of each sequence, which were padded to one length in a tensor
	 * (sheaf_convert_options.pad): its rows are sequences of these lengths. "none": they are all as long as
	 * the tensor. NULL: where sequences alone can be used, and the tensor has three dimensions or more, the
	 * file beside it, x.lengths.npy beside x.npy; if there is none, as "none". */
	const char *lengths;
	bool keep_lengths; /* those of sequences that become a tensor are kept, for sheaf_dataset_lengths */
} sheaf_sequence_options;

/* Which dataset of a container is opened. */
typedef struct sheaf_container_options {
	size_t size;
	const char *member; /* its path ("A/sub"); NULL: the only one, or the root's */
	/* Receives the number of datasets in the file, as sheaf_members would list them. If there is more than
	 * one, nothing is opened: OK, and *out is NULL. Unchanged if `member` is given, if the format has no
	 * datasets, and if they cannot be counted. NULL: they are not counted. */
	int64_t *members;
	/* For several datasets of one container, one after the other: *kept is the source, if there is one
	 * already, and gets it back when the dataset is closed, or was not opened. So the container is listed
	 * once. Begins as NULL; the caller closes it. Only in sheaf_open. NULL: each opens the file. */
	sheaf_source **kept;
} sheaf_container_options;

typedef struct sheaf_open_options {
	size_t size;                   /* sizeof(sheaf_open_options) */
	const char *format;            /* NULL: found by content and name */
	const sheaf_setting *settings; /* of the format, for reading */
	int nsettings;
	bool *used; /* one for each setting: set where the format uses it; NULL: a setting that it does not use is
	               a USAGE error */
	int64_t piece_bytes; /* the approximate number of bytes that are read and decoded at a time; 0: 512 KiB,
	                        less under a small memory limit */
	sheaf_access access;
	sheaf_index_policy index;
	sheaf_glance glance;
	sheaf_view view; /* for showing: rows as the format's users write them, where they write them in a way of
	                    their own */
	/* Kinds of rows (SHEAF_TAKES_...) that the caller can use; 0: whatever the format has. If the format has
	 * none of them, sequences and entries are converted into each other; UNSUPPORTED if that is impossible.
	 */
	unsigned rows;
	sheaf_selection select; /* rows and columns that are given; zeros: all */
	/* NULL: all defaults. Needed only during the call. */
	const sheaf_container_options *container;
	const sheaf_tensor_options *tensor;
	const sheaf_sequence_options *sequences;
} sheaf_open_options;

/* Opens a file, a pipe, or "-". options NULL: all defaults. Close with sheaf_close. With
 * sheaf_container_options.members *out may be NULL and the status OK. */
SHEAF_API SHEAF_USE sheaf_status sheaf_open(const char *path, const sheaf_open_options *options,
                                            sheaf_context *cx, sheaf_dataset **out, sheaf_error *err);
/* Gets the path of a dataset. */
typedef sheaf_status (*sheaf_member_teller)(void *user, const char *path, sheaf_error *err);
/* Calls `show` with the path of each dataset in a container ("/" for the root), in their order there, until
 * it fails; with none if the format has no such names. Only the format is used of the options. */
SHEAF_API SHEAF_USE sheaf_status sheaf_members(const char *path, const sheaf_open_options *options,
                                               sheaf_context *cx, sheaf_member_teller show, void *user,
                                               sheaf_error *err);
/* The same over any source, which the dataset takes over, also on failure. */
SHEAF_API SHEAF_USE sheaf_status sheaf_open_source(sheaf_source *source, const sheaf_open_options *options,
                                                   sheaf_context *cx, sheaf_dataset **out, sheaf_error *err);
SHEAF_API void sheaf_close(sheaf_dataset *dataset);

/* Borrowed; valid until sheaf_close. */
SHEAF_API const sheaf_schema *sheaf_dataset_schema(const sheaf_dataset *dataset);
SHEAF_API const sheaf_format *sheaf_dataset_format(const sheaf_dataset *dataset);
SHEAF_API const sheaf_source *sheaf_dataset_source(const sheaf_dataset *dataset);
SHEAF_API void sheaf_dataset_facts(const sheaf_dataset *dataset, sheaf_facts *out);
typedef struct sheaf_tree_options {
	size_t size;        /* sizeof(sheaf_tree_options) */
	const char *format; /* NULL: found by content and name */
	bool json;          /* the member "tree" of an object, with a comma before it; else lines for people */
	int64_t depth;      /* how many levels below the root are listed; 0: all */
} sheaf_tree_options;

/* Lists all that is in a source: groups, arrays, columns and links, with types, extents, storage and
 * attributes, also what is not read, and what sheaf_container_options.member can choose. *out is reset first,
 * and stays empty if the format has only rows. options NULL: all defaults. Takes over the source, also on
 * failure. */
SHEAF_API SHEAF_USE sheaf_status sheaf_tree(sheaf_source *source, const sheaf_tree_options *options,
                                            sheaf_context *cx, sheaf_buffer *out, sheaf_error *err);
/* Further information of the format about its file, and the same tree: lines of text or, as JSON, members of
 * an object, each with a comma before it. *out is reset first, and stays empty if there is none. */
SHEAF_API SHEAF_USE sheaf_status sheaf_dataset_describe(const sheaf_dataset *dataset,
                                                        const sheaf_tree_options *options, sheaf_buffer *out,
                                                        sheaf_error *err);

/* The next frame, or END, again and again. Rows before an error in the input come first, then the failure;
 * after that the dataset can only be closed. *out is borrowed and valid until the next call with this
 * dataset; its buffers may be kept longer by reference. */
SHEAF_API SHEAF_USE sheaf_status sheaf_next(sheaf_dataset *dataset, const sheaf_frame **out,
                                            sheaf_error *err);
/* If sequences became a tensor and sheaf_sequence_options.keep_lengths was set: an int64 for each sequence,
 * its number of samples; else empty. *out is reset first; it may outlive the dataset. */
SHEAF_API SHEAF_USE sheaf_status sheaf_dataset_lengths(const sheaf_dataset *dataset, sheaf_buffer *out,
                                                       sheaf_error *err);
/* The number of the first row of the last frame from sheaf_next, counting only the rows that are given: if
 * rows are selected, sheaf_frame.numbers has their numbers in the file. */
SHEAF_API int64_t sheaf_dataset_row(const sheaf_dataset *dataset);

typedef struct sheaf_writer sheaf_writer;

typedef struct sheaf_create_options {
	size_t size;                   /* sizeof(sheaf_create_options) */
	const char *format;            /* NULL: by the name's suffix */
	const sheaf_setting *settings; /* of the format; one that it does not use for writing is a USAGE error */
	int nsettings;
	const sheaf_facts *totals;   /* what the caller knows of all the rows that will come; NULL: nothing */
	sheaf_duplicates duplicates; /* of entries of a tensor */
	const sheaf_structure *structure; /* that a matrix, which has it, is stored with; UNSUPPORTED where the
	                                     format cannot. NULL: as it is given, where the format can */
	/* The output may have any size. Otherwise an output larger than 64 times the bytes of the written frames,
	 * and larger than 1 GiB, is LIMIT: a few entries of a large tensor could become gigabytes of zeros. */
	bool allow_large;
	bool pad;   /* sequences of fewer samples than the longest have samples of zeros at their end in a dense
	             * tensor, and the caller keeps their lengths (sheaf_dataset_lengths). Else they are LOSS,
	             * which no context allows */
	bool force; /* a regular file of that name is replaced. Else it is USAGE, with EEXIST in sheaf_error.sys
	             * and the option "force", and the same without an option from sheaf_finish where another
	             * program has made one meanwhile; but what a setting asks to update is updated */
} sheaf_create_options;

/* Creates a file that appears only at sheaf_finish. The schema is copied. Data that the format cannot hold
 * are LOSS: unless the context allows it, sheaf_write continues looking for all kinds of loss, and
 * sheaf_finish fails with them. */
SHEAF_API SHEAF_USE sheaf_status sheaf_create(const char *path, const sheaf_schema *schema,
                                              const sheaf_create_options *options, sheaf_context *cx,
                                              sheaf_writer **out, sheaf_error *err);
/* The same into any sink, which the writer takes over, also on failure; options->format must be given. */
SHEAF_API SHEAF_USE sheaf_status sheaf_create_sink(sheaf_sink *sink, const sheaf_schema *schema,
                                                   const sheaf_create_options *options, sheaf_context *cx,
                                                   sheaf_writer **out, sheaf_error *err);
/* Columns in the order of the schema. Entries of a tensor may come in any order: they are sorted as the
 * format requires. The frame stays the caller's; neither it nor its arrays are needed after the call. USAGE
 * if the frame does not have the writer's schema, DATA if it is not valid. After a failure sheaf_finish fails
 * in the same way, and nothing is committed. */
SHEAF_API SHEAF_USE sheaf_status sheaf_write(sheaf_writer *writer, const sheaf_frame *frame,
                                             sheaf_error *err);
/* Both free the writer, whether they succeed or not. */
SHEAF_API SHEAF_USE sheaf_status sheaf_finish(sheaf_writer *writer, sheaf_error *err);
SHEAF_API void sheaf_abandon(sheaf_writer *writer);

/* One part of a conversion: its output is a part file. sheaf_merge combines all of them into the output that
 * there would be without parts, byte for byte. Each part reads its share of the inputs, which are plain
 * files; if these cannot be divided, the first part has everything, with a WARNING. The inputs must not
 * change until the merge. */
typedef struct sheaf_part_options {
	size_t size;
	const char *part; /* "I/N": part I of N, counted from 1 */
	/* Opens the sink for the part file, instead of a file of the output's name; called again if the work
	 * begins again. May be NULL. */
	sheaf_status (*open)(void *user, sheaf_context *cx, sheaf_sink **out, sheaf_error *err);
	void *user; /* passed to it */
} sheaf_part_options;

typedef struct sheaf_convert_options {
	size_t size; /* sizeof(sheaf_convert_options) */
	/* How each input is opened, by the format, settings, piece_bytes, index, select, container->member,
	 * tensor->coordinates, value, shape and matrix (which also makes tables of matrices), sequences->layout
	 * and lengths; the conversion has its own values for the other members. Settings are of either format;
	 * one that neither uses is a USAGE error. NULL: all defaults. */
	const sheaf_open_options *open;
	const char *to;              /* the output's format; NULL: by suffix */
	sheaf_duplicates duplicates; /* of entries of a tensor */
	const char *structure; /* of a matrix: its name, DATA where it has another; "auto": one that it has; NULL:
	                          as it is */
	bool allow_large; /* the output may be of any size; else beyond 64 times the inputs, and beyond 1 GiB, it
	                     is LIMIT */
	bool pad; /* sequences become a tensor, and shorter ones end with zeros where it is dense; the lengths go
	             into a file beside the output, of its format: x.lengths.npz beside x.npz */
	bool force;                     /* as in sheaf_create_options, and found out before anything is read */
	const sheaf_part_options *part; /* NULL: the whole conversion */
	/* Called once, before anything is written, if rows become rows of another kind, such as sequences that
	 * become entries of a tensor. May be NULL. */
	void (*on_change)(void *user, sheaf_row_kind from, sheaf_row_kind to);
	void *user; /* passed to it */
} sheaf_convert_options;

/* Converts: the rows of all inputs, one after the other, into one output. The inputs must have the same
 * streams. Keys of more than one input become positions if one occurs twice, which a first pass over the
 * inputs shows. Several tensors become one, whose first dimension is as long as theirs together. */
SHEAF_API SHEAF_USE sheaf_status sheaf_convert(const char *const *inputs, int ninputs, const char *output,
                                               const sheaf_convert_options *options, sheaf_context *cx,
                                               sheaf_error *err);

/* All rows of a dataset as one frame, in memory: *out owns it; free it with sheaf_frame_free. Its rows are no
 * longer those of a file, so `lines` is empty. */
SHEAF_API SHEAF_USE sheaf_status sheaf_read_all(sheaf_dataset *dataset, sheaf_frame *out, sheaf_error *err);

/* One difference between two datasets. The strings live only as long as the call that gives it. */
typedef struct sheaf_difference {
	int64_t row;        /* -1: of the datasets as a whole */
	const char *stream; /* NULL: of the row as a whole */
	int64_t sample;     /* -1: of the stream in that row as a whole */
	const char *a, *b;  /* what each side has */
	const char *place;  /* of a tensor's entry: its coordinates, "(3,5)"; else NULL */
} sheaf_difference;

typedef struct sheaf_diff_options {
	size_t size; /* sizeof(sheaf_diff_options) */
	bool keys;   /* keys must be equal, too */
	bool types;  /* element types and dims must be equal, too */
	/* Called for each difference until it returns false. */
	bool (*on_difference)(void *user, const sheaf_difference *difference);
	void *user;
} sheaf_diff_options;

/* Compares contents whatever the formats: streams by name, rows in order, values exactly (a NaN equals a NaN,
 * -0 is not 0) whatever the element types; two tensors entry by entry, whatever their layouts, structures and
 * the order of their entries. *equal is the outcome. Reads both to the end, or until on_difference returns
 * false. */
SHEAF_API SHEAF_USE sheaf_status sheaf_diff(sheaf_dataset *a, sheaf_dataset *b,
                                            const sheaf_diff_options *options, bool *equal, sheaf_error *err);

/* What a format keeps of a feature of the data ("keys of sequences") when it is written. */
typedef enum sheaf_kept {
	SHEAF_KEPT,
	SHEAF_CHANGED, /* it is read back as something else, like another element type */
	SHEAF_WRITTEN, /* it is written, and read again only with options that declare what it is */
	SHEAF_LOST,    /* writing it is LOSS, unless that is allowed */
	SHEAF_REFUSED  /* the format cannot write it, or only with options */
} sheaf_kept;
typedef struct sheaf_feature {
	const char *name; /* static */
	sheaf_kept kept;
	const char *word; /* the same as a word: "kept", "changed", "written", "lost", "refused" */
	char how[280]; /* CHANGED: the first difference; WRITTEN, LOST, REFUSED: what the format says; else empty
	                */
} sheaf_feature;
/* What a format keeps of feature i, from 0: END past the last one, and for formats that are only read. Found
 * by writing a small example in memory, with the format's own defaults, and reading it back. Any thread. */
SHEAF_API SHEAF_USE sheaf_status sheaf_format_keeps(const sheaf_format *format, int i, sheaf_feature *out,
                                                    sheaf_error *err);

#ifdef __cplusplus
}
#endif
#endif
