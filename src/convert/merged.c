/* SPDX-License-Identifier: MIT */
/* What the parts of a conversion say to their merge. */
#include "base/context.h"
#include "base/spell.h"
#include "convert/part.h"
#include "io/source.h"

static sheaf_status refuse(const sheaf_parts *p, const char *expected, sheaf_error *err)
{
	return sheaf_part_refuse(p->set.parts, expected, err);
}

/* ---- what the parts say ---- */

static sheaf_status refuse_index(const sheaf_part_file *part, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_STALE,
	                  "%s: expected the rows that the other parts leave to this one, found other rows: an "
	                  "index of other contents was used (" SHEAF_OPTION("index") " never does without)",
	                  sheaf_source_name(part->source));
}

/* Bytes of the output follow one another only if each part has begun where the one before has ended. */
static sheaf_status add_up(const sheaf_parts *p, sheaf_facts *sum, sheaf_error *err)
{
	sheaf_part_state state;
	*sum = (sheaf_facts){.chunks = -1, .ordinal_keys = 1};
	for (int i = 0; i < p->set.n; i++) {
		const sheaf_part_reading *r = &p->readings[i];
		if (!sheaf_part_read_state(r->state, &state) || state.facts.rows != r->rows)
			return sheaf_part_refuse(&p->set.parts[i], "numbers of its rows", err);
		if (!p->keep && r->rows > 0 && r->row != sum->rows) return refuse_index(&p->set.parts[i], err);
		if (r->rows > INT64_MAX - sum->rows) return sheaf_part_refuse(&p->set.parts[i], "its rows", err);
		sum->rows += r->rows;
		if (state.facts.longest > sum->longest) sum->longest = state.facts.longest;
		if (state.facts.ordinal_keys != 1) sum->ordinal_keys = 0;
	}
	return SHEAF_OK;
}

static bool is_simple(const sheaf_facts *f)
{
	return f->ordinal_keys == 1 && f->longest >= 0 && f->longest <= 1;
}

sheaf_status sheaf_conversion_merged_totals(sheaf_conversion *c, sheaf_error *err)
{
	sheaf_facts sum;
	sheaf_part_shared shared;
	const sheaf_parts *p = c->merged;
	const sheaf_writing *write = c->to->write;
	if (!sheaf_part_read_shared(p->shared, &shared)) return refuse(p, "what the job has in common", err);
	SHEAF_TRY(add_up(p, &sum, err));
	if (sheaf_schema_key(&c->schema) < 0) sum.ordinal_keys = 1;
	c->totals = p->keep && sheaf_needs_totals(c->to) ? sum : shared.totals;
	if (p->keep) return SHEAF_OK;
	if (!sheaf_writes_in_parts(c->to, &c->schema)) return refuse(p, "rows that are encoded apart", err);
	bool rows = !write->needs_rows || shared.totals.rows == sum.rows;
	bool shape = !write->needs_totals || c->schema.rows != SHEAF_SEQUENCES ||
	             is_simple(&shared.totals) == is_simple(&sum);
	return rows && shape ? SHEAF_OK : refuse_index(p->set.parts, err);
}

sheaf_status sheaf_conversion_merged_structure(sheaf_conversion *c, sheaf_error *err)
{
	sheaf_part_state first;
	if (!sheaf_part_read_state(c->merged->readings->state, &first))
		return refuse(c->merged, "numbers of its rows", err);
	c->structured = first.structured;
	c->structure = first.structure;
	return SHEAF_OK;
}

sheaf_status sheaf_conversion_merged_keys(const sheaf_conversion *c, bool *keyed, sheaf_error *err)
{
	sheaf_part_shared shared;
	if (!sheaf_part_read_shared(c->merged->shared, &shared))
		return refuse(c->merged, "what the job has in common", err);
	*keyed = shared.keyed;
	return SHEAF_OK;
}

sheaf_status sheaf_conversion_check_copies(const sheaf_conversion *c, bool copies, sheaf_error *err)
{
	sheaf_part_shared shared;
	if (sheaf_part_read_shared(c->merged->shared, &shared) && shared.copies == copies) return SHEAF_OK;
	return refuse(c->merged, "a format that is copied without rows", err);
}

sheaf_status sheaf_conversion_take_bytes(const sheaf_conversion *c, sheaf_error *err)
{
	sheaf_part_state state;
	const sheaf_parts *p = c->merged;
	for (int i = 0; i < p->set.n && !p->keep; i++) {
		if (!sheaf_part_read_state(p->readings[i].state, &state))
			return sheaf_part_refuse(&p->set.parts[i], "numbers of its rows", err);
		const sheaf_blob blob = {.bytes = {.size = (size_t)p->set.parts[i].payload},
		                         .rows = state.facts.rows,
		                         .samples = state.facts.samples};
		SHEAF_TRY(sheaf_writer_take(c->writer, p->set.parts[i].source, SHEAF_PART_PAYLOAD, &blob, err));
		sheaf_progress(c->cx, i + 1, p->set.n);
	}
	return SHEAF_OK;
}
