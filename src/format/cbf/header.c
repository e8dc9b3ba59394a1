/* SPDX-License-Identifier: MIT */
/* The prefix at the start, and the header at the end: streams and the table of chunks. Every count, offset
 * and size is checked against the existing bytes before it is used.
 *
 *     prefix   magic number (8) | version (4)
 *     data     chunks
 *     header   magic number (8) | number of chunks (4) | number of streams (4)
 *              streams: storage (1) | length of the name (4) | name | element type (1) | dim (4)
 *              chunks: offset (8) | sequences (4) | samples (4)
 *     trailer  position of the header (8) */
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "format/cbf/cbf.h"
#include "frame/schema/declare.h"
#include "io/source.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static sheaf_status flaw(const sheaf_cbf_reader *in, int64_t byte, sheaf_error *err, const char *format, ...)
	SHEAF_PRINTF(4, 5);
#define FLAW(in, byte, err, expected, ...) flaw(in, byte, err, "expected " expected, __VA_ARGS__)
static sheaf_status flaw(const sheaf_cbf_reader *in, int64_t byte, sheaf_error *err, const char *format, ...)
{
	sheaf_error failure;
	va_list args;
	va_start(args, format);
	failure.status = sheaf_fail_list(&failure, SHEAF_DATA, format, args);
	va_end(args);
	return sheaf_fail_within(err, &failure, "%s (byte %" PRId64 ")", sheaf_source_name(in->source), byte);
}

static sheaf_status check_truncated(const sheaf_cbf_reader *in, const sheaf_cursor *c, sheaf_error *err)
{
	if (!c->failed) return SHEAF_OK;
	return FLAW(in, c->failed_at, err, "room for the %s, %" PRIu64 " bytes, found %" PRId64, c->failed,
	            c->needed, (int64_t)(c->end - c->begin) + c->base - c->failed_at);
}

/* ---- prefix and header offset ---- */

enum { LEAST_HEADER = 16 };

static sheaf_status refuse_short(const sheaf_cbf_reader *in, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_SHORT,
	                  "%s: expected at least %d bytes (prefix, header and header offset), found %" PRId64,
	                  sheaf_source_name(in->source), CBF_PREFIX + LEAST_HEADER + CBF_TRAILER,
	                  sheaf_source_size(in->source));
}

/* The file of another machine's order is recognized, and refused. */
static sheaf_status read_prefix(const sheaf_cbf_reader *in, sheaf_error *err)
{
	uint8_t prefix[CBF_PREFIX];
	sheaf_status status = sheaf_source_read_at(in->source, 0, prefix, sizeof prefix, err);
	if (status == SHEAF_SHORT) return refuse_short(in, err);
	SHEAF_TRY(status);
	sheaf_cursor c = sheaf_cursor_over(prefix, sizeof prefix, 0);
	uint64_t magic = sheaf_cursor_u64le(&c, "magic number");
	uint32_t version = sheaf_cursor_u32le(&c, "version");
	if (magic == __builtin_bswap64(CBF_MAGIC))
		return FLAW(in, 0, err, "the magic number in little-endian order (%s), found it in big-endian order",
		            "\"nib_ktnc\"");
	if (magic != CBF_MAGIC)
		return FLAW(in, 0, err, "the magic number 0x%016" PRIx64 ", found 0x%016" PRIx64, CBF_MAGIC, magic);
	if (version == CBF_VERSION) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_UNSUPPORTED, "%s (byte 8): expected version %d, found version %" PRIu32,
	                  sheaf_source_name(in->source), CBF_VERSION, version);
}

/* The last 8 bytes say where the header is. In a file that was cut off they are something else. */
static sheaf_status find_header(sheaf_cbf_reader *in, sheaf_error *err)
{
	int64_t size = sheaf_source_size(in->source), last = size - CBF_TRAILER - LEAST_HEADER;
	uint8_t trailer[CBF_TRAILER];
	if (last < CBF_PREFIX) return refuse_short(in, err);
	SHEAF_TRY(sheaf_source_read_at(in->source, size - CBF_TRAILER, trailer, sizeof trailer, err));
	sheaf_cursor c = sheaf_cursor_over(trailer, sizeof trailer, size - CBF_TRAILER);
	in->header = sheaf_cursor_i64le(&c, "header offset");
	if (in->header < CBF_PREFIX || in->header > last)
		return FLAW(in, size - CBF_TRAILER, err,
		            "the header's offset, from %d to %" PRId64 ", in the last 8 bytes, found %" PRId64
		            " (is the file cut off, or has it grown?)",
		            CBF_PREFIX, last, in->header);
	return SHEAF_OK;
}

