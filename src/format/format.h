/* SPDX-License-Identifier: MIT */
/* For authors of formats: what a format is. One const sheaf_format, named sheaf_format_<name>, and the name
 * in the list of formats of the build, make it known to everything: the command, the fuzzers, the property
 * tests, the man page. Its members read rows in order. Whatever else a format can do is in separate tables,
 * each of which it may leave out: rows in any order, writing, containers, a model of its own.
 *
 * The dataset layer keeps the order of calls, so a format may rely on it. Reading: probe; open; then cut on
 * one thread, decode on any, review in order on one thread; close, also after a failed open; measure and
 * recall on any thread after open. Writing: accept, create; then encode on any thread, append in order on
 * one; finish; close, also after a failed create. */
#ifndef SHEAF_FORMAT_FORMAT_H
#define SHEAF_FORMAT_FORMAT_H

#include "base/buffer.h"
#include "base/extend.h"
#include "base/spell.h"
#include "frame/schema/listing.h"
#include <sheaf/dataset.h>
#include <sheaf/format.h>
#include <sheaf/select.h>
#include <string.h>

typedef enum sheaf_likely {
	SHEAF_NO,
	SHEAF_PERHAPS,
	SHEAF_LIKELY, /* it begins so, but other files may, too: the suffix of another format is stronger */
	SHEAF_SURE,
	SHEAF_CERTAIN /* by more than its first bytes: whatever other formats say */
} sheaf_likely;

/* What `probe` judges by. */
typedef struct sheaf_glimpse {
	sheaf_bytes head; /* at least 4 KiB, or all */
	const char *name; /* without a compression suffix */
	/* The whole input, seekable, where several formats are sure of its head; else NULL. Nothing is reported
	 * about it, not even damage: opening does that. If looking into it fails, `probe` sets `failure`, and its
	 * answer does not count. */
	sheaf_source *source;
	sheaf_error failure;
} sheaf_glimpse;

struct sheaf_builder;
struct sheaf_carried;

/* Whether the files of a format are text, which is decoded into UTF-8 before anybody but `probe` sees it. Its
 * table of options then has SHEAF_ENCODING_OPTION. */
typedef enum sheaf_text_kind {
	SHEAF_NO_TEXT,
	SHEAF_TEXT_OF_NUMBERS, /* bytes that are not UTF-8 mean nothing, or what the format's document says */
	SHEAF_TEXT_OF_TEXTS    /* they are in texts, and show an encoding */
} sheaf_text_kind;

#define SHEAF_ENCODING "encoding"
#define SHEAF_UTF8_EXPECTED "text in UTF-8 (" SHEAF_OPTION(SHEAF_ENCODING) " names another encoding)"
#define SHEAF_ENCODING_OPTION \
	{ \
		SHEAF_ENCODING, SHEAF_OPTION_TEXT, SHEAF_READING, "auto|utf-8|latin-1|cp1252|utf-16|...", \
			"the encoding of the text (auto, the default: as the first bytes show), also any that the " \
			"system's iconv " \
			"knows", \
			0 \
	}

/* How an input is to be opened. */
typedef struct sheaf_opening {
	sheaf_glance glance; /* a format that cannot speculate infers from all of the input instead */
	bool pipe;           /* rows are needed as they come: nothing may be read ahead of them */
	bool loop;           /* at the end of the input begin again, forever */
	sheaf_view view;
	unsigned rows; /* kinds of rows (SHEAF_TAKES_...) that are wanted; a format with a choice gives one of
	                  them. 0: any */
	/* The dataset of a container: its path; NULL: the only one, or that of the root. UNKNOWN if there is no
	 * dataset of this path. */
	const char *member;
} sheaf_opening;

/* The head of every reader. Its memory begins as zeros; cx and source are set before `open`, which fills the
 * rest. Whoever opens a reader frees it with its schema. */
