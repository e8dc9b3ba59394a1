/* SPDX-License-Identifier: MIT */
/* The word that was probably meant. */
#include <sheaf/option.h>
#include <string.h>

enum { WORD_MAX = 64 };

static size_t least_of(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;
	return ab < c ? ab : c;
}

/* The number of letters to insert, delete, change or swap with their neighbour to turn a into b. */
static size_t distance(const char *a, const char *b)
{
	size_t rows[3][WORD_MAX + 1] = {{0}};
	size_t n = strlen(a), m = strlen(b);
	if (n > WORD_MAX || m > WORD_MAX) return SIZE_MAX;
	for (size_t j = 0; j <= m; j++) rows[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *higher = rows[(i + 1) % 3];
		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			row[j] = least_of(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && higher[j - 2] + 1 < row[j])
				row[j] = higher[j - 2] + 1;
		}
	}
	return rows[n % 3][m];
}

/* If the word is the beginning of others, the shortest of these was meant. */
static const char *word_begun(const char *word, const char *(*candidate)(const void *user, int i),
                              const void *user)
{
	enum { LEAST = 2 };
	const char *shortest = NULL, *other;
	size_t n = strlen(word);
	for (int i = 0; n >= LEAST && (other = candidate(user, i)); i++)
		if (strncmp(other, word, n) == 0 && (!shortest || strlen(other) < strlen(shortest))) shortest = other;
	return shortest;
}

const char *sheaf_nearest_word(const char *word, const char *(*candidate)(const void *user, int i),
                               const void *user)
{
	if (!word || !candidate) return NULL;
	const char *nearest = word_begun(word, candidate, user), *other;
	if (nearest) return nearest;
	/* Larger distances are not typing errors: a word of one letter is another one with another letter,
	 * and one of three with two others. */
	size_t n = strlen(word), best = n == 1 ? 0 : n <= 3 ? 1 : n / 3 + 1;
	for (int i = 0; (other = candidate(user, i)); i++) {
		size_t d = distance(word, other);
		if (d > best || (nearest && d == best)) continue;
		best = d;
		nearest = other;
	}
	return nearest;
}
