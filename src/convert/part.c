/* SPDX-License-Identifier: MIT */
/* A part of a conversion: the conversion of some rows of its inputs. It has the bytes that its rows take in
 * the output, if such bytes follow one another there; otherwise the rows, which the merge converts. */
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "convert/part.h"
#include "data/frame.h"
#include "io/sink.h"
#include "io/source.h"
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- options as lines ---- */

#define AT(member) offsetof(sheaf_convert_options, member)
typedef enum kind { TEXT, FLAG, NUMBER, DUPLICATES } kind;

static const struct option {
	const char *name;
	kind kind;
	size_t at;
} options[] = {
	{"to", TEXT, AT(to)},
	{"from", TEXT, AT(from)},
	{"dataset", TEXT, AT(member)},
	{"coordinates", TEXT, AT(coordinates)},
	{"sequences", TEXT, AT(sequences)},
	{"lengths", TEXT, AT(lengths)},
	{"value", TEXT, AT(value)},
	{"shape", TEXT, AT(shape)},
	{"structure", TEXT, AT(structure)},
	{"rows", TEXT, AT(select.rows)},
	{"sample", TEXT, AT(select.sample)},
	{"where", TEXT, AT(select.where)},
	{"streams", TEXT, AT(select.streams)},
	{"columns", TEXT, AT(select.columns)},
	{"skip", NUMBER, AT(select.skip)},
	{"seed", NUMBER, AT(select.seed)},
	{"transpose", FLAG, AT(select.transpose)},
	{"matrix", FLAG, AT(matrix)},
	{"duplicates", DUPLICATES, AT(duplicates)},
	{"allow-large", FLAG, AT(allow_large)},
};
enum { OPTIONS = sizeof options / sizeof *options };
static const char ROWS_ARE[] = "rows-are"; /* no option: it tells parts of two jobs apart */

static sheaf_status put_line(sheaf_builder *b, const char *name, const char *value, sheaf_error *err)
{
	if (value && strchr(value, '\n'))
		return sheaf_fail_option(
			err, SHEAF_UNSUPPORTED, name,
			": expected a value without line feeds, since it is written into a part file");
	sheaf_builder_printf(b, "%s=%s\n", name, value ? value : "");
	return SHEAF_OK;
}

static sheaf_status put_option(sheaf_builder *b, const struct option *o, const sheaf_convert_options *from,
                               sheaf_error *err)
{
	const char *at = (const char *)from + o->at, *text = NULL;
	uint64_t number = 0;
	if (o->kind == TEXT) memcpy((void *)&text, at, sizeof text);
	if (o->kind == NUMBER) memcpy(&number, at, sizeof number);
	if (o->kind == DUPLICATES) number = (uint64_t)from->duplicates;
	if (o->kind == FLAG && *(const bool *)at) return put_line(b, o->name, NULL, err);
	if (number) sheaf_builder_printf(b, "%s=%" PRIu64 "\n", o->name, number);
	return text ? put_line(b, o->name, text, err) : SHEAF_OK;
}

/* The options that affect the result: those of all conversions, then those of formats. */
static sheaf_status put_options(sheaf_builder *b, const sheaf_conversion *c, sheaf_error *err)
{
	sheaf_convert_options now = *c->options;
	now.to = c->to->name;
	for (int i = 0; i < OPTIONS; i++) SHEAF_TRY(put_option(b, &options[i], &now, err));
	sheaf_builder_printf(b, "%s=%s\n\n", ROWS_ARE, c->stores ? "kept" : "encoded");
	for (int i = 0; i < now.nsettings; i++)
		SHEAF_TRY(put_line(b, now.settings[i].name, now.settings[i].value, err));
	sheaf_builder_byte(b, '\0');
	return sheaf_builder_status(b, err);
}

