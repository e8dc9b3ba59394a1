/* SPDX-License-Identifier: MIT */
#include "base/suffix.h"
#include <string.h>
#include <strings.h>

size_t sheaf_without_suffix(const char *name, size_t n, const char *suffix)
{
	size_t m = strlen(suffix);
	return n > m && strncasecmp(name + n - m, suffix, m) == 0 ? n - m : n;
}

bool sheaf_has_suffix(const char *name, const char *suffix)
{
	size_t n = strlen(name);
	return sheaf_without_suffix(name, n, suffix) < n;
}

bool sheaf_has_suffix_of(const char *name, const char *const *suffixes)
{
	for (; *suffixes; suffixes++)
		if (sheaf_has_suffix(name, *suffixes)) return true;
	return false;
}
