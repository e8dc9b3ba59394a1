/* SPDX-License-Identifier: MIT */
/* The text spelling, so that Lens reads it back as the same set: every string in braces, every range but the
 * first with its opener, digits that give the same float32. */
#include "base/context.h"
#include "format/lens/text.h"
#include "format/lens/writing.h"
#include "number/number.h"
#include <inttypes.h>
#include <math.h>

/* ---- strings ---- */

/* Whether a string in braces is read back unchanged: its brackets close, no newline comes first, no line
 * looks like a comment. */
static bool fits_braces(const char *text)
{
	sheaf_lens_nest nest;
	if (*text == '\n') return false;
	sheaf_lens_nest_begin(&nest, '{');
	for (const char *c = text; *c; c++) {
		if (*c == '\r' || (*c == '\n' && c[1] == '#')) return false;
		if (*c == '\n') continue;
		if (sheaf_lens_nest_byte(&nest, (uint8_t)*c) != SHEAF_LENS_INSIDE ||
		    nest.depth > SHEAF_LENS_DEEPEST_OF_LENS)
			return false;
	}
	return nest.depth == 1 && !nest.escaped;
}

/* A bare word can have what braces cannot: a backslash at its end. */
static bool fits_bare(const char *text)
{
	const uint8_t *c = (const uint8_t *)text;
	if (sheaf_lens_is_number(c, c + strlen(text))) return false;
	while (*c && !sheaf_lens_is(*c, LENS_BLANK | LENS_BRACKET)) c++;
	return c > (const uint8_t *)text && *c == '\0';
}

static sheaf_status report(const sheaf_lens_writing *w, sheaf_problem problem, sheaf_error *err)
{
	problem.place = SHEAF_NOWHERE;
	problem.place.file = w->file;
	problem.place.row = w->row;
	return sheaf_report(w->cx, &problem, err);
}

static sheaf_status refuse_string(const sheaf_lens_writing *w, const char *rule, const char *text,
                                  sheaf_error *err)
{
	char found[SHEAF_SHOWN_SIZE];
	const uint8_t *bytes = (const uint8_t *)text;
	sheaf_problem problem = {
		.severity = SHEAF_ERROR, .status = SHEAF_LOSS, .rule = rule, .consequence = "left out"};
	problem.expected =
		"text with balanced brackets and quotes, no newline at the beginning and no line with a leading '#'";
	problem.found = sheaf_show(bytes, bytes + strlen(text), '\0', found);
	return report(w, problem, err);
}

/* The text before and after a string, and its name in messages. */
typedef struct string_place {
	const char *word, *end, *rule;
} string_place;

static sheaf_status put_string(const sheaf_lens_writing *w, string_place at, const char *text,
                               sheaf_builder *to, sheaf_error *err)
{
	if (!text) return SHEAF_OK;
	bool braces = fits_braces(text);
	if (!braces && !fits_bare(text)) return refuse_string(w, at.rule, text, err);
	sheaf_builder_text(to, at.word);
	if (braces) sheaf_builder_byte(to, '{');
	sheaf_builder_text(to, text);
	sheaf_builder_text(to, braces ? "}" : " ");
	sheaf_builder_text(to, at.end);
	return SHEAF_OK;
}

/* ---- numbers ---- */

static void put_integer(sheaf_builder *to, int64_t v)
{
	if (!sheaf_builder_room(to, SHEAF_NUMBER_MAX)) return;
	to->size = (size_t)((uint8_t *)sheaf_print_i64((char *)to->data + to->size, v) - to->data);
}

static void put_real(sheaf_builder *to, float v)
{
	if (isnan(v)) {
		sheaf_builder_byte(to, '-');
	} else if (isinf(v)) {
		sheaf_builder_text(to, v < 0 ? "-1e999" : "1e999");
	} else if (sheaf_builder_room(to, SHEAF_NUMBER_MAX)) {
		to->size = (size_t)((uint8_t *)sheaf_print_f32((char *)to->data + to->size, v) - to->data);
	}
}

static bool is_same(float a, float b) { return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0; }

