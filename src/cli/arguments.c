/* SPDX-License-Identifier: MIT */
/* The command line, checked against the tables of the command and of the formats. Options may come before,
 * between and after the operands, until "--". An option is first looked for among those of the command and
 * the shared ones (`values`), then among those of all formats (`settings`): only the library knows later
 * which formats are involved, and refuses settings that none of them uses. What a configuration says
 * (--config) is put before all that, as if it had been given first. */
#include "cli.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct parser {
	arguments *out;
	int argc, at; /* the words, and the index of the one that comes next */
	char **argv;
	char *copy; /* where the next text is copied to, in the copies of `out` */
} parser;

/* ---- the nearest word ---- */

enum { WORD_MAX = 40 };

/* The i-th name among which the nearest one to a misspelled option is looked for: those of the command, then
 * those of formats. NULL after the last one. */
static const char *option_name(const void *user, int i)
{
	const command *c = (const command *)user;
	char names[64];
	int own = 0;
	for (const sheaf_option *option; (option = command_option(c, own)); own++)
		if (own == i) return option->name;
	const sheaf_option *option = format_option_at(i - own, c->use, names, sizeof names);
	return option ? option->name : NULL;
}

/* ---- finding options ---- */

/* Puts the words of a command's option into text[size], and those that options of the same name have in the
 * formats that it reads or writes: --allow large is the command's, --allow missing one of formats. */
char *command_words(const command *c, const sheaf_option *own, char *text, size_t size)
{
	const sheaf_format *format;
	size_t used = (size_t)snprintf(text, size, "%s", own->argument);
	for (int i = 0; c->use && own->kind == SHEAF_OPTION_WORDS && (format = sheaf_format_at(i)); i++) {
		const sheaf_option *option = sheaf_option_find(sheaf_format_about(format).options, own->name);
		if (option && used < size && !strstr(text, option->argument))
			used += (size_t)snprintf(text + used, size - used, ",%s", option->argument);
	}
	return text;
}

static bool is_named(const sheaf_option *option, const char *name, size_t n, char letter)
{
	return letter ? option->letter == letter
	              : strlen(option->name) == n && memcmp(option->name, name, n) == 0;
}

static const sheaf_option *find_own(const command *c, const char *name, size_t n, char letter)
{
	const sheaf_option *option;
	for (int i = 0; (option = command_option(c, i)); i++)
		if (is_named(option, name, n, letter)) return option;
	return NULL;
}

/* "out-delimiter": the length of what says that an option is for the output alone, or 0. */
static size_t of_output(const char *name, size_t n)
{
	size_t prefix = strlen(SHEAF_OF_OUTPUT);
	return n > prefix && memcmp(name, SHEAF_OF_OUTPUT, prefix) == 0 ? prefix : 0;
}

/* Finds an option of any format by its name of n bytes, which may say that it is for the output alone, or by
 * its letter if that is not 0; NULL if no format has it. The library decides whether the chosen formats use
 * it; here it only has to be an option at all. */
static const sheaf_option *find_foreign(const char *name, size_t n, char letter)
{
	size_t prefix = of_output(name, n);
	unsigned use = prefix ? SHEAF_WRITING : SHEAF_READING | SHEAF_WRITING;
	const sheaf_format *format;
	if (prefix) name += prefix, n -= prefix;
	for (int i = 0; (format = sheaf_format_at(i)); i++)
		for (const sheaf_option *option = sheaf_format_about(format).options; option->name; option++)
			if ((option->use & use) && is_named(option, name, n, letter)) return option;
	return NULL;
}

/* Refuses a word that is no option here, and says why: it had another name, is one of another command
 * (`exists`), or is misspelled. `word` is as the user wrote it, `name` without dashes. */
static sheaf_status refuse_option(const command *c, const char *word, const char *name, bool exists,
                                  sheaf_error *err)
{
	for (const renamed_option *r = renamed_options; r->name; r++)
		if (strcmp(r->name, name) == 0)
			return sheaf_fail(err, SHEAF_USAGE, "unknown option %s; use --%s", word, r->now);
	if (exists)
		return sheaf_fail(err, SHEAF_USAGE, "%s is no option of sheaf %s; see sheaf help %s", word, c->name,
		                  c->name);
	const char *near = sheaf_nearest_word(name, option_name, c);
	if (near) return sheaf_fail(err, SHEAF_USAGE, "unknown option %s; did you mean --%s?", word, near);
	return sheaf_fail(err, SHEAF_USAGE, "unknown option %s; see sheaf help %s", word, c->name);
}

static const sheaf_option *find_anywhere(const char *name, size_t n, char letter)
{
	const sheaf_option *option = NULL;
	for (const command *c = commands; c->name && !option; c++) option = find_own(c, name, n, letter);
	return option ? option : find_foreign(name, n, letter);
}

