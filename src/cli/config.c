/* SPDX-License-Identifier: MIT */
/* --config: the settings of a CNTK configuration file, as if they came first on the command line. What the
 * command line says replaces what the file says: the same option, or one of its rivals. With one input, its
 * format, streams and file become settings of the command; with several, each input is opened with its own
 * settings (configured_open), and the command joins them. */
#include "cli.h"
#include <stdlib.h>
#include <string.h>

/* ---- reading it ---- */

/* Says a warning about the configuration, unless --quiet is given; `user`: the arguments. */
static void report(void *user, const sheaf_problem *problem)
{
	char text[1024];
	if (!sheaf_values_flag(&((const arguments *)user)->values, "quiet"))
		say("warning", "%s", sheaf_problem_text(problem, text, sizeof text));
}

/* Reads the file that --config names into args->config, in a context that lives as long as the arguments,
 * args->library. Variables are no operands, and leave the list of files: a variable is NAME=VALUE, as on
 * CNTK's own command line; a file of that name is written ./NAME=VALUE. */
static sheaf_status read_config(arguments *args, const char *name, sheaf_error *err)
{
	int files = 0, count = 0;
	sheaf_context_options options = {.size = sizeof options,
	                                 .strict = sheaf_values_flag(&args->values, "strict"),
	                                 .on_problem = report,
	                                 .user = args};
	SHEAF_TRY(sheaf_context_new(&options, &args->library, err));
	const char **variables = calloc((size_t)args->nfiles + 1, sizeof *variables);
	if (!variables) return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for variables, found none");
	for (int i = 0; i < args->nfiles; i++) {
		const char *word = args->files[i];
		size_t n = strcspn(word, "=");
		bool letter =
			(word[0] >= 'a' && word[0] <= 'z') || (word[0] >= 'A' && word[0] <= 'Z') || word[0] == '_';
		if (letter && word[n] == '=' && !memchr(word, '/', n))
			variables[count++] = word;
		else
			args->files[files++] = word;
	}
	args->nfiles = files;
	sheaf_status status =
		sheaf_config_read(name, (sheaf_variables){variables, count}, args->library, &args->config, err);
	free((void *)variables);
	return status;
}

/* ---- putting it before the rest ---- */

static bool is_given(const sheaf_setting *settings, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (strcmp(settings[i].name, name) == 0) return true;
	return false;
}

/* Options that a command takes only once: one on the command line replaces the others. */
static const char *const rivals[][2] = {{"pack", "pad"}, {"join", "mix"}};

/* Whether the command line has an option, or a rival of it. A rest that wraps crosses the end of a sweep. */
static bool is_decided(const sheaf_setting *settings, int n, const char *name)
{
	const sheaf_values values = {settings, n};
	const char *rest = sheaf_values_text(&values, "rest");
	if (is_given(settings, n, name)) return true;
	if (strcmp(name, "no-cross-sweep") == 0 && rest && strcmp(rest, "wrap") == 0) return true;
	for (size_t i = 0; i < sizeof rivals / sizeof *rivals; i++)
		for (int k = 0; k < 2; k++)
			if (strcmp(rivals[i][k], name) == 0 && is_given(settings, n, rivals[i][1 - k])) return true;
	return false;
}

/* Whether the command has an option of this name, its own or a shared one. */
static bool of_command(const arguments *args, const char *name)
{
	const sheaf_option *option;
	for (int i = 0; (option = command_option(args->command, i)); i++)
		if (strcmp(option->name, name) == 0) return true;
	return false;
}

typedef bool (*wanted_setting)(const arguments *args, const char *name);

/* Puts the settings of `from` that `wanted` selects before those that the command line has for the command
 * (`own`) or for formats, unless the command line has decided the matter: its streams replace all those of
 * the configuration, and any other setting replaces the one of its name. */
static sheaf_status put_before(arguments *args, const sheaf_setting *from, int n, wanted_setting wanted,
                               bool own, sheaf_error *err)
{
	sheaf_setting **to = own ? &args->own : &args->settings;
	int *count = own ? &args->values.count : &args->nsettings;
	sheaf_setting *all = calloc((size_t)(n + *count) + 1, sizeof *all);
	int taken = 0;
	if (!all) return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for the options, found none");
	for (int i = 0; i < n; i++)
		if (wanted(args, from[i].name) && !is_decided(*to, *count, from[i].name)) all[taken++] = from[i];
	memcpy(all + taken, *to, (size_t)*count * sizeof *all);
	free(*to);
	*to = all;
	*count += taken;
	args->values.settings = args->own;
	return SHEAF_OK;
}

/* A setting of the reader as a whole may be an option of the first input's format, too. */
static bool of_format(const arguments *args, const char *name)
{
	const sheaf_format *format = sheaf_format_find(args->config->inputs[0].format);
	const sheaf_option *option = sheaf_option_find(sheaf_format_about(format).options, name);
	return option && (option->use & SHEAF_READING) && !of_command(args, name);
}

/* Each setting goes to the command if it has an option of that name, else to the format if that has one;
 * others have no meaning here. */
