/* SPDX-License-Identifier: MIT */
/* Schemas that come from files: each byte of the schema in each kind of file that carries one is changed, and
 * the hashes over it made right. Such a file is refused with a message, or gives the rows that it had. */
#include "carriers.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Conversions of what is not refused. */
static void convert_it(const char *input)
{
	static const char *const outputs[] = {"o.npz", "o.arrow", "o.jsonl", "o.cbf", "o.csv", "o.npy", "o.h5"};
	for (size_t i = 0; i < COUNT(outputs); i++) {
		const sheaf_context_options lax = {.size = sizeof lax, .allow_loss = true};
		const sheaf_convert_options options = {.size = sizeof options, .force = true};
		sheaf_context *cx = context_with(&lax);
		err = (sheaf_error){0};
		sheaf_status status = sheaf_convert(&input, 1, outputs[i], &options, cx, &err);
		assert_true(!status || *err.message);
		end_context(cx);
	}
}

/* What one changed file gives. */
typedef struct counts {
	int read, refused;
} counts;

static void look(const carrier *c, const char *rows, counts *n)
{
	carrier_promise promise = c->way->promise;
	char *now = carrier_read(c, &err);
	*(now ? &n->read : &n->refused) += 1;
	/* Cells may also be said to be columns of sequences, and keys to be numbers: they are shown otherwise. */
	bool same = promise == CARRIES_SAME ||
	            (promise == CARRIES_SAME_KIND && now && now[2] == 'r' && rows[2] == 'r');
	if (promise == CARRIES_SAME) assert_non_null(now);
	if (same) check_text(rows, now, c->way->file, n->read + n->refused);
	if (now && promise == CARRIES_SAME_KIND && n->read % 100 == 0) convert_it(c->way->file);
	free(now);
}

static void test_changed_bytes(void **state)
{
	static const uint8_t values[] = {0, 1, 9, 0xff};
	(void)state;
	assert_return_code(chdir(folder), 0);
	carrier_write_inputs();
	for (int w = 0; w < CARRIERS; w++) {
		counts n = {0};
		carrier c = carrier_make(&carrier_ways[w]);
		bytes_sink sound = {0};
		write_bytes(&sound, c.bytes, c.size);
		char *rows = carrier_read(&c, &err);
		assert_non_null(rows);
		for (size_t at = 0; at < carrier_length(&c); at++)
			for (size_t v = 0; v < COUNT(values); v++) {
				carrier_change(&c, at, values[v]);
				if (memcmp(c.bytes, sound.data, sound.size) != 0) look(&c, rows, &n);
				memcpy(c.bytes, sound.data, sound.size);
			}
		assert_true(n.read > 0 && (c.way->promise == CARRIES_SAME || n.refused > 0));
		free(rows);
		free_bytes(&sound);
		carrier_free(&c);
	}
	assert_return_code(chdir("/"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_changed_bytes)};
	return cmocka_run_group_tests_name("schemas", tests, make_folder, remove_folder);
}
