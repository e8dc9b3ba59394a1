/* SPDX-License-Identifier: MIT */
/* The tables of commands and options as JSON, for programs. */
#include "cli.h"

static const char *kind_name(sheaf_option_kind kind)
{
	static const char *const names[] = {"flag", "text", "count", "size", "choice", "texts"};
	return names[kind];
}

static void json_use(bool *first, const sheaf_option *option)
{
	out_json_key(first, "reading");
	out_text(option->use & SHEAF_READING ? "true" : "false");
	out_json_key(first, "writing");
	out_text(option->use & SHEAF_WRITING ? "true" : "false");
}

static void json_option(const sheaf_option *option)
{
	char letter[2] = {option->letter, '\0'};
	bool first = true;
	out_text("{");
	out_json_member(&first, "name", option->name);
	if (option->letter) out_json_member(&first, "letter", letter);
	out_json_member(&first, "kind", kind_name(option->kind));
	if (option->argument) out_json_member(&first, "argument", option->argument);
	if (option->use) json_use(&first, option);
	out_json_member(&first, "help", option->help);
	out_text("}");
}

static void json_command(const command *c)
{
	const sheaf_option *option;
	bool first = true;
	out_text("{");
	out_json_member(&first, "name", c->name);
	out_json_member(&first, "help", c->help);
	out_json_member(&first, "operands", c->operands);
	out_json_key(&first, "format_options");
	out_text("[");
	if (c->use & SHEAF_READING) out_json_text("reading");
	if (c->use == (SHEAF_READING | SHEAF_WRITING)) out_text(",");
	if (c->use & SHEAF_WRITING) out_json_text("writing");
	out_text("]");
	out_json_key(&first, "options");
	for (int i = 0; (option = command_option(c, i)); i++) {
		out_text(i ? "," : "[");
		json_option(option);
	}
	out_text("]}");
}

void json_kept(bool *first, const sheaf_format *format)
{
	sheaf_feature f;
	sheaf_error err = {0};
	out_json_key(first, "keeps");
	out_text("[");
	sheaf_status status;
	for (int i = 0; (status = sheaf_format_keeps(format, i, &f, &err)) == SHEAF_OK; i++) {
		bool begin = true;
		out_text(i ? ",{" : "{");
		out_json_member(&begin, "feature", f.name);
		out_json_member(&begin, "kept", sheaf_kept_name(f.kept));
		if (f.how[0]) out_json_member(&begin, "how", f.how);
		out_text("}");
	}
	out_text("]");
	if (status != SHEAF_END) say_failure(&err);
}

static void json_format(const sheaf_format *format)
{
	bool first = true;
	out_text("{");
	out_json_member(&first, "name", sheaf_format_name(format));
	out_json_key(&first, "options");
	out_text("[");
	const sheaf_option *options = sheaf_format_options(format);
	for (const sheaf_option *option = options; option->name; option++) {
		if (option != options) out_text(",");
		json_option(option);
	}
	out_text("]");
	json_kept(&first, format);
	out_text("}");
}

void help_json_format(const sheaf_format *only)
{
	json_format(only);
	out_text("\n");
}

void help_json(const command *only)
{
	const sheaf_format *format;
	bool first = true;
	if (only) {
		json_command(only);
		out_text("\n");
		return;
	}
	out_text("{");
	out_json_member(&first, "name", "sheaf");
	out_json_member(&first, "version", sheaf_version());
	out_json_key(&first, "commands");
	for (const command *c = commands; c->name; c++) {
		out_text(c == commands ? "[" : ",");
		json_command(c);
	}
	out_text("]");
	out_json_key(&first, "formats");
	out_text("[");
	for (int i = 0; (format = sheaf_format_at(i)); i++) {
		if (i) out_text(",");
		json_format(format);
	}
	out_text("]}\n");
}
