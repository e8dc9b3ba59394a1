/* SPDX-License-Identifier: MIT */
/* Rows of option tables as help shows them, those of all formats taken together: a row that several formats
 * have word for word is shown once, with their names. */
#include "../cli.h"
#include <stdio.h>
#include <string.h>

const char *option_synopsis(const sheaf_option *option, char *text, size_t size)
{
	char letter[8] = "";
	if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
	snprintf(text, size, "%s--%s%s%s", letter, option->name, option->argument ? " " : "",
	         option->argument ? option->argument : "");
	return text;
}

const char *option_use_text(const sheaf_option *option)
{
	unsigned sides = option->use & (SHEAF_READING | SHEAF_WRITING);
	return sides == SHEAF_READING ? " (in reading)" : sides == SHEAF_WRITING ? " (in writing)" : "";
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

/* The row of format i that means the same as `option`, or NULL. */
static const sheaf_option *row_like(int i, const sheaf_option *option)
{
	for (const sheaf_option *row = sheaf_format_about(sheaf_format_at(i)).options; row->name; row++)
		if (strcmp(row->name, option->name) == 0 && same_text(row->argument, option->argument) &&
		    same_text(row->help, option->help) && row->use == option->use && row->letter == option->letter)
			return row;
	return NULL;
}

/* A row counts where the first format has it; formats after that with an equal row only add their names. */
const sheaf_option *format_option_at(int k, unsigned use, char *names, size_t size)
{
	const sheaf_format *format;
	for (int i = 0; (format = sheaf_format_at(i)); i++)
		for (const sheaf_option *row = sheaf_format_about(format).options; row->name; row++) {
			int before = i - 1; /* the last format before this one that has an equal row */
			size_t used = 0;
			while (before >= 0 && !row_like(before, row)) before--;
			if (!(row->use & use) || before >= 0 || k-- > 0) continue;
			names[0] = '\0';
			for (int f = i; sheaf_format_at(f) && used < size; f++) {
				if (!row_like(f, row)) continue;
				int n = snprintf(names + used, size - used, "%s%s", used ? ", " : "",
				                 sheaf_format_about(sheaf_format_at(f)).name);
				used += n > 0 ? (size_t)n : 0;
			}
			return row;
		}
	return NULL;
}

const char *example_suffix(int i)
{
	const sheaf_format *format = sheaf_format_at(i);
	if (!format) format = sheaf_format_at(0);
	const char *suffix = format ? sheaf_format_about(format).suffixes[0] : NULL;
	return suffix ? suffix : "";
}

/* ---- groups of a command's options ---- */

static const struct {
	const char *title;
	unsigned shared;
} groups[] = {
	{"Options", TAKES_JSON | TAKES_QUIET | TAKES_HELP | TAKES_FROM},
	{"Which rows and columns", TAKES_SELECTION},
	{"What is wrong with the input", TAKES_ERRORS | TAKES_INCOMPLETE | TAKES_STRICT},
	{"Containers and tensors",
     TAKES_DATASET | TAKES_COORDINATES | TAKES_VALUE | TAKES_SHAPE | TAKES_SEQUENCES | TAKES_LENGTHS},
	{"Speed and memory", TAKES_THREADS | TAKES_MEMORY | TAKES_INDEX | TAKES_PROGRESS},
	{"Other options", ~0u},
};
enum { GROUPS = sizeof groups / sizeof *groups };

const char *option_group(int k) { return k < GROUPS ? groups[k].title : NULL; }

/* The first group also has the command's own options; the last has those that are in no other group. */
const sheaf_option *option_in_group(const command *c, int k, int i)
{
	const sheaf_option *option;
	unsigned grouped = 0; /* the shared options of the groups before this one */
	for (int g = 0; g < k; g++) grouped |= groups[g].shared;
	for (int n = 0; (option = command_option(c, n)); n++) {
		unsigned bit = 0;
		for (int b = 0; shared_options[b].name; b++)
			if (option == &shared_options[b]) bit = 1u << b;
		bool is_in = bit ? (groups[k].shared & ~grouped & bit) != 0 : k == 0;
		if (is_in && i-- == 0) return option;
	}
	return NULL;
}
