/* SPDX-License-Identifier: MIT */
/* Boxes: named arrays of numbers and texts about them, in groups. HDF5 and netCDF-4 files are boxes, and
 * there is one in memory.
 *
 * A path leads from the root group down: "A/sub/values", without a slash at either end; "" is the root group.
 * Everything in a box is listed when it is opened, and checked as far as listing needs it; what cannot be
 * read (an external link, a plugin's filter, a type that we do not have) is listed with the reason, and only
 * reading it fails. Values are read and written as runs of one type in storage order, whatever the shape of
 * the array; complex numbers are two values each.
 *
 * Reading functions may be called by several threads; writing ones by one thread at a time. Both use the
 * threads of the context for slow work. */
#ifndef SHEAF_CONTAINER_BOX_H
#define SHEAF_CONTAINER_BOX_H

#include "base/buffer.h"
#include <sheaf/frame.h>
#include <sheaf/io.h>
#include <sheaf/option.h>

typedef struct sheaf_box sheaf_box;

typedef enum sheaf_box_kind {
	SHEAF_NO_BOX,
	SHEAF_BOX_MEMORY,
	SHEAF_BOX_HDF5,
	SHEAF_BOX_NETCDF,  /* netCDF-4, which is HDF5 with dimensions of its own */
	SHEAF_BOX_CLASSIC, /* netCDF before HDF5 (CDF-1, CDF-2, CDF-5): read */
	SHEAF_BOX_ZARR,    /* Zarr: a folder, or a ZIP file of one; written in version 3, */
	SHEAF_BOX_ZARR_2,  /* or in version 2 */
	SHEAF_BOX_ARCHIVE  /* arrays of NumPy in a ZIP file */
} sheaf_box_kind;

/* What the elements of an array are. */
typedef enum sheaf_box_class {
	SHEAF_BOX_NUMBERS,
	SHEAF_BOX_BOOLS,   /* an enumeration FALSE, TRUE: read as bytes */
	SHEAF_BOX_COMPLEX, /* pairs of a real and an imaginary part, which are two values */
	SHEAF_BOX_TEXTS,
	SHEAF_BOX_RECORDS, /* compounds, some of whose members can be read */
	SHEAF_BOX_LISTS,   /* of numbers, of any length: read as texts are */
	SHEAF_BOX_OTHER
} sheaf_box_class;

typedef enum sheaf_box_storage {
	SHEAF_BOX_CONTIGUOUS,
	SHEAF_BOX_CHUNKED,
	SHEAF_BOX_COMPACT /* inside the metadata */
} sheaf_box_storage;

/* Nesting of groups: deeper ones are listed but not opened. */
enum { SHEAF_BOX_MAX_DEPTH = 32 };

/* Why data in other files are not read, and which program can bring them into one file. */
#define SHEAF_BOX_LINK_OUT "a link to another file (`h5repack` can merge the two)"
#define SHEAF_BOX_VALUES_OUT "values in another file (`h5repack -l CONTI` brings them into one)"
#define SHEAF_BOX_VIRTUAL_OUT \
	"a virtual dataset, whose values are in other datasets (`h5repack -l CONTI` brings them into one)"

/* What a number of an enumeration is called. */
typedef struct sheaf_box_name {
	int64_t code;
	const char *text;
} sheaf_box_name;
static inline int sheaf_box_compare_names(const void *a, const void *b)
{
	int64_t x = ((const sheaf_box_name *)a)->code, y = ((const sheaf_box_name *)b)->code;
	return (x > y) - (x < y);
}

/* An attribute for display: JSON, in which long values are cut. One that is not read is an object with its
 * type, and the reason. */
typedef struct sheaf_box_attribute {
	const char *name, *value;
} sheaf_box_attribute;

