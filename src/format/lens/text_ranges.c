/* SPDX-License-Identifier: MIT */
/* Values and units, which follow I: and the like. '(' begins a dense range, '{' a sparse one, a bare number
 * continues the one that is open. */
#include "format/lens/filling.h"
#include "format/lens/text.h"
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
	if (!l->open || sheaf_lens_end_range(l->p->set, l->range, &l->list)) return SHEAF_OK;
	return sheaf_lens_flaw(l->p, "range too long", l->p->at,
	                       "at most 2147483647 values or units in a range, and ranges in a list", "more");
}

static void begin_range(listing *l, bool sparse)
{
	l->range = sheaf_lens_begin_range(l->p->set, sparse, -1, l->active);
	l->open = true;
}

/* ---- headers of ranges ---- */

/* Lens takes {nan} and {inf} for names of groups. */
static sheaf_status read_group(listing *l)
{
	sheaf_lens_parsing *p = l->p;
	char found[SHEAF_SHOWN_SIZE];
	const uint8_t *at = p->at;
	SHEAF_TRY(sheaf_lens_read_block(p, "range header", "the header of a range"));
	if (p->at == at)
		return sheaf_lens_flaw_text(
			p, "range header", at,
			"a number, the name of a group or the bracket that closes the header of the range");
	if (p->string.size == 0) return SHEAF_OK;
	SHEAF_TRY(sheaf_lens_group(p->set, p->string.data, p->string.size, &l->range->group, p->err));
	const uint8_t *end = p->string.data + p->string.size;
	sheaf_lens_real real = sheaf_lens_scan_real(p->string.data, end);
	if (real.end != end || real.empty) return SHEAF_OK;
	return sheaf_lens_report(
		p, at,
		SHEAF_FINDING(SHEAF_WARNING, "group named like a value", "the name of a group, or '-' for NaN",
	                  sheaf_show(at, p->end, '}', found), "read as the name of a group, as Lens does"));
}

static sheaf_status flaw_integer(sheaf_lens_parsing *p, const uint8_t *at, bool is_over, const char *rule,
                                 const char *what)
{
	char expected[96];
	snprintf(expected, sizeof expected, is_over ? "%s within 32 bits" : "%s", what);
	return sheaf_lens_flaw_text(p, rule, at, expected);
}

/* Numbers and names in any order; the last of each counts. The number is the value of a sparse range, or the
 * first unit of a dense one. */
static sheaf_status read_range_header(listing *l)
{
	sheaf_lens_parsing *p = l->p;
	bool sparse = *p->at == '{';
	SHEAF_TRY(end_range(l));
	begin_range(l, sparse);
	p->at++;
	while (!sheaf_lens_match(p, sparse ? "}" : ")")) {
		const uint8_t *at = p->at;
		if (!sheaf_lens_is_number(at, p->end)) {
			SHEAF_TRY(read_group(l));
		} else if (sparse) {
			SHEAF_TRY(
				sheaf_lens_read_real(p, "sparse value", "the value of a sparse range", &l->range->value));
		} else {
			sheaf_lens_integer kind = sheaf_lens_scan_integer(&p->at, p->end, &l->range->first);
			if (kind != SHEAF_LENS_INTEGER)
				return flaw_integer(p, at, kind == SHEAF_LENS_INTEGER_OVER, "first unit",
				                    "the first unit of a dense range");
		}
	}
	return SHEAF_OK;
}

/* ---- values and units ---- */

/* Lets the kernel read as many values of a dense range, or single units of a sparse one, as it is certain of:
 * both take four bytes. */
static bool run_kernel(sheaf_lens_parsing *p, bool sparse)
{
	static const sheaf_delimiters delimiters = {
		.spaces = {' ', '\n'}, .pair = ':', .mark = ';', .feed = '\t', .before_feed = '\r'};
	enum { SIZE = 4 };
	sheaf_builder *items = sparse ? &p->set->units : &p->set->values;
	if (!sheaf_lens_items_room(items, SHEAF_NUMBERS_ROOM * SIZE, 2 * (p->end - p->at))) return false;
	sheaf_numbers run = {
		.delimiters = &delimiters, .at = p->at, .end = p->end, .values = items->data + items->size};
	run.room = (items->capacity - items->size) / SIZE;
	(sparse ? p->kernel->whole_i32 : p->kernel->dense_f32)(&run);
	p->at = run.at;
	items->size += run.count * SIZE;
	return run.count > 0;
}

static sheaf_status read_values(sheaf_lens_parsing *p)
{
	float value;
	if (run_kernel(p, false)) return SHEAF_OK;
	SHEAF_TRY(sheaf_lens_read_real(p, "dense value", "a value", &value));
	sheaf_builder_append(&p->set->values, &value, sizeof value);
	return SHEAF_OK;
}

/* The units that the open range has. */
static const int32_t *units_of(const listing *l, int64_t *count)
{
	*count = LENS_COUNT(l->p->set, int32_t, units) - l->range->at;
	return *count ? LENS_ITEMS(l->p->set, int32_t, units) + l->range->at : NULL;
}

/* Units, or one if the kernel reads none. A negative one ends a span. A chain of spans like 0-2-4 loads, but
 * fails in Lens when the example is presented. */
static sheaf_status read_units(listing *l)
{
	sheaf_lens_parsing *p = l->p;
	char found[SHEAF_SHOWN_SIZE];
	int64_t count;
	const int32_t *units = units_of(l, &count);
	int32_t unit;
	if (count && units[0] < 0)
		return sheaf_lens_flaw_text(p, "units after *", p->at, "no units after '*', which means all");
	if (run_kernel(p, true)) return SHEAF_OK;
	const uint8_t *at = p->at;
	units = units_of(l, &count);
	sheaf_lens_integer kind = sheaf_lens_scan_integer(&p->at, p->end, &unit);
	if (kind != SHEAF_LENS_INTEGER || unit == INT32_MIN)
		return flaw_integer(p, at, kind != SHEAF_LENS_NO_INTEGER, "unit number", "the number of a unit");
	if (unit < 0 && (count == 0 || -unit < units[count - 1]))
		return sheaf_lens_flaw_text(p, "unit range", at,
		                            "the last unit of a range not to be before the first");
	if (unit < 0 && units[count - 1] < 0)
		SHEAF_TRY(sheaf_lens_report(p, at,
		                            SHEAF_FINDING(SHEAF_BREACH, "chain of unit ranges",
		                                          "a unit between two ends of ranges",
		                                          sheaf_show(at, p->end, ';', found),
		                                          "kept, but Lens fails when it presents the example")));
	sheaf_builder_append(&p->set->units, &unit, sizeof unit);
	return SHEAF_OK;
}

/* "*": all units. */
static sheaf_status read_star(listing *l, bool sparse)
{
	static const int32_t all = -1;
	sheaf_lens_parsing *p = l->p;
	int64_t count = 0;
	if (sparse && l->open) units_of(l, &count);
	if (!sparse || count)
		return sheaf_lens_flaw_text(p, "* in a range", p->at,
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
			SHEAF_TRY(is_sparse ? read_units(&l) : read_values(p));
		} else {
			break;
		}
	}
	SHEAF_TRY(end_range(&l));
	if (l.open) *list = sheaf_lens_end_list(p->set, p->example, &l.list);
	return SHEAF_OK;
}
