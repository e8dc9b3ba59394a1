/* SPDX-License-Identifier: MIT */
/* sheaf-mpi COMMAND ...: runs a command of sheaf on all ranks of an MPI job. */
#include "team.h"
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- messages of ranks other than the first ---- */

/* Kept until it is known whose failure ends the job; that rank reports it. Rank 0 alone prints results. */
static int said = -1, error_output = -1;

static void hold_tongue(void)
{
	if (team_rank == 0) return;
	error_output = dup(STDERR_FILENO);
	said = memfd_create("sheaf-mpi", MFD_CLOEXEC);
	if (said >= 0 && error_output >= 0) dup2(said, STDERR_FILENO);
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (nowhere < 0) return;
	dup2(nowhere, STDOUT_FILENO);
	close(nowhere);
}

static void speak(void)
{
	char text[4096];
	ssize_t n;
	if (said < 0 || error_output < 0) return;
	lseek(said, 0, SEEK_SET);
	while ((n = read(said, text, sizeof text)) > 0)
		if (write(error_output, text, (size_t)n) < 0) return;
}

/* As team_agree, and the rank that has failed reports it. */
static int agree(int code)
{
	int failed;
	code = team_agree(code, &failed);
	if (failed == team_rank) speak();
	return code;
}

/* ---- what a rank makes ---- */

static int64_t most_in_memory(const arguments *args)
{
	enum { SHARE = 4, OF_MACHINE = 8 };
	const int64_t least = (int64_t)64 << 20;
	int64_t given = sheaf_values_number(&args->values, "max-memory", 0);
	int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	if (given > 0) return given / SHARE;
	int64_t share = pages > 0 && page > 0 ? pages / OF_MACHINE / team_neighbours() * page : 0;
	return share < least ? least : share;
}

static bool writes(const command *c) { return command_outputs(c) == OUTPUT_LAST; }

static const char *output_of(const arguments *args)
{
	return writes(args->command) ? args->files[args->nfiles - 1] : NULL;
}

/* Beside the output, else in the folder for temporary files. */
static void find_folder(const arguments *args, char folder[PATH_MAX])
{
	char path[PATH_MAX];
	const char *output = output_of(args), *usual = getenv("TMPDIR");
	snprintf(path, sizeof path, "%s", output ? output : "");
	snprintf(folder, PATH_MAX, "%s", output ? dirname(path) : usual && *usual ? usual : "/tmp");
}

/* A page is written when all parts are merged. */
static int make_part(const arguments *args, hold *h)
{
	char part[32];
	arguments one = *args;
	bool converts = args->command->use & SHEAF_WRITING;
	if (writes(args->command) && !converts) one.nfiles--;
	snprintf(part, sizeof part, "%d/%d", team_rank + 1, team_size);
	parts_make(part, (part_maker){hold_open, h}, true);
	int code = args->command->run(&one);
	parts_make_none();
	return code;
}

/* ---- merging the parts on rank 0 ---- */

static const hold *own_part;

static sheaf_status gather(const session *s, bool force, sheaf_error *err)
{
	int64_t rows;
	sheaf_source **sources = calloc((size_t)team_size, sizeof *sources);
	if (!sources) return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for the ranks, found none");
	sheaf_status status = team_sources(own_part, s->cx, sources, err);
	const sheaf_split_options how = {.size = sizeof how, .force = force, .sources = sources};
	if (status == SHEAF_OK)
		status = sheaf_merge(NULL, team_size, output_of(s->args), &how, s->cx, &rows, err);
	free(sources);
	return status;
}

static sheaf_status open_parts(sheaf_context *cx, sheaf_parts **out, sheaf_error *err)
{
	sheaf_source **sources = calloc((size_t)team_size, sizeof *sources);
	if (!sources) return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for the ranks, found none");
	sheaf_status status = team_sources(own_part, cx, sources, err);
	if (status == SHEAF_OK) status = sheaf_parts_open(sources, team_size, cx, out, err);
	free(sources);
	return status;
}

static int merge_readings(const arguments *args)
{
	sheaf_context *cx;
	sheaf_parts *parts = NULL;
	sheaf_error err;
	sheaf_status status = sheaf_context_new(NULL, &cx, &err);
	if (status) return say_failure(&err);
	status = open_parts(cx, &parts, &err);
	int code = status ? say_failure(&err) : run_merged(args, parts, output_of(args));
	if (status == SHEAF_OK) sheaf_parts_close(parts);
	sheaf_context_free(cx);
	return code;
}

static int merge(const arguments *args)
{
	return args->command->use & SHEAF_WRITING ? run_output(args, args->files[0], gather)
	                                          : merge_readings(args);
}

/* ---- memory ---- */

/* The launcher collects what a rank writes, so this is never a terminal. */
static bool shows_memory(const arguments *args)
{
	const char *word = sheaf_values_text(&args->values, "progress");
	return word && strcmp(word, "always") == 0;
}

