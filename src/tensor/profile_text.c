/* SPDX-License-Identifier: MIT */
/* Profiles for people and programs. */
#include "data/print.h"
#include "tensor/profile.h"
#include <inttypes.h>
#include <string.h>

const char *sheaf_profile_values(const sheaf_profile *p)
{
	return p->symmetric                                       ? "symmetric"
	       : sheaf_profile_has(p, SHEAF_HERMITIAN_LOWER)      ? "hermitian"
	       : sheaf_profile_has(p, SHEAF_SKEW_SYMMETRIC_LOWER) ? "skew_symmetric"
	                                                          : "none";
}

static double density(const sheaf_profile *p)
{
	double positions = 1;
	for (int d = 0; d < p->rank; d++) positions *= (double)p->schema.tensor.shape[d];
	return positions > 0 ? (double)p->entries / positions : 0;
}

static void put_json(sheaf_builder *b, const sheaf_profile *p)
{
	const sheaf_tensor *t = &p->schema.tensor;
	sheaf_builder_text(b, ",\"shape\":[");
	for (int d = 0; d < p->rank; d++) sheaf_builder_printf(b, "%s%" PRId64, d ? "," : "", t->shape[d]);
	sheaf_builder_printf(b, "],\"structure\":\"%s\",\"logical\":%" PRId64 ",\"density\":",
	                     sheaf_structure_name(t->structure), p->entries);
	sheaf_json_real(b, density(p));
	sheaf_builder_text(b, ",\"dimensions\":[");
	for (int d = 0; d < p->rank; d++) {
		const char *name = p->schema.fields[d].name;
		sheaf_builder_text(b, d ? ",{\"name\":" : "{\"name\":");
		sheaf_json_string(b, name, strlen(name));
		sheaf_builder_printf(b, ",\"extent\":%" PRId64, t->shape[d]);
		if (p->sides[d].occupied >= 0) {
			sheaf_builder_printf(b, ",\"occupied\":%" PRId64, p->sides[d].occupied);
			sheaf_spread_json(b, "entries", &p->sides[d].spread);
		}
		sheaf_builder_byte(b, '}');
	}
	sheaf_builder_byte(b, ']');
	if (p->rank != 2) return;
	sheaf_builder_printf(
		b, ",\"diagonal\":%" PRId64 ",\"bandwidth\":{\"lower\":%" PRId64 ",\"upper\":%" PRId64 "}",
		p->diagonal, p->lower, p->upper);
	sheaf_layouts l = sheaf_profile_layouts(p);
	if (p->element.size)
		sheaf_builder_printf(b,
		                     ",\"layouts\":{\"coo\":{\"bytes\":%.0f},\"csr\":{\"bytes\":%.0f},"
		                     "\"csc\":{\"bytes\":%.0f},\"dense\":{\"bytes\":%.0f}}",
		                     l.coo, l.csr, l.csc, l.dense);
	if (p->counted) return;
	sheaf_builder_printf(b, ",\"symmetry\":{\"pattern\":%s,\"values\":\"%s\"", p->pattern ? "true" : "false",
	                     sheaf_profile_values(p));
	if (p->square) {
		sheaf_builder_text(b, ",\"pattern_share\":"), sheaf_json_real(b, sheaf_profile_mirrored(p));
		sheaf_builder_text(b, ",\"value_share\":"), sheaf_json_real(b, sheaf_profile_equal(p));
	}
	sheaf_builder_byte(b, '}');
}

static void put_text(sheaf_builder *b, const sheaf_profile *p)
{
	const sheaf_tensor *t = &p->schema.tensor;
	sheaf_builder_text(b, "tensor: ");
	for (int d = 0; d < p->rank; d++) sheaf_builder_printf(b, "%s%" PRId64, d ? " x " : "", t->shape[d]);
	sheaf_builder_printf(b,
	                     "%s%s; entries with those that the structure implies: %" PRId64 "; density: %.6g\n",
	                     p->rank ? ", " : "", sheaf_structure_name(t->structure), p->entries, density(p));
	for (int d = 0; d < p->rank; d++) {
		sheaf_builder_printf(b, "dimension %s: %" PRId64, p->schema.fields[d].name, t->shape[d]);
		if (p->sides[d].occupied >= 0)
			sheaf_builder_printf(b, ", of them with entries: %" PRId64, p->sides[d].occupied);
		sheaf_builder_byte(b, '\n');
		sheaf_spread_text(b, "entries in each", &p->sides[d].spread);
	}
	if (p->rank != 2) return;
	sheaf_builder_printf(b, "diagonal: %" PRId64 "; bandwidth: %" PRId64 " below, %" PRId64 " above\n",
	                     p->diagonal, p->lower, p->upper);
	sheaf_layouts l = sheaf_profile_layouts(p);
	if (p->element.size)
		sheaf_builder_printf(b, "bytes as arrays: COO %.0f, CSR %.0f, CSC %.0f, dense %.0f\n", l.coo, l.csr,
		                     l.csc, l.dense);
	if (p->counted) return;
	sheaf_builder_printf(b, "symmetry: pattern %s; values %s", p->pattern ? "yes" : "no",
	                     sheaf_profile_values(p));
	if (p->square && !p->symmetric)
		sheaf_builder_printf(b, "; of entries off the diagonal %.4g%% have a mirror, %.4g%% an equal one",
		                     100 * sheaf_profile_mirrored(p), 100 * sheaf_profile_equal(p));
	sheaf_builder_byte(b, '\n');
}

sheaf_status sheaf_profile_text(const sheaf_profile *p, bool json, sheaf_buffer *out, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, p->cx, out);
	(json ? put_json : put_text)(&b, p);
	return sheaf_builder_finish(&b, out, err);
}
