/* SPDX-License-Identifier: MIT */
/* Boxes on several threads, and the kernels under them: checksums and shuffled bytes. */
#include "base/threads/thread.h"
#include "box_support.h"
#include "container/hdf5/checksum.h"
#include "number/shuffle.h"
#include <string.h>

/* ---- checksums ---- */

static void checksums(void **state)
{
	(void)state;
	static const char text[] = "Four score and seven years ago";
	/* A superblock as HDF5 wrote it, before its checksum. */
	static const uint8_t superblock[44] = {
		0x89, 'H',  'D',  'F',  '\r', '\n', 0x1a, '\n', 3, 8, 8, 0, 0, 0, 0,    0, 0, 0, 0, 0, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf9, 0x0b, 0, 0, 0, 0, 0, 0, 0x30, 0, 0, 0, 0, 0, 0,    0};
	static const uint8_t few[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
	uint8_t more[1000];
	for (int i = 0; i < 1000; i++) more[i] = (uint8_t)(i | 200);
	assert_int_equal(0xdeadbeef, sheaf_hdf5_checksum(text, 0));
	assert_int_equal(0x17770551, sheaf_hdf5_checksum(text, 30));
	assert_int_equal(0x60f21761, sheaf_hdf5_checksum(superblock, sizeof superblock));
	assert_int_equal(0x282e1410, sheaf_hdf5_fletcher(few, sizeof few));
	assert_int_equal(0xa6003a2c, sheaf_hdf5_fletcher(more, sizeof more));
	assert_true(sheaf_hdf5_is_fletcher(0x282e1410, 0x282e1410));
	assert_true(sheaf_hdf5_is_fletcher(0x2e281014, 0x282e1410));
	assert_false(sheaf_hdf5_is_fletcher(0x282e1411, 0x282e1410));
}

/* ---- shuffling ---- */

static void shuffled_bytes(void **state)
{
	(void)state;
	static uint8_t from[1000], to[1000], back[1000];
	seed_random(1);
	for (size_t i = 0; i < sizeof from; i++) from[i] = (uint8_t)next_random();
	for (size_t width = 1; width <= 17; width++)
		for (size_t size = 0; size <= sizeof from; size += size < 300 ? 1 : 233) {
			size_t n = size / width;
			sheaf_shuffle(from, to, size, width);
			for (size_t i = 0; i < n; i++)
				for (size_t k = 0; k < width; k++) assert_int_equal(from[i * width + k], to[k * n + i]);
			sheaf_unshuffle(to, back, size, width);
			assert_memory_equal(from, back, size);
		}
}

/* Noise in low bytes, in all, and in none. */
static void shuffled_noise(void **state)
{
	(void)state;
	made m = begin_box(SHEAF_BOX_HDF5);
	enum { COUNT_OF = 300000, KINDS = 4 };
	static const char *const names[KINDS] = {"low", "all", "none", "high"};
	static double values[KINDS][COUNT_OF];
	sheaf_box_storing packed = {3, true, 1 << 20};
	seed_random(2);
	for (int i = 0; i < COUNT_OF; i++) {
		uint64_t bits = next_random();
		values[0][i] = (double)(bits >> 11);
		memcpy(&values[1][i], &bits, sizeof bits);
		values[2][i] = i % 1000;
		bits &= 0x0000ffff00000000;
		memcpy(&values[3][i], &bits, sizeof bits);
	}
	for (int k = 0; k < KINDS; k++)
		assert_ok(sheaf_box_put(m.box, names[k], (sheaf_box_values){SHEAF_F64, values[k], COUNT_OF}, &packed,
		                        &err));
	turn_box(&m);
	for (int k = 0; k < KINDS; k++) assert_values(&m, names[k], SHEAF_F64, values[k], 0, COUNT_OF);
	assert_true(find_item(&m, "low")->bytes < (int64_t)sizeof values[0] * 9 / 10);
	assert_true(find_item(&m, "all")->bytes <= (int64_t)sizeof values[0] + (1 << 20));
	assert_true(find_item(&m, "none")->bytes < (int64_t)sizeof values[0] / 10);
	assert_true(find_item(&m, "high")->bytes < (int64_t)sizeof values[0] * 3 / 10);
	end_box(&m);
}

/* ---- threads ---- */

static void any_number_of_threads_gives_the_same(void **state)
{
	(void)state;
	static const int threads[] = {1, 2, 5};
	bytes_sink files[COUNT(threads)];
	fill_values(SHEAF_I32, many, 2 * MANY);
	for (size_t i = 0; i < COUNT(threads); i++) {
		sheaf_context_options options = {.size = sizeof options, .threads = threads[i]};
		made m = begin_box_in(context_with(&options), SHEAF_BOX_HDF5, false);
		sheaf_box_storing packed = {4, true, 5000};
		assert_ok(sheaf_box_put(m.box, "x", (sheaf_box_values){SHEAF_I32, many, 2 * MANY}, &packed, &err));
		assert_ok(sheaf_box_put(m.box, "y", (sheaf_box_values){SHEAF_I32, many, 2 * MANY}, NULL, &err));
		turn_box(&m);
		static int64_t wide[2 * MANY];
		assert_values(&m, "x", SHEAF_I32, many, 0, 2 * MANY);
		assert_ok(sheaf_box_read_into(m.box, (sheaf_box_run){find_item(&m, "x"), 1, 2 * MANY}, SHEAF_I64,
		                              wide, &err));
		assert_int_equal(((int32_t *)(void *)many)[2 * MANY - 1], wide[2 * MANY - 2]);
		assert_ok(sheaf_box_read_into(m.box, (sheaf_box_run){find_item(&m, "y"), 1, 2 * MANY}, SHEAF_I64,
		                              wide, &err));
		assert_int_equal(((int32_t *)(void *)many)[2 * MANY - 1], wide[2 * MANY - 2]);
		end_box(&m);
		files[i] = read_file("box.h5");
		if (i) assert_same_bytes(&files[0], &files[i]);
	}
	for (size_t i = 0; i < COUNT(threads); i++) free_bytes(&files[i]);
}

/* Several readers of one box, and of boxes beside it. */
typedef struct reader {
	sheaf_thread thread;
	const made *m;
	const char *path;
	bool fine;
} reader;

static void *read_in_thread(void *user)
{
	reader *r = (reader *)user;
	sheaf_error mine = {0};
	sheaf_source *source;
	sheaf_box *box;
	r->fine = true;
	for (int i = 0; r->fine && i < 20; i++) {
		static _Thread_local int32_t values[MANY];
		r->fine = sheaf_box_read_into(r->m->box, (sheaf_box_run){sheaf_box_find(r->m->box, "x"), 0, MANY},
		                              SHEAF_I32, values, &mine) == SHEAF_OK &&
		          memcmp(values, many, sizeof values) == 0;
		sheaf_context *cx;
		if (sheaf_context_new(NULL, &cx, &mine)) return NULL;
		r->fine = r->fine && sheaf_source_path(r->path, cx, &source, &mine) == SHEAF_OK;
		if (r->fine) {
			r->fine = sheaf_box_open(source, cx, &box, &mine) == SHEAF_OK;
			if (r->fine) sheaf_box_close(box);
			sheaf_source_close(source);
		}
		sheaf_context_free(cx);
	}
	return NULL;
}

static void readers_beside_each_other(void **state)
{
	(void)state;
	made m = begin_box(SHEAF_BOX_HDF5);
	reader readers[4];
	sheaf_box_storing packed = {1, true, 20000};
	fill_values(SHEAF_I32, many, MANY);
	assert_ok(sheaf_box_put(m.box, "x", (sheaf_box_values){SHEAF_I32, many, MANY}, &packed, &err));
	turn_box(&m);
	for (size_t i = 0; i < COUNT(readers); i++) {
		readers[i] = (reader){.m = &m, .path = in_folder("box.h5")};
		assert_true(sheaf_thread_start(&readers[i].thread, read_in_thread, &readers[i]));
	}
	for (size_t i = 0; i < COUNT(readers); i++) sheaf_thread_join(&readers[i].thread);
	for (size_t i = 0; i < COUNT(readers); i++) assert_true(readers[i].fine);
	end_box(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checksums),
		cmocka_unit_test(shuffled_bytes),
		FOLDER(shuffled_noise),
		FOLDER(any_number_of_threads_gives_the_same),
		FOLDER(readers_beside_each_other),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