/* In "-qn5" the first letter whose option takes a value takes the rest of the word; only if that is empty,
 * the next word is its value. */
bool option_takes_next(const char *word)
{
	const sheaf_option *option;
	if (strncmp(word, "--", 2) == 0) {
		option = find_anywhere(word + 2, strlen(word + 2), 0);
		return option && option->kind != SHEAF_OPTION_FLAG;
	}
	for (const char *at = word + 1; *at; at++) {
		option = find_anywhere(NULL, 0, *at);
		if (option && option->kind != SHEAF_OPTION_FLAG) return at[1] == '\0';
	}
	return false;
}

/* ---- reading ---- */

/* Checks the value of an option of formats. Several may have an option of this name, each with its own words:
 * it is enough that one of them accepts the value, and if none does, the message is that of `found`. `name`
 * is as it was given, perhaps for the output alone; `before` are the settings of formats so far. */
static sheaf_status check_foreign(const sheaf_option *found, const char *name, const char *value,
                                  const sheaf_values *before, sheaf_error *err)
{
	const sheaf_format *format;
	sheaf_option first = *found;
	first.name = name;
	for (int i = 0; (format = sheaf_format_at(i)); i++)
		for (const sheaf_option *option = sheaf_format_about(format).options; option->name; option++) {
			sheaf_option named = *option;
			if (strcmp(option->name, found->name) != 0) continue;
			named.name = name;
			sheaf_status status = sheaf_option_check(&named, value, before, NULL);
			if (!status) return SHEAF_OK;
		}
	return sheaf_option_check(&first, value, before, err);
}

/* Copies n bytes of a text, with a zero after them, into the copies of `out`, which own the result.
 * arguments_parse has made room for all of them. */
static const char *copy_of(parser *p, const char *text, size_t n)
{
	char *copy = (char *)memcpy(p->copy, text, n);
	p->copy += n;
	*p->copy++ = '\0';
	return copy;
}

/* Keeps the value of a command's option that is a list of words, such as --allow loss,missing: each word
 * becomes a setting of the command, or of formats if the command itself does not know it. `value` NULL: there
 * is none, which is refused. */
static sheaf_status keep_words(parser *p, const sheaf_option *own, const char *value, sheaf_error *err)
{
	char words[WORDS_MAX];
	sheaf_option any = *own;
	any.argument = command_words(p->out->command, own, words, sizeof words);
	SHEAF_TRY(sheaf_option_check(&any, value, NULL, err));
	for (const char *at = value, *comma; at; at = comma ? comma + 1 : NULL) {
		comma = strchr(at, ',');
		sheaf_setting word = {own->name, copy_of(p, at, strcspn(at, ","))};
		sheaf_status foreign = sheaf_option_check(own, word.value, NULL, NULL);
		if (foreign)
			p->out->settings[p->out->nsettings++] = word;
		else
			p->out->own[p->out->values.count++] = word;
	}
	return SHEAF_OK;
}

/* Checks one option that was found, and adds it to the settings: of the command if it is its `own`, else of
 * formats. `name` is that of the option, or says before it that it is for the output alone; the settings
 * keep it. `value` NULL: it is not in the same word, so that an option which needs one takes the next word.
 */
static sheaf_status keep(parser *p, const sheaf_option *option, const char *name, bool own, const char *value,
                         sheaf_error *err)
{
	bool needs_value = option->kind != SHEAF_OPTION_FLAG;
	if (needs_value && !value && p->at < p->argc) value = p->argv[p->at++];
	if (own && option->kind == SHEAF_OPTION_WORDS) return keep_words(p, option, value, err);
	if (needs_value && !value)
		return sheaf_fail_option(err, SHEAF_USAGE, option->name, ": expected %s, found nothing",
		                         option->argument);
	const sheaf_values foreign = {p->out->settings, p->out->nsettings};
	SHEAF_TRY(own ? sheaf_option_check(option, value, &p->out->values, err)
	              : check_foreign(option, name, value, &foreign, err));
	sheaf_setting setting = {name, value};
	if (own)
		p->out->own[p->out->values.count++] = setting;
	else
		p->out->settings[p->out->nsettings++] = setting;
	return SHEAF_OK;
}

