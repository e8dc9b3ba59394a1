/* SPDX-License-Identifier: MIT */
/* Values of one element type as text; included with T (its C type) and NAME. */

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

/* Whether a value is a whole number below a million: such numbers are printed faster one by one. */
static inline bool JOIN(is_whole, NAME)(T v) { return v > -1e6 && v < 1e6 && (T)(int32_t)v == v; }

/* Spells the next values of a run at once, up to SHEAF_SPELLED of them, if the first few have digits after
 * the point: then most of the others have, too, and *spelled becomes the run of those that were spelled.
 * Returns at which value to look again: after these, or after PATIENCE values that are printed one by one. */
static int64_t JOIN(spell_fractions, NAME)(sheaf_spelling *s, const T *values, sheaf_run run,
                                           sheaf_run *spelled)
{
	enum { LOOKED_AT = 3, PATIENCE = 8 };
	int64_t at = run.begin, upto = sheaf_run_length(run) < SHEAF_SPELLED ? run.end : at + SHEAF_SPELLED;
	while (at < upto && at < run.begin + LOOKED_AT && !JOIN(is_whole, NAME)(values[at])) at++;
	if (at < run.begin + LOOKED_AT) return run.begin + PATIENCE;
	JOIN(sheaf_spell, NAME)(s, values + run.begin, (size_t)(upto - run.begin));
	*spelled = (sheaf_run){run.begin, upto};
	return upto;
}

/* Appends the values of a run, each after `before` and, in a sparse level, its index: up to the first that is
 * not finite, or to the end of a batch, for which room is made once. Returns where it stopped. */
static int64_t JOIN(put_finite, NAME)(sheaf_builder *b, const sheaf_column *column, sheaf_run run,
                                      char before)
{
	const T *values = (const T *)(const void *)column->values.data;
	const sheaf_level *level = &column->levels[column->nlevels - 1];
	bool sparse = level->shape.kind == SHEAF_COORD;
	int64_t at = run.begin, end = run.end - at > BATCH ? at + BATCH : run.end, look = at;
	sheaf_run spelled = {at, at};
	sheaf_spelling s;
	if (!sheaf_builder_room(b, (uint64_t)(end - at) * ENTRY_MAX)) return at;
	char *to = (char *)b->data + b->size;
	for (; at < end && isfinite(values[at]); at++) {
		if (at >= look) look = JOIN(spell_fractions, NAME)(&s, values, (sheaf_run){at, end}, &spelled);
		*to++ = before;
		if (sparse) {
			to = sheaf_print_i64(to, sheaf_level_index(level, 0, at));
			*to++ = ':';
		}
		to = at < spelled.end && !JOIN(is_whole, NAME)(values[at])
		         ? JOIN(sheaf_print_spelled, NAME)(to, &s, (size_t)(at - spelled.begin))
		         : JOIN(sheaf_print, NAME)(to, values[at]);
	}
	b->size = (size_t)(to - (char *)b->data);
	return at;
}

#undef JOIN
#undef JOIN_
#undef T
#undef NAME