typedef struct sheaf_reader {
	sheaf_context *cx;
	sheaf_source *source; /* outlives the reader */
	sheaf_schema schema;
	sheaf_facts facts; /* SHEAF_NO_FACTS, until more is known */
	/* A word for what decides, besides the input's bytes, which pieces, rows and lengths there are: readers
	 * with the same word find the same. NULL: every setting does. */
	const char *counting;
	/* The reader, this one or one below, that decodes rows while it cuts: so nothing is cut ahead of its
	 * turn, and its listener receives what is found. NULL: none does. */
	struct sheaf_reader *decoder;
	sheaf_context *listener; /* NULL: nobody has requested rows */
	/* The schema is that of the first part. If decoding meets something that it lacks, that is STALE, before
	 * anything about that piece is reported; if it never does, the schema is also that of the whole. */
	bool speculative;
} sheaf_reader;

/* The names for readers of a format in CNTK's configuration files. */
typedef struct sheaf_reader_name {
	const char *name;
	bool declares; /* its streams must be declared, with dim and storage: the file does not have them */
	bool usual;    /* the default, if none is named */
} sheaf_reader_name;

/* A run of rows that is decoded at once. */
typedef struct sheaf_piece {
	int64_t byte; /* where it begins in the decompressed input */
	int64_t size; /* its size in bytes */
	int64_t line; /* line of its first byte, from 1; -1 in binary formats */
	int64_t
		column; /* column of that byte, from 1, if it is not at the start of a line; -1 in binary formats */
	int64_t chunk; /* -1 in formats without chunks */
	int64_t feeds; /* line feeds in its bytes, where the format's cut has counted them; 0: look for them */
	/* Of entries that are sorted: the piece has all entries whose outermost coordinate is in [slice, slice +
	 * slices), and no others. slices 0: that is not known. */
	int64_t slice, slices;
	sheaf_buffer bytes; /* its bytes, if cut has read them */
	sheaf_buffer notes; /* the format's own data */
} sheaf_piece;

/* A piece whose rows were located, so that they can be taken without decoding it. */
typedef struct sheaf_located {
	sheaf_piece piece; /* with its bytes */
	sheaf_buffer rows; /* where they are, in the format's own terms */
	int64_t nrows;
} sheaf_located;

/* A row of such a piece. */
typedef struct sheaf_row_at {
	const sheaf_located *located;
	int64_t row;
} sheaf_row_at;

/* Rows on their way to the output. */
typedef struct sheaf_blob {
	sheaf_buffer bytes;
	int64_t rows;
	int64_t samples;
	bool begins; /* a chunk, where a chunk may have several blobs */
} sheaf_blob;

/* ---- rows in any order ---- */

/* Pieces that are found again by their places, which a table of pieces or an index file keeps: for reading in
 * any order, for continuing after the first rows, and for facts about rows that need no decoding. A format
 * whose pieces can only be cut one after the other, from the first on, has no such table. All may run on any
 * thread. */
typedef struct sheaf_random_access {
	/* Fills in the bytes and notes of a piece of which the rest is known, as cut had filled them, from a
	 * source made seekable. The rest may come from a damaged file: SHORT or DATA if the input can have no
	 * such piece. */
	sheaf_status (*recall)(const void *in, sheaf_piece *piece, sheaf_error *err);
	/* `cut` divides a long chunk if fewer bytes are requested: into pieces of the chunk's bytes, with notes
	 * that say which of its rows they contain. */
	bool divides;
	bool resumes; /* `rewind` can go to any piece; else rows are never skipped */
	/* What is known of the rows of a piece without decoding it. Refills *lengths with the length of each row
	 * (uint32, in samples as the format counts them), and *keys with the key of each (uint64); either may be
	 * NULL, and is then not needed. END if only decoding shows what is needed, or if this is NULL. */
	sheaf_status (*measure)(const void *in, const sheaf_piece *piece, sheaf_context *cx,
	                        sheaf_buffer *lengths, sheaf_buffer *keys, sheaf_error *err);
	/* Finds where each row of located->piece is, after all checks that decode makes, and refills the rest of
	 * *located. Reports nothing: END if decode would report something, or if only decoding shows the rows.
	 * NULL: rows are taken by decoding their piece. */
	sheaf_status (*locate)(const void *in, sheaf_located *located, sheaf_context *cx, sheaf_error *err);
	/* Refills the frame with n rows, in this order, of pieces that a reader of the same schema has located.
	 * DATA if the input was changed since. NULL like locate. */
	sheaf_status (*pick)(const void *in, const sheaf_row_at *rows, size_t n, sheaf_frame *frame,
	                     sheaf_context *cx, sheaf_error *err);
} sheaf_random_access;