/* Takes an option that is a word: "--name", "--name value" or "--name=value". */
static sheaf_status take_long(parser *p, const char *word, sheaf_error *err)
{
	const command *c = p->out->command;
	char name[WORD_MAX + 1];
	const char *text = word + 2, *equals = strchr(text, '=');
	size_t n = equals ? (size_t)(equals - text) : strlen(text);
	const sheaf_option *own = find_own(c, text, n, 0);
	const sheaf_option *option = own ? own : c->use ? find_foreign(text, n, 0) : NULL;
	if (option) {
		/* Only a name for the output alone is in no table, and has to be kept. */
		const char *given = !own && of_output(text, n) ? copy_of(p, text, n) : option->name;
		return keep(p, option, given, own, equals ? equals + 1 : NULL, err);
	}
	snprintf(name, sizeof name, "%.*s", n < sizeof name ? (int)n : WORD_MAX, text);
	char shown[WORD_MAX + 3];
	snprintf(shown, sizeof shown, "--%s", name);
	return refuse_option(c, shown, name, find_anywhere(name, strlen(name), 0), err);
}

/* Takes the options of a word of letters: "-q", "-n 5", "-n5", "-qn5". The library knows options by their
 * names; in a message the user should find the letter instead, so that a name at its beginning is replaced.
 * -f has also meant --from: whoever writes that must neither replace a file nor have a file read that is
 * named like a format. */
static sheaf_status take_short(parser *p, const char *word, sheaf_error *err)
{
	const command *c = p->out->command;
	for (const char *at = word + 1; *at; at++) {
		const sheaf_option *own = find_own(c, NULL, 0, *at);
		const sheaf_option *option = own ? own : c->use ? find_foreign(NULL, 0, *at) : NULL;
		char shown[3] = {'-', *at, '\0'};
		const char *word_after = at[1] ? at + 1 : p->at < p->argc ? p->argv[p->at] : "";
		bool names = sheaf_format_find(word_after);
		if (*at == 'f' && (!own || names))
			return sheaf_fail(err, SHEAF_USAGE,
			                  "-f: expected %s, found %s; -F %s (or --from) names the format to read",
			                  own ? "a flag (--force) and no format after it" : "another option",
			                  own ? word_after : "-f", names ? word_after : "FORMAT");
		if (!option) return refuse_option(c, shown, shown + 1, false, err);
		bool flag = option->kind == SHEAF_OPTION_FLAG;
		sheaf_error why;
		sheaf_status status = keep(p, option, option->name, own, !flag && at[1] ? at + 1 : NULL, &why);
		bool named = status && strcmp(why.option, option->name) == 0;
		if (status)
			return sheaf_fail(err, status, "%s%s", named ? shown : "",
			                  why.message + (named ? why.place.size : 0));
		if (!flag) return SHEAF_OK;
	}
	return SHEAF_OK;
}

/* Goes through all words: options are kept, everything else is an operand, and so is a single "-" and
 * whatever comes after "--". */
static sheaf_status read_words(parser *p, sheaf_error *err)
{
	bool options = true;
	while (p->at < p->argc) {
		const char *word = p->argv[p->at++];
		if (options && strcmp(word, "--") == 0)
			options = false;
		else if (options && strncmp(word, "--", 2) == 0)
			SHEAF_TRY(take_long(p, word, err));
		else if (options && word[0] == '-' && word[1])
			SHEAF_TRY(take_short(p, word, err));
		else
			p->out->files[p->out->nfiles++] = word;
	}
	return SHEAF_OK;
}

/* ---- checking ---- */

/* Adds the operands that need not be written as such. --output becomes the last operand of a command that
 * has outputs; if no input is named, standard input is the input, provided that something is sent there:
 * through a pipe, or from a file. There is room for both (arguments_parse). */
static void complete_operands(arguments *args)
{
	const command *c = args->command;
	bool has_outputs = command_outputs(c) != OUTPUT_NONE;
	const char *output = has_outputs ? sheaf_values_text(&args->values, "output") : NULL;
	int inputs = args->nfiles;
	if (output) args->files[args->nfiles++] = output;
	struct stat info;
	bool is_sent = fstat(STDIN_FILENO, &info) == 0 &&
	               (S_ISFIFO(info.st_mode) || S_ISREG(info.st_mode) || S_ISSOCK(info.st_mode));
	bool needs_one_input = c->use && c->least - (output != NULL) == 1;
	if (inputs > 0 || !needs_one_input || !is_sent) return;
	memmove(args->files + 1, args->files, (size_t)args->nfiles * sizeof *args->files);
	args->files[0] = "-";
	args->nfiles++;
}

/* Checks that there are as many operands as the command takes, and that standard input is at most one of its
 * inputs. */