/* ---- streams ---- */

/* `byte` is the position of the name's length; the name follows it. The documentation says ASCII, CNTK's
 * reader takes UTF-8. */
static sheaf_status check_name(const sheaf_cbf_reader *in, const uint8_t *name, uint32_t n, int64_t byte,
                               sheaf_error *err)
{
	char found[80];
	bool ascii = true;
	if (n == 0) return FLAW(in, byte, err, "a stream name of at least 1 byte, found %d", 0);
	if (memchr(name, '\0', n))
		return FLAW(in, byte + 4, err, "a stream name without NUL bytes, found one in %" PRIu32 " bytes", n);
	for (uint32_t i = 0; i < n; i++) {
		ascii &= name[i] < 0x80;
		if (name[i] < 0x20 || name[i] == 0x7f)
			return FLAW(in, byte + 4 + i, err, "a stream name without control characters, found byte 0x%02x",
			            name[i]);
	}
	int other = sheaf_names_find(&in->names, name, n, -1);
	if (other >= 0)
		return FLAW(in, byte + 4, err, "each stream name once, found \"%s\" twice",
		            in->schema.fields[other].name);
	if (ascii) return SHEAF_OK;
	snprintf(found, sizeof found, "\"%.*s\"", n < 64 ? (int)n : 64, (const char *)name);
	sheaf_problem problem = sheaf_problem_in(
		sheaf_source_name(in->source),
		&SHEAF_FINDING(SHEAF_BREACH, "name beyond ASCII", "a stream name of ASCII characters", found));
	problem.place.byte = byte + 4;
	return sheaf_report(in->cx, &problem, err);
}

/* storage type, name length, name, element type, dim. A wrong storage type mostly means that everything after
 * it is wrong, too, so it is reported first. */
static sheaf_status read_stream(sheaf_cbf_reader *in, sheaf_cursor *c, sheaf_error *err)
{
	sheaf_field *field;
	int64_t byte = sheaf_cursor_tell(c);
	uint8_t storage = sheaf_cursor_u8(c, "storage type");
	if (!c->failed && storage > 1)
		return FLAW(in, byte, err, "storage type 0 (dense) or 1 (sparse), found %d", storage);
	uint32_t n = sheaf_cursor_count_u32le(c, 1, "stream name");
	const uint8_t *name = sheaf_cursor_bytes(c, n, 1, "stream name");
	int64_t type_byte = sheaf_cursor_tell(c);
	uint8_t type = sheaf_cursor_u8(c, "element type");
	uint32_t dim = sheaf_cursor_u32le(c, "sample dim");
	SHEAF_TRY(check_truncated(in, c, err));
	SHEAF_TRY(check_name(in, name, n, byte + 1, err));
	if (type > 1) return FLAW(in, type_byte, err, "element type 0 (float) or 1 (double), found %d", type);
	if (dim == 0) return FLAW(in, type_byte + 1, err, "a sample dim of at least 1, found %d", 0);
	if (storage == 1 && dim > INT32_MAX)
		return FLAW(in, type_byte + 1, err, "a sparse sample dim of at most %d, found %" PRIu32, INT32_MAX,
		            dim);
	SHEAF_TRY(sheaf_schema_add(&in->schema, in->cx, (const char *)name, n, &field, err));
	SHEAF_TRY(sheaf_names_add(&in->names, in->cx, field->name, n, err));
	sheaf_field_make_stream(field, storage == 1, dim, type == 1 ? SHEAF_F64 : SHEAF_F32);
	return SHEAF_OK;
}

/* ---- chunks ---- */

/* Offsets ascend from the end of the prefix to the header; a chunk ends where the next one, or the header,
 * begins. */
