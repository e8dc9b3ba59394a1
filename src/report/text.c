/* SPDX-License-Identifier: MIT */
/* Common to texts and pages about a summary. */
#include "report/text.h"
#include "frame/frame.h"
#include "frame/item.h"
#include "frame/print.h"
#include "number/number.h"
#include "report/matrix/profile.h"
#include "report/words.h"
#include <math.h>

/* A thread of a program may have a locale with decimal commas, but JSON and reports have points. Setting the
 * locale "C" takes no memory, so that this cannot fail. */
locale_t sheaf_points_begin(void) { return uselocale(newlocale(LC_ALL_MASK, "C", NULL)); }

void sheaf_points_end(locale_t before)
{
	locale_t points = uselocale(before);
	if (points != LC_GLOBAL_LOCALE) freelocale(points);
}

const char *sheaf_summary_word(const sheaf_summary *s)
{
	static const char *const words[] = {"sequences", "rows", "entries", "tensors"};
	return words[s->schema.rows];
}

const char *sheaf_summary_keys(const sheaf_summary *s)
{
	int key = sheaf_schema_key(&s->schema);
	return key < 0 || s->fields[key].other_keys == 0 ? "ordinal" : "explicit";
}

bool sheaf_summary_shows(const sheaf_summary *s, int field)
{
	sheaf_meaning meaning = s->schema.fields[field].meaning;
	return meaning != SHEAF_KEY && (meaning != SHEAF_COORDINATE || s->schema.rows != SHEAF_ENTRIES);
}

/* ---- histograms ---- */

bool sheaf_field_is_text(const sheaf_field *field)
{
	return sheaf_means_text(field->meaning) || field->meaning == SHEAF_BYTES;
}

bool sheaf_field_has_sum(const sheaf_field *field)
{
	return field->meaning == SHEAF_NUMBER || field->meaning == SHEAF_BOOL;
}

bool sheaf_field_has_range(const sheaf_field *field)
{
	bool time = sheaf_means_time(field->meaning) && field->meaning != SHEAF_DATETIMETZ;
	return sheaf_field_has_sum(field) || time || field->meaning == SHEAF_COORDINATE;
}

double sheaf_field_density(const sheaf_field *field, const sheaf_field_summary *f)
{
	double cells = (double)f->entries.n * (double)sheaf_field_dim(field);
	return cells > 0 ? (double)f->entries.total / cells : 0;
}

/* A time is printed as a time, unless it is too large for a double to have each second; a float32 with as
 * many digits as it needs, which are fewer than a double does. */
void sheaf_put_extreme(sheaf_builder *b, double v, const sheaf_field *field, bool json)
{
	if (sheaf_means_time(field->meaning) && fabs(v) < 0x1p53) {
		int64_t seconds = (int64_t)v;
		sheaf_column column = {.meaning = field->meaning,
		                       .digits = field->digits,
		                       .type = SHEAF_I64,
		                       .values = {(uint8_t *)&seconds, sizeof seconds, NULL}};
		sheaf_item_text(b, &column, 0, 0, json);
		return;
	}
	if (field->type != SHEAF_F32) {
		sheaf_json_real(b, v);
		return;
	}
	if (!sheaf_builder_room(b, SHEAF_NUMBER_MAX)) return;
	b->size = (size_t)(sheaf_print_f32((char *)b->data + b->size, (float)v) - (char *)b->data);
}

/* ---- tensors ---- */

/* What needs no order of the entries is known from the counts alone. The profile has no memory of its own. */
void sheaf_counted_profile(const sheaf_summary *s, sheaf_profile *p)
{
	*p = (sheaf_profile){.cx = s->cx, .schema = s->schema, .rank = s->schema.tensor.rank};
	p->entries = s->entries;
	p->diagonal = s->band.diagonal;
	p->lower = s->band.lower;
	p->upper = s->band.upper;
	p->counted = true;
	if (!sheaf_element_of(&s->schema.fields[sheaf_schema_value(&s->schema)], &p->element))
		p->element.size = 0;
	for (int d = 0; d < p->rank; d++) {
		const sheaf_field_summary *f = &s->fields[d];
		for (int64_t i = 0; f->uses && i < f->dim; i++) sheaf_spread_add(&p->sides[d].spread, f->uses[i], 1);
		p->sides[d].occupied = f->uses ? f->dim - sheaf_never_used(f) : -1;
	}
}

void sheaf_list_tensor(const sheaf_summary *s, const sheaf_listing *to)
{
	sheaf_profile counted;
	if (s->schema.rows != SHEAF_ENTRIES) return;
	if (!s->profile) sheaf_counted_profile(s, &counted);
	sheaf_profile_list(s->profile ? s->profile : &counted, to);
}
