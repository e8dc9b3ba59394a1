/* SPDX-License-Identifier: MIT */
/* Entries of a matrix by rows and by columns, in memory: ours, scipy's functions, and its kernels alone. All
 * make the same entries, and print a sum over the result, so that a different result is noticed. */
#include "bench.h"
#include "sparse/arrange.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ROWS = 1000000, ENTRY = 16 /* bytes */ };

typedef struct arrays {
	int64_t *pointers;
	int32_t *indices;
	double *values;
} arrays;

typedef struct state {
	sheaf_context *cx;
	int64_t n;
	int32_t *rows, *columns;
	double *values;
	arrays csr, out;
	int64_t check;
} state;

static int64_t nentries(const bench_job *job) { return job->setup->megabytes * 1000000 / ENTRY; }

/* On huge pages, as numpy's arrays are. */
static void *large(int64_t n, size_t size)
{
	enum { HUGE_PAGE = 2 << 20 };
	size_t bytes = ((size_t)n * size / HUGE_PAGE + 1) * HUGE_PAGE;
	void *memory;
	if (posix_memalign(&memory, HUGE_PAGE, bytes) != 0)
		die("expected %zu bytes of memory, found none", bytes);
	(void)madvise(memory, bytes, MADV_HUGEPAGE);
	return memory;
}

static arrays fresh(int64_t n)
{
	return (arrays){large(ROWS + 1, sizeof(int64_t)), large(n, sizeof(int32_t)), large(n, sizeof(double))};
}

static void drop(arrays *a)
{
	free(a->pointers);
	free(a->indices);
	free(a->values);
	*a = (arrays){0};
}

static arrays touched(int64_t n)
{
	arrays a = fresh(n);
	memset(a.pointers, 0, (ROWS + 1) * sizeof *a.pointers);
	memset(a.indices, 0, (size_t)n * sizeof *a.indices);
	memset(a.values, 0, (size_t)n * sizeof *a.values);
	return a;
}

/* The script below has the same arithmetic. */
static void make_entries(state *s)
{
	for (int64_t i = 0; i < s->n; i++) {
		uint64_t z = ((uint64_t)i + 1) * UINT64_C(0x9e3779b97f4a7c15);
		z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
		z ^= z >> 31;
		s->rows[i] = (int32_t)((z & UINT32_MAX) % ROWS);
		s->columns[i] = (int32_t)((z >> 32) % ROWS);
		s->values[i] = (double)(z >> 11);
	}
}

static int64_t sum_of(const arrays *a)
{
	uint64_t sum = 0, bits;
	for (int64_t r = 0; r <= ROWS; r++) sum += (uint64_t)a->pointers[r];
	for (int64_t k = 0; k < a->pointers[ROWS]; k++) {
		memcpy(&bits, &a->values[k], sizeof bits);
		sum += ((uint64_t)k + 1) * ((uint64_t)a->indices[k] + bits);
	}
	return (int64_t)(sum >> 2);
}

/* ---- ours ---- */

static void must(sheaf_status status, const sheaf_error *err)
{
	if (status) die("%s", err->message);
}

static sheaf_entry_arrays entries_of(const state *s)
{
	return (sheaf_entry_arrays){s->n, s->rows, s->columns, s->values, sizeof *s->values};
}

static sheaf_compressed_arrays compressed(const arrays *a)
{
	return (sheaf_compressed_arrays){a->pointers, a->indices, a->values, sizeof *a->values};
}

static void make_rows(state *s, const arrays *to)
{
	sheaf_error err;
	sheaf_entry_arrays from = entries_of(s);
	sheaf_compressed_arrays out = compressed(to);
	must(sheaf_compress_entries(&from, ROWS, s->cx, &out, &err), &err);
}

static void make_columns(state *s, const arrays *to)
{
	sheaf_error err;
	sheaf_compressed_arrays from = compressed(&s->csr), out = compressed(to);
	must(sheaf_transpose_compressed(&from, ROWS, ROWS, s->cx, &out, &err), &err);
}

static void make_sorted_rows(state *s, const arrays *to)
{
	sheaf_error err;
	sheaf_entry_arrays from = entries_of(s);
	sheaf_compressed_arrays out = compressed(to);
	must(sheaf_compress_sorted(&from, ROWS, SHEAF_F64, SHEAF_DUPLICATES_SUM, s->cx, &out, &err), &err);
}