static sheaf_status check_chunk(sheaf_cbf_reader *in, int64_t i, int64_t byte, sheaf_error *err)
{
	sheaf_cbf_chunk *chunk = &in->chunks[i];
	int64_t before = i ? chunk[-1].offset : CBF_PREFIX;
	chunk->end = i + 1 < in->nchunks ? chunk[1].offset : in->header;
	if (chunk->offset < before || chunk->offset > in->header)
		return FLAW(in, byte, err,
		            "chunk %" PRId64 " to begin from byte %" PRId64 " to byte %" PRId64
		            ", found offset %" PRId64,
		            i, before, in->header, chunk->offset);
	if (i == 0 &&
	    chunk->offset > CBF_PREFIX) { /* bytes between the prefix and the first chunk are not read */
		char expected[64], found[64];
		snprintf(expected, sizeof expected, "the first chunk at byte %d", CBF_PREFIX);
		snprintf(found, sizeof found, "it at byte %" PRId64, chunk->offset);
		sheaf_problem problem = sheaf_problem_in(
			sheaf_source_name(in->source),
			&SHEAF_FINDING(SHEAF_BREACH, "unused bytes", expected, found, "the bytes between are not read"));
		problem.place.chunk = 0;
		problem.place.byte = CBF_PREFIX;
		SHEAF_TRY(sheaf_report(in->cx, &problem, err));
	}
	if (chunk->end < chunk->offset)
		return SHEAF_OK; /* the next one's offset is wrong: its own check reports it */
	int64_t least =
		4; /* bytes of a sequence: its sample count, and the counts at the head of each stream's part */
	for (int s = 0; s < in->schema.nfields; s++)
		least += sheaf_field_is_sparse(&in->schema.fields[s]) ? 8 : 4;
	int64_t most = (chunk->end - chunk->offset) / least;
	if (chunk->sequences > most)
		return FLAW(in, byte + 8, err,
		            "chunk %" PRId64 " to have at most %" PRId64 " sequences in its %" PRId64
		            " bytes, found %" PRIu32,
		            i, most, chunk->end - chunk->offset, chunk->sequences);
	return SHEAF_OK;
}

/* The table fills the header to its end. The sum of samples, which is only a fact, stops at the largest
 * number. */
static sheaf_status read_chunks(sheaf_cbf_reader *in, sheaf_cursor *c, uint32_t n, sheaf_error *err)
{
	int64_t byte = sheaf_cursor_tell(c);
	uint64_t table = (uint64_t)n * CBF_CHUNK_ENTRY;
	if (table != sheaf_cursor_left(c))
		return FLAW(in, byte, err,
		            "a table of %" PRIu32 " chunks, %" PRIu64
		            " bytes up to the header offset, found %zu bytes",
		            n, table, sheaf_cursor_left(c));
	SHEAF_TRY(sheaf_allocate_array(in->cx, n, sizeof *in->chunks, &in->chunks, err));
	in->nchunks = n;
	for (int64_t i = 0; i < n; i++) {
		sheaf_cbf_chunk *chunk = &in->chunks[i];
		chunk->offset = sheaf_cursor_i64le(c, "chunk offset");
		chunk->sequences = sheaf_cursor_u32le(c, "number of sequences");
		chunk->samples = sheaf_cursor_u32le(c, "number of samples");
	}
	for (int64_t i = 0; i < n; i++) {
		SHEAF_TRY(check_chunk(in, i, byte + i * CBF_CHUNK_ENTRY, err));
		in->chunks[i].row = in->rows;
		in->rows += in->chunks[i].sequences;
		if (__builtin_add_overflow(in->samples, in->chunks[i].samples, &in->samples)) in->samples = INT64_MAX;
	}
	if (n == 0 && in->header > CBF_PREFIX)
		return FLAW(in, byte, err, "a chunk for the %" PRId64 " bytes of data, found %d",
		            in->header - CBF_PREFIX, 0);
	return SHEAF_OK;
}

/* ---- all of it ---- */

sheaf_status sheaf_cbf_note_mixture(const sheaf_schema *schema, sheaf_context *cx, const char *file,
                                    sheaf_severity severity, const char *consequence, sheaf_error *err)
{
	bool any[2] = {false, false};
	for (int i = 0; i < schema->nfields; i++) any[schema->fields[i].type == SHEAF_F64] = true;
	if (!any[0] || !any[1]) return SHEAF_OK;
	sheaf_problem problem = sheaf_problem_in(
		file, &SHEAF_FINDING(severity, "mixed element types", "one element type in all streams",
	                         "float and double streams, which CNTK's reader refuses", consequence));
	return sheaf_report(cx, &problem, err);
}

/* The header: the number of chunks stands before the streams, and their table after them. */
static sheaf_status read_streams(sheaf_cbf_reader *in, sheaf_cursor *c, sheaf_error *err)
{
	uint64_t magic = sheaf_cursor_u64le(c, "sentinel");
	uint32_t chunks = sheaf_cursor_u32le(c, "number of chunks");
	int64_t byte = sheaf_cursor_tell(c);
	uint32_t streams = sheaf_cursor_count_u32le(c, CBF_STREAM_LEAST, "stream headers");
	if (magic != CBF_MAGIC)
		return FLAW(in, in->header, err,
		            "the magic number 0x%016" PRIx64 " at the start of the header, found 0x%016" PRIx64,
		            CBF_MAGIC, magic);
	SHEAF_TRY(check_truncated(in, c, err));
	if (streams == 0) return FLAW(in, byte, err, "at least 1 stream, found %d", 0);
	for (uint32_t i = 0; i < streams; i++) {
		SHEAF_TRY(sheaf_check_stop(in->cx, err));
		SHEAF_TRY(read_stream(in, c, err));
	}
	SHEAF_TRY(read_chunks(in, c, chunks, err));
	return sheaf_cbf_note_mixture(&in->schema, in->cx, sheaf_source_name(in->source), SHEAF_NOTE, NULL, err);
}

