/* SPDX-License-Identifier: MIT */
/* The tables of commands and options as JSON, for programs. The Python package is made with it: it takes the
 * options of each command as keyword arguments, checks them by these rows, and answers an option that had
 * another name with the one that it has (`renamed`). */
#include "../cli.h"

/* Prints the row of an option as an object; only options of formats have sides (reading, writing). */
static void json_option(const sheaf_option *option)
{
	static const char *const kinds[] = {"flag", "text", "count", "size", "choice", "texts", "words"};
	char letter[2] = {option->letter, '\0'};
	json_open(NULL, "{");
	json_text("name", option->name);
	if (option->letter) json_text("letter", letter);
	json_text("kind", kinds[option->kind]);
	if (option->argument) json_text("argument", option->argument);
	if (option->use) {
		json_flag("reading", option->use & SHEAF_READING);
		json_flag("writing", option->use & SHEAF_WRITING);
	}
	json_text("help", option->help);
	out_text("}");
}

/* Prints a command as an object, with all its options; which options of formats it takes is said by the sides
 * that it has, since a program finds those rows with the formats. */
static void json_command(const command *c)
{
	const sheaf_option *option;
	json_open(NULL, "{");
	json_text("name", c->name);
	json_text("help", c->help);
	json_text("operands", c->operands);
	json_open("format_options", "[");
	if (c->use & SHEAF_READING) json_text(NULL, "reading");
	if (c->use & SHEAF_WRITING) json_text(NULL, "writing");
	out_text("]");
	json_open("options", "[");
	for (int i = 0; (option = command_option(c, i)); i++) json_option(option);
	out_text("]}");
}

void json_kept(const sheaf_format *format)
{
	sheaf_feature f;
	sheaf_error err = {0};
	sheaf_status status;
	json_open("keeps", "[");
	for (int i = 0; (status = sheaf_format_keeps(format, i, &f, &err)) == SHEAF_OK; i++) {
		json_open(NULL, "{");
		json_text("feature", f.name);
		json_text("kept", f.word);
		if (f.how[0]) json_text("how", f.how);
		out_text("}");
	}
	out_text("]");
	if (status != SHEAF_END) say_failure(&err);
}

void help_json_format(const sheaf_format *format)
{
	json_open(NULL, "{");
	json_text("name", sheaf_format_about(format).name);
	json_open("options", "[");
	for (const sheaf_option *option = sheaf_format_about(format).options; option->name; option++)
		json_option(option);
	out_text("]");
	json_kept(format);
	out_text("}");
}

void help_json(const command *only)
{
	const sheaf_format *format;
	if (only) {
		json_command(only);
		out_text("\n");
		return;
	}
	json_open(NULL, "{");
	json_text("name", "sheaf");
	json_text("version", sheaf_version());
	json_open("commands", "[");
	for (const command *c = commands; c->name; c++) json_command(c);
	out_text("]");
	json_open("formats", "[");
	for (int i = 0; (format = sheaf_format_at(i)); i++) help_json_format(format);
	out_text("]");
	json_open("renamed", "{");
	for (const renamed_option *r = renamed_options; r->name; r++) json_text(r->name, r->now);
	out_text("}}\n");
}
