/* SPDX-License-Identifier: MIT */
/* What differs between types: T, NAME(x), and for integers LEAST, the value that has no negative. Included
 * once for each, by element.c. */

static bool NAME(negate)(const void *from, void *to)
{
	T v;
	memcpy(&v, from, sizeof v);
#ifdef LEAST
	if (LEAST == 0 ? v != 0 : v == LEAST) return false;
#endif
	v = (T)-v;
	memcpy(to, &v, sizeof v);
	return true;
}

static bool NAME(add)(void *to, const void *other)
{
	T a, b;
	memcpy(&a, to, sizeof a);
	memcpy(&b, other, sizeof b);
#ifdef LEAST
	if (__builtin_add_overflow(a, b, &a)) return false;
#else
	a += b;
#endif
	memcpy(to, &a, sizeof a);
	return true;
}

#undef T
#undef NAME
#undef LEAST
