/* SPDX-License-Identifier: MIT */
/* Values of one element type as text; included with T (its C type) and NAME. */

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

static int64_t JOIN(put_finite, NAME)(sheaf_builder *b, const sheaf_column *column, sheaf_run run,
                                      char before)
{
	const T *values = (const T *)(const void *)column->values.data;
	const sheaf_level *level = &column->levels[column->nlevels - 1];
	bool sparse = level->shape.kind == SHEAF_COORD;
	int64_t at = run.begin, end = run.end - at > BATCH ? at + BATCH : run.end;
	if (!sheaf_builder_room(b, (uint64_t)(end - at) * ENTRY_MAX)) return at;
	char *to = (char *)b->data + b->size;
	for (; at < end && isfinite(values[at]); at++) {
		*to++ = before;
		if (sparse) {
			to = sheaf_print_i64(to, sheaf_level_index(level, 0, at));
			*to++ = ':';
		}
		to = JOIN(sheaf_print, NAME)(to, values[at]);
	}
	b->size = (size_t)(to - (char *)b->data);
	return at;
}

#undef JOIN
#undef JOIN_
#undef T
#undef NAME
