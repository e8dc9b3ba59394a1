/* SPDX-License-Identifier: MIT */
/* sheaf batches: minibatches, as a list of their contents or as a measurement of their speed. */
#include "cli.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- options ---- */

/* The options of batches, and the structs that they point to. */
typedef struct batching {
	sheaf_batch_options batch;
	sheaf_window_options window;
	sheaf_epoch_options epochs;
	sheaf_shard_options shard;
	sheaf_packing_options packing;
} batching;

/* Reads --shard into o->shard. A shard that the environment gives, and not the user, is reported. */
static sheaf_status read_shard(const sheaf_values *values, batching *o, sheaf_error *err)
{
	const char *text = sheaf_values_text(values, "shard");
	sheaf_shard shard;
	if (!text) return SHEAF_OK;
	SHEAF_TRY(sheaf_shard_from_text(text, &shard, err));
	o->shard.rank = shard.rank;
	o->shard.world = shard.world;
	if (shard.origin[0])
		say("note", "shard %" PRId64 " of %" PRId64 ", as %s says", shard.rank, shard.world, shard.origin);
	return SHEAF_OK;
}

/* Reads the digits at *at as a number, and moves *at past them; -1 if there are none or too many. */
static int64_t number_at(const char **at)
{
	char text[24];
	int64_t number;
	size_t n = strspn(*at, "0123456789");
	snprintf(text, sizeof text, "%.*s", (int)n, *at);
	*at += n;
	return n > 0 && n < sizeof text && sheaf_size_from_text(text, &number) ? number : -1;
}

/* Reads the value of an option that is a number, a unit, or both: "4096tokens", "1sweep", "samples". *out
 * becomes the number, 0 if there is none; *unit the place of the word among those that the row of the option
 * has in brackets ("N[samples|sweeps]"), 0 if there is none. The last letter of a word, the plural's "s", may
 * be missing. */
static sheaf_status read_amount(const arguments *args, const char *name, int64_t *out, int *unit,
                                sheaf_error *err)
{
	const char *text = sheaf_values_text(&args->values, name), *word = text;
	const char *argument = sheaf_option_find(args->command->options, name)->argument;
	*out = *unit = 0;
	if (!text) return SHEAF_OK;
	int64_t number = number_at(&word);
	bool has_number = word > text;
	size_t n = strlen(word), size;
	bool is_unit = false;
	for (const char *at = strchr(argument, '[') + 1; n > 0 && *at && !is_unit; at += size + 1) {
		size = strcspn(at, "|]");
		is_unit = n <= size && n + 1 >= size && memcmp(at, word, n) == 0;
		*unit += !is_unit;
	}
	*out = has_number ? number : 0;
	if (*text && (n == 0 || is_unit) && (*out > 0 || !has_number)) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_USAGE, "--%s: expected %s with N above 0, found %s", name, argument, text);
}

/* Reads --epoch-size, which is in samples or in sweeps, and --epochs: "3" are the first three epochs, "2:5"
 * those from 2 to 4. */
static sheaf_status read_epochs(const arguments *args, sheaf_epoch_options *o, sheaf_error *err)
{
	int in_sweeps;
	SHEAF_TRY(read_amount(args, "epoch-size", &o->epoch_size, &in_sweeps, err));
	if (in_sweeps) {
		o->sweeps = o->epoch_size;
		o->epoch_size = 0;
	}
	const char *text = sheaf_values_text(&args->values, "epochs"), *at = text;
	if (!text) return SHEAF_OK;
	int64_t first = 0, end = number_at(&at);
	if (*at == ':') {
		first = end;
		at++;
		end = number_at(&at);
	}
	o->first_epoch = first;
	o->epochs = end - first;
	if (first >= 0 && end > first && !*at) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_USAGE,
	                  "--epochs: expected a number above 0, or A:B with A below B, found %s", text);
}

enum { MOST_WEIGHTS = 1000 };

/* Reads --mix, such as "3,1,1": a weight for each file. The weights are in the caller's array, to which
 * o->batch then points; without --mix it points nowhere. */
static sheaf_status read_weights(const arguments *args, int64_t weights[MOST_WEIGHTS], batching *o,
                                 sheaf_error *err)
{
	const char *text = sheaf_values_text(&args->values, "mix"), *at = text;
	int n = 0;
	if (!text) return SHEAF_OK;
	for (char *end; n < MOST_WEIGHTS && *at >= '0' && *at <= '9'; at = end + 1) {
		weights[n++] = strtoll(at, &end, 10);
		at = end;
		if (*end != ',') break;
	}
	o->batch.weights = weights;
	if (n == args->nfiles && *at == '\0') return SHEAF_OK;
	return sheaf_fail(err, SHEAF_USAGE,
	                  "--mix: expected a weight for each of %d files, separated by commas, found \"%s\"",
	                  args->nfiles, text);
}

