/* SPDX-License-Identifier: MIT */
/* Opening an example file, and its pieces: whole examples, of about the requested size; from a pipe, as soon
 * as there is one. */
#include "format/lens/reader.h"
#include "base/context.h"
#include "base/memory.h"
#include "format/lens/edits.h"
#include "format/lens/filling.h"
#include "io/source.h"
#include <inttypes.h>

bool sheaf_lens_is_binary(sheaf_bytes head)
{
	return head.size >= 4 && memcmp(head.data, "\xaa\xaa\xaa\xaa", 4) == 0;
}

const sheaf_lens_header *sheaf_lens_header_of(const sheaf_lens_reader *in) { return &in->header; }

int64_t sheaf_lens_examples_stated(const sheaf_lens_reader *in) { return in->stated; }

/* ---- opening ---- */

/* Reads the header of the set. After a flaw of a text header, which is reported, examples begin where the
 * header may have ended. */
static sheaf_status begin(sheaf_lens_reader *in, sheaf_error *err)
{
	sheaf_bytes shown;
	memcpy(in->header.fields, sheaf_lens_defaults, sizeof in->header.fields);
	sheaf_release_text(in->cx, in->header.proc);
	in->header.proc = NULL;
	in->cut = 0;
	in->stated = -1;
	in->ended = in->found = false;
	in->truncated = SHEAF_OK;
	in->way->start(&in->scan, true);
	SHEAF_TRY(in->way->show_header(in, &shown, err));
	int64_t first = in->way == &sheaf_lens_text_way ? 1 : -1;
	sheaf_piece start = {.line = first, .column = first};
	start.bytes = (sheaf_buffer){(uint8_t *)(uintptr_t)shown.data, shown.size, NULL};
	sheaf_lens_parsing p = sheaf_lens_parsing_of(in, &start, in->cx, err);
	p.in_header = true;
	sheaf_builder_begin(&p.string, in->cx, NULL);
	sheaf_status status = in->way->read_header(&p, in);
	sheaf_builder_drop(&p.string);
	in->ended = status == SHEAF_END;
	if (status && !in->ended && !p.flawed) return status;
	if (status && p.flawed) p.at = p.begin + in->scan.at;
	in->column = first < 0 ? -1 : sheaf_lens_count_lines(&p, p.at);
	in->line = p.line;
	sheaf_source_consume(in->source, (size_t)(p.at - p.begin));
	in->way->start(&in->scan, in->column == 1);
	return SHEAF_OK;
}

sheaf_status sheaf_lens_keep_proc(sheaf_lens_parsing *p, sheaf_lens_reader *in)
{
	sheaf_release_text(in->cx, in->header.proc);
	in->header.proc = NULL;
	return sheaf_copy_text(in->cx, (const char *)p->string.data, p->string.size, &in->header.proc, p->err);
}

void sheaf_lens_close(sheaf_lens_reader *in)
{
	if (!in) return;
	sheaf_release_text(in->cx, in->header.proc);
	sheaf_release(in->cx, in, sizeof *in);
}

sheaf_status sheaf_lens_open(sheaf_source *source, sheaf_context *cx, sheaf_lens_reader **out,
                             sheaf_error *err)
{
	sheaf_bytes head;
	*out = NULL;
	SHEAF_TRY(sheaf_source_ahead(source, 4, &head, err));
	sheaf_lens_reader *in;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_lens_reader), &in, err));
	in->cx = cx;
	in->source = source;
	in->way = sheaf_lens_is_binary(head) ? &sheaf_lens_binary_way : &sheaf_lens_text_way;
	sheaf_status status = begin(in, err);
	if (status)
		sheaf_lens_close(in);
	else
		*out = in;
	return status;
}

sheaf_status sheaf_lens_rewind(sheaf_lens_reader *in, sheaf_error *err)
{
	SHEAF_TRY(sheaf_source_rewind(in->source, err));
	return begin(in, err);
}

/* ---- pieces ---- */

/* A run of examples at the start of the bytes that are not cut yet. */
typedef struct extent {
	size_t size;
	int64_t examples;
} extent;

static void add_example(sheaf_lens_reader *in, extent *run)
{
	run->size = in->scan.at;
	run->examples++;
	in->found = false;
}

/* Adds examples that end within the available bytes, and within `bytes`, except for the first, which may be
 * longer. */