/* ---- writing ---- */

/* The head of every output. Its memory begins as zeros; cx, sink and schema are set before `create`. Whoever
 * creates an output commits or abandons its sink and frees the rest. */
typedef struct sheaf_output {
	sheaf_context *cx;
	sheaf_sink *sink;
	sheaf_schema schema;      /* as `accept` has left it */
	int64_t expected_rows;    /* of entries: how many will come, if that is known before the first is encoded;
	                             else -1 */
	int64_t written, samples; /* rows and samples that were appended */
} sheaf_output;

/* What a value of the option `layout` makes of sequences. */
#define SHEAF_LAYOUT "layout"
typedef struct sheaf_layout_samples {
	const char *layout; /* NULL: any other, or none; the last row */
	sheaf_samples_as samples;
} sheaf_layout_samples;

/* A column that is neither stream nor key, and all of whose levels are lists. */
typedef struct sheaf_column_kind {
	const char *name; /* "*": any column, of any shape; if nlevels is 1, any that no format has to itself */
	sheaf_meaning meaning;
	int nlevels;
} sheaf_column_kind;

#define SHEAF_ANY_COLUMN ((const sheaf_column_kind[]){{"*", 0, 0}, {NULL, 0, 0}})
#define SHEAF_PLAIN_COLUMN ((const sheaf_column_kind[]){{"*", 0, 1}, {NULL, 0, 0}})
#define SHEAF_NO_COLUMN ((const sheaf_column_kind[]){{NULL, 0, 0}})

/* Rows into bytes: `encode` on any thread, `append` in order on one. Losses are reported before the first row
 * if the schema shows them (`columns`, `accept`), otherwise found row by row in `encode`, as LOSS. */
typedef struct sheaf_writing {
	unsigned takes; /* kinds of rows: SHEAF_TAKES_... */
	/* NULL: sequences stay sequences if the format takes them, else their values become entries. */
	const sheaf_layout_samples *layouts;
	bool needs_totals; /* create gets facts about all rows: from the reader if it knows them, else from a
	                      counting pass */
	bool needs_rows;   /* the number of rows is among them */
	/* The columns beside streams and keys that can be stored, up to a row without a name; others are LOSS. A
	 * format with this member also takes the attributes of schemas, unless it is SHEAF_PLAIN_COLUMN. NULL:
	 * only streams and keys. */
	const sheaf_column_kind *columns;
	/* Changes the copied schema into what the format will store (element types); UNSUPPORTED if it cannot
	 * hold a field. For entries it also sets how they must come: the tensor's order, sorted, unique
	 * (duplicates are refused or merged before), dense (positions without an entry get one), structure
	 * (GENERAL: what a structure implies is expanded before; else only the triangle comes), and rank, shape
	 * as they are. Everything else stays as it is given. NULL: everything is stored as it is. */
	sheaf_status (*accept)(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err);
	/* Size of an output, which begins with a sheaf_output: `out` of the members below. */
	size_t output_size;
	/* Begins the output. If this fails, it is closed like any other. NULL: nothing to do. */
	sheaf_status (*create)(void *out, const sheaf_facts *totals, const sheaf_values *values,
	                       sheaf_error *err);
	/* Fills in the size in bytes of each row and returns the chunk size: row i > 0 opens a chunk iff
	 * floor(s(i)/B) > floor(s(i-1)/B), s being the size of all rows before. The sizes follow from shapes and
	 * types, and are linear in the samples and entries of each stream. Rows take exactly as many bytes, one
	 * after the other: so their place in the output is known before they are encoded. NULL: rows are written
	 * as they come. */
	int64_t (*sizes)(const void *out, const sheaf_frame *frame, int64_t *bytes_of_row);
	/* With `sizes`: a chunk may come in several blobs, of which `append` makes one. */
	bool joins;
	/* Appends the frame's rows, of which the first is the output's number `row`, to a builder that the caller
	 * begins and finishes; b->cx receives findings. *samples is 0 and becomes the number of their samples, if
	 * the output counts them. */
	sheaf_status (*encode)(const void *out, const sheaf_frame *frame, int64_t row, sheaf_builder *b,
	                       int64_t *samples, sheaf_error *err);
	/* If there is more to writing a blob than writing its bytes, one blob after the other. NULL: there is
	 * not, and rows that were encoded elsewhere can follow one another, too. */
	sheaf_status (*append)(void *out, const sheaf_blob *blob, sheaf_error *err);
	/* Ends the output; after that its sink is committed, or abandoned if this fails. NULL: nothing. */
	sheaf_status (*finish)(void *out, sheaf_error *err);
	/* Frees what the output has besides its memory and its head, finished or not. NULL: nothing. */
	void (*close)(void *out);
} sheaf_writing;

