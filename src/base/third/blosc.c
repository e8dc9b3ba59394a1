/* SPDX-License-Identifier: MIT */
/* libblosc loads the C++ library, whose start would cost every command a millisecond: so it is opened when
 * the first chunk needs it. */
#include "base/third/blosc.h"
#include "base/third/filled.h"
#include <dlfcn.h>
#include <stdatomic.h>

/* As blosc.h declares them: 0 if the chunk is sound; the number of bytes that were unpacked. */
typedef int validate_function(const void *chunk, size_t size, size_t *unpacked);
typedef int decompress_function(const void *chunk, void *to, size_t room, int threads);

/* Any thread may open it: all get the same. */
static validate_function *_Atomic validate;
static decompress_function *_Atomic decompress;

bool sheaf_blosc_is_here(void)
{
	if (atomic_load(&decompress)) return true;
	void *library = dlopen("libblosc.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library) return false;
	atomic_store(&validate, (validate_function *)dlsym(library, "blosc_cbuffer_validate"));
	if (atomic_load(&validate))
		atomic_store(&decompress, (decompress_function *)dlsym(library, "blosc_decompress_ctx"));
	return atomic_load(&decompress) != NULL;
}

bool sheaf_blosc_size(const void *data, size_t size, size_t *out)
{
	enum { HEAD = 16 };
	return sheaf_blosc_is_here() && size >= HEAD && atomic_load(&validate)(data, size, out) == 0;
}

bool sheaf_blosc_unpack(const void *data, size_t size, void *to, size_t to_size)
{
	size_t said;
	if (!sheaf_blosc_size(data, size, &said) || said != to_size) return false;
	SHEAF_FILLED(to, to_size);
	return to_size == 0 || atomic_load(&decompress)(data, to, to_size, 1) == (int)to_size;
}