static state *begin(const bench_job *job)
{
	sheaf_context_options options = {.size = sizeof options,
	                                 .threads = job->threads,
	                                 .max_memory = job->setup->megabytes * INT64_C(16000000)};
	state *s = (state *)need(sizeof *s);
	sheaf_error err;
	must(sheaf_context_new(&options, &s->cx, &err), &err);
	s->n = nentries(job);
	s->rows = (int32_t *)large(s->n, sizeof *s->rows);
	s->columns = (int32_t *)large(s->n, sizeof *s->columns);
	s->values = (double *)large(s->n, sizeof *s->values);
	make_entries(s);
	s->out = touched(s->n);
	return s;
}

static const char *begin_rows(const bench_job *job, void **out)
{
	state *s = begin(job);
	make_rows(s, &s->out);
	s->check = sum_of(&s->out);
	*out = s;
	return NULL;
}

static void run_rows(const bench_job *job, void *memory, bench_yield *out)
{
	state *s = (state *)memory;
	(void)job;
	make_rows(s, &s->out);
	out->values = s->check;
}

static const char *begin_columns(const bench_job *job, void **out)
{
	state *s = begin(job);
	s->csr = s->out;
	make_rows(s, &s->csr);
	s->out = touched(s->n);
	make_columns(s, &s->out);
	s->check = sum_of(&s->out);
	*out = s;
	return NULL;
}

static void run_columns(const bench_job *job, void *memory, bench_yield *out)
{
	state *s = (state *)memory;
	(void)job;
	make_columns(s, &s->out);
	out->values = s->check;
}

static const char *begin_sorted_rows(const bench_job *job, void **out)
{
	state *s = begin(job);
	make_sorted_rows(s, &s->out);
	s->check = sum_of(&s->out);
	*out = s;
	return NULL;
}

static void run_sorted_rows(const bench_job *job, void *memory, bench_yield *out)
{
	state *s = (state *)memory;
	(void)job;
	drop(&s->out);
	s->out = fresh(s->n);
	make_sorted_rows(s, &s->out);
	out->values = s->check;
}

static void run_new_columns(const bench_job *job, void *memory, bench_yield *out)
{
	state *s = (state *)memory;
	drop(&s->out);
	s->out = fresh(s->n);
	run_columns(job, memory, out);
}

const bench_runner to_rows = {"to rows", begin_rows, run_rows};
const bench_runner to_columns = {"to columns", begin_columns, run_columns};
const bench_runner to_sorted_rows = {"to sorted rows", begin_sorted_rows, run_sorted_rows};
const bench_runner to_new_columns = {"to columns", begin_columns, run_new_columns};

/* ---- memory of a sort ---- */

static const char *begin_reading(const bench_job *job, void **out)
{
	sheaf_context_options options = {.size = sizeof options, .threads = job->threads};
	sheaf_context *cx;
	sheaf_error err;
	must(sheaf_context_new(&options, &cx, &err), &err);
	*out = cx;
	return NULL;
}

static void open_entries(const bench_job *job, sheaf_context *cx, sheaf_dataset **out)
{
	sheaf_open_options options = {
		.size = sizeof options, .rows = SHEAF_TAKES_ENTRIES, .index = SHEAF_INDEX_NEVER};
	sheaf_error err;
	must(sheaf_open(job->text, &options, cx, out, &err), &err);
}

/* Frames of a file are added, and sorted ones are taken, as soon as they are ready. */
static void run_sort(const bench_job *job, void *memory, bench_yield *out)
{
	sheaf_context *cx = (sheaf_context *)memory;
	sheaf_dataset *dataset;
	sheaf_arranger *arranger;
	sheaf_status status;
	sheaf_error err;
	const sheaf_frame *frame;
	open_entries(job, cx, &dataset);
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	sheaf_tensor to = schema->tensor;
	to.sorted = true;
	must(sheaf_arranger_new(schema, &to, NULL, cx, &arranger, &err), &err);
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK)
		must(sheaf_arranger_add(arranger, frame, &err), &err);
	if (status != SHEAF_END) must(status, &err);
	must(sheaf_arranger_finish(arranger, &err), &err);
	while ((status = sheaf_arranger_next(arranger, &frame, &err)) == SHEAF_OK) out->values += frame->nrows;
	if (status != SHEAF_END) must(status, &err);
	sheaf_arranger_free(arranger);
	sheaf_close(dataset);
	sheaf_context_memory(cx, &out->memory);
}

const bench_runner sort_entries = {"sort", begin_reading, run_sort};