static void add_examples(sheaf_lens_reader *in, sheaf_bytes shown, size_t bytes, extent *run)
{
	if (in->found && in->scan.at <= shown.size) add_example(in, run);
	while (run->size < bytes && in->cut + run->examples != in->stated &&
	       in->way->find_end(&in->scan, shown.data, shown.size)) {
		in->found = run->examples > 0 && in->scan.at > bytes;
		if (in->found) return; /* the next run begins with it */
		add_example(in, run);
	}
}

static bool is_pipe(const sheaf_source *source)
{
	int64_t done, total;
	sheaf_source_progress(source, &done, &total);
	return total < 0;
}

static sheaf_problem problem_here(const sheaf_lens_reader *in, sheaf_finding finding)
{
	sheaf_problem problem = sheaf_problem_in(sheaf_source_name(in->source), &finding);
	problem.place.line = in->line;
	problem.place.byte = sheaf_source_place(in->source, sheaf_source_tell(in->source), NULL, 0);
	return problem;
}

/* The end of the input: an incomplete example, or nothing. */
static sheaf_status take_rest(sheaf_lens_reader *in, sheaf_bytes shown, extent *run, sheaf_error *err)
{
	in->ended = true;
	if (in->way->has_more) {
		sheaf_piece piece = {.line = in->line, .column = in->column};
		piece.bytes = (sheaf_buffer){(uint8_t *)(uintptr_t)shown.data, shown.size, NULL};
		sheaf_lens_parsing rest = sheaf_lens_parsing_of(in, &piece, in->cx, err);
		if (!in->way->has_more(&rest)) return SHEAF_END;
	}
	if (in->scan.last && sheaf_drops_incomplete(in->cx)) {
		sheaf_problem problem =
			problem_here(in, SHEAF_FINDING(SHEAF_FATAL, "truncated", "an example with its end",
		                                   "the end of the input", .status = SHEAF_SHORT));
		return sheaf_fail_problem(err, &problem);
	}
	*run = (extent){shown.size, 1};
	return SHEAF_OK;
}

/* If the input fails, the whole examples before that are cut first, and the failure comes with the next
 * call. */
static sheaf_status find_run(sheaf_lens_reader *in, size_t bytes, extent *run, sheaf_error *err)
{
	sheaf_bytes shown = {0};
	*run = (extent){0};
	/* No more is requested from a pipe than is available. */
	for (size_t want = is_pipe(in->source) ? 1 : bytes; !in->truncated;) {
		in->truncated = sheaf_source_ahead(in->source, want, &shown, &in->truncation);
		in->scan.last = !in->truncated && shown.size < want;
		add_examples(in, shown, in->truncated ? SIZE_MAX : bytes,
		             run); /* bytes before a failure are shown only once */
		bool last = in->scan.last || in->scan.broken;
		/* The next example would end after this many bytes. */
		bool enough = shown.size >= bytes || in->cut + run->examples == in->stated;
		if (run->size && (last || enough || is_pipe(in->source))) return SHEAF_OK;
		if (last) return take_rest(in, shown, run, err);
		want = in->scan.needed > shown.size ? in->scan.needed : shown.size + 1;
	}
	if (run->size) return SHEAF_OK;
	if (err) *err = in->truncation;
	return in->truncated;
}

/* Words of a piece's notes. */
enum { EXAMPLES, BEFORE, WORDS };

int64_t sheaf_lens_piece_examples(const sheaf_piece *piece, int64_t *before)
{
	const int64_t *words = (const int64_t *)(const void *)piece->notes.data;
	*before = words[BEFORE];
	return words[EXAMPLES];
}

static sheaf_status note(const sheaf_lens_reader *in, int64_t examples, int64_t before, sheaf_piece *piece,
                         sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, in->cx, &piece->notes);
	sheaf_builder_i64(&b, examples);
	sheaf_builder_i64(&b, before);
	return sheaf_builder_finish(&b, &piece->notes, err);
}

sheaf_status sheaf_lens_recall(const sheaf_lens_reader *in, sheaf_piece *piece, sheaf_error *err)
{
	sheaf_lens_scan scan = {0};
	int64_t examples = 0;
	size_t end = 0;
	SHEAF_TRY(sheaf_source_view_at(in->source, piece->byte, (size_t)piece->size, &piece->bytes, err));
	in->way->start(&scan, piece->column == 1);
	for (; end < piece->bytes.size && in->way->find_end(&scan, piece->bytes.data, piece->bytes.size);
	     end = scan.at)
		examples++;
	return note(in, examples + (end < piece->bytes.size), -1, piece,
	            err); /* the rest was cut as an example, too */
}

