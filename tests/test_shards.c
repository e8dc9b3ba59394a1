/* SPDX-License-Identifier: MIT */
/* Shares of batches: by their names, and as launchers of jobs give them. */
#include "batches_support.h"
#include <stdlib.h>

/* ---- shards ---- */

static void test_shards_by_name(void **state)
{
	static const struct {
		const char *text;
		int64_t rank, world; /* world 0: refused */
	} cases[] = {{"0/1", 0, 1},  {"7/8", 7, 8},   {"0/999999999999999999", 0, 999999999999999999},
	             {"", 0, 0},     {"1", 0, 0},     {"/", 0, 0},
	             {"1/", 0, 0},   {"/2", 0, 0},    {"2/2", 0, 0},
	             {"-1/2", 0, 0}, {"0/0", 0, 0},   {"0/2 ", 0, 0},
	             {" 0/2", 0, 0}, {"0/2/3", 0, 0}, {"0/9999999999999999999", 0, 0},
	             {"ENV", 0, 0}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		sheaf_shard shard = {5, 5, "x"};
		err = (sheaf_error){0};
		sheaf_status status = sheaf_shard_from_text(cases[i].text, &shard, &err);
		assert_int_equal(status, cases[i].world ? SHEAF_OK : SHEAF_USAGE);
		assert_string_equal(err.option, cases[i].world ? "" : "shard");
		assert_int_equal(shard.rank, cases[i].rank);
		assert_int_equal(shard.world, cases[i].world);
		assert_string_equal(shard.origin, "");
	}
}

static void test_shards_of_launchers(void **state)
{
	static const char *const names[] = {
		"RANK",     "WORLD_SIZE",   "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK",
		"PMI_SIZE", "SLURM_PROCID", "SLURM_NTASKS",         "SLURM_STEP_NUM_TASKS"};
	sheaf_shard shard;
	(void)state;
	err = (sheaf_error){0};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) unsetenv(names[i]);
	assert_int_equal(sheaf_shard_from_text("env", &shard, &err), SHEAF_USAGE);
	setenv("SLURM_PROCID", "3", 1);
	assert_int_equal(sheaf_shard_from_text("env", &shard, &err), SHEAF_USAGE);
	setenv("SLURM_NTASKS", "16", 1);
	assert_ok(sheaf_shard_from_text("env", &shard, &err));
	assert_int_equal(shard.world, 16);
	setenv("SLURM_STEP_NUM_TASKS", "4", 1); /* a step has fewer than the job */
	assert_ok(sheaf_shard_from_text("env", &shard, &err));
	assert_int_equal(shard.rank, 3);
	assert_int_equal(shard.world, 4);
	assert_string_equal(shard.origin, "Slurm (SLURM_PROCID=3, SLURM_STEP_NUM_TASKS=4)");
	setenv("SLURM_PROCID", "3x", 1);
	assert_int_equal(sheaf_shard_from_text("env", &shard, &err), SHEAF_USAGE);
	assert_string_equal(shard.origin, "");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) unsetenv(names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shards_by_name),
		cmocka_unit_test(test_shards_of_launchers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
