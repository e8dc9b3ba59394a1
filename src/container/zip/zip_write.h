/* SPDX-License-Identifier: MIT */
/* Writing ZIP files: headers of members, and their list. */
#ifndef SHEAF_CONTAINER_ZIP_ZIP_WRITE_H
#define SHEAF_CONTAINER_ZIP_ZIP_WRITE_H

#include "base/buffer.h"
#include <sheaf/io.h>

typedef struct sheaf_zip_head {
	const char *name;
	uint64_t size, stored, at;
	uint32_t sum;
	unsigned method, padding; /* padding that moves the contents to an aligned address */
	bool later;               /* its checksum and sizes follow it */
	bool is_long;
} sheaf_zip_head;

/* Once name, sizes and place are known: whether they need more than 32 bits; and, if the contents are to be
 * aligned, how much padding comes before them. */
void sheaf_zip_find_length(sheaf_zip_head *head);
void sheaf_zip_find_padding(sheaf_zip_head *head);
/* Size of everything before the contents. */
size_t sheaf_zip_local_size(const sheaf_zip_head *head);
void sheaf_zip_put_local(sheaf_builder *b, const sheaf_zip_head *head);
/* After the contents of a member whose checksum and sizes follow it. */
void sheaf_zip_put_sum(sheaf_builder *b, const sheaf_zip_head *head);
void sheaf_zip_put_in_list(sheaf_builder *b, const sheaf_zip_head *head);
/* The end of the file, after the list of members, which begins at this byte. */
void sheaf_zip_put_end(sheaf_builder *b, int64_t nmembers, int64_t begin);

/* Writing a ZIP file to a random sink: members get their places in order, and may be written in any. */
typedef struct sheaf_zip_output {
	sheaf_context *cx;
	sheaf_sink *sink;
	sheaf_builder list;
	int64_t end, members; /* byte after the last one's contents */
} sheaf_zip_output;

void sheaf_zip_begin(sheaf_zip_output *out, sheaf_sink *sink, sheaf_context *cx);
void sheaf_zip_drop(sheaf_zip_output *out);
/* The next place, for a member whose name and sizes are known: aligned if requested. */
SHEAF_USE sheaf_status sheaf_zip_reserve(sheaf_zip_output *out, sheaf_zip_head *head, bool is_aligned,
                                         sheaf_error *err);
/* Writes the header into its place, followed by the first bytes of the contents; and lists the member. */
SHEAF_USE sheaf_status sheaf_zip_put(sheaf_zip_output *out, const sheaf_zip_head *head, sheaf_bytes first,
                                     sheaf_error *err);
/* The list, after the last member. */
SHEAF_USE sheaf_status sheaf_zip_finish(sheaf_zip_output *out, sheaf_error *err);

#endif
