/* SPDX-License-Identifier: MIT */
/* What differs between types: T, NAME(x), and INTEGER, which stays defined, for those that can overflow.
 * Included once for each, by element.c. Values may be at any address. */

static bool NAME(negate)(const void *from, void *to)
{
	T v;
	memcpy(&v, from, sizeof v);
#ifdef INTEGER
	if (__builtin_sub_overflow((T)0, v, &v)) return false;
#else
	v = -v; /* also of 0, whose sign that changes */
#endif
	memcpy(to, &v, sizeof v);
	return true;
}

static bool NAME(add)(void *to, const void *other)
{
	T a, b;
	memcpy(&a, to, sizeof a);
	memcpy(&b, other, sizeof b);
#ifdef INTEGER
	if (__builtin_add_overflow(a, b, &a)) return false;
#else
	a += b;
#endif
	memcpy(to, &a, sizeof a);
	return true;
}

#undef T
#undef NAME
