/* SPDX-License-Identifier: MIT */
/* The one idea: a column is a chain of levels that ends in typed values. A level maps each of its positions
 * to a run of positions below it. A frame is a number of rows and a set of columns over them; the rows are
 * the positions of each column's first level (or its values, where it has no level).
 *
 *   level       position p covers       buffers
 *   FIXED(k)    [p*k, (p+1)*k)          none
 *   LIST        [o[p], o[p+1])          offsets: int64, one more than there are positions
 *   COORD(r)    [o[p], o[p+1])          offsets, and r buffers of indices, one index for each position below
 *
 * Offsets need not start at 0: a slice of a frame shares the buffers of the whole. A CNTK dense stream is
 * LIST, FIXED(dim), values (rows are sequences, list positions samples); a sparse one LIST, COORD(1), values.
 * Columns may share buffers: all columns about events have the same offsets.
 *
 * Positions of a level may be missing, as a bitmap says. A text is a LIST over bytes, a complex number a
 * FIXED(2) over its parts, a number that may be missing a FIXED(1) over it. The schema says what rows are:
 * sequences, cells of a table, entries of a tensor.
 *
 * Most used: sheaf_schema_find, sheaf_field_dim, sheaf_type_size, sheaf_frame_check, sheaf_frame_free. */
#ifndef SHEAF_FRAME_H
#define SHEAF_FRAME_H

#include <sheaf/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sheaf_type {
	SHEAF_U8,
	SHEAF_U16,
	SHEAF_U32,
	SHEAF_U64,
	SHEAF_I8,
	SHEAF_I16,
	SHEAF_I32,
	SHEAF_I64,
	SHEAF_F32,
	SHEAF_F64
} sheaf_type;
enum { SHEAF_TYPES = SHEAF_F64 + 1 };
/* Bytes of one value, and the type's name: "uint8" ... "float32", "float64". */
SHEAF_API size_t sheaf_type_size(sheaf_type type);
SHEAF_API const char *sheaf_type_name(sheaf_type type);

typedef enum sheaf_level_kind { SHEAF_FIXED, SHEAF_LIST, SHEAF_COORD } sheaf_level_kind;
enum { SHEAF_MAX_LEVELS = 12, SHEAF_MAX_RANK = 8 };

/* Whether positions of a level may be missing, and what that means. */
typedef enum sheaf_missing {
	SHEAF_NEVER,
	SHEAF_NULLABLE, /* no value: a LIST or COORD covers nothing, the positions below a FIXED have no meaning
	                 */
	SHEAF_IMPUTED /* no value was given, and the default values there are used: they count like given ones */
} sheaf_missing;

/* The shape of a level, which a schema states before there are data. */
typedef struct sheaf_level_shape {
	sheaf_level_kind kind;
	int rank;              /* COORD: number of indices of an entry, 1 to SHEAF_MAX_RANK; else 0 */
	sheaf_type index_type; /* COORD: I32 or I64 */
	sheaf_missing missing;
	/* FIXED: k; COORD: each index is in [0, extent). Where an entry has several indices, which only whole
	 * tensors have, it is the largest of their extents, and the tensor's shape has them all. */
	int64_t extent;
} sheaf_level_shape;

typedef enum sheaf_meaning {
	SHEAF_NUMBER,
	SHEAF_KEY,
	SHEAF_STRING,   /* the last level is a LIST over U8: bytes of text, UTF-8 where nothing says otherwise */
	SHEAF_SPELLING, /* the same; the row as people write it in its format, for showing and nothing else */
	SHEAF_BYTES,    /* the last level is a LIST or FIXED(k) over U8: bytes that are no text */
	SHEAF_BOOL,     /* U8: 0 is false, everything else true */
	SHEAF_CHAR,     /* U8: one byte of text */
	SHEAF_DATETIME, /* I64: since 1970-01-01 00:00:00, of no zone */
	SHEAF_DATETIMETZ, /* the last level is FIXED(2) over I64: the local clock, and how many seconds it is
	                     ahead of UTC */
	SHEAF_COMPLEX,    /* the last level is FIXED(2) over F32 or F64: real and imaginary part */
	SHEAF_COORDINATE, /* I32 or I64, no level: where an entry is in its tensor */
	SHEAF_DURATION,   /* I64: a span of time */
	SHEAF_DATE,       /* I64: days since 1970-01-01 */
	SHEAF_TIME        /* I64: of day, since midnight */
} sheaf_meaning;
enum { SHEAF_MEANINGS = SHEAF_TIME + 1 };

