/* SPDX-License-Identifier: MIT */
/* For tests of the binary format: files built field by field, and read. */
#ifndef SHEAF_TESTS_CBF_BYTES_H
#define SHEAF_TESTS_CBF_BYTES_H

#include "record.h"
#include <sheaf/sheaf.h>

enum { MOST_BYTES = 1 << 16 };
#define MAGIC UINT64_C(0x636e746b5f62696e)

/* Aligned, as the memory of a mapped file is. */
typedef struct bytes {
	_Alignas(64) uint8_t data[MOST_BYTES];
	size_t n;
} bytes;

/* Each appends to *b; `prefix` first empties it. */
void put(bytes *b, const void *data, size_t n);
void u8(bytes *b, uint8_t v);
void u32(bytes *b, uint32_t v);
void u64(bytes *b, uint64_t v);
void f32(bytes *b, float v);
void f64(bytes *b, double v);
void prefix(bytes *b);
void stream_header(bytes *b, uint8_t storage, const char *name, uint8_t type, uint32_t dim);
void chunk_header(bytes *b, uint64_t offset, uint32_t sequences, uint32_t samples);

/* Two chunks. Offsets:
 *   12 chunk 0: counts 12 16
 *      A: 20 N, 24 values, 40 N, 44 values
 *      B: 52 N, 56 nnz, 60 values, 68 indices, 76 per sample; 80 N, 84 nnz, 88 per sample
 *   92 chunk 1: count 92
 *      A: 96 N, 100 values
 *      B: 108 N, 112 nnz, 116 value, 120 index, 124 per sample
 *  128 header: 136 chunks, 140 streams
 *      144 A (149 name, 150 type, 151 dim), 155 B (160 name, 161 type, 162 dim)
 *      166 chunk 0 (174 sequences, 178 samples), 182 chunk 1 (190, 194)
 *      198 header's offset; 206 bytes */
enum { HEADER = 128, SIZE = 206 };
void make_sample(bytes *b);
extern const char sample_rows[];

sheaf_status open_binary(const bytes *b, const char *options, int64_t piece_bytes, record *r,
                         sheaf_dataset **out);
/* Appends the rows of a frame as JSON. */
void add_rows(sheaf_dataset *dataset, const sheaf_frame *frame, char *rows, size_t room);
/* All rows as JSON into `rows` (NULL: not wanted). */
sheaf_status read_binary(const bytes *b, const char *options, int64_t piece_bytes, record *r, char *rows,
                         size_t room);

#endif
