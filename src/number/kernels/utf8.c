/* SPDX-License-Identifier: MIT */
/* Whether texts are UTF-8: blocks with the compiler's vectors, and what kernels leave. */
#include "number/kernels/utf8.h"
#include "base/show.h"
#include "number/kernels/kernel_parts.h"
#include <string.h>

enum { LANES = 16, BLOCK = 4 * LANES };
typedef uint8_t lanes __attribute__((vector_size(LANES)));

static lanes load(const uint8_t *s)
{
	lanes v;
	memcpy(&v, s, sizeof v);
	return v;
}

static bool has_any(lanes v)
{
	uint64_t halves[2];
	memcpy(halves, &v, sizeof halves);
	return (halves[0] | halves[1]) != 0;
}

/* The flaws among sixteen bytes, which also depend on the three before each of them: where a byte that
 * continues a character is missing or one too many (`follows` says where there must be one), where a byte is
 * none of UTF-8, and where the second byte of a character shows that it is overlong, a surrogate, or too
 * large. */
static lanes find_flaws(const uint8_t *s)
{
	lanes c = load(s), before = load(s - 1);
	lanes follows = (lanes)(before >= 0xc0) | (lanes)(load(s - 2) >= 0xe0) | (lanes)(load(s - 3) >= 0xf0);
	lanes flaws = follows ^ (lanes)((c & 0xc0) == 0x80);
	flaws |= (lanes)((c & 0xfe) == 0xc0) | (lanes)(c > 0xf4);
	flaws |= (lanes)(before == 0xe0) & (lanes)(c < 0xa0);
	flaws |= (lanes)(before == 0xed) & (lanes)(c > 0x9f);
	flaws |= (lanes)(before == 0xf0) & (lanes)(c < 0x90);
	return flaws | ((lanes)(before == 0xf4) & (lanes)(c > 0x8f));
}

size_t sheaf_skip_utf8_portable(const uint8_t *s, size_t i, size_t n)
{
	for (; n - i >= BLOCK; i += BLOCK)
		if (has_any(find_flaws(s + i) | find_flaws(s + i + LANES) | find_flaws(s + i + 2 * LANES) |
		            find_flaws(s + i + 3 * LANES)))
			break;
	return i;
}

/* Skips blocks from s[from] on, and returns where the last character of these begins, as it may go on after
 * them and has not been checked to its end; `from` if none were skipped. */
static size_t skip_blocks(const uint8_t *s, size_t from, size_t n)
{
	size_t i = sheaf_kernel_chosen()->skip_utf8(s, from, n);
	while (i > from && (s[i - 1] & 0xc0) == 0x80) i--;
	return i > from && s[i - 1] >= 0xc0 ? i - 1 : i;
}

static bool is_utf8(const uint8_t *s, size_t i, size_t n)
{
	enum { BEFORE = 3 };
	while (i < n) {
		if (i >= BEFORE) i = skip_blocks(s, i, n);
		/* Up to the next block, or to the flaw in this one. */
		for (size_t end = n - i < BLOCK ? n : i + BLOCK, length; i < end; i += length)
			if ((length = sheaf_utf8_length(s + i, n - i)) == 0) return false;
	}
	return true;
}

/* Whether all of n texts are UTF-8: together they are if each one is, and no character spans two of them,
 * which would make a text begin with a byte that continues one. Empty texts at the end begin nowhere. */
static bool are_utf8(const uint8_t *bytes, const int64_t *ends, int64_t n)
{
	if (n <= 0 || ends[0] == ends[n]) return true;
	const uint8_t *s = bytes + ends[0];
	size_t size = (size_t)(ends[n] - ends[0]), ascii = sheaf_ascii_prefix(s, size);
	if (ascii == size) return true;
	bool split = false;
	while (ends[n - 1] == ends[n]) n--;
	for (int64_t k = 0; k < n; k++) split |= (bytes[ends[k]] & 0xc0) == 0x80;
	return !split && is_utf8(s, ascii, size);
}

int64_t sheaf_find_not_utf8(const uint8_t *bytes, const int64_t *ends, int64_t n)
{
	if (are_utf8(bytes, ends, n)) return n;
	int64_t k = 0;
	while (is_utf8(bytes + ends[k], 0, (size_t)(ends[k + 1] - ends[k]))) k++;
	return k;
}