sheaf_status sheaf_cbf_read_header(sheaf_cbf_reader *in, sheaf_error *err)
{
	sheaf_buffer bytes = {0};
	SHEAF_TRY(read_prefix(in, err));
	SHEAF_TRY(find_header(in, err));
	size_t size = (size_t)(sheaf_source_size(in->source) - CBF_TRAILER - in->header);
	SHEAF_TRY(sheaf_source_view_at(in->source, in->header, size, &bytes, err));
	sheaf_cursor c = sheaf_cursor_over(bytes.data, size, in->header);
	sheaf_status status = read_streams(in, &c, err);
	sheaf_buffer_reset(&bytes);
	return status;
}

/* ---- renaming ---- */

/* Names in options have a size, and no NUL at their end. */
static int find_exact(const sheaf_schema *schema, const char *name, size_t n)
{
	for (int i = 0; i < schema->nfields; i++)
		if (strlen(schema->fields[i].name) == n && memcmp(schema->fields[i].name, name, n) == 0) return i;
	return -1;
}

/* The file says what a stream is; a declaration that says something else is a mistake of one of them. */
static sheaf_status check_declared(const sheaf_cbf_reader *in, const sheaf_field *field,
                                   const sheaf_declared *d, sheaf_error *err)
{
	const char *file = sheaf_source_name(in->source);
	bool sparse = sheaf_field_is_sparse(field);
	if (d->dim >= 0 && d->dim != sheaf_field_dim(field))
		return sheaf_fail(err, SHEAF_DATA, "%s: stream \"%s\": expected dim %" PRId64 ", found %" PRId64,
		                  file, field->name, d->dim, sheaf_field_dim(field));
	if (d->sparse >= 0 && d->sparse != sparse)
		return sheaf_fail(err, SHEAF_DATA, "%s: stream \"%s\": expected %s storage, found %s", file,
		                  field->name, d->sparse ? "sparse" : "dense", sparse ? "sparse" : "dense");
	if (d->type >= 0 && d->type != (int)field->type)
		return sheaf_fail(err, SHEAF_DATA, "%s: stream \"%s\": expected %s, found %s", file, field->name,
		                  sheaf_type_name((sheaf_type)d->type), sheaf_type_name(field->type));
	return SHEAF_OK;
}

/* NAME:alias=OLD renames OLD to NAME. A stream that already has the name NAME needs no renaming. A mistyped
 * name would otherwise be ignored silently. */
sheaf_status sheaf_cbf_rename_streams(sheaf_cbf_reader *in, const sheaf_values *values, sheaf_error *err)
{
	const char *text;
	for (int k = 0; (text = sheaf_values_nth(values, "stream", k)); k++) {
		sheaf_declared d;
		SHEAF_TRY(sheaf_declared_from_text(text, &d, err));
		int i = d.alias ? find_exact(&in->schema, d.alias, d.alias_size) : -1,
			same = find_exact(&in->schema, d.name, d.name_size);
		if (i >= 0 && same >= 0 && same != i)
			return sheaf_fail(
				err, SHEAF_USAGE,
				SHEAF_OPTION("stream") " %s: expected a new name that no other stream has, found one that "
									   "stream %d has",
				d.name, same);
		if (i >= 0)
			SHEAF_TRY(sheaf_schema_rename(&in->schema, &in->schema.fields[i], d.name, d.name_size, err));
		if (i < 0) i = same;
		if (i < 0) {
			char wanted[160];
			size_t n = d.alias ? d.alias_size : d.name_size;
			snprintf(wanted, sizeof wanted, "%.*s", (int)(n < 128 ? n : 128), d.alias ? d.alias : d.name);
			return sheaf_refuse_stream("stream", wanted, sheaf_source_name(in->source), &in->schema, err);
		}
		SHEAF_TRY(check_declared(in, &in->schema.fields[i], &d, err));
	}
	return SHEAF_OK;
}
