/* SPDX-License-Identifier: MIT */
/* Constants of the HDF5 File Format Specification that its reader and its writer share. */
#ifndef SHEAF_CONTAINER_HDF5_FORMAT_H
#define SHEAF_CONTAINER_HDF5_FORMAT_H

/* The first bytes of the superblock. */
#define SHEAF_HDF5_SIGNATURE "\211HDF\r\n\032\n"

/* Messages in the header of an object. */
typedef enum sheaf_hdf5_message_type {
	SHEAF_HDF5_NIL,
	SHEAF_HDF5_SPACE,
	SHEAF_HDF5_LINK_INFO,
	SHEAF_HDF5_TYPE,
	SHEAF_HDF5_OLD_FILL,
	SHEAF_HDF5_FILL,
	SHEAF_HDF5_LINK,
	SHEAF_HDF5_EXTERNAL,
	SHEAF_HDF5_LAYOUT,
	SHEAF_HDF5_GROUP_INFO = 10,
	SHEAF_HDF5_FILTERS,
	SHEAF_HDF5_ATTRIBUTE,
	SHEAF_HDF5_SHARED_TABLE = 15,
	SHEAF_HDF5_CONTINUATION,
	SHEAF_HDF5_SYMBOLS,
	SHEAF_HDF5_ATTRIBUTE_INFO = 21,
	SHEAF_HDF5_LINK_COUNT
} sheaf_hdf5_message_type;

/* Flags of a message. */
enum { SHEAF_HDF5_SHARED = 2, SHEAF_HDF5_MUST_KNOW = 128 };

enum { SHEAF_HDF5_HARD_LINK, SHEAF_HDF5_SOFT_LINK, SHEAF_HDF5_EXTERNAL_LINK = 64 };

enum { SHEAF_HDF5_COMPACT, SHEAF_HDF5_CONTIGUOUS, SHEAF_HDF5_CHUNKED, SHEAF_HDF5_VIRTUAL };

/* Indexes of chunks; the first is that of layouts before version 4. */
enum {
	SHEAF_HDF5_TREE_1,
	SHEAF_HDF5_SINGLE,
	SHEAF_HDF5_IMPLICIT,
	SHEAF_HDF5_FIXED_ARRAY,
	SHEAF_HDF5_EXTENSIBLE_ARRAY,
	SHEAF_HDF5_TREE_2
};

/* Classes of types. */
enum {
	SHEAF_HDF5_INTEGER,
	SHEAF_HDF5_FLOAT,
	SHEAF_HDF5_TIME,
	SHEAF_HDF5_STRING,
	SHEAF_HDF5_BITS,
	SHEAF_HDF5_OPAQUE,
	SHEAF_HDF5_COMPOUND,
	SHEAF_HDF5_REFERENCE,
	SHEAF_HDF5_ENUMERATION,
	SHEAF_HDF5_SEQUENCE, /* of variable length */
	SHEAF_HDF5_ARRAY,
	SHEAF_HDF5_COMPLEX
};

enum { SHEAF_HDF5_MOST_DIMENSIONS = 32, SHEAF_HDF5_MOST_DEPTH = 32 /* of a B-tree */ };

/* Types of B-trees of version 1, then of version 2. */
enum { SHEAF_HDF5_GROUP_NODES, SHEAF_HDF5_CHUNK_NODES };
enum {
	SHEAF_HDF5_HUGE_OBJECTS = 1,
	SHEAF_HDF5_LINK_NAMES = 5,
	SHEAF_HDF5_LINK_ORDERS,
	SHEAF_HDF5_ATTRIBUTE_NAMES = 8,
	SHEAF_HDF5_PLAIN_CHUNKS = 10,
	SHEAF_HDF5_FILTERED_CHUNKS
};

/* Whether links or attributes are numbered in the order of their creation, and whether an index finds them by
 * these numbers: flags of their infos. */
enum { SHEAF_HDF5_TRACKED = 1, SHEAF_HDF5_INDEXED = 2 };

/* Structures after their signatures and versions, as patterns of fields (sheaf_hdf5_fields, sheaf_hdf5_put).
 * The head of a B-tree of version 2, after its type: size of nodes, of records, depth, percentages at which
 * nodes are split and merged, root, its records, all records. */
#define SHEAF_HDF5_TREE_HEAD "4222A2L"
/* The head of a fractal heap: size of identifiers, of filters, flags, largest object in a block; next huge
 * object, tree of these; free space, and its manager; size, allocated size, where the next ones come,
 * objects; huge ones and their size; tiny ones and theirs; width, first and largest size of blocks, bits of
 * an offset, initial rows, root, its rows. */
#define SHEAF_HDF5_HEAP_HEAD "2214LALALLLLLLLL2LL22A2"

#endif
