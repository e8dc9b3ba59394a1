/* SPDX-License-Identifier: MIT */
/* A configuration file, from its name to its settings. What is set besides, as NAME=VALUE, is appended to the
 * text of the file, where the last value of a name counts, as it does in CNTK. The text is then read in three
 * steps: names between dollars are replaced (expand.c), the record of the reader is found (section.c), and
 * its fields become inputs and settings (reader.c). A configuration holds no data, so that a large one is
 * refused. */
#include "cntk/config.h"
#include "base/extend.h"
#include "base/memory.h"
#include "base/need.h"
#include "base/show.h"
#include "io/source.h"
#include <sheaf/io.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20 };

/* The length of the file's name in `name`. That is all of it if there is such a file; otherwise it may be
 * "FILE:SECTION", and the name ends before the last ':', unless a slash after that shows that the ':' is part
 * of a path. */
static size_t file_length(const char *name)
{
	const char *colon = strrchr(name, ':');
	return access(name, F_OK) == 0 || !colon || strchr(colon, '/') || strchr(colon, '\\')
	           ? strlen(name)
	           : (size_t)(colon - name);
}

/* Reads the text of a configuration into *out: replaces its names, finds the record of the reader, and turns
 * that into inputs and settings. `section` NULL: the reader that is meant. */
static sheaf_status read_text(const sheaf_cntk *written, const char *section, sheaf_config *out)
{
	sheaf_config_record records[CNTK_DEPTH];
	const sheaf_config_record *reader;
	SHEAF_SCOPED(sheaf_cntk_drop) sheaf_cntk_memory memory = {0};
	sheaf_cntk c;
	const char *text = written->text, *zero = (const char *)memchr(text, '\0', written->size);
	if (written->size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
		return sheaf_fail(written->err, SHEAF_UNSUPPORTED,
		                  "%s: expected UTF-8 or ASCII text, found a UTF-16 byte order mark", written->file);
	if (zero) return sheaf_cntk_fail(written, (size_t)(zero - text), "expected text, found byte 0x00");
	SHEAF_TRY(sheaf_cntk_expand(written, &memory, &c));
	SHEAF_TRY(sheaf_cntk_section(&c, section, records, &reader));
	return sheaf_cntk_reader(&c, reader, out);
}

/* Appends the text of a file, without a UTF-8 mark; LIMIT if it is too large for a configuration. */
static sheaf_status append_file(sheaf_builder *text, const char *path, sheaf_context *cx, sheaf_error *err)
{
	sheaf_source *source;
	sheaf_bytes bytes;
	SHEAF_TRY(sheaf_source_path(path, cx, &source, err));
	sheaf_status status = sheaf_source_ahead(source, MOST_BYTES, &bytes, err);
	if (status == SHEAF_OK && bytes.size >= MOST_BYTES)
		status =
			sheaf_fail(err, SHEAF_LIMIT, "%s: expected a configuration of less than %d bytes, found more",
		               path, MOST_BYTES);
	if (status == SHEAF_OK) {
		size_t mark = sheaf_utf8_mark(bytes.data, bytes.size);
		sheaf_builder_append(text, bytes.data + mark, bytes.size - mark);
	}
	sheaf_source_close(source);
	return status;
}

/* Reads a configuration file, with the variables as further lines after its text, into *out. */
static sheaf_status read_file(const char *path, const char *section, sheaf_variables variables,
                              sheaf_config *out, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder text = {.cx = out->cx};
	SHEAF_TRY(append_file(&text, path, out->cx, err));
	if (variables.count) sheaf_builder_byte(&text, '\n');
	sheaf_cntk c = {.file = path, .cx = out->cx, .err = err, .own = text.size};
	for (int i = 0; i < variables.count; i++) {
		const char *set = variables.list[i], *equals = strchr(set, '=');
		if (!equals || equals == set)
			return sheaf_fail(err, SHEAF_USAGE, "variable: expected NAME=VALUE, found \"%s\"", set);
		sheaf_builder_text(&text, set);
		sheaf_builder_byte(&text, '\n');
	}
	SHEAF_TRY(sheaf_builder_status(&text, err));
	c.text = text.data ? (const char *)text.data : "";
	c.size = text.size;
	return read_text(&c, section, out);
}

static void free_settings(sheaf_context *cx, sheaf_setting *settings, int n)
{
	for (int i = 0; i < n; i++) sheaf_release_text(cx, (char *)(uintptr_t)settings[i].value);
	sheaf_release(cx, settings, (size_t)n * sizeof *settings);
}

void sheaf_config_free(sheaf_config *config)
{
	if (!config) return;
	for (int i = 0; i < config->ninputs; i++) {
		sheaf_release_text(config->cx, config->inputs[i].path);
		const sheaf_config_input *input = &config->inputs[i];
		free_settings(config->cx, input->settings, input->nsettings + input->nothers);
	}
	sheaf_release(config->cx, config->inputs, (size_t)config->ninputs * sizeof *config->inputs);
	free_settings(config->cx, config->settings, config->nsettings);
	sheaf_release(config->cx, config, sizeof *config);
}

sheaf_status sheaf_config_read(const char *name, sheaf_variables variables, sheaf_context *cx,
                               sheaf_config **out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(name, "the name of a file");
	SHEAF_NEED(cx, "a context");
	for (int i = 0; i < variables.count; i++) SHEAF_NEED(variables.list && variables.list[i], "variables");
	sheaf_config *config;
	char *path;
	size_t n = file_length(name);
	SHEAF_TRY(sheaf_allocate(cx, sizeof *config, &config, err));
	config->cx = cx;
	sheaf_status status = sheaf_copy_text(cx, name, n, &path, err);
	if (status == SHEAF_OK) {
		status = read_file(path, name[n] ? name + n + 1 : NULL, variables, config, err);
		sheaf_release_text(cx, path);
	}
	if (status)
		sheaf_config_free(config);
	else
		*out = config;
	return status;
}
