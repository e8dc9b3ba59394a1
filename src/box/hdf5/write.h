/* SPDX-License-Identifier: MIT */
/* A file of HDF5 that is written. Values, texts and chunks go to the end of the file as they come; headers of
 * objects, groups and the superblock are kept in memory and written when the file is finished, the new ones
 * first and what leads to them last. So what was in the file can be read until then, and an interrupted
 * writer leaves nothing half done that anybody could reach. */
#ifndef SHEAF_BOX_HDF5_WRITE_H
#define SHEAF_BOX_HDF5_WRITE_H

#include "base/endian.h"
#include "box/hdf5/read.h"

/* No address. */
#define SHEAF_HDF5_NOWHERE (-1)

enum { SHEAF_HDF5_CONSTANT = 1 }; /* flag of a message that does not change */

/* A message of a header, as it stands in the file. */
typedef struct sheaf_hdf5_message {
	struct sheaf_hdf5_message *next;
	sheaf_hdf5_message_type type;
	uint8_t flags;
	sheaf_bytes data;
	int64_t order; /* in which attributes were made */
	/* Attributes: */
	const char *name;
	int64_t text; /* address of the text that was written here; 0: it is no such attribute */
	size_t text_size;
	bool is_gone;
} sheaf_hdf5_message;

typedef struct sheaf_hdf5_messages {
	sheaf_hdf5_message *first, **end;
} sheaf_hdf5_messages;

/* A way from a group to an object. */
typedef struct sheaf_hdf5_link {
	SHEAF_BASE(sheaf_hdf5_way, way); /* of an object that nobody has touched, as the file has it */
	struct sheaf_hdf5_link *next;    /* of the group */
	struct sheaf_hdf5_object *group;
	struct sheaf_hdf5_object *to; /* NULL: one that nobody has touched, or it is no hard link */
	uint32_t alike;               /* number of the one before whose name may be the same; 0: there is none */
	bool is_gone;
} sheaf_hdf5_link;

/* An array that has a dimension, and which of its own that is. */
typedef struct sheaf_hdf5_user {
	struct sheaf_hdf5_user *next;
	const struct sheaf_hdf5_object *array; /* NULL: it was there, */
	int64_t address, nth;                  /* at this address */
	bool is_gone;
} sheaf_hdf5_user;

/* A group or dataset that is new, or was looked at. */
typedef struct sheaf_hdf5_object {
	uint32_t number; /* in the order in which they came */
	int64_t address; /* of its header; NOWHERE: not given yet */
	bool is_group, is_gone;
	int64_t nlinked; /* ways to it */
	/* What its header says, but for links and attributes where these are listed. */
	sheaf_hdf5_messages messages, attributes;
	int64_t next_attribute;
	uint8_t attribute_order;
	/* Groups: */
	sheaf_hdf5_link *links, **end_of_links;
	int64_t nlinks, next_link;
	uint8_t link_order;
	/* What was there: */
	bool is_old, is_listed, has_attributes; /* links and attributes are known one by one */
	bool links_change, attributes_change, nlinked_changes;
	unsigned version; /* of its header */
	size_t room_at;   /* bytes before the messages of its first piece, */
	uint64_t room;    /* and of these */
	/* netCDF: */
	int64_t places; /* of a dimension; -1: it is none */
	bool is_known_dimension, has_uses;
	sheaf_hdf5_user *users, **end_of_users;
	int64_t nusers;
	const struct sheaf_hdf5_object *dimension; /* of an array; NULL: not given here */
} sheaf_hdf5_object;

/* Objects, messages, links and users live as long as the catalog. */
typedef struct sheaf_hdf5_writer {
	sheaf_hdf5_reader reader; /* of what was there; of a new file it has sizes alone */
	bool is_into;             /* something was there */
	sheaf_catalog *catalog;
	sheaf_error *err; /* of the call that is under way */
	sheaf_box_kind kind;
	int64_t end; /* of the file, from its base */
	/* Bytes that are on their way to `waiting_at`. */
	sheaf_builder waiting;
	int64_t waiting_at;
	/* The collection of texts that is being filled, and its bytes; 0: there is none. */
	sheaf_builder texts;
	int64_t texts_at;
	size_t texts_size;
	uint16_t ntexts;
	sheaf_builder objects; /* pointers to those that are new or were looked at; the root comes first */
	sheaf_hdf5_places old; /* of those that were there: one more than their number */
	sheaf_builder links;   /* pointers to all */
	sheaf_hdf5_places link_numbers;
	sheaf_builder heads; /* first pieces of headers that change, each after its address and size */
	/* What is being made: a header, a message of one, and the parts of an attribute. */
	sheaf_builder header, message, type, space, value;
} sheaf_hdf5_writer;

