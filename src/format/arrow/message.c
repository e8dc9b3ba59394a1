/* SPDX-License-Identifier: MIT */
/* Heads of messages (section "Encapsulated message format"). */
#include "base/endian.h"
#include "format/arrow/ipc.h"
#include <inttypes.h>

enum { VERSION, KIND, HEADER, BODY }; /* slots of Message */
enum { OLD_PREFIX = 4 };

/* Before version 0.15, writers did not write the four bytes of 0xff. */
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

const char *sheaf_ipc_read_message(const uint8_t *bytes, size_t size, sheaf_ipc_message *out)
{
	sheaf_ipc_prefix prefix = sheaf_ipc_prefix_of(bytes, size);
	*out = (sheaf_ipc_message){.head = (int64_t)size};
	out->flat = sheaf_fb_over(bytes + prefix.before, size - (size_t)prefix.before);
	sheaf_fb_table message = sheaf_fb_root(&out->flat);
	int64_t version = sheaf_fb_number(&message, VERSION, 2, 0), kind = sheaf_fb_number(&message, KIND, 1, 0);
	out->body = sheaf_fb_number(&message, BODY, 8, 0);
	out->table = sheaf_fb_child(&message, HEADER);
	if (out->flat.broken || !out->table.in) return "a header whose parts lie outside of it";
	if (version < SHEAF_IPC_METADATA_V4 || version > SHEAF_IPC_METADATA_V5)
		return "a version that is not read";
	if (kind < SHEAF_IPC_SCHEMA || kind > SHEAF_IPC_BATCH) return "a message of another kind";
	if (out->body < 0) return "a body of a negative size";
	out->kind = (sheaf_ipc_kind)kind;
	return NULL;
}

sheaf_status sheaf_ipc_unsound(const sheaf_ipc_reader *in, int64_t byte, const char *found, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s: byte %" PRId64 ": expected a message of a schema and its batches, found %s",
	                  sheaf_source_name(in->source), byte, found);
}

/* A message that is here completely. */
sheaf_status sheaf_ipc_read_taken(const sheaf_ipc_reader *in, const sheaf_buffer *bytes, int64_t byte,
                                  sheaf_ipc_message *out, sheaf_buffer *body, sheaf_error *err)
{
	sheaf_ipc_prefix prefix = sheaf_ipc_prefix_of(bytes->data, bytes->size);
	int64_t head = prefix.before + prefix.head;
	if (prefix.head == 0 || (uint64_t)head > bytes->size)
		return sheaf_ipc_unsound(in, byte, "another message there", err);
	const char *found = sheaf_ipc_read_message(bytes->data, (size_t)head, out);
	if (found) return sheaf_ipc_unsound(in, byte, found, err);
	if ((uint64_t)out->body != bytes->size - (uint64_t)head)
		return sheaf_ipc_unsound(in, byte, "a message of another size there", err);
	*body =
		(sheaf_buffer){.data = bytes->data + head, .size = bytes->size - (size_t)head, .block = bytes->block};
	return SHEAF_OK;
}
