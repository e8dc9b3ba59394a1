/* SPDX-License-Identifier: MIT */
/* HDF5 files of other programs: the table entry. Zarr folders are read by the same code, as both are boxes
 * (src/container) of groups, arrays and attributes. */
#include "base/suffix.h"
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
     "none: contiguous)",
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

typedef struct showing {
	sheaf_member_teller show;
	void *user;
} showing;

static sheaf_status report_path(void *user, const sheaf_hdf_found *found, sheaf_error *err)
{
	const showing *t = (const showing *)user;
	return t->show(t->user, *found->at->path ? found->at->path : "/", err);
}

static sheaf_status members(sheaf_source *source, sheaf_context *cx, sheaf_member_teller show, void *user,
                            sheaf_error *err)
{
	sheaf_box *box;
	showing t = {show, user};
	SHEAF_TRY(sheaf_box_open_known(source, cx, &box, err));
	sheaf_status status = sheaf_hdf_each(box, cx, report_path, &t, err);
	sheaf_box_leave(box);
	return status;
}

static sheaf_status rewind_reader(void *reader, const sheaf_piece *to, sheaf_error *err)
{
	(void)to, (void)err;
	((sheaf_hdf_reader *)reader)->next = 0;
	return SHEAF_OK;
}

static const sheaf_container container = {
	.members = members,
};

static const char *const edits[] = {"layout", "compression", "zarr", NULL};

static const sheaf_model model = {
	.transcode = sheaf_hdf_transcode,
	.edits = edits,
	.describe = sheaf_hdf_describe,
};

const sheaf_format sheaf_format_hdf5 = {
	.name = "hdf5",
	.summary = "HDF5 files of other programs: matrices of AnnData, 10x and MATLAB, arrays, texts",
	.suffixes = suffixes,
	.needs_seek = true,
	.options = options,
	.write = &sheaf_hdf_writing,
	.container = &container,
	.model = &model,
	.probe = probe,
	.reader_size = sizeof(sheaf_hdf_reader),
	.open = sheaf_hdf_open,
	.cut = sheaf_hdf_cut,
	.decode = sheaf_hdf_decode,
	.rewind = rewind_reader,
	.close = sheaf_hdf_close,
};
