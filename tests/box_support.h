/* SPDX-License-Identifier: MIT */
/* What the tests of boxes share: a box that is written, then read. */
#ifndef SHEAF_TESTS_BOX_SUPPORT_H
#define SHEAF_TESTS_BOX_SUPPORT_H

#include "container/box.h"
#include "support.h"

/* ---- a box that is written, then read ---- */

typedef struct made {
	sheaf_context *cx;
	sheaf_box_kind kind;
	sheaf_sink *sink;
	sheaf_source *source;
	sheaf_box *box;
} made;
made begin_box_in(sheaf_context *cx, sheaf_box_kind kind, bool into);
made begin_box(sheaf_box_kind kind);
void open_file(made *m);

/* From writing to reading. */
void turn_box(made *m);
void close_made(made *m);
void end_box(made *m);
const sheaf_box_item *find_item(const made *m, const char *path);
void assert_paths(const made *m, const char *wanted);

/* Values of any type that are all different. */
void fill_values(sheaf_type type, void *values, int64_t count);
void assert_values(made *m, const char *path, sheaf_type type, const void *wanted, int64_t from, int64_t to);

enum { MANY = 100000 };
extern uint64_t many[MANY];

#define FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

#endif
