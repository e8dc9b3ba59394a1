/* SPDX-License-Identifier: MIT */
/* sheaf formats: what this build reads and writes, as a table that fits the terminal, or as JSON, a line for
 * each format, which also says what each keeps of the kinds of data that others hold. */
#include "../cli.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Puts the suffixes of a format into text[size], with blanks between them, and returns it. */
static const char *suffixes_text(const sheaf_format *format, char *text, size_t size)
{
	size_t used = 0;
	text[0] = '\0';
	for (const char *const *suffix = sheaf_format_about(format).suffixes; *suffix && used < size; suffix++) {
		int n = snprintf(text + used, size - used, "%s%s", used ? " " : "", *suffix);
		used += n > 0 ? (size_t)n : 0;
	}
	return text;
}

/* Prints a summary from column `indent` on, where the line is already, and ends the line. It is wrapped if it
 * would reach beyond column `most`; 0: it is not. */
static void print_summary(const char *text, int indent, int most)
{
	int at = indent;
	for (size_t n; *text; text += n, text += *text == ' ') {
		n = strcspn(text, " ");
		bool breaks = most && at > indent && at + 1 + (int)n > most;
		if (breaks)
			out_printf("\n%*s", indent, "");
		else if (at > indent)
			out_text(" ");
		at = breaks ? indent + (int)n : at + (at > indent) + (int)n;
		out_bytes(text, n);
	}
	out_text("\n");
}

/* Prints a line for each format: its name, what this build can do with it, its suffixes and its summary. If a
 * terminal is too narrow for the summaries beside the rest, each has lines of its own below. */
static void print_table(void)
{
	enum { LEAST_SUMMARY = 24 };
	const sheaf_format *format;
	char suffixes[100];
	int name_width = 6, suffixes_width = 8,
		most = terminal_has_width(STDOUT_FILENO) ? terminal_width(STDOUT_FILENO) : 0;
	for (int i = 0; (format = sheaf_format_at(i)); i++) {
		int n = (int)strlen(sheaf_format_about(format).name),
			m = (int)strlen(suffixes_text(format, suffixes, sizeof suffixes));
		if (n > name_width) name_width = n;
		if (m > suffixes_width) suffixes_width = m;
	}
	int indent = name_width + 2 + 10 + 2 + suffixes_width + 2;
	bool below = most && most - indent < LEAST_SUMMARY;
	if (below)
		out_printf("%-*s  %-10s  suffixes\n", name_width, "format", "can");
	else
		out_printf("%-*s  %-10s  %-*s  what it is\n", name_width, "format", "can", suffixes_width,
		           "suffixes");
	for (int i = 0; (format = sheaf_format_at(i)); i++) {
		const sheaf_format_info about = sheaf_format_about(format);
		bool reads = about.can & SHEAF_CAN_READ, writes = about.can & SHEAF_CAN_WRITE;
		out_printf("%-*s  %-10s  %-*s", name_width, about.name,
		           reads && writes ? "read write"
		           : reads         ? "read"
		                           : "write",
		           below ? 0 : suffixes_width, suffixes_text(format, suffixes, sizeof suffixes));
		out_text(below ? "\n    " : "  ");
		print_summary(about.summary, below ? 4 : indent, most);
	}
}

int run_formats(const arguments *args)
{
	const sheaf_format *format;
	if (!as_json(args)) print_table();
	for (int i = 0; as_json(args) && (format = sheaf_format_at(i)); i++) {
		const sheaf_format_info about = sheaf_format_about(format);
		json_open(NULL, "{");
		json_text("name", about.name);
		json_flag("read", about.can & SHEAF_CAN_READ);
		json_flag("write", about.can & SHEAF_CAN_WRITE);
		json_open("suffixes", "[");
		for (const char *const *suffix = about.suffixes; *suffix; suffix++) json_text(NULL, *suffix);
		out_text("]");
		json_text("summary", about.summary);
		json_kept(format);
		out_text("}\n");
	}
	return EXIT_FINE;
}