static void run_size(const bench_job *job, void *memory, bench_yield *out)
{
	sheaf_dataset *dataset;
	sheaf_status status;
	sheaf_error err;
	const sheaf_frame *frame;
	open_entries(job, (sheaf_context *)memory, &dataset);
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK) out->values += frame->nrows;
	if (status != SHEAF_END) must(status, &err);
	sheaf_close(dataset);
	out->memory = out->values * ENTRY;
}

const bench_runner size_of_entries = {"the arrays", begin_reading, run_size};

/* ---- scipy ---- */

/* What all its programs begin with: entries, and the sum of what comes out. */
#define PROGRAM \
	"import numpy, scipy, scipy.sparse, sys\n" \
	"from scipy.sparse import _sparsetools\n" \
	"R, n = 1000000, int(sys.argv[1])\n" \
	"def entries():\n" \
	"    z = numpy.arange(1, n + 1, dtype=numpy.uint64) * numpy.uint64(0x9e3779b97f4a7c15)\n" \
	"    z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xbf58476d1ce4e5b9)\n" \
	"    z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94d049bb133111eb)\n" \
	"    z ^= z >> numpy.uint64(31)\n" \
	"    rows = ((z & numpy.uint64(0xffffffff)) % numpy.uint64(R)).astype(numpy.int32)\n" \
	"    columns = ((z >> numpy.uint64(32)) % numpy.uint64(R)).astype(numpy.int32)\n" \
	"    return (z >> numpy.uint64(11)).astype(float), rows, columns\n" \
	"def check(pointers, indices, values):\n" \
	"    k = numpy.arange(1, len(indices) + 1, dtype=numpy.uint64)\n" \
	"    total = pointers.astype(numpy.uint64).sum() + (k * (indices.astype(numpy.uint64) + " \
	"values.view(numpy.uint64))).sum()\n" \
	"    return int(total) >> 2\n" \
	"def touched():\n" \
	"    return numpy.full(R + 1, 1, numpy.int32), numpy.full(n, 1, numpy.int32), numpy.full(n, 1.0)\n" \
	"def parts(matrix):\n" \
	"    return matrix.indptr, matrix.indices, matrix.data\n" \
	"def serve(job):\n" \
	"    made = job()\n" \
	"    total = check(*made)\n" \
	"    print('scipy', scipy.__version__, flush=True)\n" \
	"    for line in sys.stdin:\n" \
	"        made = None\n" \
	"        made = job()\n" \
	"        print(total, flush=True)\n" \
	"values, rows, columns = entries()\n"

#define BY_ROWS \
	"by_rows = touched()\n" \
	"_sparsetools.coo_tocsr(R, R, n, rows, columns, values, *by_rows)\n"

static const char rows_script[] = PROGRAM "out = touched()\n"
										  "def job():\n"
										  "    _sparsetools.coo_tocsr(R, R, n, rows, columns, values, *out)\n"
										  "    return out\n"
										  "serve(job)\n";

static const char columns_script[] = PROGRAM BY_ROWS "out = touched()\n"
													 "def job():\n"
													 "    _sparsetools.csr_tocsc(R, R, *by_rows, *out)\n"
													 "    return out\n"
													 "serve(job)\n";

static const char tocsr_script[] =
	PROGRAM "coo = scipy.sparse.coo_matrix((values, (rows, columns)), shape=(R, R))\n"
			"serve(lambda: parts(coo.tocsr()))\n";

static const char tocsc_script[] =
	PROGRAM BY_ROWS "csr = scipy.sparse.csr_matrix((by_rows[2], by_rows[1], by_rows[0]), shape=(R, R))\n"
					"serve(lambda: parts(csr.tocsc()))\n";

static const char *begin_script(const bench_job *job, const char *text, void **out)
{
	char number[32];
	snprintf(number, sizeof number, "%" PRId64, nentries(job));
	return script_begin(text, number, out);
}

static const char *begin_scipy_rows(const bench_job *job, void **out)
{
	return begin_script(job, rows_script, out);
}
static const char *begin_scipy_columns(const bench_job *job, void **out)
{
	return begin_script(job, columns_script, out);
}
static const char *begin_tocsr(const bench_job *job, void **out)
{
	return begin_script(job, tocsr_script, out);
}
static const char *begin_tocsc(const bench_job *job, void **out)
{
	return begin_script(job, tocsc_script, out);
}

const bench_runner scipy_rows = {"scipy's kernel", begin_scipy_rows, script_run};
const bench_runner scipy_columns = {"scipy's kernel", begin_scipy_columns, script_run};
const bench_runner scipy_tocsr = {"tocsr()", begin_tocsr, script_run};
const bench_runner scipy_tocsc = {"tocsc()", begin_tocsc, script_run};
