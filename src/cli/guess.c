/* SPDX-License-Identifier: MIT */
/* sheaf info --guess: how to read a file that does not describe itself, such as an array of SciDB without its
 * schema. Each format that can guess gives candidates, the likeliest first, with the evidence for each.
 * `bits` are those that a byte of the file takes if it is read so: 8 is noise. */
#include "cli.h"

typedef struct guessing {
	const char *file;
	bool json;
	int told;
} guessing;

/* Prints one candidate: in lines the option as a shell needs it, in quotes, and what speaks for it. */
static sheaf_status tell(void *user, const sheaf_candidate *c, sheaf_error *err)
{
	guessing *g = (guessing *)user;
	g->told++;
	if (g->json) {
		json_open(NULL, "{");
		json_text("file", g->file);
		json_text("format", c->format);
		json_text("option", c->option);
		json_text("value", c->value);
		json_key("bits");
		out_printf("%.3f", c->bits);
		json_text("evidence", c->evidence);
		out_text("}\n");
		return out_check(err);
	}
	if (g->told == 1) {
		out_visibly(g->file);
		out_text(": expected options to read it with; these are likely, the likeliest first\n");
	}
	out_printf("  --%s '", c->option);
	out_visibly(c->value);
	out_printf("'\n    %s: ", c->format);
	out_visibly(c->evidence);
	out_text("\n");
	return out_check(err);
}

/* Each file has a session of its own. A file for which no format has a candidate is a failure (UNKNOWN). */
int run_guess(const arguments *args)
{
	int worst = EXIT_FINE;
	for (int i = 0; i < args->nfiles; i++) {
		session s;
		sheaf_error err;
		const char *file = args->files[i];
		session_options options = {.label = file, .inputs = 1};
		guessing g = {.file = file, .json = as_json(args)};
		sheaf_status status = session_begin(&s, args, &options, &err);
		if (status == SHEAF_OK) {
			status = sheaf_guess(file, sheaf_values_text(&args->values, "from"), s.cx, tell, &g, &err);
			if (status == SHEAF_OK && g.told == 0)
				status = sheaf_fail(&err, SHEAF_UNKNOWN,
				                    "%s: no options fit its bytes; sheaf info %s shows what is known about "
				                    "the file",
				                    file, file);
			session_end(&s);
		}
		int code = status ? say_failure(&err) : EXIT_FINE;
		if (code > worst) worst = code;
	}
	return worst;
}
