/* SPDX-License-Identifier: MIT */
/* The filters of chunks, undone and applied. A chunk goes through two buffers in turn, and the filter that
 * was applied first writes to the place where the chunk is needed, if the caller gave one.
 *
 * A chunk has the size that its array says, so a packed one that gives more or less is damage, and nobody
 * allocates what a file claims. */
#include "container/filter.h"
#include "base/endian.h"
#include "base/third/szip.h"
#include "container/codec.h"
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

/* ---- checksums ---- */

/* The checksum of the codec crc32c (Castagnoli), bit by bit. */
uint32_t sheaf_crc32c(const uint8_t *data, size_t size)
{
	uint32_t sum = UINT32_MAX;
	for (size_t i = 0; i < size; i++) {
		sum ^= data[i];
		for (int bit = 0; bit < 8; bit++) sum = sum >> 1 ^ (sum & 1 ? 0x82f63b78 : 0);
	}
	return ~sum;
}

/* Checks the checksum after a chunk's bytes, which is little-endian, and takes it off. */
static sheaf_status check_sum(sheaf_box_filter filter, sheaf_bytes *data, sheaf_error *err)
{
	if (data->size < CHECKSUM)
		return sheaf_fail(err, SHEAF_DATA, "expected a checksum after a chunk, found %zu bytes in all",
		                  data->size);
	data->size -= CHECKSUM;
	bool is_fletcher = filter == SHEAF_FILTER_FLETCHER;
	uint32_t stored = sheaf_load_u32le(data->data + data->size),
			 sum = is_fletcher ? sheaf_hdf5_fletcher(data->data, data->size)
	                           : sheaf_crc32c(data->data, data->size);
	if (is_fletcher ? sheaf_hdf5_is_fletcher(stored, sum) : stored == sum) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_DATA, "expected a chunk with the checksum %08x, found %08x",
	                  (unsigned)stored, (unsigned)sum);
}

/* ---- reading ---- */

static sheaf_status undo_shuffle(sheaf_coding *c)
{
	const uint32_t *p = (const uint32_t *)c->parameters;
	c->size = c->from.size;
	if (p[0] < 1 || p[1] == 0) return SHEAF_DATA;
	if (c->size <= c->room) sheaf_unshuffle(c->from.data, c->to, c->size, p[1]);
	return SHEAF_OK;
}

static sheaf_status undo_deflate(sheaf_coding *c)
{
	if (!c->f->inflater) c->f->inflater = sheaf_inflater_new();
	if (!c->f->inflater) return SHEAF_NOMEM;
	return sheaf_inflate(c->f->inflater, c->from.data, c->from.size, c->to, &c->size) ? SHEAF_OK : SHEAF_DATA;
}

static sheaf_status undo_lzf(sheaf_coding *c)
{
	return sheaf_lzf_unpack(c->from, c->to, &c->size, false) ? SHEAF_OK : SHEAF_DATA;
}

static sheaf_status undo_blosclz(sheaf_coding *c)
{
	return sheaf_lzf_unpack(c->from, c->to, &c->size, true) ? SHEAF_OK : SHEAF_DATA;
}

#if SHEAF_LZ4
/* A block whose size is known. */
static sheaf_status undo_lz4_block(sheaf_coding *c)
{
	return sheaf_lz4_block(c->from, c->to, c->size) ? SHEAF_OK : SHEAF_DATA;
}
#endif

#if SHEAF_SZIP
/* A chunk of HDF5's szip begins with its size. */
static sheaf_status undo_szip(sheaf_coding *c)
{
	const uint32_t *p = (const uint32_t *)c->parameters;
	if (p[0] < 4 || c->from.size < 4) return SHEAF_DATA;
	c->size = sheaf_load_u32le(c->from.data);
	bool is_sound =
		c->size > c->room || sheaf_szip_unpack(p + 1, c->from.data + 4, c->from.size - 4, c->to, c->size);
	return is_sound ? SHEAF_OK : SHEAF_DATA;
}
#endif

/* How filters are called, and what undoes them: a codec, or the compression that files also have. */
static const struct {
	const char *name;
	sheaf_undo *undo;
	const sheaf_filter *member;
} codecs[] = {[SHEAF_FILTER_SHUFFLE] = {"shuffled bytes", undo_shuffle},
              [SHEAF_FILTER_DEFLATE] = {"deflate", undo_deflate},
              [SHEAF_FILTER_LZF] = {"LZF", undo_lzf},
              [SHEAF_FILTER_BLOSCLZ] = {"BloscLZ", undo_blosclz},
#if SHEAF_LZ4
              [SHEAF_FILTER_LZ4_BLOCK] = {"LZ4", undo_lz4_block},
#endif
              [SHEAF_FILTER_GZIP] = {"gzip", NULL, &sheaf_filter_gzip},
              [SHEAF_FILTER_ZSTD] = {"zstd", NULL, &sheaf_filter_zstd},
              [SHEAF_FILTER_BZIP2] = {"bzip2", NULL, &sheaf_filter_bzip2},
              [SHEAF_FILTER_XZ] = {"xz", NULL, &sheaf_filter_xz},
              [SHEAF_FILTER_BLOSC] = {"Blosc", sheaf_undo_blosc},
              [SHEAF_FILTER_LZ4] = {"LZ4", sheaf_undo_lz4},
              [SHEAF_FILTER_BITSHUFFLE] = {"bitshuffle", sheaf_undo_bitshuffle},
              [SHEAF_FILTER_NBIT] = {"nbit", sheaf_undo_nbit},
              [SHEAF_FILTER_SCALEOFFSET] = {"scaleoffset", sheaf_undo_scaleoffset},
#if SHEAF_SZIP
              [SHEAF_FILTER_SZIP] = {"szip", undo_szip},
#endif
              [SHEAF_FILTER_SCALING] = {"scaled numbers", sheaf_undo_scaling}};

