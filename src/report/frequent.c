/* SPDX-License-Identifier: MIT */
/* Distinct and frequent items, by a threshold on their hashes. */
#include "report/frequent.h"
#include "base/memory.h"
#include "third/xxhash.h"

static void join(sheaf_item_count *to, const sheaf_item_count *from) { to->count += from->count; }

#define TABLE sheaf_frequent
#define ITEM sheaf_item_count
#define SLOTS SHEAF_FREQUENT_SLOTS
#define KEPT SHEAF_FREQUENT_KEPT
#define JOIN join
#include "report/sampled_template.h"

sheaf_status sheaf_frequent_begin(sheaf_frequent *f, sheaf_context *cx, sheaf_error *err)
{
	return begin(f, cx, err);
}

void sheaf_frequent_free(sheaf_frequent *f, sheaf_context *cx) { end(f, cx); }

void sheaf_frequent_add(sheaf_frequent *f, const void *item, size_t size, int64_t times)
{
	sheaf_digest hash = sheaf_xxhash(item, size, 0);
	if (!is_kept(f, hash.high)) return;
	sheaf_item_count *slot = slot_of(f->slots, hash.low, hash.high);
	if (slot->count) {
		slot->count += times;
		return;
	}
	size_t shown = size < SHEAF_ITEM_BYTES ? size : SHEAF_ITEM_BYTES;
	sheaf_item_count fresh = {
		.low = hash.low, .high = hash.high, .count = times, .size = (uint8_t)shown, .cut = shown < size};
	if (shown) memcpy(fresh.bytes, item, shown);
	keep(f, slot, &fresh);
}

void sheaf_frequent_merge(sheaf_frequent *f, const sheaf_frequent *other) { merge(f, other); }

bool sheaf_frequent_put(sheaf_frequent *f, const sheaf_item_count *item) { return put(f, item); }

int64_t sheaf_frequent_distinct(const sheaf_frequent *f, bool *exact)
{
	*exact = f->halvings == 0;
	return estimate(f, f->kept);
}

static bool is_before(const sheaf_item_count *a, const sheaf_item_count *b)
{
	if (a->count != b->count) return a->count > b->count;
	int order = memcmp(a->bytes, b->bytes, a->size < b->size ? a->size : b->size);
	if (order) return order < 0;
	return a->size != b->size ? a->size < b->size : a->high < b->high;
}

int sheaf_frequent_most(const sheaf_frequent *f, const sheaf_item_count **out, int n)
{
	int found = 0;
	for (size_t i = 0; i < SHEAF_FREQUENT_SLOTS; i++) {
		const sheaf_item_count *item = &f->slots[i];
		if (!item->count || (found == n && (n == 0 || !is_before(item, out[n - 1])))) continue;
		int at = found < n ? found++ : n - 1;
		for (; at > 0 && is_before(item, out[at - 1]); at--) out[at] = out[at - 1];
		out[at] = item;
	}
	return found;
}
