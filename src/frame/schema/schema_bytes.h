/* SPDX-License-Identifier: MIT */
/* A schema as bytes, to be kept in a file. */
#ifndef SHEAF_FRAME_SCHEMA_SCHEMA_BYTES_H
#define SHEAF_FRAME_SCHEMA_SCHEMA_BYTES_H

#include "base/buffer.h"
#include "base/cursor.h"
#include <sheaf/frame.h>

void sheaf_schema_to_bytes(const sheaf_schema *schema, sheaf_builder *b);
/* The hash of these bytes. */
SHEAF_USE sheaf_status sheaf_schema_hash(const sheaf_schema *schema, sheaf_context *cx, uint64_t *out,
                                         sheaf_error *err);
/* DATA where the bytes at the cursor are not those of a schema, or of one that there cannot be
 * (sheaf_schema_check). On failure *out is reset. */
SHEAF_USE sheaf_status sheaf_schema_from_bytes(sheaf_cursor *c, sheaf_context *cx, sheaf_schema *out,
                                               sheaf_error *err);

#endif
