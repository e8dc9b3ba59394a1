/* SPDX-License-Identifier: MIT */
/* The header of a set in binary: the cookie aa aa aa aa, sizeof(real), the set's proc and a NUL, seven reals,
 * the number of examples. */
#include "base/context.h"
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

/* The set's proc may be long. */
sheaf_status sheaf_lens_binary_show_header(sheaf_lens_reader *in, sheaf_bytes *shown, sheaf_error *err)
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

static sheaf_status refuse(sheaf_lens_parsing *p, int64_t byte, sheaf_finding finding)
{
	SHEAF_TRY(sheaf_lens_report(p, p->begin + byte, finding));
	return SHEAF_END;
}

/* Lens writes the size of its reals, but always uses reals of four bytes. */
sheaf_status sheaf_lens_binary_read_header(sheaf_lens_parsing *p, sheaf_lens_reader *in)
{
	enum { REAL_AT = 4 };
	size_t size;
	char found[96];
	sheaf_cursor c = sheaf_cursor_over(p->begin, (size_t)(p->end - p->begin), 0);
	sheaf_cursor_i32be(&c, "the cookie");
	int32_t real = sheaf_cursor_i32be(&c, "sizeof(real)");
	if (!c.failed && real != 4 && real != 8) {
		bool swapped = real == 4 << 24 || real == 8 << 24;
		snprintf(found, sizeof found,
		         swapped ? "%" PRId32
		                   ": the file is little-endian, and only big-endian ones are example files"
		                 : "%" PRId32,
		         real);
		return refuse(p, REAL_AT,
		              SHEAF_FINDING(SHEAF_FATAL, "sizeof(real)", "sizeof(real) to be 4 or 8", found));
	}
	const uint8_t *proc = sheaf_cursor_string(&c, &size, "the proc of the set");
	sheaf_lens_read_reals(&c, "the times and values of the set", in->header.fields);
	int64_t at = sheaf_cursor_tell(&c);
	int32_t examples = sheaf_cursor_i32be(&c, "the number of examples");
	if (c.failed)
		return refuse(
			p, c.failed_at,
			SHEAF_FINDING(SHEAF_FATAL, "header", c.failed, "the end of the file", .status = SHEAF_SHORT));
	snprintf(found, sizeof found, "%" PRId32, examples);
	if (examples < 0)
		return refuse(p, at,
		              SHEAF_FINDING(SHEAF_FATAL, "number of examples",
		                            "a number of examples from 0 to 2147483647", found));
	in->stated = examples;
	p->at = c.at;
	if (size == 0) return SHEAF_OK;
	sheaf_builder_append(&p->string, proc, size);
	sheaf_builder_make_utf8(&p->string, 0);
	SHEAF_TRY(sheaf_builder_status(&p->string, p->err));
	return sheaf_lens_keep_proc(p, in);
}