static void put_fields(const float fields[SHEAF_LENS_FIELDS], const float usual[SHEAF_LENS_FIELDS],
                       const char *before, const char *after, sheaf_builder *to)
{
	for (int f = 0; f < SHEAF_LENS_FIELDS; f++) {
		if (is_same(fields[f], usual[f])) continue;
		sheaf_builder_text(to, before);
		sheaf_builder_text(to, sheaf_lens_field_words[f]);
		put_real(to, fields[f]);
		sheaf_builder_text(to, after);
	}
}

/* Lens refuses files of less than four bytes. */
static sheaf_status put_header(sheaf_lens_writing *w, const sheaf_lens_header *header, int64_t examples,
                               sheaf_builder *to, sheaf_error *err)
{
	w->row = -1;
	SHEAF_TRY(put_string(w, (string_place){"proc:", "\n", "set proc"}, header->proc, to, err));
	put_fields(header->fields, sheaf_lens_defaults, "", "\n", to);
	sheaf_builder_text(to, examples > 0 ? ";\n" : ";\n\n\n");
	return sheaf_builder_status(to, err);
}

/* ---- events ---- */

static void put_span(int32_t first, int32_t last, sheaf_builder *to)
{
	put_integer(to, first);
	if (last > first) put_integer(to, -(int64_t)last);
}

/* "[0-2 4]", or nothing if there is only one event. */
static void put_users(const sheaf_lens_writing *w, sheaf_lens_direction side, int32_t list, sheaf_builder *to)
{
	int32_t count;
	const int32_t *events = sheaf_lens_users_of(w, side, list, &count);
	if (w->example->nevents == 1) return;
	for (int32_t from = 0, after; from < count; from = after) {
		after = sheaf_lens_end_of_run(events, count, from);
		sheaf_builder_byte(to, from ? ' ' : '[');
		put_span(events[from], events[after - 1], to);
	}
	sheaf_builder_byte(to, ']');
}

/* Consecutive events with the same traits are written together. */
static sheaf_status put_specials(const sheaf_lens_writing *w, sheaf_builder *to, sheaf_error *err)
{
	const sheaf_lens_event *events = sheaf_lens_event_at(w->set, w->example, 0);
	for (int32_t e = 0, after; e < w->example->nevents; e = after) {
		for (after = e + 1; after < w->example->nevents && events[after].traits == events[e].traits;) after++;
		const sheaf_lens_traits *traits = sheaf_lens_event_traits(w->set, w->example, &events[e]);
		if (!sheaf_lens_is_special(w->set, traits)) continue;
		sheaf_builder_byte(to, '[');
		put_span(e, after - 1, to);
		SHEAF_TRY(put_string(w, (string_place){" proc:", "", "event proc"},
		                     sheaf_lens_string(w->set, traits->proc), to, err));
		put_fields(traits->fields, w->set->plain.fields, " ", "", to);
		sheaf_builder_text(to, "]\n");
	}
	return SHEAF_OK;
}

/* ---- ranges ---- */

static sheaf_status put_group(const sheaf_lens_writing *w, const sheaf_lens_range *range, sheaf_builder *to,
                              bool *fits, sheaf_error *err)
{
	size_t before = to->size;
	const char *name = range->group < 0 ? NULL : w->set->groups.names[range->group].text;
	SHEAF_TRY(put_string(w, (string_place){"", "", "group name"}, name, to, err));
	*fits = !name || to->size > before;
	return SHEAF_OK;
}

static void put_values(const sheaf_lens_set *set, const sheaf_lens_range *range, sheaf_builder *to)
{
	const float *values = sheaf_lens_values_of(set, range);
	for (int32_t i = 0; i < range->count; i++) {
		sheaf_builder_byte(to, ' ');
		put_real(to, values[i]);
	}
}

/* A list that begins with a negative number means all units, whatever follows. */
static void put_units(const sheaf_lens_set *set, const sheaf_lens_range *range, sheaf_builder *to)
{
	const int32_t *units = sheaf_lens_units_of(set, range);
	if (range->count && units[0] < 0) {
		sheaf_builder_text(to, " *");
		return;
	}
	for (int32_t i = 0; i < range->count; i++) {
		if (units[i] >= 0) sheaf_builder_byte(to, ' ');
		put_integer(to, units[i]);
	}
}

