/* SPDX-License-Identifier: MIT */
/* Arrow's files and streams: the table entry. */
#include "base/suffix.h"
#include "format/arrow/ipc.h"

static const char *const suffixes[] = {".arrow", ".feather", ".ipc", ".arrows", NULL};

static const sheaf_option options[] = {
	{"compression", SHEAF_OPTION_CHOICE, SHEAF_WRITING, "none|lz4|zstd",
     "compress each buffer (default none)", 0},
	{"chunk-bytes", SHEAF_OPTION_SIZE, SHEAF_WRITING, "SIZE",
     "the approximate size of a record batch (default 1M)", 0},
	{"code-columns", SHEAF_OPTION_FLAG, SHEAF_WRITING, NULL,
     "write why values are missing, as columns NAME.code of int8", 0},
	{"text-as-bytes", SHEAF_OPTION_FLAG, SHEAF_WRITING, NULL,
     "write texts as binary columns, whatever their encoding", 0},
	{NULL, SHEAF_OPTION_FLAG, 0, NULL, NULL, 0},
};

/* A stream has no signature: its first message must be a schema. Of a long one the beginning is there, which
 * must be that of one; before version 0.15, nothing else shows a stream. */
static bool begins_with_schema(sheaf_bytes head)
{
	const char *found;
	sheaf_ipc_message message;
	sheaf_ipc_prefix prefix = sheaf_ipc_prefix_of(head.data, head.size);
	uint64_t size = (uint64_t)(prefix.before + prefix.head);
	if (prefix.head == 0 || prefix.head > INT32_MAX) return false;
	if (size > head.size && prefix.before == SHEAF_IPC_PREFIX) return true;
	if (size > head.size) size = head.size;
	return !sheaf_ipc_read_message(head.data, (size_t)size, &message, &found) &&
	       message.kind == SHEAF_IPC_SCHEMA;
}

static sheaf_likely probe(sheaf_glimpse *at)
{
	sheaf_bytes head = at->head;
	bool has_magic =
		head.size >= SHEAF_IPC_MAGIC_SIZE && memcmp(head.data, SHEAF_IPC_MAGIC, SHEAF_IPC_MAGIC_SIZE) == 0;
	if (has_magic || (head.size >= SHEAF_IPC_PREFIX && begins_with_schema(head))) return SHEAF_SURE;
	return sheaf_has_suffix_of(at->name, suffixes) ? SHEAF_PERHAPS : SHEAF_NO;
}

static const sheaf_random_access random_access = {
	.recall = sheaf_ipc_recall,
	.resumes = true,
};

static const sheaf_model model = {
	.list = sheaf_ipc_list,
};

const sheaf_format sheaf_format_arrow = {
	.name = "arrow",
	.summary = "Arrow's files, Feather among them, and streams: tables, and sequences as lists",
	.suffixes = suffixes,
	.can = SHEAF_CAN_KEYS,
	.options = options,
	.random = &random_access,
	.write = &sheaf_ipc_writing,
	.model = &model,
	.probe = probe,
	.reader_size = sizeof(sheaf_ipc_reader),
	.open = sheaf_ipc_open,
	.cut = sheaf_ipc_cut,
	.decode = sheaf_ipc_decode,
	.rewind = sheaf_ipc_rewind,
	.close = sheaf_ipc_close,
};
