/* SPDX-License-Identifier: MIT */
/* Shards, as a user names them (2/8: the third of eight), or as the launcher of this process does in the
 * environment. */
#include "base/need.h"
#include <inttypes.h>
#include <sheaf/batch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The launchers of one process for each shard; those that may run inside others come first. */
static const struct {
	const char *name, *rank, *world;
} launchers[] = {{"torchrun", "RANK", "WORLD_SIZE"},
                 {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                 {"MPI", "PMI_RANK", "PMI_SIZE"},
                 {"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
                 {"Slurm", "SLURM_PROCID", "SLURM_NTASKS"}};

/* Digits, and what follows them; NULL if there are none, or too many. */
static const char *digits(const char *text, int64_t *out)
{
	enum { MOST = 18 };
	size_t n = strspn(text, "0123456789");
	if (n == 0 || n > MOST) return NULL;
	*out = strtoll(text, NULL, 10);
	return text + n;
}

static bool whole(const char *text, int64_t *out)
{
	const char *end = digits(text, out);
	return end && *end == '\0';
}

sheaf_status sheaf_shard_from_text(const char *text, sheaf_shard *out, sheaf_error *err)
{
	SHEAF_NEED(text, "a text");
	SHEAF_NEED(out, "room for the shard");
	*out = (sheaf_shard){0};
	bool env = strcmp(text, "env") == 0;
	for (size_t i = 0; i < sizeof launchers / sizeof *launchers && env; i++) {
		const char *rank_name = launchers[i].rank, *world_name = launchers[i].world;
		const char *rank = getenv(rank_name), *world = getenv(world_name);
		if (!rank || !world) continue;
		if (whole(rank, &out->rank) && whole(world, &out->world) && out->rank < out->world) {
			snprintf(out->origin, sizeof out->origin, "%s (%s=%" PRId64 ", %s=%" PRId64 ")",
			         launchers[i].name, rank_name, out->rank, world_name, out->world);
			return SHEAF_OK;
		}
		*out = (sheaf_shard){0};
		return sheaf_fail_option(err, SHEAF_USAGE, "shard",
		                         ": expected a number in %s below that in %s, found \"%.40s\" and \"%.40s\"",
		                         rank_name, world_name, rank, world);
	}
	if (env)
		return sheaf_fail_option(
			err, SHEAF_USAGE, "shard",
			": expected the rank that torchrun (RANK and WORLD_SIZE), Open MPI "
			"(OMPI_COMM_WORLD_RANK and _SIZE), MPI (PMI_RANK and PMI_SIZE) or Slurm "
			"(SLURM_PROCID and SLURM_NTASKS) give a process, found none in the environment");
	const char *slash = digits(text, &out->rank);
	if (slash && *slash == '/' && whole(slash + 1, &out->world) && out->rank < out->world) return SHEAF_OK;
	*out = (sheaf_shard){0};
	return sheaf_fail_option(err, SHEAF_USAGE, "shard",
	                         ": expected RANK/WORLD with RANK below WORLD, or env, found \"%.80s\"", text);
}
