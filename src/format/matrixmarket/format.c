/* SPDX-License-Identifier: MIT */
/* Matrix Market files: the table entry. The banner in the first line names the format. Lines of entries are
 * read by src/format/lines; the rules here are those of this format alone: symmetries, arrays, and comments.
 */
#include "base/context.h"
#include "base/memory.h"
#include "base/suffix.h"
#include "format/matrixmarket/matrixmarket.h"
#include <string.h>
#include <strings.h>

static const char *const suffixes[] = {".mtx", ".mm", NULL};

static const sheaf_option options[] = {
	{"layout", SHEAF_OPTION_CHOICE, SHEAF_WRITING, "coordinate|array",
     "a line for each entry with its position, or all values column by column (default: as in the input)", 0},
	{"object", SHEAF_OPTION_CHOICE, SHEAF_WRITING, "vector|matrix",
     "what a tensor of one dimension becomes: a vector, or a matrix of one column, which more programs read "
     "(default vector)",
     0},
	{"allow", SHEAF_OPTION_WORDS, SHEAF_READING, "breach",
     "breach: read what the format forbids and other programs read, with warnings", 0},
	SHEAF_ENCODING_OPTION,
	{NULL, SHEAF_OPTION_FLAG, 0, NULL, NULL, 0},
};

static bool has_banner(sheaf_bytes head)
{
	static const char banner[] = "%MatrixMarket";
	size_t before = sheaf_utf8_mark(head.data, head.size);
	before += head.size > before + 1 && head.data[before] == '%' && head.data[before + 1] == '%';
	head = (sheaf_bytes){head.data + before, head.size - before};
	return head.size >= sizeof banner - 1 &&
	       strncasecmp((const char *)head.data, banner, sizeof banner - 1) == 0;
}

static sheaf_likely probe(sheaf_glimpse *at)
{
	if (has_banner(at->head)) return SHEAF_SURE;
	return sheaf_has_suffix_of(at->name, suffixes) ? SHEAF_PERHAPS : SHEAF_NO;
}

/* ---- reading ---- */

static sheaf_status report_comment(const sheaf_entry_decoding *d)
{
	return sheaf_lined_report(&d->text, d->text.at, NULL,
	                          SHEAF_FINDING(SHEAF_BREACH, "comment among the entries",
	                                        "an entry, since comments stand before the sizes", "a comment",
	                                        "it is ignored"));
}

static const char *const names[] = {"row", "column"};
static const sheaf_entry_rules rules = {.names = names,
                                        .announced = "as the sizes say",
                                        .report_comment = report_comment,
                                        .check = sheaf_mtx_check_triangle,
                                        .find_place = sheaf_mtx_find_place,
                                        .pass_places = sheaf_mtx_pass_places};

static void close_reader(void *reader)
{
	sheaf_mtx_reader *in = (sheaf_mtx_reader *)reader;
	sheaf_sorter_free(in->places);
}

/* Opens a file: reads its header, and notes which deviations the user or the format allows (in->habits, a
 * bit for each). */
static sheaf_status open_reader(void *reader, const sheaf_values *values, const sheaf_opening *how,
                                sheaf_error *err)
{
	sheaf_mtx_reader *in = (sheaf_mtx_reader *)reader;
	(void)how;
	in->lenient = sheaf_values_flag(values, "allow=breach");
	in->syntax = &sheaf_mtx_syntax;
	in->counting = SHEAF_LINE_EACH;
	in->rules = &rules;
	SHEAF_TRY(sheaf_mtx_read_header(in, err));
	if (in->lenient) in->habits = ~0U;
	if (in->value == SHEAF_ENTRY_PATTERN) in->habits |= 1U << SHEAF_ENTRY_MORE_TEXT;
	/* A file that breaks off before it is refused when that is found; entries may be left out. */
	in->facts.rows = !in->bare && sheaf_leaves_out(in->cx) ? -1 : in->entries;
	return SHEAF_OK;
}

const sheaf_format sheaf_format_matrixmarket = {
	.name = "matrixmarket",
	.summary = "Matrix Market: a matrix as lines of entries, or an array",
	.suffixes = suffixes,
	.text = SHEAF_TEXT_OF_NUMBERS,
	.options = options,
	.random = &sheaf_lined_random,
	.write = &sheaf_mtx_writing,
	.probe = probe,
	.reader_size = sizeof(sheaf_mtx_reader),
	.open = open_reader,
	.cut = sheaf_lined_cut,
	.decode = sheaf_entry_decode,
	.review = sheaf_mtx_review,
	.rewind = sheaf_mtx_rewind,
	.carry = sheaf_mtx_carry,
	.close = close_reader,
};
