/* SPDX-License-Identifier: MIT */
/* Radix sort, a byte at a time from the lowest: the time depends on the number of records only, and bytes
 * that all records share (most of them, in offsets and ids) cost nothing. */
#include "io/sort.h"
#include <string.h>

enum { DIGITS = 16 /* 8 of the value, 8 of the key */, VALUES = 256 };

static unsigned digit(const sheaf_record *record, unsigned d)
{
	uint64_t shifted = d < 8 ? record->value >> 8 * d : record->key >> 8 * (d - 8);
	return (unsigned)(shifted & 0xff);
}

static bool is_sorted(const sheaf_record *records, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (sheaf_record_less(&records[i], &records[i - 1])) return false;
	return true;
}

/* Which bits differ anywhere: a digit without one needs no pass. */
static sheaf_record differences(const sheaf_record *records, size_t n)
{
	sheaf_record bits = {0, 0};
	for (size_t i = 1; i < n; i++) {
		bits.key |= records[i].key ^ records[0].key;
		bits.value |= records[i].value ^ records[0].value;
	}
	return bits;
}

static void pass(const sheaf_record *from, sheaf_record *to, size_t n, unsigned d)
{
	size_t start[VALUES] = {0};
	for (size_t i = 0; i < n; i++) start[digit(&from[i], d)]++;
	size_t sum = 0;
	for (unsigned v = 0; v < VALUES; v++) {
		size_t count = start[v];
		start[v] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++) to[start[digit(&from[i], d)]++] = from[i];
}

sheaf_record *sheaf_sort_records(sheaf_record *records, sheaf_record *spare, size_t n)
{
	if (is_sorted(records, n)) return records;
	sheaf_record bits = differences(records, n);
	for (unsigned d = 0; d < DIGITS; d++) {
		if (digit(&bits, d) == 0) continue;
		pass(records, spare, n, d);
		sheaf_record *swapped = records;
		records = spare;
		spare = swapped;
	}
	return records;
}
