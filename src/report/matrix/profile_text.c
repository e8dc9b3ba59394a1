/* SPDX-License-Identifier: MIT */
/* Profiles for people and programs. */
#include "report/matrix/profile.h"

const char *sheaf_profile_values(const sheaf_profile *p)
{
	return p->symmetric                                       ? "symmetric"
	       : sheaf_profile_has(p, SHEAF_HERMITIAN_LOWER)      ? "hermitian"
	       : sheaf_profile_has(p, SHEAF_SKEW_SYMMETRIC_LOWER) ? "skew_symmetric"
	                                                          : "none";
}

/* All of one matrix: what it takes as arrays, and how far it is symmetric. */
static void list_matrix(const sheaf_profile *p, const sheaf_listing *to)
{
	sheaf_layouts l = sheaf_profile_layouts(p);
	sheaf_listing_count(to, "diagonal", "diagonal: %", p->diagonal);
	sheaf_listing_open(to, "bandwidth", "; bandwidth: ", '{');
	sheaf_listing_count(to, "lower", "% below", p->lower);
	sheaf_listing_count(to, "upper", ", % above", p->upper);
	sheaf_listing_close(to, "\n", '}');
	if (p->element.size)
		sheaf_builder_printf(to->b,
		                     to->json ? ",\"layouts\":{\"coo\":{\"bytes\":%.0f},\"csr\":{\"bytes\":%.0f},"
		                                "\"csc\":{\"bytes\":%.0f},\"dense\":{\"bytes\":%.0f}}"
		                              : "bytes as arrays: COO %.0f, CSR %.0f, CSC %.0f, dense %.0f\n",
		                     l.coo, l.csr, l.csc, l.dense);
	if (p->counted) return;
	sheaf_listing_open(to, "symmetry", "symmetry: ", '{');
	sheaf_listing_flag(to, "pattern", "pattern %", p->pattern);
	sheaf_listing_text(to, "values", "; values %", sheaf_profile_values(p));
	if (p->square && to->json) {
		sheaf_member_real(to->b, "pattern_share", sheaf_profile_mirrored(p));
		sheaf_member_real(to->b, "value_share", sheaf_profile_equal(p));
	} else if (p->square && !p->symmetric) {
		sheaf_builder_printf(
			to->b, "; of entries off the diagonal %s%.4g%% have a mirror, %.4g%% an equal one",
			p->exact ? "" : "about ", 100 * sheaf_profile_mirrored(p), 100 * sheaf_profile_equal(p));
	}
	sheaf_listing_close(to, "\n", '}');
}

void sheaf_profile_list(const sheaf_profile *p, const sheaf_listing *to)
{
	const sheaf_tensor *t = &p->schema.tensor;
	double positions = 1;
	for (int d = 0; d < p->rank; d++) positions *= (double)t->shape[d];
	sheaf_listing_shape(to, "shape", p->rank ? "tensor: %, " : "tensor: ", t->shape, p->rank);
	sheaf_listing_text(to, "structure", "%", sheaf_structure_name(t->structure));
	sheaf_listing_count(to, "logical", "; entries with those that the structure implies: %", p->entries);
	sheaf_listing_real(to, "density", "; density: %\n", positions > 0 ? (double)p->entries / positions : 0);
	sheaf_listing_open(to, "dimensions", "", '[');
	for (int d = 0; d < p->rank; d++) {
		const sheaf_profile_side *side = &p->sides[d];
		sheaf_listing_open(to, "", "dimension ", '{');
		sheaf_listing_text(to, "name", "%", p->schema.fields[d].name);
		sheaf_listing_count(to, "extent", ": %", t->shape[d]);
		if (side->occupied >= 0)
			sheaf_listing_count(to, "occupied", ", of them with entries: %", side->occupied);
		if (!to->json) sheaf_builder_byte(to->b, '\n');
		if (side->occupied >= 0 || !to->json)
			sheaf_spread_list(&side->spread, to, "entries", "  entries in each: ");
		sheaf_listing_close(to, "", '}');
	}
	sheaf_listing_close(to, "", ']');
	if (p->rank == 2) list_matrix(p, to);
}
