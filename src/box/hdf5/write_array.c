/* SPDX-License-Identifier: MIT */
/* Arrays. One of which the count is known has its place from the beginning, and values go past us; chunks get
 * theirs as they come. */
#include "base/memory.h"
#include "box/hdf5/write.h"

typedef struct array {
	sheaf_hdf5_writer *w;
	sheaf_hdf5_object *group, *object;
	sheaf_box_plan plan;
	int64_t address;      /* of the values */
	sheaf_builder chunks; /* sheaf_hdf5_chunk */
} array;

static sheaf_status give_place(array *a, sheaf_box_plan *plan)
{
	enum { ALIGNED = 64 };
	if (plan->chunk || plan->count == 0) return SHEAF_OK;
	uint64_t bytes = (uint64_t)plan->count * sheaf_type_size(plan->type);
	SHEAF_TRY(sheaf_hdf5_allocate(a->w, bytes, ALIGNED, &a->address));
	plan->offset = a->w->reader.base + a->address;
	return SHEAF_OK;
}

static sheaf_status create(array *a, sheaf_box_plan *plan)
{
	const char *name;
	SHEAF_TRY(sheaf_hdf5_find_group(a->w, plan->path, &a->group, &name));
	SHEAF_TRY(sheaf_hdf5_new_object(a->w, false, &a->object));
	SHEAF_TRY(sheaf_hdf5_link_new(a->w, a->group, name, a->object));
	return give_place(a, plan);
}

sheaf_status sheaf_hdf5_new_array(void *state, sheaf_box_plan *plan, void **out, sheaf_error *err)
{
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)state;
	void *memory;
	w->err = err;
	SHEAF_TRY(sheaf_allocate(w->reader.cx, sizeof(array), &memory, err));
	array *a = (array *)memory;
	*a = (array){.w = w, .plan = *plan, .address = SHEAF_HDF5_NOWHERE};
	sheaf_builder_begin(&a->chunks, w->reader.cx, NULL);
	sheaf_status status = create(a, plan);
	if (status)
		sheaf_hdf5_drop_array(a);
	else
		*out = a;
	return status;
}

/* Only an array of no values has neither a place nor chunks. */
sheaf_status sheaf_hdf5_append(void *handle, const void *values, size_t bytes, sheaf_error *err)
{
	const array *a = (const array *)handle;
	(void)values;
	return sheaf_fail(err, SHEAF_USAGE, "%s: expected no values, found %zu bytes", a->w->reader.store->name,
	                  bytes);
}

sheaf_status sheaf_hdf5_write_chunk(void *handle, int64_t chunk, uint32_t skipped, const void *bytes,
                                    size_t size, sheaf_error *err)
{
	enum { LARGE = 4096, ALIGNED = 64 };
	array *a = (array *)handle;
	sheaf_hdf5_chunk it = {.size = (uint32_t)size, .skipped = skipped};
	(void)chunk; /* they come in order */
	a->w->err = err;
	SHEAF_TRY(sheaf_hdf5_allocate(a->w, size, size < LARGE ? 8 : ALIGNED, &it.address));
	sheaf_builder_append(&a->chunks, &it, sizeof it);
	SHEAF_TRY(sheaf_builder_status(&a->chunks, err));
	return sheaf_hdf5_store(a->w, it.address, bytes, size);
}

/* ---- what the header says ---- */

static void describe_fill(const array *a, sheaf_builder *b)
{
	enum { VERSION = 3, EARLY = 1, AS_NEEDED = 3, NEVER = 1 << 2 /* filled by nobody but us */ };
	sheaf_hdf5_put(a->w, b, "11", (const int64_t[]){VERSION, NEVER | (a->plan.chunk ? AS_NEEDED : EARLY)});
}

static void describe_filter(sheaf_builder *b, unsigned filter, unsigned parameter)
{
	enum { MAY_BE_SKIPPED = 1 };
	sheaf_hdf5_put(NULL, b, "2224", (const int64_t[]){filter, MAY_BE_SKIPPED, 1, parameter});
}