/* Undoes a filter; a build that lacks its library has none, which only a block inside of others can show. */
sheaf_status sheaf_undo_filter(sheaf_box_filter filter, sheaf_coding *c)
{
	c->size = c->room;
	if (codecs[filter].undo) return codecs[filter].undo(c);
	c->found = "a compression that is not known here";
	if (!codecs[filter].member) return SHEAF_UNSUPPORTED;
	return sheaf_filter_unpack(codecs[filter].member, c->from, c->to, &c->size, c->f->cx, &c->found);
}

static bool is_sum(sheaf_box_filter filter)
{
	return filter == SHEAF_FILTER_FLETCHER || filter == SHEAF_FILTER_CRC32C;
}

/* Returns the size that a chunk had before filter number i was applied, as far as those before it tell.
 * *is_own: nothing was applied, so these are the bytes of the chunk itself. */
static size_t size_before(const sheaf_filtered *chunk, int i, bool *is_own)
{
	size_t n = chunk->size;
	*is_own = true;
	for (int k = 0; k < i; k++) {
		sheaf_box_filter filter = chunk->inside->filters[k];
		if (chunk->skipped >> k & 1) continue;
		*is_own = false;
		if (filter == SHEAF_FILTER_SHUFFLE || n == SHEAF_ANY_SIZE) continue;
		const sheaf_box_scaling *s = (const sheaf_box_scaling *)chunk->inside->parameters[k];
		if (is_sum(filter))
			n += CHECKSUM;
		else if (filter == SHEAF_FILTER_SCALING)
			n = n / sheaf_type_size(s->type) * sheaf_type_size(s->stored);
		else
			n = SHEAF_ANY_SIZE;
	}
	return n;
}

/* Undoes filter number i of a chunk; *data becomes the bytes before that filter. `to` is where the chunk is
 * to end, or NULL. If the size is not known, the room for it grows, up to what a chunk of that size can
 * become by packing that does not help, or up to a gigabyte for texts of any length. */
static sheaf_status undo(sheaf_filtering *f, const sheaf_filtered *chunk, int i, void *to, sheaf_bytes *data,
                         sheaf_error *err)
{
	enum { MORE = 1 << 16, MOST_TEXT = 1 << 30 };
	sheaf_box_filter filter = chunk->inside->filters[i];
	bool is_own;
	size_t n = size_before(chunk, i, &is_own), most = n;
	if (is_sum(filter)) return check_sum(filter, data, err);
	if (n == SHEAF_ANY_SIZE) most = chunk->size == SHEAF_ANY_SIZE ? MOST_TEXT : chunk->size * 2 + MORE;
	sheaf_coding c = {.f = f, .parameters = chunk->inside->parameters[i], .from = *data};
	sheaf_status status;
	for (size_t grown = n != SHEAF_ANY_SIZE ? n : MORE;; grown *= 4) {
		c.room = grown < most ? grown : most;
		c.to = is_own ? (uint8_t *)to : NULL;
		if (!c.to) SHEAF_TRY(room(f, data->data, c.room, &c.to, err));
		status = sheaf_undo_filter(filter, &c);
		if (status || c.size <= c.room || c.room == most) break;
	}
	if (!status && (n == SHEAF_ANY_SIZE ? c.size > c.room : c.size != n))
		status = SHEAF_DATA, c.found = "another number of bytes";
	*data = (sheaf_bytes){c.to, c.size};
	if (!status) return SHEAF_OK;
	return sheaf_fail(err, status, "expected a chunk of %zu bytes of %s to give %s%zu, found %s", c.from.size,
	                  codecs[filter].name, n == SHEAF_ANY_SIZE ? "at most " : "", most,
	                  c.found                       ? c.found
	                  : status == SHEAF_UNSUPPORTED ? "parameters that are not known"
	                  : status == SHEAF_DATA        ? "that it is damaged"
	                                                : "no memory");
}

/* Undoes the filters of a chunk in the reverse of their order, without those that were skipped for this
 * chunk. *out is at `to` (NULL: anywhere), in the filtering, or where the stored bytes are. */
sheaf_status sheaf_unfilter(sheaf_filtering *f, const sheaf_filtered *chunk, void *to, sheaf_bytes *out,
                            sheaf_error *err)
{
	*out = chunk->stored;
	for (int i = chunk->inside->nfilters - 1; i >= 0; i--)
		if (!(chunk->skipped >> i & 1)) SHEAF_TRY(undo(f, chunk, i, to, out, err));
	if (chunk->size == SHEAF_ANY_SIZE || out->size == chunk->size) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_DATA, "expected a chunk of %zu bytes, found %zu", chunk->size, out->size);
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
