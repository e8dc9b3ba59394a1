/* SPDX-License-Identifier: MIT */
/* HDF5 files, read by our own code. Every structure is copied out of the file, checked against its end and
 * its checksum, and parsed by a cursor. A budget, the size of the file, limits every walk from structure to
 * structure, and nothing is visited twice: so every walk ends. */
#ifndef SHEAF_CONTAINER_HDF5_READ_H
#define SHEAF_CONTAINER_HDF5_READ_H

#include "base/cursor.h"
#include "base/extend.h"
#include "base/threads/thread.h"
#include "container/hdf5/format.h"
#include "container/inside.h"

/* A set of 64-bit numbers, each with a value of ours. Begins as zeros. */
typedef struct sheaf_hdf5_places {
	struct {
		int64_t place;
		uint32_t value; /* 0: free */
	} * slots;
	size_t count, room;
} sheaf_hdf5_places;

/* An open file. Once it is open, only the collection of texts changes. */
typedef struct sheaf_hdf5_reader {
	sheaf_context *cx;
	const sheaf_store *store;
	int64_t size; /* size of the file */
	int64_t base; /* byte at which addresses begin */
	unsigned address_size, length_size;
	/* The first and the last bytes of the file, where most small files have all their structures, and their
	 * positions. */
	sheaf_builder ends[2];
	int64_t end_at[2];
	/* From the superblock: */
	unsigned version;
	int64_t root;      /* address of the root group's header */
	int64_t extension; /* of the superblock's; -1: none */
	int64_t addresses; /* the positions of the base, and of the addresses after it, within it */
	unsigned fan;      /* half of the maximum number of chunks in a node of their index */
	unsigned is_open;  /* for a writer */
	bool is_netcdf;
	int64_t next_dimension;   /* netCDF: greater than the number of every dimension */
	bool lists_dimensions;    /* of netCDF that are nothing else, too */
	sheaf_hdf5_places paths;  /* for listings: the number of the item at an address, from 1 */
	sheaf_mutex lock;         /* of the last collection of texts that was read: */
	sheaf_builder collection; /* its bytes, */
	sheaf_builder objects;    /* where its objects are, by their numbers, */
	int64_t collection_at;    /* and its position; 0: none */
	/* For tests: called for each structure that is read, with its name, and the position of its checksum in
	 * it (-1: it has none). */
	void (*on_structure)(void *user, const char *what, int64_t byte, size_t size, int64_t sum);
	void *user;
} sheaf_hdf5_reader;

/* ---- look.c: structures ---- */

/* A walk through some structures of a file, and the current one. */
typedef struct sheaf_hdf5_look {
	const sheaf_hdf5_reader *r;
	const char *what;    /* the structure, */
	int64_t address;     /* its address, */
	sheaf_builder bytes; /* its bytes, */
	sheaf_cursor c;      /* and how far it was parsed */
	sheaf_hdf5_places seen;
	sheaf_builder window; /* bytes around the last one read, if much is read: headers that are side by side */
	int64_t window_at;    /* their position in the file; -1: nothing is read ahead; 0 at first if it is */
	uint32_t order;       /* number of the attribute in the order of creation, if that is kept */
	sheaf_builder *members; /* receives a sheaf_hdf5_member for each member of a compound; NULL: nothing */
	sheaf_catalog *catalog; /* where names are kept; NULL: nowhere */
	int64_t *left;          /* bytes that may still be read */
	int64_t own_left;
	sheaf_error *err;
} sheaf_hdf5_look;

/* `left`: a budget that several walks share; NULL: one of its own. */
void sheaf_hdf5_look_begin(sheaf_hdf5_look *l, const sheaf_hdf5_reader *r, int64_t *left, sheaf_error *err);
void sheaf_hdf5_look_end(sheaf_hdf5_look *l);
/* The maximum total size of all structures that are read one after another. */
int64_t sheaf_hdf5_budget(const sheaf_hdf5_reader *r);

/* Reads a structure of `size` bytes. `letters` (NULL: it has none) are the four bytes of its signature,
 * followed by the largest known version; the cursor is after both. `sum`: where its checksum is: at its end,
 * before which the cursor ends, or at an offset within. */
