/* SPDX-License-Identifier: MIT */
/* What is measured and against what, and the one place of all targets. */
#include "bench.h"

#define FIVE "integers", "pairs", "lines", "floats", "exponents"

static const char to_binary[] = "SHEAF convert --index never --quiet --to cbf STREAMS TEXT OUTPUT";

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
				{.runner = &run_command, .name = "two threads", .words = "SHEAF convert --index never --quiet --threads 2 --to cbf STREAMS TEXT OUTPUT"},
				{.runner = &run_command, .name = "one thread", .words = "SHEAF convert --index never --quiet --threads 1 --to cbf STREAMS TEXT OUTPUT"},
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
				{.runner = &run_command, .name = "two threads", .words = "SHEAF convert --index never --quiet --threads 2 --to ctf BINARY OUTPUT"},
				{.runner = &run_command, .name = "one thread", .words = "SHEAF convert --index never --quiet --threads 1 --to ctf BINARY OUTPUT"},
			},
		.peers = {{.runner = &printf_loop}},
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
				{.runner = &run_command, .name = "cat --json", .words = "SHEAF cat --index never --json STREAMS TEXT"},
				{.runner = &run_command, .name = "stats", .words = "SHEAF stats --index never STREAMS TEXT"},
				{.runner = &run_command, .name = "validate", .words = "SHEAF validate --index never STREAMS TEXT"},
				{.runner = &run_command, .name = "schema", .words = "SHEAF schema --index never TEXT"},
				{.runner = &run_command, .name = "hash", .words = "SHEAF hash --index never STREAMS TEXT"},
				{.runner = &run_command, .name = "diff", .words = "SHEAF diff --index never TEXT BINARY"},
				{.runner = &run_command, .name = "convert", .words = to_binary},
				{.runner = &run_command, .name = "convert, inferred", .words = "SHEAF convert --index never --quiet --to cbf TEXT OUTPUT"},
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
