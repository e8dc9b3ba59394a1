/* SPDX-License-Identifier: MIT */
/* sheaf info --guess: how to read a file that does not describe itself. */
#include "cli.h"

typedef struct guessing {
	const char *file;
	bool json;
	int told;
} guessing;

static void print_candidate(const guessing *g, const sheaf_candidate *c)
{
	if (g->told == 1) {
		out_visibly(g->file);
		out_text(": expected options to read it with; these are likely, the likeliest first\n");
	}
	out_printf("  --%s '", c->option); /* quotes, for a shell */
	out_visibly(c->value);
	out_printf("'\n    %s: ", c->format);
	out_visibly(c->evidence);
	out_text("\n");
}

static void json_candidate(const guessing *g, const sheaf_candidate *c)
{
	json_open(NULL, "{");
	json_text("file", g->file);
	json_text("format", c->format);
	json_text("option", c->option);
	json_text("value", c->value);
	json_key("bits");
	out_printf("%.3f", c->bits);
	json_text("evidence", c->evidence);
	out_text("}\n");
}

static sheaf_status tell(void *user, const sheaf_candidate *candidate, sheaf_error *err)
{
	guessing *g = (guessing *)user;
	g->told++;
	(g->json ? json_candidate : print_candidate)(g, candidate);
	return out_check(err);
}

static int guess_file(const arguments *args, const char *file)
{
	session s;
	sheaf_error err;
	session_options options = {.label = file, .inputs = 1};
	guessing g = {.file = file, .json = as_json(args)};
	sheaf_status status = session_begin(&s, args, &options, &err);
	if (status) return say_failure(&err);
	status = sheaf_guess(file, sheaf_values_text(&args->values, "from"), s.cx, tell, &g, &err);
	if (status == SHEAF_OK && g.told == 0)
		status = sheaf_fail(&err, SHEAF_UNKNOWN,
		                    "%s: no options fit its bytes; sheaf info %s shows what is known about the file",
		                    file, file);
	session_end(&s);
	return status ? say_failure(&err) : EXIT_FINE;
}

int run_guess(const arguments *args)
{
	int worst = EXIT_FINE;
	for (int i = 0; i < args->nfiles; i++) {
		int code = guess_file(args, args->files[i]);
		if (code > worst) worst = code;
	}
	return worst;
}
