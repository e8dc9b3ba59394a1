/* SPDX-License-Identifier: MIT */
/* A file of HDF5 that is written. Values, texts and chunks go to the end of the file as they come; headers of
 * objects, groups and the superblock are kept in memory and written when the file is finished, the new ones
 * first and what leads to them last. So what was in the file can be read until then, and an interrupted
 * writer leaves nothing half done that anybody could reach. */
#ifndef SHEAF_BOX_HDF5_WRITE_H
#define SHEAF_BOX_HDF5_WRITE_H

#include "base/endian.h"
#include "box/hdf5/format.h"
#include "box/inside.h"

/* No address. */
#define SHEAF_HDF5_NOWHERE (-1)

enum { SHEAF_HDF5_CONSTANT = 1 }; /* flag of a message that does not change */

/* A message of a header, as it stands in the file. */
typedef struct sheaf_hdf5_message {
	struct sheaf_hdf5_message *next;
	sheaf_hdf5_message_type type;
	uint8_t flags;
	sheaf_bytes data;
	/* Attributes: */
	const char *name;
	int64_t order; /* in which they were made */
	int64_t text;  /* address of the text that was written here; 0: it is no such attribute */
	size_t text_size;
	bool is_gone;
} sheaf_hdf5_message;

typedef struct sheaf_hdf5_messages {
	sheaf_hdf5_message *first, *last;
} sheaf_hdf5_messages;

/* A way from a group to an object. */
typedef struct sheaf_hdf5_link {
	struct sheaf_hdf5_link *next; /* of the group */
	struct sheaf_hdf5_object *group;
	const char *name;
	size_t name_size;
	struct sheaf_hdf5_object *to; /* NULL: one that nobody has touched, */
	int64_t address;              /* at this address, */
	uint8_t kind;                 /* or no hard link, but one of this kind, */
	sheaf_bytes value;            /* and this value */
	bool is_utf8, is_gone;
	int64_t order; /* in which links were made */
} sheaf_hdf5_link;

/* Whether things are numbered in the order in which they are made, and whether an index leads to them by
 * their numbers. As in link info and attribute info messages. */
enum { SHEAF_HDF5_TRACKED = 1, SHEAF_HDF5_INDEXED = 2 };

/* An array that has a dimension. */
typedef struct sheaf_hdf5_user {
	struct sheaf_hdf5_user *next;
	const struct sheaf_hdf5_object *array;
} sheaf_hdf5_user;

/* A group or dataset that is new. */
typedef struct sheaf_hdf5_object {
	struct sheaf_hdf5_object *next; /* in the order in which they came */
	uint32_t number;                /* of them */
	int64_t address;                /* of its header; NOWHERE: not given yet */
	bool is_group, is_gone;
	sheaf_hdf5_messages messages, attributes; /* but for links */
	int64_t next_attribute;
	uint8_t attribute_order;
	/* Groups: */
	sheaf_hdf5_link *links, *last_link;
	int64_t nlinks, next_link;
	uint8_t link_order;
	/* netCDF: */
	int64_t places; /* of a dimension; -1: it is none */
	sheaf_hdf5_user *users, *last_user;
	int64_t nusers;
	const struct sheaf_hdf5_object *dimension; /* of an array; NULL: not given here */
} sheaf_hdf5_object;

/* Things by a key, of which the hash is known. */
typedef struct sheaf_hdf5_table {
	struct sheaf_hdf5_entry *entries;
	size_t count, room;
} sheaf_hdf5_table;

/* Objects, messages, links and users live as long as the catalog. */
typedef struct sheaf_hdf5_writer {
	sheaf_context *cx;
	const sheaf_store *store;
	sheaf_catalog *catalog;
	sheaf_box_kind kind;
	/* The file. Addresses begin at its base. */
	int64_t base, end;
	unsigned address_size, length_size; /* bytes of each */
	unsigned chunk_fan;                 /* half of the chunks that a node of their index leads to */
	/* Bytes that are on their way to `waiting_at`. */
	sheaf_builder waiting;
	int64_t waiting_at;
	/* The collection of texts that is being filled, and its bytes; 0: there is none. */
	sheaf_builder texts;
	int64_t texts_at;
	size_t texts_size;
	uint16_t ntexts;
	/* What there is; the root comes first. */
	sheaf_hdf5_object *objects, *last;
	uint32_t nobjects;
	sheaf_hdf5_table links;
	int64_t next_dimension;
	/* What is being made: a header, a message of one, and the parts of an attribute. */
	sheaf_builder header, message, type, space, value;
} sheaf_hdf5_writer;

