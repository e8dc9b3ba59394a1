/* SPDX-License-Identifier: MIT */
/* Tables in binary: read into columns by the library, and by programs in Python. */
#include "bench.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- ours ---- */

typedef struct reading {
	sheaf_context *cx;
	sheaf_setting *settings;
	int nsettings;
} reading;

static const char *begin_reading(const bench_job *job, void **state)
{
	sheaf_context_options options = {.size = sizeof options, .threads = job->threads};
	reading *r = (reading *)need(sizeof *r);
	sheaf_error err;
	if (sheaf_context_new(&options, &r->cx, &err)) die("%s", err.message);
	r->settings = workload_settings(job->work, &r->nsettings);
	*state = r;
	return NULL;
}

static void run_cells(const bench_job *job, void *state, bench_yield *out)
{
	reading *r = (reading *)state;
	sheaf_open_options options = {.size = sizeof options,
	                              .settings = r->settings,
	                              .nsettings = r->nsettings,
	                              .index = SHEAF_INDEX_NEVER};
	options.format = sheaf_format_about(sheaf_format_of_name(job->text)).name;
	sheaf_dataset *dataset;
	const sheaf_frame *frame;
	sheaf_status status;
	sheaf_error err;
	if (sheaf_open(job->text, &options, r->cx, &dataset, &err)) die("%s", err.message);
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK) {
	}
	if (status != SHEAF_END) die("%s", err.message);
	sheaf_close(dataset);
	sheaf_context_memory(r->cx, &out->memory);
}

const bench_runner read_cells = {"to columns", begin_reading, run_cells};

/* ---- Python ---- */

static const char PYTHON[] = "/usr/bin/python3";

/* What people with such a file write: as many bytes as a format of struct takes at once, and lists of
 * values, null as None. */
static const char struct_script[] =
	"import struct, sys\n"
	"data = open(sys.argv[1], 'rb').read()\n"
	"head, tail = struct.Struct('<qBiBdBI').unpack_from, struct.Struct('<BqfI').unpack_from\n"
	"a, b, c, d, e, f, g = [], [], [], [], [], [], []\n"
	"at, end = 0, len(data)\n"
	"while at < end:\n"
	"    av, bn, bv, cn, cv, dn, size = head(data, at)\n"
	"    at += 27\n"
	"    a.append(av)\n"
	"    b.append(bv if bn == 255 else None)\n"
	"    c.append(cv if cn == 255 else None)\n"
	"    d.append(data[at:at + size - 1].decode() if dn == 255 else None)\n"
	"    at += size\n"
	"    en, ev, fv, size = tail(data, at)\n"
	"    at += 17\n"
	"    e.append(ev if en == 255 else None)\n"
	"    f.append(fv)\n"
	"    g.append(data[at:at + size - 1].decode())\n"
	"    at += size\n";

/* And writes them as text. What csv.writer takes by itself is the difference. */
static const char csv_script[] =
	"import csv\n"
	"csv.writer(open(sys.argv[2], 'w', newline='')).writerows(zip(a, b, c, d, e, f, g))\n";

/* A view of the file's bytes, each column copied out of it with its mask. */
static const char numpy_script[] = "import numpy, sys\n"
								   "dtype = [('a', '<i8'), ('bn', 'u1'), ('b', '<i4'), ('cn', 'u1'), ('c', "
								   "'<f8'), ('dn', 'u1'), ('d', '<i8'), ('e', '<f4')]\n"
								   "cells = numpy.frombuffer(open(sys.argv[1], 'rb').read(), dtype)\n"
								   "columns = [numpy.ascontiguousarray(cells[name]) for name in 'abcde']\n"
								   "masks = [cells[name] != 255 for name in ('bn', 'cn', 'dn')]\n";

/* The same view saved as an array, as it is: a cell of fixed size is a packed item. */
static const char save_script[] =
	"import numpy, sys\n"
	"def nullable(t): return [('null', 'u1'), ('val', t)]\n"
	"dtype = [('a', '<i8'), ('b', nullable('<i4')), ('c', nullable('<f8')), ('d', nullable('<M8[s]')), ('e', "
	"'<f4')]\n"
	"numpy.save(open(sys.argv[2], 'wb'), numpy.frombuffer(open(sys.argv[1], 'rb').read(), dtype))\n";

/* And back. */
static const char tofile_script[] = "import numpy, sys\n"
									"numpy.load(sys.argv[3]).tofile(sys.argv[2])\n";

static const char *begin_script(const bench_job *job, const char *text, const char *more)
{
	if (access(PYTHON, X_OK) != 0) return "no /usr/bin/python3";
	FILE *file = fopen(job->script, "w");
	if (!file || fputs(text, file) < 0 || fputs(more, file) < 0 || fclose(file) != 0)
		die("%s: expected room for a script, found none", job->script);
	return NULL;
}

static const char *begin_struct(const bench_job *job, void **state)
{
	(void)state;
	return begin_script(job, struct_script, "");
}

static const char *begin_csv(const bench_job *job, void **state)
{
	(void)state;
	return begin_script(job, struct_script, csv_script);
}

static const char *begin_of_numpy(const bench_job *job, const char *text)
{
	bool has_numpy = access("/usr/lib/python3/dist-packages/numpy", R_OK) == 0;
	return has_numpy ? begin_script(job, text, "") : "no numpy";
}

static const char *begin_numpy(const bench_job *job, void **state)
{
	(void)state;
	return begin_of_numpy(job, numpy_script);
}

static const char *begin_save(const bench_job *job, void **state)
{
	(void)state;
	return begin_of_numpy(job, save_script);
}

static const char *begin_tofile(const bench_job *job, void **state)
{
	(void)state;
	return begin_of_numpy(job, tofile_script);
}

static void run_script(const bench_job *job, void *state, bench_yield *out)
{
	char words[PATH_SIZE + NAME_SIZE];
	(void)state;
	snprintf(words, sizeof words, "%s %s TEXT OUTPUT BINARY", PYTHON, job->script);
	out->memory = command_run(job, words);
}

const bench_runner struct_loop = {"struct loop", begin_struct, run_script};
const bench_runner csv_writer = {"struct loop, csv.writer", begin_csv, run_script};
const bench_runner numpy_save = {"frombuffer, numpy.save", begin_save, run_script};
const bench_runner numpy_tofile = {"numpy.load, tofile", begin_tofile, run_script};
const bench_runner numpy_frombuffer = {"numpy.frombuffer", begin_numpy, run_script};
