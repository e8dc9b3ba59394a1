/* SPDX-License-Identifier: MIT */
/* The inside of boxes: the list of what is in one, and the driver that knows the file. Everything that all
 * boxes share (paths, checks, views, conversion, filters, threads) is above the drivers. */
#ifndef SHEAF_CONTAINER_INSIDE_H
#define SHEAF_CONTAINER_INSIDE_H

#include "base/buffer.h"
#include "base/threads/thread.h"
#include "container/box.h"
#include "frame/schema/names.h"
#include <stdio.h>

/* ---- the list ---- */

enum { SHEAF_BOX_MAX_FILTERS = 8, SHEAF_BOX_MAX_ELEMENT = 16 };

typedef enum sheaf_box_filter {
	SHEAF_NO_FILTER,
	SHEAF_FILTER_SHUFFLE,
	SHEAF_FILTER_DEFLATE,
	SHEAF_FILTER_FLETCHER,
	SHEAF_FILTER_LZF,
	SHEAF_FILTER_BLOSCLZ, /* only in blocks of others, and so is the next one */
	SHEAF_FILTER_LZ4_BLOCK,
	SHEAF_FILTER_GZIP,
	SHEAF_FILTER_ZSTD,
	SHEAF_FILTER_BZIP2,
	SHEAF_FILTER_XZ,
	SHEAF_FILTER_BLOSC,
	SHEAF_FILTER_LZ4,
	SHEAF_FILTER_BITSHUFFLE,
	SHEAF_FILTER_NBIT,
	SHEAF_FILTER_SCALEOFFSET,
	SHEAF_FILTER_SZIP,
	SHEAF_FILTER_SCALING,
	SHEAF_FILTER_CRC32C
} sheaf_box_filter;

/* Facts about an item that only the box needs. */
typedef struct sheaf_box_detail {
	const char *target; /* path of the object itself, if the item is a second name for it */
	int64_t offset;     /* byte of the values in the file, if they are contiguous there; -1: elsewhere */
	bool is_absent;     /* nothing is stored: each element is `fill` */
	uint8_t fill[SHEAF_BOX_MAX_ELEMENT];
	bool is_swapped;                   /* not in this machine's byte order */
	const struct sheaf_box_bits *bits; /* how values are stored, if we do not have their type; else NULL */
	int per;                           /* values in an element */
	size_t width;                      /* size of a stored element */
	bool is_variable;                  /* texts: the elements are references */
	int64_t chunk;                     /* elements in a chunk, if the array is a run of them; else 0 */
	const int64_t *grid;               /* extents of a chunk, if there are chunks */
	const int *turn;                   /* the order of the dimensions in a chunk; NULL: as in the array */
	int nfilters;
	sheaf_box_filter filters[SHEAF_BOX_MAX_FILTERS]; /* in the order of writing */
	/* Of each filter: how many uint32_t there are, and these, if its codec needs any, in the order of HDF5;
	 * or a sheaf_box_scaling. */
	const void *parameters[SHEAF_BOX_MAX_FILTERS];
	sheaf_buffer held; /* the values, if they are in memory */
	/* A chunk, unfiltered, or rows (sheaf_box_bands), of which the end was not requested yet, and the number
	 * of it, or of the first. */
	sheaf_buffer kept;
	int64_t kept_number;
	sheaf_builder texts;               /* in memory: attributes, as name NUL size bytes */
	int64_t handle;                    /* its number in a header of netCDF */
	struct sheaf_hdf5_own *own;        /* used by our own driver of HDF5 files */
	struct sheaf_zarr_own *zarr;       /* used by that of Zarr */
	struct sheaf_archive_own *archive; /* and that of archives */
} sheaf_box_detail;

typedef struct sheaf_catalog {
	sheaf_context *cx;
	sheaf_box_item *items;
	int64_t count, room;
	int64_t sorted;     /* the items before this one are in their order; */
	sheaf_names placed; /* those after it are found by their paths */
	sheaf_arena *arena; /* strings and details live as long as the catalog */
} sheaf_catalog;

