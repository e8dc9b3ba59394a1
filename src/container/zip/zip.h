/* SPDX-License-Identifier: MIT */
/* Reading ZIP files: their members, and where each is. Nothing is unpacked, and no contents are looked at,
 * before somebody asks for a member. */
#ifndef SHEAF_CONTAINER_ZIP_ZIP_H
#define SHEAF_CONTAINER_ZIP_ZIP_H

#include "base/buffer.h"
#include <sheaf/io.h>

typedef struct sheaf_zip_member {
	char *name;
	unsigned needs, method, flags; /* needs: the version of the format, ten times */
	uint32_t sum;
	int64_t at, stored, size; /* of the local header; bytes in the archive, and unpacked */
	int64_t end;              /* where the next member, or the list, begins */
} sheaf_zip_member;

typedef struct sheaf_zip {
	sheaf_context *cx;
	sheaf_source *source;
	sheaf_zip_member *members, **by_name;
	int count, room;
	int64_t directory; /* byte at which the list of members begins */
	bool is_told;      /* that a member occurs twice */
} sheaf_zip;

/* Reads the list of members; the source is seekable. */
SHEAF_USE sheaf_status sheaf_zip_open(sheaf_zip *archive, sheaf_source *source, sheaf_context *cx,
                                      sheaf_error *err);
/* The list stays with the source, for the next who opens it. */
void sheaf_zip_close(sheaf_zip *archive);

/* The index in by_name of the first member that does not sort before the name: n bytes, and an ending. */
int sheaf_zip_place(const sheaf_zip *archive, const char *name, size_t n, const char *ending);
/* The member of that name; of several the one that is listed first; NULL: there is none. */
const sheaf_zip_member *sheaf_zip_find(const sheaf_zip *archive, const char *name, size_t n,
                                       const char *ending);
/* Where the contents of a stored member begin, without checking them; and that check. */
SHEAF_USE sheaf_status sheaf_zip_locate(const sheaf_zip *archive, const sheaf_zip_member *member, int64_t *at,
                                        sheaf_error *err);
SHEAF_USE sheaf_status sheaf_zip_check(const sheaf_zip *archive, const sheaf_zip_member *member, int64_t at,
                                       sheaf_error *err);

/* The contents of a member, whose checksum is checked: *at is their byte in the source if they are stored
 * uncompressed, or -1, and then they are in *bytes, which begins empty and is the caller's. */
SHEAF_USE sheaf_status sheaf_zip_contents(const sheaf_zip *archive, const sheaf_zip_member *member,
                                          int64_t *at, sheaf_buffer *bytes, sheaf_error *err);

#endif
