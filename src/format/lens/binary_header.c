/* SPDX-License-Identifier: MIT */
/* The header of a set in binary. */
#include "base/context.h"
#include "base/memory.h"
#include "format/lens/binary.h"
#include "io/source.h"
#include <inttypes.h>
#include <stdio.h>

void sheaf_lens_read_reals(sheaf_cursor *c, const char *field, float out[SHEAF_LENS_FIELDS])
{
	const uint8_t *reals = sheaf_cursor_bytes(c, SHEAF_LENS_FIELDS, 4, field);
	for (int f = 0; f < SHEAF_LENS_FIELDS; f++)
		out[f] = reals ? sheaf_lens_load_real(reals + (ptrdiff_t)4 * f) : 0;
}

static sheaf_status refuse(const sheaf_lens_reader *in, int64_t byte, sheaf_finding finding, sheaf_error *err)
{
	sheaf_problem problem = sheaf_problem_in(sheaf_source_name(in->source), &finding);
	problem.place.byte = byte;
	SHEAF_TRY(sheaf_report(in->cx, &problem, err));
	return SHEAF_END;
}

/* Lens writes the size of its reals, but always uses reals of four bytes. */
static sheaf_status check_real(const sheaf_lens_reader *in, int32_t size, sheaf_error *err)
{
	char found[96];
	if (size == 4 || size == 8) return SHEAF_OK;
	bool swapped = size == 4 << 24 || size == 8 << 24;
	snprintf(found, sizeof found,
	         swapped ? "%" PRId32 ": the file is little-endian, and only big-endian ones are example files"
	                 : "%" PRId32,
	         size);
	return refuse(in, 4, SHEAF_FINDING(SHEAF_FATAL, "sizeof(real)", "sizeof(real) to be 4 or 8", found), err);
}

/* Shows the header: the set's proc may be long. */
static sheaf_status show_header(sheaf_lens_reader *in, sheaf_bytes *shown, sheaf_error *err)
{
	enum { PROC_AT = 8, BEHIND_PROC = 1 + 4 * SHEAF_LENS_FIELDS + 4 };
	size_t proc = PROC_AT;
	for (size_t want = PROC_AT + BEHIND_PROC;;) {
		SHEAF_TRY(sheaf_source_ahead(in->source, want, shown, err));
		if (shown->size < want) return SHEAF_OK;
		while (proc < shown->size && shown->data[proc]) proc++;
		if (shown->size >= proc + BEHIND_PROC) return SHEAF_OK;
		want = proc + BEHIND_PROC;
	}
}

static sheaf_status keep_proc(sheaf_lens_reader *in, const uint8_t *text, size_t size, sheaf_error *err)
{
	sheaf_builder proc;
	if (size == 0) return SHEAF_OK;
	sheaf_builder_begin(&proc, in->cx, NULL);
	sheaf_builder_append(&proc, text, size);
	sheaf_builder_make_utf8(&proc, 0);
	sheaf_status status = sheaf_builder_status(&proc, err);
	if (status == SHEAF_OK)
		status = sheaf_copy_text(in->cx, (const char *)proc.data, proc.size, &in->header.proc, err);
	sheaf_builder_drop(&proc);
	return status;
}

static sheaf_status read_header(sheaf_lens_reader *in, sheaf_cursor *c, sheaf_error *err)
{
	size_t size;
	char found[40];
	sheaf_cursor_i32be(c, "the cookie");
	int32_t real = sheaf_cursor_i32be(c, "sizeof(real)");
	if (!c->failed) SHEAF_TRY(check_real(in, real, err));
	const uint8_t *proc = sheaf_cursor_string(c, &size, "the proc of the set");
	sheaf_lens_read_reals(c, "the times and values of the set", in->header.fields);
	int64_t at = sheaf_cursor_tell(c);
	int32_t examples = sheaf_cursor_i32be(c, "the number of examples");
	if (c->failed)
		return refuse(
			in, c->failed_at,
			SHEAF_FINDING(SHEAF_FATAL, "header", c->failed, "the end of the file", .status = SHEAF_SHORT),
			err);
	snprintf(found, sizeof found, "%" PRId32, examples);
	if (examples < 0)
		return refuse(in, at,
		              SHEAF_FINDING(SHEAF_FATAL, "number of examples",
		                            "a number of examples from 0 to 2147483647", found),
		              err);
	in->stated = examples;
	return keep_proc(in, proc, size, err);
}

/* END is returned for a header that cannot be read: when validating, there are no examples then. */
sheaf_status sheaf_lens_binary_begin(sheaf_lens_reader *in, sheaf_error *err)
{
	sheaf_bytes shown;
	in->line = in->column = -1;
	SHEAF_TRY(show_header(in, &shown, err));
	sheaf_cursor c = sheaf_cursor_over(shown.data, shown.size, 0);
	sheaf_status status = read_header(in, &c, err);
	in->ended = status == SHEAF_END;
	if (status && !in->ended) return status;
	sheaf_source_consume(in->source, (size_t)(c.at - c.begin));
	return SHEAF_OK;
}
