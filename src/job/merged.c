/* SPDX-License-Identifier: MIT */
/* What the parts of a conversion say to their merge.
 *
 * Each part has counted its own rows, while the borders between parts and the totals that an output was
 * encoded with may come from an index. If that index was one of other contents, the sums contradict it, and
 * the merge says so rather than writing an output with gaps. */
#include "base/checked.h"
#include "base/context.h"
#include "base/spell.h"
#include "io/source.h"
#include "job/part.h"

/* Fails because a part's rows are not those that the other parts leave to it: STALE, which lets the caller
 * try without an index where it can. */
static sheaf_status refuse_index(const sheaf_part_file *part, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_STALE,
	                  "%s: expected the rows that the other parts leave to this one, found other rows: an "
	                  "index of other contents was used (" SHEAF_OPTION("index") " never does without)",
	                  sheaf_source_name(part->source));
}

/* Whether rows are written without keys, one sample each, in formats that have two ways to write them. */
static bool is_simple(const sheaf_facts *f)
{
	return f->ordinal_keys == 1 && f->longest >= 0 && f->longest <= 1;
}

/* Adds up what the parts have counted, and checks it. Bytes of the output follow one another only if each
 * part has begun where the one before has ended, and if the output was encoded with totals that the sums
 * confirm. Keys count as for a conversion without parts. */
sheaf_status sheaf_conversion_merged_totals(sheaf_conversion *c, sheaf_error *err)
{
	const sheaf_parts *p = c->merged->parts;
	const sheaf_facts *totals = &c->merged->shared.totals;
	const sheaf_writing *write = c->to->write;
	bool keyed = sheaf_schema_key(&c->schema) >= 0;
	sheaf_facts sum = {.chunks = -1, .ordinal_keys = 1};
	for (int i = 0; i < p->set.n; i++) {
		const sheaf_part_reading *r = &p->readings[i];
		const sheaf_facts *facts = &c->merged->states[i].facts;
		if (!p->keep && r->rows > 0 && r->row != sum.rows) return refuse_index(&p->set.parts[i], err);
		sum.rows += r->rows;
		if (!sheaf_add_i64(&sum.samples, sum.samples, facts->samples))
			return sheaf_part_refuse(&p->set.parts[i], "numbers of its rows", err);
		if (facts->longest > sum.longest) sum.longest = facts->longest;
		if (facts->ordinal_keys != 1) sum.ordinal_keys = 0;
	}
	if (c->ninputs > 1 || !keyed) sum.ordinal_keys = !keyed;
	c->totals = p->keep && sheaf_needs_totals(c->to) ? sum : *totals;
	if (p->keep) return SHEAF_OK;
	if (!sheaf_writes_in_parts(c->to, &c->schema))
		return sheaf_part_refuse(p->set.parts, "rows that are encoded apart", err);
	bool rows_agree = !write->needs_rows || totals->rows == sum.rows;
	bool shape_agrees =
		!write->needs_totals || c->schema.rows != SHEAF_SEQUENCES || is_simple(totals) == is_simple(&sum);
	return rows_agree && shape_agrees ? SHEAF_OK : refuse_index(p->set.parts, err);
}

/* Moves the payloads of the parts into the output as they are, with the numbers of rows and samples that
 * the writer keeps; nothing if the parts have rows. */
sheaf_status sheaf_conversion_take_bytes(const sheaf_conversion *c, sheaf_error *err)
{
	const sheaf_parts *p = c->merged->parts;
	for (int i = 0; i < p->set.n && !p->keep; i++) {
		const sheaf_facts *facts = &c->merged->states[i].facts;
		const sheaf_blob blob = {.bytes = {.size = (size_t)p->set.parts[i].payload},
		                         .rows = facts->rows,
		                         .samples = facts->samples};
		SHEAF_TRY(sheaf_writer_take(c->writer, p->set.parts[i].source, SHEAF_PART_PAYLOAD, &blob, err));
		sheaf_progress(c->cx, i + 1, p->set.n);
	}
	return SHEAF_OK;
}