/* What a column means. */
typedef struct sheaf_field {
	char *name;
	char *alias; /* the short name that the file uses for it, or NULL */
	sheaf_meaning meaning;
	int digits; /* of the fractions of a second in DATETIME, DATETIMETZ, DURATION and TIME, which count
	               seconds (0), thousandths (3), millionths (6) or billionths of them (9) */
	bool main;  /* this stream's samples count as the row's length (CNTK's definesMBSize) */
	sheaf_type type;
	int nlevels, room; /* levels there are, at most SHEAF_MAX_LEVELS, and levels there is room for */
	sheaf_level_shape *levels;
	/* Fields that are neither streams nor keys: what their loss is called ("example name"), a static string,
	 * and the value that says no more than its absence (of a STRING that is a missing one; NaN: there is
	 * none, and a missing item, too, is lost). */
	const char *loss;
	double usual;
	/* How a file of arrays spells the items, for writing them in the same way: "U12", "S8", "M8", "(2,3)f4";
	 * empty: nothing is said. */
	char spelled[16];
} sheaf_field;

/* Information about a dataset as a whole. */
typedef struct sheaf_attribute {
	char *name, *text;
	const char *loss; /* the name of its loss; a static string. NULL: it says how a file is written, and is
	                     not part of its contents */
} sheaf_attribute;

/* What the rows of a dataset are. */
typedef enum sheaf_row_kind {
	SHEAF_SEQUENCES, /* of samples, in streams */
	SHEAF_CELLS,     /* of a table: each field has one item in each row, or none where it may be missing */
	SHEAF_ENTRIES,   /* cells that are a tensor: first a COORDINATE for each dimension, then one value */
	SHEAF_WHOLE      /* one row: a tensor as a chain of FIXED and COORD levels */
} sheaf_row_kind;
/* A set of them, for callers that can use several; the empty set means all. */
enum {
	SHEAF_TAKES_SEQUENCES = 1 << SHEAF_SEQUENCES,
	SHEAF_TAKES_CELLS = 1 << SHEAF_CELLS,
	SHEAF_TAKES_ENTRIES = 1 << SHEAF_ENTRIES,
	SHEAF_TAKES_WHOLE = 1 << SHEAF_WHOLE
};

/* Which entries of a square matrix are stored, and what follows from them for the others (Binsparse,
 * "structure"). */
typedef enum sheaf_structure {
	SHEAF_GENERAL,
	SHEAF_SYMMETRIC_LOWER, /* stored: row >= column */
	SHEAF_SYMMETRIC_UPPER, /* stored: row <= column */
	SHEAF_HERMITIAN_LOWER,
	SHEAF_HERMITIAN_UPPER,
	SHEAF_SKEW_SYMMETRIC_LOWER,
	SHEAF_SKEW_SYMMETRIC_UPPER
} sheaf_structure;
enum { SHEAF_STRUCTURES = SHEAF_SKEW_SYMMETRIC_UPPER + 1 };
/* "general", "symmetric_lower", ... */
SHEAF_API const char *sheaf_structure_name(sheaf_structure structure);

