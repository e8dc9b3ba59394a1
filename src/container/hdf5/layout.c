/* SPDX-License-Identifier: MIT */
/* Layouts: where the values of a dataset are. Versions 1 to 4 of the message differ in the widths of
 * their fields, and in what indexes of chunks they know: up to version 3 that is always a B-tree of
 * version 1. Extents of chunks have one dimension more than the array, the size of an element. */
#include "container/hdf5/read.h"

enum { FILTERED = 2, PLAIN_EDGES = 1, NEWEST = 5 };

/* Takes the extents of a chunk, the last of which is the size of an element. A chunk has elements, and
 * less than 4 GiB: nothing that is computed from its extents overflows. */
static sheaf_status take_extents(const sheaf_hdf5_look *l, sheaf_cursor *c, unsigned rank, size_t width,
                                 sheaf_hdf5_layout *out)
{
	uint64_t bytes = 1;
	out->rank = (int)rank - 1;
	for (unsigned i = 0; i < rank; i++) {
		uint64_t extent = sheaf_hdf5_take(c, width, "as many extents of chunks as dimensions");
		SHEAF_TRY(sheaf_hdf5_done(l, c));
		int64_t byte = sheaf_cursor_tell(c) - (int64_t)width;
		if (extent == 0) return sheaf_hdf5_refuse(l, byte, "chunks that hold something", 0);
		if (extent > UINT32_MAX / bytes)
			return sheaf_hdf5_refuse(l, byte, "chunks of less than 4 GiB", extent);
		bytes *= extent;
		out->extents[i] = extent;
	}
	return SHEAF_OK;
}

/* The values are in the message itself. */
static sheaf_status take_compact(const sheaf_hdf5_look *l, sheaf_cursor *c, size_t width,
                                 sheaf_hdf5_layout *out)
{
	out->size = sheaf_hdf5_take(c, width, "a size of values");
	out->byte = sheaf_cursor_tell(c);
	sheaf_cursor_bytes(c, 1, out->size, "values within their message");
	return sheaf_hdf5_done(l, c);
}

/* Takes the layout of chunks. Version 3: rank, the address of the B-tree, and extents of 32 bits. Version
 * 4: flags, rank, extents, the kind of the index, and its parameters, which are skipped, because the
 * index repeats them; except for a single chunk with filters, whose size and mask are here. The rank
 * counts the element as one more dimension. */
static sheaf_status take_chunked(const sheaf_hdf5_look *l, sheaf_cursor *c, sheaf_hdf5_layout *out)
{
	static const char dimensions[] = "2 to 33 dimensions of chunks", addresses[] = "an address of chunks";
	unsigned flags = out->version == 3 ? 0 : sheaf_hdf5_byte(c, 0, 3, "flags of chunks");
	unsigned rank = sheaf_hdf5_byte(c, 2, SHEAF_HDF5_MOST_DIMENSIONS + 1, dimensions);
	if (out->version == 3) {
		out->address = sheaf_hdf5_take_address(l->r, c, addresses);
		return take_extents(l, c, rank, 4, out);
	}
	unsigned width = sheaf_hdf5_byte(c, 1, 8, "extents of 1 to 8 bytes");
	out->edges_are_plain = flags & PLAIN_EDGES;
	SHEAF_TRY(take_extents(l, c, rank, width, out));
	out->index =
		sheaf_hdf5_byte(c, SHEAF_HDF5_SINGLE, SHEAF_HDF5_TREE_2, "an index of chunks of kind 1 to 5");
	if (out->index == SHEAF_HDF5_SINGLE && (flags & FILTERED)) {
		out->single_size = sheaf_hdf5_take_length(l->r, c, "the size of a chunk");
		out->single_skipped = sheaf_cursor_u32le(c, "filters of a chunk");
	} else {
		static const uint8_t parameters[] = {0, 0, 0, 1, 5, 6}; /* bytes, by the kind of index */
		sheaf_cursor_bytes(c, 1, parameters[out->index], "parameters of an index of chunks");
	}
	out->address = sheaf_hdf5_take_address(l->r, c, addresses);
	return sheaf_hdf5_done(l, c);
}

/* Takes the layout message, which says where the values are: in the message (compact), in one piece of
 * the file (contiguous), in chunks, or in other files (virtual). An address of -1 means that nothing was
 * stored. A size that the message does not have is UINT64_MAX. */
sheaf_status sheaf_hdf5_take_layout(const sheaf_hdf5_look *l, sheaf_cursor *c, sheaf_hdf5_layout *out)
{
	*out = (sheaf_hdf5_layout){.address = -1, .index = SHEAF_HDF5_TREE_1};
	out->version = sheaf_hdf5_byte(c, 1, UINT8_MAX, "a layout of a version from 1");
	if (out->version > NEWEST)
		return sheaf_hdf5_decline(l, sheaf_cursor_tell(c) - 1, "a layout of a later version");
	if (out->version < 3) {
		/* Versions 1 and 2: extents of 32 bits whatever the class is, and no size in bytes. */
		unsigned rank = sheaf_hdf5_byte(c, 1, SHEAF_HDF5_MOST_DIMENSIONS + 1, "1 to 33 dimensions");
		out->class = sheaf_hdf5_byte(c, 0, SHEAF_HDF5_CHUNKED, "a layout of class 0 to 2");
		sheaf_cursor_bytes(c, 1, 5, "a layout");
		if (out->class != SHEAF_HDF5_COMPACT)
			out->address = sheaf_hdf5_take_address(l->r, c, "an address of values");
		if (out->class == SHEAF_HDF5_CHUNKED)
			return rank < 2 ? sheaf_hdf5_refuse(l, sheaf_cursor_tell(c), "2 to 33 dimensions of chunks", rank)
			                : take_extents(l, c, rank, 4, out);
		sheaf_cursor_bytes(c, rank, 4, "as many extents as dimensions");
		out->size = UINT64_MAX;
		return out->class == SHEAF_HDF5_COMPACT ? take_compact(l, c, 4, out) : sheaf_hdf5_done(l, c);
	}
	out->class = sheaf_hdf5_byte(c, 0, out->version == 3 ? SHEAF_HDF5_CHUNKED : SHEAF_HDF5_VIRTUAL,
	                             "a layout of class 0 to 3");
	switch (out->class) {
	case SHEAF_HDF5_COMPACT: return take_compact(l, c, 2, out);
	case SHEAF_HDF5_CHUNKED: return take_chunked(l, c, out);
	case SHEAF_HDF5_CONTIGUOUS:
		out->address = sheaf_hdf5_take_address(l->r, c, "an address of values");
		out->size = sheaf_hdf5_take_length(l->r, c, "a size of values");
	}
	return sheaf_hdf5_done(l, c);
}
