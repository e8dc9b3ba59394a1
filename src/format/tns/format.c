/* SPDX-License-Identifier: MIT */
/* FROSTT files: the table entry. Nothing at the beginning of such a file is its own, so that the name
 * decides; lines of entries are read by the code that Matrix Market's are (format/lines). */
#include "base/context.h"
#include "base/memory.h"
#include "base/suffix.h"
#include "format/tns/tns.h"
#include <string.h>

static const char *const suffixes[] = {".tns", NULL};

static const sheaf_option options[] = {
	{"shape", SHEAF_OPTION_TEXT, SHEAF_READING, "N,...",
     "the sizes of the dimensions (default: those in the file, else its largest coordinates)", 0},
	{"element-type", SHEAF_OPTION_CHOICE, SHEAF_READING, "double|int64",
     "the type of values (default: that in the file, else double)", 0},
	{"layout", SHEAF_OPTION_CHOICE, SHEAF_WRITING, "extended",
     "write rank, number of entries and shape on two lines of their own (extended FROSTT) instead of a "
     "comment",
     0},
	SHEAF_ENCODING_OPTION,
	{NULL, SHEAF_OPTION_FLAG, 0, NULL, NULL, 0},
};

static sheaf_likely probe(sheaf_glimpse *at)
{
	return sheaf_has_suffix_of(at->name, suffixes) && sheaf_lined_is_text(at->head) ? SHEAF_PERHAPS
	                                                                                : SHEAF_NO;
}

static const sheaf_entry_rules rules = {.announced = "as the first line says"};

static sheaf_status open_reader(void *reader, const sheaf_values *values, const sheaf_opening *how,
                                sheaf_error *err)
{
	sheaf_entry_reader *in = (sheaf_entry_reader *)reader;
	in->syntax = &sheaf_tns_syntax;
	in->counting = SHEAF_LINE_EACH;
	in->rules = &rules;
	in->habits = 1U << SHEAF_ENTRY_DECIMAL_PLACE;
	return sheaf_tns_look(in, values, how->glance == SHEAF_GLANCE_SHOWING, err);
}

const sheaf_format sheaf_format_tns = {
	.name = "tns",
	.summary = "FROSTT: a sparse tensor as lines of coordinates and a value",
	.suffixes = suffixes,
	.text = SHEAF_TEXT_OF_NUMBERS,
	.options = options,
	.random = &sheaf_lined_random,
	.write = &sheaf_tns_writing,
	.probe = probe,
	.reader_size = sizeof(sheaf_entry_reader),
	.open = open_reader,
	.cut = sheaf_lined_cut,
	.decode = sheaf_entry_decode,
	.review = sheaf_entry_review,
	.rewind = sheaf_entry_rewind,
	.carry = sheaf_entry_carry,
};
