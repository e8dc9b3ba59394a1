/* SPDX-License-Identifier: MIT */
/* Progress of the work: one line on standard error, redrawn in place and erased before anything else appears.
 * It appears after a second, so that short work shows none, and is redrawn five times a second. Several
 * inputs that are read at the same time add up; if the size of one is not known, neither is that of all. */
#include "cli.h"
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct reading {
	int64_t done, total;
} reading;

static struct {
	bool wanted, shown;
	const char *stage; /* NULL: reading */
	reading inputs[MAX_INPUTS];
	int64_t last;   /* bytes done at the last report */
	double begun;   /* seconds: of the command */
	double started; /* of the current stage */
	double drawn;   /* 0: not yet */
} progress;

double seconds_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void progress_begin(int slot, const char *mode)
{
	progress.wanted = mode && strcmp(mode, "always") == 0;
	if (!mode || strcmp(mode, "auto") == 0) progress.wanted = terminal_is(STDERR_FILENO);
	progress.inputs[slot] = (reading){0, 0};
	progress.last = 0;
	progress.stage = NULL;
	progress.begun = progress.started = seconds_now();
}

static void write_line(const char *text)
{
	ssize_t written = write(STDERR_FILENO, text, strlen(text));
	(void)written;
}

void progress_hide(void)
{
	if (progress.shown) write_line("\r\033[K");
	progress.shown = false;
}

static const char *bytes_text(double bytes, char text[32])
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	size_t unit = 0;
	for (; bytes >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++) bytes /= 1024;
	snprintf(text, 32, "%.*f %s", unit ? 1 : 0, bytes, units[unit]);
	return text;
}

/* Puts "12 s", "3 min 05 s" or "2 h 30 min" into the text, and returns it; at most 100 h. */
static const char *duration_text(double seconds, char text[32])
{
	long whole = seconds < 360000 ? (long)(seconds + 0.5) : 360000;
	if (whole >= 3600)
		snprintf(text, 32, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
	else if (whole >= 60)
		snprintf(text, 32, "%ld min %02ld s", whole / 60, whole % 60);
	else
		snprintf(text, 32, "%ld s", whole);
	return text;
}

/* Draws the line of progress over the one that is there: "1.5 MiB of 3.0 MiB (50%), 10.0 MiB/s, 2 s left"
 * while reading, else "sorting (50%), 12 s" with the time of the whole command so far; without what is not
 * known (a total of 0 or less). `time` is the current one. The line is cut below the width of the terminal,
 * since a longer one would wrap, and could not be redrawn. */
static void draw(reading sum, double time)
{
	char line[200], done[32], total[32], rate[32], left[32];
	double elapsed = time - (progress.stage ? progress.begun : progress.started);
	double speed = elapsed > 0 ? (double)sum.done / elapsed : 0;
	int percent = sum.total > 0 ? (int)((double)sum.done * 100 / (double)sum.total) : 0;
	progress.drawn = time;
	if (progress.stage && sum.total > 0 && sum.done > 0)
		snprintf(line, sizeof line, "%s (%d%%), %s", progress.stage, percent, duration_text(elapsed, left));
	else if (progress.stage)
		snprintf(line, sizeof line, "%s, %s", progress.stage, duration_text(elapsed, left));
	else if (sum.total > 0)
		snprintf(line, sizeof line, "%s of %s (%d%%), %s/s, %s left", bytes_text((double)sum.done, done),
		         bytes_text((double)sum.total, total), percent, bytes_text(speed, rate),
		         duration_text(speed > 0 ? (double)(sum.total - sum.done) / speed : 0, left));
	else
		snprintf(line, sizeof line, "%s, %s/s", bytes_text((double)sum.done, done), bytes_text(speed, rate));
	size_t most = (size_t)terminal_width(STDERR_FILENO) - 1;
	if (strlen(line) > most) line[most] = '\0';
	write_line("\r");
	write_line(line);
	write_line("\033[K");
	progress.shown = true;
}

/* Takes note of what has been read of the input in `slot` (total -1: not known), and redraws the line if it
 * is time for that. */
void progress_update(int slot, int64_t done, int64_t total)
{
	if (!progress.wanted) return;
	progress.inputs[slot] = (reading){done, total};
	reading sum = {0, 0};
	for (int i = 0; i < MAX_INPUTS; i++) {
		const reading *one = &progress.inputs[i];
		sum.done += one->done;
		sum.total = sum.total < 0 || one->total < 0 ? -1 : sum.total + one->total;
	}
	double time = seconds_now();
	if (sum.done < progress.last) progress.started = time; /* a second pass, or the next input */
	progress.last = sum.done;
	if (time - progress.begun < 1 || time - progress.drawn < 0.2) return;
	draw(sum, time);
}

/* A short stage after long ones is shown, too; it may turn out to be a long one. */
void progress_stage(const char *stage)
{
	double time = seconds_now();
	bool reads = strcmp(stage, "reading") == 0;
	if (!progress.wanted) return;
	progress.stage = reads ? NULL : stage;
	progress.started = time;
	progress.last = 0;
	memset(progress.inputs, 0, sizeof progress.inputs);
	if (!reads && time - progress.begun >= 1) draw((reading){0, 0}, time);
}
