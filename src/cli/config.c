/* SPDX-License-Identifier: MIT */
/* --config: what a CNTK configuration file says, as if it stood on the command line before everything else. */
#include "cli.h"
#include <stdlib.h>
#include <string.h>

/* ---- reading it ---- */

static void tell(void *user, const sheaf_problem *problem)
{
	char text[1024];
	if (!sheaf_values_flag(&((const arguments *)user)->values, "quiet")) say("warning", "%s", sheaf_problem_text(problem, text, sizeof text));
}

static sheaf_status read_config(arguments *args, const char *name, sheaf_error *err)
{
	sheaf_context_options options = {.size = sizeof options, .strict = sheaf_values_flag(&args->values, "strict"), .on_problem = tell, .user = args};
	SHEAF_TRY(sheaf_context_new(&options, &args->library, err));
	return sheaf_config_read(name, args->library, &args->config, err);
}

/* ---- putting it before the rest ---- */

static bool is_given(const sheaf_setting *settings, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (strcmp(settings[i].name, name) == 0) return true;
	return false;
}

static bool is_own(const command *c, const char *name)
{
	const sheaf_option *option;
	for (int i = 0; (option = command_option(c, i)); i++)
		if (strcmp(option->name, name) == 0) return true;
	return false;
}

/* The settings of `from` that `wanted` picks, before those of *to. */
static sheaf_status put_before(const arguments *args, const sheaf_setting *from, int n, bool (*wanted)(const arguments *, const char *), sheaf_setting **to,
                               int *count, sheaf_error *err)
{
	sheaf_setting *all = calloc((size_t)(n + *count) + 1, sizeof *all);
	int taken = 0;
	if (!all) return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for the options, found none");
	for (int i = 0; i < n; i++) /* Streams on the command line replace those of the configuration, each other setting only its like. */
		if (wanted(args, from[i].name) && !is_given(*to, *count, from[i].name)) all[taken++] = from[i];
	memcpy(all + taken, *to, (size_t)*count * sizeof *all);
	free(*to);
	*to = all;
	*count += taken;
	return SHEAF_OK;
}

static bool of_command(const arguments *args, const char *name) { return is_own(args->command, name); }

static bool of_format(const arguments *args, const char *name)
{
	const sheaf_format *format = sheaf_format_find(args->config->inputs[0].format);
	const sheaf_option *option = format ? sheaf_option_find(format->options, name) : NULL;
	return option && (option->use & SHEAF_READING) && !is_own(args->command, name);
}

static sheaf_status put_settings(arguments *args, const sheaf_setting *settings, int n, sheaf_error *err)
{
	sheaf_setting *own = (sheaf_setting *)(uintptr_t)args->values.settings;
	sheaf_status status = put_before(args, settings, n, of_command, &own, &args->values.count, err);
	args->values.settings = own;
	SHEAF_TRY(status);
	return put_before(args, settings, n, of_format, &args->settings, &args->nsettings, err);
}

static sheaf_status put_file(arguments *args, sheaf_error *err)
{
	if (args->nfiles >= args->command->least) return SHEAF_OK;
	const char **files = calloc((size_t)args->nfiles + 1, sizeof *files);
	if (!files) return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for the operands, found none");
	files[0] = args->config->inputs[0].path;
	memcpy(files + 1, args->files, (size_t)args->nfiles * sizeof *files);
	free((void *)args->files);
	args->files = files;
	args->nfiles++;
	return SHEAF_OK;
}

sheaf_status arguments_configure(arguments *args, sheaf_error *err)
{
	const char *name = sheaf_values_text(&args->values, "config");
	if (!name) return SHEAF_OK;
	SHEAF_TRY(read_config(args, name, err));
	const sheaf_config_input *input = &args->config->inputs[0];
	if (args->config->ninputs > 1)
		return sheaf_fail(err, SHEAF_USAGE, "--config %s: expected one input for sheaf %s, found %d; name one, as in FILE:train.reader.deserializers.0", name,
		                  args->command->name, args->config->ninputs);
	sheaf_setting from = {"from", input->format};
	SHEAF_TRY(put_settings(args, &from, 1, err));
	SHEAF_TRY(put_settings(args, input->settings, input->nsettings, err));
	SHEAF_TRY(put_settings(args, args->config->settings, args->config->nsettings, err));
	return put_file(args, err);
}
