/* SPDX-License-Identifier: MIT */
/* Scripts with which shells complete command lines, made from the tables of commands and options when they
 * are printed: so they know the options of this build, and need not be kept in step with it by hand. Each
 * knows the commands, the options of the command that was typed and of formats, the words that a value can
 * be, and completes names of files everywhere else. bash gets a function with a case for each command, zsh
 * the words of _arguments, fish a line for each option. */
#include "../cli.h"
#include <string.h>

/* The i-th option that a command line of `c` may have: those of the command, then those of formats that it
 * reads or writes; NULL after the last one. Each name appears once, though several formats may have it. */
static const sheaf_option *option_at(const command *c, int i)
{
	char names[200];
	const sheaf_option *option;
	for (int k = 0; (option = command_option(c, k)); k++)
		if (i-- == 0) return option;
	for (int k = 0; c->use && (option = format_option_at(k, c->use, names, sizeof names)); k++) {
		const sheaf_option *before;
		bool appeared = false;
		for (int j = 0; (before = command_option(c, j)) && !appeared; j++)
			appeared = strcmp(before->name, option->name) == 0;
		for (int j = 0; j < k && !appeared; j++)
			appeared = strcmp(format_option_at(j, c->use, names, sizeof names)->name, option->name) == 0;
		if (!appeared && i-- == 0) return option;
	}
	return NULL;
}

/* Whether the table lists what the value can be: one word, or several. */
static bool has_words(const sheaf_option *option)
{
	return option->kind == SHEAF_OPTION_CHOICE || option->kind == SHEAF_OPTION_WORDS;
}

static bool wants_format(const sheaf_option *option)
{
	return strcmp(option->name, "from") == 0 || strcmp(option->name, "to") == 0;
}

/* Options whose value is a name of a file say so in their row. */
static bool wants_file(const sheaf_option *option)
{
	return option->argument && (strstr(option->argument, "FILE") || strcmp(option->argument, "OUT") == 0 ||
	                            strcmp(option->argument, "DIR") == 0);
}

static void put_formats(void)
{
	for (int i = 0; sheaf_format_at(i); i++)
		fact_text(false, NULL, i ? " %" : "%", sheaf_format_about(sheaf_format_at(i)).name);
}

static void put_commands(void)
{
	for (const command *c = commands; c->name; c++)
		fact_text(false, NULL, c > commands ? " %" : "%", c->name);
}

/* What can be asked for help about. */
static void put_subjects(void)
{
	put_commands();
	out_text(" ");
	put_formats();
}

/* Puts the words that the value of an option can be, with spaces between them: those in its row, or the names
 * of all formats. */
static void put_values(const command *c, const sheaf_option *option)
{
	char words[WORDS_MAX];
	if (!has_words(option)) {
		put_formats();
		return;
	}
	for (char *at = command_words(c, option, words, sizeof words); *at; at++)
		out_bytes(*at == '|' || *at == ',' ? " " : at, 1);
}

/* ---- bash ---- */

/* Puts the script for bash: a function that finds the command among the words typed so far, and has a case
 * for each command, with its options, and in it a case for each option whose values are words. */
static void put_bash(void)
{
	const sheaf_option *option;
	out_text("# Completion of sheaf for bash, printed by sheaf help --as bash.\n"
	         "_sheaf() {\n"
	         "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= options= "
	         "words= w\n"
	         "\tCOMPREPLY=()\n"
	         "\tfor w in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
	         "\t\tcase $w in -*) ;; *) command=$w; break ;; esac\n"
	         "\tdone\n"
	         "\tif [[ $before == = && COMP_CWORD -ge 2 ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
	         "\tif [[ $word == = ]]; then word=; before=${COMP_WORDS[COMP_CWORD-1]}; fi\n"
	         "\tcase $command in\n\t'') words=\"");
	put_commands();
	out_text("\" options=\"--help --version\" ;;\n");
	for (const command *c = commands; c->name; c++) {
		out_printf("\t%s)\n\t\toptions=\"", c->name);
		for (int i = 0; (option = option_at(c, i)); i++) out_printf("%s--%s", i ? " " : "", option->name);
		out_text("\"\n\t\tcase $before in\n");
		for (int i = 0; (option = option_at(c, i)); i++) {
			if (!has_words(option) && !wants_format(option)) continue;
			out_printf("\t\t--%s", option->name); /* the pattern of a case: "--index|-i) words" */
			if (option->letter) out_printf("|-%c", option->letter);
			out_text(") words=\"");
			put_values(c, option);
			out_text("\" ;;\n");
		}
		out_text("\t\tesac ;;\n");
	}
	out_text("\tesac\n\tif [[ $command == help ]]; then words=\"");
	put_subjects();
	out_text("\"; fi\n"
	         "\tif [[ $word == -* ]]; then words=$options; fi\n"
	         "\tif [[ -n $words ]]; then mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
	         "\telse mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); fi\n"
	         "}\n"
	         "complete -o filenames -o bashdefault -F _sheaf sheaf\n");
}