/* The row of a table of columns that a field is; -1: none. */
static inline int sheaf_column_kind_of(const sheaf_column_kind *kinds, const sheaf_field *field)
{
	for (int k = 0; kinds[k].name; k++) {
		bool same = strcmp(kinds[k].name, field->name) == 0 && kinds[k].meaning == field->meaning &&
		            kinds[k].nlevels == field->nlevels;
		for (int l = 0; same && l < field->nlevels; l++) same = field->levels[l].kind == SHEAF_LIST;
		bool any = strcmp(kinds[k].name, "*") == 0, plain = field->loss && strcmp(field->loss, "column") == 0;
		if (same || (any && (plain || !kinds[k].nlevels))) return k;
	}
	return -1;
}

/* ---- models ---- */

/* Gets the items of an input: groups, arrays, columns (container/box.h). */
struct sheaf_item_teller;

/* What a format's users know about their files beyond rows and columns. Each member may be NULL. */
typedef struct sheaf_model {
	/* From one spelling of the format into another without loss, if rows and columns would lose something.
	 * NULL: through rows and columns. Takes over the sink, also on failure. Without a sink it only says
	 * whether it would: END if rows and columns are needed. It supports the settings that `edits` names
	 * (NULL: none); of a selection, rows. */
	sheaf_status (*transcode)(sheaf_source *source, sheaf_sink *sink, const sheaf_values *values,
	                          const sheaf_selection *selection, sheaf_context *cx, sheaf_error *err);
	const char *const *edits; /* ends with NULL */
	/* Lists what else there is to know about the input. NULL: nothing. */
	sheaf_status (*describe)(const void *in, const sheaf_listing *to, sheaf_error *err);
	/* Shows all that is in a source, depth first, also what is not read, until that fails. A format that can
	 * CONTAIN has it, and marks what sheaf_opening.member can choose. `in` NULL: nothing of it was opened.
	 * NULL: an input is no more than its rows. */
	sheaf_status (*list)(const void *in, sheaf_source *source, const struct sheaf_item_teller *teller,
	                     sheaf_error *err);
	/* Suggests what an input may be that does not describe itself, the likeliest first. NULL: inputs describe
	 * themselves. */
	sheaf_status (*guess)(sheaf_source *source, sheaf_context *cx, sheaf_candidate_teller teller, void *user,
	                      sheaf_error *err);
	/* As sheaf_declare. NULL: not available. */
	sheaf_status (*declare)(const sheaf_schema *schema, const char *file, bool own, sheaf_context *cx,
	                        sheaf_buffer *text, sheaf_error *err);
} sheaf_model;

/* ---- a format ---- */

