/* SPDX-License-Identifier: MIT */
#include "third/blosc.h"
#include "third/filled.h"

#if SHEAF_BLOSC
#include <blosc.h>

bool sheaf_blosc_is_here(void) { return true; }

bool sheaf_blosc_size(const void *data, size_t size, size_t *out)
{
	return size >= BLOSC_MIN_HEADER_LENGTH && blosc_cbuffer_validate(data, size, out) == 0;
}

bool sheaf_blosc_unpack(const void *data, size_t size, void *to, size_t to_size)
{
	size_t said;
	if (!sheaf_blosc_size(data, size, &said) || said != to_size) return false;
	SHEAF_FILLED(to, to_size);
	return to_size == 0 || blosc_decompress_ctx(data, to, to_size, 1) == (int)to_size;
}

#else

bool sheaf_blosc_is_here(void) { return false; }

bool sheaf_blosc_size(const void *data, size_t size, size_t *out)
{
	(void)data, (void)size, (void)out;
	return false;
}

bool sheaf_blosc_unpack(const void *data, size_t size, void *to, size_t to_size)
{
	(void)data, (void)size, (void)to, (void)to_size;
	return false;
}

#endif