/* Reads --pack and --pad, of which at most one may be given. */
static sheaf_status read_packing(const sheaf_values *values, sheaf_packing_options *o, sheaf_error *err)
{
	const char *pack = sheaf_values_text(values, "pack"), *end = pack;
	o->pad_multiple = sheaf_values_number(values, "pad", 0);
	if (o->pad_multiple) o->packing = SHEAF_PACK_PADDED;
	if (sheaf_values_text(values, "pad") && !o->pad_multiple)
		return sheaf_fail(err, SHEAF_USAGE, "--pad: expected a number above 0, found 0");
	if (!pack) return SHEAF_OK;
	if (o->pad_multiple)
		return sheaf_fail(err, SHEAF_USAGE, "--pack: --pad is given, too; leave out one of the two");
	o->packing = strcmp(pack, "rows") == 0     ? SHEAF_PACK_SEQUENCES
	             : strcmp(pack, "frames") == 0 ? SHEAF_PACK_FRAMES
	                                           : SHEAF_PACK_TRUNCATED;
	if (o->packing != SHEAF_PACK_TRUNCATED) return SHEAF_OK;
	o->truncation = number_at(&end);
	if (o->truncation > 0 && !*end) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_USAGE, "--pack: expected rows, frames or a number above 0, found %s", pack);
}

/* Reads all options of batches but --mix into *o, whose structs point to each other: it must stay where it
 * is. */
static sheaf_status read_options(const arguments *args, batching *o, sheaf_error *err)
{
	const sheaf_values *values = &args->values;
	const char *seed = sheaf_values_text(values, "seed");
	int unit;
	*o = (batching){.batch = {.size = sizeof o->batch,
	                          .window = &o->window,
	                          .epochs = &o->epochs,
	                          .shard = &o->shard,
	                          .packing = &o->packing},
	                .window.size = sizeof o->window,
	                .epochs.size = sizeof o->epochs,
	                .shard.size = sizeof o->shard,
	                .packing.size = sizeof o->packing};
	o->batch.order = sheaf_values_text(values, "order");
	if (seed && !sheaf_seed_from_text(seed, &o->batch.seed))
		return sheaf_fail_option(err, SHEAF_USAGE, "seed", ": expected a whole number of 64 bits, found %s",
		                         seed);
	SHEAF_TRY(read_amount(args, "window", &o->window.length, &unit, err));
	o->window.in_samples = unit > 0;
	SHEAF_TRY(read_amount(args, "size", &o->batch.batch_size, &unit, err));
	o->batch.unit = (sheaf_size_unit)unit;
	o->batch.rest = (sheaf_rest)option_choice(args, "rest");
	o->batch.bucket = sheaf_values_flag(values, "bucket");
	o->batch.stop_at_sweep_end = sheaf_values_flag(values, "no-cross-sweep");
	o->shard.global_timeline = option_choice(args, "timeline") == 1;
	o->window.chunk_bytes = sheaf_values_number(values, "chunk-bytes", 0);
	o->batch.join = sheaf_values_flag(values, "join");
	o->batch.keep_in_memory = sheaf_values_flag(values, "keep-in-memory");
	if (sheaf_values_flag(values, "data") && !sheaf_values_flag(values, "json"))
		return sheaf_fail_option(err, SHEAF_USAGE, "data",
		                         ": only JSON shows the contents of batches; add --json");
	if (o->batch.join && sheaf_values_flag(values, "mix"))
		return sheaf_fail_option(err, SHEAF_USAGE, "mix",
		                         ": files are either joined or mixed; leave out --join");
	SHEAF_TRY(read_packing(values, &o->packing, err));
	SHEAF_TRY(read_shard(values, o, err));
	return read_epochs(args, &o->epochs, err);
}

/* The approximate bytes of a piece, in which files are read; 0: as the library chooses. The order of CNTK
 * needs the chunks in which CNTK reads texts. --chunk-bytes 0 means one sequence for each piece, as one byte
 * does. */
