/* SPDX-License-Identifier: MIT */
/* What the terminals of standard output and standard error are like. */
#include "cli.h"
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL = 80, LEAST = 40, MOST = 500 };

static int clamp(long width) { return width < LEAST ? LEAST : width > MOST ? MOST : (int)width; }

/* What the user says counts before what the terminal does. */
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
	if (isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return clamp(size.ws_col);
	return USUAL;
}

bool terminal_has_width(int fd) { return wanted_width() > 0 || isatty(fd); }

bool terminal_has_colour(int fd)
{
	const char *no = getenv("NO_COLOR"), *kind = getenv("TERM");
	return isatty(fd) && !(no && *no) && kind && *kind && strcmp(kind, "dumb") != 0;
}
