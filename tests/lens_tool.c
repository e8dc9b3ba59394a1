/* SPDX-License-Identifier: MIT */
/* For the conformance of example files: reads a file of either spelling and prints its model as the real
 * program's dumps do, or writes it in one of the spellings. usage: lens_tool dump|text|binary FILE
 * PIECE_BYTES */
#include "lens_model.h"
#include <stdlib.h>

static void tell(void *user, const sheaf_problem *problem)
{
	char text[1000];
	(void)user;
	fprintf(stderr, "%d %s: %s\n", problem->severity, problem->rule,
	        sheaf_problem_text(problem, text, sizeof text));
}

static sheaf_status show(sheaf_lens_writing *w, const char *how, const sheaf_lens_set *set, sheaf_error *err)
{
	sheaf_builder to;
	if (strcmp(how, "dump") == 0) return print_set(w, set, stdout, err);
	sheaf_builder_begin(&to, w->cx, NULL);
	sheaf_status status = write_set(
		w, strcmp(how, "text") == 0 ? &sheaf_lens_text_spelling : &sheaf_lens_binary_spelling, set, &to, err);
	if (status == SHEAF_OK) fwrite(to.data, 1, to.size, stdout);
	sheaf_builder_drop(&to);
	return status;
}

int main(int argc, char **argv)
{
	sheaf_context *cx;
	sheaf_error err = {0};
	sheaf_source *source = NULL;
	sheaf_lens_reader *in = NULL;
	sheaf_lens_set set = {0};
	sheaf_lens_writing w = {0};
	sheaf_context_options options = {.size = sizeof options, .on_problem = tell};
	if (argc != 4 || sheaf_context_new(&options, &cx, &err)) return 2;
	sheaf_lens_writing_begin(&w, argv[2], cx);
	sheaf_status status = sheaf_source_path(argv[2], cx, &source, &err);
	if (status == SHEAF_OK) status = sheaf_lens_open(source, cx, &in, &err);
	if (status == SHEAF_OK) {
		sheaf_lens_set_begin(&set, sheaf_lens_header_of(in), cx);
		status = read_set(in, atoll(argv[3]), &set, cx, &err);
	}
	if (status == SHEAF_OK) status = show(&w, argv[1], &set, &err);
	if (status) fprintf(stderr, "%s\n", err.message);
	sheaf_lens_set_free(&set);
	sheaf_lens_close(in);
	sheaf_source_close(source);
	sheaf_lens_writing_end(&w);
	if (sheaf_context_memory(cx, NULL) != 0) return 3;
	sheaf_context_free(cx);
	return status ? 1 : 0;
}
