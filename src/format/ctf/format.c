/* SPDX-License-Identifier: MIT */
/* CNTK's text format: the table entry, options, recognition and opening. */
#include "base/context.h"
#include "base/memory.h"
#include "base/suffix.h"
#include "format/ctf/ctf.h"
#include "io/source.h"
#include <string.h>

static const char *const suffixes[] = {".ctf", ".txt", NULL};

static const sheaf_reader_name readers[] = {{"CNTKTextFormatReader", true, false},
                                            {"Cntk.Deserializers.TextFormat", true, true},
                                            {"CNTKTextFormatDeserializer", true, false},
                                            {NULL, false, false}};

static const sheaf_option options[] = {
	{"stream", SHEAF_OPTION_TEXTS, SHEAF_READING, "NAME:DIM:dense|sparse[:float|double][:alias=A]",
     "declare a stream of the file (repeat it for each stream; undeclared streams are left out)", 0},
	{"map", SHEAF_OPTION_TEXT, SHEAF_READING, "FILE",
     "declare streams by a map file: name, alias, format and dim on each line", 0},
	{"element-type", SHEAF_OPTION_CHOICE, SHEAF_READING, "float|double",
     "element type of streams whose declaration names none (default float)", 0},
	{"skip-sequence-ids", SHEAF_OPTION_FLAG, SHEAF_READING, NULL,
     "take each line as a sequence, whatever ids it has", 0},
	{"main-stream", SHEAF_OPTION_TEXT, SHEAF_READING, "NAME",
     "the stream whose samples count as the length of a sequence", 0},
	{"allow", SHEAF_OPTION_WORDS, SHEAF_READING, "missing,unaligned",
     "missing: read sequences in which a stream has no sample; unaligned: read sequences that have more "
     "lines "
     "than their longest stream has samples",
     0},
	{"alias", SHEAF_OPTION_TEXTS, SHEAF_WRITING, "NAME=A",
     "write stream NAME with the short name A; \"keep\" alone: each with its alias in the input", 0},
	SHEAF_ENCODING_OPTION,
	{NULL, SHEAF_OPTION_FLAG, 0, NULL, NULL, 0},
};

/* Whether a '|' is followed by a name as streams have them, a blank, and then a value, another input, or
 * nothing: other texts contain a '|', too. If the bytes are not there yet, the answer is no. */
static bool begins_input(const uint8_t *at, const uint8_t *end)
{
	const uint8_t *name = at;
	if (at < end && sheaf_ctf_is_digit(*at)) return false;
	while (at < end && !sheaf_ctf_is(*at, CTF_ENDS_NAME) && !strchr(",;\"", *at)) at++;
	if (name < end && *name == '#') return true;
	if (at == name || at == end || !*at || !strchr(" \t\r\n", *at)) return false;
	while (at < end && (*at == ' ' || *at == '\t' || *at == '\r')) at++;
	return at < end && *at && (sheaf_ctf_is_digit(*at) || strchr("+-.|\n", *at));
}

/* A first line like `|name 1`, `12 |name` or `|# ...` is this format; one with a '|' somewhere may be a
 * damaged one. */
static sheaf_likely probe(sheaf_glimpse *glimpse)
{
	sheaf_bytes head = glimpse->head;
	const uint8_t *at = head.data, *end = head.data + head.size;
	bool named = sheaf_has_suffix(glimpse->name, suffixes[0]);
	if (head.size >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) at += 3;
	const uint8_t *line = at;
	while (at < end && sheaf_ctf_is_digit(*at)) at++;
	while (at < end && (*at == ' ' || *at == '\t')) at++;
	if (at < end && *at == '|' && begins_input(at + 1, end)) return SHEAF_SURE;
	bool binary = head.size && memchr(line, '\0', (size_t)(end - line));
	return named || (!binary && line < end && memchr(line, '|', (size_t)(end - line))) ? SHEAF_PERHAPS
	                                                                                   : SHEAF_NO;
}

