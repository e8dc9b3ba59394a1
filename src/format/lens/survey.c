/* SPDX-License-Identifier: MIT */
/* A first reading of a file, for facts that its rows do not show by themselves: the groups it uses and how
 * wide they are, how many examples and events there are, and which procs. */
#include "base/context.h"
#include "base/status.h"
#include "format/lens/dataset.h"
#include "io/source.h"
#include <math.h>

/* Counts a proc, and keeps the first lines of the first ones, for people. */
static sheaf_status add_proc(sheaf_lens_survey *s, const char *proc, sheaf_error *err)
{
	enum { LINE_SHOWN = 60 };
	if (!proc || !*proc) return SHEAF_OK;
	if (s->procs++ >= SHEAF_LENS_SHOWN_PROCS) return SHEAF_OK;
	while (*proc == ' ' || *proc == '\t' || *proc == '\n') proc++;
	size_t n = strcspn(proc, "\n");
	return sheaf_arena_copy_text(&s->found.arena, s->found.cx, proc, n < LINE_SHOWN ? n : LINE_SHOWN,
	                             &s->lines[s->procs - 1], err);
}

/* ---- groups ---- */

/* Units by their numbers; a negative one ends a span that begins with the one before. */
static void add_units(sheaf_lens_stream *use, const int32_t *units, int32_t count)
{
	if (count && units[0] < 0) { /* all units, however many those are */
		use->alls++;
		return;
	}
	for (int32_t k = 0; k < count; k++) {
		int64_t unit = units[k], from = k && unit < 0 ? units[k - 1] : 0;
		if (unit < 0) unit = -unit;
		int64_t span = units[k] < 0 && from >= 0 && unit > from ? unit - from : 1;
		if (span <= SHEAF_LENS_USUAL_UNITS)
			use->named += span; /* otherwise it will most likely be left out */
		if (unit >= use->width) use->width = unit + 1;
	}
}

/* The ranges of a list: which groups they name, and how far their units reach. The use of a group on a side
 * begins with its first range. */
static sheaf_status add_list(sheaf_lens_survey *s, const sheaf_lens_set *set,
                             const sheaf_lens_example *example, int32_t list, bool target, sheaf_error *err)
{
	int32_t count;
	const sheaf_lens_range *ranges = sheaf_lens_ranges_of(set, example, list, &count);
	for (int32_t r = 0; r < count; r++) {
		const sheaf_lens_range *range = &ranges[r];
		sheaf_lens_stream fresh = {.target = target, .group = {"", 0}};
		if (range->group >= 0) fresh.group = set->groups.names[range->group];
		int number = sheaf_lens_stream_of(&s->found, fresh.group, target);
		if (number < 0) {
			number = sheaf_lens_streams_count(&s->found);
			SHEAF_TRY(sheaf_lens_streams_add(&s->found, &fresh, err));
		}
		sheaf_lens_stream *use = sheaf_lens_stream_at(&s->found, number);
		if (range->sparse) {
			add_units(use, sheaf_lens_units_of(set, range), range->count);
			continue;
		}
		int64_t end = range->count && range->first >= 0 ? (int64_t)range->first + range->count : 0;
		use->named += range->count;
		if (end > use->width) use->width = end;
	}
	return SHEAF_OK;
}

/* ---- examples ---- */

/* Whether a default is other than 0: then units that nobody names have values, too. */
static bool is_filling(float usual) { return usual != 0 || signbit(usual); }

static sheaf_status read_pieces(sheaf_lens_survey *s, sheaf_lens_reader *reader, sheaf_lens_set *set,
                                sheaf_piece *piece, sheaf_error *err)
{
	enum { PIECE = 4 << 20 };
	sheaf_status status;
	SHEAF_TRY(add_proc(s, sheaf_lens_header_of(reader)->proc, err));
	while ((status = sheaf_lens_cut(reader, PIECE, piece, err)) == SHEAF_OK) {
		SHEAF_TRY(sheaf_check_stop(set->cx, err));
		SHEAF_TRY(sheaf_lens_parse(reader, piece, set, set->cx, err));
		for (int64_t x = 0; x < sheaf_lens_count(set); x++) {
			const sheaf_lens_example *example = sheaf_lens_example_at(set, x);
			s->examples++;
			s->events += example->nevents;
			if (example->nevents > s->longest) s->longest = example->nevents;
			SHEAF_TRY(add_proc(s, sheaf_lens_string(set, example->proc), err));
			for (int32_t e = 0; e < example->nevents; e++) {
				const sheaf_lens_event *event = sheaf_lens_event_at(set, example, e);
				const sheaf_lens_traits *traits = sheaf_lens_event_traits(set, example, event);
				SHEAF_TRY(add_proc(s, sheaf_lens_string(set, traits->proc), err));
				s->filled[false] |= is_filling(traits->fields[SHEAF_LENS_DEF_I]);
				s->filled[true] |= is_filling(traits->fields[SHEAF_LENS_DEF_T]);
				SHEAF_TRY(add_list(s, set, example, event->input, false, err));
				SHEAF_TRY(add_list(s, set, example, event->target, true, err));
			}
		}
		s->bytes += (int64_t)piece->size;
		sheaf_lens_set_clear(set);
	}
	return status == SHEAF_END ? SHEAF_OK : status;
}

