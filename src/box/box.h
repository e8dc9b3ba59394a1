/* SPDX-License-Identifier: MIT */
/* Boxes: named arrays of numbers and texts about them, in groups. HDF5 and netCDF-4 files are boxes, and
 * there is one in memory.
 *
 * A path leads from the root group down: "A/sub/values", without a slash at either end; "" is the root group.
 * Everything that a box holds is listed when it is opened, and checked as far as listing goes; what cannot be
 * read (an external link, a plugin's filter, a type that is none of ours) is listed with the reason, and only
 * reading it fails. Values come and go as runs of one type in storage order, whatever the shape of the array;
 * complex numbers are two values each.
 *
 * Reading functions may be called by several threads; writing ones by one thread at a time. Both use the
 * threads of the context for what takes time. */
#ifndef SHEAF_BOX_BOX_H
#define SHEAF_BOX_BOX_H

#include <sheaf/frame.h>
#include <sheaf/io.h>
#include <sheaf/option.h>

typedef struct sheaf_box sheaf_box;

typedef enum sheaf_box_kind {
	SHEAF_NO_BOX,
	SHEAF_BOX_MEMORY,
	SHEAF_BOX_HDF5,
	SHEAF_BOX_NETCDF,  /* netCDF-4, which is HDF5 with dimensions of its own */
	SHEAF_BOX_CLASSIC, /* netCDF before it was HDF5 (CDF-1, CDF-2, CDF-5): read */
	SHEAF_BOX_ZARR,    /* Zarr: a folder, or a ZIP file of one; written in version 3, */
	SHEAF_BOX_ZARR_2,  /* or in version 2 */
	SHEAF_BOX_ARCHIVE  /* arrays of NumPy in a ZIP file */
} sheaf_box_kind;

/* What the elements of an array are. */
typedef enum sheaf_box_class {
	SHEAF_BOX_NUMBERS,
	SHEAF_BOX_BOOLS,   /* an enumeration FALSE, TRUE, or 8 bits: read as bytes */
	SHEAF_BOX_COMPLEX, /* pairs of a real and an imaginary part, which are two values */
	SHEAF_BOX_TEXTS,
	SHEAF_BOX_RECORDS, /* compounds, some of whose members can be read */
	SHEAF_BOX_OTHER
} sheaf_box_class;

typedef enum sheaf_box_storage {
	SHEAF_BOX_CONTIGUOUS,
	SHEAF_BOX_CHUNKED,
	SHEAF_BOX_COMPACT /* inside the metadata */
} sheaf_box_storage;

/* Groups inside one another: deeper ones are listed and not looked into. */
enum { SHEAF_BOX_MAX_DEPTH = 32 };

/* Why what lies in other files is not read, and who can bring it into one. */
#define SHEAF_BOX_LINK_OUT "a link to another file (`h5repack` can merge the two)"
#define SHEAF_BOX_VALUES_OUT "values in another file (`h5repack -l CONTI` brings them into one)"
#define SHEAF_BOX_VIRTUAL_OUT \
	"a virtual dataset, whose values are in other files (`h5repack -l CONTI` brings them into one)"

/* An attribute as it is shown: JSON, in which what is long is cut. */
typedef struct sheaf_box_attribute {
	const char *name, *value;
} sheaf_box_attribute;