/* ---- zsh ---- */

/* Puts a text that zsh shows, within quotes: brackets, colons and backslashes, which have a meaning there,
 * get a backslash, and a quote is put between quoted parts. */
static void zsh_text(const char *text)
{
	for (const char *at = text; *at; at++) {
		if (*at == '\'')
			out_text("'\\''");
		else if (strchr("[]:\\", *at))
			out_printf("\\%c", *at);
		else
			out_bytes(at, 1);
	}
}

/* Puts the words of _arguments for an option: '*--name=[help]:what its value is:(what it can be)'. */
static void zsh_option(const command *c, const sheaf_option *option)
{
	out_text("\t\t\t'");
	out_printf("*--%s", option->name);
	if (option->kind != SHEAF_OPTION_FLAG) out_text("=");
	out_text("[");
	zsh_text(option->help);
	out_text("]");
	if (option->kind != SHEAF_OPTION_FLAG) {
		out_text(":");
		zsh_text(wants_file(option) ? "file" : has_words(option) ? "value" : option->argument);
		out_text(":");
		if (has_words(option) || wants_format(option)) {
			out_text("(");
			put_values(c, option);
			out_text(")");
		} else if (wants_file(option)) {
			out_text("_files");
		}
	}
	out_text("' \\\n");
}

/* Puts the script for zsh: the list of commands, and a case for each with the words of _arguments. */
static void put_zsh(void)
{
	const sheaf_option *option;
	out_text("#compdef sheaf\n# Completion of sheaf for zsh, printed by sheaf help --as zsh.\n"
	         "_sheaf() {\n\tlocal -a commands\n\tcommands=(\n");
	for (const command *c = commands; c->name; c++) {
		out_printf("\t\t'%s:", c->name);
		zsh_text(c->help);
		out_text("'\n");
	}
	out_text("\t)\n\tif (( CURRENT == 2 )); then _describe command commands; return; fi\n"
	         "\tlocal command=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n\tcase $command in\n");
	for (const command *c = commands; c->name; c++) {
		out_printf("\t%s)\n\t\t_arguments -s -S \\\n", c->name);
		for (int i = 0; (option = option_at(c, i)); i++) zsh_option(c, option);
		if (strcmp(c->name, "help") == 0) {
			out_text("\t\t\t'*:subject:(");
			put_subjects();
			out_text(")' ;;\n");
		} else {
			out_text(c->most == 0 ? "\t\t\t;;\n" : "\t\t\t'*:file:_files' ;;\n");
		}
	}
	out_text("\tesac\n}\n_sheaf \"$@\"\n");
}

/* ---- fish ---- */

/* Puts a text in the quotes of fish, in which only quotes and backslashes have a meaning. */
static void fish_text(const char *text)
{
	out_text("'");
	for (const char *at = text; *at; at++) {
		if (*at == '\'' || *at == '\\') out_text("\\");
		out_bytes(at, 1);
	}
	out_text("'");
}

/* Puts the script for fish: a line for each command, and one for each option of each command. */
static void put_fish(void)
{
	const sheaf_option *option;
	out_text("# Completion of sheaf for fish, printed by sheaf help --as fish.\n");
	for (const command *c = commands; c->name; c++) {
		out_printf("complete -c sheaf -n __fish_use_subcommand -f -a %s -d ", c->name);
		fish_text(c->help);
		out_text("\n");
	}
	for (const command *c = commands; c->name; c++)
		for (int i = 0; (option = option_at(c, i)); i++) {
			out_printf("complete -c sheaf -n '__fish_seen_subcommand_from %s' -l %s", c->name, option->name);
			if (option->letter) out_printf(" -s %c", option->letter);
			if (option->kind != SHEAF_OPTION_FLAG) out_text(wants_file(option) ? " -r -F" : " -x");
			if (has_words(option) || wants_format(option)) {
				out_text(" -a '");
				put_values(c, option);
				out_text("'");
			}
			out_text(" -d ");
			fish_text(option->help);
			out_text("\n");
		}
	out_text("complete -c sheaf -n '__fish_seen_subcommand_from help' -f -a '");
	put_subjects();
	out_text("'\n");
}

bool help_completion(const char *shell)
{
	static const struct {
		const char *name;
		void (*put)(void);
	} shells[] = {{"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}};
	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
		if (strcmp(shells[i].name, shell) == 0) {
			shells[i].put();
			return true;
		}
	return false;
}
