/* SPDX-License-Identifier: MIT */
/* Small changes of files: the same ones for each name and number. */
#include "../fuzz/mutator.h"
#include "outcome.h"
#include "seal.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_state;

static size_t draw(size_t below)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return below ? (size_t)((z ^ z >> 31) % below) : 0;
}

typedef void (*changer)(changed *c);

/* Replaces n bytes. */
static void splice(changed *c, size_t place, size_t n, const void *with, size_t size)
{
	if (c->size - n + size > ROOM) return;
	uint8_t copy[256];
	if (size > sizeof copy) return;
	if (size) memcpy(copy, with, size);
	memmove(c->at + place + size, c->at + place + n, c->size - place - n);
	if (size) memcpy(c->at + place, copy, size);
	c->size = c->size - n + size;
}

static void set_byte(changed *c)
{
	static const uint8_t bytes[] = {0, 1, 0x7f, 0x80, 0xff};
	c->at[draw(c->size)] = bytes[draw(sizeof bytes)];
}

static void set_character(changed *c)
{
	static const char characters[] = " \t\n\r,;:|\"'#%{}[]()<>+-.*/\\=eE019nNax_@?\x80\xc3";
	c->at[draw(c->size)] = (uint8_t)characters[draw(sizeof characters - 1)];
}

static void raise_byte(changed *c) { c->at[draw(c->size)]++; }
static void lower_byte(changed *c) { c->at[draw(c->size)]--; }
static void flip_bit(changed *c) { c->at[draw(c->size)] ^= (uint8_t)(1u << draw(8)); }
static void cut(changed *c) { c->size = draw(c->size); }
static void drop_byte(changed *c) { splice(c, draw(c->size), 1, NULL, 0); }
static void double_byte(changed *c)
{
	size_t place = draw(c->size);
	splice(c, place, 0, c->at + place, 1);
}
static void change_fields(changed *c)
{
	size_t size = mutate_binary(c->data, CHOICES + c->size, CHOICES + ROOM, (unsigned)draw(1 << 30));
	if (size) c->size = size - CHOICES;
	if (!size) set_byte(c);
}

static void exchange_bytes(uint8_t *a, uint8_t *b)
{
	uint8_t kept = *a;
	*a = *b;
	*b = kept;
}

/* A number at a multiple of its size, in either byte order, as a limit of its type or one off. */
static void set_number(changed *c)
{
	uint8_t *at = c->at + draw(c->size / 4 + 1) * 4;
	if (c->size < 8) return;
	if (at > c->at + c->size - 8) at = c->at + c->size - 8;
	bool is_big = draw(4) == 0;
	for (int i = 0; is_big && i < 4; i++) exchange_bytes(at + i, at + 7 - i);
	change_number(at, draw(1 << 20));
	for (int i = 0; is_big && i < 4; i++) exchange_bytes(at + i, at + 7 - i);
}

/* Called by a mutator that is not used here. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
	(void)data, (void)most;
	return size;
}

/* A run of bytes that are of the set, or not, around a place. */
typedef struct run {
	size_t at, size;
} run;

static run run_at(const changed *c, size_t place, const char *ends)
{
	size_t from = place, to = place;
	while (from > 0 && !strchr(ends, c->at[from - 1])) from--;
	while (to < c->size && (c->at[to] == 0 || !strchr(ends, c->at[to]))) to++;
	return (run){from, to - from};
}

#define BETWEEN_WORDS " \t\n\r,;:|\"'{}[]()="

static void drop_word(changed *c)
{
	run r = run_at(c, draw(c->size), BETWEEN_WORDS);
	splice(c, r.at, r.size, NULL, 0);
}

static void exchange_words(changed *c)
{
	run a = run_at(c, draw(c->size), BETWEEN_WORDS), b = run_at(c, draw(c->size), BETWEEN_WORDS);
	uint8_t first[256], second[256];
	run early = a.at < b.at ? a : b, late = a.at < b.at ? b : a;
	if (early.size > sizeof first || late.size > sizeof second || a.at == b.at) return;
	memcpy(first, c->at + early.at, early.size), memcpy(second, c->at + late.at, late.size);
	splice(c, late.at, late.size, first, early.size);
	splice(c, early.at, early.size, second, late.size);
}

static void drop_line(changed *c)
{
	run r = run_at(c, draw(c->size), "\n");
	splice(c, r.at, r.at + r.size < c->size ? r.size + 1 : r.size, NULL, 0);
}