/* A group or an array. Strings live as long as the box. */
typedef struct sheaf_box_item {
	const char *path; /* of the whole box; "" is the root */
	const char *name; /* the last part of the path */
	int64_t parent;   /* number of the group it is in; -1: it is the root */
	bool is_group;
	const char *refused; /* why it cannot be read, half a sentence ("an external link"); NULL: it can */
	bool is_damaged;     /* that is because it is damaged: DATA, else UNSUPPORTED */
	/* Arrays: */
	sheaf_box_class what;
	sheaf_type type; /* of the values, as stored (any byte order); of NUMBERS, BOOLS and COMPLEX only */
	const char *of;  /* the type in words: "float64", "big-endian int32", "bool", "complex float64", "text" */
	int rank;        /* 0: a scalar; an array without any place for elements has rank 1 and dims[0] 0 */
	const int64_t *dims;
	int64_t count; /* values in all, or texts; twice the elements where they are COMPLEX */
	int64_t bytes; /* that it takes in the file; -1: not known */
	sheaf_box_storage storage;
	int64_t chunk;         /* CHUNKED of one dimension: values in a chunk, so that runs which begin and end at
	                          multiples are read once; else 0 */
	const int64_t *chunks; /* CHUNKED: extents of a chunk in each dimension; else NULL */
	const char *filters;   /* "shuffle, deflate 6"; NULL: none */
	const char *dimensions; /* their names, "time, lat"; of the root also how long they are; NULL:
	                           they have none */
	const sheaf_box_attribute *attributes; /* of boxes that list them */
	int nattributes;
	const struct sheaf_box_item *members; /* of RECORDS: name, what, type, of and refused of each */
	int nmembers;
	struct sheaf_box_detail *inside; /* the box's own */
} sheaf_box_item;

/* ---- reading ---- */

/* Values, texts or records [from, to) of an array. */
typedef struct sheaf_box_run {
	const sheaf_box_item *item;
	int64_t from, to;
} sheaf_box_run;

/* Which kind the first bytes (at least 4 KiB, or all) belong to. netCDF-4 shows only once it is opened: HDF5
 * here. */
sheaf_box_kind sheaf_box_recognise(sheaf_bytes head);
/* Whether they are those of an archive of arrays, which is a box where one of them describes the others. */
bool sheaf_box_is_archive(sheaf_bytes head);
/* Whether there is an array of this name in the archive, in any group: without a look at any. */
SHEAF_USE sheaf_status sheaf_box_archive_has(sheaf_source *source, const char *name, sheaf_context *cx,
                                             bool *has, sheaf_error *err);
/* The kind that a name asks for by its suffix: .nc .nc4 .cdf: NETCDF; .h5 .hdf5 .hdf .he5: HDF5; .zarr
 * .zarr.zip .zip: ZARR; .npz: ARCHIVE; else NO_BOX. */
sheaf_box_kind sheaf_box_kind_by_name(const char *name);
/* Whether a box of this kind and name is a folder. */
bool sheaf_box_is_folder(sheaf_box_kind kind, const char *name);
/* Whether such boxes can be opened and made: OK, or UNSUPPORTED with the reason. */
SHEAF_USE sheaf_status sheaf_box_available(sheaf_box_kind kind, sheaf_error *err);

/* Opens for reading. The source is made seekable, and outlives the box. UNKNOWN where it is no box;
 * UNSUPPORTED where libhdf5 is asked for and was not built in or is not installed. */
SHEAF_USE sheaf_status sheaf_box_open(sheaf_source *source, sheaf_context *cx, sheaf_box **out,
                                      sheaf_error *err);
/* Of a box for reading, or one in memory. Every buffer taken from it stays valid. */
void sheaf_box_close(sheaf_box *box);
/* The same of a box for reading which somebody is about to open again: the next sheaf_box_open of its source
 * gives it, or the source closes it. */
void sheaf_box_leave(sheaf_box *box);

sheaf_box_kind sheaf_box_kind_of(const sheaf_box *box);
/* All items, depth first: a group stands before what is in it, the names in a group in the order of their
 * bytes. Item 0 is the root. Valid until the box is closed or written to. */
const sheaf_box_item *sheaf_box_items(const sheaf_box *box, int64_t *count);
/* The item of this path, or NULL. */
const sheaf_box_item *sheaf_box_find(const sheaf_box *box, const char *path);

/* Whether there is a group or array of this path that can be read, with an attribute of this name that is one
 * text. */