/* A catalog with the root. */
SHEAF_USE sheaf_status sheaf_catalog_open(sheaf_catalog *catalog, sheaf_context *cx, sheaf_error *err);
void sheaf_catalog_close(sheaf_catalog *catalog);
/* Zeroed memory that lives as long as the catalog; `out` is the address of a pointer of any type. */
SHEAF_USE sheaf_status sheaf_catalog_allocate(sheaf_catalog *catalog, size_t size, void *out,
                                              sheaf_error *err);
SHEAF_USE sheaf_status sheaf_catalog_text(sheaf_catalog *catalog, const char **out, sheaf_error *err,
                                          const char *format, ...) SHEAF_PRINTF(4, 5);
/* A new item at the end, whose path is that of `folder` and the name. The items may move, so pointers to them
 * become invalid. */
SHEAF_USE sheaf_status sheaf_catalog_add(sheaf_catalog *catalog, const char *folder, const char *name,
                                         bool is_group, sheaf_box_item **out, sheaf_error *err);
/* The same for a whole path that lives as long as the catalog. */
SHEAF_USE sheaf_status sheaf_catalog_add_path(sheaf_catalog *catalog, const char *path, bool is_group,
                                              sheaf_box_item **out, sheaf_error *err);
/* A copy of bytes that lives as long as the catalog, and a NUL after it. */
SHEAF_USE sheaf_status sheaf_catalog_copy_bytes(sheaf_catalog *catalog, const void *bytes, size_t size,
                                                void *out, sheaf_error *err);
/* Notes the order of bytes of an item whose class and type of numbers are known, and says in words what it
 * has: the order, if it is not that of this machine, the prefix, and the type. */
SHEAF_USE sheaf_status sheaf_catalog_name_numbers(sheaf_catalog *catalog, sheaf_box_item *item, bool is_big,
                                                  const char *prefix, sheaf_error *err);
/* Puts the items in their order, and finds the group of each. */
void sheaf_catalog_sort(sheaf_catalog *catalog);
/* Lets the item that was added last be found in a sorted catalog. Its order and its group come with the next
 * sorting: to move the others for each item would take quadratic time. */
SHEAF_USE sheaf_status sheaf_catalog_place(sheaf_catalog *catalog, sheaf_error *err);
/* Only in a sorted one, or of items that were placed. */
sheaf_box_item *sheaf_catalog_find(const sheaf_catalog *catalog, const char *path);
/* An item that is there. */
void sheaf_catalog_remove(sheaf_catalog *catalog, const char *path);
/* Makes an item another name of an array. */
void sheaf_catalog_copy(sheaf_box_item *item, const sheaf_box_item *array);
/* Makes the item of a soft link another name of the array to which it leads; a link to a group, or to another
 * link, stays a name. Only in a sorted catalog. */
SHEAF_USE sheaf_status sheaf_catalog_resolve(sheaf_catalog *catalog, const char *path, const char *link,
                                             sheaf_error *err);

/* ---- the driver ---- */

/* The bytes of a file, which a driver reads and writes. */
typedef struct sheaf_store {
	const char *name;
	/* Bytes after the end are zeros if the store can be written, else SHORT. */
	sheaf_status (*read)(void *user, int64_t at, void *data, size_t size, sheaf_error *err);
	sheaf_status (*write)(void *user, int64_t at, const void *data, size_t size, sheaf_error *err);
	sheaf_status (*size)(void *user, int64_t *size, sheaf_error *err);
	sheaf_status (*resize)(void *user, int64_t size, sheaf_error *err);
	void *user;
} sheaf_store;

