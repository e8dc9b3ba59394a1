/* SPDX-License-Identifier: MIT */
/* Part files in memory, and changes to them that keep the hashes right. */
#ifndef SHEAF_TESTS_PART_SUPPORT_H
#define SHEAF_TESTS_PART_SUPPORT_H

#include "support.h"

/* An open_part of sheaf_convert_options: `user` is a bytes_sink. */
sheaf_status open_part_sink(void *user, sheaf_context *context, sheaf_sink **out, sheaf_error *error);
sheaf_source *part_source(const bytes_sink *part);

/* PAYLOAD to OWN follow one another; what is said of the end is changed last, and not sealed. */
typedef enum part_area { PAYLOAD, HEAD, COMMON, OWN, END, AREAS } part_area;

/* At byte `at` of the area, below 0 from its end, n bytes of `with` replace `cut` bytes. */
typedef struct splice {
	part_area area;
	int at, cut;
	const char *with;
	size_t n;
} splice;

enum { SPLICES = 3 };
/* Up to three changes; the first without an effect ends them. Sizes and hashes follow. */
void change_part(bytes_sink *part, const splice splices[SPLICES]);

#endif
