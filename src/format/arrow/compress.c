/* SPDX-License-Identifier: MIT */
/* Buffers compressed one by one, each as a separate member (section "Compression"). */
#include "format/arrow/ipc.h"
#include "io/filters/filter.h"

static const sheaf_filter *filter_of(int codec)
{
	return codec == SHEAF_IPC_LZ4 ? sheaf_filter_by_suffix(".lz4") : sheaf_filter_by_suffix(".zst");
}

/* Codecs that this build lacks, and failures of a library to allocate memory. */
static sheaf_status refuse(int codec, sheaf_status status, const char *found, sheaf_error *err)
{
	static const char *const names[] = {"LZ4", "Zstandard"};
	return sheaf_fail(err, status, "arrow: expected a buffer compressed by %s, found %s", names[codec],
	                  found);
}

sheaf_status sheaf_ipc_decompress(int codec, sheaf_bytes from, uint8_t *to, size_t size, sheaf_context *cx,
                                  sheaf_error *err)
{
	const char *found = NULL;
	const sheaf_filter *filter = filter_of(codec);
	if (!filter) return refuse(codec, SHEAF_UNSUPPORTED, "it, in a build without", err);
	size_t given = size;
	sheaf_status status = sheaf_filter_unpack(filter, from, to, &given, cx, &found);
	if (!status && given != size) status = SHEAF_DATA, found = "another number of bytes";
	return status ? refuse(codec, status, found, err) : SHEAF_OK;
}

sheaf_status sheaf_ipc_compress(int codec, sheaf_bytes from, sheaf_builder *to, sheaf_error *err)
{
	const char *found = NULL;
	const sheaf_filter *filter = filter_of(codec);
	if (!filter) return refuse(codec, SHEAF_UNSUPPORTED, "none, in a build without it", err);
	sheaf_status status = sheaf_filter_pack(filter, from, to, &found);
	return status ? refuse(codec, status, found, err) : SHEAF_OK;
}