/* A group or an array. Strings live as long as the box. */
typedef struct sheaf_box_item {
	const char *path; /* of the whole box; "" is the root */
	const char *name; /* the last part of the path */
	int64_t parent;   /* index of its group; -1: it is the root */
	bool is_group;
	const char
		*refused;    /* why it cannot be read, half a sentence ("an external link"); NULL: it can be read */
	bool is_damaged; /* the reason is damage: DATA, else UNSUPPORTED */
	/* Arrays: */
	sheaf_box_class what;
	sheaf_type type; /* of the values, as stored (any byte order); only for NUMBERS, BOOLS and COMPLEX */
	const char *of;  /* the type in words: "float64", "big-endian int32", "bool", "complex float64", "text" */
	int rank;        /* 0: a scalar; an array that has no elements at all has rank 1 and dims[0] 0 */
	const int64_t *dims;   /* NULL: not known */
	const int64_t *limits; /* to which the array may grow, -1: without end; NULL: it cannot */
	bool is_null;          /* it has no elements, and no extents either */
	int64_t count; /* values in all, or texts; twice the elements if they are COMPLEX; what is in a group */
	int64_t bytes; /* in the file; -1: not known */
	sheaf_box_storage storage;
	int64_t chunk; /* CHUNKED with one dimension: values in a chunk, so that runs which begin and end at
	                  multiples are read once; else 0 */
	const int64_t *chunks; /* CHUNKED: extents of a chunk in each dimension; else NULL */
	const char *filters;   /* "shuffle, deflate 6"; NULL: none */
	const char
		*dimensions; /* their names, "time, lat"; for the root also their lengths; NULL: they have none */
	const char *link, *target; /* which kind of link it is, and where it leads; NULL: it is none */
	/* For listings (sheaf_box_complete): */
	const sheaf_box_attribute *attributes;
	int64_t nattributes;
	const char *dataset, *maker; /* what it is for somebody who asks for it by its path, and whose program
	                                has made it; NULL: nothing, not known */
	const struct sheaf_box_item *members; /* of RECORDS: name, what, type, of and refused for each */
	int nmembers;
	const sheaf_box_name *names; /* of an enumeration, in the order of their codes; NULL: it is none */
	int nnames;
	struct sheaf_box_detail *inside; /* private to the box */
} sheaf_box_item;

/* Gets items one after the other, of `box`, or of something else (NULL). One that can be opened by its path
 * says what it is (item->dataset). */
typedef struct sheaf_item_teller {
	sheaf_status (*show)(void *user, sheaf_box *box, const sheaf_box_item *item, sheaf_error *err);
	void *user;
	bool briefly; /* paths and datasets are enough, where more takes reading */
} sheaf_item_teller;

static inline const char *sheaf_box_storage_name(const sheaf_box_item *item)
{
	static const char *const names[] = {"contiguous", "chunked", "compact"};
	return names[item->storage];
}

/* ---- reading ---- */

/* Values, texts or records [from, to) of an array. */
typedef struct sheaf_box_run {
	const sheaf_box_item *item;
	int64_t from, to;
} sheaf_box_run;

/* To which kind the first bytes (at least 4 KiB, or all) belong. netCDF-4 is recognised only when it is
 * opened: HDF5 here. */
sheaf_box_kind sheaf_box_recognise(sheaf_bytes head);
/* Whether they are those of an archive of arrays, which is a box if one of them describes the others. */
bool sheaf_box_is_archive(sheaf_bytes head);
/* Whether there is an array of this name in the archive, in any group: without reading any. */
SHEAF_USE sheaf_status sheaf_box_archive_has(sheaf_source *source, const char *name, sheaf_context *cx,
                                             bool *has, sheaf_error *err);
/* The kind that the suffix of a name selects: .nc .nc4 .cdf: NETCDF; .h5 .hdf5 .hdf .he5: HDF5; .zarr
 * .zarr.zip .zip: ZARR; .npz: ARCHIVE; else NO_BOX. A suffix of a compression after it does not matter. */
sheaf_box_kind sheaf_box_kind_by_name(const char *name);
/* Whether a box of this kind and name is a folder. */
bool sheaf_box_is_folder(sheaf_box_kind kind, const char *name);
/* Whether such boxes can be read and written: OK, or UNSUPPORTED with the reason. */
SHEAF_USE sheaf_status sheaf_box_available(sheaf_box_kind kind, sheaf_error *err);

/* Opens for reading. The source is made seekable, and outlives the box. UNKNOWN if it is no box. */
SHEAF_USE sheaf_status sheaf_box_open(sheaf_source *source, sheaf_context *cx, sheaf_box **out,
                                      sheaf_error *err);
/* For a box for reading, or one in memory. Every buffer taken from it stays valid. */
void sheaf_box_close(sheaf_box *box);
/* The same of a box for reading which somebody is about to open again: the next sheaf_box_open of its source
 * gives it, or the source closes it. */
void sheaf_box_leave(sheaf_box *box);

/* All items, depth first: a group comes before its contents, the names in a group in the order of their
 * bytes. Item 0 is the root. Valid until the box is closed or written to. */
const sheaf_box_item *sheaf_box_items(sheaf_box *box, int64_t *count);
/* The item of this path, or NULL. */
const sheaf_box_item *sheaf_box_find(sheaf_box *box, const char *path);
/* Appends the names of an item's attributes, each ended by a NUL. */
SHEAF_USE sheaf_status sheaf_box_attributes(sheaf_box *box, const sheaf_box_item *item, sheaf_builder *names,
                                            sheaf_error *err);
/* Adds to a copy of an item what is read only for listings: its attributes, names of its dimensions, bytes of
 * its chunks. All of that lives as long as the catalog, which begins as zeros and is closed by the caller. */