static void tell_memory(const arguments *args)
{
	struct rusage usage = {0};
	int most = 0;
	int64_t *kilobytes = calloc((size_t)team_size, sizeof *kilobytes);
	if (!kilobytes) return;
	(void)getrusage(RUSAGE_SELF, &usage);
	team_gather(usage.ru_maxrss, kilobytes);
	for (int r = 1; r < team_size; r++)
		if (kilobytes[r] > kilobytes[most]) most = r;
	if (team_rank == 0 && shows_memory(args)) {
		progress_hide();
		for (int r = 0; r < team_size && team_size <= 16; r++)
			say(NULL, "rank %d: %.1f MB of memory", r, (double)kilobytes[r] / 1024);
		char ranks[64];
		say(NULL, "%s: at most %.1f MB of memory (rank %d)", plural(ranks, team_size, "rank"),
		    (double)kilobytes[most] / 1024, most);
	}
	free(kilobytes);
}

/* ---- all of it ---- */

static const int AGAIN = -1;

/* Rank 0 may find that the parts were made with different indices. */
static int gather_parts(const arguments *args, hold *h)
{
	bool again = false;
	own_part = h;
	team_meet(h);
	int code = team_rank ? team_serve(h) : merge(args);
	if (team_rank == 0) again = is_to_run_again();
	if (team_rank == 0) team_dismiss(code);
	team_tell(&again, sizeof again);
	if (!again) tell_memory(args);
	return again ? AGAIN : code;
}

/* A rank that begins again has found an index of other contents, and makes a part of other rows. */
static int make_all(const arguments *args, hold *h)
{
	int code = make_part(args, h);
	bool again = is_to_run_again() || h->opened > 1;
	code = agree(again ? EXIT_FINE : code);
	if (code == EXIT_FINE && team_sum(again) > 0) return AGAIN;
	return code == EXIT_FINE ? gather_parts(args, h) : code;
}

/* One rank has nobody to share with. */
static int work_alone(const arguments *args)
{
	out_mark();
	int code = args->command->run(args);
	if (is_to_run_again()) code = args->command->run(args);
	tell_memory(args);
	return code;
}

static int work_together(const arguments *args)
{
	hold h;
	char folder[PATH_MAX];
	find_folder(args, folder);
	hold_begin(&h, most_in_memory(args), output_of(args) ? output_of(args) : "part", folder);
	int code = make_all(args, &h);
	if (code == AGAIN) {
		do_without_index();
		hold_end(&h);
		code = make_all(args, &h);
	}
	hold_end(&h);
	return code;
}

static bool is_ours(const command *c) { return c && (c->shared & TAKES_PART); }

static int refuse(const char *found)
{
	say("error",
	    "sheaf-mpi: expected one of the commands stats, report, validate, convert, hash and index, "
	    "found %s",
	    found);
	return EXIT_USAGE;
}

static int check(const arguments *args)
{
	bool converts = args->command->use & SHEAF_WRITING;
	if (sheaf_values_text(&args->values, "part")) {
		say("error", "--part: expected no such option, since each rank makes a part, found it");
		return EXIT_USAGE;
	}
	if (converts || args->nfiles == 1 + writes(args->command)) return EXIT_FINE;
	say("error", "sheaf-mpi %s: expected one FILE%s, found %d operands", args->command->name,
	    writes(args->command) ? " and OUT" : "", args->nfiles);
	return EXIT_USAGE;
}

static int run_command(const command *c, int argc, char **argv)
{
	arguments args;
	sheaf_error err;
	sheaf_status status = arguments_parse(c, argc, argv, &args, &err);
	if (status) return say_failure(&err);
	int code = index_word_is_known() ? check(&args) : EXIT_USAGE;
	bool *had = team_rank == 0 ? find_indices(&args) : NULL;
	if (code == EXIT_FINE) code = team_size > 1 ? work_together(&args) : work_alone(&args);
	report_new_indices(&args, had);
	arguments_free(&args);
	return code;
}

static bool asks_for(const char *word, const char *name, const char *letter)
{
	return strcmp(word, name) == 0 || strcmp(word, letter) == 0;
}

static int help(void)
{
	if (team_rank > 0) return EXIT_FINE;
	out_text(
		"Usage: mpirun -n RANKS sheaf-mpi COMMAND [OPTION...] OPERAND...\n\n"
		"COMMAND is one of stats, report, validate, convert, hash and index, with the options and operands\n"
		"that it has in sheaf; see sheaf help COMMAND. Ranks share the work; what comes out is the same,\n"
		"byte for byte.\n");
	return EXIT_FINE;
}

static int run_words(int argc, char **argv)
{
	if (argc < 1) return refuse("none");
	if (asks_for(argv[0], "--help", "-h") || asks_for(argv[0], "help", "help")) return help();
	if (asks_for(argv[0], "--version", "-V")) {
		if (team_rank == 0) out_printf("sheaf-mpi %s\n", sheaf_version());
		return EXIT_FINE;
	}
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (asks_for(argv[i], "--help", "-h")) return help();
	const command *c = command_find(argv[0]);
	return is_ours(c) ? run_command(c, argc - 1, argv + 1) : refuse(argv[0]);
}

int main(int argc, char **argv)
{
	sheaf_error err;
	team_begin(&argc, &argv);
	sheaf_spell_options("--", "", '-');
	hold_tongue();
	terminal_forget();
	signals_begin();
	int code = run_words(argc - 1, argv + 1);
	progress_hide();
	sheaf_status status = out_close(&err);
	if (status && code == EXIT_FINE) code = say_failure(&err);
	team_end();
	return code;
}
