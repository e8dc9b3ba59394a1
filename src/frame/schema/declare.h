/* SPDX-License-Identifier: MIT */
/* Streams as users declare them: NAME:DIM:dense|sparse[:float|double][:alias=A], shared by all formats of
 * sequences. */
#ifndef SHEAF_FRAME_SCHEMA_DECLARE_H
#define SHEAF_FRAME_SCHEMA_DECLARE_H

#include "base/buffer.h"
#include <sheaf/frame.h>

/* The parts of a declaration; they point into its text. */
typedef struct sheaf_declared {
	const char *name, *alias; /* alias NULL: none */
	size_t name_size, alias_size;
	int64_t dim; /* -1: not given */
	int sparse;  /* 1, 0, or -1: not given */
	int type;    /* SHEAF_F32, SHEAF_F64, or -1: not given */
} sheaf_declared;

/* USAGE, with the part that is wrong. */
SHEAF_USE sheaf_status sheaf_declared_from_text(const char *text, sheaf_declared *out, sheaf_error *err);
/* Appends the declaration of a field, as --stream takes it, with its alias or without. */
void sheaf_declared_to_text(sheaf_builder *b, const sheaf_field *field, bool alias);

#endif
