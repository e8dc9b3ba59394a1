/* SPDX-License-Identifier: MIT */
/* What several tests share: box_support.h. */
#include "box_support.h"
#include <stdio.h>
#include <string.h>

/* ---- a box that is written, then read ---- */

static const char *name_of(sheaf_box_kind kind)
{
	return kind == SHEAF_BOX_NETCDF    ? "box.nc"
	       : kind == SHEAF_BOX_ZARR    ? "box.zarr"
	       : kind == SHEAF_BOX_ARCHIVE ? "box.npz"
	                                   : "box.h5";
}

made begin_box_in(sheaf_context *cx, sheaf_box_kind kind, bool into)
{
	made m = {.cx = cx, .kind = kind};
	if (kind == SHEAF_BOX_MEMORY) {
		assert_ok(sheaf_box_in_memory(cx, &m.box, &err));
		return m;
	}
	assert_ok(sheaf_sink_path(in_folder(name_of(kind)), true, cx, &m.sink, &err));
	assert_ok(sheaf_box_create(m.sink, kind, into, cx, &m.box, &err));
	return m;
}

made begin_box(sheaf_box_kind kind) { return begin_box_in(usual_context(), kind, false); }

void open_file(made *m)
{
	assert_ok(sheaf_source_path(in_folder(name_of(m->kind)), m->cx, &m->source, &err));
	assert_ok(sheaf_box_open(m->source, m->cx, &m->box, &err));
}

void turn_box(made *m)
{
	if (m->kind == SHEAF_BOX_MEMORY) return;
	assert_ok(sheaf_box_finish(m->box, &err));
	assert_ok(sheaf_sink_commit(m->sink, &err));
	open_file(m);
}

void close_made(made *m)
{
	sheaf_box_close(m->box);
	sheaf_source_close(m->source);
	m->box = NULL;
	m->source = NULL;
}

void end_box(made *m)
{
	close_made(m);
	end_context(m->cx);
}

const sheaf_box_item *find_item(const made *m, const char *path)
{
	const sheaf_box_item *item = sheaf_box_find(m->box, path);
	if (!item) fail_msg("expected /%s", path);
	return item;
}

void assert_paths(const made *m, const char *wanted)
{
	char text[1000] = "";
	int64_t count;
	const sheaf_box_item *items = sheaf_box_items(m->box, &count);
	for (int64_t i = 0; i < count; i++) {
		if (items[i].refused && strstr(items[i].refused, "a dimension of netCDF")) continue;
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s", i ? " " : "", items[i].path,
		         items[i].is_group ? "/" : "");
	}
	assert_text(wanted, text);
}

void fill_values(sheaf_type type, void *values, int64_t count)
{
	for (int64_t i = 0; i < count; i++) {
		switch (type) {
		case SHEAF_F32: ((float *)values)[i] = (float)i / 3; break;
		case SHEAF_F64: ((double *)values)[i] = (double)i / 3; break;
		default: {
			uint64_t v = (uint64_t)i * 0x9e3779b97f4a7c15;
			memcpy((uint8_t *)values + (size_t)i * sheaf_type_size(type), &v, sheaf_type_size(type));
		}
		}
	}
}

void assert_values(made *m, const char *path, sheaf_type type, const void *wanted, int64_t from, int64_t to)
{
	sheaf_buffer values = {0};
	const sheaf_box_item *item = find_item(m, path);
	assert_int_equal(type, item->type);
	assert_ok(sheaf_box_read(m->box, (sheaf_box_run){item, from, to}, type, &values, &err));
	assert_int_equal((size_t)(to - from) * sheaf_type_size(type), values.size);
	if (to > from)
		assert_memory_equal((const uint8_t *)wanted + (size_t)from * sheaf_type_size(type), values.data,
		                    values.size);
	sheaf_buffer_reset(&values);
}

uint64_t many[MANY];
