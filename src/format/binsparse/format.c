/* SPDX-License-Identifier: MIT */
/* Binsparse: the table entry. The format is a convention inside of other files: groups of arrays in HDF5,
 * netCDF-4, Zarr or NPZ, with a descriptor beside them. So an input is recognised by what is in it, and all
 * reading and writing of arrays goes through a box (src/container). */
#include "base/suffix.h"
#include "format/binsparse/reader.h"
#include "format/binsparse/writer.h"
#include <string.h>
#include <strings.h>

static const char *const suffixes[] = {".h5", ".hdf5", ".nc", ".zarr", ".zarr.zip", NULL};

static const sheaf_option options[] = {
	{"repair", SHEAF_OPTION_FLAG, SHEAF_READING, NULL,
     "repair arrays, in memory: sort entries that are out of order, add values of the same position, and "
     "correct pointers that have wrapped around in a type too small for them",
     0},
	{"allow", SHEAF_OPTION_WORDS, SHEAF_READING, "breach",
     "breach: read what the format forbids but other programs read, with warnings", 0},
	{"check", SHEAF_OPTION_CHOICE, SHEAF_READING, "none|sizes|offsets|full",
     "how thoroughly a tensor that is read as a whole is checked (default full)", 0},
	{"layout", SHEAF_OPTION_TEXT, SHEAF_WRITING, "LAYOUT",
     "how tensors are stored: CSR, CSC, DCSR, DCSC, COO, COOR, COOC, DMAT, DMATR, DMATC, DVEC, CVEC, or "
     "levels from the outside in, D and S with a rank and @ with a permutation, like DSS or S3@120 (default: "
     "that of the input, else all dimensions dense if it is, else CSR, CVEC, or all dimensions in one sparse "
     "level)",
     0},
	{"index-type", SHEAF_OPTION_CHOICE, SHEAF_WRITING, "uint8|uint16|uint32|uint64|int8|int16|int32|int64",
     "type of all indices and pointers (default: for each array the smallest unsigned type that holds them)",
     0},
	{"iso", SHEAF_OPTION_CHOICE, SHEAF_WRITING, "keep|auto|no",
     "whether to store one value for all entries: keep: if the input does (default); auto: if all are the "
     "same, bit by bit; no: never",
     0},
	{"fill-value", SHEAF_OPTION_TEXT, SHEAF_WRITING, "VALUE",
     "the value of all positions that a tensor does not store, in its type; real and imaginary parts are "
     "separated by a comma (default: that of the input, if any)",
     0},
	{"compression", SHEAF_OPTION_TEXT, SHEAF_WRITING, "none|deflate[:LEVEL]|zstd",
     "compress arrays, in chunks: deflate at a level of 1 to 12, 6 if none is given; zstd in Zarr (default "
     "there; elsewhere none: contiguous)",
     0},
	{"zarr", SHEAF_OPTION_CHOICE, SHEAF_WRITING, "2|3", "the version of Zarr that is written (default 3)", 0},
	{"chunk-bytes", SHEAF_OPTION_SIZE, SHEAF_WRITING, "SIZE",
     "bytes of a chunk of an array (default 1M if arrays are compressed)", 0},
	{"into", SHEAF_OPTION_TEXT, SHEAF_WRITING | SHEAF_UPDATING, "GROUP",
     "write into this group of the file and keep its other groups and arrays; / is the root", 0},
	{"descriptor-version", SHEAF_OPTION_CHOICE, SHEAF_WRITING, "0.1|0.1.0",
     "how the version of the specification is written (default 0.1; 0.1.0 in Zarr and NPZ, which only newer "
     "programs read)",
     0},
	{NULL, SHEAF_OPTION_FLAG, 0, NULL, NULL, 0},
};

/* By the contents of the file, which its first bytes do not show. */
static sheaf_likely probe(sheaf_glimpse *at)
{
	if (at->source) return sheaf_bsp_judge(at);
	if (sheaf_box_recognise(at->head) != SHEAF_NO_BOX || sheaf_box_is_archive(at->head)) return SHEAF_SURE;
	return sheaf_has_suffix_of(at->name, suffixes) ? SHEAF_PERHAPS : SHEAF_NO; /* a damaged one */
}

static const sheaf_random_access random_access = {
	.recall = sheaf_bsp_recall,
	.resumes = true,
};

static const sheaf_writing writing = {
	.takes = SHEAF_TAKES_SEQUENCES | SHEAF_TAKES_ENTRIES,
	.columns = SHEAF_NO_COLUMN,
	.accept = sheaf_bsp_accept,
	.output_size = sizeof(sheaf_bsp_writer),
	.create = sheaf_bsp_create,
	.encode = sheaf_bsp_encode,
	.append = sheaf_bsp_append,
	.finish = sheaf_bsp_finish,
	.close = sheaf_bsp_close_output,
};

static const sheaf_model model = {
	.describe = sheaf_bsp_describe,
	.list = sheaf_bsp_list,
	.declare = sheaf_bsp_declare,
};

const sheaf_format sheaf_format_binsparse = {
	.name = "binsparse",
	.summary = "Binsparse: sparse and dense tensors in HDF5, netCDF-4, Zarr and NPZ",
	.suffixes = suffixes,
	.can = SHEAF_CAN_CONTAIN,
	.needs_seek = true,
	.options = options,
	.random = &random_access,
	.write = &writing,
	.model = &model,
	.probe = probe,
	.reader_size = sizeof(sheaf_bsp_reader),
	.open = sheaf_bsp_open,
	.cut = sheaf_bsp_cut,
	.decode = sheaf_bsp_decode,
	.review = sheaf_bsp_review,
	.rewind = sheaf_bsp_rewind,
	.carry = sheaf_bsp_carry,
	.close = sheaf_bsp_close,
};
