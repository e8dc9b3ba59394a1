/* SPDX-License-Identifier: MIT */
/* Numbers in fields with vectors of sixteen bytes. The including file defines, once, before this, what
 * depends on the processor: TARGET, before functions; `sixteen`, a vector; load_digits, the digits of up to
 * sixteen bytes before `end`, right-aligned after zeros, and which of the bytes are none; take_point_out,
 * which moves everything before the point one up; value_of sixteen digits; are_zeros. */

/* Finds where the point of a number is, of `size` bytes before `end`. Bytes other than digits are the ones of
 * `other`, in which bit 31 is the last byte; there may be one, a point between digits. False if it is no
 * number. */
TARGET static inline bool take_places(const uint8_t *end, size_t size, unsigned other, sheaf_field_number *n)
{
	enum { LAST = 31 };
	n->places = -1;
	n->whole = (int)size;
	if (other) {
		n->places = LAST - __builtin_ctz(other);
		n->whole = (int)size - 1 - n->places;
		if ((other & (other - 1)) || end[-1 - n->places] != '.' || n->whole == 0 || n->places == 0)
			return false;
	}
	n->zeros = n->whole > 1 && *(end - size) == '0';
	return true;
}

/* Loads a number of more than sixteen bytes: d[0] has those before the last sixteen, d[1] these. False if
 * there are more than 32, if as many are not in the text before it, or if it is no number. */
TARGET static inline bool load_long(const sheaf_fields *f, const uint8_t *end, size_t size,
                                    sheaf_field_number *n, sixteen d[2])
{
	unsigned other, before;
	const size_t both = (size_t)2 * LANES;
	if (size > both || (size_t)(end - f->text) < both) return false;
	d[1] = load_digits(end, LANES, &other);
	d[0] = load_digits(end - LANES, size - LANES, &before);
	other = other << LANES | before;
	if (!take_places(end, size, other, n)) return false;
	int point = 2 * LANES - 1 - n->places;
	if (n->places >= LANES)
		d[0] = take_point_out(d[0], point);
	else if (n->places >= 0)
		d[1] = take_point_out(d[1], point - LANES);
	return true;
}

/* A function of its own, so that what the caller knows of shorter numbers can stay in registers. */
TARGET static __attribute__((noinline)) bool take_long(const sheaf_fields *f, const uint8_t *end, size_t size,
                                                       sheaf_field_number *n)
{
	/* 1843 times 10^16, plus what follows, fits into 64 bits. */
	const uint64_t most = 1843, scale = UINT64_C(1000000000000000);
	sixteen d[2];
	if (!load_long(f, end, size, n, d)) return false;
	uint64_t high = value_of(d[0]);
	n->digits = high * (n->places >= 0 && n->places < LANES ? scale : 10 * scale) + value_of(d[1]);
	return high <= most;
}

/* Loads a number of up to sixteen bytes, whose digits are then at the right of *d. False if there are more or
 * none, if sixteen are not in the text before its end, or if it is no number. */
TARGET static inline bool load_short(const sheaf_fields *f, const uint8_t *end, size_t size,
                                     sheaf_field_number *n, sixteen *d)
{
	unsigned other;
	if (size - 1 >= LANES || end - f->text < LANES) return false;
	*d = load_digits(end, size, &other);
	if (!take_places(end, size, other << LANES, n)) return false;
	if (other) *d = take_point_out(*d, LANES - 1 - n->places);
	return true;
}

TARGET static inline size_t take_sign(const sheaf_fields *f, size_t i, const uint8_t **end,
                                      sheaf_field_number *n)
{
	const uint8_t *at;
	sheaf_field_at(f, i, &at, end);
	n->negative = at < *end && *at == '-';
	return (size_t)(*end - at) - n->negative;
}

TARGET SHEAF_INLINE bool take(const sheaf_fields *f, size_t i, sheaf_field_number *n)
{
	const uint8_t *end;
	sixteen d;
	size_t size = take_sign(f, i, &end, n);
	if (size > LANES) {
		sheaf_field_number some = {.negative = n->negative};
		bool is_number = take_long(f, end, size, &some);
		*n = some;
		return is_number;
	}
	if (!load_short(f, end, size, n, &d)) return false;
	n->digits = value_of(d);
	return true;
}

/* The kind that was found; 0: it is left. */
TARGET static __attribute__((noinline)) unsigned see_long(const sheaf_fields *f, const uint8_t *end,
                                                          size_t size, bool negative)
{
	sheaf_field_number n = {.negative = negative};
	sixteen d[2];
	unsigned seen = 0;
	return load_long(f, end, size, &n, d) && sheaf_field_add_seen(&n, false, &seen) ? seen : 0;
}

TARGET static size_t look(const sheaf_fields *f, size_t from, unsigned *seen)
{
	sheaf_field_number n;
	const uint8_t *end;
	sixteen d;
	unsigned all = 0;
	for (; from < f->count; from++) {
		size_t size = take_sign(f, from, &end, &n);
		if (size > LANES) {
			unsigned found = see_long(f, end, size, n.negative);
			if (!found) break;
			all |= found;
		} else if (!load_short(f, end, size, &n, &d) || !sheaf_field_add_seen(&n, are_zeros(d), &all)) {
			break;
		}
	}
	*seen |= all;
	return from;
}