/* Anything after the last example that the header counts. */
static sheaf_status end(sheaf_lens_reader *in, sheaf_error *err)
{
	sheaf_bytes shown;
	bool first = !in->ended;
	in->ended = true;
	if (in->stated < 0 || !first) return SHEAF_END;
	SHEAF_TRY(sheaf_source_ahead(in->source, 1, &shown, err));
	if (shown.size == 0) return SHEAF_END;
	sheaf_problem problem = problem_here(in, SHEAF_FINDING(SHEAF_WARNING, "bytes after the examples",
	                                                       "the end of the file after the last example",
	                                                       "more bytes", "ignored"));
	SHEAF_TRY(sheaf_report(in->cx, &problem, err));
	return SHEAF_END;
}

sheaf_status sheaf_lens_cut(sheaf_lens_reader *in, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	extent run;
	sheaf_buffer_reset(&piece->bytes);
	if (in->ended || in->cut == in->stated) return end(in, err);
	/* Memory comes first: a run that was found cannot be found again when the cut is repeated. */
	SHEAF_TRY(note(in, 0, in->cut, piece, err));
	SHEAF_TRY(find_run(in, (size_t)bytes, &run, err));
	((int64_t *)(void *)piece->notes.data)[EXAMPLES] = run.examples;
	piece->byte = sheaf_source_tell(in->source);
	piece->size = (int64_t)run.size;
	piece->line = in->line;
	piece->column = in->column;
	piece->chunk = -1;
	sheaf_source_take(in->source, run.size, &piece->bytes);
	in->cut += run.examples;
	in->scan.at -= run.size;
	in->scan.needed -= in->scan.needed > run.size ? run.size : in->scan.needed;
	in->scan.line_start = false;
	if (in->line < 0) return SHEAF_OK;
	sheaf_lens_parsing lines = sheaf_lens_parsing_of(in, piece, in->cx, NULL);
	in->column = sheaf_lens_count_lines(&lines, lines.end);
	in->line = lines.line;
	return SHEAF_OK;
}

/* An example without its flaws, or none. The next one begins where the scan says that this one ends. */
static sheaf_status add_parsed(sheaf_lens_parsing *p)
{
	const sheaf_lens_way *way = p->in->way;
	sheaf_lens_mark mark;
	sheaf_lens_set_mark(p->set, &mark);
	p->from = p->at;
	p->flawed = false;
	sheaf_status status = way->read_example(p);
	if (status == SHEAF_OK) {
		p->example->byte = p->byte + (p->from - p->begin);
		sheaf_lens_end_example(p->set);
		return sheaf_lens_set_status(p->set, p->err);
	}
	sheaf_lens_set_back(p->set, &mark);
	if (!p->flawed) return status;
	sheaf_lens_scan scan = {0};
	way->start(&scan, false);
	scan.last = true;
	if (!way->find_end(&scan, p->from, (size_t)(p->end - p->from))) return SHEAF_END;
	p->at = p->from + scan.at;
	return SHEAF_OK;
}

sheaf_status sheaf_lens_parse(const sheaf_lens_reader *in, const sheaf_piece *piece, sheaf_lens_set *set,
                              sheaf_context *cx, sheaf_error *err)
{
	int64_t earlier = sheaf_lens_count(set), before, examples = sheaf_lens_piece_examples(piece, &before);
	sheaf_lens_parsing p = sheaf_lens_parsing_of(in, piece, cx, err);
	p.set = set;
	set->edits = in->edits;
	sheaf_builder_begin(&p.string, cx, NULL);
	sheaf_builder_begin(&p.spans, cx, NULL);
	sheaf_lens_set_expect(set, examples, piece->size);
	sheaf_status status = sheaf_lens_set_status(set, err);
	for (int64_t x = 0; status == SHEAF_OK && (in->way->has_more ? in->way->has_more(&p) : x < examples);
	     x++) {
		status = sheaf_check_stop(cx, err);
		if (status == SHEAF_OK) status = add_parsed(&p);
	}
	sheaf_builder_drop(&p.string);
	sheaf_builder_drop(&p.spans);
	sheaf_lens_edits_apply(in->edits, set, earlier);
	return status == SHEAF_END ? SHEAF_OK : status;
}

void sheaf_lens_edit_with(sheaf_lens_reader *in, sheaf_lens_edits *edits) { in->edits = edits; }
