/* SPDX-License-Identifier: MIT */
/* Files of the binary format, field by field. */
#include "cbf_bytes.h"
#include "base/endian.h"
#include <string.h>

void put(bytes *b, const void *data, size_t n)
{
	assert_true(b->n + n <= sizeof b->data);
	memcpy(b->data + b->n, data, n);
	b->n += n;
}

void u8(bytes *b, uint8_t v) { put(b, &v, 1); }

void u32(bytes *b, uint32_t v)
{
	uint8_t le[4];
	sheaf_store_u32le(le, v);
	put(b, le, sizeof le);
}

void u64(bytes *b, uint64_t v)
{
	uint8_t le[8];
	sheaf_store_u64le(le, v);
	put(b, le, sizeof le);
}

void f32(bytes *b, float v)
{
	uint32_t bits;
	memcpy(&bits, &v, sizeof bits);
	u32(b, bits);
}

void f64(bytes *b, double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	u64(b, bits);
}

void prefix(bytes *b)
{
	b->n = 0;
	u64(b, MAGIC);
	u32(b, 1);
}

void stream_header(bytes *b, uint8_t storage, const char *name, uint8_t type, uint32_t dim)
{
	u8(b, storage);
	u32(b, (uint32_t)strlen(name));
	put(b, name, strlen(name));
	u8(b, type);
	u32(b, dim);
}

void chunk_header(bytes *b, uint64_t offset, uint32_t sequences, uint32_t samples)
{
	u64(b, offset);
	u32(b, sequences);
	u32(b, samples);
}

void make_sample(bytes *b)
{
	prefix(b);
	u32(b, 2), u32(b, 1);
	u32(b, 2), f32(b, 1), f32(b, 2), f32(b, 3), f32(b, 4);
	u32(b, 1), f32(b, 5), f32(b, 6);
	u32(b, 1), u32(b, 2), f32(b, 0.5F), f32(b, 1.5F), u32(b, 1), u32(b, 9), u32(b, 2);
	u32(b, 1), u32(b, 0), u32(b, 0);
	u32(b, 1);
	u32(b, 1), f32(b, 7), f32(b, 8);
	u32(b, 1), u32(b, 1), f32(b, 2.5F), u32(b, 0), u32(b, 1);
	assert_int_equal(HEADER, b->n);
	u64(b, MAGIC), u32(b, 2), u32(b, 2);
	stream_header(b, 0, "A", 0, 2);
	stream_header(b, 1, "B", 0, 10);
	chunk_header(b, 12, 2, 3);
	chunk_header(b, 92, 1, 1);
	u64(b, HEADER);
	assert_int_equal(SIZE, b->n);
}

const char sample_rows[] = "{\"key\":0,\"streams\":{\"A\":[[1,2],[3,4]],\"B\":[[[1,0.5],[9,1.5]]]}}\n"
						   "{\"key\":1,\"streams\":{\"A\":[[5,6]],\"B\":[[]]}}\n"
						   "{\"key\":2,\"streams\":{\"A\":[[7,8]],\"B\":[[[0,2.5]]]}}\n";

sheaf_status open_binary(const bytes *b, const char *options, int64_t piece_bytes, record *r,
                         sheaf_dataset **out)
{
	settings s;
	sheaf_source *source;
	read_settings(options, &s);
	sheaf_open_options open = {.size = sizeof open,
	                           .format = "cbf",
	                           .settings = s.list,
	                           .nsettings = s.n,
	                           .piece_bytes = piece_bytes};
	assert_int_equal(SHEAF_OK,
	                 sheaf_source_memory((sheaf_bytes){b->data, b->n}, "x.cbf", r->cx, &source, &err));
	return sheaf_open_source(source, &open, r->cx, out, &err);
}

void add_rows(sheaf_dataset *dataset, const sheaf_frame *frame, char *rows, size_t room)
{
	sheaf_buffer text = {0};
	assert_int_equal(SHEAF_OK, sheaf_rows_text(frame, sheaf_dataset_schema(dataset), SHEAF_JSON,
	                                           sheaf_dataset_row(dataset), 0, frame->nrows, &text, &err));
	assert_true(strlen(rows) + text.size < room);
	strncat(rows, (const char *)text.data, text.size);
	sheaf_buffer_reset(&text);
}

sheaf_status read_binary(const bytes *b, const char *options, int64_t piece_bytes, record *r, char *rows,
                         size_t room)
{
	sheaf_dataset *dataset;
	const sheaf_frame *frame;
	sheaf_status status = open_binary(b, options, piece_bytes, r, &dataset);
	if (status) return status;
	if (rows) *rows = '\0';
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK)
		if (rows) add_rows(dataset, frame, rows, room);
	sheaf_close(dataset);
	return status == SHEAF_END ? SHEAF_OK : status;
}