static bool read_option(sheaf_convert_options *to, const char *name, const char *value)
{
	int i = 0;
	if (strcmp(name, ROWS_ARE) == 0) return true;
	while (i < OPTIONS && strcmp(options[i].name, name) != 0) i++;
	if (i == OPTIONS) return false;
	char *at = (char *)to + options[i].at;
	uint64_t number = 0;
	if (options[i].kind == FLAG) *(bool *)at = true;
	if (options[i].kind == TEXT) memcpy(at, (void *)&value, sizeof value);
	if (options[i].kind < NUMBER) return true;
	if (sscanf(value, "%" SCNu64, &number) != 1) return false;
	if (options[i].kind == NUMBER) memcpy(at, &number, sizeof number);
	if (options[i].kind == DUPLICATES) to->duplicates = (sheaf_duplicates)number;
	return to->duplicates <= SHEAF_DUPLICATES_LAST;
}

bool sheaf_part_read_options(char *text, sheaf_convert_options *out, sheaf_setting *settings)
{
	bool of_formats = false;
	*out = (sheaf_convert_options){.size = sizeof *out, .settings = settings};
	for (char *line = text, *next; *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next) *next++ = '\0';
		if (!*line && !of_formats) {
			of_formats = true;
			continue;
		}
		char *value = strchr(line, '=');
		if (!value) return false;
		*value++ = '\0';
		if (of_formats)
			settings[out->nsettings++] = (sheaf_setting){line, *value ? value : NULL};
		else if (!read_option(out, line, value))
			return false;
	}
	return out->to != NULL && out->select.skip >= 0;
}

/* ---- the numbers that the merge needs ---- */

static void put_facts(sheaf_builder *b, const sheaf_facts *f)
{
	const int64_t numbers[] = {f->rows, f->samples, f->chunks, f->longest, f->ordinal_keys};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sheaf_part_put_i64(b, numbers[i]);
}

static bool read_facts(sheaf_cursor *c, sheaf_facts *out)
{
	int64_t numbers[5];
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		numbers[i] = sheaf_cursor_i64le(c, "a number of facts");
	*out = (sheaf_facts){.rows = numbers[0], .samples = numbers[1], .chunks = numbers[2],
	                     .longest = numbers[3], .ordinal_keys = (int)numbers[4]};
	return !c->failed && numbers[4] >= -1 && numbers[4] <= 1;
}

static bool read_word(sheaf_cursor *c, uint32_t most, uint32_t *out)
{
	*out = sheaf_cursor_u32le(c, "a word");
	return !c->failed && *out <= most;
}

static void put_shared(sheaf_builder *b, const sheaf_conversion *c, bool copies)
{
	sheaf_builder_u32le(b, copies);
	sheaf_builder_u32le(b, sheaf_schema_key(&c->schema) >= 0);
	put_facts(b, &c->totals);
}

bool sheaf_part_read_shared(sheaf_bytes bytes, sheaf_part_shared *out)
{
	uint32_t copies = 0, keyed = 0;
	sheaf_cursor c = sheaf_cursor_over(bytes.data, bytes.size, 0);
	bool sound = read_word(&c, 1, &copies) && read_word(&c, 1, &keyed) && read_facts(&c, &out->totals);
	out->copies = copies;
	out->keyed = keyed;
	return sound && sheaf_cursor_left(&c) == 0;
}

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

/* ---- rows ---- */

typedef struct making {
	sheaf_conversion *c;
	sheaf_part_making part;
	sheaf_facts facts;
	int64_t done, total; /* bytes of the inputs */
} making;

static int forget(void *user, const void *data, size_t size)
{
	(void)user, (void)data, (void)size;
	return 0;
}

/* The merge writes what comes before and after the rows. */
static sheaf_status create_writer(const making *m, sheaf_error *err)
{
	sheaf_sink *sink;
	sheaf_conversion *c = m->c;
	sheaf_create_options create = sheaf_conversion_creates(c);
	SHEAF_TRY(sheaf_sink_function(forget, NULL, sheaf_sink_name(m->part.sink), c->cx, &sink, err));
	SHEAF_TRY(sheaf_create_overlapping(sink, &c->schema, &(sheaf_creation){&create, c->used, true, true},
	                                   c->outer, &c->writer, err));
	return sheaf_conversion_check_settings(c, err);
}

