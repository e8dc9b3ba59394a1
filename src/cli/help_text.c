/* SPDX-License-Identifier: MIT */
/* Help for reading on a terminal. */
#include "cli.h"
#include <stdio.h>
#include <string.h>

enum { WIDTH = 80, COLUMN = 26 };

/* Writes words from column `at` on, in lines that begin at `indent`, and ends the line. */
static void wrap(const char *text, int at, int indent)
{
	while (*text) {
		size_t n = strcspn(text, " ");
		if (at > indent && at + 1 + (int)n > WIDTH) {
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

static void print_row(const char *left, const char *right)
{
	out_printf("  %-*s", COLUMN - 2, left);
	if (strlen(left) + 4 > COLUMN) out_printf("\n%*s", COLUMN, "");
	wrap(right, COLUMN, COLUMN);
}

static void print_option(const sheaf_option *option, const char *names)
{
	char left[160], right[600];
	snprintf(right, sizeof right, "%s%s%s%s%s", option->help, option_use_text(option), names ? " [" : "",
	         names ? names : "", names ? "]" : "");
	print_row(option_synopsis(option, left, sizeof left), right);
}

static void print_format_options(const sheaf_format *format, unsigned use)
{
	bool any = false;
	for (const sheaf_option *option = sheaf_format_options(format); option->name; option++) {
		if (!(option->use & use)) continue;
		if (!any) out_printf("\nOptions of %s:\n", sheaf_format_name(format));
		any = true;
		print_option(option, NULL);
	}
	if (!any) out_printf("\nThere are no options of %s.\n", sheaf_format_name(format));
}

/* "ctf, cbf, lens": as a line of its own. */
static void print_formats(void)
{
	char text[600];
	size_t used = 0;
	for (int i = 0; sheaf_format_at(i) && used < sizeof text; i++) {
		int n = snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "",
		                 sheaf_format_name(sheaf_format_at(i)));
		used += n > 0 ? (size_t)n : 0;
	}
	wrap(text, 2, 2);
}

void help_command(const command *c, const sheaf_format *format)
{
	const sheaf_option *option;
	out_printf("usage: sheaf %s [OPTION]...%s%s\n\n", c->name, *c->operands ? " " : "", c->operands);
	wrap(c->about, 0, 0);
	out_text("\nOptions:\n");
	for (int i = 0; (option = command_option(c, i)); i++) print_option(option, NULL);
	if (c->use && format) print_format_options(format, c->use);
	if (c->use && !format) {
		out_printf("\nFormats have options of their own; sheaf help %s FORMAT shows those of\n  ", c->name);
		print_formats();
	}
	if (c->use)
		out_text("\nA file named - is standard input or output. Compressed files are read as they are.\n");
}

void help_format(const sheaf_format *format)
{
	char text[400];
	size_t used = 0;
	snprintf(text, sizeof text, "%s: %s", sheaf_format_name(format), sheaf_format_summary(format));
	wrap(text, 0, 0);
	for (const char *const *suffix = sheaf_format_suffixes(format); *suffix && used < sizeof text; suffix++) {
		int n = snprintf(text + used, sizeof text - used, " %s", *suffix);
		used += n > 0 ? (size_t)n : 0;
	}
	if (used) out_printf("\nSuffixes:%s\n", text);
	print_format_options(format, SHEAF_READING | SHEAF_WRITING);
}

void help_overview(void)
{
	char example[200];
	out_text("usage: sheaf COMMAND [OPTION]... [FILE]...\n\nReads, writes, checks and converts dataset "
	         "files.\n\nCommands:\n");
	for (const command *c = commands; c->name; c++) {
		char left[64];
		snprintf(left, sizeof left, "%s %s", c->name, c->operands);
		print_row(left, c->help);
	}
	snprintf(example, sizeof example, "sheaf convert train%s train%s", example_suffix(0), example_suffix(1));
	out_printf("\nFor example:  %s\n", example);
	out_text("See also:     sheaf help COMMAND, sheaf help FORMAT, sheaf formats, sheaf --version\n");
}
