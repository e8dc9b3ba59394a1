/* SPDX-License-Identifier: MIT */
#include "part_support.h"
#include "base/endian.h"
#include "job/part/part_file.h"
#include "seal.h"
#include "with_context.h"
#include <string.h>

enum { END_SIZE = 40 };

sheaf_status open_part_sink(void *user, sheaf_context *context, sheaf_sink **out, sheaf_error *error)
{
	bytes_sink *bytes = (bytes_sink *)user;
	bytes->size = 0;
	return sheaf_sink_function(write_bytes, bytes, "part", context, out, error);
}

sheaf_source *part_source(const bytes_sink *part)
{
	sheaf_source *source;
	assert_ok(sheaf_source_memory((sheaf_bytes){part->data, part->size}, "part", cx, &source, &err));
	return source;
}

/* Where the areas of a sound part begin, and the last one ends. */
static void find_areas(const bytes_sink *part, size_t begins[AREAS + 1])
{
	sheaf_part_file file;
	assert_ok(sheaf_part_open(part_source(part), cx, &file, &err));
	begins[PAYLOAD] = SHEAF_PART_PAYLOAD;
	begins[HEAD] = SHEAF_PART_PAYLOAD + (size_t)file.payload;
	begins[COMMON] = begins[HEAD] + (size_t)(file.common.data - file.foot.data);
	begins[OWN] = begins[COMMON] + file.common.size;
	begins[END] = part->size - END_SIZE;
	begins[AREAS] = part->size;
	sheaf_part_close(&file);
}

static void replace(bytes_sink *part, size_t begins[AREAS + 1], const splice *s)
{
	/* The size of what is common belongs to neither area. */
	size_t last = begins[s->area + 1] - (s->area == HEAD ? sizeof(uint64_t) : 0);
	size_t at = s->at < 0 ? last - (size_t)-s->at : begins[s->area] + (size_t)s->at;
	bytes_sink changed = {0};
	assert_true(at >= begins[s->area] && at + (size_t)s->cut <= last);
	write_bytes(&changed, part->data, at);
	write_bytes(&changed, s->with, s->n);
	write_bytes(&changed, part->data + at + s->cut, part->size - at - (size_t)s->cut);
	free_bytes(part);
	*part = changed;
	for (unsigned area = s->area + 1; area <= AREAS; area++) begins[area] += s->n - (size_t)s->cut;
}

void change_part(bytes_sink *part, const splice splices[SPLICES])
{
	size_t begins[AREAS + 1];
	bool sealed = false;
	find_areas(part, begins);
	for (int i = 0; i < SPLICES && (splices[i].cut || splices[i].n); i++) {
		sealed = splices[i].area == END;
		replace(part, begins, &splices[i]);
		if (sealed) continue;
		if (splices[i].area == COMMON)
			sheaf_store_u64le(part->data + begins[COMMON] - sizeof(uint64_t), begins[OWN] - begins[COMMON]);
		sheaf_store_u64le(part->data + begins[END], begins[HEAD]);
		sheaf_store_u64le(part->data + begins[END] + 8, begins[END] - begins[HEAD]);
	}
	if (!sealed) seal_part(part->data, part->size);
}
