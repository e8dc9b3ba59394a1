/* SPDX-License-Identifier: MIT */
/* The rules for the arrays of a level: each violation is reported with its array, its position, what was
 * expected and what was found. */
#include "base/context.h"
#include "base/spell.h"
#include "format/binsparse/reader.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A number that breaks a rule: array[at], whose expectation is `least` ("at least", for one) followed by the
 * limit. */
typedef struct breach {
	const char *rule, *array;
	int64_t at;
	const char *least;
	int64_t limit, found;
} breach;

static sheaf_status flaw(sheaf_bsp_checking *c, breach b)
{
	char text[64];
	bool mends = strcmp(b.rule, "order of indices") == 0;
	snprintf(text, sizeof text, "%" PRId64 "%s", b.found,
	         mends ? " (" SHEAF_OPTION("repair") " mends that)" : "");
	c->is_broken = true;
	return sheaf_bsp_report(c->t, SHEAF_FINDING(SHEAF_FATAL, b.rule, .found = text), c->cx, c->err,
	                        "%s[%" PRId64 "] %s %" PRId64, b.array, b.at, b.least, b.limit);
}

sheaf_status sheaf_bsp_check_pointers(sheaf_bsp_checking *c)
{
	const char *name = c->t->pointers[c->l].name;
	int64_t n = c->above.end - c->above.begin, most = c->t->counts[c->l + 1];
	const int64_t *p = c->pointers;
	/* The pre-defined formats that omit empty rows have none. */
	bool strict = c->t->d.layout.levels[c->l - 1].is_sparse &&
	              sheaf_bsp_layout_name(&c->t->d.layout, false) && c->t->d.format[0] == 'D';
	if (c->above.begin == 0 && p[0] != 0)
		SHEAF_TRY(flaw(c, (breach){"first pointer", name, 0, "to be", 0, p[0]}));
	/* If the piece's own positions do not lie below them, they were found with other pointers. */
	if (!c->is_broken && c->below.end > c->below.begin && (p[0] > c->below.begin || p[n] < c->below.end))
		SHEAF_TRY(flaw(c, (breach){"order of pointers", name, c->above.begin, "at most", c->below.begin,
		                           p[0] > c->below.begin ? p[0] : p[n]}));
	for (int64_t i = 0; i < n; i++) {
		if (p[i + 1] < p[i] || p[i + 1] > most)
			SHEAF_TRY(flaw(c, (breach){"order of pointers", name, c->above.begin + i + 1,
			                           p[i + 1] > most ? "at most" : "at least",
			                           p[i + 1] > most ? most : p[i], p[i + 1]}));
		else if (strict && p[i + 1] == p[i])
			SHEAF_TRY(
				flaw(c, (breach){"empty slices", name, c->above.begin + i + 1, "above", p[i], p[i + 1]}));
	}
	return SHEAF_OK;
}

static sheaf_status check_range(sheaf_bsp_checking *c, int r, int dimension)
{
	int64_t extent = sheaf_bsp_extent(&c->t->d, dimension), n = c->below.end - c->below.begin;
	const int64_t *at = c->indices[r] + c->lead;
	uint64_t most = 0;
	/* All are examined before any is judged: that is faster, and errors are rare. A negative one is above all
	 * extents. */
	for (int64_t i = 0; i < n; i++) most = (uint64_t)at[i] > most ? (uint64_t)at[i] : most;
	if (n == 0 || most < (uint64_t)extent) return SHEAF_OK;
	for (int64_t i = 0; i < n; i++)
		if ((uint64_t)at[i] >= (uint64_t)extent)
			SHEAF_TRY(flaw(c, (breach){"index range", c->t->indices[dimension].name, c->below.begin + i,
			                           at[i] < 0 ? "at least 0 and below" : "below", extent, at[i]}));
	return SHEAF_OK;
}

/* The dimension in which tuple i does not ascend from the one before: its number from 0, or -1 if it
 * ascends. */
static int not_ascending(const sheaf_bsp_checking *c, int rank, int64_t i)
{
	for (int r = 0; r < rank; r++) {
		int64_t before = c->indices[r][i - 1], here = c->indices[r][i];
		if (here != before) return here > before ? -1 : r;
	}
	return rank - 1;
}

/* Positions [from, to) of the current indices, including the order of `from` and the one before it. */
static sheaf_status check_run(sheaf_bsp_checking *c, int64_t from, int64_t to)
{
	int rank = c->t->d.layout.levels[c->l].rank, depth = sheaf_bsp_depth(&c->t->d.layout, c->l), sound = 1;
	const int64_t *first = c->indices[0];
	for (int64_t i = from; i < to && rank == 1; i++) sound &= first[i] > first[i - 1];
	if (rank == 1 && sound) return SHEAF_OK;
	for (int64_t i = from; i < to; i++) {
		int r = not_ascending(c, rank, i);
		if (r >= 0)
			SHEAF_TRY(flaw(c, (breach){"order of indices", c->t->indices[depth + r].name,
			                           c->below.begin + i - c->lead, "above", c->indices[r][i - 1],
			                           c->indices[r][i]}));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_bsp_check_indices(sheaf_bsp_checking *c)
{
	int depth = sheaf_bsp_depth(&c->t->d.layout, c->l);
	int64_t base = c->below.begin - c->lead;
	for (int r = 0; r < c->t->d.layout.levels[c->l].rank; r++) SHEAF_TRY(check_range(c, r, depth + r));
	for (int64_t i = 0; i < c->above.end - c->above.begin; i++) {
		int64_t from = c->pointers ? c->pointers[i] : 0,
				to = c->pointers ? c->pointers[i + 1] : c->t->counts[c->l + 1];
		if (from < base) from = base;
		if (to > c->below.end) to = c->below.end;
		if (to - from > 1) SHEAF_TRY(check_run(c, from - base + 1, to - base));
	}
	return SHEAF_OK;
}
