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
	snprintf(right, sizeof right, "%s%s%s%s%s", option->help, option_use_text(option), names ? " [" : "", names ? names : "", names ? "]" : "");
	print_row(option_synopsis(option, left, sizeof left), right);
}

static void print_format_options(const command *c)
{
	const sheaf_option *option;
	char names[200];
	for (int k = 0; (option = format_option_at(k, c->use, names, sizeof names)); k++) {
		if (k == 0) out_text("\nOptions of formats:\n");
		print_option(option, names);
	}
}

void help_command(const command *c)
{
	const sheaf_option *option;
	out_printf("usage: sheaf %s [OPTION]...%s%s\n\n", c->name, *c->operands ? " " : "", c->operands);
	wrap(c->about, 0, 0);
	out_text("\nOptions:\n");
	for (int i = 0; (option = command_option(c, i)); i++) print_option(option, NULL);
	if (c->use) print_format_options(c);
	if (c->use) out_text("\nA file named - is standard input or output. Compressed files are read as they are.\n");
}

void help_overview(void)
{
	char example[200];
	out_text("usage: sheaf COMMAND [OPTION]... [FILE]...\n\nReads, writes, checks and converts dataset files.\n\nCommands:\n");
	for (const command *c = commands; c->name; c++) {
		char left[64];
		snprintf(left, sizeof left, "%s %s", c->name, c->operands);
		print_row(left, c->help);
	}
	snprintf(example, sizeof example, "sheaf convert train%s train%s", example_suffix(0), example_suffix(1));
	out_printf("\nFor example:  %s\n", example);
	out_text("See also:     sheaf help COMMAND, sheaf formats, sheaf --version\n");
}
