/* SPDX-License-Identifier: MIT */
/* Entries sorted by several processes, which are functions here: parts are opened as slices, send each other
 * entries, and make parts of their slices, which are merged. */
#include "part_support.h"
#include "seal.h"
#include "with_context.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 5 };

typedef struct job {
	const char *input, *output;
	sheaf_convert_options options;
	int n;
	bytes_sink parts[MOST], sent[MOST], slices[MOST];
	int64_t counts[MOST][MOST], rows[MOST];
	sheaf_slice *slice[MOST];
} job;

static void make_parts(job *j)
{
	for (int p = 0; p < j->n; p++) {
		char part[24];
		snprintf(part, sizeof part, "%d/%d", p + 1, j->n);
		sheaf_convert_options options = j->options;
		options.size = sizeof options;
		options.part = part;
		options.open_part = open_part_sink;
		options.part_user = &j->parts[p];
		assert_ok(sheaf_convert(&j->input, 1, j->output, &options, cx, &err));
	}
}

/* Keys that are in the entries of one part divide those of all, however unevenly. */
static void exchange(job *j)
{
	uint64_t keys[MOST][SHEAF_MAX_RANK];
	sheaf_slice_entries has;
	for (int p = 0; p < j->n; p++)
		assert_ok(sheaf_slice_open(part_source(&j->parts[p]), j->output, cx, &j->slice[p], &err));
	assert_non_null(j->slice[0]);
	sheaf_slice_describe(j->slice[0], &has);
	for (int r = 1; r < j->n; r++)
		assert_ok(sheaf_slice_key(j->slice[0], has.entries * r / j->n, keys[r], &err));
	for (int p = 0; p < j->n; p++) {
		int64_t from = 0, to;
		sheaf_slice_describe(j->slice[p], &has);
		for (int r = 0; r < j->n; r++, from = to) {
			to = has.entries;
			if (r + 1 < j->n) assert_ok(sheaf_slice_find(j->slice[p], keys[r + 1], &to, &err));
			j->counts[r][p] = to - from;
			assert_int_equal(0, write_bytes(&j->sent[r], j->parts[p].data + has.begin + from * has.bytes,
			                                (size_t)((to - from) * has.bytes)));
		}
	}
}

static sheaf_status make_slices(job *j)
{
	int64_t all = 0, before = 0;
	for (int r = 0; r < j->n; r++) {
		sheaf_status status =
			sheaf_slice_take(j->slice[r], part_source(&j->sent[r]), j->counts[r], j->n, &j->rows[r], &err);
		if (status) return status;
		all += j->rows[r];
	}
	for (int r = 0; r < j->n; r++) {
		sheaf_sink *sink;
		assert_ok(open_part_sink(&j->slices[r], cx, &sink, &err));
		sheaf_status status = sheaf_slice_make(j->slice[r], before, all, sink, &err);
		if (status) return status;
		before += j->rows[r];
	}
	return SHEAF_OK;
}

static sheaf_status merge(const bytes_sink parts[], int n, const char *output, int64_t *rows)
{
	sheaf_source *sources[MOST];
	const sheaf_gathering_options how = {.size = sizeof how, .output = output, .force = true};
	for (int p = 0; p < n; p++) sources[p] = part_source(&parts[p]);
	return sheaf_merge_sources(sources, n, &how, cx, rows, &err);
}

static void free_job(job *j)
{
	for (int p = 0; p < j->n; p++) {
		sheaf_slice_close(j->slice[p]);
		free_bytes(&j->parts[p]);
		free_bytes(&j->sent[p]);
		free_bytes(&j->slices[p]);
	}
}

static job new_job(const char *input, const char *output, int n)
{
	return (job){.input = in_folder(input), .output = in_folder(output), .n = n};
}

/* ---- inputs ---- */

static void write_matrix(const char *name, const char *kind, bool repeats)
{
	bytes_sink text = {0};
	char line[96];
	bool lower = strstr(kind, "general") == NULL;
	int entries = 0;
	for (int pass = 0; pass < 2; pass++) {
		if (pass == 1) {
			int n = snprintf(line, sizeof line, "%%%%MatrixMarket matrix coordinate %s\n61 61 %d\n", kind,
			                 entries);
			write_bytes(&text, line, (size_t)n);
		}
		for (int i = 0; i < 700; i++) {
			int row = i * 17 % 61, column = (i * 29 + i / (repeats ? 122 : 61) * 7) % 61;
			if (lower && row < column) continue;
			if (pass == 0) {
				entries++;
				continue;
			}
			int n = snprintf(line, sizeof line, "%d %d %d\n", row + 1, column + 1, i * 7 % 100 - 50);
			write_bytes(&text, line, (size_t)n);
		}
	}
	write_file(name, text.data, text.size);
	free_bytes(&text);
}