/* ---- write_bytes.c: places in the file, and bytes on their way there ---- */

/* Gives `size` bytes at the end of the file. */
SHEAF_USE sheaf_status sheaf_hdf5_allocate(sheaf_hdf5_writer *w, uint64_t size, int64_t align,
                                           int64_t *address);
/* Writes them, at once or with what comes next to them. */
SHEAF_USE sheaf_status sheaf_hdf5_store(sheaf_hdf5_writer *w, int64_t address, const void *bytes,
                                        size_t size);
SHEAF_USE sheaf_status sheaf_hdf5_flush(sheaf_hdf5_writer *w);
/* Gives a place and writes there. */
SHEAF_USE sheaf_status sheaf_hdf5_store_new(sheaf_hdf5_writer *w, const sheaf_builder *bytes,
                                            int64_t *address);

/* A little-endian number of some bytes. */
void sheaf_hdf5_put_number(sheaf_builder *b, uint64_t number, size_t width);
/* Fields by a pattern, as sheaf_hdf5_fields takes them. `w` may be NULL where there is neither an address nor
 * a length. */
void sheaf_hdf5_put(const sheaf_hdf5_writer *w, sheaf_builder *b, const char *pattern,
                    const int64_t fields[]);
void sheaf_hdf5_put_zeros(sheaf_builder *b, size_t count);
/* The checksum of what the builder holds. */
void sheaf_hdf5_put_sum(sheaf_builder *b);

/* Puts bytes into the heap of texts, and appends a reference to them, which says how many elements they are;
 * *address: where they are. */
SHEAF_USE sheaf_status sheaf_hdf5_store_text(sheaf_hdf5_writer *w, sheaf_bytes text, size_t count,
                                             sheaf_builder *reference, int64_t *address);
SHEAF_USE sheaf_status sheaf_hdf5_read_text(sheaf_hdf5_writer *w, int64_t address, size_t size,
                                            sheaf_builder *text);
SHEAF_USE sheaf_status sheaf_hdf5_flush_texts(sheaf_hdf5_writer *w);

/* ---- write_object.c: objects, their messages and the ways to them ---- */

/* Gives an attribute to an object whose attributes are listed, in place of one of the same name. */
SHEAF_USE sheaf_status sheaf_hdf5_set_attribute(sheaf_hdf5_writer *w, sheaf_hdf5_object *object,
                                                const char *name, sheaf_hdf5_message like);
void sheaf_hdf5_remove_attribute(const sheaf_hdf5_object *object, const char *name);

/* What is in w->message becomes a message of a list, or of an object, and is taken out of the builder. */
SHEAF_USE sheaf_status sheaf_hdf5_add_message(sheaf_hdf5_writer *w, sheaf_hdf5_messages *list,
                                              sheaf_hdf5_message like);
SHEAF_USE sheaf_status sheaf_hdf5_say(sheaf_hdf5_writer *w, sheaf_hdf5_object *object,
                                      sheaf_hdf5_message_type type, uint8_t flags);
/* NULL: there is none. */
sheaf_hdf5_message *sheaf_hdf5_find_attribute(const sheaf_hdf5_object *object, const char *name);

size_t sheaf_hdf5_object_count(const sheaf_hdf5_writer *w);
sheaf_hdf5_object *sheaf_hdf5_object_at(const sheaf_hdf5_writer *w, size_t number);
SHEAF_USE sheaf_status sheaf_hdf5_new_object(sheaf_hdf5_writer *w, bool is_group, sheaf_hdf5_object **out);
/* The way to a new object. */
SHEAF_USE sheaf_status sheaf_hdf5_link_new(sheaf_hdf5_writer *w, sheaf_hdf5_object *group, const char *name,
                                           sheaf_hdf5_object *to);
/* NULL: there is none. */
sheaf_hdf5_link *sheaf_hdf5_find_link(const sheaf_hdf5_writer *w, const sheaf_hdf5_object *group,
                                      const char *name, size_t size);
/* Bytes become a copy that lives as long as the writer, with a NUL after it. */
SHEAF_USE sheaf_status sheaf_hdf5_keep(sheaf_hdf5_writer *w, sheaf_bytes *bytes);

SHEAF_USE sheaf_status sheaf_hdf5_old_object(sheaf_hdf5_writer *w, int64_t address, sheaf_hdf5_object **out);
/* Makes attributes known one by one. Nothing to do for what is new. */
SHEAF_USE sheaf_status sheaf_hdf5_list_attributes(sheaf_hdf5_writer *w, sheaf_hdf5_object *o);
/* Reads the header of an object that was there for a function that takes it apart. */
typedef sheaf_status (*sheaf_hdf5_answer)(void *user, sheaf_hdf5_look *l, const sheaf_hdf5_header *h);
SHEAF_USE sheaf_status sheaf_hdf5_ask(sheaf_hdf5_writer *w, int64_t address, sheaf_hdf5_answer answer,
                                      void *user);