enum { SHEAF_HDF5_PLAIN, SHEAF_HDF5_SUMMED = -1 };
SHEAF_USE sheaf_status sheaf_hdf5_go(sheaf_hdf5_look *l, const char *what, int64_t address, uint64_t size,
                                     const char *letters, int sum);
/* Its first bytes, which say how long it is: as many as there are, up to `most`. */
SHEAF_USE sheaf_status sheaf_hdf5_peek(sheaf_hdf5_look *l, const char *what, int64_t address, size_t most);
/* Whether everything that was read was there, and valid. */
SHEAF_USE sheaf_status sheaf_hdf5_done(const sheaf_hdf5_look *l, const sheaf_cursor *c);
/* DATA: the byte of the file, what was expected there and what was found. */
SHEAF_USE sheaf_status sheaf_hdf5_refuse(const sheaf_hdf5_look *l, int64_t byte, const char *expected,
                                         uint64_t found);
/* UNSUPPORTED: the structure seems sound, but is not read here. */
SHEAF_USE sheaf_status sheaf_hdf5_decline(const sheaf_hdf5_look *l, int64_t byte, const char *what);
/* Records a place; DATA if it was visited before. */
SHEAF_USE sheaf_status sheaf_hdf5_meet(sheaf_hdf5_look *l, const char *what, int64_t address);

/* A little-endian number of up to 8 bytes. */
uint64_t sheaf_hdf5_take(sheaf_cursor *c, size_t width, const char *field);
uint64_t sheaf_hdf5_take_length(const sheaf_hdf5_reader *r, sheaf_cursor *c, const char *field);
/* -1: the undefined address. An address beyond any file is INT64_MAX / 2, to which a base may be added. */
int64_t sheaf_hdf5_take_address(const sheaf_hdf5_reader *r, sheaf_cursor *c, const char *field);
/* Reads fields by a pattern: a digit is a number of that many bytes, A an address, L a length; a field after
 * a minus is skipped. `out` gets all others, an undefined address as -1. Fails if one is missing. */
SHEAF_USE sheaf_status sheaf_hdf5_fields(const sheaf_hdf5_look *l, sheaf_cursor *c, const char *pattern,
                                         const char *what, int64_t out[]);
/* The next bytes, as a separate cursor. */
sheaf_cursor sheaf_hdf5_part_of(sheaf_cursor *c, uint64_t size, const char *what);
/* One byte from `least` to `most`; any other value makes the cursor fail, and becomes `least`. */
unsigned sheaf_hdf5_byte(sheaf_cursor *c, unsigned least, unsigned most, const char *expected);
/* Appends to a list. */
SHEAF_USE sheaf_status sheaf_hdf5_note(sheaf_builder *list, const void *item, size_t size, sheaf_error *err);
static inline bool sheaf_hdf5_is_power(uint64_t n) { return n > 0 && (n & (n - 1)) == 0; }
/* The number of bytes that a number up to `most` needs. */
unsigned sheaf_hdf5_bytes_for(uint64_t most);

/* The value of a place, or 0. */
uint32_t sheaf_hdf5_places_find(const sheaf_hdf5_places *p, int64_t place);
SHEAF_USE sheaf_status sheaf_hdf5_places_add(sheaf_hdf5_places *p, int64_t place, uint32_t value,
                                             sheaf_context *cx, sheaf_error *err);
void sheaf_hdf5_places_clear(sheaf_hdf5_places *p, sheaf_context *cx);
void sheaf_hdf5_places_drop(sheaf_hdf5_places *p, sheaf_context *cx);

/* ---- header.c: headers of objects ---- */

/* A message of a header. */
typedef struct sheaf_hdf5_part {
	sheaf_hdf5_message_type type;
	uint8_t flags;
	uint32_t order;  /* in the order of creation of attributes, if that is kept */
	size_t at, size; /* in the bytes of the header */
	int64_t byte;    /* of the file */
} sheaf_hdf5_part;

typedef struct sheaf_hdf5_header {
	int64_t address;
	unsigned version, flags;
	int64_t nlinked; /* link count, in version 1 */
	uint64_t room;   /* size of the messages in its first block, */
	size_t room_at;  /* and where they begin there */
	sheaf_builder bytes;
	sheaf_builder parts;
} sheaf_hdf5_header;

