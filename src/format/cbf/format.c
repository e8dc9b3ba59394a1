/* SPDX-License-Identifier: MIT */
/* CNTK's binary format: the table entry, options, recognition and opening. The header declares everything, so
 * nothing is inferred. */
#include "base/endian.h"
#include "base/memory.h"
#include "base/suffix.h"
#include "format/cbf/cbf.h"
#include "io/source.h"
#include <string.h>

static const char *const suffixes[] = {".cbf", ".bin", NULL};

static const sheaf_reader_name readers[] = {
	{"CNTKBinaryReader", false, false},
	{"Cntk.Deserializers.Binary", false, false},
	{"CNTKBinaryFormatDeserializer", false, false},
	{"CBFDeserializer", false, false},
	{NULL, false, false},
};

static const sheaf_option options[] = {
	{"stream", SHEAF_OPTION_TEXTS, SHEAF_READING, "NEW:alias=OLD",
     "rename stream OLD to NEW (others keep their names); a dim, storage or type that is given is checked",
     0},
	{"element-type", SHEAF_OPTION_CHOICE, SHEAF_READING | SHEAF_WRITING, "float|double",
     "in reading, refuse streams of the other element type, as CNTK's reader of that precision does; in "
     "writing, the element type of all streams (default: that of each stream)",
     0},
	{"main-stream", SHEAF_OPTION_TEXT, SHEAF_WRITING, "NAME",
     "the stream whose samples count as the length of a sequence (default: the largest of each)", 0},
	{"chunk-bytes", SHEAF_OPTION_SIZE, SHEAF_WRITING, "SIZE",
     "the approximate size of a chunk (default 32M; 0 or 1: one sequence each)", 0},
	{"sort-indices", SHEAF_OPTION_FLAG, SHEAF_WRITING, NULL,
     "sort the values of each sparse sample by index, as CNTK's converter does", 0},
	{NULL, SHEAF_OPTION_FLAG, 0, NULL, NULL, 0},
};

/* The magic number in either byte order; a file that is cut off within it still has this format. */
static sheaf_likely probe(sheaf_glimpse *at)
{
	sheaf_bytes head = at->head;
	uint8_t little[8], big[8];
	size_t seen = head.size < 8 ? head.size : 8;
	sheaf_store_u64le(little, CBF_MAGIC);
	sheaf_store_u64le(big, __builtin_bswap64(CBF_MAGIC));
	if (seen && (memcmp(head.data, little, seen) == 0 || memcmp(head.data, big, seen) == 0))
		return seen == 8 ? SHEAF_SURE : SHEAF_PERHAPS;
	return sheaf_has_suffix(at->name, suffixes[0]) ? SHEAF_PERHAPS : SHEAF_NO;
}

/* One for each stream, and one for the largest of each sequence. */
static size_t findings_size(const sheaf_cbf_reader *in)
{
	return ((size_t)in->schema.nfields + 1) * sizeof *in->findings;
}

/* The walks come first: threads may still be in them. */
static void close_reader(void *reader)
{
	sheaf_cbf_reader *in = (sheaf_cbf_reader *)reader;
	sheaf_cbf_end_walks(in);
	sheaf_release(in->cx, in->findings, findings_size(in));
	sheaf_release(in->cx, in->shapes, (size_t)in->schema.nfields * sizeof *in->shapes);
	sheaf_release(in->cx, in->starts, (size_t)in->schema.nfields * 2 * sizeof *in->starts);
	sheaf_release(in->cx, in->chunks, (size_t)in->nchunks * sizeof *in->chunks);
	sheaf_names_free(&in->names);
}

/* What was found in frames is forgotten: they are reviewed again from the first one on. */
static sheaf_status rewind_reader(void *reader, const sheaf_piece *to, sheaf_error *err)
{
	sheaf_cbf_reader *in = (sheaf_cbf_reader *)reader;
	if (to) return sheaf_cbf_resume(in, to, err);
	in->next_chunk = in->next_sequence = 0;
	memset(in->findings, 0, findings_size(in));
	return SHEAF_OK;
}

/* Arrays of the reader have an item for each stream; the findings one more, for the largest of each sequence.
 */
static sheaf_status open_reader(void *reader, const sheaf_values *values, const sheaf_opening *how,
                                sheaf_error *err)
{
	sheaf_cbf_reader *in = (sheaf_cbf_reader *)reader;
	(void)how;
	SHEAF_TRY(sheaf_cbf_read_header(in, err));
	SHEAF_TRY(sheaf_cbf_rename_streams(in, values, err));
	/* CNTK reads a file with one precision, and casts nothing. */
	const char *word = sheaf_values_text(values, "element-type");
	sheaf_type wanted = word && strcmp(word, "double") == 0 ? SHEAF_F64 : SHEAF_F32;
	for (int i = 0; word && i < in->schema.nfields; i++) {
		const sheaf_field *field = &in->schema.fields[i];
		if (field->type == wanted) continue;
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: stream \"%s\": expected %s, the requested precision, found %s",
		                  sheaf_source_name(in->source), field->name, sheaf_type_name(wanted),
		                  sheaf_type_name(field->type));
	}
	uint64_t n = (uint64_t)in->schema.nfields;
	SHEAF_TRY(sheaf_allocate(in->cx, findings_size(in), &in->findings, err));
	SHEAF_TRY(sheaf_allocate_array(in->cx, n * 2, sizeof *in->starts, &in->starts, err));
	in->passed = in->starts + n;
	SHEAF_TRY(sheaf_allocate_array(in->cx, n, sizeof *in->shapes, &in->shapes, err));
	for (uint64_t s = 0; s < n; s++) {
		const sheaf_field *field = &in->schema.fields[s];
		in->shapes[s] = (sheaf_cbf_shape){sheaf_field_is_sparse(field), (uint32_t)sheaf_field_dim(field),
		                                  (uint32_t)sheaf_type_size(field->type)};
	}
	in->counting = "chunks"; /* the counts at the head of a chunk do not depend on any setting */
	/* More samples than sequences: some sequence has more than one sample in some stream. */
	in->facts =
		(sheaf_facts){in->rows, in->samples, in->nchunks, in->samples > in->rows ? 2 : -1, 1, NULL, NULL};
	return SHEAF_OK;
}

static const sheaf_random_access random_access = {
	.recall = sheaf_cbf_recall,
	.divides = true,
	.resumes = true,
	.measure = sheaf_cbf_measure,
	.locate = sheaf_cbf_locate,
	.pick = sheaf_cbf_pick,
};

static const sheaf_model model = {
	.declare = sheaf_cbf_declare,
};

const sheaf_format sheaf_format_cbf = {
	.name = "cbf",
	.summary = "CNTK binary format: the same as CTF, in chunks, without keys",
	.suffixes = suffixes,
	.needs_seek = true,
	.options = options,
	.readers = readers,
	.random = &random_access,
	.write = &sheaf_cbf_writing,
	.model = &model,
	.probe = probe,
	.reader_size = sizeof(sheaf_cbf_reader),
	.open = open_reader,
	.cut = sheaf_cbf_cut,
	.decode = sheaf_cbf_decode,
	.review = sheaf_cbf_review,
	.rewind = rewind_reader,
	.carry = sheaf_cbf_carry,
	.close = close_reader,
};
