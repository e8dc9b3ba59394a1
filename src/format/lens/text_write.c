/* SPDX-License-Identifier: MIT */
/* The text spelling, so that Lens reads it back as the same set: every string in braces, every range but the
 * first with its opener, digits that give the same float32. */
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

/* A string between two texts, or nothing if there is none. One that text cannot hold is a loss, `rule`. */
static sheaf_status put_string(const sheaf_lens_writing *w, const char *before, const char *string,
                               const char *after, const char *rule)
{
	char found[SHEAF_SHOWN_SIZE];
	const uint8_t *bytes = (const uint8_t *)string;
	if (!string) return SHEAF_OK;
	bool braces = fits_braces(string);
	if (!braces && !fits_bare(string))
		return sheaf_lens_tell(w, SHEAF_FINDING(SHEAF_ERROR, rule,
		                                        "text with balanced brackets and quotes, no newline at the "
		                                        "beginning and no line with a leading '#'",
		                                        sheaf_show(bytes, bytes + strlen(string), '\0', found),
		                                        "left out", .status = SHEAF_LOSS));
	sheaf_builder_text(w->to, before);
	if (braces) sheaf_builder_byte(w->to, '{');
	sheaf_builder_text(w->to, string);
	sheaf_builder_text(w->to, braces ? "}" : " ");
	sheaf_builder_text(w->to, after);
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

static void put_fields(const float fields[SHEAF_LENS_FIELDS], const float usual[SHEAF_LENS_FIELDS],
                       const char *before, const char *after, sheaf_builder *to)
{
	for (int f = 0; f < SHEAF_LENS_FIELDS; f++) {
		if (sheaf_lens_same(fields[f], usual[f])) continue;
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
	w->to = to;
	w->err = err;
	SHEAF_TRY(put_string(w, "proc:", header->proc, "\n", "set proc"));
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

/* Consecutive events with the same traits are written together. */
static sheaf_status put_specials(const sheaf_lens_writing *w)
{
	const sheaf_lens_event *events = sheaf_lens_event_at(w->set, w->example, 0);
	for (int32_t e = 0, after; e < w->example->nevents; e = after) {
		for (after = e + 1; after < w->example->nevents && events[after].traits == events[e].traits;) after++;
		const sheaf_lens_traits *traits = sheaf_lens_event_traits(w->set, w->example, &events[e]);
		if (!sheaf_lens_is_special(w->set, traits)) continue;
		sheaf_builder_byte(w->to, '[');
		put_span(e, after - 1, w->to);
		SHEAF_TRY(put_string(w, " proc:", sheaf_lens_string(w->set, traits->proc), "", "event proc"));
		put_fields(traits->fields, w->set->plain.fields, " ", "", w->to);
		sheaf_builder_text(w->to, "]\n");
	}
	return SHEAF_OK;
}

/* ---- ranges ---- */

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
	bool all = range->count && units[0] < 0;
	if (all) sheaf_builder_text(to, " *");
	for (int32_t i = 0; i < range->count && !all; i++) {
		if (units[i] >= 0) sheaf_builder_byte(to, ' ');
		put_integer(to, units[i]);
	}
}

/* "{group value}" or "(group first)". *fits: text can hold the group, without which the range is lost. */
static sheaf_status put_opener(const sheaf_lens_writing *w, const sheaf_lens_range *range, bool *fits)
{
	const char *group = sheaf_lens_group_name(w->set, range);
	sheaf_builder_byte(w->to, range->sparse ? '{' : '(');
	size_t before = w->to->size;
	SHEAF_TRY(put_string(w, "", group, "", "group name"));
	*fits = !group || w->to->size > before;
	if (group) sheaf_builder_byte(w->to, ' ');
	if (range->sparse)
		put_real(w->to, range->value);
	else
		put_integer(w->to, range->first);
	sheaf_builder_byte(w->to, range->sparse ? '}' : ')');
	return SHEAF_OK;
}

/* Binary files may have ranges of units that end before they begin, and several ways to say that all are
 * meant. */
static sheaf_status check_units(const sheaf_lens_writing *w, const sheaf_lens_range *range, bool *fit)
{
	const int32_t *units = range->sparse ? sheaf_lens_units_of(w->set, range) : NULL;
	*fit = true;
	if (!units || (units[0] == -1 && range->count == 1)) return SHEAF_OK;
	if (units[0] < 0)
		return sheaf_lens_tell(w, SHEAF_FINDING(SHEAF_WARNING, "all units", "-1 alone for all units",
		                                        "another list that begins with a negative number",
		                                        "written as *, which means the same"));
	for (int32_t i = 1; i < range->count && *fit; i++)
		*fit = units[i] >= 0 || (units[i] != INT32_MIN && -units[i] >= units[i - 1]);
	if (*fit) return SHEAF_OK;
	return sheaf_lens_tell(w, SHEAF_FINDING(SHEAF_ERROR, "unit range",
	                                        "the last unit of a range not to be before the first",
	                                        "one that is", "the units are left out", .status = SHEAF_LOSS));
}

/* The events that use a list, "[0-2 4]", or nothing if there is only one event; then the list. The letter
 * shows the kind of the first range: of "Ii", 'I' for a dense one and 'i' for a sparse one. The first range
 * needs no opener if the letter alone begins the same range: units then have the active value of the list's
 * first event. */
static sheaf_status put_list(const sheaf_lens_writing *w, sheaf_lens_direction side, const char letters[2],
                             int32_t list)
{
	int32_t count, nevents;
	const sheaf_lens_range *ranges = sheaf_lens_ranges_of(w->set, w->example, list, &count);
	const int32_t *events = sheaf_lens_users_of(w, side, list, &nevents);
	float active = sheaf_lens_active(w->set, w->example, *events, side == SHEAF_LENS_INPUTS);
	for (int32_t from = 0, after; from < nevents && w->example->nevents > 1; from = after) {
		after = sheaf_lens_end_of_run(events, nevents, from);
		sheaf_builder_byte(w->to, from ? ' ' : '[');
		put_span(events[from], events[after - 1], w->to);
	}
	if (w->example->nevents > 1) sheaf_builder_byte(w->to, ']');
	sheaf_builder_byte(w->to, letters[ranges->sparse]);
	sheaf_builder_byte(w->to, ':');
	for (int32_t i = 0; i < count; i++) {
		const sheaf_lens_range *range = &ranges[i];
		bool opener = i > 0 || range->group >= 0 || range->count == 0, fits;
		opener |= range->sparse ? !sheaf_lens_same(range->value, active) : range->first != 0;
		if (i) sheaf_builder_byte(w->to, ' ');
		size_t before = w->to->size;
		SHEAF_TRY(check_units(w, range, &fits));
		if (fits && opener) SHEAF_TRY(put_opener(w, range, &fits));
		if (fits)
			(range->sparse ? put_units : put_values)(w->set, range, w->to);
		else if (!w->to->failed)
			w->to->size = before;
	}
	sheaf_builder_byte(w->to, '\n');
	return SHEAF_OK;
}

/* Whether the inputs are also the targets of the same events: then they are written once. */
static bool is_both(const sheaf_lens_writing *w, int32_t list, int32_t *ntargets)
{
	int32_t ninputs;
	const int32_t *inputs = sheaf_lens_users_of(w, SHEAF_LENS_INPUTS, list, &ninputs);
	const int32_t *targets = sheaf_lens_users_of(w, SHEAF_LENS_TARGETS, list, ntargets);
	return ninputs == *ntargets && memcmp(inputs, targets, (size_t)ninputs * sizeof *inputs) == 0;
}

/* All targets come after all inputs, in the order of their events, whether they are shared or not: so a file
 * that is read and written again stays as it is. */
static sheaf_status put_lists(const sheaf_lens_writing *w)
{
	int32_t list, ntargets;
	for (int32_t e = 0; e < w->example->nevents; e++) {
		if ((list = sheaf_lens_owned(w, SHEAF_LENS_INPUTS, e)) < 0) continue;
		bool both = is_both(w, list, &ntargets);
		SHEAF_TRY(put_list(w, SHEAF_LENS_INPUTS, both ? "Bb" : "Ii", list));
		if (!both && ntargets)
			SHEAF_TRY(sheaf_lens_tell(w, SHEAF_FINDING(SHEAF_WARNING, "list written twice",
			                                           "inputs that are shared as targets of the same events",
			                                           "targets of other events",
			                                           "written once more, as targets")));
	}
	for (int32_t e = 0; e < w->example->nevents; e++) {
		if ((list = sheaf_lens_owned(w, SHEAF_LENS_TARGETS, e)) < 0 || is_both(w, list, &ntargets)) continue;
		SHEAF_TRY(put_list(w, SHEAF_LENS_TARGETS, "Tt", list));
	}
	return SHEAF_OK;
}

/* ---- examples ---- */

static sheaf_status put_example(sheaf_lens_writing *w, const sheaf_lens_set *set,
                                const sheaf_lens_example *example, int64_t row, sheaf_builder *to,
                                sheaf_error *err)
{
	w->row = row;
	w->to = to;
	w->err = err;
	SHEAF_TRY(sheaf_lens_find_users(w, set, example, err));
	SHEAF_TRY(put_string(w, "name:", sheaf_lens_string(set, example->name), "\n", "example name"));
	SHEAF_TRY(put_string(w, "proc:", sheaf_lens_string(set, example->proc), "\n", "example proc"));
	if (!sheaf_lens_same(example->frequency, 1)) {
		sheaf_builder_text(to, "freq:");
		put_real(to, example->frequency);
		sheaf_builder_byte(to, '\n');
	}
	if (example->nevents > 1) {
		put_integer(to, example->nevents);
		sheaf_builder_byte(to, '\n');
	}
	SHEAF_TRY(put_specials(w));
	SHEAF_TRY(put_lists(w));
	sheaf_builder_text(to, ";\n");
	return sheaf_builder_status(to, err);
}

const sheaf_lens_spelling sheaf_lens_text_spelling = {.put_header = put_header, .put_example = put_example};
