/* SPDX-License-Identifier: MIT */
/* Texts of numbers for the tests of kernels, between protected pages. */
#include "texts.h"
#include "guard.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static char *guarded;

int map_guarded(void **state)
{
	(void)state;
	guarded = (char *)guard_map(TEXT_ROOM);
	return guarded == NULL;
}

int unmap_guarded(void **state)
{
	(void)state;
	guard_unmap(guarded, TEXT_ROOM);
	return 0;
}

void put(made_text *t, const char *word)
{
	size_t n = strlen(word);
	assert_true(t->size + n < sizeof t->data);
	memcpy(t->data + t->size, word, n);
	t->size += n;
}

static float any_float(void)
{
	uint32_t bits = (uint32_t)next_random();
	float v;
	memcpy(&v, &bits, sizeof v);
	return isfinite(v) ? v : 1.5f;
}

void put_midpoint(made_text *t)
{
	char word[64];
	float low = ldexpf((float)(0x800000 + random_below(0x800000)), (int)random_below(60) - 53);
	double middle = ((double)low + (double)nextafterf(low, INFINITY)) / 2;
	if (random_below(4) == 0) {
		snprintf(word, sizeof word, "%" PRIu64, (uint64_t)1 << 53 | next_random() >> 11 >> random_below(40));
	} else {
		snprintf(word, sizeof word, random_below(2) ? "%.*g" : "%.*e", 6 + (int)random_below(12), middle);
	}
	char *last = strpbrk(word, "eE");
	last = (last ? last : word + strlen(word)) - 1;
	if (random_below(3) == 0 && *last >= '1' && *last <= '8')
		*last = (char)(*last + (random_below(2) ? 1 : -1));
	put(t, random_below(2) ? "-" : "");
	put(t, word);
}

void put_number(made_text *t)
{
	char word[400];
	switch (random_below(11)) {
	case 0: snprintf(word, sizeof word, "%d", (int)random_below(256)); break;
	case 1: snprintf(word, sizeof word, "%d", (int)random_below(2000)); break;
	case 2: snprintf(word, sizeof word, "%.*g", 1 + (int)random_below(17), (double)any_float()); break;
	case 3:
		snprintf(word, sizeof word, "%.*f", (int)random_below(10), (double)random_below(1 << 20) / 1024);
		break;
	case 4: snprintf(word, sizeof word, "%.*e", (int)random_below(18), (double)any_float()); break;
	case 5: snprintf(word, sizeof word, "%" PRIu64, next_random() >> random_below(64)); break;
	case 6:
		snprintf(word, sizeof word, "%s%d.%0*d", random_below(2) ? "-" : "", (int)random_below(2),
		         1 + (int)random_below(9), (int)random_below(10));
		break;
	case 8: /* where float32 and float64 end */
		snprintf(word, sizeof word, "%d%se%d", (int)random_below(1000), random_below(2) ? "" : ".5",
		         (int)(random_below(2) ? 25 + random_below(20) : 290 + random_below(25)) *
		             (random_below(2) ? 1 : -1));
		break;
	case 7: snprintf(word, sizeof word, "%dE%d", (int)random_below(1000), (int)random_below(60) - 30); break;
	default: snprintf(word, sizeof word, "%d", (int)random_below(10)); break;
	}
	put(t, word);
}

void put_space(made_text *t) { put(t, random_below(10) ? " " : random_below(3) ? "\t" : "   "); }

/* Uninitialised memory on a kernel's stack is far outside of a text if taken for a place. */
static __attribute__((noinline)) void spoil_stack(void)
{
	volatile uint64_t stack[3 << 10];
	for (size_t i = 0; i < COUNT(stack); i++) stack[i] = UINT64_MAX;
}

void damage(made_text *t)
{
	static const char bytes[] = "0123456789 \t|:.-+eE\n\r#AB\x80";
	for (int64_t n = random_below(4); n > 0 && t->size > 1; n--) {
		size_t at = (size_t)random_below((int64_t)t->size);
		switch (random_below(5)) {
		case 0: t->size = at; break;
		case 1: memmove(t->data + at, t->data + at + 1, --t->size - at); break;
		case 2: memmove(t->data + at + 1, t->data + at, t->size++ - at); break;
		default: t->data[at] = bytes[random_below((int64_t)sizeof bytes - 1)]; break;
		}
	}
}

/* The text is between digits, which must not be taken for a part of it. */
static void check_at(text_check *check, char *at, const char *text, size_t size)
{
	enum { BESIDE = 128, LONG = 512 /* kernels of lines leave less */ };
	const char *end = guarded + TEXT_ROOM;
	char *from = at - guarded > BESIDE ? at - BESIDE : guarded;
	memset(from, '1', (size_t)((end - at > (ptrdiff_t)size + BESIDE ? at + size + BESIDE : end) - from));
	if (size) memcpy(at, text, size);
	for (int i = 0; sheaf_kernels[i]; i++) {
		if (!sheaf_kernels[i]->is_available()) continue;
		if (size >= LONG) spoil_stack();
		check(sheaf_kernels[i], at, size);
	}
}

void with_kernels(text_check *check, const char *text, size_t size)
{
	assert_true(size <= TEXT_ROOM);
	check_at(check, guarded + TEXT_ROOM - size, text, size);
	check_at(check, guarded, text, size);
}