/* Begins as zeros, and may be reused; dropped in any case. */
SHEAF_USE sheaf_status sheaf_hdf5_header_read(sheaf_hdf5_look *l, int64_t address, sheaf_hdf5_header *h);
void sheaf_hdf5_header_drop(sheaf_hdf5_header *h);
const sheaf_hdf5_part *sheaf_hdf5_parts(const sheaf_hdf5_header *h, size_t *count);
/* The header of one object, with a look of its own. The second function ends it, also after a failure. */
typedef struct sheaf_hdf5_visit {
	sheaf_hdf5_look l;
	sheaf_hdf5_header h;
} sheaf_hdf5_visit;
SHEAF_USE sheaf_status sheaf_hdf5_enter(sheaf_hdf5_visit *v, const sheaf_hdf5_reader *r, int64_t address,
                                        sheaf_error *err);
void sheaf_hdf5_leave(sheaf_hdf5_visit *v);
/* The first of a type, or NULL. */
const sheaf_hdf5_part *sheaf_hdf5_part_find(const sheaf_hdf5_header *h, sheaf_hdf5_message_type type);
sheaf_cursor sheaf_hdf5_part_cursor(const sheaf_hdf5_header *h, const sheaf_hdf5_part *part);

/* ---- tree.c: B-trees ---- */

/* Called for each record. */
typedef sheaf_status (*sheaf_hdf5_record)(void *user, sheaf_cursor *record);
/* All entries of the leaves of a B-tree of version 1, keys followed by addresses, in any order. */
SHEAF_USE sheaf_status sheaf_hdf5_tree_1(sheaf_hdf5_look *l, unsigned type, size_t key_size, int64_t address,
                                         sheaf_hdf5_record record, void *user);
/* All records of a B-tree of version 2, in any order. */
SHEAF_USE sheaf_status sheaf_hdf5_tree_2(sheaf_hdf5_look *l, unsigned type, int64_t address,
                                         sheaf_hdf5_record record, void *user);

/* The shape of such trees: how many records a node may have by its depth, how many including those below it,
 * and the size of a pointer to a child. */
typedef struct sheaf_hdf5_shape {
	uint64_t most[SHEAF_HDF5_MOST_DEPTH + 1], below[SHEAF_HDF5_MOST_DEPTH + 1];
	size_t pointer[SHEAF_HDF5_MOST_DEPTH + 1];
} sheaf_hdf5_shape;
void sheaf_hdf5_find_shape(sheaf_hdf5_shape *s, uint64_t node_size, uint64_t record_size,
                           size_t address_size);

/* ---- fractal.c: fractal heaps ---- */

/* The objects to which a message of link info or attribute info leads, in a heap and by a B-tree of version 2
 * of this type, in the order of their places in the heap. */
SHEAF_USE sheaf_status sheaf_hdf5_heap_objects(sheaf_hdf5_look *l, sheaf_cursor *info, unsigned type,
                                               sheaf_hdf5_record object, void *user);

/* ---- link.c: what is in a group ---- */

typedef struct sheaf_hdf5_way {
	const uint8_t *name;
	size_t name_size;
	unsigned kind;
	int64_t address;   /* of the object's header, if the link is hard */
	sheaf_bytes value; /* else */
	bool is_utf8;
	int64_t order; /* in the order of creation of links; -1: not kept */
} sheaf_hdf5_way;

typedef sheaf_status (*sheaf_hdf5_way_seen)(void *user, const sheaf_hdf5_way *way);
/* All links of a group, in any order. */
SHEAF_USE sheaf_status sheaf_hdf5_links(sheaf_hdf5_look *l, const sheaf_hdf5_header *group,
                                        sheaf_hdf5_way_seen way, void *user);
bool sheaf_hdf5_is_group(const sheaf_hdf5_header *h);

/* ---- type.c: spaces and types ---- */

typedef struct sheaf_hdf5_space {
	bool is_null;
	int rank;
	uint64_t dims[SHEAF_HDF5_MOST_DIMENSIONS];
	uint64_t most[SHEAF_HDF5_MOST_DIMENSIONS]; /* UINT64_MAX: no limit */
	uint64_t count;                            /* of elements; UINT64_MAX: more than that */
} sheaf_hdf5_space;
SHEAF_USE sheaf_status sheaf_hdf5_take_space(const sheaf_hdf5_look *l, sheaf_cursor *c,
                                             sheaf_hdf5_space *out);

