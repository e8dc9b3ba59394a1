/* SPDX-License-Identifier: MIT */
/* Distinct and frequent items, by a threshold on their hashes (sampled_template.h). Labels and categories
 * have few different items, which are all counted; of keys and texts of which each is different a sample
 * remains, from which the number of all is estimated. Many items are hashed
 * before the first one is looked up, so that their slots can be prefetched. */
#include "report/summary/frequent.h"
#include "base/memory.h"
#include "base/third/xxhash.h"
#include <string.h>

static void join(sheaf_item_count *to, const sheaf_item_count *from) { to->count += from->count; }

#define NAME(step) sheaf_frequent_##step
#define TABLE sheaf_frequent
#define ITEM sheaf_item_count
#define SLOTS SHEAF_FREQUENT_SLOTS
#define KEPT SHEAF_FREQUENT_KEPT
#define JOIN join
#include "report/matrix/sampled_template.h"

/* Adds `times` to the count of an item, whose hash is known. Of an item that is new only the beginning is
 * kept, which is what people see of it; items are told apart by their hashes. */
static void add_hashed(sheaf_frequent *f, uint64_t low, uint64_t high, sheaf_some_bytes item, int64_t times)
{
	if (!is_kept(f, high)) return;
	sheaf_item_count *slot = slot_of(f->slots, low, high);
	if (slot->count) {
		slot->count += times;
		return;
	}
	size_t shown = item.size < SHEAF_ITEM_BYTES ? item.size : SHEAF_ITEM_BYTES;
	sheaf_item_count fresh = {
		.low = low, .high = high, .count = times, .size = (uint8_t)shown, .cut = shown < item.size};
	if (shown) memcpy(fresh.bytes, item.data, shown);
	add(f, &fresh);
}

void sheaf_frequent_add(sheaf_frequent *f, const void *item, size_t size, int64_t times)
{
	sheaf_digest hash = sheaf_xxhash(item, size, 0);
	add_hashed(f, hash.low, hash.high, (sheaf_some_bytes){item, size}, times);
}

typedef struct hashes {
	uint64_t low[SHEAF_FREQUENT_AT_ONCE], high[SHEAF_FREQUENT_AT_ONCE];
	int chosen[SHEAF_FREQUENT_AT_ONCE], n; /* those that may have to be kept */
} hashes;

/* Chooses those of n hashes that may have to be kept, by the threshold on their high part. There is no branch
 * for each, since most are not kept once there are many different ones; and their slots are prefetched before
 * the first one is processed. */
static void choose(const sheaf_frequent *f, hashes *h, int n)
{
	uint64_t most = f->halvings == 0 ? UINT64_MAX : f->halvings < 64 ? UINT64_MAX >> f->halvings : 0;
	h->n = 0;
	for (int k = 0; k < n; k++) {
		h->chosen[h->n] = k;
		h->n += h->high[k] <= most;
	}
	for (int i = 0; i < h->n; i++) __builtin_prefetch(&f->slots[h->low[h->chosen[i]] % SHEAF_FREQUENT_SLOTS]);
}

void sheaf_frequent_add_doubles(sheaf_frequent *f, const double *values, int n)
{
	hashes h;
	sheaf_xxhash_words(values, (size_t)n, h.low, h.high);
	choose(f, &h, n);
	for (int i = 0; i < h.n; i++) {
		int k = h.chosen[i];
		uint64_t word;
		memcpy(&word, &values[k], sizeof word);
		word = sheaf_u64_in_le(word);
		add_hashed(f, h.low[k], h.high[k], (sheaf_some_bytes){&word, sizeof word}, 1);
	}
}

void sheaf_frequent_add_texts(sheaf_frequent *f, const sheaf_some_bytes *texts, int n)
{
	hashes h;
	for (int k = 0; k < n; k++) {
		sheaf_digest hash = sheaf_xxhash(texts[k].data, texts[k].size, 0);
		h.low[k] = hash.low;
		h.high[k] = hash.high;
	}
	choose(f, &h, n);
	for (int i = 0; i < h.n; i++) {
		int k = h.chosen[i];
		add_hashed(f, h.low[k], h.high[k], texts[k], 1);
	}
}

int64_t sheaf_frequent_distinct(const sheaf_frequent *f, bool *exact)
{
	*exact = f->halvings == 0;
	return estimate(f, f->kept);
}

bool sheaf_frequent_keeps(const sheaf_frequent *f, uint64_t high) { return is_kept(f, high); }

int64_t sheaf_frequent_count(const sheaf_frequent *f, const sheaf_item_count *item)
{
	return slot_of(f->slots, item->low, item->high)->count;
}

/* The order in which items are listed: it must not depend on slots, which depend on what came before. */
static bool is_before(const sheaf_item_count *a, const sheaf_item_count *b)
{
	if (a->count != b->count) return a->count > b->count;
	int order = memcmp(a->bytes, b->bytes, a->size < b->size ? a->size : b->size);
	if (order) return order < 0;
	return a->size != b->size ? a->size < b->size : a->high < b->high;
}

/* The list is kept in order while all slots are gone through, as in sheaf_most_used. */
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