static sheaf_status put_settings(arguments *args, const sheaf_setting *settings, int n, sheaf_error *err)
{
	SHEAF_TRY(put_before(args, settings, n, of_command, true, err));
	return put_before(args, settings, n, of_format, false, err);
}

static const char of_each[] = "chunk-bytes"; /* an option of the command that each input has for itself */

static bool of_all_inputs(const arguments *args, const char *name)
{
	return of_command(args, name) && strcmp(name, of_each) != 0;
}

/* Puts the settings of a configuration with several inputs before those of the command, which must be one
 * that can join inputs. Each input keeps its own format, streams and chunks for configured_open; only what
 * the command itself has an option for is put here. `name` is the value of --config, for the message. */
static sheaf_status put_inputs(arguments *args, const char *name, sheaf_error *err)
{
	static const sheaf_setting join = {"join", NULL};
	sheaf_config *config = args->config;
	if (!of_command(args, join.name))
		return sheaf_fail(err, SHEAF_USAGE,
		                  "--config %s: expected one input for sheaf %s, found %d; name one, as in "
		                  "FILE:train.reader.deserializers.0",
		                  name, args->command->name, config->ninputs);
	SHEAF_TRY(put_before(args, &join, 1, of_command, true, err));
	for (int i = 0; i < config->ninputs; i++) {
		const sheaf_config_input *input = &config->inputs[i];
		SHEAF_TRY(put_before(args, input->settings, input->nsettings, of_all_inputs, true, err));
		SHEAF_TRY(put_before(args, input->others, input->nothers, of_all_inputs, true, err));
	}
	return SHEAF_OK;
}

/* What is put later comes before what was put earlier, but replaces none of it: an input's own settings count
 * for more than those of the reader as a whole, and the command line for more than either. */
sheaf_status arguments_configure(arguments *args, sheaf_error *err)
{
	const char *name = sheaf_values_text(&args->values, "config");
	if (!name) return SHEAF_OK;
	SHEAF_TRY(read_config(args, name, err));
	if (args->config->ninputs > 1) {
		SHEAF_TRY(put_inputs(args, name, err));
	} else {
		const sheaf_config_input *input = &args->config->inputs[0];
		sheaf_setting from = {"from", input->format};
		SHEAF_TRY(put_settings(args, &from, 1, err));
		SHEAF_TRY(put_settings(args, input->others, input->nothers, err));
		SHEAF_TRY(put_settings(args, input->settings, input->nsettings, err));
	}
	SHEAF_TRY(put_settings(args, args->config->settings, args->config->nsettings, err));
	/* The files of all inputs come before the operands, if there are too few of these. */
	int n = args->config->ninputs;
	if (args->nfiles >= args->command->least) return SHEAF_OK;
	const char **files = calloc((size_t)args->nfiles + (size_t)n, sizeof *files);
	if (!files) return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for the operands, found none");
	for (int i = 0; i < n; i++) files[i] = args->config->inputs[i].path;
	memcpy(files + n, args->files, (size_t)args->nfiles * sizeof *files);
	free((void *)args->files);
	args->files = files;
	args->nfiles += n;
	return SHEAF_OK;
}

/* ---- opening one of several inputs ---- */

/* Opens one of several inputs: with the settings of formats that the command line gives, and those of the
 * input in the configuration that the command line does not replace. *open is changed, and refers to arrays
 * that are freed here. */
sheaf_status configured_open(session *s, int input, const char *path, sheaf_open_options *open,
                             sheaf_dataset **out, sheaf_error *err)
{
	const arguments *args = s->args;
	*out = NULL;
	if (args->nfiles != args->config->ninputs) /* lists and patterns stand for files now */
		return sheaf_fail(err, SHEAF_USAGE,
		                  "--config %s: expected no file here, or one for each of its %d inputs, found %d",
		                  sheaf_values_text(&args->values, "config"), args->config->ninputs, args->nfiles);
	const sheaf_config_input *from = &args->config->inputs[input];
	const sheaf_values own = {from->others, from->nothers};
	if (!sheaf_values_text(&args->values, of_each) && sheaf_values_text(&own, of_each)) {
		int64_t bytes = sheaf_values_number(&own, of_each, 0);
		open->piece_bytes = bytes > 0 ? bytes : 1; /* like one byte, none is a sequence each */
	}
	size_t room = (size_t)(from->nsettings + args->nsettings) + 1;
	sheaf_setting *settings = calloc(room, sizeof *settings);
	bool *used = calloc(room, sizeof *used);
	sheaf_status status = sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for the options, found none");
	if (settings && used) {
		memcpy(settings, args->settings, (size_t)args->nsettings * sizeof *settings);
		open->settings = settings;
		open->used = used;
		open->nsettings = args->nsettings;
		for (int i = 0; i < from->nsettings; i++)
			if (!is_given(args->settings, args->nsettings, from->settings[i].name))
				settings[open->nsettings++] = from->settings[i];
		if (!open->format) open->format = from->format;
		status = sheaf_open(path, open, s->cx, out, err);
		/* The first settings are those of the command line, which have their marks in the session. */
		for (int i = 0; s->used && i < args->nsettings; i++) s->used[i] |= used[i];
	}
	free(settings);
	free(used);
	return status;
}
