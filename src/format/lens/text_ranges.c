/* SPDX-License-Identifier: MIT */
/* Values and units, which follow I: and the like. '(' begins a dense range, '{' a sparse one, a bare number
 * continues the one that is open. */
#include "format/lens/filling.h"
#include "format/lens/text.h"
#include "number/kernels/kernel.h"
#include <inttypes.h>
#include <stdio.h>

/* A list of ranges that is being read. */
typedef struct listing {
	sheaf_lens_parsing *p;
	sheaf_lens_list list;
	sheaf_lens_range *range; /* that is open */
	bool open;
	float active; /* value of sparse ranges that give none */
} listing;

static sheaf_status end_range(listing *l)
{
	sheaf_lens_parsing *p = l->p;
	if (!l->open) return SHEAF_OK;
	if (sheaf_lens_end_range(p->set, l->range, &l->list)) return SHEAF_OK;
	return sheaf_lens_flaw(&p->teller, "range too long", p->at,
	                       "at most 2147483647 values or units in a range, and ranges in a list", "more");
}

static void begin_range(listing *l, bool sparse)
{
	l->range = sheaf_lens_begin_range(l->p->set, sparse, -1, l->active);
	l->open = true;
}

/* ---- headers of ranges ---- */

/* Lens takes {nan} and {inf} for names of groups. */
static sheaf_status tell_group(sheaf_lens_parsing *p, const uint8_t *at)
{
	char found[SHEAF_SHOWN_SIZE];
	const uint8_t *name = p->string.data, *end = name + p->string.size;
	sheaf_lens_real real = sheaf_lens_scan_real(name, end);
	if (real.end != end || real.empty) return SHEAF_OK;
	return sheaf_lens_report(
		&p->teller, at,
		SHEAF_FINDING(SHEAF_WARNING, "group named like a value", "the name of a group, or '-' for NaN",
	                  sheaf_show(at, p->end, '}', found), "read as the name of a group, as Lens does"));
}

static sheaf_status read_group(listing *l)
{
	sheaf_lens_parsing *p = l->p;
	const uint8_t *at = p->at;
	SHEAF_TRY(sheaf_lens_read_block(p, "range header", "the header of a range"));
	if (p->at == at)
		return sheaf_lens_flaw_here(
			p, "range header",
			"a number, the name of a group or the bracket that closes the header of the range");
	if (p->string.size == 0) return SHEAF_OK;
	SHEAF_TRY(sheaf_lens_group(p->set, p->string.data, p->string.size, &l->range->group, p->teller.err));
	return tell_group(p, at);
}

static sheaf_status read_active(listing *l)
{
	bool is_real;
	SHEAF_TRY(sheaf_lens_read_real(l->p, &l->range->value, &is_real));
	return is_real ? SHEAF_OK : sheaf_lens_flaw_here(l->p, "sparse value", "the value of a sparse range");
}

static sheaf_status flaw_integer(sheaf_lens_parsing *p, const uint8_t *at, sheaf_lens_integer kind,
                                 const char *rule, const char *what)
{
	char expected[96], found[SHEAF_SHOWN_SIZE];
	snprintf(expected, sizeof expected, kind == SHEAF_LENS_INTEGER_OVER ? "%s within 32 bits" : "%s", what);
	return sheaf_lens_flaw(&p->teller, rule, at, expected, sheaf_show(at, p->end, ';', found));
}

static sheaf_status read_first(listing *l)
{
	const uint8_t *at = l->p->at;
	sheaf_lens_integer kind = sheaf_lens_scan_integer(&l->p->at, l->p->end, &l->range->first);
	return kind == SHEAF_LENS_INTEGER
	           ? SHEAF_OK
	           : flaw_integer(l->p, at, kind, "first unit", "the first unit of a dense range");
}

/* Numbers and names in any order; the last of each counts. */
static sheaf_status read_range_header(listing *l)
{
	sheaf_lens_parsing *p = l->p;
	bool sparse = *p->at == '{';
	SHEAF_TRY(end_range(l));
	begin_range(l, sparse);
	p->at++;
	while (!sheaf_lens_match(p, sparse ? "}" : ")")) {
		if (!sheaf_lens_is_number(p->at, p->end))
			SHEAF_TRY(read_group(l));
		else
			SHEAF_TRY(sparse ? read_active(l) : read_first(l));
	}
	return SHEAF_OK;
}

/* ---- dense ---- */

static const sheaf_delimiters delimiters = {
	.spaces = {' ', '\n'}, .pair = ':', .mark = ';', .feed = '\t', .before_feed = '\r'};

/* Lets the kernel read what it can. */
static bool run_values(sheaf_lens_parsing *p)
{
	sheaf_builder *values = &p->set->values;
	if (!sheaf_lens_items_room(values, SHEAF_NUMBERS_ROOM * sizeof(float), 2 * (p->end - p->at)))
		return false;
	sheaf_numbers run = {
		.delimiters = &delimiters, .at = p->at, .end = p->end, .values = values->data + values->size};
	run.room = (values->capacity - values->size) / sizeof(float);
	p->kernel->dense_f32(&run);
	p->at = run.at;
	values->size += run.count * sizeof(float);
	return run.count > 0;
}

