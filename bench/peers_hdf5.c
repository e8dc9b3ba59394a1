/* SPDX-License-Identifier: MIT */
/* The three arrays of a matrix by libhdf5 alone: read, and written in compressed chunks. */
#include "bench.h"
#include <fcntl.h>
#define H5_USE_110_API
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ARRAYS = 3, CHUNK = 1 << 20, LEVEL = 6 };
static const char *const names[ARRAYS] = {"pointers_to_1", "indices_1", "values"};

typedef struct array {
	hid_t type;
	hsize_t count;
	void *data;
} array;

static hid_t sound(hid_t id, const char *path)
{
	if (id < 0) die("%s: expected HDF5 to take it, found that it does not", path);
	return id;
}

static array read_array(hid_t file, const char *name, const char *path)
{
	hid_t set = sound(H5Dopen2(file, name, H5P_DEFAULT), path), space = sound(H5Dget_space(set), path);
	array a = {.type = sound(H5Dget_type(set), path)};
	if (H5Sget_simple_extent_dims(space, &a.count, NULL) != 1)
		die("%s: expected arrays of one dimension, found others", path);
	a.data = malloc((size_t)a.count * H5Tget_size(a.type) + 1);
	if (!a.data) die("expected memory, found none");
	sound(H5Dread(set, a.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, a.data), path);
	H5Sclose(space);
	H5Dclose(set);
	return a;
}

static void read_arrays(const char *path, array out[ARRAYS])
{
	hid_t file = sound(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), path);
	for (int i = 0; i < ARRAYS; i++) out[i] = read_array(file, names[i], path);
	H5Fclose(file);
}

static void run_reading(const bench_job *job, void *state, bench_yield *out)
{
	array arrays[ARRAYS];
	(void)state;
	read_arrays(job->binary, arrays);
	out->values = (int64_t)arrays[ARRAYS - 1].count;
	for (int i = 0; i < ARRAYS; i++) {
		out->memory += (int64_t)((size_t)arrays[i].count * H5Tget_size(arrays[i].type));
		H5Tclose(arrays[i].type);
		free(arrays[i].data);
	}
}

const bench_runner hdf5_read = {"H5Dread", NULL, run_reading};

/* ---- writing ---- */

static const char *begin_writing(const bench_job *job, void **state)
{
	array *arrays = (array *)need(ARRAYS * sizeof *arrays);
	read_arrays(job->binary, arrays);
	*state = arrays;
	return NULL;
}

static void write_array(hid_t file, const char *name, const array *a, const char *path)
{
	hsize_t chunk = CHUNK / H5Tget_size(a->type);
	if (chunk > a->count) chunk = a->count;
	hid_t space = sound(H5Screate_simple(1, &a->count, NULL), path),
		  how = sound(H5Pcreate(H5P_DATASET_CREATE), path);
	if (H5Pset_chunk(how, 1, &chunk) < 0 || H5Pset_shuffle(how) < 0 || H5Pset_deflate(how, LEVEL) < 0)
		die("%s: expected filters, found none", path);
	hid_t set = sound(H5Dcreate2(file, name, a->type, space, H5P_DEFAULT, how, H5P_DEFAULT), path);
	sound(H5Dwrite(set, a->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, a->data), path);
	H5Dclose(set);
	H5Pclose(how);
	H5Sclose(space);
}

static void run_writing(const bench_job *job, void *state, bench_yield *out)
{
	const array *arrays = (const array *)state;
	hid_t file = sound(H5Fcreate(job->output, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), job->output);
	for (int i = 0; i < ARRAYS; i++) write_array(file, names[i], &arrays[i], job->output);
	H5Fclose(file);
	int fd = open(job->output, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fsync(fd) != 0 || close(fd) != 0)
		die("%s: expected to commit it, found that it cannot be", job->output);
	out->size = file_size(job->output);
}

const bench_runner hdf5_write = {"H5Dwrite", begin_writing, run_writing};

/* ---- many groups ---- */

/* A file of as many groups as a program with a group for each example makes. */
static const char *begin_groups(const bench_job *job, void **state)
{
	enum { GROUPS = 100000 };
	char name[24];
	hid_t how = sound(H5Pcreate(H5P_FILE_ACCESS), job->script);
	if (H5Pset_libver_bounds(how, H5F_LIBVER_V18, H5F_LIBVER_LATEST) < 0)
		die("expected a version, found none");
	hid_t file = sound(H5Fcreate(job->script, H5F_ACC_TRUNC, H5P_DEFAULT, how), job->script);
	for (int i = 0; i < GROUPS; i++) {
		snprintf(name, sizeof name, "g%d", i);
		H5Gclose(sound(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), job->script));
	}
	H5Fclose(file);
	H5Pclose(how);
	*state = NULL;
	return NULL;
}

static herr_t count(hid_t object, const char *name, const H5O_info_t *info, void *user)
{
	(void)object, (void)name, (void)info;
	++*(int64_t *)user;
	return 0;
}

static void run_visiting(const bench_job *job, void *state, bench_yield *out)
{
	int64_t groups = 0;
	(void)state, (void)out;
	hid_t file = sound(H5Fopen(job->script, H5F_ACC_RDONLY, H5P_DEFAULT), job->script);
	if (H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_NATIVE, count, &groups, H5O_INFO_BASIC) < 0 || groups < 2)
		die("%s: expected groups, found none", job->script);
	H5Fclose(file);
}

const bench_runner hdf5_visit = {"H5Ovisit", begin_groups, run_visiting};

static sheaf_status pass(void *user, const char *path, sheaf_error *err)
{
	(void)user, (void)path, (void)err;
	return SHEAF_OK;
}

/* Ours: everything is listed, and none of it is a dataset. */
static void run_opening(const bench_job *job, void *state, bench_yield *out)
{
	sheaf_context_options options = {.size = sizeof options, .threads = 1};
	sheaf_open_options open = {.size = sizeof open, .format = "hdf5"};
	sheaf_context *cx;
	sheaf_error err;
	(void)state;
	if (sheaf_context_new(&options, &cx, &err) || sheaf_members(job->script, &open, cx, pass, NULL, &err))
		die("%s", err.message);
	sheaf_context_memory(cx, &out->memory);
	sheaf_context_free(cx);
}

const bench_runner open_groups = {"opened", begin_groups, run_opening};