static sheaf_status write_frame(making *m, const sheaf_dataset *d, const sheaf_frame *frame,
                                const int *columns, sheaf_error *err)
{
	sheaf_frame ordered = {0};
	if (m->c->stores || frame->nrows == 0) return SHEAF_OK;
	if (m->part.rows == frame->nrows) sheaf_writer_divert(m->c->writer, m->part.row, m->part.sink);
	sheaf_status status = sheaf_conversion_frame(m->c, d, frame, columns, &ordered, err);
	ordered.checked = frame->checked;
	if (status == SHEAF_OK) status = sheaf_write(m->c->writer, &ordered, err);
	sheaf_frame_free(&ordered);
	return status;
}

static sheaf_status copy_frame(making *m, sheaf_dataset *d, const sheaf_frame *frame,
                               const int *columns, sheaf_error *err)
{
	int64_t row = m->part.before + sheaf_dataset_row(d);
	sheaf_facts_add(&m->facts, sheaf_dataset_schema(d), frame, row);
	SHEAF_TRY(write_frame(m, d, frame, columns, err));
	if (m->part.whole) return SHEAF_OK;
	m->done += sheaf_decoding_piece(&d->decoding)->size;
	sheaf_progress(m->c->cx, m->done, m->total);
	return SHEAF_OK;
}

static sheaf_status copy_rows(making *m, int input, sheaf_error *err)
{
	sheaf_error failure;
	const sheaf_frame *frame;
	sheaf_status status;
	int *columns;
	sheaf_dataset *d = m->c->inputs[input];
	SHEAF_TRY(sheaf_part_making_read(&m->part, input, err));
	SHEAF_TRY(sheaf_conversion_columns(m->c, d, &columns, err));
	while ((status = sheaf_next(d, &frame, &failure)) == SHEAF_OK &&
	       (status = copy_frame(m, d, frame, columns, &failure)) == SHEAF_OK) {
	}
	sheaf_release(m->c->cx, columns, (size_t)m->c->schema.nfields * sizeof *columns);
	if (m->c->writer) SHEAF_TRY(sheaf_writer_settle(m->c->writer, err));
	if (status == SHEAF_END) return sheaf_part_making_add(&m->part, NULL, err);
	if (err) *err = failure;
	return status;
}

static sheaf_status copy_inputs(making *m, sheaf_error *err)
{
	sheaf_conversion *c = m->c;
	SHEAF_TRY(create_writer(m, err));
	if (c->stores) {
		sheaf_abandon(c->writer);
		c->writer = NULL;
	}
	SHEAF_TRY(sheaf_part_making_begin(&m->part, c->cx, err));
	for (int i = 0; i < c->ninputs; i++) m->total += sheaf_cuts_bytes(&m->part.cuts[i]) / c->parts;
	for (int i = 0; i < c->ninputs; i++) SHEAF_TRY(copy_rows(m, i, err));
	sheaf_writer *writer = c->writer;
	c->writer = NULL;
	return writer ? sheaf_finish_diverted(writer, &m->facts.samples, err) : SHEAF_OK;
}

/* A conversion that is done without rows: the part says what to do, and the merge does it. */
static sheaf_status copy_nothing(making *m, sheaf_error *err)
{
	sheaf_problem problem = {SHEAF_WARNING,
	                         SHEAF_UNSUPPORTED,
	                         "input not cut",
	                         SHEAF_NOWHERE,
	                         "a conversion of rows",
	                         "one that copies what the format has",
	                         "the parts have nothing, and the merge converts everything"};
	problem.place.file = sheaf_source_name(m->c->first);
	m->part.whole = m->part.settled = true;
	SHEAF_TRY(sheaf_part_making_begin(&m->part, m->c->cx, err));
	if (m->c->part == 1) SHEAF_TRY(sheaf_report(m->c->outer, &problem, err));
	return sheaf_part_making_add(&m->part, NULL, err);
}