static int64_t piece_bytes(const sheaf_values *values)
{
	enum { CHUNK = 32 << 20 };
	const char *order = sheaf_values_text(values, "order");
	if (!sheaf_values_text(values, "chunk-bytes")) return order && strcmp(order, "cntk") == 0 ? CHUNK : 0;
	int64_t bytes = sheaf_values_number(values, "chunk-bytes", 0);
	return bytes > 0 ? bytes : 1;
}

/* ---- state ---- */

/* Continues from the state in a file, if there is one; *resumed, which begins as false, then becomes true. A
 * file that does not exist, or is empty, is that of a first run. */
static sheaf_status resume_from(sheaf_batches *batches, const char *file, bool *resumed, sheaf_error *err)
{
	char text[SHEAF_STATE_SIZE + 1];
	FILE *f = fopen(file, "rb");
	if (!f && errno == ENOENT) return SHEAF_OK; /* the first run writes it */
	if (!f) return sheaf_fail_sys(err, errno, "%s: expected a readable state", file);
	size_t n = fread(text, 1, sizeof text - 1, f);
	int failed = ferror(f) ? errno : 0;
	fclose(f);
	if (failed) return sheaf_fail_sys(err, failed, "%s: expected a state that can be read", file);
	text[n] = '\0';
	*resumed = n > 0;
	return n ? sheaf_batches_resume(batches, text, err) : SHEAF_OK;
}

/* Writes the current state into a line, which is padded so that it always has the same length, and one can be
 * written over another. */
static void state_line(const sheaf_batches *batches, char line[SHEAF_STATE_SIZE])
{
	sheaf_batches_state(batches, line);
	size_t n = strlen(line);
	memset(line + n, ' ', SHEAF_STATE_SIZE - n);
	line[SHEAF_STATE_SIZE - 1] = '\n';
}

/* Writes the current state into a new file that takes the place of the old one when it is on the disk: so
 * whatever happens, the file has a whole line. */
static sheaf_status write_state(const char *file, const sheaf_batches *batches, sheaf_context *cx,
                                sheaf_error *err)
{
	char line[SHEAF_STATE_SIZE];
	sheaf_sink *sink;
	state_line(batches, line);
	SHEAF_TRY(sheaf_sink_path(file, true, cx, &sink, err));
	sheaf_status status = sheaf_sink_write(sink, line, sizeof line, err);
	if (status == SHEAF_OK) return sheaf_sink_commit(sink, err);
	sheaf_sink_abandon(sink);
	return status;
}

/* How the state was last saved; times are those of seconds_now. */
typedef struct saving {
	double saved_at, seconds_taken;
	double synced_at; /* when the file was last written as a whole, and synced */
	int64_t batches;  /* that were delivered since it was saved */
	int fd; /* of the file, to write over its line; -1: it is not open. Whoever has this struct closes it */
} saving;

/* Counts one more batch, and says whether the state is saved after it: after each batch, unless that would
 * take more than a 50th of the time, but at the latest after MOST batches. */
static bool is_state_due(saving *last)
{
	enum { SHARE = 50, MOST = 64 };
	struct timespec t;
	if (++last->batches >= MOST) return true;
	/* To some milliseconds, for a fifth of the time that it takes to learn it exactly. */
	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9 - last->saved_at >= SHARE * last->seconds_taken;
}

/* Opens the file of the state, so that a line can be written over the one that is in it; -1 if that cannot be
 * done: a file of any other length than that of a line, such as a device, is not written over in place. */
static int open_to_overwrite(const char *file)
{
	struct stat info;
	int fd = open(file, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || (fstat(fd, &info) == 0 && info.st_size == SHEAF_STATE_SIZE)) return fd;
	close(fd);
	return -1;
}

/* Saves the current state in the file that --state names, if it is given. Output is flushed first, since a
 * batch is in the state once its bytes have been written, and never before.
 *
 * Before the first batch and after the last one (`at_border`), and once a second between them, the file is
 * written anew and synced. Otherwise the line is written over the one that is there: what a call has written
 * outlives the process, and a line is in one block of the disk. At a border last->fd is -1, and stays so. */