static int begin(void **state)
{
	if (make_folder(state) || make_context(state)) return -1;
	write_matrix("a.mtx", "real general", false);
	write_matrix("twice.mtx", "integer general", true);
	write_matrix("lower.mtx", "real symmetric", false);
	write_text("box.mtx",
	           "%%MatrixMarket matrix array real general\n3 4\n1\n0\n3\n4\n5\n6\n0\n8\n9\n10\n11\n12\n");
	write_text("half.mtx",
	           "%%MatrixMarket matrix array real symmetric\n4 4\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
	return 0;
}

static int end(void **state) { return drop_context(state) || remove_folder(state); }

/* ---- the same bytes ---- */

static void check_bytes(const char *input, const char *suffix, sheaf_setting setting,
                        sheaf_duplicates duplicates)
{
	char serial[32], ours[32];
	snprintf(serial, sizeof serial, "serial.%s", suffix);
	snprintf(ours, sizeof ours, "ours.%s", suffix);
	sheaf_convert_options options = {.size = sizeof options,
	                                 .settings = &setting,
	                                 .nsettings = setting.name != NULL,
	                                 .piece_bytes = 300,
	                                 .duplicates = duplicates,
	                                 .force = true};
	const char *from = in_folder(input);
	assert_ok(sheaf_convert(&from, 1, in_folder(serial), &options, cx, &err));
	bytes_sink expected = read_file(serial);
	for (int n = 1; n <= MOST; n += 2) {
		int64_t rows, all = 0;
		job j = new_job(input, ours, n);
		j.options = options;
		make_parts(&j);
		exchange(&j);
		assert_ok(make_slices(&j));
		for (int r = 0; r < n; r++) all += j.rows[r];
		assert_ok(merge(j.slices, n, j.output, &rows));
		assert_int_equal(all, rows);
		bytes_sink found = read_file(ours);
		assert_same_bytes(&expected, &found);
		free_bytes(&found);
		assert_ok(merge(j.parts, n, j.output, &rows));
		found = read_file(ours);
		assert_same_bytes(&expected, &found);
		free_bytes(&found);
		free_job(&j);
	}
	free_bytes(&expected);
}

static void slices_make_the_same_bytes(void **state)
{
	(void)state;
	static const char *const layouts[] = {"CSR", "CSC", "COO", "DCSR", "DCSC", "COOC"};
	check_bytes("a.mtx", "mtx", (sheaf_setting){0}, SHEAF_DUPLICATES_SUM);
	check_bytes("a.mtx", "tns", (sheaf_setting){"extended", NULL}, SHEAF_DUPLICATES_SUM);
	for (size_t l = 0; l < COUNT(layouts); l++) {
		check_bytes("a.mtx", "bsp.h5", (sheaf_setting){"layout", layouts[l]}, SHEAF_DUPLICATES_ERROR);
		check_bytes("twice.mtx", "bsp.h5", (sheaf_setting){"layout", layouts[l]}, SHEAF_DUPLICATES_SUM);
		check_bytes("lower.mtx", "bsp.h5", (sheaf_setting){"layout", layouts[l]}, SHEAF_DUPLICATES_ERROR);
	}
	check_bytes("a.mtx", "bsp.h5", (sheaf_setting){"compression", "deflate:3"}, SHEAF_DUPLICATES_ERROR);
	check_bytes("a.mtx", "bsp.h5", (sheaf_setting){"iso", "auto"}, SHEAF_DUPLICATES_ERROR);
	check_bytes("twice.mtx", "bsp.h5", (sheaf_setting){"index-type", "int64"}, SHEAF_DUPLICATES_LAST);
	check_bytes("twice.mtx", "mtx", (sheaf_setting){0}, SHEAF_DUPLICATES_LAST);
	check_bytes("twice.mtx", "tns", (sheaf_setting){0}, SHEAF_DUPLICATES_SUM);
	check_bytes("half.mtx", "csv", (sheaf_setting){0}, SHEAF_DUPLICATES_ERROR);
	check_bytes("half.mtx", "tsv", (sheaf_setting){"header", "no"}, SHEAF_DUPLICATES_ERROR);
	check_bytes("box.mtx", "bsp.h5", (sheaf_setting){"layout", "CSR"}, SHEAF_DUPLICATES_ERROR);
}

static void a_position_twice_is_refused_in_its_slice(void **state)
{
	(void)state;
	job j = new_job("twice.mtx", "new.bsp.h5", 3);
	make_parts(&j);
	exchange(&j);
	assert_status(SHEAF_DATA, make_slices(&j));
	assert_message("expected each position once, found (0,");
	free_job(&j);
}

static void other_parts_have_no_slices(void **state)
{
	(void)state;
	static const char *const outputs[] = {"x.npz", "x.npy", "x.csv"};
	for (size_t i = 0; i < COUNT(outputs); i++) {
		job j = new_job("a.mtx", outputs[i], 2);
		make_parts(&j);
		assert_ok(sheaf_slice_open(part_source(&j.parts[0]), j.output, cx, &j.slice[0], &err));
		assert_null(j.slice[0]);
		free_job(&j);
	}
}

/* ---- misuse, and damage ---- */

static void misuse_is_an_error(void **state)
{
	(void)state;
	uint64_t key[SHEAF_MAX_RANK] = {0};
	int64_t n;
	sheaf_sink *sink;
	sheaf_slice *none;
	bytes_sink bytes = {0};
	job j = new_job("a.mtx", "new.mtx", 1);
	j.options.duplicates = SHEAF_DUPLICATES_SUM;
	make_parts(&j);
	exchange(&j);
	assert_status(SHEAF_USAGE, sheaf_slice_key(j.slice[0], -1, key, &err));
	assert_status(SHEAF_USAGE, sheaf_slice_key(j.slice[0], 1 << 20, key, &err));
	assert_ok(sheaf_slice_find(j.slice[0], key, &n, &err));
	assert_int_equal(0, n);
	assert_ok(open_part_sink(&bytes, cx, &sink, &err));
	assert_status(SHEAF_USAGE, sheaf_slice_make(j.slice[0], 0, 1, sink, &err));
	assert_ok(open_part_sink(&bytes, cx, &sink, &err));
	assert_status(SHEAF_USAGE, sheaf_slice_make(NULL, 0, 1, sink, &err));
	assert_status(SHEAF_USAGE, sheaf_slice_open(part_source(&j.parts[0]), NULL, cx, &none, &err));
	assert_null(none);
	assert_status(SHEAF_USAGE, sheaf_slice_take(NULL, part_source(&j.sent[0]), j.counts[0], 1, &n, &err));
	assert_status(SHEAF_USAGE, sheaf_slice_take(j.slice[0], part_source(&j.sent[0]), NULL, 1, &n, &err));
	assert_ok(make_slices(&j));
	assert_status(SHEAF_USAGE,
	              sheaf_slice_take(j.slice[0], part_source(&j.sent[0]), j.counts[0], 1, &n, &err));
	free_bytes(&bytes);
	free_job(&j);
}

static void what_is_no_part_is_refused(void **state)
{
	(void)state;
	sheaf_slice *slice;
	bytes_sink text = {0};
	write_bytes(&text, "no part at all, but bytes of some length, more than a part's head has, it is", 72);
	assert_status(SHEAF_DATA, sheaf_slice_open(part_source(&text), "x.mtx", cx, &slice, &err));
	assert_null(slice);
	free_bytes(&text);
}

/* Changes to a part, alone, with hashes that are right. */
static void changed_parts_have_no_slices(void **state)
{
	(void)state;
	static const struct {
		splice splice;
		sheaf_status status;
		const char *told;
	} changes[] = {
		{{HEAD, 4, 1, "C", 1},
	     SHEAF_UNSUPPORTED,
	     "expected a part of a conversion, found one of sheaf Convert"},
		{{COMMON, 16, 1, "M", 1}, SHEAF_UNKNOWN, "expected a format that this build has, found Matrixmarket"},
		{{COMMON, 4, 1, "\2", 1}, SHEAF_DATA, "(its entries)"},
		{{COMMON, 8, 1, "\4", 1}, SHEAF_DATA, "(its entries)"},
		{{PAYLOAD, 0, 0, "\0", 1}, SHEAF_DATA, "(sums of bytes and rows)"},
		{{COMMON, 0, 1, "\0", 1}, SHEAF_OK, NULL},
	};
	for (size_t i = 0; i < COUNT(changes); i++) {
		job j = new_job("a.mtx", "new.mtx", 2);
		j.options.duplicates = SHEAF_DUPLICATES_SUM;
		make_parts(&j);
		change_part(&j.parts[0], (splice[SPLICES]){changes[i].splice});
		assert_status(changes[i].status,
		              sheaf_slice_open(part_source(&j.parts[0]), j.output, cx, &j.slice[0], &err));
		assert_null(j.slice[0]);
		if (changes[i].told) assert_message(changes[i].told);
		free_job(&j);
	}
}

/* Whatever bytes a slice has, the merge reports what is wrong, or makes an output. */
static void damaged_slices_are_refused_or_merged(void **state)
{
	(void)state;
	static const char *const layouts[] = {"CSR", "COO", "DCSR", NULL};
	seed_random(11);
	for (size_t l = 0; l < COUNT(layouts); l++) {
		sheaf_setting setting = {"layout", layouts[l]};
		job j = layouts[l] ? new_job("a.mtx", "new.bsp.h5", 3) : new_job("half.mtx", "new.csv", 3);
		int refused = 0;
		j.options.settings = &setting;
		j.options.nsettings = layouts[l] != NULL;
		make_parts(&j);
		exchange(&j);
		assert_ok(make_slices(&j));
		for (int round = 0; round < 300; round++) {
			int p = (int)random_below(2) + 1;
			size_t at = 64 + (size_t)random_below(400);
			uint8_t *byte = &j.slices[p].data[at < j.slices[p].size ? at : 64], was = *byte;
			*byte = (uint8_t)(round % 3 ? random_below(256) : 0xff);
			seal_part(j.slices[p].data, j.slices[p].size);
			int64_t rows;
			sheaf_status status = merge(j.slices, 3, j.output, &rows);
			assert_true(status == SHEAF_OK || status == SHEAF_DATA || status == SHEAF_USAGE);
			refused += status != SHEAF_OK;
			remove(j.output);
			*byte = was;
		}
		assert_true(refused > 0 || l == 1);
		free_job(&j);
	}
}

/* The same of entries that were sent. */
static void damaged_entries_are_refused_or_merged(void **state)
{
	(void)state;
	int refused = 0;
	seed_random(12);
	for (int round = 0; round < 60; round++) {
		job j = new_job("a.mtx", "new.mtx", 2);
		make_parts(&j);
		j.parts[1].data[64 + random_below((int64_t)j.parts[1].size / 3)] ^= (uint8_t)(1 + random_below(255));
		seal_part(j.parts[1].data, j.parts[1].size);
		int64_t rows;
		sheaf_status status = merge(j.parts, 2, j.output, &rows);
		assert_true(status == SHEAF_OK || status == SHEAF_DATA);
		refused += status != SHEAF_OK;
		remove(j.output);
		free_job(&j);
	}
	assert_true(refused > 0);
}

/* Calls the format of the input by another name, which is not here. */
static void rename_format(bytes_sink *part)
{
	uint8_t *name = (uint8_t *)memmem(part->data, part->size, "matrixmarket", 12);
	assert_non_null(name);
	*name = 'M';
	seal_part(part->data, part->size);
}

static void parts_of_an_unknown_format_are_refused(void **state)
{
	(void)state;
	int64_t rows;
	job j = new_job("a.mtx", "ours.tns", 2);
	make_parts(&j);
	for (int p = 0; p < j.n; p++) rename_format(&j.parts[p]);
	assert_status(SHEAF_UNSUPPORTED, merge(j.parts, j.n, j.output, &rows));
	assert_message("expected an input of a format that is read in parts, found Matrixmarket");
	free_job(&j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(slices_make_the_same_bytes, begin, end),
		cmocka_unit_test_setup_teardown(a_position_twice_is_refused_in_its_slice, begin, end),
		cmocka_unit_test_setup_teardown(other_parts_have_no_slices, begin, end),
		cmocka_unit_test_setup_teardown(misuse_is_an_error, begin, end),
		cmocka_unit_test_setup_teardown(what_is_no_part_is_refused, begin, end),
		cmocka_unit_test_setup_teardown(changed_parts_have_no_slices, begin, end),
		cmocka_unit_test_setup_teardown(parts_of_an_unknown_format_are_refused, begin, end),
		cmocka_unit_test_setup_teardown(damaged_slices_are_refused_or_merged, begin, end),
		cmocka_unit_test_setup_teardown(damaged_entries_are_refused_or_merged, begin, end),
	};
	return cmocka_run_group_tests_name("slices", tests, NULL, NULL);
}