/* ---- the file ---- */

static sheaf_status put_all(making *m, bool copies, sheaf_builder texts[3], sheaf_error *err)
{
	const sheaf_conversion *c = m->c;
	sheaf_builder *lines = &texts[0], *shared = &texts[1], *state = &texts[2];
	SHEAF_TRY(put_options(lines, c, err));
	put_shared(shared, c, copies);
	sheaf_builder_u32le(state, c->structured);
	sheaf_builder_u32le(state, (uint32_t)c->structure);
	m->facts.rows = m->part.rows;
	put_facts(state, &m->facts);
	SHEAF_TRY(sheaf_builder_status(shared, err));
	SHEAF_TRY(sheaf_builder_status(state, err));
	const sheaf_part_outcome outcome = {.size = sizeof outcome,
	                                    .job = "convert",
	                                    .options = (const char *)lines->data,
	                                    .state = state->data,
	                                    .state_size = state->size};
	return sheaf_part_making_write(&m->part, &outcome, shared, err);
}

static sheaf_status make(making *m, bool copies, sheaf_error *err)
{
	sheaf_builder texts[3];
	SHEAF_TRY(copies ? copy_nothing(m, err) : copy_inputs(m, err));
	for (int i = 0; i < 3; i++) sheaf_builder_begin(&texts[i], m->c->cx, NULL);
	sheaf_status status = put_all(m, copies, texts, err);
	for (int i = 0; i < 3; i++) sheaf_builder_drop(&texts[i]);
	return status;
}

static sheaf_status open_sink(const sheaf_conversion *c, const char *output, sheaf_sink **out,
                              sheaf_error *err)
{
	const sheaf_convert_options *o = c->options;
	if (o->open_part) return o->open_part(o->part_user, c->cx, out, err);
	return c->replaces ? sheaf_sink_path(output, c->cx, out, err)
	                   : sheaf_sink_path_new(output, c->cx, out, err);
}

sheaf_status sheaf_convert_part(sheaf_conversion *c, const char *output, sheaf_error *err)
{
	sheaf_dataset unopened = {0}, *first = &unopened;
	bool copies = c->first != NULL;
	unopened.cx = c->cx;
	unopened.source = c->first;
	making m = {.c = c,
	            .part = {.part = c->part,
	                     .parts = c->parts,
	                     .keeps = copies || c->stores,
	                     .datasets = copies ? &first : c->inputs,
	                     .ninputs = c->ninputs},
	            .facts = {.rows = 0, .samples = 0, .chunks = -1, .longest = 0, .ordinal_keys = 1}};
	SHEAF_TRY(open_sink(c, output, &m.part.sink, err));
	sheaf_status status = make(&m, copies, err);
	if (c->writer) sheaf_abandon(c->writer);
	c->writer = NULL;
	for (int i = 0; i < c->ninputs && !copies; i++) c->inputs[i]->part = NULL, c->inputs[i]->keep = NULL;
	sheaf_part_making_drop(&m.part);
	for (int i = 0; i < c->ninputs && !copies; i++) {
		sheaf_close(c->inputs[i]); /* it reads by the cuts */
		c->inputs[i] = NULL;
	}
	sheaf_part_making_free_cuts(&m.part);
	return status;
}

/* ---- names ---- */

/* NAME.ctf.part and NAME.ctf.3.part become a ctf. */
const sheaf_format *sheaf_part_target(const char *path)
{
	char name[4096];
	size_t n = strlen(path), suffix = strlen(SHEAF_PART_SUFFIX);
	if (n >= sizeof name) return NULL;
	memcpy(name, path, n + 1);
	if (n > suffix && strcmp(name + n - suffix, SHEAF_PART_SUFFIX) == 0) name[n - suffix] = '\0';
	char *dot = strrchr(name, '.');
	if (dot && dot[1] && strspn(dot + 1, "0123456789") == strlen(dot + 1)) *dot = '\0';
	return sheaf_format_of_name(name);
}