static sheaf_status check_operands(const arguments *args, sheaf_error *err)
{
	const command *c = args->command;
	enum outputs outputs = command_outputs(c);
	int inputs = outputs == OUTPUT_LAST ? args->nfiles - 1 : outputs == OUTPUT_REST ? 1 : args->nfiles;
	int dashes = 0;
	char found[64];
	if (args->nfiles < c->least || (c->most >= 0 && args->nfiles > c->most)) {
		if (c->most == 0)
			return sheaf_fail(err, SHEAF_USAGE, "sheaf %s: expected no operand, found \"%s\"", c->name,
			                  args->files[0]);
		return sheaf_fail(err, SHEAF_USAGE, "sheaf %s: expected %s, found %s", c->name, c->operands,
		                  plural(found, args->nfiles, "operand"));
	}
	for (int i = 0; i < inputs; i++) dashes += strcmp(args->files[i], "-") == 0;
	if (dashes <= 1) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_USAGE, "standard input (-) can be read only once; name files instead");
}

/* Checks that the value of --from or --to, if it is given, names a format of this build. */
static sheaf_status check_format(const arguments *args, const char *option, sheaf_error *err)
{
	const char *name = sheaf_values_text(&args->values, option);
	char names[400];
	size_t used = 0;
	if (!name || sheaf_format_find(name)) return SHEAF_OK;
	for (int i = 0; sheaf_format_at(i) && used < sizeof names; i++) {
		int n = snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
		                 sheaf_format_about(sheaf_format_at(i)).name);
		used += n > 0 ? (size_t)n : 0;
	}
	const sheaf_format *near = sheaf_format_nearest(name);
	return sheaf_fail(err, SHEAF_USAGE, "--%s: expected one of the formats %s, found %s%s%s%s", option, names,
	                  name, near ? "; did you mean " : "", near ? sheaf_format_about(near).name : "",
	                  near ? "?" : "");
}

/* Refuses a --seed that would have no effect: it is for something that is drawn, which is a sample, fractions
 * of rows (--parts 0.9,0.1), or what a command with a seed of its own draws. */
static sheaf_status check_selection(const arguments *args, sheaf_error *err)
{
	const sheaf_values *values = &args->values;
	bool splits = sheaf_option_find(args->command->options, "parts");
	const char *drawn = sheaf_values_text(values, splits ? "parts" : "sample");
	if (!sheaf_values_flag(values, "seed") || (drawn && (!splits || strchr(drawn, ',')))) return SHEAF_OK;
	/* A command with a seed of its own uses it for more than the sample. */
	if (splits || !sheaf_option_find(args->command->options, "seed"))
		return sheaf_fail_option(err, SHEAF_USAGE, "seed", ": nothing is drawn at random; add --%s",
		                         splits ? "parts with fractions" : "sample");
	return SHEAF_OK;
}

/* Reads and checks the words after the name of a command. *out points into argv and into the tables of
 * options, and owns its arrays, which are as large as the words could ever need. */
sheaf_status arguments_parse(const command *c, int argc, char **argv, arguments *out, sheaf_error *err)
{
	size_t n = (size_t)argc + 1;
	/* A cluster of letters may hold more options than there are words. */
	size_t letters = n;
	for (int i = 0; i < argc; i++) letters += strlen(argv[i]);
	sheaf_setting *own = calloc(letters, sizeof *own);
	*out = (arguments){.command = c,
	                   .values = {own, 0},
	                   .own = own,
	                   .settings = calloc(letters, sizeof *out->settings),
	                   .copies = malloc(letters),
	                   .files = calloc(n + 2, sizeof *out->files)};
	parser p = {out, argc, 0, argv, out->copies};
	sheaf_status status =
		own && out->settings && out->files && out->copies
			? read_words(&p, err)
			: sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for the options, found none");
	if (status == SHEAF_OK) status = arguments_configure(out, err);
	if (status == SHEAF_OK) complete_operands(out);
	if (status == SHEAF_OK) status = check_operands(out, err);
	if (status == SHEAF_OK) status = check_selection(out, err);
	if (status == SHEAF_OK) status = check_format(out, "from", err);
	if (status == SHEAF_OK) status = check_format(out, "to", err);
	if (status) arguments_free(out);
	return status;
}

void arguments_free(arguments *args)
{
	free(args->own);
	free(args->settings);
	free(args->copies);
	free((void *)args->files);
	sheaf_config_free(args->config);
	sheaf_context_free(args->library);
	*args = (arguments){0};
}

int option_choice(const arguments *args, const char *name)
{
	const char *text = sheaf_values_text(&args->values, name);
	const sheaf_option *option = find_own(args->command, name, strlen(name), 0);
	int place = 0;
	size_t size;
	for (const char *at = text && option ? option->argument : ""; *at; at += size + (at[size] == '|')) {
		size = strcspn(at, "|");
		if (strlen(text) == size && memcmp(at, text, size) == 0) return place;
		place++;
	}
	return 0;
}

bool as_json(const arguments *args) { return sheaf_values_flag(&args->values, "json"); }
