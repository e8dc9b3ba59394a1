/* SPDX-License-Identifier: MIT */
/* Entries of a square matrix and their mirrors, by sums of hashes and a sample of pairs. */
#include "report/matrix/mirrors.h"
#include "base/memory.h"
#include "frame/value.h"
#include "report/matrix/mix.h"
#include <math.h>
#include <string.h>
#include <sys/random.h>

static void join(sheaf_pair_count *to, const sheaf_pair_count *from)
{
	to->count += from->count;
	to->above += from->above;
	to->values += from->values;
}

#define NAME(step) sheaf_mirror_pairs_##step
#define TABLE sheaf_mirror_pairs
#define ITEM sheaf_pair_count
#define SLOTS SHEAF_PAIRS_SLOTS
#define KEPT SHEAF_PAIRS_KEPT
#define JOIN join
#include "report/matrix/sampled_template.h"

/* Without a source of secrets, an address serves. */
sheaf_status sheaf_mirrors_begin(sheaf_mirrors *m, const sheaf_element *element, sheaf_context *cx,
                                 sheaf_error *err)
{
	*m = (sheaf_mirrors){.element = *element, .not_hermitian = !element->complex};
	if (getrandom(m->key, sizeof m->key, GRND_NONBLOCK) != (ssize_t)sizeof m->key)
		m->key[0] = sheaf_mix((uintptr_t)m), m->key[1] = sheaf_mix(m->key[0]);
	return sheaf_mirror_pairs_begin(&m->pairs, cx, err);
}

void sheaf_mirrors_free(sheaf_mirrors *m, sheaf_context *cx) { sheaf_mirror_pairs_free(&m->pairs, cx); }

/* Equal numbers have equal hashes, whatever their bits. */
static uint64_t hash_of(const sheaf_element *e, const void *value)
{
	sheaf_canon parts[2];
	uint64_t hash = 0;
	int n = e->complex ? 2 : 1;
	sheaf_canon_values(e->type, value, 0, n, parts);
	for (int i = 0; i < n; i++) {
		uint64_t bits = 0;
		double nearest = isnan(parts[i].nearest) ? (double)NAN : parts[i].nearest;
		memcpy(&bits, &nearest, sizeof bits);
		hash = sheaf_mix(hash ^ bits) + (uint64_t)parts[i].rest;
	}
	return sheaf_mix(hash);
}

static void add_difference(sheaf_mirror_sum *sum, const uint64_t here[], const uint64_t there[], uint64_t a,
                           uint64_t b)
{
	for (int k = 0; k < SHEAF_MIRROR_LANES; k++)
		sum->lanes[k] += sheaf_mix(here[k] ^ a) - sheaf_mix(there[k] ^ b);
}

/* Adds a pair's entry to the sample; its two positions have one hash. */
static void add_pair(sheaf_mirrors *m, int64_t row, int64_t column, uint64_t value)
{
	bool above = row < column;
	uint64_t least = (uint64_t)(above ? row : column), most = (uint64_t)(above ? column : row),
			 high = sheaf_mix(sheaf_mix(least) + most);
	if (!is_kept(&m->pairs, high)) return;
	sheaf_pair_count one = {sheaf_mix(high), high, 1, above, above ? 0 - value : value};
	add(&m->pairs, &one);
}

void sheaf_mirrors_add(sheaf_mirrors *m, int64_t row, int64_t column, const void *value)
{
	uint8_t other[16];
	uint64_t here[SHEAF_MIRROR_LANES], there[SHEAF_MIRROR_LANES], own = hash_of(&m->element, value);
	bool diagonal = row == column;
	for (int k = 0; k < SHEAF_MIRROR_LANES; k++) {
		here[k] = sheaf_mix(sheaf_mix((uint64_t)row ^ m->key[k]) + (uint64_t)column);
		there[k] = sheaf_mix(sheaf_mix((uint64_t)column ^ m->key[k]) + (uint64_t)row);
	}
	if (!diagonal) {
		add_difference(&m->pattern, here, there, 0, 0);
		add_difference(&m->symmetric, here, there, own, own);
		add_pair(m, row, column, own);
	}
	if (!m->not_skew) {
		m->not_skew = diagonal ? !sheaf_element_is_zero(&m->element, value)
		                       : !sheaf_element_negate(&m->element, value, other);
		if (!diagonal && !m->not_skew)
			add_difference(&m->skew, here, there, own, hash_of(&m->element, other));
	}
	if (m->not_hermitian) return;
	m->not_hermitian = diagonal && !sheaf_element_is_real(&m->element, value);
	sheaf_element_conjugate(&m->element, value, other);
	if (!diagonal) add_difference(&m->hermitian, here, there, own, hash_of(&m->element, other));
}

bool sheaf_mirrors_cancel(const sheaf_mirror_sum *sum) { return (sum->lanes[0] | sum->lanes[1]) == 0; }

void sheaf_mirrors_count(const sheaf_mirrors *m, int64_t *mirrored, int64_t *equal, bool *exact)
{
	*mirrored = *equal = 0;
	*exact = m->pairs.halvings == 0;
	for (int i = 0; i < SHEAF_PAIRS_SLOTS; i++) {
		const sheaf_pair_count *pair = &m->pairs.slots[i];
		if (!pair->count) continue;
		int64_t below = pair->count - pair->above, both = below < pair->above ? below : pair->above;
		*mirrored += 2 * both;
		*equal += pair->values == 0 && below == pair->above ? 2 * both : 0;
	}
	*mirrored = estimate(&m->pairs, *mirrored);
	*equal = estimate(&m->pairs, *equal);
}