static sheaf_status read_source(sheaf_lens_survey *s, sheaf_source *source, sheaf_lens_edits *edits,
                                sheaf_context *cx, sheaf_error *err)
{
	sheaf_lens_reader *reader;
	sheaf_lens_set set = {0};
	sheaf_piece piece = {0};
	SHEAF_TRY(sheaf_lens_open(source, cx, &reader, err));
	sheaf_lens_edit_with(reader, edits);
	sheaf_lens_set_begin(&set, sheaf_lens_header_of(reader), cx);
	sheaf_status status = read_pieces(s, reader, &set, &piece, err);
	sheaf_lens_set_free(&set);
	sheaf_buffer_reset(&piece.bytes);
	sheaf_buffer_reset(&piece.notes);
	sheaf_lens_close(reader);
	return status;
}

/* A part is examined without taking it from the source: a pipe has its bytes only once. */
static sheaf_status read_first_part(sheaf_lens_survey *s, sheaf_source *source, sheaf_lens_edits *edits,
                                    sheaf_context *quiet, sheaf_error *err)
{
	enum { FIRST_PART = 1 << 20 };
	sheaf_bytes part;
	sheaf_source *copy;
	sheaf_status failed = sheaf_source_ahead(source, FIRST_PART, &part, err);
	if (part.size == 0) SHEAF_TRY(failed);
	SHEAF_TRY(sheaf_forgive(failed, "reading what follows the first part meets it again"));
	s->complete = !failed && part.size < FIRST_PART;
	if (part.size > FIRST_PART) part.size = FIRST_PART;
	SHEAF_TRY(sheaf_source_memory(part, sheaf_source_name(source), quiet, &copy, err));
	sheaf_status status = read_source(s, copy, edits, quiet, err);
	sheaf_source_close(copy);
	return status;
}

/* What is wrong with the input is no failure of the survey, which then knows less. It reports nothing. */
sheaf_status sheaf_lens_make_survey(sheaf_source *source, bool glance, sheaf_lens_edits *edits,
                                    sheaf_context *cx, sheaf_lens_survey *out, sheaf_error *err)
{
	sheaf_context *quiet;
	SHEAF_TRY(sheaf_context_quiet(cx, &quiet, err));
	sheaf_lens_streams_begin(&out->found, cx);
	out->made = true;
	sheaf_status status = SHEAF_OK;
	if (glance) {
		status = read_first_part(out, source, edits, quiet, err);
	} else {
		status = sheaf_source_make_rewindable(source, err);
		if (status == SHEAF_OK) status = read_source(out, source, edits, quiet, err);
		out->complete = status == SHEAF_OK;
	}
	sheaf_context_free(quiet);
	if (sheaf_is_flaw(status)) status = sheaf_forgive(status, "reading the input meets it again and says so");
	return status || glance ? status : sheaf_source_rewind(source, err);
}

/* ---- how much it becomes ---- */

/* Sums of a file's numbers can exceed 64 bits; nothing here must be exact. */
static double cells_of(const sheaf_lens_survey *s, const sheaf_lens_stream *use)
{
	return (double)s->events * (double)use->width;
}

static double named_by(const sheaf_lens_stream *use)
{
	return (double)use->named + (double)use->alls * (double)use->width;
}

bool sheaf_lens_is_thin(const sheaf_lens_survey *survey, const sheaf_lens_stream *use)
{
	enum { TIMES = 8 }; /* an entry takes twice the memory of a value, and its time */
	double cells = cells_of(survey, use);
	bool few = cells > TIMES * named_by(use) && !survey->filled[use->target];
	bool many = (double)survey->longest * (double)use->width > SHEAF_LENS_USUAL_UNITS &&
	            cells > SHEAF_LENS_UNITS_OF_A_BYTE * (double)survey->bytes;
	return cells > SHEAF_LENS_USUAL_UNITS && (few || many);
}

int64_t sheaf_lens_share(const sheaf_lens_survey *survey, int64_t bytes)
{
	enum { USUAL = 16 }; /* bytes of values that a byte of the input becomes */
	double values = 0;
	for (int s = 0; s < sheaf_lens_streams_count(&survey->found); s++) {
		const sheaf_lens_stream *use = sheaf_lens_stream_at(&survey->found, s);
		values += sheaf_lens_is_thin(survey, use) ? 2 * named_by(use) : cells_of(survey, use);
	}
	double times = values * sizeof(float) / USUAL / ((double)survey->bytes + 1);
	return times <= 1 ? bytes : (double)bytes / times < 1 ? 1 : (int64_t)((double)bytes / times);
}