/* ---- write_bytes.c: places in the file, and bytes on their way there ---- */

/* Gives `size` bytes at the end of the file. */
SHEAF_USE sheaf_status sheaf_hdf5_allocate(sheaf_hdf5_writer *w, uint64_t size, int64_t align,
                                           int64_t *address, sheaf_error *err);
/* Writes them, at once or with what comes next to them. */
SHEAF_USE sheaf_status sheaf_hdf5_put(sheaf_hdf5_writer *w, int64_t address, const void *bytes, size_t size,
                                      sheaf_error *err);
SHEAF_USE sheaf_status sheaf_hdf5_flush(sheaf_hdf5_writer *w, sheaf_error *err);
/* Gives a place and writes there. */
SHEAF_USE sheaf_status sheaf_hdf5_add(sheaf_hdf5_writer *w, const sheaf_builder *bytes, int64_t *address,
                                      sheaf_error *err);

/* A little-endian number of some bytes. */
void sheaf_hdf5_number(sheaf_builder *b, uint64_t number, size_t width);
void sheaf_hdf5_address(const sheaf_hdf5_writer *w, sheaf_builder *b, int64_t address);
void sheaf_hdf5_length(const sheaf_hdf5_writer *w, sheaf_builder *b, uint64_t length);
void sheaf_hdf5_zeros(sheaf_builder *b, size_t count);
/* The checksum of what the builder holds. */
void sheaf_hdf5_sum(sheaf_builder *b);

/* Puts bytes into the heap of texts, and appends a reference to them, which says how many elements they are;
 * *address: where they are. */