/* Information about a tensor besides its entries. */
typedef struct sheaf_tensor {
	int rank; /* number of dimensions */
	int64_t shape[SHEAF_MAX_RANK];
	/* Entries come sorted by coordinate order[0], then order[1], ...: {0, 1} is by rows. If not `sorted`,
	 * the order is only how they are best written. */
	int order[SHEAF_MAX_RANK];
	bool sorted;
	bool unique; /* no coordinates come twice */
	bool dense;  /* each position has its entry, of those that the structure stores */
	bool iso;    /* all entries have the same value */
	sheaf_structure structure;
	bool has_fill; /* what is not stored has this value, in the element type of the value's field: one, or two
	                  parts */
	uint8_t fill[16] __attribute__((aligned(8)));
	char layout[16]; /* as the file has it: "CSR", "COO", "custom"; empty: nothing is said */
	/* For sequences that became a tensor: how many have fewer samples than the longest, and the first of
	 * these. In a dense tensor they are filled up. */
	int64_t nshort, first_short;
} sheaf_tensor;

/* Owned by what made it; read-only for everyone else. At most one field has meaning KEY. */
typedef struct sheaf_schema {
	sheaf_row_kind rows;
	bool cells;          /* sequences that were made from rows of a table: messages use those words */
	sheaf_tensor tensor; /* of ENTRIES and WHOLE */
	int nfields, room;   /* fields there are, and fields there is room for */
	sheaf_field *fields;
	int nattributes;
	sheaf_attribute *attributes;
	sheaf_context *cx;  /* whose memory fields and attributes are */
	sheaf_arena *arena; /* in that memory: names, aliases and levels of the fields, freed together */
	sheaf_names *names; /* of that: numbers of fields, where one was looked up among many; NULL: none was */
} sheaf_schema;

/* What is missing of a level. */
typedef struct sheaf_gaps {
	sheaf_buffer valid; /* bit valid_at + p, counted from the lowest of each byte: 1 where position p is not
	                       missing; empty: none is */
	int64_t valid_at;
	sheaf_buffer codes; /* int8 of each position: why it is missing, 0 to 127, and 0 where it is not; empty:
	                       all are 0 */
} sheaf_gaps;

typedef struct sheaf_level {
	sheaf_level_shape shape;
	sheaf_buffer offsets;  /* LIST, COORD */
	sheaf_buffer *indices; /* COORD: shape.rank of them */
	sheaf_gaps *gaps;      /* NULL where shape.missing is SHEAF_NEVER; in a frame that is made by hand, also
	                          where nothing is missing */
} sheaf_level;

typedef struct sheaf_column {
	sheaf_meaning meaning;
	int digits; /* as in its field */
	int nlevels;
	sheaf_level *levels;
	sheaf_type type;
	sheaf_buffer values;
} sheaf_column;

/* Columns stand in the order of the schema's fields. */
typedef struct sheaf_frame {
	int64_t nrows;
	int ncolumns;
	sheaf_column *columns;
	sheaf_buffer lines;   /* int64 of each row: the line it begins on, for messages; empty where the input has
	                         no lines */
	sheaf_buffer numbers; /* int64 of each row: its number in the dataset; empty: they follow one another */
	sheaf_buffer notes;   /* what a format's decode passes to its review */
	sheaf_context *cx;    /* whose memory the columns are, with their levels and buffers of indices; NULL in a
	                         frame that is made by hand */
	size_t size;          /* bytes of that memory */
	bool checked; /* it comes from this library, which need not check it again; a frame that is made or
	                 changed by hand has false here */
} sheaf_frame;

/* Typed views of the buffers; no checks. */
static inline const int64_t *sheaf_level_offsets(const sheaf_level *level)
{
	return (const int64_t *)(const void *)level->offsets.data;
}

/* Whether a position of a level may be missing. */
static inline bool sheaf_level_has_gaps(const sheaf_level *level)
{
	return level->gaps && level->gaps->valid.size > 0;
}