/* A new array. The driver sets where its values go. */
typedef struct sheaf_box_plan {
	const char *path;
	sheaf_type type;
	int64_t count; /* -1: not known */
	int64_t chunk; /* values in a chunk; 0: contiguous */
	int deflate;   /* 0: none */
	bool shuffle, zstd;
	int64_t text_size; /* of texts: the size to which each is padded with NULs when it is appended; `type` and
	                      `count` count bytes then. 0: numbers */
	const sheaf_box_records
		*records;         /* NULL: they are none; `text_size` is the size of one, as it is appended */
	sheaf_box_class what; /* NUMBERS (also of texts), BOOLS or COMPLEX */
	int rank;             /* of the array; chunks are whole rows of its first dimension */
	int64_t shape[SHEAF_MAX_RANK]; /* elements; of one dimension the count says it, at the end */
	int64_t offset;                /* contiguous: byte of the first value; -1: through `append` */
} sheaf_box_plan;

/* The parts of an element that are counted as values. */
static inline int64_t sheaf_box_parts(const sheaf_box_plan *plan)
{
	return plan->what == SHEAF_BOX_COMPLEX ? 2 : 1;
}

/* Values in a row of the first dimension, at least 1. */
static inline int64_t sheaf_box_row(const sheaf_box_plan *plan)
{
	int64_t row = sheaf_box_parts(plan);
	for (int d = 1; d < plan->rank; d++) row *= plan->shape[d] ? plan->shape[d] : 1;
	return row;
}

struct sheaf_filtering;
struct sheaf_box_notes;

/* The functions of one kind of file. `state` and `array` are memory of the driver's own sizes, which the box
 * allocates, zeroed, before `open` and `new_array`, and frees after `close` and `drop_array`. These two are
 * called in any case, so they must cope with what failed half-way, and nothing else frees what is inside.
 * Each function handles its locks itself. Paths are those of objects that exist and were checked. */
typedef struct sheaf_box_driver {
	size_t state_size, array_size;
	/* Lists the contents in the box's catalog; a box that is to be empty (is_fresh) gets what its kind needs.
	 * Otherwise the kind is detected. */
	sheaf_status (*open)(struct sheaf_box *box, void *state, sheaf_error *err);
	/* Completes what was written, before it is closed. NULL: nothing to do. */
	sheaf_status (*finish)(void *state, sheaf_error *err);
	/* NULL: the state owns nothing. */
	void (*close)(void *state);

	sheaf_status (*text)(void *state, const sheaf_box_item *item, const char *name, sheaf_builder *text,
	                     sheaf_error *err);
	/* An attribute of an item: *what, in a catalog of its own, describes it, and *bytes gets its elements as
	 * they are stored. UNKNOWN if there is none. NULL: only texts are supported. */
	sheaf_status (*attribute)(void *state, const sheaf_box_item *item, const char *name,
	                          sheaf_catalog *catalog, sheaf_builder *bytes, sheaf_error *err);
	/* Notes all attributes of an item, and adds to notes->item what listing has not found out
	 * (sheaf_box_complete). */
	sheaf_status (*complete)(void *state, struct sheaf_box_notes *notes, sheaf_error *err);
	/* Before the first values of an array are read, and again; any thread. NULL: nothing to do. */
	sheaf_status (*prepare)(void *state, const sheaf_box_item *item, sheaf_error *err);
	/* Elements of rows of the first dimension (all, for a scalar) as they are stored, if they are inside the
	 * metadata. */
	sheaf_status (*read_rows)(void *state, const sheaf_box_item *item, int64_t from, int64_t to, void *out,
	                          sheaf_error *err);
	/* Appends the stored bytes of a chunk, by its number in the grid, to *bytes; nothing if the chunk is not
	 * there. Bit i of *skipped: filter i was not applied. */
	sheaf_status (*read_chunk)(void *state, const sheaf_box_item *item, int64_t chunk, uint32_t *skipped,
	                           sheaf_builder *bytes, sheaf_error *err);
	/* Where the file has a chunk without filters, whose size is then that of its values; -1: nowhere. Any
	 * thread. NULL: that is not known. */
	int64_t (*chunk_at)(const void *state, const sheaf_box_item *item, int64_t chunk);
	/* Appends the text of a stored element. */
	sheaf_status (*text_of)(void *state, const sheaf_box_item *item, const uint8_t *element,
	                        sheaf_builder *text, sheaf_error *err);

	/* NULL: the list of the box is enough. */
	sheaf_status (*make_group)(void *state, const char *path, sheaf_error *err);
	/* NULL: what is written stays. */
	sheaf_status (*remove)(void *state, const sheaf_box_item *item, sheaf_error *err);
	sheaf_status (*set_text)(void *state, const sheaf_box_item *item, const char *name, const char *text,
	                         size_t size, sheaf_error *err);
	/* A list of texts, each ended by a NUL. NULL: not known, and so is the next one. */
	sheaf_status (*set_texts)(void *state, const sheaf_box_item *item, const char *name,
	                          const char *const *texts, int count, sheaf_error *err);
	sheaf_status (*set_numbers)(void *state, const sheaf_box_item *item, const char *name,
	                            sheaf_box_values values, sheaf_error *err);
	/* The plan is that of the box, which lives as long as the array, and whose path is known after this call.
	 */
	sheaf_status (*new_array)(void *state, sheaf_box_plan *plan, void *array, sheaf_error *err);
	/* Values in order, if the plan has no offset and no chunks. */
	sheaf_status (*append)(void *array, const void *values, size_t bytes, sheaf_error *err);
	/* How a chunk is packed, on any thread: *out is in `chunk` or in `filtering`. NULL: the usual way. */
	sheaf_status (*pack)(const sheaf_box_plan *plan, struct sheaf_filtering *filtering, sheaf_bytes chunk,
	                     sheaf_bytes *out, sheaf_error *err);
	sheaf_status (*write_chunk)(void *array, int64_t chunk, uint32_t skipped, const void *bytes, size_t size,
	                            sheaf_error *err);
	/* With `count` values; what they are in the box's list is up to the driver. */
	sheaf_status (*end_array)(void *array, int64_t count, sheaf_box_item *item, sheaf_error *err);
	void (*drop_array)(void *array);
} sheaf_box_driver;

