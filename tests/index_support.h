/* SPDX-License-Identifier: MIT */
/* What the tests of index files share: a context and a folder for each, and what a dataset looks like with
 * and without its index. */
#ifndef SHEAF_TESTS_INDEX_SUPPORT_H
#define SHEAF_TESTS_INDEX_SUPPORT_H

#include "support.h"

extern sheaf_context *cx;
extern int warnings;
extern char last_rule[64];
int set_up(void **state);
int tear_down(void **state);
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* ---- what there is to compare ---- */

/* What a reader learns about a file, in every way. */
typedef struct picture {
	char hash[33], schema[200], table[4000], tail[33];
} picture;

enum { PIECE = 60, SKIPPED = 5 };
sheaf_open_options opening(sheaf_index_policy policy);
sheaf_dataset *open_file(const char *name, const sheaf_open_options *options);
bool is_fresh(const char *name, const sheaf_open_options *options);
void take_picture(const char *name, const sheaf_open_options *options, picture *out);
void assert_same_picture(const picture *a, const picture *b);
void assert_nothing_changes(const char *name);
void make_index(const char *name, const sheaf_setting *settings, int n);

/* Sequences of several lines, the first one with the least dims. */
static const char sequences[] =
	"0 |A 1 |B 1:1\n0 |A 2\n1 |A 1 |B 5:1\n2 |A 1 |B 2:1 7:1\n2 |A 3\n2 |A 4\n"
	"9 |A 5 |B 3:1\n12 |A 5 |B 3:1\n13 |A 5 |B 3:1\n13 |B 3:2\n14 |A 5 |B 3:1\n15 |A 8 |B 1:1\n";
void write_indexed(const char *name);
const char *index_of(const char *name);

void set_time(const char *name, int64_t ns);
int64_t time_of(const char *name);

#endif
