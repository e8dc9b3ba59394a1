/* SPDX-License-Identifier: MIT */
/* HDF5 files of other programs: finds the matrices, tensors and lists of texts in them by the names and
 * attributes that these programs use.
 *
 *   find.c      datasets in the tree of a file       open.c      one of them, measured
 *   frame.c     data frames                          rows.c      its rows
 *   columns.c   other tables                         values.c    their values, as netCDF packs them
 *   times.c     values that are times                copy.c      AnnData from one file into another
 *   write.c     a matrix as AnnData has it           format.c    the table entry, and the tree */
#ifndef SHEAF_FORMAT_HDF5_HDF5_H
#define SHEAF_FORMAT_HDF5_HDF5_H

#include "container/stored.h"
#include "format/format.h"
#include "frame/frame_builder.h"

typedef enum sheaf_hdf_kind {
	HDF_NOTHING,
	HDF_DENSE,      /* an array of numbers */
	HDF_TEXTS,      /* an array of texts, or of an enumeration */
	HDF_TABLE,      /* an array of compounds, or of lists */
	HDF_FRAME,      /* a group: a data frame, whose columns are arrays or groups */
	HDF_COLUMN,     /* a group: values and a mask, or codes and categories */
	HDF_COMPRESSED, /* a group: values, indices, and where rows or columns begin among them */
	HDF_COORDINATES /* a group: values, rows, columns */
} sheaf_hdf_kind;

/* A dataset that was found: what its parts are, but not their contents. Items live as long as the box. */
typedef struct sheaf_hdf_found {
	sheaf_hdf_kind kind;
	const char *maker;              /* "AnnData", "10x", "MATLAB"; NULL: unknown */
	const sheaf_box_item *at;       /* the dataset, or the group */
	const sheaf_box_item *values;   /* NULL: there are none */
	const sheaf_box_item *indices;  /* of columns, or rows; for coordinates those of rows */
	const sheaf_box_item *second;   /* pointers; for coordinates those of columns; mask, or categories */
	bool is_part;                   /* of another dataset: it is not listed as one */
	bool by_columns, may_be_either; /* compressed: each list is a column; or the file does not say */
	int64_t rows;                   /* as MATLAB says; -1: not given */
} sheaf_hdf_found;

/* A group of a data frame: what the codes of its columns stand for, as AnnData 0.7 had it. */
#define SHEAF_HDF_CATEGORIES "__categories"

/* What an item is; NOTHING if it is no dataset. */
SHEAF_USE sheaf_status sheaf_hdf_find(sheaf_box *box, const sheaf_box_item *item, sheaf_hdf_found *out,
                                      sheaf_error *err);
/* What it is called: "CSR", "dense", ...; NULL: nothing. */
const char *sheaf_hdf_word(const sheaf_hdf_found *found);
/* All datasets of a box, in order. */
SHEAF_USE sheaf_status sheaf_hdf_each(sheaf_box *box, sheaf_context *cx,
                                      sheaf_status (*show)(void *user, const sheaf_hdf_found *found,
                                                           sheaf_error *err),
                                      void *user, sheaf_error *err);
/* The dataset of this path; if that is NULL, the only one, or the main one of its program. */
SHEAF_USE sheaf_status sheaf_hdf_choose(sheaf_box *box, const char *file, const char *member,
                                        sheaf_context *cx, sheaf_hdf_found *out, sheaf_error *err);
/* The next array of a group after `item` that is no scalar, beginning with the group; NULL: there is none. */
const sheaf_box_item *sheaf_hdf_next(sheaf_box *box, const sheaf_box_item *group, const sheaf_box_item *item);
/* The item of this name in a group; NULL: there is none. */
const sheaf_box_item *sheaf_hdf_item(sheaf_box *box, const char *group, const char *name);
/* Whether the group or array has this text as an attribute. */
SHEAF_USE sheaf_status sheaf_hdf_says(sheaf_box *box, const sheaf_box_item *item, const char *name,
                                      const char *word, bool *is, sheaf_error *err);
