/* SPDX-License-Identifier: MIT */
/* The header of a set in text, and the fields that it shares with the headers of events. */
#include "base/memory.h"
#include "format/lens/text.h"
#include "io/source.h"
#include <stdio.h>

/* ---- fields ---- */

const char *const sheaf_lens_field_words[SHEAF_LENS_FIELDS] = {
	"max:", "min:", "grace:", "defI:", "actI:", "defT:", "actT:"};

static sheaf_status flaw_value(sheaf_lens_parsing *p, const char *where, int field)
{
	char expected[64];
	snprintf(expected, sizeof expected, "a value after \"%s\" in the %s", sheaf_lens_field_words[field],
	         where);
	return sheaf_lens_flaw_here(p, "missing value", expected);
}

sheaf_status sheaf_lens_read_field(sheaf_lens_parsing *p, const char *where, float fields[SHEAF_LENS_FIELDS],
                                   unsigned *given, bool *found)
{
	int field = 0;
	bool is_real;
	while (field < SHEAF_LENS_FIELDS && !sheaf_lens_match(p, sheaf_lens_field_words[field])) field++;
	*found = field < SHEAF_LENS_FIELDS;
	if (!*found) return SHEAF_OK;
	SHEAF_TRY(sheaf_lens_read_real(p, &fields[field], &is_real));
	*given |= 1u << field;
	return is_real ? SHEAF_OK : flaw_value(p, where, field);
}

/* ---- the header ---- */

/* Before version 2, files began with their numbers of inputs and targets. Lens still skips two integers, even
 * if a file without a header begins with the number of events of its first example. */
static sheaf_status pass_old_dims(sheaf_lens_parsing *p)
{
	int passed = 0;
	int32_t ignored;
	sheaf_lens_pass_blank(p);
	const uint8_t *first = p->at;
	while (passed < 2 && sheaf_lens_scan_integer(&p->at, p->end, &ignored) != SHEAF_LENS_NO_INTEGER) {
		passed++;
		sheaf_lens_pass_blank(p);
	}
	if (!passed) return SHEAF_OK;
	char found[SHEAF_SHOWN_SIZE];
	return sheaf_lens_report(
		&p->teller, first,
		SHEAF_FINDING(passed == 1 ? SHEAF_WARNING : SHEAF_NOTE, "leading number",
	                  "the file not to begin with a number: write ';' before the number of events",
	                  sheaf_show(first, p->end, ';', found),
	                  passed == 1 ? "read as the number of inputs of an old header, as Lens does, and ignored"
	                              : "read as an old header and ignored"));
}

static sheaf_status read_proc(sheaf_lens_parsing *p, sheaf_lens_header *header)
{
	sheaf_context *cx = p->teller.cx;
	SHEAF_TRY(sheaf_lens_read_block(p, "set proc", "the code of the set"));
	sheaf_release_text(cx, header->proc);
	header->proc = NULL;
	return sheaf_copy_text(cx, (const char *)p->string.data, p->string.size, &header->proc, p->teller.err);
}

static sheaf_status read_header(sheaf_lens_parsing *p, sheaf_lens_header *header)
{
	unsigned given = 0;
	SHEAF_TRY(pass_old_dims(p));
	for (bool found = true; found && !sheaf_lens_match(p, ";");) {
		if (sheaf_lens_match(p, "proc:"))
			SHEAF_TRY(read_proc(p, header));
		else
			SHEAF_TRY(sheaf_lens_read_field(p, "set header", header->fields, &given, &found));
	}
	return SHEAF_OK;
}

/* Shows as much as the header may take: up to the first ';' that counts, which ends it, or the first
 * example. */
static sheaf_status show_header(sheaf_lens_reader *in, sheaf_bytes *shown, sheaf_error *err)
{
	for (size_t want = 4;; want = shown->size + 1) {
		SHEAF_TRY(sheaf_source_ahead(in->source, want, shown, err));
		if (sheaf_lens_text_end(&in->scan, shown->data, shown->size) || shown->size < want) return SHEAF_OK;
	}
}

/* Lens reads four bytes first, and knows no byte order mark. */
static sheaf_status check_start(sheaf_lens_parsing *p)
{
	static const char mark[] = "\xef\xbb\xbf";
	char found[40];
	size_t size = (size_t)(p->end - p->begin);
	if (sheaf_lens_follows(p, mark))
		return sheaf_lens_report(
			&p->teller, p->begin,
			SHEAF_FINDING(SHEAF_FATAL, "byte order mark", "text without a byte order mark", "that of UTF-8"));
	if (size >= 4) return SHEAF_OK;
	snprintf(found, sizeof found, "a file of %zu", size);
	return sheaf_lens_report(
		&p->teller, p->begin,
		SHEAF_FINDING(SHEAF_FATAL, "example file empty", "at least 4 bytes", found, .status = SHEAF_SHORT));
}

sheaf_status sheaf_lens_text_begin(sheaf_lens_reader *in, sheaf_error *err)
{
	static const uint8_t nothing[1];
	sheaf_bytes shown;
	sheaf_lens_text_start(&in->scan, true);
	SHEAF_TRY(show_header(in, &shown, err));
	if (shown.size == 0) shown.data = nothing; /* a pointer that can be added to */
	sheaf_piece start = {
		.bytes = {(uint8_t *)(uintptr_t)shown.data, shown.size, NULL}, .line = 1, .column = 1};
	sheaf_lens_parsing p = {.teller = sheaf_lens_teller_of(in, &start, in->cx, err),
	                        .begin = shown.data,
	                        .at = shown.data,
	                        .line_start = true};
	p.end = p.begin + shown.size;
	p.teller.in_header = true;
	sheaf_builder_begin(&p.string, in->cx, NULL);
	sheaf_status status = check_start(&p);
	if (status == SHEAF_OK) status = read_header(&p, &in->header);
	sheaf_builder_drop(&p.string);
	/* After a reported flaw, examples begin where the header may have ended. */
	if (status && p.teller.flawed) p.at = p.begin + in->scan.at;
	if (status && !p.teller.flawed) return status;
	sheaf_lens_count_lines(&p.teller, p.at);
	in->line = p.teller.line;
	in->column = p.at - p.teller.line_begin + p.teller.column;
	sheaf_source_consume(in->source, (size_t)(p.at - p.begin));
	return SHEAF_OK;
}
