/* SPDX-License-Identifier: MIT */
/* What a part of a conversion has beside its rows, as bytes: its options, and numbers for the merge.
 *
 * The merge converts with the options that the parts were made with, and parts that were made with others are
 * not merged. So each option that affects the result is a line, under the name that it has on the command
 * line, in the order of the table below; after an empty line come the settings of formats. An option that is
 * not given has no line, and a line without "=" has no value. Paths, and options that change how a conversion
 * is done and not what comes out, are no part of it. */
#include "base/context.h"
#include "base/spell.h"
#include "job/part.h"
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- options as lines ---- */

#define AT(member) offsetof(sheaf_conversion_options, member)
typedef enum kind { TEXT, FLAG, LARGE, NUMBER, DUPLICATES } kind;

static const struct option {
	const char *name;
	kind kind;
	size_t at;
} options[] = {
	{"to", TEXT, AT(convert.to)},
	{"from", TEXT, AT(open.format)},
	{"dataset", TEXT, AT(container.member)},
	{"coordinates", TEXT, AT(tensor.coordinates)},
	{"sequences", TEXT, AT(sequences.layout)},
	{"lengths", TEXT, AT(sequences.lengths)},
	{"value", TEXT, AT(tensor.value)},
	{"shape", TEXT, AT(tensor.shape)},
	{"structure", TEXT, AT(convert.structure)},
	{"rows", TEXT, AT(open.select.rows)},
	{"sample", TEXT, AT(open.select.sample)},
	{"where", TEXT, AT(open.select.where)},
	{"streams", TEXT, AT(open.select.streams)},
	{"columns", TEXT, AT(open.select.columns)},
	{"skip", NUMBER, AT(open.select.skip)},
	{"seed", NUMBER, AT(open.select.seed)},
	{"transpose", FLAG, AT(open.select.transpose)},
	{"matrix", FLAG, AT(tensor.matrix)},
	{"duplicates", DUPLICATES, AT(convert.duplicates)},
	{"allow", LARGE, AT(convert.allow_large)},
};
enum { OPTIONS = sizeof options / sizeof *options };
static const char ROWS_ARE[] = "rows-are"; /* no option: it tells parts of two jobs apart */

/* A line feed would begin another option. */
static sheaf_status check_line(const char *name, const char *value, sheaf_error *err)
{
	if (!value || !strchr(value, '\n')) return SHEAF_OK;
	return sheaf_fail_option(err, SHEAF_UNSUPPORTED, name,
	                         ": expected a value without line feeds, since it is written into a part file");
}

/* The value of an option that is a text; NULL: it is none, or not given. */
static const char *text_of(const sheaf_conversion_options *from, const struct option *o)
{
	const char *text = NULL;
	if (o->kind == TEXT) memcpy((void *)&text, (const char *)from + o->at, sizeof text);
	return text;
}

/* Refuses options that cannot be lines of a part file. */
sheaf_status sheaf_part_check_options(const sheaf_conversion_options *o, sheaf_error *err)
{
	for (int i = 0; i < OPTIONS; i++) SHEAF_TRY(check_line(options[i].name, text_of(o, &options[i]), err));
	for (int i = 0; i < o->open.nsettings; i++)
		SHEAF_TRY(check_line(o->open.settings[i].name, o->open.settings[i].value, err));
	return SHEAF_OK;
}

/* Without a value, which may be an empty one, there is no "=". */
static void put_line(sheaf_builder *b, const char *name, const char *value)
{
	sheaf_builder_printf(b, value ? "%s=%s\n" : "%s\n", name, value);
}

/* Writes the options that affect the result as lines: those of all conversions, then, after an empty line,
 * those of formats. The text ends with a zero. */
void sheaf_part_put_options(sheaf_builder *b, const sheaf_conversion *c)
{
	sheaf_conversion_options now = *c->options;
	now.convert.to = c->to->name;
	for (int i = 0; i < OPTIONS; i++) {
		const struct option *o = &options[i];
		const char *member = (const char *)&now + o->at, *text = text_of(&now, o);
		uint64_t number = 0;
		if (o->kind == NUMBER) memcpy(&number, member, sizeof number);
		if (o->kind == DUPLICATES) number = (uint64_t)now.convert.duplicates;
		if (number) sheaf_builder_printf(b, "%s=%" PRIu64 "\n", o->name, number);
		if (text || (o->kind == FLAG && *(const bool *)member)) put_line(b, o->name, text);
		if (o->kind == LARGE && *(const bool *)member) put_line(b, o->name, "large");
	}
	sheaf_builder_printf(b, "%s=%s\n\n", ROWS_ARE, c->stores ? "kept" : "encoded");
	for (int i = 0; i < now.open.nsettings; i++)
		put_line(b, now.open.settings[i].name, now.open.settings[i].value);
	sheaf_builder_byte(b, '\0');
}

/* Sets the option of a line. False: no such option, or a value where there must be none, or none where
 * there must be one, or one that the option does not have. */