static sheaf_status save_state(const session *s, saving *last, const sheaf_batches *batches, bool at_border,
                               sheaf_error *err)
{
	const char *file = sheaf_values_text(&s->args->values, "state");
	char line[SHEAF_STATE_SIZE];
	if (!file) return SHEAF_OK;
	double begun = seconds_now();
	SHEAF_TRY(out_flush(err));
	state_line(batches, line);
	bool overwrites = !at_border && last->fd >= 0 && begun - last->synced_at < 1;
	if (!overwrites || pwrite(last->fd, line, sizeof line, 0) != (ssize_t)sizeof line) {
		SHEAF_TRY(write_state(file, batches, s->cx, err));
		/* The descriptor is that of the file which was replaced. */
		if (last->fd >= 0) close(last->fd);
		last->fd = at_border ? -1 : open_to_overwrite(file);
		last->synced_at = seconds_now();
	}
	last->saved_at = seconds_now();
	last->seconds_taken = last->saved_at - begun;
	last->batches = 0;
	return SHEAF_OK;
}

/* ---- printing batches ---- */

/* The results so far. */
typedef struct throughput {
	const session *s;
	const sheaf_shard_options *shard;
	double began, shown;
	int64_t batches, sequences, samples;
	saving saved;
	batch_folder folder;
	sheaf_buffer data; /* text of a batch */
} throughput;

/* Prints a line with what was delivered so far, below a heading if it is the first line; `now` is the current
 * time. */
static void print_throughput(throughput *t, double now)
{
	double seconds = now - t->began, by = seconds > 0 ? 1 / seconds : 0;
	if (t->shown == t->began)
		out_text(" seconds    batches   sequences      samples sequences/s    samples/s memory MiB\n");
	out_printf("%8.2f %10" PRId64 " %11" PRId64 " %12" PRId64 " %11.0f %12.0f %10.1f\n", seconds, t->batches,
	           t->sequences, t->samples, (double)t->sequences * by, (double)t->samples * by,
	           (double)sheaf_context_memory(t->s->cx, NULL) / (1 << 20));
	t->shown = now;
}

/* Delivers one batch: writes it into a file of the folder if there is one, and prints it as JSON or counts
 * it. Of counted batches a line per second tells the throughput, and is flushed at once; the clock is read
 * only every BETWEEN_LOOKS batches. */
static sheaf_status deliver(throughput *t, const sheaf_batches *batches, const sheaf_batch *batch,
                            sheaf_error *err)
{
	enum { BETWEEN_LOOKS = 64 };
	const sheaf_values *values = &t->s->args->values;
	if (t->folder.format) SHEAF_TRY(batch_folder_write(&t->folder, batches, batch, t->shard, t->s->cx, err));
	if (as_json(t->s->args))
		return print_batch(batches, batch, sheaf_values_flag(values, "data") ? &t->data : NULL, err);
	t->batches++;
	t->sequences += batch->sequences;
	t->samples += batch->samples;
	if (t->batches % BETWEEN_LOOKS) return SHEAF_OK;
	double now = seconds_now();
	if (now - t->shown < 1) return SHEAF_OK;
	print_throughput(t, now);
	return out_flush(err);
}

/* Gives batches until --limit or the end of the last epoch, which is no failure; the state follows what was
 * delivered. Ends with the throughput of all, unless batches are printed as JSON. */
static sheaf_status give(throughput *t, sheaf_batches *batches, sheaf_error *err)
{
	const sheaf_values *values = &t->s->args->values;
	const sheaf_batch *batch;
	sheaf_status status = SHEAF_OK;
	for (int64_t left = sheaf_values_number(values, "limit", INT64_MAX); left > 0 && status == SHEAF_OK;
	     left--) {
		status = sheaf_batches_next(batches, &batch, err);
		if (status == SHEAF_OK) status = deliver(t, batches, batch, err);
		if (status == SHEAF_OK && is_state_due(&t->saved))
			status = save_state(t->s, &t->saved, batches, false, err);
	}
	sheaf_buffer_reset(&t->data);
	if (!as_json(t->s->args) && (status == SHEAF_OK || status == SHEAF_END))
		print_throughput(t, seconds_now());
	return status == SHEAF_END ? SHEAF_OK : status;
}

/* ---- the run ---- */

/* Saves the state after a stop by a signal, since the batches before it have been written, and returns the
 * reason of the stop, *why, in *err. If the saving fails, that failure is returned instead. */
static sheaf_status end_stopped(const throughput *t, const sheaf_batches *batches, const sheaf_error *why,
                                sheaf_error *err)
{
	sheaf_context *cx;
	const char *file = sheaf_values_text(&t->s->args->values, "state");
	sheaf_status status = file ? out_flush(err) : SHEAF_OK;
	/* The stopped context refuses to write. */
	if (file && status == SHEAF_OK) status = sheaf_context_new(NULL, &cx, err);
	if (file && status == SHEAF_OK) {
		status = write_state(file, batches, cx, err);
		sheaf_context_free(cx);
	}
	if (status) return status;
	*err = *why;
	return why->status;
}