/* Whether position p of a level is not missing; no checks. */
static inline bool sheaf_level_has(const sheaf_level *level, int64_t p)
{
	if (!sheaf_level_has_gaps(level)) return true;
	int64_t bit = level->gaps->valid_at + p;
	return level->gaps->valid.data[bit / 8] >> (bit % 8) & 1;
}

/* Whether a field is a sequence stream: LIST, then FIXED (dense) or COORD(1) (sparse), then values, none of
 * which is missing. */
static inline bool sheaf_field_is_stream_of(const sheaf_field *field, sheaf_level_kind kind)
{
	if (!field || field->meaning != SHEAF_NUMBER || field->nlevels != 2) return false;
	const sheaf_level_shape *levels = field->levels;
	return levels[0].kind == SHEAF_LIST && levels[1].kind == kind && levels[0].missing != SHEAF_NULLABLE &&
	       levels[1].missing != SHEAF_NULLABLE;
}
static inline bool sheaf_field_is_dense(const sheaf_field *field)
{
	return sheaf_field_is_stream_of(field, SHEAF_FIXED);
}
static inline bool sheaf_field_is_sparse(const sheaf_field *field)
{
	return sheaf_field_is_stream_of(field, SHEAF_COORD) && field->levels[1].rank == 1;
}
static inline bool sheaf_field_is_stream(const sheaf_field *field)
{
	return sheaf_field_is_dense(field) || sheaf_field_is_sparse(field);
}
/* "dense", "sparse", "text", "bytes", "bool", "char", "date", "time", "datetime", "datetimetz", "duration",
 * the last four also with "[ms]", "[us]" or "[ns]", "complex", "coordinate", or "values" for everything else.
 */
SHEAF_API const char *sheaf_field_storage(const sheaf_field *field);
/* The dim of a dense or sparse stream; 0 where there is none. */
SHEAF_API int64_t sheaf_field_dim(const sheaf_field *field);
/* The number of the field of this name, or of meaning KEY; -1 where there is none. */
SHEAF_API int sheaf_schema_find(const sheaf_schema *schema, const char *name);
SHEAF_API int sheaf_schema_key(const sheaf_schema *schema);
/* The number of the value's field of ENTRIES: the first that is no coordinate; -1 where there is none. */
SHEAF_API int sheaf_schema_value(const sheaf_schema *schema);
/* The text of the attribute of this name, or NULL. */
SHEAF_API const char *sheaf_schema_attribute(const sheaf_schema *schema, const char *name);

/* Frees a frame that the caller owns. */
SHEAF_API void sheaf_frame_free(sheaf_frame *frame);
/* *out, which is overwritten, becomes n rows of a frame, in the order of their numbers there, each from 0 to
 * nrows - 1 (USAGE), in the frame's own context. Rows that follow one another share its buffers, others are
 * copied. Free it with sheaf_frame_free. */
SHEAF_API SHEAF_USE sheaf_status sheaf_frame_take(const sheaf_frame *frame, const sheaf_schema *schema,
                                                  const int64_t *rows, int64_t n, sheaf_frame *out,
                                                  sheaf_error *err);

/* How deep a frame is checked against its schema. */
typedef enum sheaf_depth {
	SHEAF_CHECK_NONE,
	SHEAF_CHECK_SIZES,   /* buffers are as long as their neighbours say; reads first and last offsets only */
	SHEAF_CHECK_OFFSETS, /* every offset is in range and none decreases */
	SHEAF_CHECK_FULL /* every index is inside its extent, every coordinate of an entry inside the shape, and
	                    what is missing covers nothing, too */
} sheaf_depth;
/* DATA with the field, level and position of the first error. Call it first on frames from elsewhere: other
 * functions check only the shapes and lengths of columns (USAGE if they are not those of the schema), and
 * trust the offsets and indices in them. */
SHEAF_API SHEAF_USE sheaf_status sheaf_frame_check(const sheaf_frame *frame, const sheaf_schema *schema,
                                                   sheaf_depth depth, sheaf_error *err);

#ifdef __cplusplus
}
#endif
#endif
