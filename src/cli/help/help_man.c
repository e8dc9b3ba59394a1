/* SPDX-License-Identifier: MIT */
/* The manual pages, in roff: sheaf(1), with all commands, and a page of its own for each command,
 * sheaf-NAME(1). They are made from the tables when they are asked for (sheaf help --as man), also by the
 * build, and so cannot differ from what the program does. */
#include "../cli.h"
#include <string.h>

/* Puts literal text, in which what roff would interpret is escaped, except for a point at the beginning of a
 * line (put_paragraph). */
static void put(const char *text)
{
	for (const char *at = text; *at; at++) {
		if (*at == '\\')
			out_text("\\e");
		else if (*at == '-')
			out_text("\\-");
		else if (*at == '\'')
			out_text("\\(aq");
		else
			out_bytes(at, 1);
	}
}

static void put_paragraph(const char *text)
{
	if (*text == '.') out_text("\\&");
	put(text);
	out_text("\n");
}

static void put_heading(const char *macro, const char *text)
{
	out_text(macro);
	out_text(" \"");
	put(text);
	out_text("\"\n");
}

/* A text in another font: B is bold, I italic. */
static void put_in(char font, const char *text)
{
	out_printf("\\f%c", font);
	put(text);
	out_text("\\fR");
}

/* Puts an option as a tagged paragraph: "-n, --rows N", and what it does. `names` are the formats that have
 * it; NULL: it is none of formats. */
static void put_option(const sheaf_option *option, const char *names)
{
	out_text(".TP\n");
	if (option->letter) {
		char letter[3] = {'-', option->letter, '\0'};
		put_in('B', letter);
		out_text(", ");
	}
	out_text("\\fB\\-\\-");
	put(option->name);
	out_text("\\fR");
	if (option->argument) {
		out_text(" ");
		put_in('I', option->argument);
	}
	out_text("\n");
	put(option->help);
	put(option_use_text(option));
	if (names) {
		out_text(" [");
		put(names);
		out_text("]");
	}
	out_text("\n");
}

/* Puts the options that formats have for `use`, each once, with the names of the formats that have it. */
static void put_format_options(unsigned use)
{
	char names[200];
	const sheaf_option *option;
	for (int k = 0; (option = format_option_at(k, use, names, sizeof names)); k++) put_option(option, names);
}

/* Puts a command into the page of all commands: what it does and its own options. Of the shared options,
 * which have a section of their own, only the names are listed. */
static void put_command(const command *c)
{
	const sheaf_option *option;
	out_text(".SS \"sheaf ");
	put(c->name);
	out_text(*c->operands ? " " : "");
	put(c->operands);
	out_text("\"\n");
	put_paragraph(c->about);
	for (const sheaf_option *own = c->options; own->name; own++) put_option(own, NULL);
	const char *lead = ".PP\nAlso: ";
	for (int i = 0; (option = command_option(c, i)); i++) {
		if (sheaf_option_find(c->options, option->name)) continue;
		out_text(lead);
		out_text("\\fB\\-\\-");
		put(option->name);
		out_text("\\fR");
		lead = ", ";
	}
	out_text(c->use ? ", and options of formats.\n" : ".\n");
}

/* Puts the section on all formats, and that on their options. */
static void put_formats(void)
{
	const sheaf_format *format;
	put_heading(".SH", "FORMATS");
	for (int i = 0; (format = sheaf_format_at(i)); i++) {
		out_text(".TP\n");
		put_in('B', sheaf_format_about(format).name);
		const char *const *first = sheaf_format_about(format).suffixes;
		for (const char *const *suffix = first; *suffix; suffix++) {
			out_text(suffix == first ? " (" : " ");
			put(*suffix);
		}
		out_text(*first ? ")\n" : "\n");
		put_paragraph(sheaf_format_about(format).summary);
	}
	put_heading(".SH", "OPTIONS OF FORMATS");
	put_paragraph("Commands that read take the options that the input's format uses in reading; convert also "
	              "takes those that the output's format uses in writing. An option that none of these "
	              "formats uses is refused.");
	put_format_options(SHEAF_READING | SHEAF_WRITING);
}

static void put_examples(const command *c)
{
	char line[200];
	const example *e;
	put_heading(".SH", "EXAMPLES");
	for (int i = 0; (e = example_of(c, i, line, sizeof line)); i++) {
		out_text(".TP\n");
		put_in('B', line);
		out_text("\n");
		put_paragraph(e->purpose);
	}
}

typedef struct described {
	const char *name, *text;
} described;

static void put_described(const char *heading, const described *rows)
{
	put_heading(".SH", heading);
	for (; rows->name; rows++) {
		out_text(".TP\n");
		put_in('B', rows->name);
		out_text("\n");
		put_paragraph(rows->text);
	}
}

