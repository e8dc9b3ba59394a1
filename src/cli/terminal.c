/* SPDX-License-Identifier: MIT */
/* Properties of the terminals of standard output and standard error: how wide they are, whether they show
 * colours and Unicode. What the environment says (COLUMNS, NO_COLOR, TERM, COLORTERM, the locale) counts for
 * more than what the terminal says of itself. */
#include "cli.h"
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL = 80, LEAST = 40, MOST = 500 };

static int clamp(long width) { return width < LEAST ? LEAST : width > MOST ? MOST : (int)width; }

static bool forgotten;

void terminal_forget(void) { forgotten = true; }

bool terminal_is(int fd)
{
	static int known[STDERR_FILENO + 1]; /* 0: not asked yet; 1: no; 2: yes */
	if (!known[fd]) known[fd] = isatty(fd) ? 2 : 1;
	return !forgotten && known[fd] == 2;
}

/* The user's wishes come before the terminal's abilities. */
static long wanted_width(void)
{
	const char *columns = getenv("COLUMNS");
	return columns ? strtol(columns, NULL, 10) : 0;
}

int terminal_width(int fd)
{
	struct winsize size;
	long wanted = wanted_width();
	if (wanted > 0) return clamp(wanted);
	if (terminal_is(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return clamp(size.ws_col);
	return USUAL;
}

bool terminal_has_width(int fd) { return wanted_width() > 0 || terminal_is(fd); }

bool terminal_has_colour(int fd)
{
	const char *no = getenv("NO_COLOR"), *kind = getenv("TERM");
	return terminal_is(fd) && !(no && *no) && kind && *kind && strcmp(kind, "dumb") != 0;
}

sheaf_drawing terminal_drawing(int fd)
{
	enum { CUBE = 256, ALL = 1 << 24 };
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	const char *kind = getenv("COLORTERM"), *locale = NULL; /* whose name ends with its encoding */
	for (size_t i = 0; i < sizeof names / sizeof *names && !(locale && *locale); i++)
		locale = getenv(names[i]);
	bool all = kind && (strcmp(kind, "truecolor") == 0 || strcmp(kind, "24bit") == 0);
	return (sheaf_drawing){.width = terminal_width(fd),
	                       .unicode = locale && (strcasestr(locale, "utf-8") || strcasestr(locale, "utf8")),
	                       .colours = !terminal_has_colour(fd) ? 0
	                                  : all                    ? ALL
	                                                           : CUBE};
}
