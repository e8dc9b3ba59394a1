/* SPDX-License-Identifier: MIT */
/* What the files of the bench share. In a race, entrants do the same job in turn, each in a process of its
 * own, round after round, so that noise of the machine affects all of them. Ours are judged by their ratios
 * to the peers of the same race. */
#ifndef BENCH_H
#define BENCH_H

#include <sheaf/sheaf.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	MAX_ENTRANTS = 16,
	MAX_WORKS = 6,
	MAX_ROUNDS = 25,
	MAX_PARTS = 4,
	PATH_SIZE = 1024,
	NAME_SIZE = 64,
	NOTE_SIZE = 96
};

/* ---- what is asked for ---- */

typedef struct bench_setup {
	const char *command; /* path of sheaf */
	const char *folder;  /* the folder of workloads and outputs */
	const char *only;    /* parts to run, separated by commas; NULL: all */
	const char *records; /* path of the results as lines of tab-separated fields; NULL: none */
	int64_t megabytes;   /* size of a workload of 100 percent */
	int rounds;
} bench_setup;

/* Prints to standard error and ends the process. */
__attribute__((noreturn)) void die(const char *format, ...) SHEAF_PRINTF(1, 2);
void *need(size_t bytes);

void setup_read(bench_setup *s, const char *command);
bool setup_wants(const bench_setup *s, const char *part);
void machine_print(const bench_setup *s);

/* ---- workloads ---- */

typedef struct bench_text bench_text;
/* How a kind of files is named and made. */
typedef struct bench_kind {
	const char *text, *binary; /* suffixes */
	const char *setting;       /* that declares a stream */
	const char *head;          /* what comes before the lines */
	const char *to_binary;     /* words of a command */
	int numbers; /* in the head, which a loop over the whole text takes for values; if there are any, the
	                last one is the number of lines */
} bench_kind;

typedef struct bench_workload {
	const char *name;
	const bench_kind *kind;
	const char *streams[3]; /* as the setting wants them; with `repeated`, one that holds %d for the number */
	int repeated;           /* 0: the streams as they are */
	bool sparse;            /* values follow an index and a colon */
	void (*line)(bench_text *out); /* puts the next line */
} bench_workload;

const bench_workload *workload_find(const char *name);
/* The settings that declare its streams; *n is how many. The caller frees them with
 * workload_settings_free. */
sheaf_setting *workload_settings(const bench_workload *work, int *n);
void workload_settings_free(sheaf_setting *settings, int n);
/* Writes a file of about `bytes` bytes. */
void workload_write(const bench_workload *work, int64_t bytes, const char *path);

/* ---- jobs ---- */

/* What one entrant works on. */
typedef struct bench_job {
	const bench_setup *setup;
	const bench_workload *work;
	const char *kernel;     /* NULL: the one that the library chooses */
	const char *words;      /* of a command line, if a runner needs one */
	int threads;            /* 0: as many as the library chooses */
	const char *counted;    /* the file whose bytes count */
	char text[PATH_SIZE];   /* the workload */
	char binary[PATH_SIZE]; /* the same in binary, if the race asks for it */
	char huge[PATH_SIZE];   /* 10 GB that begin with the workload, if the race asks for it */
	char output[PATH_SIZE]; /* may be written; removed before each round */
	char script[PATH_SIZE]; /* may be written when it begins; removed when it ends */
} bench_job;

/* What a round gives besides its time; 0 if it gives nothing. */
typedef struct bench_yield {
	int64_t memory; /* most bytes held */
	int64_t size;   /* bytes of its output */
	int64_t values; /* values read: all entrants of a race must agree */
} bench_yield;

typedef struct bench_runner {
	const char *name;
	/* Once, in the process that runs. Gives what `run` gets, or why it cannot run on this machine. NULL:
	 * nothing to prepare. */
	const char *(*begin)(const bench_job *job, void **state);
	void (*run)(const bench_job *job, void *state, bench_yield *out);
} bench_runner;

extern const bench_runner parse_text, index_text, model_text, model_binary, read_frames, open_indexed,
	open_by_scan, size_of_index; /* library.c */
extern const bench_runner gather_many, gather_few, memcpy_loop, memcpy_and_wait, batches_shuffled,
	batches_in_order, first_in_order, first_of_window; /* batches.c */
#if SHEAF_BENCH_HDF5
extern const bench_runner read_whole, look_at_whole, read_entries, bare_pread, printf_entries, h5py_read,
	scipy_mmread;                                                         /* boxes.c */
extern const bench_runner hdf5_read, hdf5_write, hdf5_visit, open_groups; /* peers_hdf5.c */
#endif
extern const bench_runner read_cells, struct_loop, csv_writer, numpy_frombuffer, numpy_save,
	numpy_tofile; /* cells.c */
