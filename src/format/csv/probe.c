/* SPDX-License-Identifier: MIT */
/* Whether a file is a table, by its name and its first bytes. Content alone shows little, so a name that
 * indicates something else is believed. */
#include "base/suffix.h"
#include "format/csv/delimited.h"
#include <string.h>

/* The number of delimiters outside quotes on the line that begins at *at, which moves past it; -1 if it has
 * what lines of tables do not have, or does not end. */
static int count_delimiters(const uint8_t **at, const uint8_t *end, uint8_t delimiter)
{
	int count = 0;
	bool quoted = false;
	for (; *at < end && (quoted || **at != '\n'); ++*at) {
		uint8_t c = **at;
		if ((c < ' ' && c != '\t' && c != '\r' && c != '\n') || (!quoted && strchr("|;{}", c))) return -1;
		quoted ^= c == '"';
		count += !quoted && c == delimiter;
	}
	if (*at == end) return -1;
	++*at;
	return count;
}

/* A file without a suffix is a table if its first two lines have the same number of delimiters, and some. */
sheaf_likely sheaf_delimited_probe(const sheaf_glimpse *glimpse, const sheaf_delimited_kind *kind,
                                   const char *const *suffixes)
{
	sheaf_bytes head = glimpse->head;
	const char *name = glimpse->name;
	if (sheaf_has_suffix_of(name, suffixes))
		return SHEAF_PERHAPS; /* the reader gives the best error message */
	const char *slash = strrchr(name, '/');
	if (strchr(slash ? slash : name, '.') || head.size == 0) return SHEAF_NO;
	const uint8_t *at = head.data, *end = head.data + head.size;
	int first = count_delimiters(&at, end, kind->delimiter);
	bool alike = first > 0 && at < end && count_delimiters(&at, end, kind->delimiter) == first;
	return alike ? SHEAF_PERHAPS : SHEAF_NO;
}