/* "{group value}" or "(group first)". A group that text cannot hold is lost with its range. */
static sheaf_status put_opener(const sheaf_lens_writing *w, const sheaf_lens_range *range, sheaf_builder *to,
                               bool *fits, sheaf_error *err)
{
	sheaf_builder_byte(to, range->sparse ? '{' : '(');
	SHEAF_TRY(put_group(w, range, to, fits, err));
	if (range->group >= 0) sheaf_builder_byte(to, ' ');
	if (range->sparse)
		put_real(to, range->value);
	else
		put_integer(to, range->first);
	sheaf_builder_byte(to, range->sparse ? '}' : ')');
	return SHEAF_OK;
}

/* Whether the letter alone begins the same range. */
static bool needs_opener(const sheaf_lens_range *range, float active)
{
	return range->group >= 0 || range->count == 0 ||
	       (range->sparse ? !is_same(range->value, active) : range->first != 0);
}

static sheaf_status report_all(const sheaf_lens_writing *w, sheaf_error *err)
{
	sheaf_problem problem = {.severity = SHEAF_WARNING,
	                         .status = SHEAF_DATA,
	                         .rule = "all units",
	                         .consequence = "written as *, which means the same"};
	problem.expected = "-1 alone for all units";
	problem.found = "another list that begins with a negative number";
	return report(w, problem, err);
}

/* Binary files may have ranges of units that end before they begin, and several ways to say that all are
 * meant. */
static sheaf_status check_units(const sheaf_lens_writing *w, const sheaf_lens_range *range, bool *fit,
                                sheaf_error *err)
{
	const int32_t *units = range->sparse ? sheaf_lens_units_of(w->set, range) : NULL;
	*fit = true;
	if (!units) return SHEAF_OK;
	if (units[0] < 0) return units[0] == -1 && range->count == 1 ? SHEAF_OK : report_all(w, err);
	for (int32_t i = 1; i < range->count && *fit; i++)
		*fit = units[i] >= 0 || (units[i] != INT32_MIN && -units[i] >= units[i - 1]);
	if (*fit) return SHEAF_OK;
	sheaf_problem problem = {.severity = SHEAF_ERROR,
	                         .status = SHEAF_LOSS,
	                         .rule = "unit range",
	                         .consequence = "the units are left out"};
	problem.expected = "the last unit of a range not to be before the first";
	problem.found = "one that is";
	return report(w, problem, err);
}

static sheaf_status put_range(const sheaf_lens_writing *w, const sheaf_lens_range *range, bool opener,
                              sheaf_builder *to, sheaf_error *err)
{
	bool fits;
	size_t before = to->size;
	SHEAF_TRY(check_units(w, range, &fits, err));
	if (fits && opener) SHEAF_TRY(put_opener(w, range, to, &fits, err));
	if (fits)
		(range->sparse ? put_units : put_values)(w->set, range, to);
	else if (!to->failed)
		to->size = before;
	return SHEAF_OK;
}

/* The letter shows the kind of the first range: of "Ii", 'I' for a dense one and 'i' for a sparse one.
 * `active` is the value that the list's owner gives to units without one. */
static sheaf_status put_ranges(const sheaf_lens_writing *w, const char letters[2], int32_t list, float active,
                               sheaf_builder *to, sheaf_error *err)
{
	int32_t count;
	const sheaf_lens_range *ranges = sheaf_lens_ranges_of(w->set, w->example, list, &count);
	sheaf_builder_byte(to, letters[ranges->sparse]);
	sheaf_builder_byte(to, ':');
	for (int32_t i = 0; i < count; i++) {
		if (i) sheaf_builder_byte(to, ' ');
		SHEAF_TRY(put_range(w, &ranges[i], i > 0 || needs_opener(ranges, active), to, err));
	}
	sheaf_builder_byte(to, '\n');
	return SHEAF_OK;
}

static float active_of(const sheaf_lens_writing *w, int32_t event, sheaf_lens_field field)
{
	return sheaf_lens_event_traits(w->set, w->example, sheaf_lens_event_at(w->set, w->example, event))
	    ->fields[field];
}

static sheaf_status put_side(const sheaf_lens_writing *w, sheaf_lens_direction side, int32_t list,
                             sheaf_builder *to, sheaf_error *err)
{
	int32_t count;
	bool inputs = side == SHEAF_LENS_INPUTS;
	const int32_t *events = sheaf_lens_users_of(w, side, list, &count);
	put_users(w, side, list, to);
	return put_ranges(w, inputs ? "Ii" : "Tt", list,
	                  active_of(w, *events, inputs ? SHEAF_LENS_ACT_I : SHEAF_LENS_ACT_T), to, err);
}

