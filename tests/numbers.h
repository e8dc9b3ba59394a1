/* SPDX-License-Identifier: MIT */
/* What tests of numbers share: bits of floats, and random ones. */
#ifndef SHEAF_TESTS_NUMBERS_H
#define SHEAF_TESTS_NUMBERS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define UNUSED __attribute__((unused))
#define COUNT(array) (sizeof(array) / sizeof *(array))

static inline uint64_t bits64(double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	return bits;
}

static inline uint32_t bits32(float v)
{
	uint32_t bits;
	memcpy(&bits, &v, sizeof bits);
	return bits;
}

static inline double from_bits64(uint64_t bits)
{
	double v;
	memcpy(&v, &bits, sizeof v);
	return v;
}

static inline float from_bits32(uint32_t bits)
{
	float v;
	memcpy(&v, &bits, sizeof v);
	return v;
}

/* splitmix64 from a fixed seed for each test */
static uint64_t random_state;

static inline uint64_t next_random(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static inline int pick(int n) { return (int)(next_random() % (uint64_t)n); }

static inline int seed(void **unused UNUSED)
{
	random_state = 20240229;
	return 0;
}

/* Mostly any bits; now and then few significant bits, or subnormals. */
static inline float random_f32(void)
{
	for (;;) {
		uint32_t bits = (uint32_t)next_random();
		int kind = pick(8);
		if (kind == 0) bits &= 0xfff00000u;
		if (kind == 1) bits &= 0x807fffffu;
		if (kind == 2) bits = bits32((float)(int32_t)bits / 1000);
		if (isfinite(from_bits32(bits))) return from_bits32(bits);
	}
}

static inline double random_f64(void)
{
	for (;;) {
		uint64_t bits = next_random();
		int kind = pick(8);
		if (kind == 0) bits &= 0xffff000000000000u;
		if (kind == 1) bits &= 0x800fffffffffffffu;
		if (kind == 2) bits = bits64((double)(int64_t)bits / 1e6);
		if (kind == 3) bits = bits64((double)random_f32());
		if (isfinite(from_bits64(bits))) return from_bits64(bits);
	}
}

#endif
