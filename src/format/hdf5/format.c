/* SPDX-License-Identifier: MIT */
/* HDF5 files of other programs: the table entry. Zarr folders are read by the same code, as both are boxes
 * (src/container) of groups, arrays and attributes. */
#include "base/suffix.h"
#include "container/listing.h"
#include "format/hdf5/hdf5.h"
#include <string.h>

static const char *const suffixes[] = {".h5ad", NULL};

static const sheaf_option options[] = {
	{"layout", SHEAF_OPTION_CHOICE, SHEAF_WRITING, "anndata",
     "which program's layout a matrix is written in: AnnData's (the only one), with the names obs_names and "
     "var_names",
     0},
	{"compression", SHEAF_OPTION_TEXT, SHEAF_WRITING, "none|deflate[:LEVEL]|zstd",
     "compress arrays, in chunks: deflate at a level of 1 to 12, 6 if none is given; zstd in Zarr (default "
     "there; elsewhere none: contiguous)",
     0},
	{"raw", SHEAF_OPTION_FLAG, SHEAF_READING, NULL,
     "read numbers as they are stored: not unpacked as netCDF's attributes say, and not as times, names of an "
     "enumeration, or MATLAB's characters and truth values",
     0},
	{"zarr", SHEAF_OPTION_CHOICE, SHEAF_WRITING, "2|3", "the version of Zarr that is written (default 3)", 0},
	{NULL, SHEAF_OPTION_FLAG, 0, NULL, NULL, 0},
};

/* Only the contents show which program made it. */
static sheaf_likely probe(sheaf_glimpse *at)
{
	if (sheaf_box_recognise(at->head) != SHEAF_NO_BOX) return SHEAF_SURE;
	return sheaf_has_suffix_of(at->name, suffixes) ? SHEAF_PERHAPS : SHEAF_NO; /* a damaged one */
}

/* Shows an item with what it is as a dataset. */
static sheaf_status mark(sheaf_box *box, sheaf_box_item *item, sheaf_error *err)
{
	sheaf_hdf_found found;
	SHEAF_TRY(sheaf_hdf_find(box, sheaf_box_find(box, item->path), &found, err));
	item->dataset = found.is_part ? NULL : sheaf_hdf_word(&found);
	item->maker = found.maker;
	return SHEAF_OK;
}

static sheaf_status list(const void *reader, sheaf_source *source, const sheaf_item_teller *teller,
                         sheaf_error *err)
{
	const sheaf_hdf_reader *in = (const sheaf_hdf_reader *)reader;
	return sheaf_box_list(in ? in->box : NULL, source, mark, teller, err);
}

static sheaf_status rewind_reader(void *reader, const sheaf_piece *to, sheaf_error *err)
{
	(void)to, (void)err;
	((sheaf_hdf_reader *)reader)->next = 0;
	return SHEAF_OK;
}

static const char *const edits[] = {"layout", "compression", "zarr", NULL};

static const sheaf_model model = {
	.transcode = sheaf_hdf_transcode,
	.edits = edits,
	.list = list,
};

const sheaf_format sheaf_format_hdf5 = {
	.name = "hdf5",
	.summary = "HDF5 files of other programs: matrices of AnnData, 10x and MATLAB, arrays, texts",
	.suffixes = suffixes,
	.can = SHEAF_CAN_CONTAIN,
	.needs_seek = true,
	.options = options,
	.write = &sheaf_hdf_writing,
	.model = &model,
	.probe = probe,
	.reader_size = sizeof(sheaf_hdf_reader),
	.open = sheaf_hdf_open,
	.cut = sheaf_hdf_cut,
	.decode = sheaf_hdf_decode,
	.rewind = rewind_reader,
	.close = sheaf_hdf_close,
};
