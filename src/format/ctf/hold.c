/* SPDX-License-Identifier: MIT */
/* Streams that the first part of an input has shown are held against the rest of it: doubts in decoding show
 * whether there are others, or larger ones. */
#include "format/ctf/look.h"
#include "io/source.h"
#include <string.h>

static bool is_within(const sheaf_ctf_reader *in, const sheaf_ctf_look *look, int i)
{
	const char *name = look->schema.fields[i].name;
	const sheaf_ctf_guess *g = sheaf_ctf_guess_of(look, i);
	int stream = sheaf_names_find(&in->names, (const uint8_t *)name, strlen(name), -1);
	if (stream < 0) return false;
	const sheaf_field *field = &in->schema.fields[stream];
	return sheaf_field_is_sparse(field) ? g->most_index < sheaf_field_dim(field)
	                                    : !g->sparse && g->most_values <= sheaf_field_dim(field);
}

sheaf_status sheaf_ctf_hold(const sheaf_ctf_reader *in, const uint8_t *begin, const uint8_t *end,
                            sheaf_context *cx, sheaf_error *err)
{
	sheaf_ctf_look look;
	bool within = true;
	SHEAF_TRY(sheaf_ctf_look_begin(&look, in, false, err));
	look.cx = cx;
	sheaf_status status = sheaf_ctf_look_at(&look, begin, end, 1, true, err);
	for (int i = 0; i < look.schema.nfields && within; i++) within = is_within(in, &look, i);
	sheaf_ctf_look_free(&look);
	SHEAF_TRY(status);
	if (within) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_STALE,
	                  "%s: expected the streams that its first part shows, found others, or larger ones",
	                  sheaf_source_name(in->source));
}