/* Whether a file has a group or attribute by which AnnData recognises its own files. */
SHEAF_USE sheaf_status sheaf_hdf_is_anndata(sheaf_box *box, bool *is, sheaf_error *err);

enum { SHEAF_HDF_MOST_MISSING = 17 };

/* What netCDF's attributes say of stored numbers: whether they are unsigned, which of them are missing, and
 * which numbers they stand for. CF applies them in this order. */
typedef struct sheaf_hdf_packing {
	const sheaf_box_item *item; /* the array */
	double wrap;                /* added to negative numbers, which are unsigned ones; 0: they are not */
	bool is_packed;             /* some may be missing, or stand for others: they are read as floats, */
	bool is_narrow;             /* which float32 holds */
	double missing[SHEAF_HDF_MOST_MISSING];
	int nmissing;
	double least, most; /* the others are missing, too */
	double scale, offset;
	bool is_scaled; /* these are given */
	/* Times: `unit` parts of a second, of which it has 10 to the power of `digits`, for each unit since
	 * `origin`, before which the file's calendar is another (is_mixed). */
	bool is_time, is_mixed;
	int digits;
	int64_t unit, origin;
} sheaf_hdf_packing;

/* The source of a column of a table: what an array, or a member of its records, has for a row; without an
 * array a coordinate of the row: its number by `step`, modulo `extent`. */
typedef struct sheaf_hdf_source {
	const sheaf_box_item *array;
	int member; /* -1: the array's own elements */
	int64_t step, extent;
	sheaf_hdf_packing packing;
} sheaf_hdf_source;

enum { SHEAF_HDF_MOST_COLUMNS = 1000 };

/* A column of a data frame. */
typedef struct sheaf_hdf_column {
	const sheaf_box_item *values;     /* numbers, texts or codes */
	const sheaf_box_item *mask;       /* which values are missing; NULL: none is */
	const sheaf_box_item *categories; /* that codes stand for; NULL: the values are no codes */
	sheaf_buffer items, ends;         /* the categories: numbers, or bytes and where each ends */
} sheaf_hdf_column;

typedef struct sheaf_hdf_reader {
	SHEAF_BASE(sheaf_reader, reader);
	const char *file;
	sheaf_box *box;
	sheaf_hdf_found set;
	sheaf_hdf_packing packing;
	sheaf_sparse sparse;             /* of arrays and matrices: all levels of an array are dense */
	char where[600];                 /* of these, for messages */
	bool is_whole;                   /* there is one row */
	bool is_reversed;                /* an array comes by columns */
	bool is_logical, are_characters; /* its numbers are truth values, or units of UTF-16 */
	bool is_raw;                     /* numbers are read as they are stored */
	sheaf_builder sources;           /* of a table: a sheaf_hdf_source for each of its fields */
	int ncolumns;
	sheaf_hdf_column *frame; /* of a data frame: the columns; room for `room` of them */
	size_t room;
	int64_t step; /* rows of a piece are a multiple of it, if that is not too much */
	int64_t rows, next;
} sheaf_hdf_reader;

/* ---- open.c ---- */

SHEAF_USE sheaf_status sheaf_hdf_open(void *reader, const sheaf_values *values, const sheaf_opening *how,
                                      sheaf_error *err);
void sheaf_hdf_close(void *reader);

/* ---- frame.c ---- */

/* Makes the schema of a data frame, or of one column. */
SHEAF_USE sheaf_status sheaf_hdf_make_frame(sheaf_hdf_reader *in, sheaf_error *err);
/* Rows [first, first + n). */
SHEAF_USE sheaf_status sheaf_hdf_put_frame(const sheaf_hdf_reader *in, int64_t first, int64_t n,
                                           sheaf_frame_builder *to, sheaf_error *err);
void sheaf_hdf_close_frame(sheaf_hdf_reader *in);
/* The cells of a column whose elements are those of an array, or of a member of records. */
void sheaf_hdf_make_cell(sheaf_field *field, const sheaf_box_item *item, bool is_nullable);

/* ---- values.c ---- */

/* Warns of a part of the file that is not read. */
SHEAF_USE sheaf_status sheaf_hdf_warn(const sheaf_hdf_reader *in, const char *rule, const char *expected,
                                      const char *found, const char *consequence, sheaf_error *err);