static bool read_option(sheaf_conversion_options *to, const char *name, const char *value)
{
	int i = 0;
	if (strcmp(name, ROWS_ARE) == 0) return true;
	while (i < OPTIONS && strcmp(options[i].name, name) != 0) i++;
	if (i == OPTIONS) return false;
	char *member = (char *)to + options[i].at;
	uint64_t number = 0;
	if ((options[i].kind == FLAG) == (value != NULL)) return false;
	if (options[i].kind == LARGE && strcmp(value, "large") != 0) return false;
	if (options[i].kind == FLAG || options[i].kind == LARGE) *(bool *)member = true;
	if (options[i].kind == TEXT) memcpy(member, (void *)&value, sizeof value);
	if (options[i].kind < NUMBER) return true;
	if (!sheaf_seed_from_text(value, &number)) return false;
	if (options[i].kind == NUMBER) memcpy(member, &number, sizeof number);
	if (options[i].kind != DUPLICATES) return true;
	to->convert.duplicates = (sheaf_duplicates)number;
	return number <= SHEAF_DUPLICATES_LAST;
}

/* Reads the options of a conversion from its lines, which are cut in place and stay in use. The name of a
 * format must be there, since a suffix of the output does not show it in a merge; and a number that is signed
 * in its struct must not be negative. */
bool sheaf_part_read_options(char *text, sheaf_conversion_options *out, sheaf_setting *settings)
{
	bool of_formats = false;
	*out = (sheaf_conversion_options){.open.settings = settings};
	for (char *line = text, *next; *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next) *next++ = '\0';
		if (!*line && !of_formats) {
			of_formats = true;
			continue;
		}
		char *value = strchr(line, '=');
		if (value) *value++ = '\0';
		if (of_formats)
			settings[out->open.nsettings++] = (sheaf_setting){line, value};
		else if (!read_option(out, line, value))
			return false;
	}
	return out->convert.to != NULL && out->open.select.skip >= 0;
}

/* ---- the numbers that the merge needs ---- */

/* The five numbers of facts, of which -1 means that one is not known. */
static void put_facts(sheaf_builder *b, const sheaf_facts *f)
{
	const int64_t numbers[] = {f->rows, f->samples, f->chunks, f->longest, f->ordinal_keys};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sheaf_builder_i64le(b, numbers[i]);
}

/* Reads the five numbers of facts; false if the bytes end, or the mark of keys is none of -1, 0 and 1. */
static bool read_facts(sheaf_cursor *c, sheaf_facts *out)
{
	int64_t numbers[5];
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		numbers[i] = sheaf_cursor_i64le(c, "a number of facts");
	*out = (sheaf_facts){.rows = numbers[0],
	                     .samples = numbers[1],
	                     .chunks = numbers[2],
	                     .longest = numbers[3],
	                     .ordinal_keys = (int)numbers[4]};
	return !c->failed && numbers[4] >= -1 && numbers[4] <= 1;
}

static bool read_word(sheaf_cursor *c, uint32_t most, uint32_t *out)
{
	*out = sheaf_cursor_u32le(c, "a word");
	return !c->failed && *out <= most;
}

void sheaf_part_put_shared(sheaf_builder *b, const sheaf_part_shared *shared)
{
	sheaf_builder_u32le(b, shared->copies);
	sheaf_builder_u32le(b, shared->keyed);
	put_facts(b, &shared->totals);
}

/* Reads what all parts share; false unless the bytes are exactly that. */
bool sheaf_part_read_shared(sheaf_bytes bytes, sheaf_part_shared *out)
{
	uint32_t copies = 0, keyed = 0;
	sheaf_cursor c = sheaf_cursor_over(bytes.data, bytes.size, 0);
	bool sound = read_word(&c, 1, &copies) && read_word(&c, 1, &keyed) && read_facts(&c, &out->totals);
	out->copies = copies;
	out->keyed = keyed;
	return sound && sheaf_cursor_left(&c) == 0;
}

void sheaf_part_put_state(sheaf_builder *b, const sheaf_part_state *state)
{
	sheaf_builder_u32le(b, state->structured);
	sheaf_builder_u32le(b, (uint32_t)state->structure);
	put_facts(b, &state->facts);
}

/* Reads the state of a part; false unless the bytes are exactly that. What was counted of the part's own
 * rows is known, so it cannot be negative. */
bool sheaf_part_read_state(sheaf_bytes bytes, sheaf_part_state *out)
{
	uint32_t structured = 0, structure = 0;
	sheaf_cursor c = sheaf_cursor_over(bytes.data, bytes.size, 0);
	bool sound = read_word(&c, 1, &structured) && read_word(&c, SHEAF_STRUCTURES - 1, &structure) &&
	             read_facts(&c, &out->facts) && out->facts.rows >= 0 && out->facts.samples >= 0;
	out->structured = structured;
	out->structure = (sheaf_structure)structure;
	return sound && sheaf_cursor_left(&c) == 0;
}