static void double_line(changed *c)
{
	run r = run_at(c, draw(c->size), "\n");
	splice(c, r.at, 0, c->at + r.at, r.at + r.size < c->size ? r.size + 1 : r.size);
}

/* Numbers that are one off, and those at the limits of types. */
static void change_digits(changed *c)
{
	static const char *const odd[] = {"0",          "-1",         "1",
	                                  "127",        "255",        "256",
	                                  "32768",      "65536",      "2147483647",
	                                  "2147483648", "4294967296", "9223372036854775807",
	                                  "9223372036854775808",      "18446744073709551616",
	                                  "1e400",      "nan",        "-0",
	                                  "0.5",        "16777217",   "1e-50",
	                                  "null",       "inf",        "007"};
	char text[32];
	run r = {0, 0};
	for (int i = 0; i < 8 && (r.size == 0 || r.size > 18); i++) {
		size_t place = draw(c->size), n = place;
		while (n < c->size && c->at[n] >= '0' && c->at[n] <= '9') n++;
		while (place > 0 && c->at[place - 1] >= '0' && c->at[place - 1] <= '9') place--;
		r = (run){place, n > place ? n - place : 0};
	}
	if (r.size == 0 || r.size > 18) {
		set_character(c);
		return;
	}
	snprintf(text, sizeof text, "%.*s", (int)r.size, (const char *)c->at + r.at);
	int64_t value = atoll(text);
	size_t which = draw(4);
	if (which < 2)
		snprintf(text, sizeof text, "%" PRId64, which ? value + 1 : value - 1);
	else
		snprintf(text, sizeof text, "%s", odd[draw(sizeof odd / sizeof *odd)]);
	splice(c, r.at, r.size, text, strlen(text));
}

typedef struct kind {
	const char *name;
	changer change;
} kind;

static const kind of_bytes[] = {
	{"set a byte", set_byte},
	{"raise a byte", raise_byte},
	{"lower a byte", lower_byte},
	{"flip a bit", flip_bit},
	{"cut", cut},
	{"drop a byte", drop_byte},
	{"double a byte", double_byte},
	{"change fields", change_fields},
	{"change fields", change_fields},
	{"change fields", change_fields},
	{"change fields", change_fields},
	{"set a number", set_number},
	{"set a number", set_number},
	{"set a number", set_number},
	{"set a number", set_number},
};
static const kind of_texts[] = {
	{"set a character", set_character},
	{"set a character", set_character},
	{"set a byte", set_byte},
	{"change a number", change_digits},
	{"change a number", change_digits},
	{"change a number", change_digits},
	{"raise a byte", raise_byte},
	{"flip a bit", flip_bit},
	{"cut", cut},
	{"drop a byte", drop_byte},
	{"double a byte", double_byte},
	{"drop a word", drop_word},
	{"exchange two words", exchange_words},
	{"drop a line", drop_line},
	{"double a line", double_line},
};

static bool is_text(sheaf_bytes file)
{
	for (size_t i = 0; i < file.size; i++)
		if (file.data[i] < 32 && !strchr("\t\n\r", file.data[i])) return false;
	return true;
}

static uint64_t seed_of(const job *j, int k)
{
	outcome o = {.sum = (uint64_t)k};
	mix_text(&o, j->name);
	return o.sum;
}

void change_file(const job *j, int k, const hdf5_file *map, changed *c)
{
	const kind *kinds = is_text(j->file) ? of_texts : of_bytes;
	size_t n = kinds == of_texts ? sizeof of_texts / sizeof *kinds : sizeof of_bytes / sizeof *kinds;
	random_state = seed_of(j, k);
	c->at = c->data + CHOICES;
	c->size = j->file.size;
	memset(c->data, 0, CHOICES);
	memcpy(c->at, j->file.data, c->size);
	if (map->count && k % 4) {
		c->told = "change structures";
		hdf5_change(map, c->at, random_state);
		return;
	}
	c->told = kinds[k % (int)n].name;
	if (c->size) kinds[k % (int)n].change(c);
	if (map->count && c->size == j->file.size) hdf5_mend(map, c->at);
	if (j->file.size > 4 && memcmp(j->file.data, "PK\3\4", 4) == 0) seal_archive(c->at, c->size);
}

hdf5_file structures_of(const job *j)
{
	sheaf_error error;
	hdf5_file map = {.name = "input", .bytes = (uint8_t *)j->file.data, .size = j->file.size};
	if (map.size > 4 && memcmp(map.bytes, "\x89HDF", 4) == 0) (void)!hdf5_show(&map, false, true, &error);
	return map;
}
