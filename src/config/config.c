/* SPDX-License-Identifier: MIT */
/* A configuration file from its name to what it says. */
#include "config/config.h"
#include "base/memory.h"
#include "base/need.h"
#include <sheaf/io.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20 };

/* "FILE:SECTION" where no file is called so: the text up to the last ':' whose rest can be a section. */
static size_t file_length(const char *name)
{
	const char *colon = strrchr(name, ':');
	return access(name, F_OK) == 0 || !colon || strchr(colon, '/') || strchr(colon, '\\')
	           ? strlen(name)
	           : (size_t)(colon - name);
}

static sheaf_status check_text(const sheaf_cntk *c)
{
	if (c->size == MOST_BYTES)
		return sheaf_fail(c->err, SHEAF_LIMIT,
		                  "%s: expected a configuration of less than %d bytes, found more", c->file,
		                  MOST_BYTES);
	if (c->size >= 2 && (memcmp(c->text, "\xff\xfe", 2) == 0 || memcmp(c->text, "\xfe\xff", 2) == 0))
		return sheaf_fail(c->err, SHEAF_UNSUPPORTED,
		                  "%s: expected UTF-8 or ASCII text, found a UTF-16 byte order mark", c->file);
	const char *zero = (const char *)memchr(c->text, '\0', c->size);
	return zero ? sheaf_cntk_fail(c, (size_t)(zero - c->text), "expected text, found byte 0x00") : SHEAF_OK;
}

static sheaf_status read_text(sheaf_cntk *c, const char *section, sheaf_config *out)
{
	sheaf_config_record records[CNTK_DEPTH];
	const sheaf_config_record *reader;
	if (c->size >= 3 && memcmp(c->text, "\xef\xbb\xbf", 3) == 0) {
		c->text += 3;
		c->size -= 3;
	}
	SHEAF_TRY(check_text(c));
	SHEAF_TRY(sheaf_cntk_section(c, section, records, &reader));
	return sheaf_cntk_reader(c, reader, out);
}

static sheaf_status read_file(const char *path, const char *section, sheaf_config *out, sheaf_error *err)
{
	sheaf_source *source;
	sheaf_bytes bytes;
	SHEAF_TRY(sheaf_source_path(path, out->cx, &source, err));
	sheaf_status status = sheaf_source_ahead(source, MOST_BYTES, &bytes, err);
	if (status == SHEAF_OK) {
		size_t size = bytes.size < MOST_BYTES ? bytes.size : MOST_BYTES;
		sheaf_cntk c = {path, bytes.data ? (const char *)bytes.data : "", size, out->cx, err};
		status = read_text(&c, section, out);
	}
	sheaf_source_close(source);
	return status;
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

sheaf_status sheaf_config_read(const char *name, sheaf_context *cx, sheaf_config **out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(name, "the name of a file");
	SHEAF_NEED(cx, "a context");
	void *memory;
	char *path;
	size_t n = file_length(name);
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_config), &memory, err));
	sheaf_config *config = (sheaf_config *)memory;
	config->cx = cx;
	sheaf_status status = sheaf_copy_text(cx, name, n, &path, err);
	if (status == SHEAF_OK) {
		status = read_file(path, name[n] ? name + n + 1 : NULL, config, err);
		sheaf_release_text(cx, path);
	}
	if (status) {
		sheaf_config_free(config);
		return status;
	}
	*out = config;
	return SHEAF_OK;
}