struct sheaf_format {
	const char *name;
	const char *summary;         /* half a line for `sheaf formats` */
	const char *const *suffixes; /* ".ctf", ...; ends with NULL */
	/* KEYS, PIPE, SPLIT and CONTAIN; its members show what else it can do. Data that it cannot hold are LOSS,
	 * except keys, which become positions with a warning. SPLIT means that a file consists of its rows and
	 * nothing else: the bytes of pieces that cut gives, one after the other, are again a file. CONTAIN means
	 * that a file may hold several datasets, of which sheaf_opening.member chooses one. */
	unsigned can;
	bool needs_seek; /* open gets a source made seekable */
	sheaf_text_kind text;
	bool may_omit_compression_suffix; /* if no file has the given name, one with a compression suffix after it
	                                     is tried */
	const sheaf_option *options;      /* the only place where its options are named */
	const sheaf_reader_name
		*readers; /* ends with a row without a name; NULL: configuration files have no such format */

	/* What it can do beyond reading in order. NULL: nothing. */
	const sheaf_random_access *random;
	const sheaf_writing *write;
	const sheaf_model *model;

	/* How likely it is that an input has this format. Asked again, about the whole input, if several formats
	 * are sure: the one that is CERTAIN then, or else the only one that is still SURE, has it. */
	sheaf_likely (*probe)(sheaf_glimpse *at);
	/* Size of a reader, which begins with a sheaf_reader: `in` of the members below. */
	size_t reader_size;
	/* Finds the schema, and what facts it can. A failed reader is closed like any other. NULL: the format is
	 * only written, and the members below are NULL, too. */
	sheaf_status (*open)(void *in, const sheaf_values *values, const sheaf_opening *how, sheaf_error *err);
	/* The next piece of about `bytes` bytes, or END. Resets and refills *piece. Reports nothing: it runs
	 * ahead of the rows. If memory runs out it may be called again. */
	sheaf_status (*cut)(void *in, int64_t bytes, sheaf_piece *piece, sheaf_error *err);
	/* Refills the frame, whose buffers are reused if they have no other owner. May be called again for a
	 * piece, and for pieces that nobody will see: findings go to `cx`, or through the frame's notes to
	 * review. If it fails at a flaw of the input (sheaf_is_flaw), the frame has the rows before that, which
	 * nobody reviews, or none. */
	sheaf_status (*decode)(const void *in, const sheaf_piece *piece, sheaf_frame *frame, sheaf_context *cx,
	                       sheaf_error *err);
	/* Gets each decoded frame in order, with the number of its first row; and NULL after the last one, to
	 * report what only the whole input shows. NULL: nothing to do. */
	sheaf_status (*review)(void *in, const sheaf_frame *frame, int64_t row, sheaf_error *err);
	/* Lists what review has counted, so that the counts of some rows can be added to those of others:
	 * together they settle the whole. DATA if they do not come from such a reader. NULL: nothing is counted,
	 * or rows cannot be reviewed in parts. */
	sheaf_status (*carry)(void *in, const struct sheaf_carried *counts, sheaf_error *err);
	/* To NULL: returns to before the first piece, as if nothing had been cut, decoded or reviewed. To a piece
	 * that cut has given once, if the format `resumes` and the source is seekable: only cutting continues
	 * there. The source is rewindable. */
	sheaf_status (*rewind)(void *in, const sheaf_piece *to, sheaf_error *err);
	/* Frees what the reader has besides its memory and its head. NULL: nothing. */
	void (*close)(void *in);
};

/* What a format makes of sequences. */
static inline sheaf_samples_as sheaf_samples_of(const sheaf_format *to, const sheaf_setting *settings, int n)
{
	const sheaf_values values = {settings, n};
	const sheaf_layout_samples *row = to && to->write ? to->write->layouts : NULL;
	const char *layout = row ? sheaf_values_text(&values, SHEAF_LAYOUT) : NULL;
	while (row && row->layout && !(layout && strcmp(layout, row->layout) == 0)) row++;
	return row ? row->samples : SHEAF_SAMPLES_NOT;
}

#endif
