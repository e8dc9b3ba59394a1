/* SPDX-License-Identifier: MIT */
/* Writing an HDF5 file. Values, texts and chunks are appended to the file as they come; headers of objects,
 * groups and the superblock are kept in memory and written when the file is finished, first the new ones and
 * last those that lead to them. So the previous contents can be read until then, and an interrupted writer
 * leaves nothing incomplete that could be reached. */
#ifndef SHEAF_CONTAINER_HDF5_WRITE_H
#define SHEAF_CONTAINER_HDF5_WRITE_H

#include "base/endian.h"
#include "container/hdf5/read.h"

/* No address. */
#define SHEAF_HDF5_NOWHERE (-1)

enum { SHEAF_HDF5_CONSTANT = 1 }; /* flag of a message that does not change */

/* A message of a header, in the form of the file. */
typedef struct sheaf_hdf5_message {
	struct sheaf_hdf5_message *next;
	sheaf_hdf5_message_type type;
	uint8_t flags;
	sheaf_bytes data;
	int64_t order; /* in the order of creation of attributes */
	/* Attributes: */
	const char *name;
	int64_t text; /* address of a text that was written here; 0: it is no such attribute */
	size_t text_size;
	bool is_gone;
} sheaf_hdf5_message;

typedef struct sheaf_hdf5_messages {
	sheaf_hdf5_message *first, **end;
} sheaf_hdf5_messages;

/* A link from a group to an object. */
typedef struct sheaf_hdf5_link {
	SHEAF_BASE(sheaf_hdf5_way, way); /* of an unchanged object, as in the file */
	struct sheaf_hdf5_link *next;    /* of the group */
	struct sheaf_hdf5_object *group;
	struct sheaf_hdf5_object *to; /* NULL: an unchanged object, or no hard link */
	uint32_t alike;               /* index of an earlier link whose name may be the same; 0: there is none */
	bool is_gone;
} sheaf_hdf5_link;

/* An array that has a dimension, and which of the array's dimensions that is. */
typedef struct sheaf_hdf5_user {
	struct sheaf_hdf5_user *next;
	const struct sheaf_hdf5_object *array; /* NULL: it existed before, */
	int64_t address, nth;                  /* at this address */
	bool is_gone;
} sheaf_hdf5_user;

/* A group or dataset that is new, or was examined. */
typedef struct sheaf_hdf5_object {
	uint32_t number; /* in the order in which they came */
	int64_t address; /* of its header; NOWHERE: not assigned yet */
	bool is_group, is_gone;
	int64_t nlinked; /* link count */
	/* The contents of its header, except for links and attributes if these are listed. */
	sheaf_hdf5_messages messages, attributes;
	int64_t next_attribute;
	uint8_t attribute_order;
	/* Groups: */
	sheaf_hdf5_link *links, **end_of_links;
	int64_t nlinks, next_link;
	uint8_t link_order;
	/* For existing objects: */
	bool is_old, is_listed, has_attributes; /* links and attributes are listed one by one */
	bool links_change, attributes_change, nlinked_changes;
	unsigned version; /* of its header */
	size_t room_at;   /* bytes before the messages of its first block, */
	uint64_t room;    /* and size of these */
	/* netCDF: */
	int64_t places; /* of a dimension; -1: it is none */
	bool is_known_dimension, has_uses;
	sheaf_hdf5_user *users, **end_of_users;
	int64_t nusers;
	const struct sheaf_hdf5_object *dimension; /* of an array; NULL: not set here */
} sheaf_hdf5_object;

enum { SHEAF_HDF5_BUILDERS = 10 };

/* Objects, messages, links and users live as long as the catalog. */
typedef struct sheaf_hdf5_writer {
	sheaf_hdf5_reader reader; /* of the existing file; for a new file it has only sizes */
	bool is_into;             /* there was something before */
	sheaf_catalog *catalog;
	sheaf_error *err; /* of the current call */
	sheaf_box_kind kind;
	int64_t end; /* size of the file, from its base */
	union {
		sheaf_builder builders[SHEAF_HDF5_BUILDERS]; /* all of them, to begin and drop */
		struct {
			sheaf_builder waiting; /* bytes to be written to `waiting_at` */
			sheaf_builder texts;   /* the collection of texts that is being filled */
			sheaf_builder objects; /* pointers to those that are new or were examined; the root comes first */
			sheaf_builder links;   /* pointers to all */
			sheaf_builder heads;   /* first blocks of changed headers, each after its address and size */
			/* Being made: a header, a message of one, and the parts of an attribute. */
			sheaf_builder header, message, type, space, value;
		};
	};
	int64_t waiting_at;
	int64_t texts_at;      /* of the collection of texts, */
	size_t texts_size;     /* its size (0: there is none), */
	uint16_t ntexts;       /* and how many it has */
	sheaf_hdf5_places old; /* of existing objects: their index plus one */
	sheaf_hdf5_places link_numbers;
} sheaf_hdf5_writer;

