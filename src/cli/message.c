/* SPDX-License-Identifier: MIT */
/* Lines on standard error: "sheaf: error: PLACE: what is wrong". Messages come from the library whole, with
 * the options in the command's spelling; here they only get a lead and a colour. What went wrong decides the
 * exit code, which a table in the manual lists (exit_meanings). */
#include "cli.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool broken_pipe;

bool pipe_is_broken(void) { return broken_pipe; }

/* Puts the beginning of a message into line[size], "sheaf: error: ", with the word in bold and in colour if
 * the terminal supports it; "sheaf: " if `word` is NULL. Returns its length. */
static size_t put_lead(const char *word, char *line, size_t size)
{
	static const struct {
		const char *word, *colour;
	} colours[] = {
		{"error", "\033[1;31m"}, {"loss", "\033[1;31m"}, {"warning", "\033[1;33m"}, {"note", "\033[1;36m"}};
	const char *colour = NULL;
	for (size_t i = 0; word && i < sizeof colours / sizeof *colours; i++)
		if (strcmp(colours[i].word, word) == 0) colour = colours[i].colour;
	int n;
	if (!word)
		n = snprintf(line, size, "sheaf: ");
	else if (colour && terminal_has_colour(STDERR_FILENO))
		n = snprintf(line, size, "sheaf: %s%s:\033[0m ", colour, word);
	else
		n = snprintf(line, size, "sheaf: %s: ", word);
	return n > 0 ? (size_t)n : 0;
}

/* Says a message in one line. Text from a file may occur in it, and must not control the terminal or begin a
 * line of its own: it is made visible (sheaf_show_character), and the line cut to its room. */
void say(const char *word, const char *format, ...)
{
	char text[2048], line[4096], shown[SHEAF_SHOWN];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	size_t used = put_lead(word, line, sizeof line);
	const char *at = text;
	for (size_t n = strlen(text), length; n > 0 && used + SHEAF_SHOWN < sizeof line;
	     at += length, n -= length) {
		length = sheaf_show_character(at, n, shown);
		memcpy(line + used, shown, strlen(shown));
		used += strlen(shown);
	}
	line[used++] = '\n';
	progress_hide();
	/* One write, so that lines of several processes do not mix; if standard error is closed, nobody can be
	 * reached. */
	ssize_t written = write(STDERR_FILENO, line, used);
	(void)written;
}

/* The last failure was a stale index, and the command runs again instead of reporting it. */
static bool is_put_off;

bool is_to_run_again(void)
{
	bool again = is_put_off;
	is_put_off = false;
	return again;
}

/* A stale index is not reported if the command can run again without one: the code is then of no use. */
int say_failure(const sheaf_error *err)
{
	is_put_off = can_do_without_index(err);
	if (is_put_off) return EXIT_DATA;
	if (err->status == SHEAF_IO && err->sys == EPIPE)
		broken_pipe = true;
	else if (err->status == SHEAF_STOPPED || was_interrupted())
		say("error", "interrupted"); /* the signal may have ended the input first */
	else
		say("error", "%s", err->message);
	if (was_interrupted()) return EXIT_INTERRUPTED;
	switch (err->status) {
	case SHEAF_OK:
	case SHEAF_END: return EXIT_FINE;
	case SHEAF_IO: return EXIT_IO;
	case SHEAF_UNKNOWN:
	case SHEAF_DATA:
	case SHEAF_STALE:
	case SHEAF_SHORT: return EXIT_DATA;
	case SHEAF_NOMEM:
	case SHEAF_LIMIT: return EXIT_LIMIT;
	case SHEAF_UNSUPPORTED:
	case SHEAF_LOSS: return EXIT_UNSUPPORTED;
	case SHEAF_USAGE: return EXIT_USAGE;
	case SHEAF_STOPPED: return EXIT_INTERRUPTED;
	}
	return EXIT_IO;
}

const char *plural(char text[64], int64_t n, const char *noun)
{
	snprintf(text, 64, "%" PRId64 " %s%s", n, noun, n == 1 ? "" : "s");
	return text;
}

const char *severity_name(sheaf_severity severity)
{
	static const char *const names[] = {"note", "warning", "breach", "error", "error"};
	return names[severity];
}