SHEAF_USE sheaf_status sheaf_box_has_text(sheaf_box *box, const char *path, const char *name, bool *has,
                                          sheaf_error *err);
/* Its bytes, without the padding. UNKNOWN where there is none; DATA where it is no single text. */
SHEAF_USE sheaf_status sheaf_box_text(sheaf_box *box, const char *path, const char *name, sheaf_buffer *out,
                                      sheaf_error *err);

/* All values of an attribute of numbers, as `type`. UNKNOWN where there is none, or where libhdf5 reads; DATA
 * where it is of another type, or a value is not the same in that one. *out is reset first. */
SHEAF_USE sheaf_status sheaf_box_numbers(sheaf_box *box, const char *path, const char *name, sheaf_type type,
                                         sheaf_buffer *out, sheaf_error *err);
/* All texts of an attribute, as sheaf_box_read_texts gives them. */
SHEAF_USE sheaf_status sheaf_box_texts(sheaf_box *box, const char *path, const char *name,
                                       sheaf_buffer *bytes, sheaf_buffer *offsets, sheaf_error *err);

/* Values as `type`: a view of the file where they are stored like that, else memory of their own.
 * *out is reset first. DATA where a value is not the same in that type, naming it; item->type never fails
 * so. */
SHEAF_USE sheaf_status sheaf_box_read(sheaf_box *box, sheaf_box_run run, sheaf_type type, sheaf_buffer *out,
                                      sheaf_error *err);
/* The same into the caller's memory. */
SHEAF_USE sheaf_status sheaf_box_read_into(sheaf_box *box, sheaf_box_run run, sheaf_type type, void *out,
                                           sheaf_error *err);
/* Of an array of TEXTS: their bytes one after another, and to - from + 1 offsets (int64) into them. Both are
 * reset first. */
SHEAF_USE sheaf_status sheaf_box_read_texts(sheaf_box *box, sheaf_box_run run, sheaf_buffer *bytes,
                                            sheaf_buffer *offsets, sheaf_error *err);

/* Records of an array of one dimension, as they are stored; refills *out. */
SHEAF_USE sheaf_status sheaf_box_read_records(sheaf_box *box, sheaf_box_run run, sheaf_buffer *out,
                                              sheaf_error *err);
/* What a member of `item` is in n of these: as many values of its type, twice as many where it is COMPLEX. */
void sheaf_box_record_values(const sheaf_box_item *item, int member, const void *records, int64_t n,
                             void *out);
/* The text that a member is in one record; refills *text. */
SHEAF_USE sheaf_status sheaf_box_record_text(sheaf_box *box, const sheaf_box_item *member,
                                             const uint8_t *record, sheaf_buffer *text, sheaf_error *err);

/* ---- writing ---- */

/* An empty box in memory, which is written, then read; closed with sheaf_box_close. */
SHEAF_USE sheaf_status sheaf_box_in_memory(sheaf_context *cx, sheaf_box **out, sheaf_error *err);

/* A box that is written to the sink, whose commit puts it in its place. `into`: where the sink's target is a
 * box already, everything in it stays but what is written anew, and `kind` is what it is already; DATA or
 * UNKNOWN where it is something else. The first call for a sink decides; further ones give the same box, for
 * writers that share it: each ends with sheaf_box_finish or sheaf_box_abandon. Once one of them has failed or
 * abandoned, the sink cannot be committed. What was in the box may be read. */
SHEAF_USE sheaf_status sheaf_box_create(sheaf_sink *sink, sheaf_box_kind kind, bool into, sheaf_context *cx,
                                        sheaf_box **out, sheaf_error *err);
/* The last of them completes the file; the sink is committed by its owner after that. */
SHEAF_USE sheaf_status sheaf_box_finish(sheaf_box *box, sheaf_error *err);
void sheaf_box_abandon(sheaf_box *box);

/* Makes the group, and those above it, where they are not there yet. DATA where something of the name is no
 * group. */
