/* SPDX-License-Identifier: MIT */
/* What is measured and against what, and the one place of all targets. */
#include "bench.h"

#define FIVE "integers", "pairs", "lines", "floats", "exponents"

static const char to_binary[] = "SHEAF convert --index never --quiet STREAMS TEXT OUTPUT";

/* The halves of a conversion, with the table of an index. */
#define HALF(i) "SHEAF convert --force --quiet --threads 1 STREAMS --part " #i "/2 TEXT PART" #i
/* Reading in parts, one after the other. */
#define READ_HALF(command, number) \
	"SHEAF " command " --force --quiet --threads 1 STREAMS --part " #number "/2 TEXT PART" #number
#define READ_IN_TURN(command) READ_HALF(command, 1) " ; " READ_HALF(command, 2)
#define TWO_PARTS HALF(1) " & " HALF(2)
#define TWO_IN_TURN HALF(1) " ; " HALF(2)
#define BY_RANKS "convert --force --quiet --threads 1 STREAMS TEXT OUTPUT"
#define RANKS(number) "mpirun.openmpi --allow-run-as-root --oversubscribe -n " #number " SHEAF-MPI " BY_RANKS
#define MPICH_RANKS(number) "mpirun.mpich -n " #number " SHEAF-MPICH " BY_RANKS

/* A Matrix Market file to entries in reused memory, on one thread. */
/* NOLINTBEGIN(bugprone-macro-parentheses): members of a table */
#define MTX(work, size) \
	{ \
		.part = "mtx", .name = "to entries", .works = {work}, .percent = size, .by = BY_CPU, \
		.ours = \
			{ \
				{.runner = &read_entries, .name = "avx512", .kernel = "avx512", .threads = 1}, \
				{.runner = &read_entries, .name = "avx2", .kernel = "avx2", .threads = 1}, \
				{.runner = &read_entries, .name = "portable", .kernel = "portable", .threads = 1}, \
			}, \
		.peers = {{.runner = &fast_float_entries}}, \
	}
/* NOLINTEND(bugprone-macro-parentheses) */

