/* SPDX-License-Identifier: MIT */
/* Matrices with many more rows than entries: CSR and CSC have a pointer for each row or column, so a layout
 * without them (COO, DCSR) is chosen unless the user asks for CSR or CSC. */
#include "base/context.h"
#include "base/spell.h"
#include "sparse/sparse.h"
#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

/* Below MANY slices their pointers are small whatever the matrix. Above, there must be TIMES as many slices
 * as entries; without a number of entries only TOO_MANY slices count. */
bool sheaf_is_hypersparse(int64_t slices, int64_t entries)
{
	enum { MANY = 1 << 20, TIMES = 64, TOO_MANY = 1 << 27 };
	if (entries < 0) return slices > TOO_MANY;
	return slices > MANY && slices / TIMES > entries;
}

sheaf_status sheaf_report_layout(sheaf_context *cx, const char *file, int64_t slices, const char *layout,
                                 const char *usual, sheaf_error *err)
{
	char expected[96], found[64], consequence[96];
	const char *kind = strcasecmp(usual, "csc") == 0 ? "columns" : "rows";
	snprintf(expected, sizeof expected, "not many more %s than entries, for layout %s", kind, usual);
	snprintf(found, sizeof found, "%" PRId64 " %s", slices, kind);
	snprintf(consequence, sizeof consequence,
	         "it is stored as %s (" SHEAF_OPTION("layout") " %s keeps to that)", layout, usual);
	sheaf_problem problem = {SHEAF_WARNING, SHEAF_DATA, "layout",   SHEAF_NOWHERE,
	                         expected,      found,      consequence};
	problem.place.file = file;
	return sheaf_report(cx, &problem, err);
}