SHEAF_USE sheaf_status sheaf_hdf5_put_text(sheaf_hdf5_writer *w, sheaf_bytes text, size_t count,
                                           sheaf_builder *reference, int64_t *address, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_hdf5_read_text(sheaf_hdf5_writer *w, int64_t address, size_t size,
                                            sheaf_builder *text, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_hdf5_flush_texts(sheaf_hdf5_writer *w, sheaf_error *err);

/* ---- write_tree.c: objects and the ways to them ---- */

SHEAF_USE sheaf_status sheaf_hdf5_new_object(sheaf_hdf5_writer *w, bool is_group, sheaf_hdf5_object **out,
                                             sheaf_error *err);
/* The way to a new object. */
SHEAF_USE sheaf_status sheaf_hdf5_link_new(sheaf_hdf5_writer *w, sheaf_hdf5_object *group, const char *name,
                                           sheaf_hdf5_object *to, sheaf_error *err);
/* NULL: there is none. */
sheaf_hdf5_link *sheaf_hdf5_find_link(const sheaf_hdf5_writer *w, const sheaf_hdf5_object *group,
                                      const char *name, size_t size);
void sheaf_hdf5_unlink(sheaf_hdf5_link *link);
/* The group that a path leads into, and the last name of the path. */
SHEAF_USE sheaf_status sheaf_hdf5_find_group(sheaf_hdf5_writer *w, const char *path,
                                             sheaf_hdf5_object **group, const char **name, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_hdf5_find_object(sheaf_hdf5_writer *w, const char *path, sheaf_hdf5_object **out,
                                              sheaf_error *err);
void sheaf_hdf5_drop_table(sheaf_hdf5_writer *w, sheaf_hdf5_table *table);

/* ---- write_message.c: what headers say, appended to a builder ---- */

/* An array of one dimension, which has room for as many, or may grow. */
void sheaf_hdf5_space(const sheaf_hdf5_writer *w, sheaf_builder *b, int64_t count, bool has_limit);
void sheaf_hdf5_scalar(sheaf_builder *b);
void sheaf_hdf5_type(sheaf_builder *b, sheaf_type type, bool is_big);
void sheaf_hdf5_fixed_text_type(sheaf_builder *b, size_t size);
void sheaf_hdf5_text_type(const sheaf_hdf5_writer *w, sheaf_builder *b);
/* Of variable numbers of references to objects. */
void sheaf_hdf5_references_type(const sheaf_hdf5_writer *w, sheaf_builder *b);
/* A reference to an array, and the number of one of its dimensions. */
enum { SHEAF_HDF5_USE = 16 /* bytes */ };
void sheaf_hdf5_use_type(sheaf_builder *b);
void sheaf_hdf5_describe_link(const sheaf_hdf5_writer *w, sheaf_builder *b, const sheaf_hdf5_link *link);
/* Appends an attribute to w->message: its type, space and value are in the builders of these names. */
SHEAF_USE sheaf_status sheaf_hdf5_describe_attribute(sheaf_hdf5_writer *w, const char *name,
                                                     sheaf_error *err);

/* What is in w->message becomes a message of the object, and is taken out of the builder. */
SHEAF_USE sheaf_status sheaf_hdf5_add_message(sheaf_hdf5_writer *w, sheaf_hdf5_object *object,
                                              sheaf_hdf5_message_type type, unsigned flags, sheaf_error *err);
/* The same for an attribute. */
SHEAF_USE sheaf_status sheaf_hdf5_add_attribute(sheaf_hdf5_writer *w, sheaf_hdf5_object *object,
                                                const char *name, sheaf_hdf5_message **out, sheaf_error *err);

/* ---- write_header.c ---- */

/* Writes the headers of all objects. */
SHEAF_USE sheaf_status sheaf_hdf5_write_headers(sheaf_hdf5_writer *w, sheaf_error *err);

/* ---- write_dense.c ---- */

enum { SHEAF_HDF5_MOST_COMPACT = 8 /* links in a header */ };

/* Writes the links of a group and indexes to them: at[0] is the heap, at[1] the index by names, at[2] that by
 * order, if the group has one. */
SHEAF_USE sheaf_status sheaf_hdf5_write_links(sheaf_hdf5_writer *w, const sheaf_hdf5_object *group,
                                              int64_t at[3], sheaf_error *err);

/* ---- write_chunk.c ---- */

/* A chunk in the file. */
typedef struct sheaf_hdf5_chunk {
	int64_t address;
	uint32_t size, skipped;
} sheaf_hdf5_chunk;

/* Writes the index of chunks that follow one another, each of `extent` elements of `width` bytes. */
SHEAF_USE sheaf_status sheaf_hdf5_index_chunks(sheaf_hdf5_writer *w, const sheaf_hdf5_chunk *chunks,
                                               size_t count, int64_t extent, size_t width, int64_t *address,
                                               sheaf_error *err);

/* ---- write_array.c: the driver's functions ---- */

SHEAF_USE sheaf_status sheaf_hdf5_new_array(void *state, sheaf_box_plan *plan, void **array,
                                            sheaf_error *err);
SHEAF_USE sheaf_status sheaf_hdf5_append(void *handle, const void *values, size_t bytes, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_hdf5_write_chunk(void *handle, int64_t chunk, uint32_t skipped,
                                              const void *bytes, size_t size, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_hdf5_end_array(void *handle, int64_t count, sheaf_box_item *item,
                                            sheaf_error *err);
void sheaf_hdf5_drop_array(void *handle);

/* ---- write_text.c ---- */

SHEAF_USE sheaf_status sheaf_hdf5_set_text(void *state, const sheaf_box_item *item, const char *name,
                                           const char *text, size_t size, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_hdf5_read_new_text(sheaf_hdf5_writer *w, const sheaf_box_item *item,
                                                const char *name, sheaf_builder *text, bool *found,
                                                sheaf_error *err);

/* ---- write_dimension.c: what makes HDF5 netCDF ---- */

/* Marks a new file. */
SHEAF_USE sheaf_status sheaf_hdf5_begin_netcdf(sheaf_hdf5_writer *w, sheaf_error *err);
/* Gives a new array a dimension, shared by arrays of its group that are as long. */
SHEAF_USE sheaf_status sheaf_hdf5_add_dimension(sheaf_hdf5_writer *w, sheaf_hdf5_object *group,
                                                sheaf_hdf5_object *array, int64_t count, sheaf_error *err);
/* Whether arrays have this dimension. */
bool sheaf_hdf5_is_used(const sheaf_hdf5_object *scale);
/* The attributes that lead from an array to its dimension, and from a dimension to its arrays, in w->message.
 * While headers are measured there are no addresses yet. */
SHEAF_USE sheaf_status sheaf_hdf5_describe_dimension(sheaf_hdf5_writer *w, const sheaf_hdf5_object *array,
                                                     bool is_measuring, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_hdf5_describe_uses(sheaf_hdf5_writer *w, const sheaf_hdf5_object *scale,
                                                sheaf_error *err);

#endif
