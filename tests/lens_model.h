/* SPDX-License-Identifier: MIT */
/* For tests of example files: sets whole in memory, and as the real program's dumps show them. */
#ifndef SHEAF_TESTS_LENS_MODEL_H
#define SHEAF_TESTS_LENS_MODEL_H

#include "format/lens/writing.h"
#include <stdio.h>

/* Adds all examples of the reader to the set, in pieces of about `bytes` bytes. */
SHEAF_USE sheaf_status read_set(sheaf_lens_reader *in, int64_t bytes, sheaf_lens_set *set, sheaf_context *cx,
                                sheaf_error *err);
/* The whole set in one spelling, at the end of a builder. */
SHEAF_USE sheaf_status write_set(sheaf_lens_writing *w, const sheaf_lens_spelling *spelling,
                                 const sheaf_lens_set *set, sheaf_builder *to, sheaf_error *err);
/* The set as the dumps of the real program show it, except for the events as a network sees them. */
SHEAF_USE sheaf_status print_set(sheaf_lens_writing *w, const sheaf_lens_set *set, FILE *to,
                                 sheaf_error *err);

#endif
