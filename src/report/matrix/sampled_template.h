/* SPDX-License-Identifier: MIT */
/* A table of items by their hashes that keeps the items whose hash is below a threshold: included once for
 * each kind of table. The threshold begins at the largest hash, so that all items are kept, and is halved
 * whenever more than KEPT are in the table. Then about 2^-halvings of all different items are kept, with
 * exact counts, and which items these are depends on nothing but the items.
 *
 * Slots are found by open addressing: the first free slot from low % SLOTS on.
 *
 * The functions of its header are named with NAME: NAME(merge) is sheaf_frequent_merge, for one. TABLE is its
 * type, which has `slots`, `kept` and `halvings`; ITEM that of a slot, which has `low` and
 * `high`, its hash, and a `count` that is 0 if the slot is empty; SLOTS is their number, KEPT the most that
 * are used; JOIN(to, from) adds an item to an equal one. */

sheaf_status NAME(begin)(TABLE *t, sheaf_context *cx, sheaf_error *err)
{
	*t = (TABLE){0};
	SHEAF_TRY(sheaf_allocate_array(cx, SLOTS, sizeof *t->slots, &t->slots, err));
	return SHEAF_OK;
}

void NAME(free)(TABLE *t, sheaf_context *cx)
{
	if (t->slots) sheaf_release(cx, t->slots, SLOTS * sizeof *t->slots);
	*t = (TABLE){0};
}

/* Whether a hash is below the threshold: its leading `halvings` bits are 0. */
static bool is_kept(const TABLE *t, uint64_t high)
{
	return t->halvings < 64 && (t->halvings == 0 || high >> (64 - t->halvings) == 0);
}

/* The slot of a hash, or the empty one for it. */
static ITEM *slot_of(ITEM *slots, uint64_t low, uint64_t high)
{
	size_t at = low % SLOTS;
	while (slots[at].count && (slots[at].low != low || slots[at].high != high)) at = (at + 1) % SLOTS;
	return &slots[at];
}

/* Drops items above the halved threshold: the others move up, so that no gap hides one. */
static void halve(TABLE *t)
{
	t->halvings++;
	for (size_t i = 0; i < SLOTS; i++) {
		if (!t->slots[i].count || is_kept(t, t->slots[i].high)) continue;
		t->slots[i].count = 0;
		t->kept--;
		for (size_t k = (i + 1) % SLOTS; t->slots[k].count; k = (k + 1) % SLOTS) {
			ITEM moved = t->slots[k];
			t->slots[k].count = 0;
			*slot_of(t->slots, moved.low, moved.high) = moved;
		}
		if (t->slots[i].count) i--; /* something moved here: it is examined, too */
	}
}

/* Adds an item whose hash is below the threshold. Taking an empty slot can halve the threshold. */
static void add(TABLE *t, const ITEM *item)
{
	if (!is_kept(t, item->high)) return;
	ITEM *slot = slot_of(t->slots, item->low, item->high);
	if (slot->count) {
		JOIN(slot, item);
		return;
	}
	*slot = *item;
	t->kept++;
	while (t->kept > KEPT) halve(t);
}

void NAME(merge)(TABLE *t, const TABLE *other)
{
	while (t->halvings < other->halvings) halve(t);
	for (size_t i = 0; i < SLOTS; i++)
		if (other->slots[i].count) add(t, &other->slots[i]);
}

/* An estimate of how many items of some kind there are, if n items of that kind are kept. */
static int64_t estimate(const TABLE *t, int64_t n)
{
	double all = (double)n * (double)(UINT64_C(1) << (t->halvings < 63 ? t->halvings : 63));
	return all < 0x1p62 ? (int64_t)all : INT64_MAX;
}

bool NAME(put)(TABLE *t, const ITEM *item)
{
	ITEM *slot = slot_of(t->slots, item->low, item->high);
	if (slot->count || t->kept == KEPT || !is_kept(t, item->high)) return false;
	*slot = *item;
	t->kept++;
	return true;
}

#undef NAME
#undef TABLE
#undef ITEM
#undef SLOTS
#undef KEPT
#undef JOIN