/* An array being written, which the box keeps for the driver. */
typedef struct sheaf_hdf5_array {
	sheaf_hdf5_writer *w;
	sheaf_hdf5_object *group, *object;
	sheaf_box_plan plan;
	int64_t address;      /* of the values, or of the index of chunks */
	sheaf_builder chunks; /* those that are in the file */
	sheaf_builder texts;  /* references to them */
} sheaf_hdf5_array;

/* ---- write_bytes.c: places in the file, and bytes on their way there ---- */

/* Allocates `size` bytes at the end of the file. */
SHEAF_USE sheaf_status sheaf_hdf5_allocate(sheaf_hdf5_writer *w, uint64_t size, int64_t align,
                                           int64_t *address);
/* Writes them, at once or together with what follows them. */
SHEAF_USE sheaf_status sheaf_hdf5_store(sheaf_hdf5_writer *w, int64_t address, const void *bytes,
                                        size_t size);
SHEAF_USE sheaf_status sheaf_hdf5_flush(sheaf_hdf5_writer *w);
/* Allocates a place and writes there. */
SHEAF_USE sheaf_status sheaf_hdf5_store_new(sheaf_hdf5_writer *w, const sheaf_builder *bytes,
                                            int64_t *address);

/* A little-endian number of some bytes. */
void sheaf_hdf5_put_number(sheaf_builder *b, uint64_t number, size_t width);
/* Writes fields by a pattern, as sheaf_hdf5_fields reads them. `w` may be NULL if there is neither an address
 * nor a length. */
void sheaf_hdf5_put(const sheaf_hdf5_writer *w, sheaf_builder *b, const char *pattern,
                    const int64_t fields[]);
/* The same with the fields one by one. */
#define SHEAF_HDF5_PUT(w, b, pattern, ...) sheaf_hdf5_put(w, b, pattern, (const int64_t[]){__VA_ARGS__})
void sheaf_hdf5_put_zeros(sheaf_builder *b, size_t count);
/* The checksum of the builder's bytes. */
void sheaf_hdf5_put_sum(sheaf_builder *b);

/* Puts bytes into the heap of texts, and appends a reference to them, which includes the number of elements;
 * *address: where they are. */
SHEAF_USE sheaf_status sheaf_hdf5_store_text(sheaf_hdf5_writer *w, sheaf_bytes text, size_t count,
                                             sheaf_builder *reference, int64_t *address);
SHEAF_USE sheaf_status sheaf_hdf5_read_text(sheaf_hdf5_writer *w, int64_t address, size_t size,
                                            sheaf_builder *text);
SHEAF_USE sheaf_status sheaf_hdf5_flush_texts(sheaf_hdf5_writer *w);

/* ---- write_object.c: objects, their messages and the ways to them ---- */

/* Gives an attribute to an object whose attributes are listed, replacing one of the same name. */
SHEAF_USE sheaf_status sheaf_hdf5_set_attribute(sheaf_hdf5_writer *w, sheaf_hdf5_object *object,
                                                const char *name, sheaf_hdf5_message like);
void sheaf_hdf5_remove_attribute(const sheaf_hdf5_object *object, const char *name);

/* Moves w->message from the builder to a list, or to an object. */
SHEAF_USE sheaf_status sheaf_hdf5_add_message(sheaf_hdf5_writer *w, sheaf_hdf5_messages *list,
                                              sheaf_hdf5_message like);
SHEAF_USE sheaf_status sheaf_hdf5_say(sheaf_hdf5_writer *w, sheaf_hdf5_object *object,
                                      sheaf_hdf5_message_type type, uint8_t flags);
/* NULL: there is none. */
sheaf_hdf5_message *sheaf_hdf5_find_attribute(const sheaf_hdf5_object *object, const char *name);

size_t sheaf_hdf5_object_count(const sheaf_hdf5_writer *w);
sheaf_hdf5_object *sheaf_hdf5_object_at(const sheaf_hdf5_writer *w, size_t number);
SHEAF_USE sheaf_status sheaf_hdf5_new_object(sheaf_hdf5_writer *w, bool is_group, sheaf_hdf5_object **out);
/* The link to a new object. */
SHEAF_USE sheaf_status sheaf_hdf5_link_new(sheaf_hdf5_writer *w, sheaf_hdf5_object *group, const char *name,
                                           sheaf_hdf5_object *to);
/* NULL: there is none. */
sheaf_hdf5_link *sheaf_hdf5_find_link(const sheaf_hdf5_writer *w, const sheaf_hdf5_object *group,
                                      const char *name, size_t size);
/* Copies bytes for the lifetime of the writer, and adds a NUL. */
SHEAF_USE sheaf_status sheaf_hdf5_keep(sheaf_hdf5_writer *w, sheaf_bytes *bytes);

SHEAF_USE sheaf_status sheaf_hdf5_old_object(sheaf_hdf5_writer *w, int64_t address, sheaf_hdf5_object **out);
/* Lists attributes one by one. Does nothing for a new object. */
SHEAF_USE sheaf_status sheaf_hdf5_list_attributes(sheaf_hdf5_writer *w, sheaf_hdf5_object *o);
/* The first of a type, or NULL. */
const sheaf_hdf5_message *sheaf_hdf5_find_message(const sheaf_hdf5_object *o, sheaf_hdf5_message_type type);