/* What a program's environment and its folders have to do with it, the same on each page. */
static void put_surroundings(void)
{
	static const described variables[] = {
		{"NO_COLOR", "if set and not empty, nothing is coloured"},
		{"COLUMNS", "the width of help and tables, instead of the width of the terminal"},
		{"TERM", "dumb: the terminal shows no colours"},
		{"TMPDIR", "the folder of temporary files that are not beside an output (default /tmp)"},
		{"XDG_CACHE_HOME, HOME", "the folder of indices that cannot be written beside their files"},
		{"SHEAF_INDEX", "the value of --index if that is not given: auto, never, require or write"},
		{"SHEAF_KERNEL",
	     "a slower way to read numbers than the one that the processor allows: avx2, portable "
	     "or scalar"},
		{NULL, NULL},
	};
	static const described files[] = {
		{"FILE.sheaf-index", "the index of FILE, see sheaf index"},
		{"~/.cache/sheaf", "indices of files in folders that cannot be written"},
		{".sheaf-*", "a temporary file beside an output that is being written; the next run removes what a "
	                 "killed run has left"},
		{NULL, NULL},
	};
	put_described("ENVIRONMENT", variables);
	put_described("FILES", files);
}

static void put_exit_status(void)
{
	put_heading(".SH", "EXIT STATUS");
	for (const exit_meaning *e = exit_meanings; e->meaning; e++) {
		out_printf(".TP\n\\fB%d\\fR\n", e->code);
		put_paragraph(e->meaning);
	}
}

static void put_title(const char *upper)
{
	out_text(".TH ");
	out_text(upper);
	out_text(" 1 \"\" \"sheaf ");
	put(sheaf_version());
	out_text("\" \"User Commands\"\n.SH NAME\n");
}

/* ---- one command ---- */

/* The pages of all commands refer to each other. */
static void put_see_also(void)
{
	put_heading(".SH", "SEE ALSO");
	out_text("\\fBsheaf\\fR(1)");
	for (const command *c = commands; c->name; c++) {
		out_text(", \\fBsheaf\\-");
		put(c->name);
		out_text("\\fR(1)");
	}
	out_text("\n");
}

/* Puts the page of one command, sheaf-COMMAND(1). */
static void put_manual_of(const command *c)
{
	const char *group;
	const sheaf_option *option;
	char title[40] = "SHEAF-";
	size_t n = strlen(title);
	for (const char *at = c->name; *at && n + 1 < sizeof title; at++) title[n++] = (char)(*at - 'a' + 'A');
	title[n] = '\0';
	put_title(title);
	out_text("sheaf\\-");
	put(c->name);
	out_text(" \\- ");
	put(c->help);
	out_text("\n.SH SYNOPSIS\n\\fBsheaf ");
	put(c->name);
	out_text("\\fR [\\fIOPTION\\fR]... ");
	put_in('I', c->operands);
	out_text("\n");
	put_heading(".SH", "DESCRIPTION");
	put_paragraph(c->about);
	put_heading(".SH", "OPTIONS");
	for (int k = 0; (group = option_group(k)); k++)
		for (int i = 0; (option = option_in_group(c, k, i)); i++) {
			if (i == 0 && k > 0) put_heading(".SS", group);
			put_option(option, NULL);
		}
	if (c->use) {
		put_heading(".SS", "Options of formats");
		put_paragraph("An option that none of the formats involved uses is refused.");
		put_format_options(c->use);
	}
	put_examples(c);
	put_surroundings();
	put_exit_status();
	put_see_also();
}

/* ---- the whole ---- */

void help_manual(const command *only)
{
	if (only) {
		put_manual_of(only);
		return;
	}
	put_title("SHEAF");
	out_text("sheaf \\- read, write, check and convert dataset files\n");
	out_text(".SH SYNOPSIS\n\\fBsheaf\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIFILE\\fR]...\n");
	put_heading(".SH", "DESCRIPTION");
	put_paragraph(
		"sheaf shows what dataset files hold, checks them against the rules of their formats, converts them "
		"from one format to another and compares their contents. Formats are found by content and name. "
		"Compressed input (gzip, bzip2, zstd, xz) is recognised by content. A file named - is standard input "
		"or output; if no input is named, standard input is read if it is a pipe. Options may come before "
		"and after the command and files; -- ends them. Sizes may have a unit: K, KB and KiB are all "
		"1024 bytes, and so on for M, G and T.");
	put_heading(".SH", "COMMANDS");
	for (const command *c = commands; c->name; c++) put_command(c);
	put_heading(".SH", "COMMON OPTIONS");
	for (const sheaf_option *option = shared_options; option->name; option++) put_option(option, NULL);
	put_formats();
	put_heading(".SH", "MESSAGES");
	put_paragraph(
		"Warnings and tolerated errors go to standard error with their place in the input: at most "
		"ten of each kind are shown, and a summary counts them all. Rows, reports and the findings of "
		"validate go to standard output.");
	put_examples(NULL);
	put_surroundings();
	put_exit_status();
	put_see_also();
}
