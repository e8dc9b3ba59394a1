/* SPDX-License-Identifier: MIT */
/* Minibatches as JSON objects, and as files in a folder: "batch-", the position at which the batch begins
 * with twelve digits, "-1", "-2", ... if batches before it begin there, too (an empty rest, repeated
 * sequences), the shard if there are several, and the suffix of the format. */
#include "cli.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- as JSON ---- */

sheaf_status print_batch(const sheaf_batches *batches, const sheaf_batch *b, sheaf_buffer *data,
                         sheaf_error *err)
{
	out_printf("{\"batch\":%" PRId64 ",\"position\":[%" PRId64 ",%" PRId64 "],\"sweep\":%" PRId64, b->number,
	           b->begin, b->end, b->sweep);
	json_flag("sweep_end", b->sweep_end);
	json_flag("epoch_end", b->epoch_end);
	json_open("keys", "[");
	for (int64_t i = 0; i < b->sequences; i++) out_printf("%s%" PRIu64, i ? "," : "", b->keys[i]);
	out_text("]");
	if (b->repeated) json_count("repeated", b->repeated);
	if (b->packed) {
		const sheaf_schema *schema = sheaf_batches_schema(batches);
		json_open("packed", "{"); /* rows and steps of each stream */
		for (int i = 0; i < b->npacked; i++) {
			json_key(schema->fields[b->packed[i].field].name);
			out_printf("[%" PRId64 ",%" PRId64 "]", b->packed[i].rows, b->packed[i].width);
		}
		out_text("}");
	}
	if (data) {
		SHEAF_TRY(sheaf_batch_text(batches, b, data, err));
		json_key("streams");
		out_bytes(data->data, data->size);
	}
	out_text("}\n");
	return out_check(err);
}

/* ---- as files ---- */

/* Whether this command has given a file its name: "batch-", the position, and the suffix. */
static bool is_batch(const batch_folder *f, const char *name)
{
	size_t prefix = strlen("batch-"), n = strlen(name), suffix = strlen(f->suffix);
	return strncmp(name, "batch-", prefix) == 0 && n > prefix + suffix && name[prefix] >= '0' &&
	       name[prefix] <= '9' && strcmp(name + n - suffix, f->suffix) == 0;
}

int open_folder(const char *path)
{
	int fd;
	do fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	return fd;
}

/* Looks for batches of an earlier run in the folder, which would be taken for batches of this one: they are
 * refused, or removed with `force`. A name that is too long for a path is none that was given here. The
 * folder is read with errno at 0, since only that tells a failure of readdir from the end. */
static sheaf_status look_for_batches(const batch_folder *f, bool force, sheaf_error *err)
{
	char path[PATH_MAX];
	int fd = open_folder(f->path);
	DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
	sheaf_status status = SHEAF_OK;
	if (!folder && fd >= 0) close(fd);
	if (!folder) return sheaf_fail_sys(err, errno, "%s: expected a folder that can be read", f->path);
	errno = 0;
	for (const struct dirent *entry; status == SHEAF_OK && (entry = readdir(folder)); errno = 0) {
		const char *name = entry->d_name;
		if (!is_batch(f, name)) continue;
		if (!force) {
			status = sheaf_fail_option(
				err, SHEAF_USAGE, "force",
				": expected a folder without batches, or a state to continue from, found %.300s/%.200s "
				"(--force removes them first)",
				f->path, name);
			err->sys = 0;
		} else if (snprintf(path, sizeof path, "%s/%s", f->path, name) < (int)sizeof path &&
		           unlink(path) != 0 && errno != ENOENT) {
			status = sheaf_fail_sys(err, errno, "%s: expected a file that can be removed", path);
		}
	}
	if (status == SHEAF_OK && errno)
		status = sheaf_fail_sys(err, errno, "%s: expected a folder that can be read", f->path);
	closedir(folder);
	return status;
}

/* Without --output and --to there is no folder (f->format NULL); each of them needs the other. */
sheaf_status batch_folder_open(batch_folder *f, const arguments *args, bool resumed, sheaf_error *err)
{
	const char *name = sheaf_values_text(&args->values, "to");
	*f = (batch_folder){.path = sheaf_values_text(&args->values, "output"), .last = -1};
	if (!f->path && !name) return SHEAF_OK;
	if (!f->path)
		return sheaf_fail_option(err, SHEAF_USAGE, "to",
		                         ": batches become files in a folder; name it with --output");
	if (!name)
		return sheaf_fail_option(err, SHEAF_USAGE, "output",
		                         ": files of batches need a format; name it with --to");
	const sheaf_format *format = sheaf_format_find(name);
	if (!(sheaf_format_about(format).takes & SHEAF_TAKES_SEQUENCES))
		return sheaf_fail_option(
			err, SHEAF_UNSUPPORTED, "to",
			": expected a format that holds sequences (sheaf help FORMAT shows what each keeps), "
			"found %s; write another format, and convert the files",
			name);
	f->format = sheaf_format_about(format).name;
	f->suffix = sheaf_format_about(format).suffixes[0];
	if (mkdir(f->path, 0777) != 0 && errno != EEXIST)
		return sheaf_fail_sys(err, errno, "%s: expected a folder that can be made", f->path);
	return resumed ? SHEAF_OK : look_for_batches(f, sheaf_values_flag(&args->values, "force"), err);
}

/* Writes rows into a file of their own, which appears whole or not at all. */
static sheaf_status write_rows(const char *name, const sheaf_create_options *how, const sheaf_schema *schema,
                               const sheaf_frame *rows, sheaf_context *cx, sheaf_error *err)
{
	sheaf_writer *writer;
	SHEAF_TRY(sheaf_create(name, schema, how, cx, &writer, err));
	sheaf_status status = sheaf_write(writer, rows, err);
	if (status == SHEAF_OK) return sheaf_finish(writer, err);
	sheaf_abandon(writer);
	return status;
}

/* Writes one batch into a file of the folder; an empty batch has none. `own` is the shard of this process,
 * which is in the name if there are several. */
sheaf_status batch_folder_write(batch_folder *f, const sheaf_batches *batches, const sheaf_batch *b,
                                const sheaf_shard_options *own, sheaf_context *cx, sheaf_error *err)
{
	char name[PATH_MAX], shard[64] = "", number[32] = ""; /* of the batch, if others begin at its position */
	sheaf_schema schema;
	sheaf_frame rows;
	sheaf_create_options how = {.size = sizeof how, .format = f->format, .force = true, .allow_large = true};
	if (b->sequences == 0) return SHEAF_OK;
	/* The position is the same in each run, so a batch that comes again after a killed run replaces itself.
	 */
	f->earlier = b->begin == f->last ? f->earlier + 1 : 0;
	f->last = b->begin;
	if (own->world > 1) snprintf(shard, sizeof shard, ".shard%" PRId64, own->rank);
	if (f->earlier) snprintf(number, sizeof number, "-%d", f->earlier);
	if (snprintf(name, sizeof name, "%s/batch-%012" PRId64 "%s%s%s", f->path, b->begin, number, shard,
	             f->suffix) >= PATH_MAX)
		return sheaf_fail_option(err, SHEAF_USAGE, "output", ": expected a shorter path");
	if (!b->packed) return write_rows(name, &how, sheaf_batches_schema(batches), b->frame, cx, err);
	SHEAF_TRY(sheaf_batch_grid(batches, b, &schema, &rows, err));
	sheaf_status status = write_rows(name, &how, &schema, &rows, cx, err);
	sheaf_frame_free(&rows);
	sheaf_schema_free(&schema);
	return status;
}