static void close_reader(void *reader)
{
	sheaf_ctf_reader *in = (sheaf_ctf_reader *)reader;
	sheaf_sorter_free(in->ids);
	sheaf_names_free(&in->names);
	sheaf_release(in->cx, in->met, (size_t)in->nstreams * sizeof *in->met);
	sheaf_release(in->cx, in->rounded, (size_t)in->nstreams * sizeof *in->rounded);
	sheaf_schema_free(&in->schema);
}

/* The counts of a review begin again with the input. */
static sheaf_status rewind_reader(void *reader, const sheaf_piece *to, sheaf_error *err)
{
	sheaf_ctf_reader *in = (sheaf_ctf_reader *)reader;
	if (to) return sheaf_ctf_resume(in, to, err);
	for (int s = 0; s < in->nstreams; s++) in->rounded[s] = 0, in->met[s] = 0;
	in->rows = 0;
	SHEAF_TRY(sheaf_source_rewind(in->source, err));
	return sheaf_ctf_begin(in, err);
}

/* Streams that are not declared are inferred, for which an input that is no file is kept. If each line is one
 * sequence with one sample, the longest is known without reading; if a main stream counts, nothing is. */
static sheaf_status open_reader(void *reader, const sheaf_values *values, const sheaf_opening *how,
                                sheaf_error *err)
{
	sheaf_ctf_reader *in = (sheaf_ctf_reader *)reader;
	in->skip_ids = sheaf_values_flag(values, "skip-sequence-ids");
	in->allow_unaligned = sheaf_values_flag(values, "allow=unaligned");
	in->drop_incomplete = sheaf_drops_incomplete(in->cx);
	in->allow_missing = sheaf_values_flag(values, "allow=missing");
	SHEAF_TRY(sheaf_ctf_declare_streams(in, values, err));
	bool declared = in->schema.nfields > 0;
	if (!declared && !how->glance) SHEAF_TRY(sheaf_source_make_rewindable(in->source, err));
	SHEAF_TRY(sheaf_ctf_begin(in, err));
	if (declared && !how->pipe) SHEAF_TRY(sheaf_ctf_check_names(in, err));
	SHEAF_TRY(sheaf_ctf_infer(in, declared, how, values, err));
	SHEAF_TRY(sheaf_ctf_seal_streams(in, values, err));
	in->counting = sheaf_ctf_counting(in);
	if (in->main >= 0) in->facts.samples = -1; /* counted over the longest streams */
	if (!in->by_line || in->drop_incomplete || in->facts.ordinal_keys >= 0) return SHEAF_OK;
	in->facts.ordinal_keys = 1;
	if (in->main < 0 && !sheaf_leaves_out(in->cx) && !sheaf_is_validating(in->cx)) in->facts.longest = 1;
	return SHEAF_OK;
}

static const sheaf_random_access random_access = {
	.recall = sheaf_ctf_recall,
	.resumes = true,
	.measure = sheaf_ctf_measure,
};

static const sheaf_model model = {
	.declare = sheaf_ctf_declare,
};

const sheaf_format sheaf_format_ctf = {
	.name = "ctf",
	.summary = "CNTK text format: sequences of samples, named dense and sparse streams",
	.suffixes = suffixes,
	.can = SHEAF_CAN_KEYS,
	.text = SHEAF_TEXT_OF_NUMBERS,
	.options = options,
	.readers = readers,
	.random = &random_access,
	.write = &sheaf_ctf_writing,
	.model = &model,
	.probe = probe,
	.reader_size = sizeof(sheaf_ctf_reader),
	.open = open_reader,
	.cut = sheaf_ctf_cut,
	.decode = sheaf_ctf_decode,
	.review = sheaf_ctf_review,
	.rewind = rewind_reader,
	.carry = sheaf_ctf_carry,
	.close = close_reader,
};