static sheaf_status tell_copy(const sheaf_lens_writing *w, sheaf_error *err)
{
	sheaf_problem problem = {.severity = SHEAF_WARNING,
	                         .status = SHEAF_DATA,
	                         .rule = "list written twice",
	                         .consequence = "written once more, as targets"};
	problem.expected = "inputs that are shared as targets of the same events";
	problem.found = "targets of other events";
	return report(w, problem, err);
}

/* Whether the inputs are also the targets of the same events: then they are written once. */
static bool is_both(const sheaf_lens_writing *w, int32_t list)
{
	int32_t ninputs, ntargets;
	const int32_t *inputs = sheaf_lens_users_of(w, SHEAF_LENS_INPUTS, list, &ninputs);
	const int32_t *targets = sheaf_lens_users_of(w, SHEAF_LENS_TARGETS, list, &ntargets);
	return ninputs == ntargets && memcmp(inputs, targets, (size_t)ninputs * sizeof *inputs) == 0;
}

static sheaf_status put_input(const sheaf_lens_writing *w, int32_t list, sheaf_builder *to, sheaf_error *err)
{
	int32_t count;
	if (is_both(w, list)) {
		put_users(w, SHEAF_LENS_INPUTS, list, to);
		return put_ranges(
			w, "Bb", list,
			active_of(w, *sheaf_lens_users_of(w, SHEAF_LENS_INPUTS, list, &count), SHEAF_LENS_ACT_I), to,
			err);
	}
	SHEAF_TRY(put_side(w, SHEAF_LENS_INPUTS, list, to, err));
	sheaf_lens_users_of(w, SHEAF_LENS_TARGETS, list, &count);
	return count ? tell_copy(w, err) : SHEAF_OK;
}

/* All targets come after all inputs, in the order of their events, whether they are shared or not: so a file
 * that is read and written again stays as it is. */
static sheaf_status put_lists(const sheaf_lens_writing *w, sheaf_builder *to, sheaf_error *err)
{
	for (int32_t e = 0; e < w->example->nevents; e++)
		if (sheaf_lens_owns(w, SHEAF_LENS_INPUTS, e))
			SHEAF_TRY(put_input(w, sheaf_lens_event_at(w->set, w->example, e)->input, to, err));
	for (int32_t e = 0; e < w->example->nevents; e++) {
		if (!sheaf_lens_owns(w, SHEAF_LENS_TARGETS, e)) continue;
		int32_t list = sheaf_lens_event_at(w->set, w->example, e)->target;
		if (!is_both(w, list)) SHEAF_TRY(put_side(w, SHEAF_LENS_TARGETS, list, to, err));
	}
	return SHEAF_OK;
}

/* ---- examples ---- */

static sheaf_status put_example(sheaf_lens_writing *w, const sheaf_lens_set *set,
                                const sheaf_lens_example *example, int64_t row, sheaf_builder *to,
                                sheaf_error *err)
{
	w->row = row;
	SHEAF_TRY(sheaf_lens_find_users(w, set, example, err));
	SHEAF_TRY(put_string(w, (string_place){"name:", "\n", "example name"},
	                     sheaf_lens_string(set, example->name), to, err));
	SHEAF_TRY(put_string(w, (string_place){"proc:", "\n", "example proc"},
	                     sheaf_lens_string(set, example->proc), to, err));
	if (!is_same(example->frequency, 1)) {
		sheaf_builder_text(to, "freq:");
		put_real(to, example->frequency);
		sheaf_builder_byte(to, '\n');
	}
	if (example->nevents > 1) {
		put_integer(to, example->nevents);
		sheaf_builder_byte(to, '\n');
	}
	SHEAF_TRY(put_specials(w, to, err));
	SHEAF_TRY(put_lists(w, to, err));
	sheaf_builder_text(to, ";\n");
	return sheaf_builder_status(to, err);
}

const sheaf_lens_spelling sheaf_lens_text_spelling = {.put_header = put_header, .put_example = put_example};
