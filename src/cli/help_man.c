/* SPDX-License-Identifier: MIT */
/* The manual page, in roff. */
#include "cli.h"

/* Text as it stands: what roff would take for its own is escaped. Must not begin a line with what is not
 * text. */
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

static void put_in(char font, const char *text)
{
	out_printf("\\f%c", font);
	put(text);
	out_text("\\fR");
}

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

/* Shared options have a section of their own. */
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

static void put_formats(void)
{
	const sheaf_format *format;
	const sheaf_option *option;
	char names[200];
	put_heading(".SH", "FORMATS");
	for (int i = 0; (format = sheaf_format_at(i)); i++) {
		out_text(".TP\n");
		put_in('B', sheaf_format_name(format));
		const char *const *first = sheaf_format_suffixes(format);
		for (const char *const *suffix = first; *suffix; suffix++) {
			out_text(suffix == first ? " (" : " ");
			put(*suffix);
		}
		out_text(*first ? ")\n" : "\n");
		put_paragraph(sheaf_format_summary(format));
	}
	put_heading(".SH", "OPTIONS OF FORMATS");
	put_paragraph("Commands that read take the options that the input's format uses in reading; convert also "
	              "those that the output's format uses in writing. One "
	              "that no format at hand uses is refused.");
	for (int k = 0; (option = format_option_at(k, SHEAF_READING | SHEAF_WRITING, names, sizeof names)); k++)
		put_option(option, names);
}

static void put_examples(void)
{
	out_text(".SH EXAMPLES\n.nf\n");
	static const struct {
		const char *command, *a, *b;
	} examples[] = {{"info", "train", NULL},
	                {"convert", "train", "train"},
	                {"diff", "train", "train"},
	                {"cat --json", "train", NULL}};
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		out_text("sheaf ");
		put(examples[i].command);
		out_text(" ");
		put(examples[i].a);
		put(example_suffix(0));
		if (examples[i].b) {
			out_text(" ");
			put(examples[i].b);
			put(example_suffix(1));
		}
		out_text("\n");
	}
	out_text(".fi\n");
}

static void put_exit_status(void)
{
	put_heading(".SH", "EXIT STATUS");
	for (const exit_meaning *e = exit_meanings; e->meaning; e++) {
		out_printf(".TP\n\\fB%d\\fR\n", e->code);
		put_paragraph(e->meaning);
	}
}

void help_manual(void)
{
	out_text(".TH SHEAF 1 \"\" \"sheaf ");
	put(sheaf_version());
	out_text("\" \"User Commands\"\n.SH NAME\nsheaf \\- read, write, check and convert dataset files\n");
	out_text(".SH SYNOPSIS\n\\fBsheaf\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIFILE\\fR]...\n");
	put_heading(".SH", "DESCRIPTION");
	put_paragraph(
		"sheaf shows what dataset files hold, checks them against the rules of their formats, converts them "
		"from one format to another and compares "
		"their contents. Formats are found by content and name. Compressed input (gzip, bzip2, zstd, xz) is "
		"recognised by content. A file "
		"named - is standard input or output. Options may stand before and after files; -- ends them.");
	put_heading(".SH", "COMMANDS");
	for (const command *c = commands; c->name; c++) put_command(c);
	put_heading(".SH", "COMMON OPTIONS");
	for (const sheaf_option *option = shared_options; option->name; option++) put_option(option, NULL);
	put_formats();
	put_heading(".SH", "MESSAGES");
	put_paragraph("Warnings and tolerated errors go to standard error with their place in the input: at most "
	              "ten of each kind are shown, and a summary counts "
	              "them all. Rows, reports and the findings of validate go to standard output.");
	put_exit_status();
	put_examples();
}
