/* SPDX-License-Identifier: MIT */
/* svmlight and libsvm files: the table entry. Nothing at the beginning of such a file is its own, so that the
 * name decides. The first lines, or all of them, say which columns there are (look.c). */
#include "base/context.h"
#include "base/memory.h"
#include "base/suffix.h"
#include "format/svmlight/svmlight.h"
#include <string.h>

static const char *const suffixes[] = {".svmlight", ".libsvm", ".svm", NULL};

static const sheaf_option options[] = {
	{"shape", SHEAF_OPTION_COUNT, SHEAF_READING, "N",
     "the number of features (default: the largest index found)", 0},
	{"index-base", SHEAF_OPTION_CHOICE, SHEAF_READING | SHEAF_WRITING, "auto|0|1",
     "the index of the first feature; auto (the default): 0 if that index occurs in the file, else 1; 1 is "
     "also written",
     0},
	{"element-type", SHEAF_OPTION_CHOICE, SHEAF_READING | SHEAF_WRITING, "float|double",
     "element type of labels and values (default double)", 0},
	{"labels", SHEAF_OPTION_CHOICE, SHEAF_READING | SHEAF_WRITING, "auto|weighted|cost|list",
     "how rows begin: weighted: label:WEIGHT, as XGBoost reads them; cost: a label, and the weight as "
     "cost:WEIGHT, as in SVMlight; list: any number of labels; auto (the default): as the rows show, and "
     "weighted in writing",
     0},
	{"label", SHEAF_OPTION_TEXT, SHEAF_WRITING, "NAME",
     "the stream that is the label (default: the one called label or labels)", 0},
	SHEAF_ENCODING_OPTION,
	{NULL, SHEAF_OPTION_FLAG, 0, NULL, NULL, 0},
};

/* ---- recognising ---- */

static sheaf_likely probe(sheaf_glimpse *at)
{
	return sheaf_has_suffix_of(at->name, suffixes) && sheaf_lined_is_text(at->head) ? SHEAF_PERHAPS
	                                                                                : SHEAF_NO;
}

/* ---- opening ---- */

static sheaf_status open_reader(void *reader, const sheaf_values *values, const sheaf_opening *how,
                                sheaf_error *err)
{
	sheaf_svm_reader *in = (sheaf_svm_reader *)reader;
	in->syntax = &sheaf_svm_syntax;
	in->counting = SHEAF_LINE_EACH;
	return sheaf_svm_look(in, values, how->glance == SHEAF_GLANCE_SHOWING, err);
}

const sheaf_format sheaf_format_svmlight = {
	.name = "svmlight",
	.summary = "svmlight and libsvm: rows of a label and sparse features",
	.suffixes = suffixes,
	.text = SHEAF_TEXT_OF_NUMBERS,
	.options = options,
	.random = &sheaf_lined_random,
	.write = &sheaf_svm_writing,
	.probe = probe,
	.reader_size = sizeof(sheaf_svm_reader),
	.open = open_reader,
	.cut = sheaf_lined_cut,
	.decode = sheaf_svm_decode,
	.rewind = sheaf_lined_rewind,
};