static void describe_filters(const array *a, sheaf_builder *b)
{
	enum { VERSION = 2, DEFLATE = 1, SHUFFLE = 2 };
	sheaf_hdf5_put_number(b, VERSION, 1);
	sheaf_hdf5_put_number(b, (unsigned)a->plan.shuffle + (a->plan.deflate > 0), 1);
	if (a->plan.shuffle) describe_filter(b, SHUFFLE, (unsigned)sheaf_type_size(a->plan.type));
	if (a->plan.deflate) describe_filter(b, DEFLATE, a->plan.deflate > 9 ? 9 : (unsigned)a->plan.deflate);
}

static sheaf_status describe_layout(const array *a, int64_t count, sheaf_builder *b)
{
	enum { VERSION = 3, CONTIGUOUS = 1, CHUNKED = 2 };
	size_t width = sheaf_type_size(a->plan.type);
	int64_t at = a->address;
	if (a->plan.chunk)
		SHEAF_TRY(sheaf_hdf5_index_chunks(a->w, (const sheaf_hdf5_chunk *)(const void *)a->chunks.data,
		                                  a->chunks.size / sizeof(sheaf_hdf5_chunk), a->plan.chunk, width,
		                                  &at));
	b->size = 0;
	if (a->plan.chunk)
		sheaf_hdf5_put(a->w, b, "111A44",
		               (const int64_t[]){VERSION, CHUNKED, 2, at, a->plan.chunk, (int64_t)width});
	else
		sheaf_hdf5_put(a->w, b, "11AL", (const int64_t[]){VERSION, CONTIGUOUS, at, count * (int64_t)width});
	return SHEAF_OK;
}

static sheaf_status describe(const array *a, int64_t count)
{
	sheaf_hdf5_writer *w = a->w;
	sheaf_builder *b = &w->message;
	bool is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	b->size = 0;
	sheaf_hdf5_put_space(w, b, a->plan.text_size ? count / a->plan.text_size : count, a->plan.count >= 0);
	SHEAF_TRY(sheaf_hdf5_add_message(w, a->object, SHEAF_HDF5_SPACE, 0));
	if (a->plan.text_size)
		sheaf_hdf5_put_fixed_text_type(b, (size_t)a->plan.text_size, true);
	else
		sheaf_hdf5_put_type(b, a->plan.type, is_big);
	SHEAF_TRY(sheaf_hdf5_add_message(w, a->object, SHEAF_HDF5_TYPE, SHEAF_HDF5_CONSTANT));
	describe_fill(a, b);
	SHEAF_TRY(sheaf_hdf5_add_message(w, a->object, SHEAF_HDF5_FILL, SHEAF_HDF5_CONSTANT));
	if (a->plan.shuffle || a->plan.deflate) {
		describe_filters(a, b);
		SHEAF_TRY(sheaf_hdf5_add_message(w, a->object, SHEAF_HDF5_FILTERS, SHEAF_HDF5_CONSTANT));
	}
	SHEAF_TRY(describe_layout(a, count, b));
	return sheaf_hdf5_add_message(w, a->object, SHEAF_HDF5_LAYOUT, 0);
}

sheaf_status sheaf_hdf5_end_array(void *handle, int64_t count, sheaf_box_item *item, sheaf_error *err)
{
	array *a = (array *)handle;
	a->w->err = err;
	sheaf_status status = describe(a, count);
	if (!status && a->w->kind == SHEAF_BOX_NETCDF)
		status = sheaf_hdf5_add_dimension(a->w, a->group, a->object, count);
	item->refused = "one that can be read once the file is complete";
	sheaf_hdf5_drop_array(a);
	return status;
}

void sheaf_hdf5_drop_array(void *handle)
{
	array *a = (array *)handle;
	sheaf_builder_drop(&a->chunks);
	sheaf_release(a->w->reader.cx, a, sizeof *a);
}