static sheaf_status read_values(listing *l)
{
	sheaf_lens_parsing *p = l->p;
	float value;
	bool is_real;
	if (run_values(p)) return SHEAF_OK;
	SHEAF_TRY(sheaf_lens_read_real(p, &value, &is_real));
	if (!is_real) return sheaf_lens_flaw_here(p, "dense value", "a value");
	sheaf_builder_append(&p->set->values, &value, sizeof value);
	return SHEAF_OK;
}

/* ---- sparse ---- */

static const int32_t *units_of(const listing *l, int64_t *count)
{
	const sheaf_builder *units = &l->p->set->units;
	*count = (int64_t)(units->size / sizeof(int32_t)) - l->range->at;
	return *count ? (const int32_t *)(const void *)units->data + l->range->at : NULL;
}

static sheaf_status flaw_span(sheaf_lens_parsing *p, const uint8_t *at)
{
	char found[SHEAF_SHOWN_SIZE];
	return sheaf_lens_flaw(&p->teller, "unit range", at,
	                       "the last unit of a range not to be before the first",
	                       sheaf_show(at, p->end, ';', found));
}

/* A chain like 0-2-4 loads, but fails in Lens when the example is presented. */
static sheaf_status tell_chain(sheaf_lens_parsing *p, const uint8_t *at)
{
	char found[SHEAF_SHOWN_SIZE];
	return sheaf_lens_report(&p->teller, at,
	                         SHEAF_FINDING(SHEAF_BREACH, "chain of unit ranges",
	                                       "a unit between two ends of ranges",
	                                       sheaf_show(at, p->end, ';', found),
	                                       "kept, but Lens fails when it presents the example"));
}

static sheaf_status read_unit(listing *l)
{
	sheaf_lens_parsing *p = l->p;
	const uint8_t *at = p->at;
	int64_t count;
	const int32_t *units = units_of(l, &count);
	int32_t unit;
	if (count && units[0] < 0)
		return sheaf_lens_flaw_here(p, "units after *", "no units after '*', which means all");
	sheaf_lens_integer kind = sheaf_lens_scan_integer(&p->at, p->end, &unit);
	if (kind != SHEAF_LENS_INTEGER) return flaw_integer(p, at, kind, "unit number", "the number of a unit");
	if (unit == INT32_MIN)
		return flaw_integer(p, at, SHEAF_LENS_INTEGER_OVER, "unit number", "the number of a unit");
	if (unit < 0 && (count == 0 || -unit < units[count - 1])) return flaw_span(p, at);
	if (unit < 0 && units[count - 1] < 0) SHEAF_TRY(tell_chain(p, at));
	sheaf_builder_append(&p->set->units, &unit, sizeof unit);
	return SHEAF_OK;
}

/* Lets the kernel read single units. */
static bool run_units(sheaf_lens_parsing *p)
{
	sheaf_builder *units = &p->set->units;
	if (!sheaf_lens_items_room(units, SHEAF_NUMBERS_ROOM * sizeof(int32_t), 2 * (p->end - p->at)))
		return false;
	sheaf_numbers run = {
		.delimiters = &delimiters, .at = p->at, .end = p->end, .values = units->data + units->size};
	run.room = (units->capacity - units->size) / sizeof(int32_t);
	p->kernel->whole_i32(&run);
	p->at = run.at;
	units->size += run.count * sizeof(int32_t);
	return run.count > 0;
}

static sheaf_status read_units(listing *l)
{
	int64_t count;
	const int32_t *units = units_of(l, &count);
	bool all = count && units[0] < 0; /* nothing can follow */
	return !all && run_units(l->p) ? SHEAF_OK : read_unit(l);
}

static sheaf_status read_star(listing *l, bool sparse)
{
	static const int32_t all = -1;
	sheaf_lens_parsing *p = l->p;
	int64_t count = 0;
	if (sparse && l->open) units_of(l, &count);
	if (!sparse || count)
		return sheaf_lens_flaw_here(p, "* in a range",
		                            "'*' only as the first and only unit of a sparse range");
	if (!l->open) begin_range(l, true);
	sheaf_builder_append(&p->set->units, &all, sizeof all);
	p->at++;
	return SHEAF_OK;
}

/* ---- the list ---- */

sheaf_status sheaf_lens_read_ranges(sheaf_lens_parsing *p, bool sparse, float active, int32_t *list)
{
	listing l = {.p = p, .active = active};
	*list = -1;
	sheaf_lens_begin_list(p->set, &l.list);
	while (sheaf_lens_pass_blank(p)) {
		bool is_sparse = l.open ? l.range->sparse : sparse;
		if (*p->at == '{' || *p->at == '(') {
			SHEAF_TRY(read_range_header(&l));
		} else if (*p->at == '*') {
			SHEAF_TRY(read_star(&l, is_sparse));
		} else if (sheaf_lens_is_number(p->at, p->end)) {
			if (!l.open) begin_range(&l, sparse);
			SHEAF_TRY(is_sparse ? read_units(&l) : read_values(&l));
		} else {
			break;
		}
	}
	SHEAF_TRY(end_range(&l));
	if (l.open) *list = sheaf_lens_end_list(p->set, p->example, &l.list);
	return SHEAF_OK;
}
