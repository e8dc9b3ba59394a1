/* SPDX-License-Identifier: MIT */
/* Help for reading on a terminal, made from the tables: as wide as the terminal, but never wider than people
 * read with ease, and plain text wherever else it goes. */
#include "../cli.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { COLUMN = 26, MOST = 120 /* longer lines are hard to read */ };

static int width(void)
{
	int columns = terminal_width(STDOUT_FILENO);
	return columns < MOST ? columns : MOST;
}

/* Prints a title after an empty line, in bold if the terminal supports it. */
static void print_title(const char *title)
{
	bool bold = terminal_has_colour(STDOUT_FILENO);
	static const char on[] = "\033[1m", off[] = "\033[0m";
	out_text("\n");
	if (bold) out_drawn(on, sizeof on - 1);
	out_text(title);
	out_text(":");
	if (bold) out_drawn(off, sizeof off - 1);
	out_text("\n");
}

/* Writes words from column `at` on, in lines that begin at `indent`, and ends the line. */
static void wrap(const char *text, int at, int indent)
{
	int most = width();
	while (*text) {
		size_t n = strcspn(text, " ");
		if (at > indent && at + 1 + (int)n > most) {
			out_printf("\n%*s", indent, "");
			at = indent;
		} else if (at > indent) {
			out_text(" ");
			at++;
		}
		out_bytes(text, n);
		at += (int)n;
		text += n;
		text += *text == ' ';
	}
	out_text("\n");
}

/* Prints two columns; a left text that is too long has a line of its own. A long list of choices on the left
 * continues on further lines, after a bar. */
static void print_row(const char *left, const char *right)
{
	int n = (int)strlen(left), most = width(), at = 2;
	out_text("  ");
	while (*left) {
		size_t size = strcspn(left, "|");
		size += left[size] == '|';
		if (at > 6 && at + (int)size > most) {
			out_text("\n      ");
			at = 6;
		}
		out_bytes(left, size);
		at += (int)size;
		left += size;
	}
	if (n + 4 > COLUMN)
		out_printf("\n%*s", COLUMN, "");
	else
		out_printf("%*s", COLUMN - 2 - n, "");
	wrap(right, COLUMN, COLUMN);
}

/* Prints an option as a row: "-n, --rows N   what it does [formats]"; `names` NULL: without formats. */
static void print_option(const sheaf_option *option, const char *names)
{
	char left[160], right[600];
	snprintf(right, sizeof right, "%s%s%s%s%s", option->help, option_use_text(option), names ? " [" : "",
	         names ? names : "", names ? "]" : "");
	print_row(option_synopsis(option, left, sizeof left), right);
}

/* Prints the options that one format has for `use` (reading, writing), or that there are none. */
static void print_format_options(const sheaf_format *format, unsigned use)
{
	bool any = false;
	for (const sheaf_option *option = sheaf_format_about(format).options; option->name; option++) {
		if (!(option->use & use)) continue;
		if (!any) {
			char title[80];
			snprintf(title, sizeof title, "Options of %s", sheaf_format_about(format).name);
			print_title(title);
		}
		any = true;
		print_option(option, NULL);
	}
	if (!any) out_printf("\nThere are no options of %s.\n", sheaf_format_about(format).name);
}

/* The names of all formats, as a separate line. */
static void print_formats(void)
{
	char text[600];
	size_t used = 0;
	for (int i = 0; sheaf_format_at(i) && used < sizeof text; i++) {
		int n = snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "",
		                 sheaf_format_about(sheaf_format_at(i)).name);
		used += n > 0 ? (size_t)n : 0;
	}
	wrap(text, 2, 2);
}

/* A line to type, and below it what it does. */
static void print_examples(const command *c)
{
	char line[200];
	const example *e;
	print_title("Examples");
	for (int i = 0; (e = example_of(c, i, line, sizeof line)); i++) {
		out_printf("  %s\n", line);
		out_text("      ");
		wrap(e->purpose, 6, 6);
	}
}

