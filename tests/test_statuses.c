/* SPDX-License-Identifier: MIT */
/* A read that fails once makes the call fail: never another schema, other rows, other findings or an index
 * of them. And failures that may be forgiven. */
#include "base/status.h"
#include "base/third/filled.h"
#include "dataset/index/pieces.h"
#include "support.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- reads that fail ---- */

static int64_t reads, fail_at; /* number of the read that fails, from 1; 0: none */
static bool stays;             /* and all after it */

static bool fails(void) { return ++reads == fail_at || (stays && fail_at > 0 && reads > fail_at); }

/* Replaces the system's function for the library, which is linked into this program. */

ssize_t pread(int fd, void *data, size_t size, off_t offset)
{
	if (fails()) {
		errno = EIO;
		return -1;
	}
	ssize_t got = (ssize_t)syscall(SYS_pread64, fd, data, size, offset);
	if (got > 0) SHEAF_FILLED(data, (size_t)got);
	return got;
}

static void fail_from(int64_t n, bool stay)
{
	reads = 0;
	fail_at = n;
	stays = stay;
}

/* ---- inputs whose last rows show what the first ones do not ---- */

enum { SIZE = 1500000 };

static void write_rows(const char *name, const char *head, const char *row, const char *last)
{
	static char text[SIZE + 4096];
	size_t n = (size_t)snprintf(text, sizeof text, "%s", head), length = strlen(row);
	for (; n + length < SIZE; n += length) memcpy(text + n, row, length);
	n += (size_t)snprintf(text + n, sizeof text - n, "%s", last);
	write_file(name, text, n);
}

static void write_inputs(void)
{
	write_rows("a.csv", "a,b\n", "1,23456\n", "1.5,word\n");
	write_rows("a.tsv", "a\tb\n", "1\t23456\n", "1.5\tword\n");
	write_rows("a.ctf", "", "|a 1:1 2:1 3:1 |b 1 2\n", "|a 5000:1 |b 1 2\n");
	write_rows("b.ctf", "", "7 |a 1:1 2:1 3:1 |b 1 2\n", "8 |a 5000:1 |b 1 2\n");
	write_rows("a.svm", "", "1 1:2 3:4 5:6\n", "1 7000:1\n");
	write_rows("a.tns", "", "1 2 3 0.5\n", "9000 1 1 2\n");
	write_rows("a.ex", "", "i:1 0 1 t:1;\n", "i:1 0 1 1 t:0;\n");
	write_rows("a.mtx", "%%MatrixMarket matrix coordinate real general\n9 9 1\n", "% a comment\n", "1 1 2\n");
}

static const char *const inputs[] = {"a.csv", "a.tsv", "a.ctf", "b.ctf", "a.svm", "a.tns", "a.ex", "a.mtx"};

/* ---- what is done with them ---- */

typedef struct outcome {
	sheaf_status status;
	char text[600], hash[33];
	int64_t findings;
} outcome;

static int64_t findings;

static void hear(void *user, const sheaf_problem *problem)
{
	(void)user, (void)problem;
	findings++;
}

static void put_schema(const sheaf_dataset *dataset, char *text, size_t size)
{
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	sheaf_facts facts;
	sheaf_dataset_facts(dataset, &facts);
	size_t used =
		(size_t)snprintf(text, size, "%" PRId64 " rows %s;", facts.rows, facts.guess ? facts.guess : "");
	for (int f = 0; f < schema->nfields && used < size; f++) {
		char field[80];
		used += (size_t)snprintf(text + used, size - used, "%s %s;", schema->fields[f].name,
		                         sheaf_field_text(&schema->fields[f], field, sizeof field));
	}
}

typedef enum way { READ, GLANCE, VALIDATE, INDEX, PIECES, WAYS } way;

static sheaf_status work(sheaf_dataset *dataset, way how, outcome *out)
{
	const sheaf_pieces *pieces;
	put_schema(dataset, out->text, sizeof out->text);
	if (how == GLANCE) return SHEAF_OK;
	if (how == INDEX) return sheaf_dataset_write_index(dataset, NULL, &err);
	if (how == PIECES) {
		SHEAF_TRY(sheaf_dataset_pieces(dataset, &pieces, &err));
		snprintf(out->hash, sizeof out->hash, "%" PRId64, sheaf_pieces_rows(pieces));
		return SHEAF_OK;
	}
	return hash_dataset(dataset, true, true, out->hash);
}

static outcome do_it(const char *name, way how, int threads)
{
	outcome out = {.status = SHEAF_OK};
	sheaf_dataset *dataset;
	sheaf_context_options options = {.size = sizeof options,
	                                 .validate = how == VALIDATE,
	                                 .threads = threads,
	                                 .max_errors = 10,
	                                 .on_problem = hear};
	sheaf_open_options open = {.size = sizeof open, .index = SHEAF_INDEX_NEVER, .glance = how == GLANCE};
	if (how == INDEX) open.index = SHEAF_INDEX_USE;
	sheaf_context *cx = context_with(&options);
	findings = 0;
	err = (sheaf_error){.status = SHEAF_OK};
	out.status = sheaf_open(in_folder(name), &open, cx, &dataset, &err);
	if (out.status == SHEAF_OK) {
		out.status = work(dataset, how, &out);
		sheaf_close(dataset);
	}
	out.findings = findings;
	end_context(cx);
	return out;
}

