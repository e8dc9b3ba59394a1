/* SPDX-License-Identifier: MIT */
/* The code of one element type, included once for each with T (its C type) and NAME. CANON, which makes a
 * value canonical, and STORE, which makes a canonical one the nearest of the type, belong to its group of
 * types and stay defined. */

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

static void JOIN(canon, NAME)(const void *values, int64_t at, int64_t n, sheaf_canon *out)
{
	const T *v = (const T *)values; /* NULL if there are none: nothing is added to it */
	for (int64_t i = 0; i < n; i++) out[i] = CANON(v[at + i]);
}

/* A value that changed does not have the canonical form from which it came. */
static int64_t JOIN(store, NAME)(const sheaf_canon *from, int64_t n, void *values, int64_t at)
{
	T *v = (T *)values;
	int64_t changed = 0;
	for (int64_t i = 0; i < n; i++) {
		v[at + i] = (T)STORE(from[i]);
		changed += !sheaf_canon_equal(CANON(v[at + i]), from[i]);
	}
	return changed;
}

#undef JOIN
#undef JOIN_
#undef T
#undef NAME
