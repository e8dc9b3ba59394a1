/* SPDX-License-Identifier: MIT */
/* What several tests share: index_support.h. */
#include "index_support.h"
#include "dataset/dataset.h"
#include "dataset/index/pieces.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#define INDEX ".sheaf-index"

sheaf_context *cx;
int warnings;
char last_rule[64];

static void hear(void *user, const sheaf_problem *problem)
{
	(void)user;
	warnings += problem->severity >= SHEAF_WARNING;
	snprintf(last_rule, sizeof last_rule, "%s", problem->rule);
}

int set_up(void **state)
{
	sheaf_context_options options = {.size = sizeof options, .on_problem = hear};
	int failed = make_folder(state);
	warnings = 0;
	cx = context_with(&options);
	mkdir(in_folder("cache"), S_IRWXU);
	setenv("XDG_CACHE_HOME", in_folder("cache"), 1);
	return failed;
}

int tear_down(void **state)
{
	end_context(cx);
	return remove_folder(state);
}

/* ---- what there is to compare ---- */

static void put_schema(const sheaf_schema *schema, char *text, size_t size)
{
	size_t used = 0;
	for (int f = 0; f < schema->nfields && used < size; f++) {
		char field[80];
		used += (size_t)snprintf(text + used, size - used, "%s %s;", schema->fields[f].name,
		                         sheaf_field_text(&schema->fields[f], field, sizeof field));
	}
}

static void put_table(const sheaf_pieces *pieces, char *text, size_t size)
{
	size_t used = 0;
	enum { BATCH = 64 };
	uint32_t lengths[BATCH];
	for (int64_t i = 0; i < sheaf_pieces_count(pieces) && used < size; i++) {
		sheaf_piece_entry e;
		sheaf_pieces_at(pieces, i, &e);
		used += (size_t)snprintf(text + used, size - used,
		                         "%" PRId64 "+%" PRId64 " line %" PRId64 " row %" PRId64 "+%" PRId64
		                         " =%" PRId64 ";",
		                         e.byte, e.size, e.line, e.row, e.rows, e.samples);
		for (int64_t r = e.row; r < e.row + e.rows && used < size; r += BATCH) {
			int64_t n = e.row + e.rows - r < BATCH ? e.row + e.rows - r : BATCH;
			assert_ok(sheaf_pieces_lengths(pieces, r, n, lengths, &err));
			for (int64_t k = 0; k < n && used < size; k++)
				used += (size_t)snprintf(text + used, size - used, " %" PRIu32, lengths[k]);
		}
	}
}

sheaf_open_options opening(sheaf_index_policy policy)
{
	return (sheaf_open_options){.size = sizeof(sheaf_open_options), .piece_bytes = PIECE, .index = policy};
}

sheaf_dataset *open_file(const char *name, const sheaf_open_options *options)
{
	sheaf_dataset *dataset;
	assert_ok(sheaf_open(in_folder(name), options, cx, &dataset, &err));
	return dataset;
}

bool is_fresh(const char *name, const sheaf_open_options *options)
{
	sheaf_index_info info;
	sheaf_dataset *dataset = open_file(name, options);
	sheaf_dataset_index(dataset, &info);
	sheaf_close(dataset);
	return info.fresh;
}

void take_picture(const char *name, const sheaf_open_options *options, picture *out)
{
	const sheaf_pieces *pieces;
	memset(out, 0, sizeof *out);
	sheaf_dataset *dataset = open_file(name, options);
	put_schema(sheaf_dataset_schema(dataset), out->schema, sizeof out->schema);
	assert_ok(sheaf_dataset_pieces(dataset, &pieces, &err));
	put_table(pieces, out->table, sizeof out->table);
	assert_ok(hash_dataset(dataset, true, true, out->hash));
	sheaf_close(dataset);
	dataset = open_file(name, options);
	assert_ok(sheaf_skip(dataset, SKIPPED, &err));
	assert_ok(hash_dataset(dataset, true, true, out->tail));
	sheaf_close(dataset);
}

void assert_same_picture(const picture *a, const picture *b)
{
	assert_string_equal(a->schema, b->schema);
	assert_string_equal(a->table, b->table);
	assert_string_equal(a->hash, b->hash);
	assert_string_equal(a->tail, b->tail);
}

void assert_nothing_changes(const char *name)
{
	picture with, without;
	sheaf_open_options use = opening(SHEAF_INDEX_USE), never = opening(SHEAF_INDEX_NEVER);
	take_picture(name, &use, &with);
	take_picture(name, &never, &without);
	assert_same_picture(&with, &without);
}

void make_index(const char *name, const sheaf_setting *settings, int n)
{
	sheaf_open_options options = opening(SHEAF_INDEX_USE);
	options.settings = settings;
	options.nsettings = n;
	sheaf_dataset *dataset = open_file(name, &options);
	assert_ok(sheaf_dataset_write_index(dataset, NULL, &err));
	sheaf_close(dataset);
}

void write_indexed(const char *name)
{
	write_text(name, sequences);
	make_index(name, NULL, 0);
}

const char *index_of(const char *name)
{
	static char text[80];
	snprintf(text, sizeof text, "%s" INDEX, name);
	return text;
}

void set_time(const char *name, int64_t ns)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT},
	                            {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)}};
	assert_int_equal(utimensat(AT_FDCWD, in_folder(name), times, 0), 0);
}

int64_t time_of(const char *name)
{
	struct stat info;
	assert_int_equal(stat(in_folder(name), &info), 0);
	return (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
}
