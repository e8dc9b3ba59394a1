/* SPDX-License-Identifier: MIT */
/* Integers of one stored type (S) as each of the others; included once for each type with S and NAME. */

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define TO(T, SUFFIX) \
	static bool JOIN(NAME, SUFFIX)(const S *from, T to[], size_t count) \
	{ \
		bool other = false; \
		for (size_t i = 0; i < count; i++) { \
			to[i] = (T)from[i]; \
			other |= (S)to[i] != from[i] || (to[i] < 0) != (from[i] < 0); \
		} \
		return !other; \
	}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtype-limits"
TO(uint8_t, u8)
TO(uint16_t, u16)
TO(uint32_t, u32)
TO(uint64_t, u64)
TO(int8_t, i8)
TO(int16_t, i16)
TO(int32_t, i32)
TO(int64_t, i64)
#pragma GCC diagnostic pop

static bool NAME(const void *from, sheaf_type type, void *to, size_t count)
{
	const S *values = (const S *)from;
	switch (type) {
	case SHEAF_U8: return JOIN(NAME, u8)(values, (uint8_t *)to, count);
	case SHEAF_U16: return JOIN(NAME, u16)(values, (uint16_t *)to, count);
	case SHEAF_U32: return JOIN(NAME, u32)(values, (uint32_t *)to, count);
	case SHEAF_U64: return JOIN(NAME, u64)(values, (uint64_t *)to, count);
	case SHEAF_I8: return JOIN(NAME, i8)(values, (int8_t *)to, count);
	case SHEAF_I16: return JOIN(NAME, i16)(values, (int16_t *)to, count);
	case SHEAF_I32: return JOIN(NAME, i32)(values, (int32_t *)to, count);
	default: return JOIN(NAME, i64)(values, (int64_t *)to, count);
	}
}

#undef TO
#undef JOIN
#undef JOIN_
#undef S
#undef NAME
