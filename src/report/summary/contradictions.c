/* SPDX-License-Identifier: MIT */
/* Rows by the hashes of their inputs (sampled_template.h). The rows of one hash are one item: how many they
 * are, which is the first, and which is the first whose targets have another hash. Joining two of them gives
 * the same in either order, so that threads can count apart. */
#include "report/summary/contradictions.h"
#include "base/memory.h"

/* Joins two sets of rows with the same inputs: *to becomes the first row of all, with the hash of its
 * targets, and the first row with other targets than that (-1: none). In `b`, whose first row comes later,
 * that is its first row or, if that has the same targets as the first of all, its `other` one. */
static void join(sheaf_same_inputs *to, const sheaf_same_inputs *from)
{
	const sheaf_same_inputs a = from->first < to->first ? *from : *to,
							b = from->first < to->first ? *to : *from;
	int64_t other = b.targets == a.targets ? b.other : b.first;
	*to = a;
	to->count = a.count + b.count;
	if (other >= 0 && (a.other < 0 || other < a.other)) to->other = other;
}

#define NAME(step) sheaf_contradictions_##step
#define TABLE sheaf_contradictions
#define ITEM sheaf_same_inputs
#define SLOTS SHEAF_INPUTS_SLOTS
#define KEPT SHEAF_INPUTS_KEPT
#define JOIN join
#include "report/matrix/sampled_template.h"

void sheaf_contradictions_add(sheaf_contradictions *c, const sheaf_same_inputs *rows) { add(c, rows); }

sheaf_contradicted sheaf_contradictions_count(const sheaf_contradictions *c)
{
	sheaf_contradicted found = {.different = estimate(c, c->kept), .exact = c->halvings == 0};
	int64_t inputs = 0, rows = 0;
	for (size_t i = 0; i < SHEAF_INPUTS_SLOTS; i++) {
		if (!c->slots[i].count || c->slots[i].other < 0) continue;
		inputs++;
		rows += c->slots[i].count;
	}
	found.inputs = estimate(c, inputs);
	found.rows = estimate(c, rows);
	return found;
}

/* The list is kept in the order of first rows while all slots are gone through. */
int sheaf_contradictions_first(const sheaf_contradictions *c, const sheaf_same_inputs **out, int n)
{
	int found = 0;
	for (size_t i = 0; i < SHEAF_INPUTS_SLOTS; i++) {
		const sheaf_same_inputs *rows = &c->slots[i];
		if (!rows->count || rows->other < 0 || (found == n && rows->first >= out[n - 1]->first)) continue;
		int at = found < n ? found++ : n - 1;
		for (; at > 0 && out[at - 1]->first > rows->first; at--) out[at] = out[at - 1];
		out[at] = rows;
	}
	return found;
}