typedef struct sheaf_hdf5_type {
	unsigned class, version, flags;
	uint32_t size;   /* of a value */
	uint32_t stored; /* of an element, which may be an array or a list of values */
	int rank;        /* of an array */
	uint32_t dims[SHEAF_MAX_RANK];
	bool is_list, is_big, is_signed;
	uint16_t offset, precision; /* bits */
	struct {
		uint8_t sign, exponent, exponent_bits, mantissa, mantissa_bits, norm;
		uint32_t bias;
	} bits;
	bool is_variable_text, is_bool, is_complex;
	const sheaf_box_name *names; /* of an enumeration, in the order of their codes */
	int nnames;
} sheaf_hdf5_type;
/* A number, a text or a list in a compound, or in one within it: "position.x[0]". */
typedef struct sheaf_hdf5_member {
	const char *name;
	uint64_t offset;
	sheaf_hdf5_type type;
} sheaf_hdf5_member;
/* If the message may be shared, the type may be that of a committed type. */
SHEAF_USE sheaf_status sheaf_hdf5_take_type(const sheaf_hdf5_look *l, sheaf_cursor *c, bool is_shared,
                                            sheaf_hdf5_type *out);

/* ---- attribute.c ---- */

typedef struct sheaf_hdf5_attribute {
	const uint8_t *name;
	size_t name_size;
	sheaf_hdf5_type type;
	sheaf_hdf5_space space;
	sheaf_bytes value; /* as it is stored */
	int64_t byte;      /* position of the value in the file; -1: not known */
	const char *refused; /* for listings: why it is not read, but for its name; NULL: it is */
	/* The source of the above: */
	sheaf_bytes message;
	uint8_t flags;
	uint32_t order;
} sheaf_hdf5_attribute;

typedef sheaf_status (*sheaf_hdf5_attribute_seen)(void *user, const sheaf_hdf5_attribute *attribute);
/* All attributes, in any order. `is_raw`: as they are stored, of which only the name is parsed. */
SHEAF_USE sheaf_status sheaf_hdf5_attributes(sheaf_hdf5_look *l, const sheaf_hdf5_header *h, bool is_raw,
                                             sheaf_hdf5_attribute_seen attribute, void *user);
/* The same with the values of all that are read; others have the reason. */
SHEAF_USE sheaf_status sheaf_hdf5_show_attributes(sheaf_hdf5_look *l, const sheaf_hdf5_header *h,
                                                  sheaf_hdf5_attribute_seen attribute, void *user);
/* The attribute of this name; those of other names are not looked at. Its bytes are those of the header or of
 * the current structure: they stay until either changes. */
SHEAF_USE sheaf_status sheaf_hdf5_attribute_named(sheaf_hdf5_look *l, const sheaf_hdf5_header *h,
                                                  const char *name, sheaf_hdf5_attribute *out, bool *found);
bool sheaf_hdf5_is_named(const sheaf_hdf5_attribute *a, const char *name);
/* Whether it is a text of fixed length with this beginning. */
bool sheaf_hdf5_begins(const sheaf_hdf5_attribute *a, const char *text);

/* ---- notes.c ---- */

/* Notes all attributes of an object for listings, and the names of its dimensions. */
SHEAF_USE sheaf_status sheaf_hdf5_complete(void *state, sheaf_box_notes *notes, sheaf_error *err);

/* ---- text.c ---- */

/* Size of a reference to a text: its length, the address of a collection, an index in it. */
#define SHEAF_HDF5_REFERENCE_SIZE(r) (8 + (size_t)(r)->address_size)
/* Appends the elements of `width` bytes to which a reference leads; for a text up to its NUL, if it has
 * one. */
SHEAF_USE sheaf_status sheaf_hdf5_append_sequence(sheaf_hdf5_reader *r, const uint8_t *reference,
                                                  uint32_t width, bool is_text, sheaf_builder *out,
                                                  sheaf_error *err);
/* Appends the text of an element of a type. */
SHEAF_USE sheaf_status sheaf_hdf5_append_text(sheaf_hdf5_reader *r, const sheaf_hdf5_type *type,
                                              const uint8_t *element, sheaf_builder *text, sheaf_error *err);

/* ---- layout.c ---- */