/* What is learned of an item for listings. */
typedef struct sheaf_box_notes {
	struct sheaf_box *box;
	sheaf_box_item *item;   /* the copy that is completed */
	sheaf_catalog *catalog; /* of what is noted */
	sheaf_builder list;     /* of sheaf_box_attribute */
} sheaf_box_notes;
/* Notes an attribute: a name, and its value as JSON. */
SHEAF_USE sheaf_status sheaf_box_note_json(sheaf_box_notes *notes, sheaf_bytes name,
                                           const sheaf_builder *json, sheaf_error *err);
/* The same for a value that `what` describes, like an array; its elements may be changed. */
SHEAF_USE sheaf_status sheaf_box_note(sheaf_box_notes *notes, sheaf_bytes name, const sheaf_box_item *what,
                                      sheaf_builder *elements, sheaf_error *err);
/* The same for one that is not read: its type, and the reason (NULL: that the type is not). */
SHEAF_USE sheaf_status sheaf_box_note_refused(sheaf_box_notes *notes, sheaf_bytes name, const char *type,
                                              const char *why, sheaf_error *err);
/* Appends a text as JSON, of which only the beginning is shown if it is long. */
void sheaf_box_put_text(sheaf_builder *json, const void *text, size_t size);


extern const sheaf_box_driver sheaf_memory_driver;
/* Attributes that are texts, kept with an item in memory: by the box in memory, and by drivers that write or
 * find all of them at once. They take no state (NULL will do). */