/* Runs through open batches: moves to where --position or the state in a file says, gives batches, and saves
 * the state of the end. */
static sheaf_status run_all(session *s, sheaf_batches *batches, const sheaf_shard_options *shard,
                            sheaf_error *err)
{
	const sheaf_values *values = &s->args->values;
	const char *level = sheaf_values_text(values, "trace-level"), *state = sheaf_values_text(values, "state");
	bool resumed = false;
	int64_t sequences, samples, dropped;
	throughput t = {.s = s, .shard = shard, .began = seconds_now(), .saved.fd = -1};
	t.shown = t.saved.synced_at = t.began;
	sheaf_batches_facts(batches, &sequences, &samples, &dropped);
	if (level && level[0] == '2' && sequences >= 0) /* in the order of the file they are known at its end */
		say("note",
		    "a sweep has %" PRId64 " sequences and %" PRId64 " samples; %" PRId64
		    " sequences have no partner",
		    sequences, samples, dropped);
	if (sheaf_values_text(values, "position"))
		SHEAF_TRY(sheaf_batches_seek(batches, sheaf_values_number(values, "position", 0), err));
	if (state) SHEAF_TRY(resume_from(batches, state, &resumed, err));
	SHEAF_TRY(batch_folder_open(&t.folder, s->args, resumed, err));
	/* If a run were killed before its first state, its batches would make the next run refuse. */
	if (t.folder.format && !resumed) SHEAF_TRY(save_state(s, &t.saved, batches, true, err));
	sheaf_error why;
	sheaf_status status = give(&t, batches, &why);
	if (t.saved.fd >= 0) close(t.saved.fd);
	t.saved.fd = -1;
	if (status == SHEAF_OK) status = save_state(s, &t.saved, batches, true, &why);
	if (status == SHEAF_OK) return out_flush(err);
	if (status == SHEAF_STOPPED) return end_stopped(&t, batches, &why, err);
	*err = why;
	return status;
}

/* Opens all inputs, makes batches of them, and runs through these. The inputs share one session, since they
 * are read at the same time, in any order. datasets[i] becomes that of file i, or stays NULL: the caller
 * closes them, also after a failure. */
static sheaf_status open_batches(session *s, sheaf_dataset **datasets, sheaf_error *err)
{
	batching options;
	sheaf_batches *batches;
	opening how = {.random = true, .piece_bytes = piece_bytes(&s->args->values)};
	int64_t weights[MOST_WEIGHTS];
	SHEAF_TRY(read_options(s->args, &options, err));
	SHEAF_TRY(read_weights(s->args, weights, &options, err));
	for (int i = 0; i < s->args->nfiles; i++) {
		how.input = i;
		SHEAF_TRY(session_open(s, s->args->files[i], &how, &datasets[i], err));
	}
	SHEAF_TRY(sheaf_batches_open(datasets, s->args->nfiles, &options.batch, s->cx, &batches, err));
	sheaf_status status = run_all(s, batches, &options.shard, err);
	sheaf_batches_close(batches);
	return status;
}

/* Does the whole work in one session, and returns the exit code. --trace-level 0 keeps findings silent. */
static int run_session(const arguments *args, bool *used, const void *user)
{
	const char *level = sheaf_values_text(&args->values, "trace-level");
	session_options options = {.label = args->files[0], .inputs = 1};
	session s;
	sheaf_error err;
	sheaf_dataset **datasets = calloc((size_t)args->nfiles, sizeof(sheaf_dataset *));
	(void)user;
	options.used = used;
	if (!datasets) return EXIT_LIMIT;
	if (level && level[0] == '0') options.on_problem = ignore_problem;
	sheaf_status status = session_begin(&s, args, &options, &err);
	if (status == SHEAF_OK) {
		status = open_batches(&s, datasets, &err);
		for (int i = 0; i < args->nfiles; i++) sheaf_close(datasets[i]);
		session_end(&s);
	}
	free(datasets);
	int code = status ? say_failure(&err) : EXIT_FINE;
	return was_interrupted() ? EXIT_INTERRUPTED : code;
}

int run_batches(const arguments *args)
{
	arguments expanded;
	sheaf_error err;
	sheaf_status status = inputs_expand(args, &expanded, &err);
	if (status) return say_failure(&err);
	int code = with_shared_options(&expanded, run_session, NULL);
	inputs_free(&expanded);
	return code;
}