typedef struct sheaf_hdf5_layout {
	unsigned version, class, index;
	int64_t address;
	uint64_t size; /* size, if contiguous or compact */
	int64_t byte;  /* position in the file, if compact */
	int rank;      /* of chunks */
	uint64_t extents[SHEAF_HDF5_MOST_DIMENSIONS + 1];
	bool edges_are_plain; /* no filters are applied to edge chunks */
	uint64_t single_size; /* filters are applied to the single chunk */
	uint32_t single_skipped;
} sheaf_hdf5_layout;

SHEAF_USE sheaf_status sheaf_hdf5_take_layout(const sheaf_hdf5_look *l, sheaf_cursor *c,
                                              sheaf_hdf5_layout *out);

/* A chunk in the file. */
typedef struct sheaf_hdf5_stored {
	int64_t number; /* in the grid */
	int64_t address;
	uint64_t size;
	uint32_t skipped;
} sheaf_hdf5_stored;

/* ---- chunk.c: indexes of chunks ---- */

/* What the driver knows about a group or dataset. */
typedef struct sheaf_hdf5_own {
	int64_t address;
	sheaf_hdf5_type type;
	/* Datasets: */
	int64_t data; /* position of compact values */
	const sheaf_hdf5_stored *chunks;
	int64_t nchunks;
	uint64_t chunk_size;  /* size before filters */
	bool edges_are_plain; /* no filters are applied to edge chunks */
} sheaf_hdf5_own;

/* The index of the chunks of a dataset: *chunks is a run of sheaf_hdf5_stored, sorted by number. */
SHEAF_USE sheaf_status sheaf_hdf5_index(sheaf_hdf5_look *l, const sheaf_hdf5_layout *layout,
                                        const sheaf_hdf5_space *space, bool is_filtered,
                                        sheaf_builder *chunks);

/* ---- describe.c ---- */

/* Describes a dataset, and decides whether it can be read. */
SHEAF_USE sheaf_status sheaf_hdf5_describe(sheaf_hdf5_look *l, const sheaf_hdf5_header *h,
                                           sheaf_catalog *catalog, sheaf_box_item *item);

/* Describes a committed type. */
SHEAF_USE sheaf_status sheaf_hdf5_describe_type(sheaf_hdf5_look *l, const sheaf_hdf5_header *h,
                                                sheaf_catalog *catalog, sheaf_box_item *item);
/* Describes an attribute as the catalog's root. */
SHEAF_USE sheaf_status sheaf_hdf5_describe_attribute(sheaf_hdf5_look *l, const sheaf_hdf5_attribute *a,
                                                     sheaf_catalog *catalog);

/* Lists what cannot be read, with the reason: one damaged object does not affect the others. Returns failures
 * that the file did not cause. */
SHEAF_USE sheaf_status sheaf_hdf5_leave_out(sheaf_catalog *catalog, sheaf_box_item *item,
                                            const sheaf_error *failure, sheaf_error *err);

/* ---- walk.c ---- */

/* Lists the contents of the file. */
SHEAF_USE sheaf_status sheaf_hdf5_walk(sheaf_hdf5_reader *r, sheaf_catalog *catalog, sheaf_error *err);

/* ---- file.c ---- */

/* Opens an existing file; the second function closes it. Begins as zeros, or with on_structure and its
 * user, or lists_dimensions. */
SHEAF_USE sheaf_status sheaf_hdf5_reader_open(sheaf_hdf5_reader *r, const sheaf_store *store,
                                              sheaf_catalog *catalog, sheaf_context *cx, sheaf_error *err);
void sheaf_hdf5_reader_close(sheaf_hdf5_reader *r);

/* The functions of a driver, whose state begins with a reader. */
SHEAF_USE sheaf_status sheaf_hdf5_text(void *state, const sheaf_box_item *item, const char *name,
                                       sheaf_builder *text, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_hdf5_read_rows(void *state, const sheaf_box_item *item, int64_t from, int64_t to,
                                            void *out, sheaf_error *err);
int64_t sheaf_hdf5_chunk_at(const void *state, const sheaf_box_item *item, int64_t number);
SHEAF_USE sheaf_status sheaf_hdf5_read_chunk(void *state, const sheaf_box_item *item, int64_t chunk,
                                             uint32_t *skipped, sheaf_builder *bytes, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_hdf5_text_of(void *state, const sheaf_box_item *item, const uint8_t *element,
                                          sheaf_builder *text, sheaf_error *err);

#endif