/* The first of a type, or NULL. */
const sheaf_hdf5_message *sheaf_hdf5_find_message(const sheaf_hdf5_object *o, sheaf_hdf5_message_type type);

/* The group that a path leads into, and the last name of the path. */
SHEAF_USE sheaf_status sheaf_hdf5_find_group(sheaf_hdf5_writer *w, const char *path,
                                             sheaf_hdf5_object **group, const char **name);
SHEAF_USE sheaf_status sheaf_hdf5_find_object(sheaf_hdf5_writer *w, const char *path,
                                              sheaf_hdf5_object **out);
/* The same among what is known without a look at the file; NULL: it is not. */
sheaf_hdf5_object *sheaf_hdf5_known_object(const sheaf_hdf5_writer *w, const char *path);

/* ---- write_message.c: what headers say, appended to a builder ---- */

/* An array of one dimension, which has room for as many, or may grow. */
void sheaf_hdf5_put_space(const sheaf_hdf5_writer *w, sheaf_builder *b, int64_t count, bool has_limit);
void sheaf_hdf5_put_scalar(sheaf_builder *b);
void sheaf_hdf5_put_type(sheaf_builder *b, sheaf_type type, bool is_big);
/* Of ASCII with a NUL at the end; or of UTF-8, padded by NULs. */
void sheaf_hdf5_put_fixed_text_type(sheaf_builder *b, size_t size, bool is_padded);
void sheaf_hdf5_put_text_type(const sheaf_hdf5_writer *w, sheaf_builder *b);
/* Of variable numbers of references to objects. */
void sheaf_hdf5_put_references_type(const sheaf_hdf5_writer *w, sheaf_builder *b);
/* A reference to an array, and the number of one of its dimensions. */
enum { SHEAF_HDF5_USE = 16 /* bytes */ };
void sheaf_hdf5_put_use_type(sheaf_builder *b);
void sheaf_hdf5_put_link(const sheaf_hdf5_writer *w, sheaf_builder *b, const sheaf_hdf5_link *link);
/* An attribute is made of the builders w->type, w->space and w->value, which this empties. */
void sheaf_hdf5_begin_attribute(sheaf_hdf5_writer *w);
/* Appends it to w->message. */
SHEAF_USE sheaf_status sheaf_hdf5_put_attribute(sheaf_hdf5_writer *w, const char *name);

/* ---- write_header.c ---- */

/* Writes the headers of all objects. */
SHEAF_USE sheaf_status sheaf_hdf5_write_headers(sheaf_hdf5_writer *w);
/* And, when everything else is in the file, what leads from headers that were there to what has changed. */
SHEAF_USE sheaf_status sheaf_hdf5_write_heads(sheaf_hdf5_writer *w);

/* ---- write_dense.c ---- */

enum { SHEAF_HDF5_MOST_COMPACT = 8 /* links in a header */ };

/* Writes the links of a group and indexes to them: at[0] is the heap, at[1] the index by names, at[2] that by
 * order, if the group has one. */
SHEAF_USE sheaf_status sheaf_hdf5_write_links(sheaf_hdf5_writer *w, const sheaf_hdf5_object *group,
                                              int64_t at[3]);

/* ---- write_array.c: the driver's functions ---- */

SHEAF_USE sheaf_status sheaf_hdf5_new_array(void *state, sheaf_box_plan *plan, void **array,
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
/* Gives a new array a dimension, shared by arrays of its group that are as long. */
SHEAF_USE sheaf_status sheaf_hdf5_add_dimension(sheaf_hdf5_writer *w, sheaf_hdf5_object *group,
                                                sheaf_hdf5_object *array, int64_t count);
/* Before a dataset goes: its dimensions do not lead to it any more. */
SHEAF_USE sheaf_status sheaf_hdf5_leave_dimensions(sheaf_hdf5_writer *w, const sheaf_hdf5_object *array);
/* Whether arrays have this dimension. */
bool sheaf_hdf5_is_used(const sheaf_hdf5_object *scale);
/* The attributes that lead from an array to its dimension, and from a dimension to its arrays, in w->message.
 * While headers are measured there are no addresses yet. */
SHEAF_USE sheaf_status sheaf_hdf5_put_dimension(sheaf_hdf5_writer *w, const sheaf_hdf5_object *array,
                                                bool is_measuring);
SHEAF_USE sheaf_status sheaf_hdf5_put_uses(sheaf_hdf5_writer *w, const sheaf_hdf5_object *scale);

#endif