const bench_race races[] = {
	/* Text in memory to arrays in reused memory, on one thread. */
	{
		.part = "parse",
		.name = "text to arrays",
		.works = {FIVE},
		.by = BY_CPU,
		.ours =
			{
				{.runner = &parse_text, .name = "avx512", .kernel = "avx512", .threads = 1},
				{.runner = &parse_text, .name = "avx2", .kernel = "avx2", .threads = 1},
				{.runner = &parse_text, .name = "portable", .kernel = "portable", .threads = 1},
				{.runner = &parse_text, .name = "scalar", .kernel = "scalar", .threads = 1},
			},
		.peers = {{.runner = &strtof_loop}, {.runner = &fast_float_loop}, {.runner = &bare_read}},
	},
	{
		.part = "parse",
		.name = "1000 of them, to arrays",
		.works = {"streams"},
		.percent = 25,
		.by = BY_CPU,
		.ours = {{.runner = &parse_text, .threads = 1}},
		.peers = {{.runner = &strtof_loop}, {.runner = &fast_float_loop}},
	},
	{
		.part = "threads",
		.name = "text to arrays",
		.works = {FIVE},
		.by = BY_WALL,
		.ours = {{.runner = &parse_text, .name = "two threads", .threads = 2}},
		.peers = {{.runner = &parse_text, .name = "one thread", .threads = 1}},
	},
	{
		.part = "index",
		.name = "lines and sequences",
		.works = {FIVE},
		.by = BY_CPU,
		.ours = {{.runner = &index_text, .threads = 1}},
		.peers = {{.runner = &byte_loop}, {.runner = &memchr_loop}},
	},
	{
		.part = "index",
		.name = "opening",
		.works = {"integers", "lines"},
		.by = BY_CPU,
		.needs = NEEDS_INDEX,
		.ours = {{.runner = &open_indexed, .threads = 1}},
		.peers = {{.runner = &open_by_scan, .threads = 1}},
	},
	{
		.part = "index",
		.name = "size",
		.works = {"integers", "lines"},
		.by = BY_SIZE,
		.needs = NEEDS_INDEX,
		.ours = {{.runner = &size_of_index}},
		.peers = {{.runner = &size_of_text}},
	},
	/* A whole file into another, with all that makes it safe to keep. */
	{
		.part = "convert",
		.name = "CTF to CBF",
		.works = {FIVE},
		.by = BY_WALL,
		.needs = NEEDS_BINARY,
		.ours =
			{
				{.runner = &run_command,
                 .name = "two threads",
                 .words = "SHEAF convert --index never --quiet --threads 2 STREAMS TEXT OUTPUT"},
				{.runner = &run_command,
                 .name = "one thread",
                 .words = "SHEAF convert --index never --quiet --threads 1 STREAMS TEXT OUTPUT"},
			},
		.peers = {{.runner = &bare_write}},
	},
	{
		.part = "convert",
		.name = "CBF to CTF",
		.works = {FIVE},
		.percent = 25,
		.by = BY_WALL,
		.needs = NEEDS_BINARY,
		.ours =
			{
				{.runner = &run_command,
                 .name = "two threads",
                 .words = "SHEAF convert --index never --quiet --threads 2 --to ctf BINARY OUTPUT"},
				{.runner = &run_command,
                 .name = "one thread",
                 .words = "SHEAF convert --index never --quiet --threads 1 --to ctf BINARY OUTPUT"},
			},
		.peers = {{.runner = &printf_loop}},
	},
	/* The same job by processes and by threads; parts have an index. To start an MPI job takes a tenth of a
     * second. */
	{
		.part = "scale",
		.name = "CTF to CBF",
		.works = {"integers", "pairs", "lines"},
		.percent = 500,
		.by = BY_WALL,
		.needs = NEEDS_INDEX | NEEDS_BINARY,
		.ours = {{.runner = &run_commands, .name = "two parts", .words = TWO_PARTS},
                 {.runner = &run_ranks, .name = "two ranks", .words = RANKS(2)},
                 {.runner = &run_mpich, .name = "two ranks, MPICH", .words = MPICH_RANKS(2)}},
		.peers = {{.runner = &run_command,
                   .name = "two threads",
                   .words = "SHEAF convert --force --quiet --threads 2 STREAMS TEXT OUTPUT"}},
	},
	{
		.part = "scale",
		.name = "CTF to CBF, by one",
		.works = {"integers", "pairs", "lines"},
		.percent = 500,
		.by = BY_WALL,
		.needs = NEEDS_INDEX | NEEDS_BINARY,
		.ours = {{.runner = &run_commands,
                  .name = "one part of one",
                  .words = "SHEAF convert --force --quiet --threads 1 STREAMS --part 1/1 TEXT PART1"},
                 {.runner = &run_ranks, .name = "one rank", .words = RANKS(1)},
                 {.runner = &run_mpich, .name = "one rank, MPICH", .words = MPICH_RANKS(1)}},
		.peers = {{.runner = &run_command,
                   .name = "one thread",
                   .words = "SHEAF convert --force --quiet --threads 1 STREAMS TEXT OUTPUT"}},
	},
	{
		.part = "scale",
		.name = "CTF to CBF, alone",
		.works = {"integers", "pairs", "lines"},
		.by = BY_CPU,
		.needs = NEEDS_INDEX | NEEDS_BINARY,
		.ours =
			{
				{.runner = &run_commands,
                 .name = "one part of one",
                 .words = "SHEAF convert --force --quiet --threads 1 STREAMS --part 1/1 TEXT PART1"},
				{.runner = &run_commands, .name = "two parts in turn", .words = TWO_IN_TURN},
			},
		.peers = {{.runner = &run_command,
                   .name = "one thread",
                   .words = "SHEAF convert --force --quiet --threads 1 STREAMS TEXT OUTPUT"}},
	},
	{
		.part = "scale",
		.name = "hash, alone",
		.works = {"integers", "pairs", "lines"},
		.by = BY_CPU,
		.needs = NEEDS_INDEX,
		.ours = {{.runner = &run_commands, .name = "two parts in turn", .words = READ_IN_TURN("hash")}},
		.peers = {{.runner = &run_commands,
                   .name = "one thread",
                   .words = "SHEAF hash --quiet --threads 1 STREAMS TEXT"}},
	},
	{
		.part = "scale",
		.name = "stats, alone",
		.works = {"integers", "pairs", "lines"},
		.by = BY_CPU,
		.needs = NEEDS_INDEX,
		.ours = {{.runner = &run_commands, .name = "two parts in turn", .words = READ_IN_TURN("stats")}},
		.peers = {{.runner = &run_commands,
                   .name = "one thread",
                   .words = "SHEAF stats --quiet --threads 1 STREAMS TEXT"}},
	},
	{
		.part = "scale",
		.name = "merge",
		.works = {"integers", "pairs", "lines"},
		.by = BY_WALL,
		.needs = NEEDS_INDEX | NEEDS_BINARY,
		.ours = {{.runner = &run_after,
                  .name = "two parts",
                  .words = TWO_PARTS " | SHEAF merge --force --quiet PART1 PART2 OUTPUT"}},
		.peers = {{.runner = &run_commands, .name = "cp, synced", .words = "cp BINARY OUTPUT ; sync OUTPUT"}},
	},
	{
		.part = "scale",
		.name = "planning 16 tasks",
		.works = {"integers", "lines"},
		.by = BY_CPU,
		.needs = NEEDS_INDEX,
		.ours = {{.runner = &run_commands,
                  .name = "with an index",
                  .words = "SHEAF plan STREAMS --parts 16 TEXT"}},
		.peers = {{.runner = &run_commands,
                   .name = "by a scan",
                   .words = "SHEAF plan --index never STREAMS --parts 16 TEXT"}},
	},
	{
		.part = "binary",
		.name = "CBF to arrays",
		.works = {"integers", "pairs", "lines"},
		.by = BY_CPU,
		.needs = NEEDS_BINARY | COUNTS_BINARY,
		.ours = {{.runner = &read_frames, .threads = 1}},
		.peers = {{.runner = &bare_map}},
	},
	/* Minibatches: sequences of 40 words, in random order where nothing else is said. */
	{
		.part = "batches",
		.name = "from memory",
		.works = {"pairs"},
		.by = BY_CPU,
		.needs = NEEDS_BINARY | COUNTS_BINARY,
		.ours = {{.runner = &gather_many, .threads = 1}, {.runner = &gather_few, .threads = 1}},
		.peers = {{.runner = &memcpy_loop}, {.runner = &memcpy_and_wait}},
	},
	{
		.part = "batches",
		.name = "from CBF",
		.works = {"pairs"},
		.by = BY_WALL,
		.needs = NEEDS_BINARY | COUNTS_BINARY,
		.ours = {{.runner = &batches_shuffled}},
		.peers = {{.runner = &bare_read}},
	},
	{
		.part = "batches",
		.name = "from CTF",
		.works = {"pairs"},
		.by = BY_CPU,
		.ours = {{.runner = &batches_in_order, .threads = 1}},
		.peers = {{.runner = &parse_text, .threads = 1}},
	},
	{
		.part = "batches",
		.name = "first batch",
		.works = {"integers"},
		.percent = 500,
		.by = BY_WALL,
		.needs = NEEDS_INDEX,
		.ours = {{.runner = &first_in_order}, {.runner = &first_of_window}},
		.peers = {{.runner = &parse_text, .name = "full scan"}},
	},
	/* Lens example files: into their own model, and into values of groups with their other columns. */
	{
		.part = "lens",
		.name = "text to model",
		.works = {"reals", "bits", "units"},
		.by = BY_CPU,
		.ours = {{.runner = &model_text, .threads = 1}},
		.peers = {{.runner = &strtof_loop}, {.runner = &fast_float_loop}, {.runner = &bare_read}},
	},
	{
		.part = "lens",
		.name = "binary to model",
		.works = {"reals", "bits", "units"},
		.by = BY_CPU,
		.needs = NEEDS_BINARY | COUNTS_BINARY,
		.ours = {{.runner = &model_binary, .threads = 1}},
		.peers = {{.runner = &bare_read}},
	},
	{
		.part = "lens",
		.name = "text to arrays",
		.works = {"reals", "bits", "units"},
		.percent = 50,
		.by = BY_CPU,
		.ours = {{.runner = &parse_text, .threads = 1}},
		.peers = {{.runner = &strtof_loop}},
	},
	{
		.part = "lens",
		.name = "binary to arrays",
		.works = {"reals", "bits", "units"},
		.percent = 50,
		.by = BY_CPU,
		.needs = NEEDS_BINARY | COUNTS_BINARY,
		.ours = {{.runner = &read_frames, .threads = 1}},
		.peers = {{.runner = &bare_read}},
	},
	{
		.part = "lens",
		.name = "memory of text to binary",
		.works = {"reals", "bits", "units"},
		.percent = 50,
		.by = BY_MEMORY,
		.needs = NEEDS_BINARY,
		.ours = {{.runner = &run_command, .words = "SHEAF convert --quiet --index never TEXT OUTPUT"}},
		.peers = {{.runner = &size_of_values}},
	},
	/* Tables in binary: numbers that may be null, and strings, into columns. */
	{
		.part = "cells",
		.name = "to columns",
		.works = {"mixed"},
		.by = BY_CPU,
		.ours = {{.runner = &read_cells, .threads = 1}},
		.peers = {{.runner = &struct_loop}, {.runner = &bare_read}},
	},
	{
		.part = "cells",
		.name = "to columns",
		.works = {"fixed"},
		.by = BY_CPU,
		.ours = {{.runner = &read_cells, .threads = 1}},
		.peers = {{.runner = &bare_read}, {.runner = &numpy_frombuffer}},
	},
	{
		.part = "cells",
		.name = "to CSV",
		.works = {"mixed"},
		.by = BY_CPU,
		.ours = {{.runner = &run_command,
                  .words = "SHEAF convert --quiet --index never --threads 1 --to csv STREAMS TEXT OUTPUT"}},
		.peers = {{.runner = &csv_writer}, {.runner = &struct_loop}},
	},
	{
		.part = "cells",
		.name = "to NPY",
		.works = {"fixed"},
		.by = BY_CPU,
		.ours = {{.runner = &run_command,
                  .words = "SHEAF convert --quiet --index never --threads 1 --to npy STREAMS TEXT OUTPUT"}},
		.peers = {{.runner = &numpy_save}},
	},
	{
		.part = "cells",
		.name = "from NPY",
		.works = {"fixed"},
		.by = BY_CPU,
		.needs = NEEDS_BINARY,
		.ours = {{.runner = &run_command,
                  .words = "SHEAF convert --quiet --index never --threads 1 --to scidb BINARY OUTPUT"}},
		.peers = {{.runner = &numpy_tofile}},
	},
#if SHEAF_BENCH_HDF5
	/* A matrix of 2^18 rows and columns in HDF5, as arrays, and as text. */
	{
		.part = "boxes",
		.name = "CSR to arrays",
		.works = {"matrix"},
		.by = BY_WALL,
		.needs = NEEDS_BINARY | COUNTS_BINARY,
		.ours =
			{
				{.runner = &read_whole, .name = "none", .words = "none", .threads = 1},
				{.runner = &read_whole, .name = "sizes", .words = "sizes", .threads = 1},
				{.runner = &look_at_whole, .name = "sizes, looked at", .words = "sizes", .threads = 1},
				{.runner = &read_whole, .name = "offsets", .words = "offsets", .threads = 1},
				{.runner = &read_whole, .name = "full", .words = "full", .threads = 1},
			},
		.peers = {{.runner = &bare_pread}, {.runner = &hdf5_read}, {.runner = &h5py_read}},
	},
	{
		.part = "boxes",
		.name = "CSR to arrays",
		.works = {"deflated"},
		.by = BY_WALL,
		.needs = NEEDS_BINARY | COUNTS_BINARY,
		.ours =
			{
				{.runner = &read_whole, .name = "two threads", .words = "sizes", .threads = 2},
				{.runner = &read_whole, .name = "one thread", .words = "sizes", .threads = 1},
			},
		.peers = {{.runner = &hdf5_read}, {.runner = &h5py_read}},
	},
	{
		.part = "boxes",
		.name = "CSR to deflated CSR",
		.works = {"matrix"},
		.by = BY_WALL,
		.needs = NEEDS_BINARY | COUNTS_BINARY,
		.ours =
			{
				{.runner = &run_command,
                 .name = "two threads",
                 .words =
                     "SHEAF convert --quiet --index never --threads 2 --compression deflate BINARY OUTPUT"},
				{.runner = &run_command,
                 .name = "one thread",
                 .words =
                     "SHEAF convert --quiet --index never --threads 1 --compression deflate BINARY OUTPUT"},
			},
		.peers = {{.runner = &hdf5_write}},
	},
	{
		.part = "boxes",
		.name = "memory of CSR to arrays",
		.works = {"matrix"},
		.by = BY_MEMORY,
		.needs = NEEDS_BINARY | COUNTS_BINARY,
		.ours = {{.runner = &look_at_whole, .name = "full, looked at", .words = "full"}},
		.peers = {{.runner = &size_of_values}},
	},
	{
		.part = "boxes",
		.name = "size of deflated CSR",
		.works = {"matrix"},
		.by = BY_SIZE,
		.needs = NEEDS_BINARY | COUNTS_BINARY,
		.ours = {{.runner = &run_command,
                  .name = "bytes",
                  .words = "SHEAF convert --quiet --index never --compression deflate BINARY OUTPUT"}},
		.peers = {{.runner = &hdf5_write}},
	},
	{
		.part = "boxes",
		.name = "mtx to HDF5",
		.works = {"matrix"},
		.by = BY_WALL,
		.needs = NEEDS_BINARY,
		.ours =
			{
				{.runner = &run_command,
                 .name = "COO",
                 .words = "SHEAF convert --quiet --index never --layout COO TEXT OUTPUT"},
				{.runner = &run_command,
                 .name = "CSR",
                 .words = "SHEAF convert --quiet --index never --layout CSR TEXT OUTPUT"},
			},
		.peers = {{.runner = &read_entries, .name = "read alone"}, {.runner = &scipy_mmread}},
	},
	/* A file of 100,000 groups, all of which are listed; and the start of `info`. */
	{
		.part = "boxes",
		.name = "100,000 groups",
		.works = {"matrix"},
		.percent = 1,
		.by = BY_CPU,
		.ours = {{.runner = &open_groups, .threads = 1}},
		.peers = {{.runner = &hdf5_visit}},
	},
	{
		.part = "boxes",
		.name = "info",
		.works = {"matrix"},
		.percent = 1,
		.by = BY_CPU,
		.needs = NEEDS_BINARY,
		.ours = {{.runner = &run_command, .name = "of HDF5", .words = "SHEAF info BINARY"}},
		.peers = {{.runner = &run_command, .name = "of text", .words = "SHEAF info TEXT"}},
	},
	/* Matrix Market files of 20 million reals, of 5 million of a symmetric matrix, of 10 million places; and
       one that is written. */
	MTX("matrix", 320),
	MTX("symmetric", 93),
	MTX("pattern", 67),
	{
		.part = "mtx",
		.name = "to entries",
		.works = {"matrix", "symmetric", "pattern"},
		.percent = 50,
		.by = BY_WALL,
		.ours = {{.runner = &read_entries, .name = "two threads", .threads = 2},
                 {.runner = &read_entries, .name = "one thread", .threads = 1}},
		.peers = {{.runner = &scipy_mmread}},
	},
	{
		.part = "mtx",
		.name = "CSR to mtx",
		.works = {"matrix"},
		.by = BY_WALL,
		.needs = NEEDS_BINARY,
		.ours =
			{
				{.runner = &run_command,
                 .name = "two threads",
                 .words = "SHEAF convert --quiet --index never --threads 2 --to matrixmarket BINARY OUTPUT"},
				{.runner = &run_command,
                 .name = "one thread",
                 .words = "SHEAF convert --quiet --index never --threads 1 --to matrixmarket BINARY OUTPUT"},
			},
		.peers = {{.runner = &printf_entries}},
	},
#endif
	/* A million rows and columns with entries at random, in arrays in memory. */
	{
		.part = "tensors",
		.name = "COO to CSR",
		.by = BY_WALL,
		.ours =
			{
				{.runner = &to_rows, .name = "two threads", .threads = 2},
				{.runner = &to_rows, .name = "one thread", .threads = 1},
			},
		.peers = {{.runner = &scipy_rows}},
	},
	{
		.part = "tensors",
		.name = "CSR to CSC",
		.by = BY_WALL,
		.ours =
			{
				{.runner = &to_columns, .name = "two threads", .threads = 2},
				{.runner = &to_columns, .name = "one thread", .threads = 1},
			},
		.peers = {{.runner = &scipy_columns}},
	},
	{
		.part = "tensors",
		.name = "COO to sorted CSR, new arrays",
		.by = BY_WALL,
		.ours =
			{
				{.runner = &to_sorted_rows, .name = "two threads", .threads = 2},
				{.runner = &to_sorted_rows, .name = "one thread", .threads = 1},
			},
		.peers = {{.runner = &scipy_tocsr}},
	},
	{
		.part = "tensors",
		.name = "CSR to CSC, new arrays",
		.by = BY_WALL,
		.ours =
			{
				{.runner = &to_new_columns, .name = "two threads", .threads = 2},
				{.runner = &to_new_columns, .name = "one thread", .threads = 1},
			},
		.peers = {{.runner = &scipy_tocsc}},
	},
	{
		.part = "tensors",
		.name = "memory of a sort",
		.works = {"matrix"},
		.by = BY_MEMORY,
		.ours =
			{
				{.runner = &sort_entries, .name = "two threads", .threads = 2},
				{.runner = &sort_entries, .name = "one thread", .threads = 1},
			},
		.peers = {{.runner = &size_of_entries}},
	},
	/* What a user waits for. */
	{
		.part = "start",
		.name = "sheaf --version",
		.by = BY_WALL,
		.ours = {{.runner = &run_command, .words = "SHEAF --version"}},
		.peers = {{.runner = &run_command, .name = "true", .words = "true"}},
	},
	{
		.part = "start",
		.name = "first row of 10 GB",
		.works = {"integers"},
		.percent = 10,
		.by = BY_WALL,
		.needs = NEEDS_HUGE,
		.ours = {{.runner = &run_command, .words = "SHEAF head --index never --rows 1 HUGE"}},
		.peers = {{.runner = &run_command, .name = "head -n 1", .words = "head -n 1 HUGE"}},
	},
	{
		.part = "cold",
		.name = "stats, cold cache",
		.works = {"integers"},
		.by = BY_WALL,
		.needs = COLD,
		.ours = {{.runner = &run_command, .words = "SHEAF stats --index never STREAMS TEXT"}},
		.peers = {{.runner = &bare_read}},
	},
	{
		.part = "commands",
		.name = "each command",
		.works = {"integers"},
		.by = BY_WALL,
		.needs = NEEDS_BINARY,
		.ours =
			{
				{.runner = &run_command, .name = "info", .words = "SHEAF info --index never TEXT"},
				{.runner = &run_command, .name = "head", .words = "SHEAF head --index never TEXT"},
				{.runner = &run_command, .name = "cat", .words = "SHEAF cat --index never STREAMS TEXT"},
				{.runner = &run_command,
                 .name = "cat --json",
                 .words = "SHEAF cat --index never --json STREAMS TEXT"},
				{.runner = &run_command, .name = "stats", .words = "SHEAF stats --index never STREAMS TEXT"},
				{.runner = &run_command,
                 .name = "validate",
                 .words = "SHEAF validate --index never STREAMS TEXT"},
				{.runner = &run_command, .name = "schema", .words = "SHEAF schema --index never TEXT"},
				{.runner = &run_command, .name = "hash", .words = "SHEAF hash --index never STREAMS TEXT"},
				{.runner = &run_command, .name = "diff", .words = "SHEAF diff --index never TEXT BINARY"},
				{.runner = &run_command, .name = "convert", .words = to_binary},
				{.runner = &run_command,
                 .name = "convert, inferred",
                 .words = "SHEAF convert --index never --quiet TEXT OUTPUT"},
			},
		.peers = {{.runner = &bare_read}},
	},
	/* From 5 to 500 percent: one hundred times as much. */
	{
		.part = "growth",
		.name = "time of CTF to CBF",
		.works = {"integers"},
		.by = BY_WALL,
		.ours = {{.runner = &run_command, .name = "100 sizes", .words = to_binary, .percent = 500}},
		.peers = {{.runner = &run_command, .name = "1 size", .words = to_binary, .percent = 5}},
	},
	{
		.part = "growth",
		.name = "memory of CTF to CBF",
		.works = {"integers"},
		.by = BY_MEMORY,
		.ours = {{.runner = &run_command, .name = "100 sizes", .words = to_binary, .percent = 500}},
		.peers = {{.runner = &run_command, .name = "1 size", .words = to_binary, .percent = 5}},
	},
};

