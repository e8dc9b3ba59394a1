/* SPDX-License-Identifier: MIT */
/* Components by union and find, the smaller tree under the larger one. */
#include "tensor/components.h"
#include "base/checked.h"
#include "base/memory.h"
#include "tensor/core.h"

/* A parent below 0 marks a root: minus the number of nodes in its tree. */
enum { ALONE = -1 };

static int64_t *begin_table(int64_t n, int64_t first, sheaf_context *cx, sheaf_status *status,
                            sheaf_error *err)
{
	void *memory = NULL;
	if (*status == SHEAF_OK) *status = sheaf_allocate_array(cx, (uint64_t)n, sizeof(int64_t), &memory, err);
	if (*status) return NULL;
	int64_t *table = (int64_t *)memory;
	for (int64_t i = 0; i < n; i++) table[i] = first;
	return table;
}

sheaf_status sheaf_components_begin(sheaf_components *c, int64_t rows, int64_t columns, int64_t room,
                                    sheaf_context *cx, sheaf_error *err)
{
	sheaf_status status = SHEAF_OK;
	bool square = rows == columns;
	*c = (sheaf_components){.rows = rows, .columns = columns, .blocks = -1};
	if (!sheaf_add_i64(&c->nodes, rows, square ? 0 : columns) ||
	    !sheaf_mul_i64(&c->needed, c->nodes, (int64_t)sizeof(int64_t) * (square ? 2 : 1)))
		c->needed = INT64_MAX;
	if (c->needed > room || c->nodes == 0) return SHEAF_OK;
	c->parents = begin_table(c->nodes, ALONE, cx, &status, err);
	if (square) c->reach = begin_table(c->nodes, -1, cx, &status, err);
	if (status) sheaf_components_free(c, cx);
	return status;
}

void sheaf_components_free(sheaf_components *c, sheaf_context *cx)
{
	size_t size = (size_t)c->nodes * sizeof(int64_t);
	if (c->parents) sheaf_release(cx, c->parents, size);
	if (c->reach) sheaf_release(cx, c->reach, size);
	c->parents = c->reach = NULL;
}

/* Path halving. */
static int64_t root_of(int64_t *parents, int64_t node)
{
	while (parents[node] >= 0) {
		int64_t above = parents[node];
		if (parents[above] >= 0) parents[node] = parents[above];
		node = above;
	}
	return node;
}

static void join(sheaf_components *c, int64_t one, int64_t other)
{
	int64_t a = root_of(c->parents, one), b = root_of(c->parents, other);
	if (a == b) return;
	if (c->parents[a] > c->parents[b]) {
		int64_t swapped = a;
		a = b;
		b = swapped;
	}
	c->parents[a] += c->parents[b];
	c->parents[b] = a;
}

static void reach(sheaf_components *c, int64_t from, int64_t to)
{
	if (to > c->reach[from]) c->reach[from] = to;
}

void sheaf_components_add(sheaf_components *c, int64_t row, int64_t column)
{
	if (!c->parents) return;
	if (c->reach) reach(c, row < column ? row : column, row < column ? column : row);
	join(c, row, c->reach ? column : c->rows + column);
}

/* Nodes are prefetched before the first entry is processed. */
void sheaf_components_add_all(sheaf_components *c, const int64_t *rows, const int64_t *columns, int n)
{
	if (!c->parents) return;
	for (int k = 0; k < n; k++) {
		__builtin_prefetch(&c->parents[rows[k]], 1);
		__builtin_prefetch(&c->parents[c->reach ? columns[k] : c->rows + columns[k]], 1);
		if (c->reach) __builtin_prefetch(&c->reach[rows[k] < columns[k] ? rows[k] : columns[k]], 1);
	}
	for (int k = 0; k < n; k++) sheaf_components_add(c, rows[k], columns[k]);
}

/* The core is one tree from the beginning. */
static void plant_core(sheaf_components *c, const sheaf_slices *s)
{
	int64_t root = -1;
	for (int64_t i = 0; i < s->extent; i++) {
		if (!sheaf_bit(s->core, i)) continue;
		if (root < 0) root = i;
		c->parents[i] = root;
	}
	c->parents[root] = -s->ncore;
}

/* A slice reaches from its first entry or itself to its last entry or itself. */
static int64_t first_reached(const sheaf_slices *s, int64_t slice)
{
	int64_t begin = sheaf_slice_begin(s, slice);
	if (begin == s->all[slice].end) return slice;
	int64_t first = sheaf_slices_other(s, begin);
	return first < slice ? first : slice;
}

static void add_slice(sheaf_components *c, const sheaf_slices *s, int64_t slice)
{
	enum { SOON = 16 };
	if (slice + SOON < s->extent) __builtin_prefetch(&c->reach[first_reached(s, slice + SOON)], 1);
	int64_t begin = sheaf_slice_begin(s, slice), end = s->all[slice].end;
	if (begin == end) return;
	int64_t last = sheaf_slices_other(s, end - 1);
	sheaf_slice_part part;
	reach(c, first_reached(s, slice), last > slice ? last : slice);
	if (sheaf_bit(s->done, slice) || s->ncore == s->extent) return;
	for (int64_t at = begin; at < end; at += part.n) {
		part = sheaf_slices_part(s, at, end);
		for (int64_t k = 0; k < part.n; k++) join(c, slice, part.others[k]);
	}
}

sheaf_status sheaf_components_add_slices(sheaf_components *c, sheaf_slices *s, sheaf_error *err)
{
	if (!c->parents) return SHEAF_OK;
	SHEAF_TRY(sheaf_core_widen(s, err));
	plant_core(c, s);
	for (int64_t i = 0; i < s->extent; i++) add_slice(c, s, i);
	return SHEAF_OK;
}

static void count_blocks(sheaf_components *c)
{
	int64_t begin = 0, end = -1;
	c->blocks = 0;
	for (int64_t i = 0; i < c->nodes; i++) {
		if (i > end) begin = end = i;
		if (c->reach[i] > end) end = c->reach[i];
		if (i < end) continue;
		c->blocks++;
		if (end - begin + 1 > c->widest) c->widest = end - begin + 1;
	}
}

/* A node without neighbours counts if it has an entry of its own, on the diagonal. */
void sheaf_components_finish(sheaf_components *c)
{
	for (int64_t i = 0; c->parents && i < c->nodes; i++) {
		if (c->parents[i] >= 0 || (c->parents[i] == ALONE && !(c->reach && c->reach[i] == i))) continue;
		c->components++;
		if (-c->parents[i] > c->largest) c->largest = -c->parents[i];
	}
	if (c->reach) count_blocks(c);
}
