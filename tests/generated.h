/* SPDX-License-Identifier: MIT */
/* Random datasets of every kind of rows, for properties that must hold for all formats. */
#ifndef SHEAF_TESTS_GENERATED_H
#define SHEAF_TESTS_GENERATED_H

#include "support.h"

enum { MOST_STREAMS = 6 };

/* Sequences with what a format holds (HOLDS_...). */
table make_dataset(sheaf_context *cx, unsigned can);
/* Rows of that kind: sequences, cells, or entries. */
table make_rows(sheaf_context *cx, sheaf_row_kind kind, unsigned can);

#endif
