/* SPDX-License-Identifier: MIT */
/* Binsparse: the table entry. */
#include "format/binsparse/reader.h"
#include <string.h>
#include <strings.h>

static const char *const suffixes[] = {".h5", ".hdf5", ".nc", NULL};

static const sheaf_option options[] = {
	{"repair-pointers", SHEAF_OPTION_FLAG, SHEAF_READING, NULL, "mend pointers that have wrapped around in a type that is too small for them", 0},
	{"check", SHEAF_OPTION_CHOICE, SHEAF_READING, "none|sizes|offsets|full", "how much of a tensor that is taken as a whole is checked (default full)", 0},
	{NULL, SHEAF_OPTION_FLAG, 0, NULL, NULL, 0},
};

/* By what is in the file: nothing else here lives in such boxes. */
static sheaf_likely probe(sheaf_bytes head, const char *name)
{
	(void)name;
	return sheaf_box_recognise(head) == SHEAF_NO_BOX ? SHEAF_NO : SHEAF_SURE;
}

const sheaf_format sheaf_format_binsparse = {
	.abi = SHEAF_FORMAT_ABI,
	.name = "binsparse",
	.summary = "Binsparse: sparse and dense tensors in HDF5 and netCDF-4 files",
	.suffixes = suffixes,
	.can = SHEAF_CAN_READ,
	.needs = SHEAF_NEEDS_SEEK,
	.options = options,
	.probe = probe,
	.members = sheaf_bsp_members,
	.open = sheaf_bsp_open,
	.schema = sheaf_bsp_schema,
	.facts = sheaf_bsp_facts,
	.describe = sheaf_bsp_describe,
	.cut = sheaf_bsp_cut,
	.decode = sheaf_bsp_decode,
	.review = sheaf_bsp_review,
	.rewind = sheaf_bsp_rewind,
	.recall = sheaf_bsp_recall,
	.resume = sheaf_bsp_resume,
	.settle = sheaf_bsp_settle,
	.close = sheaf_bsp_close,
	.declare = sheaf_bsp_declare,
};
