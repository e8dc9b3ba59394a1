/* SPDX-License-Identifier: MIT */
/* Writing values of one element type; included with T (its C type) and NAME. */

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

/* Writes values from number `at` on, with their indices if there are any: up to `end`, to one that is not
 * finite, or to the end of a batch. Returns where it stopped. */
static int64_t JOIN(put_finite, NAME)(sheaf_builder *b, const sheaf_column *column, int64_t at, int64_t end)
{
	const T *values = (const T *)(const void *)column->values.data;
	const sheaf_level *level = &column->levels[1];
	bool sparse = level->shape.kind == SHEAF_COORD;
	if (end - at > BATCH) end = at + BATCH;
	if (!sheaf_builder_room(b, (uint64_t)(end - at) * ENTRY_MAX)) return at;
	char *to = (char *)b->data + b->size;
	for (; at < end && isfinite(values[at]); at++) {
		*to++ = ' ';
		if (sparse) to = put_index(to, sheaf_level_index(level, 0, at));
		to = JOIN(sheaf_print, NAME)(to, values[at]);
	}
	b->size = (size_t)(to - (char *)b->data);
	return at;
}

#undef JOIN
#undef JOIN_
#undef T
#undef NAME
