/* SPDX-License-Identifier: MIT */
/* The filters of chunks, undone and applied: shuffle, deflate and the Fletcher checksum, as in HDF5, LZF,
 * which h5py adds, and those of Zarr (gzip, Zstandard, Blosc). A chunk goes through two buffers in turn,
 * and the last filter that moves its bytes writes to the place where they are needed, if the caller gave
 * one.
 *
 * Sizes are known before anything is unpacked: a chunk has the size that its array says, so a packed one
 * that gives more or less is damage, and nobody allocates what a file claims. */
#include "container/filter.h"
#include "base/endian.h"
#include "base/third/blosc.h"
#include "container/hdf5/checksum.h"
#include "container/lzf.h"
#include "io/filters/filter.h"
#include "number/shuffle.h"
#include <string.h>

enum { CHECKSUM = 4 };

void sheaf_filtering_close(sheaf_filtering *f)
{
	for (int i = 0; i < 2; i++) sheaf_builder_drop(&f->bytes[i]);
	sheaf_builder_drop(&f->again);
	sheaf_deflater_free(f->deflater);
	sheaf_deflater_free(f->trial);
	sheaf_inflater_free(f->inflater);
	*f = (sheaf_filtering){0};
}

/* Gives room for `size` bytes in the one of the two buffers that does not contain `taken`. */
static sheaf_status room(sheaf_filtering *f, const uint8_t *taken, size_t size, uint8_t **out,
                         sheaf_error *err)
{
	sheaf_builder *b = &f->bytes[taken && taken == f->bytes[0].data];
	if (!b->cx) sheaf_builder_begin(b, f->cx, NULL);
	b->size = 0;
	if (!sheaf_builder_room(b, size ? size : 1)) return sheaf_builder_status(b, err);
	*out = b->data;
	return SHEAF_OK;
}

/* ---- checksum ---- */

/* Checks the checksum after a chunk's bytes, and takes it off. HDF5 has it in little-endian order;
 * sheaf_hdf5_is_fletcher knows what old versions have written. */
static sheaf_status check_sum(sheaf_bytes *data, sheaf_error *err)
{
	if (data->size < CHECKSUM)
		return sheaf_fail(err, SHEAF_DATA, "expected a checksum after a chunk, found %zu bytes in all",
		                  data->size);
	data->size -= CHECKSUM;
	uint32_t stored = sheaf_load_u32le(data->data + data->size),
			 sum = sheaf_hdf5_fletcher(data->data, data->size);
	if (sheaf_hdf5_is_fletcher(stored, sum)) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_DATA, "expected a chunk with the checksum %08x, found %08x",
	                  (unsigned)stored, (unsigned)sum);
}

/* ---- reading ---- */

/* Unpacks a chunk of a compression that files also have, named by the suffix of such files. */
static sheaf_status unpack_member(sheaf_context *cx, const char *suffix, sheaf_bytes *data, uint8_t *to,
                                  size_t size, sheaf_error *err)
{
	const char *found = NULL;
	const sheaf_filter *filter = sheaf_filter_by_suffix(suffix);
	sheaf_status status = sheaf_filter_unpack(filter, *data, to, size, cx, &found);
	if (status)
		return sheaf_fail(err, status, "expected a chunk of %zu bytes of %s to give %zu, found %s",
		                  data->size, filter->name, size, found);
	*data = (sheaf_bytes){to, size};
	return SHEAF_OK;
}

/* Unpacks a chunk of Blosc into exactly `size` bytes. Blosc is loaded when it is needed, from the
 * system's library: only few files have it. */
static sheaf_status unpack_blosc(sheaf_bytes *data, uint8_t *to, size_t size, sheaf_error *err)
{
	if (!sheaf_blosc_is_here())
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "expected chunks that can be read here, found Blosc, whose library (libblosc.so.1) "
		                  "is not installed");
	if (!sheaf_blosc_unpack(data->data, data->size, to, size))
		return sheaf_fail(err, SHEAF_DATA,
		                  "expected a chunk of %zu bytes of Blosc to give %zu, found that it is damaged",
		                  data->size, size);
	*data = (sheaf_bytes){to, size};
	return SHEAF_OK;
}

/* Undoes filter number i of a chunk; *data becomes the bytes before that filter. A checksum only loses
 * its bytes. `to` is where the chunk is to end, or NULL. Filters that were applied before this one are
 * undone later: each checksum among them adds its size to what this one gives, and any other will move
 * the bytes once more, so that this one must not write to their place yet. */
