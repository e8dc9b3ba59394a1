/* SPDX-License-Identifier: MIT */
/* Heads of messages (section "Encapsulated message format"). */
#include "base/endian.h"
#include "format/arrow/ipc.h"
#include "io/source.h"
#include <inttypes.h>
#include <strings.h>

enum { VERSION, KIND, HEADER, BODY, CUSTOM_METADATA }; /* slots of Message */
enum { OLD_PREFIX = 4 };

/* A size of 0 says that the stream ends, as does an input without another byte; fewer bytes than a prefix has
 * give a head of 0 that is no end. Before version 0.15, writers did not write the four bytes of 0xff. */
sheaf_ipc_prefix sheaf_ipc_prefix_of(const uint8_t *bytes, size_t size)
{
	sheaf_ipc_prefix p = {.before = OLD_PREFIX};
	if (size < OLD_PREFIX) return (sheaf_ipc_prefix){.ends = size == 0};
	uint32_t word = sheaf_load_u32le(bytes);
	if (word == UINT32_MAX) {
		if (size < SHEAF_IPC_PREFIX) return (sheaf_ipc_prefix){0};
		word = sheaf_load_u32le(bytes + OLD_PREFIX);
		p.before = SHEAF_IPC_PREFIX;
	}
	p.ends = word == 0;
	p.head = word;
	return p;
}

/* Reads the codec of a batch: BodyCompression names it, with a method of which there is one, each buffer by
 * itself. Version 0.17 had no such table, and named it in the metadata of the message. A codec that is not
 * known becomes CODECS, which is refused. */
static sheaf_status read_codec(const sheaf_fb_table *message, int64_t version, sheaf_ipc_message *out,
                               const char **found)
{
	enum { COMPRESSION = 3 /* of RecordBatch */, CODEC = 0, METHOD = 1, EACH_BUFFER = 0 };
	static const char *const words[] = {[SHEAF_IPC_LZ4] = "lz4", [SHEAF_IPC_ZSTD] = "zstd"};
	enum { CODECS = sizeof words / sizeof *words };
	sheaf_fb_table compression = sheaf_fb_child(&out->batch, COMPRESSION);
	sheaf_bytes word = {0};
	out->codec = SHEAF_IPC_PLAIN;
	if (compression.in) {
		int64_t codec = sheaf_fb_number(&compression, CODEC, 1, SHEAF_IPC_LZ4);
		bool known = codec >= 0 && sheaf_fb_number(&compression, METHOD, 1, EACH_BUFFER) == EACH_BUFFER;
		out->codec = known ? (int)codec : CODECS;
	} else if (version == SHEAF_IPC_METADATA_V4) {
		word = sheaf_ipc_metadata(message, CUSTOM_METADATA, "ARROW:experimental_compression");
	}
	for (int c = 0; c < CODECS && word.data; c++)
		if (word.size == strlen(words[c]) && strncasecmp((const char *)word.data, words[c], word.size) == 0)
			out->codec = c;
	if (out->codec >= CODECS || (word.data && out->codec < 0)) {
		*found = "a compression that is not read (LZ4 and Zstandard of each buffer are)";
		return SHEAF_UNSUPPORTED;
	}
	return SHEAF_OK;
}

/* *found is set before each check, to what was found if that fails. */
sheaf_status sheaf_ipc_read_message(const uint8_t *bytes, size_t size, sheaf_ipc_message *out,
                                    const char **found)
{
	enum { DATA = 1 /* of DictionaryBatch */ };
	/* Those that are read, by their numbers. */
	static const bool versions[] = {[SHEAF_IPC_METADATA_V4] = true, [SHEAF_IPC_METADATA_V5] = true};
	static const bool kinds[] = {
		[SHEAF_IPC_SCHEMA] = true, [SHEAF_IPC_DICTIONARY] = true, [SHEAF_IPC_BATCH] = true};
	sheaf_ipc_prefix prefix = sheaf_ipc_prefix_of(bytes, size);
	*out = (sheaf_ipc_message){.head = (int64_t)size};
	out->flat = sheaf_fb_over(bytes + prefix.before, size - (size_t)prefix.before);
	sheaf_fb_table message = sheaf_fb_root(&out->flat);
	int64_t version = sheaf_fb_number(&message, VERSION, 2, 0), kind = sheaf_fb_number(&message, KIND, 1, 0);
	out->body = sheaf_fb_number(&message, BODY, 8, 0);
	out->table = sheaf_fb_child(&message, HEADER);
	*found = "a header whose parts lie outside of it";
	if (out->flat.broken || !out->table.in) return SHEAF_DATA;
	*found = "a version of them that is not read (4 and 5 are)";
	if (version < 0 || version >= (int64_t)sizeof versions || !versions[version]) return SHEAF_UNSUPPORTED;
	*found = "a message of another kind, such as a tensor";
	if (kind < 0 || kind >= (int64_t)sizeof kinds || !kinds[kind]) return SHEAF_UNSUPPORTED;
	*found = "a body of a negative size";
	if (out->body < 0) return SHEAF_DATA;
	out->kind = (sheaf_ipc_kind)kind;
	out->old = version == SHEAF_IPC_METADATA_V4;
	if (out->kind == SHEAF_IPC_SCHEMA) return SHEAF_OK;
	out->batch = out->kind == SHEAF_IPC_BATCH ? out->table : sheaf_fb_child(&out->table, DATA);
	SHEAF_TRY(read_codec(&message, version, out, found));
	*found = "a header whose parts lie outside of it";
	return out->flat.broken ? SHEAF_DATA : SHEAF_OK;
}

#define EXPECTED "%s: byte %" PRId64 ": expected a message of a schema and its batches, found %s"

sheaf_status sheaf_ipc_unsound(const sheaf_ipc_reader *in, int64_t byte, const char *found, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA, EXPECTED, sheaf_source_name(in->source), byte, found);
}

sheaf_status sheaf_ipc_judge_message(const sheaf_ipc_reader *in, sheaf_bytes bytes, int64_t byte,
                                     sheaf_ipc_message *out, sheaf_error *err)
{
	const char *found;
	sheaf_status status = sheaf_ipc_read_message(bytes.data, bytes.size, out, &found);
	return status ? sheaf_fail(err, status, EXPECTED, sheaf_source_name(in->source), byte, found) : SHEAF_OK;
}

/* The bytes are exactly one message: its head, and a body of the size that the head says. */
sheaf_status sheaf_ipc_read_taken(const sheaf_ipc_reader *in, const sheaf_buffer *bytes, int64_t byte,
                                  sheaf_ipc_message *out, sheaf_buffer *body, sheaf_error *err)
{
	sheaf_ipc_prefix prefix = sheaf_ipc_prefix_of(bytes->data, bytes->size);
	int64_t head = prefix.before + prefix.head;
	if (prefix.head == 0 || (uint64_t)head > bytes->size)
		return sheaf_ipc_unsound(in, byte, "another message there", err);
	SHEAF_TRY(sheaf_ipc_judge_message(in, (sheaf_bytes){bytes->data, (size_t)head}, byte, out, err));
	if ((uint64_t)out->body != bytes->size - (uint64_t)head)
		return sheaf_ipc_unsound(in, byte, "a message of another size there", err);
	*body =
		(sheaf_buffer){.data = bytes->data + head, .size = bytes->size - (size_t)head, .block = bytes->block};
	return SHEAF_OK;
}