struct sheaf_catalog;
SHEAF_USE sheaf_status sheaf_box_complete(sheaf_box *box, sheaf_box_item *item, struct sheaf_catalog *catalog,
                                          sheaf_error *err);

/* Whether there is a readable group or array of this path, with an attribute of this name that is a single
 * text. */
SHEAF_USE sheaf_status sheaf_box_has_text(sheaf_box *box, const char *path, const char *name, bool *has,
                                          sheaf_error *err);
/* Its bytes, without the padding. UNKNOWN if there is none; DATA if it is no single text. */
SHEAF_USE sheaf_status sheaf_box_text(sheaf_box *box, const char *path, const char *name, sheaf_buffer *out,
                                      sheaf_error *err);

/* All values of a numeric attribute, as `type`. UNKNOWN if there is none; DATA if it has
 * another type, or a value does not fit the requested type exactly. *out is reset first. */
SHEAF_USE sheaf_status sheaf_box_numbers(sheaf_box *box, const char *path, const char *name, sheaf_type type,
                                         sheaf_buffer *out, sheaf_error *err);

/* The same for an attribute that is a list of texts: their bytes one after another, and int64 offsets into
 * them, one more than there are texts. Both are reset by the caller. */
SHEAF_USE sheaf_status sheaf_box_texts(sheaf_box *box, const char *path, const char *name,
                                       sheaf_buffer *bytes, sheaf_buffer *offsets, sheaf_error *err);

/* Values as `type`: a view of the file if they are stored in that form, else in their own memory. *out is
 * reset first. DATA if a value does not fit that type exactly, naming it; with item->type this never
 * happens. */
SHEAF_USE sheaf_status sheaf_box_read(sheaf_box *box, sheaf_box_run run, sheaf_type type, sheaf_buffer *out,
                                      sheaf_error *err);
/* The same into the caller's memory. */
SHEAF_USE sheaf_status sheaf_box_read_into(sheaf_box *box, sheaf_box_run run, sheaf_type type, void *out,
                                           sheaf_error *err);
/* Whole numbers of any type as I32 or I64, into an empty builder, which shares the file's bytes if they are
 * stored so. Those that do not fit become negative. */
SHEAF_USE sheaf_status sheaf_box_read_indices(sheaf_box *box, sheaf_box_run run, sheaf_type type,
                                              sheaf_builder *to, sheaf_error *err);
/* For an array of TEXTS or LISTS: their bytes one after another, and to - from + 1 offsets (int64) into
 * them. Both are reset first. */
SHEAF_USE sheaf_status sheaf_box_read_texts(sheaf_box *box, sheaf_box_run run, sheaf_buffer *bytes,
                                            sheaf_buffer *offsets, sheaf_error *err);

/* Records of an array, as they are stored; refills *out. */
SHEAF_USE sheaf_status sheaf_box_read_records(sheaf_box *box, sheaf_box_run run, sheaf_buffer *out,
                                              sheaf_error *err);
/* What a member of `item` contains in n of these: that number of values of its type, twice as many if it is
 * COMPLEX. */
void sheaf_box_record_values(const sheaf_box_item *item, int member, const void *records, int64_t n,
                             void *out);
/* The text or list of a member in one record; refills *text. */
SHEAF_USE sheaf_status sheaf_box_record_text(sheaf_box *box, const sheaf_box_item *member,
                                             const uint8_t *record, sheaf_buffer *text, sheaf_error *err);

/* ---- writing ---- */

/* An empty box in memory, which is written, then read; closed with sheaf_box_close. */
SHEAF_USE sheaf_status sheaf_box_in_memory(sheaf_context *cx, sheaf_box **out, sheaf_error *err);

/* A box that is written to the sink, whose commit puts it in its place. `into`: if the sink's target already
 * is a box, everything in it stays except what is written again, and `kind` must match; DATA or UNKNOWN if it
 * is something else. The first call for a sink decides; further calls return the same box, for writers that
 * share it: each ends with sheaf_box_finish or sheaf_box_abandon. If one of them has failed or abandoned it,
 * the sink cannot be committed. The previous contents of the box may be read. */
SHEAF_USE sheaf_status sheaf_box_create(sheaf_sink *sink, sheaf_box_kind kind, bool into, sheaf_context *cx,
                                        sheaf_box **out, sheaf_error *err);
/* The last of them completes the file; the sink is committed by its owner after that. */
SHEAF_USE sheaf_status sheaf_box_finish(sheaf_box *box, sheaf_error *err);
void sheaf_box_abandon(sheaf_box *box);

