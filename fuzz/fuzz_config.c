/* SPDX-License-Identifier: MIT */
/* The fuzz target of configuration files: the input is one. Whatever it says, all memory is freed, and what
 * is read without an error names inputs of existing formats. */
#include <sheaf/sheaf.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void broken(const char *rule)
{
	fprintf(stderr, "fuzz_config: broken: %s\n", rule);
	abort();
}

static void check(const sheaf_config *config)
{
	if (config->ninputs < 1) broken("no input");
	for (int i = 0; i < config->ninputs; i++) {
		if (!sheaf_format_find(config->inputs[i].format)) broken("an input of no format");
		if (!config->inputs[i].path) broken("an input without a path");
	}
}

static void read_config(const char *name, sheaf_variables variables)
{
	sheaf_context_options options = {.size = sizeof options, .max_memory = 64 << 20};
	sheaf_context *cx;
	sheaf_config *config;
	sheaf_error err;
	if (sheaf_context_new(&options, &cx, &err)) broken("no context");
	if (sheaf_config_read(name, variables, cx, &config, &err) == SHEAF_OK)
		check(config);
	else if (config)
		broken("a failure with a result");
	sheaf_config_free(config);
	if (sheaf_context_memory(cx, NULL) != 0) broken("memory left");
	sheaf_context_free(cx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const set[] = {"A=$B$", "B = x",
	                                  "reader=[ file = $A$ ; input = [ A = [ dim = 1 ] ] ]"};
	static int file = -1;
	char name[64];
	if (file < 0) file = memfd_create("config", 0);
	if (file < 0 || ftruncate(file, 0) || pwrite(file, data, size, 0) != (ssize_t)size) broken("no file");
	snprintf(name, sizeof name, "/proc/self/fd/%d", file);
	read_config(name, (sheaf_variables){0});
	read_config(name, (sheaf_variables){set, 3});
	snprintf(name, sizeof name, "/proc/self/fd/%d:a.1", file);
	read_config(name, (sheaf_variables){0});
	return 0;
}
