/* SPDX-License-Identifier: MIT */
/* Comma-separated values: what distinguishes them from their family, which is in the folder above. */
#define FORMAT sheaf_format_csv
#define NAME "csv"
#define SUMMARY "comma-separated values: tables with RFC 4180's quotes or SciDB's"
#define SUFFIXES ".csv"
#define KIND \
	{ \
		.delimiter = ',', .quotes = true \
	}
#define OPTIONS \
	{"dialect", \
	 SHEAF_OPTION_CHOICE, \
	 SHEAF_READING | SHEAF_WRITING, \
	 "rfc|scidb|auto", \
	 "RFC 4180's double quotes, or SciDB's single quotes and backslashes", \
	 0},
#include "format/csv/format_template.h"