/* Reads the attributes of an array. */
SHEAF_USE sheaf_status sheaf_hdf_find_packing(const sheaf_hdf_reader *in, const sheaf_box_item *item,
                                              sheaf_hdf_packing *out, sheaf_error *err);
/* DATA names the first of n truth values, the first being that of row `row`, that is neither 0 nor 1. */
SHEAF_USE sheaf_status sheaf_hdf_check_truth(const sheaf_hdf_reader *in, const uint8_t *values, int64_t n,
                                             int64_t row, sheaf_error *err);
/* The type of the numbers that they stand for. */
sheaf_type sheaf_hdf_type_of(const sheaf_hdf_packing *p);
/* Numbers [first, first + n) of an array, unpacked; NaN: missing. */
SHEAF_USE sheaf_status sheaf_hdf_unpack(const sheaf_hdf_reader *in, const sheaf_hdf_packing *p, int64_t first,
                                        int64_t n, double *numbers, sheaf_error *err);
/* Values of rows [first, first + n). */
SHEAF_USE sheaf_status sheaf_hdf_put_values(const sheaf_hdf_reader *in, const sheaf_hdf_packing *p,
                                            int64_t first, int64_t n, sheaf_column_builder *to,
                                            sheaf_error *err);

/* ---- times.c ---- */

/* Whether numbers are times, by the attributes `units` and `calendar` of the array. */
SHEAF_USE sheaf_status sheaf_hdf_find_time(const sheaf_hdf_reader *in, sheaf_hdf_packing *p,
                                           sheaf_error *err);
SHEAF_USE sheaf_status sheaf_hdf_put_times(const sheaf_hdf_reader *in, const sheaf_hdf_packing *p,
                                           int64_t first, int64_t n, sheaf_column_builder *to,
                                           sheaf_error *err);

/* ---- columns.c ---- */

/* Names of dimensions: those that the file gives them, if there is one for each, and all differ; else i,
 * j, k, ... */
typedef struct sheaf_hdf_names {
	const char *of[SHEAF_MAX_RANK];
	char text[400];
} sheaf_hdf_names;
void sheaf_hdf_name_dimensions(const sheaf_box_item *item, sheaf_hdf_names *out);

/* Whether the dataset is a table, which is known only after its attributes were looked at. */
SHEAF_USE sheaf_status sheaf_hdf_is_table(sheaf_hdf_reader *in, bool *is, sheaf_error *err);
/* Makes the schema of a table, and its columns. */
SHEAF_USE sheaf_status sheaf_hdf_make_table(sheaf_hdf_reader *in, sheaf_error *err);
/* Rows of a piece. */
SHEAF_USE sheaf_status sheaf_hdf_put_table(const sheaf_hdf_reader *in, const sheaf_piece *piece,
                                           sheaf_frame_builder *to, sheaf_error *err);

/* ---- rows.c ---- */

SHEAF_USE sheaf_status sheaf_hdf_cut(void *reader, int64_t bytes, sheaf_piece *piece, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_hdf_decode(const void *reader, const sheaf_piece *piece, sheaf_frame *frame,
                                        sheaf_context *cx, sheaf_error *err);

/* ---- write.c ---- */

extern const sheaf_writing sheaf_hdf_writing;
/* Something that is not written. */
SHEAF_USE sheaf_status sheaf_hdf_lose(sheaf_context *cx, const sheaf_sink *sink, const char *rule,
                                      const char *expected, const char *found, sheaf_error *err);
/* AnnData recognises what it reads by two attributes, of which one is the version of the other. */
SHEAF_USE sheaf_status sheaf_hdf_set_encoding(sheaf_box *box, const char *path, const char *type,
                                              sheaf_error *err);

/* ---- copy.c ---- */

SHEAF_USE sheaf_status sheaf_hdf_transcode(sheaf_source *source, sheaf_sink *sink, const sheaf_values *values,
                                           const sheaf_selection *selection, sheaf_context *cx,
                                           sheaf_error *err);

#endif