/* The group of a path, and the last name of the path. */
SHEAF_USE sheaf_status sheaf_hdf5_find_group(sheaf_hdf5_writer *w, const char *path,
                                             sheaf_hdf5_object **group, const char **name);
/* The object of the first bytes of a path, which end where the path ends or has a slash. */
SHEAF_USE sheaf_status sheaf_hdf5_find_object(sheaf_hdf5_writer *w, const char *path, size_t size,
                                              sheaf_hdf5_object **out);

/* ---- write_message.c: what headers say, appended to a builder ---- */

/* An array of one dimension, with room for that many, or able to grow. */
void sheaf_hdf5_put_space(const sheaf_hdf5_writer *w, sheaf_builder *b, int64_t count, bool has_limit);
/* Any number of dimensions; 0 are a scalar. */
void sheaf_hdf5_put_shape(const sheaf_hdf5_writer *w, sheaf_builder *b, const int64_t *shape, int rank);
void sheaf_hdf5_put_type(sheaf_builder *b, sheaf_type type, bool is_big);
/* The type of elements in this machine's order: numbers, truth values or complex numbers. */
void sheaf_hdf5_put_element(sheaf_builder *b, sheaf_box_class what, sheaf_type type);
/* What all types begin with: class, flags and size. */
void sheaf_hdf5_put_type_head(sheaf_builder *b, unsigned class, unsigned flags, size_t size);
/* Texts of any length. */
void sheaf_hdf5_put_text_type(const sheaf_hdf5_writer *w, sheaf_builder *b);
void sheaf_hdf5_put_record_type(const sheaf_hdf5_writer *w, sheaf_builder *b,
                                const sheaf_box_records *records);
enum { SHEAF_HDF5_USE = 16 /* size of a reference to an array, and the number of one of its dimensions */ };
void sheaf_hdf5_put_link(const sheaf_hdf5_writer *w, sheaf_builder *b, const sheaf_hdf5_link *link);
/* An attribute is made from the builders w->type, w->space and w->value, which this empties. */
void sheaf_hdf5_begin_attribute(sheaf_hdf5_writer *w);
/* Appends it to w->message. */
SHEAF_USE sheaf_status sheaf_hdf5_put_attribute(sheaf_hdf5_writer *w, const char *name);

/* ---- write_header.c ---- */

/* Writes the headers of all objects. */
SHEAF_USE sheaf_status sheaf_hdf5_write_headers(sheaf_hdf5_writer *w);
/* After everything else is in the file, patches existing headers to point at the new structures. */
SHEAF_USE sheaf_status sheaf_hdf5_write_heads(sheaf_hdf5_writer *w);

/* ---- write_dense.c ---- */

enum { SHEAF_HDF5_MOST_COMPACT = 8 /* links in a header */ };

/* Writes the links of a group and their indexes: at[0] is the heap, at[1] the index by name, at[2] that by
 * order, if the group has one. */
SHEAF_USE sheaf_status sheaf_hdf5_write_links(sheaf_hdf5_writer *w, const sheaf_hdf5_object *group,
                                              int64_t at[3]);

/* ---- write_array.c: the driver's functions ---- */

SHEAF_USE sheaf_status sheaf_hdf5_new_array(void *state, sheaf_box_plan *plan, void *handle,
                                            sheaf_error *err);
SHEAF_USE sheaf_status sheaf_hdf5_append(void *handle, const void *values, size_t bytes, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_hdf5_write_chunk(void *handle, int64_t chunk, uint32_t skipped,
                                              const void *bytes, size_t size, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_hdf5_end_array(void *handle, int64_t count, sheaf_box_item *item,
                                            sheaf_error *err);
void sheaf_hdf5_drop_array(void *handle);

/* ---- write_dimension.c: what makes HDF5 netCDF ---- */

/* Marks a new file. */
SHEAF_USE sheaf_status sheaf_hdf5_begin_netcdf(sheaf_hdf5_writer *w);
/* Gives a new array a dimension, which it shares with arrays of its group that have the same length. */
SHEAF_USE sheaf_status sheaf_hdf5_add_dimension(sheaf_hdf5_writer *w, sheaf_hdf5_object *group,
                                                sheaf_hdf5_object *array, int64_t count);
/* Before a dataset is removed: its dimensions no longer lead to it. */
SHEAF_USE sheaf_status sheaf_hdf5_leave_dimensions(sheaf_hdf5_writer *w, const sheaf_hdf5_object *array);
/* Whether arrays use this dimension. */
bool sheaf_hdf5_is_used(const sheaf_hdf5_object *scale);
/* The attributes that lead from an array to its dimension, and from a dimension to its arrays, into
 * w->message. While headers are measured there are no addresses yet. */
SHEAF_USE sheaf_status sheaf_hdf5_put_dimension(sheaf_hdf5_writer *w, const sheaf_hdf5_object *array,
                                                bool is_measuring);
SHEAF_USE sheaf_status sheaf_hdf5_put_uses(sheaf_hdf5_writer *w, const sheaf_hdf5_object *scale);

#endif