/* Creates the group, and those above it, if they do not exist yet. DATA if something else has that name. */
SHEAF_USE sheaf_status sheaf_box_make_group(sheaf_box *box, const char *path, sheaf_error *err);
/* Removes an array from the box; nothing happens if there is none. DATA if it is a group: those stay. */
SHEAF_USE sheaf_status sheaf_box_remove(sheaf_box *box, const char *path, sheaf_error *err);
/* Writes an attribute of a group or array, replacing one of the same name. */
SHEAF_USE sheaf_status sheaf_box_set_text(sheaf_box *box, const char *path, const char *name,
                                          const char *text, size_t size, sheaf_error *err);

/* The same for an attribute that is a list of texts, each ended by a NUL. Only in HDF5 and Zarr. */
SHEAF_USE sheaf_status sheaf_box_set_texts(sheaf_box *box, const char *path, const char *name,
                                           const char *const *texts, int count, sheaf_error *err);

/* Stored numbers: in this machine's byte order. */
typedef struct sheaf_box_values {
	sheaf_type type;
	const void *values;
	int64_t count;        /* of complex numbers that of their parts */
	const int64_t *shape; /* only in HDF5 and Zarr: of `rank` dimensions, 0 to SHEAF_MAX_RANK; NULL: of one */
	int rank;
	sheaf_box_class what; /* only in HDF5 and Zarr: also truth values (U8 or I8) and complex numbers */
} sheaf_box_values;

/* The same for an attribute that is a list of numbers, or one without dimensions, of less than 64 KiB. Not
 * for a box in memory. */
SHEAF_USE sheaf_status sheaf_box_set_numbers(sheaf_box *box, const char *path, const char *name,
                                             sheaf_box_values values, sheaf_error *err);

/* How an array is stored; zeros: contiguous, or if the count is not known, in uncompressed chunks. No chunk
 * is larger than the array. */
typedef struct sheaf_box_storing {
	int deflate;         /* level 1 to 12; 0: not compressed */
	bool shuffle;        /* bytes of equal rank are grouped before compression */
	int64_t chunk_bytes; /* 0: 1 MiB if chunks are needed */
	bool zstd;           /* compressed by Zstandard, only in Zarr */
} sheaf_box_storing;

/* The kind of box for an output of this name, HDF5 if the name does not say, and how its arrays are stored:
 * from the options compression, chunk-bytes, zarr and into, as far as the format has them. In HDF5, deflate
 * compresses shuffled bytes. USAGE if such a box does not support one of them. */
SHEAF_USE sheaf_status sheaf_box_settings(const char *name, const sheaf_values *values, sheaf_box_kind *kind,
                                          sheaf_box_storing *storing, sheaf_error *err);

typedef struct sheaf_box_array sheaf_box_array;

/* An array that replaces one of the same path; its group is created if necessary. Its values are appended,
 * here they are NULL; count -1: any number (in chunks then, and of one dimension). Several arrays may be open
 * at a time. */
SHEAF_USE sheaf_status sheaf_box_new_array(sheaf_box *box, const char *path, sheaf_box_values values,
                                           const sheaf_box_storing *storing, sheaf_box_array **out,
                                           sheaf_error *err);
/* The next `count` values, of the array's type. */
SHEAF_USE sheaf_status sheaf_box_append(sheaf_box_array *array, const void *values, int64_t count,
                                        sheaf_error *err);
/* Ends the array, even if this fails; USAGE if values are missing. Before sheaf_box_finish. sheaf_box_abandon
 * drops an array that was not ended. */
SHEAF_USE sheaf_status sheaf_box_end_array(sheaf_box_array *array, sheaf_error *err);
/* The same for a whole array at once. */
SHEAF_USE sheaf_status sheaf_box_put(sheaf_box *box, const char *path, sheaf_box_values values,
                                     const sheaf_box_storing *storing, sheaf_error *err);
/* An array of texts: `texts` are their bytes one after another, counted as texts, with count + 1 offsets into
 * them, as sheaf_box_read_texts gives them. USAGE if one has a NUL. */
SHEAF_USE sheaf_status sheaf_box_put_texts(sheaf_box *box, const char *path, sheaf_box_values texts,
                                           const int64_t *offsets, sheaf_error *err);

/* Records of one dimension, as memory has them: their members one after another, without padding. */
typedef struct sheaf_box_member {
	const char *name;
	sheaf_box_class what; /* TEXTS: two int64, where it begins and ends among the texts */
	sheaf_type type;
} sheaf_box_member;
typedef struct sheaf_box_records {
	const sheaf_box_member *members;
	int nmembers; /* at least 1 */
	sheaf_bytes bytes;
	const void *texts;
} sheaf_box_records;
size_t sheaf_box_member_size(const sheaf_box_member *member);
/* Writes an array of them. UNSUPPORTED if it is not HDF5. */
SHEAF_USE sheaf_status sheaf_box_put_records(sheaf_box *box, const char *path,
                                             const sheaf_box_records *records, sheaf_error *err);

#endif