const int nraces = sizeof races / sizeof *races;

const bench_target targets[] = {
	{.part = "parse", .work = "integers", .how = "avx512", .peer = "strtof loop", .least = 15},
	{.part = "parse", .work = "pairs", .how = "avx512", .peer = "strtof loop", .least = 6.5},
	{.part = "parse", .work = "lines", .how = "avx512", .peer = "strtof loop", .least = 4},
	{.part = "parse", .work = "floats", .how = "avx512", .peer = "strtof loop", .least = 12},
	{.part = "parse", .work = "exponents", .how = "avx512", .peer = "strtof loop", .least = 5},
	{.part = "parse", .work = "integers", .how = "avx2", .peer = "strtof loop", .least = 12},
	{.part = "parse", .work = "pairs", .how = "avx2", .peer = "strtof loop", .least = 3.5},
	{.part = "parse", .work = "lines", .how = "avx2", .peer = "strtof loop", .least = 1.5},
	{.part = "parse", .work = "floats", .how = "avx2", .peer = "strtof loop", .least = 3},
	{.part = "parse", .work = "pairs", .how = "portable", .peer = "fast_float loop", .least = 0.9},
	{.part = "parse", .work = "lines", .how = "portable", .peer = "fast_float loop", .least = 0.9},
	{.part = "parse", .work = "floats", .how = "portable", .peer = "fast_float loop", .least = 0.9},
	{.part = "parse", .work = "exponents", .how = "portable", .peer = "fast_float loop", .least = 0.9},
	{.part = "threads", .peer = "one thread", .least = 1.7},
	{.part = "index", .work = "integers", .peer = "byte loop", .least = 10},
	{.part = "index", .work = "floats", .peer = "byte loop", .least = 10},
	{.part = "index", .work = "exponents", .peer = "byte loop", .least = 10},
	{.part = "index", .work = "lines", .peer = "byte loop", .least = 3.5},
	{.part = "index", .how = "indexed", .peer = "scan", .least = 50},
	{.part = "scale", .how = "two parts", .peer = "two threads", .least = 0.9},
	{.part = "scale", .how = "two ranks", .peer = "two threads", .least = 0.9},
	{.part = "scale", .how = "two ranks, MPICH", .peer = "two threads", .least = 0.9},
	{.part = "scale", .peer = "one thread", .least = 0.9},
	{.part = "scale", .how = "two parts", .peer = "cp, synced", .least = 0.8},
	{.part = "scale", .peer = "by a scan", .least = 20},
	{.part = "lens", .work = "reals", .how = "model", .peer = "strtof loop", .least = 6},
	{.part = "lens", .work = "bits", .how = "model", .peer = "strtof loop", .least = 8},
	{.part = "lens", .work = "units", .how = "model", .peer = "strtof loop", .least = 3},
	{.part = "lens", .work = "reals", .how = "model", .peer = "bare read", .least = 0.4},
	{.part = "lens", .work = "bits", .how = "model", .peer = "bare read", .least = 0.4},
	{.part = "lens", .peer = "the binary", .least = 1 / 1.5},
	{.part = "cells", .how = "to columns", .peer = "struct loop", .least = 15},
	{.part = "cells", .work = "fixed", .how = "to columns", .peer = "bare read", .least = 0.5},
	{.part = "cells", .work = "mixed", .peer = "struct loop, csv.writer", .least = 10},
	{.part = "boxes", .work = "matrix", .how = "sizes", .peer = "pread", .least = 1 / 1.05},
	{.part = "boxes", .work = "matrix", .how = "sizes, looked at", .peer = "pread", .least = 1 / 1.05},
	{.part = "boxes", .work = "matrix", .how = "full", .peer = "pread", .least = 1 / 1.6},
	{.part = "boxes", .work = "matrix", .how = "full", .peer = "h5py", .least = 0.9},
	{.part = "boxes", .work = "deflated", .how = "two threads", .peer = "H5Dread", .least = 4},
	{.part = "boxes", .work = "deflated", .how = "two threads", .peer = "h5py", .least = 3},
	{.part = "boxes", .how = "opened", .peer = "H5Ovisit", .least = 2},
	{.part = "boxes", .how = "of HDF5", .peer = "of text", .least = 1 / 1.1},
	{.part = "boxes", .how = "two threads", .peer = "H5Dwrite", .least = 4},
	{.part = "boxes", .how = "bytes", .peer = "H5Dwrite", .least = 1},
	{.part = "boxes", .how = "CSR", .peer = "read alone", .least = 0.5},
	{.part = "mtx", .how = "avx512", .peer = "fast_float loop", .least = 2},
	{.part = "mtx", .how = "avx2", .peer = "fast_float loop", .least = 1},
	{.part = "mtx", .how = "two threads", .peer = "printf loop", .least = 10},
	{.part = "boxes", .how = "full, looked at", .peer = "the binary", .least = 1 / 1.2},
	{.part = "tensors", .how = "one thread", .peer = "scipy's kernel", .least = 1.6},
	{.part = "tensors", .how = "two threads", .peer = "scipy's kernel", .least = 2.88},
	{.part = "tensors", .how = "one thread", .peer = "tocsr()", .least = 3.3},
	{.part = "tensors", .how = "one thread", .peer = "tocsc()", .least = 3.3},
	{.part = "tensors", .peer = "the arrays", .least = 1 / 2.2},
	{.part = "batches", .how = "batches of 1024", .peer = "memcpy loop", .least = 0.8},
	{.part = "batches", .how = "batches of 32", .peer = "memcpy + 2 us", .least = 1},
	{.part = "batches", .how = "full shuffle", .peer = "bare read", .least = 0.25},
	{.part = "batches", .how = "file order", .peer = "parse", .least = 0.9},
	{.part = "batches", .peer = "full scan", .least = 20},
	{.part = "convert", .how = "two threads", .peer = "bare write", .least = 0.85},
	{.part = "convert", .how = "two threads", .peer = "printf loop", .least = 5},
	{.part = "binary", .peer = "bare mapped read", .least = 0.3},
};

const int ntargets = sizeof targets / sizeof *targets;