SHEAF_USE sheaf_status sheaf_box_make_group(sheaf_box *box, const char *path, sheaf_error *err);
/* Takes an array out of the box; nothing to do where there is none. DATA where it is a group: those stay. */
SHEAF_USE sheaf_status sheaf_box_remove(sheaf_box *box, const char *path, sheaf_error *err);
/* Writes an attribute of a group or array, in place of one of the same name. */
SHEAF_USE sheaf_status sheaf_box_set_text(sheaf_box *box, const char *path, const char *name,
                                          const char *text, size_t size, sheaf_error *err);

/* Numbers that are stored: in this machine's byte order. */
typedef struct sheaf_box_values {
	sheaf_type type;
	const void *values;
	int64_t count;
} sheaf_box_values;

/* The same for an attribute that is a list of numbers, of less than 64 KiB. Not of a box in memory. */
SHEAF_USE sheaf_status sheaf_box_set_numbers(sheaf_box *box, const char *path, const char *name,
                                             sheaf_box_values values, sheaf_error *err);

/* How an array is stored; zeros: contiguous, or where the count is not known, in chunks that are not
 * compressed. */
typedef struct sheaf_box_storing {
	int deflate;         /* level 1 to 12; 0: not compressed */
	bool shuffle;        /* bytes of equal rank stand together before compression */
	int64_t chunk_bytes; /* 0: 1 MiB where chunks are needed */
	bool zstd;           /* compressed by Zstandard, in Zarr only */
} sheaf_box_storing;

/* The kind of box that an output of this name is, HDF5 where the name says nothing, and how its arrays are
 * stored: by the options deflate, zstd, shuffle, chunk-bytes, zarr and into, as far as the format has them.
 * USAGE where such a box has no place for one. */
SHEAF_USE sheaf_status sheaf_box_settings(const char *name, const sheaf_values *values, sheaf_box_kind *kind,
                                          sheaf_box_storing *storing, sheaf_error *err);

typedef struct sheaf_box_array sheaf_box_array;

/* An array of one dimension in place of one of the same path, whose group is made where needed. Its values
 * are appended, here they are NULL; count -1: as many as come (chunks then). Several arrays may be under way
 * at a time. */
SHEAF_USE sheaf_status sheaf_box_new_array(sheaf_box *box, const char *path, sheaf_box_values values,
                                           const sheaf_box_storing *storing, sheaf_box_array **out,
                                           sheaf_error *err);
/* The next `count` values, of the array's type. */
SHEAF_USE sheaf_status sheaf_box_append(sheaf_box_array *array, const void *values, int64_t count,
                                        sheaf_error *err);
/* The same from a source made seekable, in which they stand as they are stored, from `offset` on: into a
 * contiguous array they go without being read, where who has them writes them (sheaf_sink_copy_at). */
SHEAF_USE sheaf_status sheaf_box_copy(sheaf_box_array *array, sheaf_source *source, int64_t offset,
                                      int64_t count, sheaf_error *err);
/* Ends the array, whatever comes out; USAGE where values are missing. Before sheaf_box_finish. One that is
 * not ended is let go by sheaf_box_abandon. */
SHEAF_USE sheaf_status sheaf_box_end_array(sheaf_box_array *array, sheaf_error *err);
/* The same for a whole array at once. */
SHEAF_USE sheaf_status sheaf_box_put(sheaf_box *box, const char *path, sheaf_box_values values,
                                     const sheaf_box_storing *storing, sheaf_error *err);
/* An array of texts of one dimension: their bytes one after another, and count + 1 offsets into them, as
 * sheaf_box_read_texts gives them. They are stored in as many bytes each as the longest takes. */
SHEAF_USE sheaf_status sheaf_box_put_texts(sheaf_box *box, const char *path, const void *bytes,
                                           const int64_t *offsets, int64_t count, sheaf_error *err);

#endif
