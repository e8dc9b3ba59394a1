/* SPDX-License-Identifier: MIT */
/* Tab-separated values: what is different from others of their family, which is in the folder above. */
#define FORMAT sheaf_format_tsv
#define NAME "tsv"
#define SUMMARY "tab-separated values: tables with quotes, or with backslash escapes (linear TSV)"
#define SUFFIXES ".tsv", ".tab"
#define KIND \
	{ \
		.delimiter = '\t', .quotes = false \
	}
#define OPTIONS
#include "format/csv/format_template.h"