static bool has_index(const char *name)
{
	char index[64];
	snprintf(index, sizeof index, "%s.sheaf-index", name);
	return file_exists(index);
}

static void check_index(const char *name)
{
	sheaf_dataset *dataset;
	sheaf_open_options never = {.size = sizeof never, .index = SHEAF_INDEX_NEVER};
	sheaf_context *cx = usual_context();
	assert_ok(sheaf_open(in_folder(name), &never, cx, &dataset, &err));
	assert_ok(sheaf_dataset_check_index(dataset, &err));
	sheaf_close(dataset);
	end_context(cx);
}

static bool can_index(const char *name) { return strcmp(name, "a.mtx") != 0; }

static void try_each_read(const char *name, way how, int threads, bool stay)
{
	char index[64];
	snprintf(index, sizeof index, "%s.sheaf-index", name);
	unlink(in_folder(index));
	fail_from(0, false);
	outcome sound = do_it(name, how, threads);
	if (sound.status) print_error("%s, way %d: %s\n", name, how, err.message);
	assert_int_equal(sound.status, SHEAF_OK);
	bool reached = true;
	for (int64_t n = 1; reached; n++) {
		unlink(in_folder(index));
		fail_from(n, stay);
		outcome found = do_it(name, how, threads);
		reached = reads >= n;
		fail_from(0, false);
		if (found.status != SHEAF_OK) {
			if (found.status != SHEAF_IO)
				print_error("%s, way %d, read %d: %s\n", name, how, (int)n, err.message);
			assert_int_equal(found.status, SHEAF_IO);
			assert_int_equal(err.sys, EIO);
			if (how == INDEX && has_index(name)) check_index(name); /* reading it again was what failed */
			continue;
		}
		assert_string_equal(found.text, sound.text);
		assert_string_equal(found.hash, sound.hash);
		assert_int_equal(found.findings, sound.findings);
	}
}

static void test_each_read(void **state)
{
	(void)state;
	write_inputs();
	for (size_t i = 0; i < COUNT(inputs); i++)
		for (way how = READ; how < WAYS; how++)
			for (int stay = 0; stay < 2; stay++)
				if (can_index(inputs[i]) || (how != INDEX && how != PIECES))
					try_each_read(inputs[i], how, 1, stay);
}

static void test_each_read_of_several_threads(void **state)
{
	(void)state;
	write_inputs();
	for (size_t i = 0; i < 3; i++) try_each_read(inputs[i], READ, 3, false);
}

/* A caller's function has its bytes only once: what it refuses is reported. */
typedef struct failing {
	sheaf_bytes rest;
	int64_t calls, fail_at;
} failing;

static int64_t read_failing(void *user, void *data, size_t size)
{
	failing *f = (failing *)user;
	size_t n = size < 65536 ? size : 65536;
	if (++f->calls == f->fail_at) return -EIO;
	if (n > f->rest.size) n = f->rest.size;
	memcpy(data, f->rest.data, n);
	f->rest = (sheaf_bytes){f->rest.data + n, f->rest.size - n};
	return (int64_t)n;
}

static void test_functions_that_fail(void **state)
{
	(void)state;
	write_inputs();
	for (size_t i = 0; i < COUNT(inputs); i++) {
		bytes_sink bytes = read_file(inputs[i]);
		bool failed = true;
		for (int64_t n = 1; failed; n++) {
			sheaf_source *source;
			sheaf_dataset *dataset;
			char hash[33];
			failing input = {{bytes.data, bytes.size}, 0, n};
			sheaf_context *cx = usual_context();
			assert_ok(sheaf_source_function(read_failing, &input, inputs[i], cx, &source, &err));
			sheaf_status status = sheaf_open_source(source, NULL, cx, &dataset, &err);
			if (status == SHEAF_OK) {
				status = hash_dataset(dataset, true, true, hash);
				sheaf_close(dataset);
			}
			failed = input.calls >= n;
			if (status != (failed ? SHEAF_IO : SHEAF_OK))
				print_error("%s, call %d: %s\n", inputs[i], (int)n, err.message);
			assert_int_equal(status, failed ? SHEAF_IO : SHEAF_OK);
			end_context(cx);
		}
		free_bytes(&bytes);
	}
}

/* ---- forgiving ---- */

static void test_what_is_forgiven(void **state)
{
	(void)state;
	for (int s = SHEAF_OK; s <= SHEAF_STOPPED; s++) {
		sheaf_status status = (sheaf_status)s;
		bool stays_so = s == SHEAF_END || s == SHEAF_NOMEM || s == SHEAF_IO || s == SHEAF_STOPPED;
		assert_int_equal(sheaf_forgive(status, "a test"), stays_so ? s : SHEAF_OK);
		assert_int_equal(sheaf_put_off(status, "a test"), s != SHEAF_OK);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_each_read),
		TEST(test_each_read_of_several_threads),
		TEST(test_functions_that_fail),
		cmocka_unit_test(test_what_is_forgiven),
	};
	return cmocka_run_group_tests_name("statuses", tests, NULL, NULL);
}