static sheaf_status undo(sheaf_filtering *f, const sheaf_filtered *chunk, int i, void *to, sheaf_bytes *data,
                         sheaf_error *err)
{
	const sheaf_box_detail *inside = chunk->inside;
	bool is_last = true;
	size_t n = chunk->size;
	if (inside->filters[i] == SHEAF_FILTER_FLETCHER) return check_sum(data, err);
	for (int k = 0; k < i; k++) {
		bool is_sum = inside->filters[k] == SHEAF_FILTER_FLETCHER;
		if (chunk->skipped >> k & 1) continue;
		if (is_sum) n += CHECKSUM;
		is_last &= is_sum;
	}
	if (inside->filters[i] == SHEAF_FILTER_SHUFFLE) n = data->size;
	uint8_t *place = (uint8_t *)to;
	if (!place || n != chunk->size || !is_last) SHEAF_TRY(room(f, data->data, n, &place, err));
	switch (inside->filters[i]) {
	case SHEAF_FILTER_GZIP: return unpack_member(f->cx, ".gz", data, place, n, err);
	case SHEAF_FILTER_ZSTD: return unpack_member(f->cx, ".zst", data, place, n, err);
	case SHEAF_FILTER_BLOSC: return unpack_blosc(data, place, n, err);
	case SHEAF_FILTER_DEFLATE:
		if (!f->inflater) f->inflater = sheaf_inflater_new();
		if (!f->inflater)
			return sheaf_fail(err, SHEAF_NOMEM, "expected memory to unpack a chunk, found none");
		if (!sheaf_inflate(f->inflater, data->data, data->size, place, n))
			return sheaf_fail(err, SHEAF_DATA,
			                  "expected a chunk of %zu deflated bytes to give %zu, found it damaged",
			                  data->size, n);
		break;
	case SHEAF_FILTER_LZF:
		if (!sheaf_lzf_unpack(*data, place, n))
			return sheaf_fail(err, SHEAF_DATA,
			                  "expected a chunk of %zu bytes of LZF to give %zu, found that it is damaged",
			                  data->size, n);
		break;
	default: sheaf_unshuffle(data->data, place, n, chunk->width);
	}
	*data = (sheaf_bytes){place, n};
	return SHEAF_OK;
}

/* Undoes the filters of a chunk in the reverse of their order, without those that were skipped for this
 * chunk. *out is at `to` (NULL: anywhere), in the filtering, or where the stored bytes are. */
sheaf_status sheaf_unfilter(sheaf_filtering *f, const sheaf_filtered *chunk, void *to, const uint8_t **out,
                            sheaf_error *err)
{
	sheaf_bytes data = chunk->stored;
	for (int i = chunk->inside->nfilters - 1; i >= 0; i--)
		if (!(chunk->skipped >> i & 1)) SHEAF_TRY(undo(f, chunk, i, to, &data, err));
	if (data.size != chunk->size)
		return sheaf_fail(err, SHEAF_DATA, "expected a chunk of %zu bytes, found %zu", chunk->size,
		                  data.size);
	*out = data.data;
	return SHEAF_OK;
}

/* Unpacks a chunk of a compression that files also have if its size is not known: for texts of any
 * length. */
static sheaf_status grow_member(const char *suffix, sheaf_bytes stored, sheaf_builder *out, sheaf_error *err)
{
	const char *found = NULL;
	const sheaf_filter *filter = sheaf_filter_by_suffix(suffix);
	sheaf_status status = sheaf_filter_unpack_all(filter, stored, out, &found);
	if (!status) return sheaf_builder_status(out, err);
	return sheaf_fail(err, status, "expected a chunk of %zu bytes of %s, found %s", stored.size, filter->name,
	                  found);
}

/* Unpacks a chunk whose size is not known: texts of any length, which have one filter at most. Blosc
 * tells the size itself, which is not trusted beyond a gigabyte. */
sheaf_status sheaf_unpack_whole(const sheaf_box_detail *inside, sheaf_bytes stored, sheaf_builder *out,
                                sheaf_error *err)
{
	enum { MOST = 1 << 30 };
	size_t size;
	if (inside->nfilters == 0) {
		sheaf_builder_append(out, stored.data, stored.size);
		return sheaf_builder_status(out, err);
	}
	if (inside->filters[0] == SHEAF_FILTER_GZIP) return grow_member(".gz", stored, out, err);
	if (inside->filters[0] == SHEAF_FILTER_ZSTD) return grow_member(".zst", stored, out, err);
	if (!sheaf_blosc_size(stored.data, stored.size, &size) || size > MOST) size = 0;
	if (!sheaf_builder_room(out, size + 1)) return sheaf_builder_status(out, err);
	SHEAF_TRY(unpack_blosc(&stored, out->data, size, err));
	out->size = size;
	return SHEAF_OK;
}

/* ---- writing ---- */

/* The low bytes of most numbers are noise, and come first if bytes are shuffled. Searching for matches in
 * them takes most of the time and finds nothing: so they are stored uncompressed, as blocks of the same
 * stream, and only the rest is compressed. */

enum { TRIAL = 12 << 10, END = 4 << 10, WORTH_IT = 32 << 10 /* bytes of one rank */ };