extern const bench_runner to_rows, to_columns, to_sorted_rows, to_new_columns, sort_entries, size_of_entries,
	scipy_rows, scipy_columns, scipy_tocsr, scipy_tocsc;                   /* tensors.c */
extern const bench_runner run_command, run_commands, run_ranks, run_mpich, run_after; /* command.c */
extern const bench_runner strtof_loop, fast_float_loop, fast_float_entries, byte_loop, memchr_loop,
	printf_loop; /* peers.c, peers_fast_float.cc */
extern const bench_runner bare_read, bare_map, bare_write, size_of_text, size_of_values; /* files.c */

/* ---- races ---- */

typedef enum bench_measure { BY_CPU, BY_WALL, BY_MEMORY, BY_SIZE } bench_measure;
enum {
	NEEDS_BINARY = 1,
	NEEDS_HUGE = 2,
	NEEDS_INDEX = 16, /* beside the text */
	COLD = 4,         /* no page of the files is cached when a round begins */
	COUNTS_BINARY = 8 /* rates are those of the bytes of the binary file */
};

typedef struct bench_entrant {
	const bench_runner *runner; /* NULL ends a list */
	const char *name;           /* NULL: the runner's */
	const char *kernel;
	int threads;
	const char *words;
	int percent; /* size of its workload; 0: the race's */
} bench_entrant;

typedef struct bench_race {
	const char *part; /* BENCH_ONLY picks parts */
	const char *name;
	const char *works[MAX_WORKS + 1]; /* run once with each; none: run without */
	int percent;                      /* size of the workloads; 0: 100 */
	bench_measure by;
	unsigned needs;
	bench_entrant ours[MAX_ENTRANTS + 1], peers[5];
} bench_race;

/* What the project wants to reach. A name that is NULL stands for any. */
typedef struct bench_target {
	const char *part, *work, *how; /* of the line of the table */
	const char *peer;
	double least; /* of the ratio to that peer */
} bench_target;

extern const bench_race races[];
extern const int nraces;
extern const bench_target targets[];
extern const int ntargets;

/* ---- results ---- */

typedef struct bench_turn {
	double wall, cpu; /* seconds */
	bench_yield yield;
} bench_turn;

typedef struct bench_outcome {
	const bench_entrant *entrant;
	int64_t bytes; /* of its workload; 0: none */
	bool ran;
	char note[NOTE_SIZE]; /* why it did not run */
	bench_turn turns[MAX_ROUNDS];
} bench_outcome;

typedef struct bench_result {
	const bench_race *race;
	const char *work;     /* NULL: none */
	char job[NAME_SIZE];  /* what the table calls it */
	int rounds, n, nours; /* outcomes: ours first */
	bench_outcome outcomes[MAX_ENTRANTS];
} bench_result;

/* Paths of the files that an entrant's job needs; made where they are not there yet. */
void job_prepare(bench_job *job, const bench_result *r, const bench_entrant *entrant, const bench_setup *s,
                 int number);
/* Run number k of a race: *out becomes what is known of it before it has run. False if there are no
 * more. */
bool race_enter(const bench_race *race, int k, bench_result *out);
void race_run(bench_result *r, const bench_setup *s);
/* The kernel that the library chooses. Chosen once in a process, so that another process asks. */
void kernel_find(char name[NAME_SIZE]);

const char *entrant_name(const bench_entrant *entrant);
/* Median over rounds of what the race is measured by: seconds or bytes. */
double outcome_median(const bench_result *r, const bench_outcome *o);
/* (largest - smallest) / median over rounds. */
double outcome_spread(const bench_result *r, const bench_outcome *o);
/* Median over rounds of how many times better ours did than the peer, per byte of work. */
double outcome_ratio(const bench_result *r, const bench_outcome *ours, const bench_outcome *peer);

void table_head(void);
void table_print(const bench_result *r);
/* One line for each of ours and each peer of it. */
void records_print(const bench_result *r, const bench_setup *s);

/* ---- programs in Python ---- */

/* What a runner's `begin` does for a program that prints the version of what it measures when it is ready,
 * and, for each line that it gets, how many values it has read. */
const char *script_begin(const char *text, const char *argument, void **state);
void script_run(const bench_job *job, void *state, bench_yield *out);

/* ---- small helps ---- */

typedef struct bench_mapped {
	const char *data;
	size_t size;
} bench_mapped;
/* The file in memory, each page touched. */
bench_mapped map_file(const char *path);
int64_t file_size(const char *path);
void drop_cache(const char *path);
/* Runs the command; `words` are separated by spaces, and TEXT, BINARY, HUGE, OUTPUT and STREAMS stand for
 * those of the job. Gives its peak memory. */
int64_t command_run(const bench_job *job, const char *words);

#ifdef __cplusplus
}
#endif
#endif
