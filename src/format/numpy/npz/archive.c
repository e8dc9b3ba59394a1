/* SPDX-License-Identifier: MIT */
/* Members of the ZIP file that are arrays: those whose names end in ".npy". A stored one is read from its
 * place in the file; a deflated one is unpacked into memory. */
#include "format/numpy/npz/npz.h"
#include <string.h>

static size_t bare_length(const char *name)
{
	size_t n = strlen(name);
	return n >= 4 && strcmp(name + n - 4, ".npy") == 0 ? n - 4 : n;
}

bool sheaf_npz_is_array(const sheaf_zip_member *member)
{
	return bare_length(member->name) < strlen(member->name);
}

const sheaf_zip_member *sheaf_npz_find(const sheaf_zip *a, const char *name)
{
	return sheaf_zip_find(a, name, bare_length(name), ".npy");
}

sheaf_status sheaf_npz_open_member(const sheaf_zip *a, const sheaf_zip_member *m, sheaf_array *out,
                                   sheaf_error *err)
{
	sheaf_holding holding = {.size = m->size, .name = m->name};
	SHEAF_TRY(sheaf_zip_contents(a, m, &holding.at, &holding.bytes, err));
	if (holding.at >= 0) holding.source = a->source;
	if (holding.at < 0) holding.at = 0;
	return sheaf_array_open(out, &holding, a->cx, err);
}
