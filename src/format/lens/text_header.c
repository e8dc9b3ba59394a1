/* SPDX-License-Identifier: MIT */
/* The header of a set in text, and the fields that it shares with the headers of events. */
#include "format/lens/text.h"
#include "io/source.h"
#include <stdio.h>

/* ---- fields ---- */

const char *const sheaf_lens_field_words[SHEAF_LENS_FIELDS] = {
	"max:", "min:", "grace:", "defI:", "actI:", "defT:", "actT:"};

sheaf_status sheaf_lens_read_field(sheaf_lens_parsing *p, const char *where, float fields[SHEAF_LENS_FIELDS],
                                   unsigned *given, bool *found)
{
	int field = 0;
	char expected[64] = "";
	while (field < SHEAF_LENS_FIELDS && !sheaf_lens_match(p, sheaf_lens_field_words[field])) field++;
	*found = field < SHEAF_LENS_FIELDS;
	if (!*found) return SHEAF_OK;
	sheaf_lens_pass_blank(p);
	if (!sheaf_lens_scan_real(p->at, p->end).end)
		snprintf(expected, sizeof expected, "a value after \"%s\" in the %s", sheaf_lens_field_words[field],
		         where);
	*given |= 1u << field;
	return sheaf_lens_read_real(p, "missing value", expected, &fields[field]);
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
		p, first,
		SHEAF_FINDING(passed == 1 ? SHEAF_WARNING : SHEAF_NOTE, "leading number",
	                  "the file not to begin with a number: write ';' before the number of events",
	                  sheaf_show(first, p->end, ';', found),
	                  passed == 1 ? "read as the number of inputs of an old header, as Lens does, and ignored"
	                              : "read as an old header and ignored"));
}

/* Up to the first ';' that counts, which ends the header, or the first example. */
sheaf_status sheaf_lens_text_show_header(sheaf_lens_reader *in, sheaf_bytes *shown, sheaf_error *err)
{
	for (size_t want = 4;; want = shown->size + 1) {
		SHEAF_TRY(sheaf_source_ahead(in->source, want, shown, err));
		if (sheaf_lens_text_end(&in->scan, shown->data, shown->size) || shown->size < want) return SHEAF_OK;
	}
}

/* Lens reads four bytes first, and knows no byte order mark. */
sheaf_status sheaf_lens_text_read_header(sheaf_lens_parsing *p, sheaf_lens_reader *in)
{
	char found[40];
	unsigned given = 0;
	size_t size = (size_t)(p->end - p->begin);
	snprintf(found, sizeof found, "a file of %zu", size);
	if (sheaf_lens_follows(p, "\xef\xbb\xbf"))
		SHEAF_TRY(sheaf_lens_report(p, p->begin,
		                            SHEAF_FINDING(SHEAF_FATAL, "byte order mark",
		                                          "text without a byte order mark", "that of UTF-8")));
	else if (size < 4)
		SHEAF_TRY(sheaf_lens_report(p, p->begin,
		                            SHEAF_FINDING(SHEAF_FATAL, "example file empty", "at least 4 bytes",
		                                          found, .status = SHEAF_SHORT)));
	SHEAF_TRY(pass_old_dims(p));
	for (bool more = true; more && !sheaf_lens_match(p, ";");) {
		if (sheaf_lens_match(p, "proc:")) {
			SHEAF_TRY(sheaf_lens_read_block(p, "set proc", "the code of the set"));
			SHEAF_TRY(sheaf_lens_keep_proc(p, in));
		} else {
			SHEAF_TRY(sheaf_lens_read_field(p, "set header", in->header.fields, &given, &more));
		}
	}
	return SHEAF_OK;
}