static void print_exit_status(void)
{
	char code[8];
	print_title("Exit status");
	for (const exit_meaning *e = exit_meanings; e->meaning; e++) {
		snprintf(code, sizeof code, "%d", e->code);
		out_printf("  %-4s", code);
		wrap(e->meaning, 6, 6);
	}
}

/* Prints what concerns both a command and a format: its options there. */
static void help_both(const command *c, const sheaf_format *format)
{
	char text[200];
	sheaf_format_info about = sheaf_format_about(format);
	snprintf(text, sizeof text, "%s: %s", about.name, about.summary);
	wrap(text, 0, 0);
	if (c->use)
		print_format_options(format, c->use);
	else
		out_printf("\nsheaf %s takes no options of formats.\n", c->name);
	snprintf(text, sizeof text, "See also: sheaf help %s, sheaf help %s", c->name, about.name);
	out_text("\n");
	wrap(text, 0, 0);
}

/* Prints help on a command: usage, a paragraph, the options in groups, examples and exit codes, and a hint at
 * the formats that have options. With a format only what concerns both. */
void help_command(const command *c, const sheaf_format *format)
{
	out_printf("usage: sheaf %s [OPTION]...%s%s\n\n", c->name, *c->operands ? " " : "", c->operands);
	if (format) {
		help_both(c, format);
		return;
	}
	wrap(c->about, 0, 0);
	const char *title;
	const sheaf_option *option;
	for (int k = 0; (title = option_group(k)); k++)
		for (int i = 0; (option = option_in_group(c, k, i)); i++) {
			if (i == 0) print_title(title);
			print_option(option, NULL);
		}
	if (c->use) {
		char text[100];
		out_text("\n");
		snprintf(text, sizeof text, "Formats have options of their own; sheaf help %s FORMAT shows those of",
		         c->name);
		wrap(text, 0, 0);
		out_text("  ");
		print_formats();
	}
	print_examples(c);
	print_exit_status();
	if (!c->use) return;
	out_text("\n");
	wrap("A file named - is standard input or output. If no input is named, standard input is read if it is "
	     "a pipe. Compressed files are decompressed while they are read.",
	     0, 0);
}

/* Prints help on a format: its suffixes, its options, and what happens to each kind of data that are written
 * in it, which the library lists until END. */
void help_format(const sheaf_format *format)
{
	char text[400];
	size_t used = 0;
	sheaf_format_info about = sheaf_format_about(format);
	snprintf(text, sizeof text, "%s: %s", about.name, about.summary);
	wrap(text, 0, 0);
	for (const char *const *suffix = about.suffixes; *suffix && used < sizeof text; suffix++) {
		int n = snprintf(text + used, sizeof text - used, " %s", *suffix);
		used += n > 0 ? (size_t)n : 0;
	}
	if (used) out_printf("\nSuffixes:%s\n", text);
	print_format_options(format, SHEAF_READING | SHEAF_WRITING);
	sheaf_feature f;
	sheaf_error err = {0};
	sheaf_status status;
	int i = 0;
	for (; (status = sheaf_format_keeps(format, i, &f, &err)) == SHEAF_OK; i++) {
		if (i == 0) print_title("What the format keeps of each kind of data");
		snprintf(text, sizeof text, "%s%s%s", f.word, f.how[0] ? ": " : "", f.how);
		print_row(f.name, text);
	}
	if (i > 0) out_text("\n");
	if (i > 0)
		wrap("changed: reading the output gives something else. written: the output can be read again with "
		     "options that declare it. lost: the conversion stops, unless --allow loss is given. refused: it "
		     "cannot be written, or not without options.",
		     0, 0);
	if (status != SHEAF_END) say_failure(&err);
}

void help_overview(void)
{
	out_text("usage: sheaf COMMAND [OPTION]... [FILE]...\n\nReads, writes, checks and converts dataset "
	         "files.\n");
	print_title("Commands");
	for (const command *c = commands; c->name; c++) {
		char left[64];
		snprintf(left, sizeof left, "%s %s", c->name, c->operands);
		print_row(left, c->help);
	}
	print_examples(NULL);
	print_exit_status();
	out_text("\n");
	wrap("See also: sheaf help COMMAND, sheaf help FORMAT, sheaf formats, sheaf --version", 0, 0);
}