/* Whether these bytes cannot be compressed by at least one in 64. */
static bool resists(const sheaf_filtering *f, const uint8_t *bytes, size_t size)
{
	uint8_t packed[TRIAL - TRIAL / 64];
	return sheaf_deflate(f->trial, bytes, size, packed, size - size / 64) == 0;
}

/* Returns how many bytes of the leading ranks are noise, judged by a part in the middle and one at the
 * end of each rank: the last chunk of an array ends with zeros. */
static size_t noise_before(sheaf_filtering *f, size_t width, sheaf_bytes chunk)
{
	size_t n = width ? chunk.size / width : 0, noise = 0;
	if (n < WORTH_IT || !f->trial) return 0;
	while (noise < n * width && resists(f, chunk.data + noise + (n - TRIAL) / 2, TRIAL) &&
	       resists(f, chunk.data + noise + n - END, END))
		noise += n;
	return noise;
}

/* Deflates bytes and returns the size, 0 if there is no room. Bytes that can hardly be compressed are not
 * worth a search for matches: these may take more than the bytes themselves, and level 1, which finds
 * few, may do better. */
static size_t deflate_well(sheaf_filtering *f, sheaf_bytes bytes, uint8_t *to, size_t room)
{
	size_t packed = sheaf_deflate_raw(f->deflater, bytes.data, bytes.size, to, room), trial_size = 0;
	if (packed && packed < bytes.size / 2) return packed;
	if (!f->trial || !f->again.cx) return packed;
	f->again.size = 0;
	if (sheaf_builder_room(&f->again, room))
		trial_size =
			sheaf_deflate_raw(f->trial, bytes.data, bytes.size, f->again.data, packed ? packed : room);
	if (trial_size == 0 || (packed && trial_size >= packed)) return packed;
	memcpy(to, f->again.data, trial_size);
	return trial_size;
}

/* Packs a chunk into a zlib stream at `to`, and returns its size: blocks of stored noise, none of which
 * is the last, then the compressed rest; 0 if it is not smaller than the chunk. The head is 78 01; the
 * Adler-32 checksum of all bytes ends the stream. A stored block has a head of five bytes and at most
 * 65535 bytes. */
static size_t deflate(sheaf_filtering *f, size_t width, sheaf_bytes chunk, uint8_t *to)
{
	enum { HEAD = 2, SUM = 4, MOST = 65535 };
	size_t room = chunk.size ? chunk.size - 1 : 0;
	size_t noise = noise_before(f, width, chunk), blocks = noise + (noise / MOST + 1) * 5;
	if (noise >= chunk.size || blocks + HEAD + SUM >= room) return 0;
	uint8_t *at = to + HEAD;
	to[0] = 0x78;
	to[1] = 0x01;
	for (size_t done = 0, n; done < noise; done += n) {
		n = noise - done < MOST ? noise - done : MOST;
		uint8_t head[5] = {0, (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)~n, (uint8_t)(~n >> 8)};
		memcpy(at, head, sizeof head);
		memcpy(at + sizeof head, chunk.data + done, n);
		at += sizeof head + n;
	}
	size_t used = (size_t)(at - to);
	size_t packed =
		deflate_well(f, (sheaf_bytes){chunk.data + noise, chunk.size - noise}, at, room - SUM - used);
	if (packed == 0) return 0;
	sheaf_store_u32be(at + packed, sheaf_adler32(chunk.data, chunk.size));
	return used + packed + SUM;
}

/* Packs a chunk for HDF5: shuffles it if `width`, the size of an element, is not 0, then deflates it if
 * `level` is not 0. *out points into the filtering or is the chunk itself. A chunk that does not become
 * smaller stays as it is; the caller sees that by its size. */
sheaf_status sheaf_filter_chunk(sheaf_filtering *f, size_t width, int level, sheaf_bytes chunk,
                                sheaf_bytes *out, sheaf_error *err)
{
	uint8_t *place = NULL;
	if (width > 0) {
		SHEAF_TRY(room(f, NULL, chunk.size, &place, err));
		sheaf_shuffle(chunk.data, place, chunk.size, width);
		chunk.data = place;
	}
	*out = chunk;
	if (level == 0) return SHEAF_OK;
	if (!f->deflater) f->deflater = sheaf_deflater_new(level);
	if (!f->trial) f->trial = sheaf_deflater_new(1); /* not used if it cannot be allocated */
	if (!f->again.cx) sheaf_builder_begin(&f->again, f->cx, NULL);
	if (!f->deflater) return sheaf_fail(err, SHEAF_NOMEM, "expected memory to compress a chunk, found none");
	SHEAF_TRY(room(f, chunk.data, chunk.size, &place, err));
	size_t packed = deflate(f, width, chunk, place);
	if (packed) *out = (sheaf_bytes){place, packed};
	return SHEAF_OK;
}
