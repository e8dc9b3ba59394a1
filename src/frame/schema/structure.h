/* SPDX-License-Identifier: MIT */
/* What structures of matrices have in common. */
#ifndef SHEAF_FRAME_SCHEMA_STRUCTURE_H
#define SHEAF_FRAME_SCHEMA_STRUCTURE_H

#include <sheaf/frame.h>

static inline bool sheaf_structure_is_lower(sheaf_structure s)
{
	return s == SHEAF_SYMMETRIC_LOWER || s == SHEAF_HERMITIAN_LOWER || s == SHEAF_SKEW_SYMMETRIC_LOWER;
}

static inline bool sheaf_structure_is_hermitian(sheaf_structure s)
{
	return s == SHEAF_HERMITIAN_LOWER || s == SHEAF_HERMITIAN_UPPER;
}

static inline bool sheaf_structure_is_skew(sheaf_structure s)
{
	return s == SHEAF_SKEW_SYMMETRIC_LOWER || s == SHEAF_SKEW_SYMMETRIC_UPPER;
}

#endif