SHEAF_USE sheaf_status sheaf_memory_text(void *state, const sheaf_box_item *item, const char *name,
                                         sheaf_builder *text, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_memory_set_text(void *state, const sheaf_box_item *item, const char *name,
                                             const char *text, size_t size, sheaf_error *err);
/* Drivers of HDF5 files: reading, and writing. */
extern const sheaf_box_driver sheaf_hdf5_reading_driver, sheaf_hdf5_writing_driver;
extern const sheaf_box_driver sheaf_classic_driver, sheaf_zarr_driver, sheaf_zarr_writing_driver,
	sheaf_archive_reading_driver, sheaf_archive_writing_driver;

/* Notes these attributes. */
SHEAF_USE sheaf_status sheaf_memory_complete(void *state, sheaf_box_notes *notes, sheaf_error *err);

/* An attribute of an item whose attributes are in memory. Begins as zeros. */
typedef struct sheaf_box_text_at {
	const char *name, *text;
	size_t size, next; /* size of the text; where the next one is */
} sheaf_box_text_at;
/* Moves to the next one; false: there is none. */
bool sheaf_box_next_text(const sheaf_box_item *item, sheaf_box_text_at *at);

/* ---- boxes ---- */

struct sheaf_box {
	sheaf_context *cx;
	sheaf_box_kind kind;
	const char *name;     /* for messages */
	sheaf_source *source; /* NULL: written, or in memory */
	sheaf_sink *sink;
	sheaf_store store;
	const sheaf_box_driver *driver;
	void *state;   /* the driver's; NULL: not open */
	bool is_fresh; /* there is nothing to read in it */
	sheaf_catalog catalog;
	struct sheaf_box_array *arrays; /* being written */
	sheaf_mutex kept;               /* of the chunks that are kept */
	int users;
	sheaf_error failure; /* of a box that is written: sticks */
};

/* `item` in messages: file and path. */
static inline const char *sheaf_box_where(const sheaf_box *box, const sheaf_box_item *item, char text[300])
{
	snprintf(text, 300, "%.150s: /%.140s", box->name, item->path);
	return text;
}

/* Values as they are stored. */
typedef struct sheaf_box_stored {
	sheaf_type type;
	bool is_swapped;
	const void *values;
	size_t count;
} sheaf_box_stored;

/* Stored values as another type; returns the first one that would change, or -1. They may be at `to` if the
 * sizes are equal. */
int64_t sheaf_box_convert(sheaf_box_stored from, sheaf_type type, void *to);

/* The type of ours with this size of an element, and this kind in NumPy's notation: b, i, u, f, or c, whose
 * elements are two values of the type; false: there is none. */
bool sheaf_box_number_type(char kind, size_t size, sheaf_type *out);

/* Rows [from, to) of the first dimension as they are stored, with filters undone. */
SHEAF_USE sheaf_status sheaf_box_read_elements(sheaf_box *box, const sheaf_box_item *item, int64_t from,
                                               int64_t to, uint8_t *out, sheaf_error *err);

/* Gets elements of an array, as they are stored or, if the array has bits, as numbers of ours: `count`
 * values, texts or records from number `from` on. */
typedef sheaf_status (*sheaf_box_elements_seen)(void *user, const uint8_t *elements, int64_t from,
                                                int64_t count, sheaf_error *err);
/* Shows the elements of a run in bands: a few rows of the first dimension at a time, or whole chunks, of
 * which the last one is kept for the next call if the run does not reach its end. `width`: size of a value,
 * text or record. */
SHEAF_USE sheaf_status sheaf_box_bands(sheaf_box *box, sheaf_box_run run, size_t width,
                                       sheaf_box_elements_seen seen, void *user, sheaf_error *err);

/* Items in progress in a pipeline: `more` than there are threads, if there are several, but together at most
 * this share of the memory; `bytes`: what one takes, with the copies on its way. */
int sheaf_box_depth(const sheaf_box *box, int64_t bytes, int share, int more);

/* Values in a chunk of about that many bytes: whole rows of a matrix, and no more than there are. */
int64_t sheaf_box_chunk_of(const sheaf_box_plan *plan, int64_t bytes);

/* Ends all open arrays, incomplete. */
void sheaf_box_drop_arrays(sheaf_box *box);

#endif
