/* SPDX-License-Identifier: MIT */
/* The formats of this build, which one a file has, and which settings belong to which. */
#include "base/context.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/spell.h"
#include "base/suffix.h"
#include "dataset/input/input.h"
#include "io/descriptor.h"
#include "io/filters/charset.h"
#include "io/filters/filter.h"
#include "io/source.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const sheaf_format *sheaf_format_at(int i)
{
	for (int k = 0; sheaf_formats[k]; k++)
		if (k == i) return sheaf_formats[k];
	return NULL;
}

/* Finds a format by its name, or by a suffix, with or without the dot, that belongs to exactly one format;
 * NULL otherwise. */
const sheaf_format *sheaf_format_find(const char *name)
{
	const sheaf_format *found = NULL;
	if (!name) return NULL;
	for (int k = 0; sheaf_formats[k]; k++)
		if (strcmp(sheaf_formats[k]->name, name) == 0) return sheaf_formats[k];
	for (int k = 0; sheaf_formats[k]; k++)
		for (const char *const *suffix = sheaf_formats[k]->suffixes; *suffix; suffix++) {
			if (strcasecmp(*suffix + 1, name[0] == '.' ? name + 1 : name) != 0) continue;
			if (found) return NULL;
			found = sheaf_formats[k];
		}
	return found;
}

/* Word number i of those that name formats: names, each before its suffixes without the dot; NULL after the
 * last. */
static const char *word_at(const void *user, int i)
{
	(void)user;
	for (int k = 0; sheaf_formats[k]; k++) {
		if (i-- == 0) return sheaf_formats[k]->name;
		for (const char *const *suffix = sheaf_formats[k]->suffixes; *suffix; suffix++)
			if (i-- == 0) return *suffix + 1;
	}
	return NULL;
}

const sheaf_format *sheaf_format_nearest(const char *name)
{
	return name ? sheaf_format_find(sheaf_nearest_word(name, word_at, NULL)) : NULL;
}

/* The length of the path without a suffix that only shows its compression. */
static size_t bare_length(const char *path)
{
	size_t n = strlen(path);
	const sheaf_filter *filter = sheaf_filter_by_suffix(path);
	return filter ? sheaf_without_suffix(path, n, filter->suffix) : n;
}

/* Opens a path. If there is no such file, a format may allow that the suffix of a compression was omitted:
 * then the path with each such suffix is tried. The failure is the one of the path as it was given, unless a
 * file that was found cannot be opened. */
sheaf_status sheaf_source_named(const char *path, sheaf_context *cx, sheaf_source **out, sheaf_error *err)
{
	sheaf_error missing, other;
	char packed[4096];
	sheaf_status status = sheaf_source_path(path, cx, out, &missing);
	const sheaf_format *format = sheaf_format_of_name(path);
	bool may_be_packed =
		status == SHEAF_IO && missing.sys == ENOENT && format && format->may_omit_compression_suffix;
	for (int i = 0; may_be_packed && sheaf_filter_at(i); i++) {
		int n = snprintf(packed, sizeof packed, "%s%s", path, sheaf_filter_at(i)->suffix);
		if (n <= 0 || (size_t)n >= sizeof packed) continue;
		sheaf_status found = sheaf_source_path(packed, cx, out, &other);
		if (!found) return SHEAF_OK;
		if (found != SHEAF_IO || other.sys != ENOENT) return sheaf_fail_again(err, &other);
	}
	if (status && err) *err = missing;
	return status;
}

/* Whether the first n bytes of the path end with a suffix of the format. */
static bool has_suffix(const sheaf_format *format, const char *path, size_t n)
{
	for (const char *const *suffix = format->suffixes; *suffix; suffix++)
		if (sheaf_without_suffix(path, n, *suffix) < n) return true;
	return false;
}

/* The length of the path without the number of a part at its end, ".12", and then without a compression's
 * suffix. */
static size_t plain_length(const char *path)
{
	size_t n = strlen(path), digits = n, bare;
	while (digits > 0 && path[digits - 1] >= '0' && path[digits - 1] <= '9') digits--;
	if (digits < n && digits > 1 && path[digits - 1] == '.') n = digits - 1;
	for (int i = 0; sheaf_filter_at(i); i++) {
		bare = sheaf_without_suffix(path, n, sheaf_filter_at(i)->suffix);
		if (bare < n) return bare;
	}
	return n;
}

/* Writes the suffix of the first n bytes of a path into `text`, with its dot, or "none"; returns `text`. */
static const char *suffix_of(const char *path, size_t n, char *text, size_t size)
{
	size_t dot = n;
	while (dot > 0 && path[dot - 1] != '.' && path[dot - 1] != '/') dot--;
	bool has = dot > 1 && path[dot - 1] == '.' && path[dot - 2] != '/';
	snprintf(text, size, "%.*s", has ? (int)(n - dot + 1) : 4, has ? path + dot - 1 : "none");
	return text;
}

sheaf_status sheaf_check_writable(const sheaf_format *format, sheaf_error *err)
{
	return format->write ? SHEAF_OK
	                     : sheaf_fail(err, SHEAF_UNSUPPORTED,
	                                  "format %s: expected one that can be written, found one that cannot",
	                                  format->name);
}

/* Fails because a path's suffix names no format to write. The message lists the suffixes that do, cut to
 * fit; of a known format that is not written, it says where other programs make it of one that is. */
sheaf_status sheaf_refuse_suffix(const char *path, sheaf_error *err)
{
	char suffixes[400] = "", suffix[64];
	size_t used = 0;
	(void)suffix_of(path, plain_length(path), suffix, sizeof suffix);
	for (int k = 0; sheaf_formats[k]; k++)
		for (const char *const *s = sheaf_formats[k]->suffixes; sheaf_formats[k]->write && *s; s++) {
			size_t left = used < sizeof suffixes ? sizeof suffixes - used : 0;
			int n = left ? snprintf(suffixes + used, left, "%s%s", used ? " " : "", *s) : 0;
			used += n > 0 ? (size_t)n : 0;
		}
	const char *way = strcasecmp(suffix, ".parquet") == 0
	                      ? " (which is not written; pyarrow, Polars and DuckDB make it of .arrow, which is)"
	                      : "";
	return sheaf_fail(err, SHEAF_USAGE,
	                  "%s: expected a suffix that names one format, found %s%s; there are %s; or name the "
	                  "format to write (" SHEAF_OPTION("to") ")",
	                  path, suffix, way, suffixes);
}

/* Finds the format that a path's suffix names. NULL: no format has the suffix, or several have. */
const sheaf_format *sheaf_format_of_name(const char *path)
{
	if (!path) return NULL;
	const sheaf_format *found = NULL;
	size_t n = bare_length(path);
	for (int k = 0; sheaf_formats[k]; k++) {
		if (!has_suffix(sheaf_formats[k], path, n)) continue;
		if (found) return NULL;
		found = sheaf_formats[k];
	}
	return found;
}

/* Writes the names of all formats, "a, b, c", cut to fit, and returns `text`. */
static const char *format_names(char *text, size_t size)
{
	size_t used = 0;
	text[0] = '\0';
	for (int k = 0; sheaf_formats[k] && used < size; k++) {
		int n = snprintf(text + used, size - used, "%s%s", k ? ", " : "", sheaf_formats[k]->name);
		used += n > 0 ? (size_t)n : 0;
	}
	return text;
}

/* Fails because what was found at a place is no format of this build. */
static sheaf_status unknown(const char *place, const char *found, sheaf_error *err)
{
	char names[256];
	return sheaf_fail(err, SHEAF_UNKNOWN, "%s: expected one of the formats %s, found %s", place,
	                  format_names(names, sizeof names), found);
}

/* Fails because an option names no format; the message lists the formats, and names the nearest one. */
sheaf_status sheaf_refuse_format(const char *option, const char *name, sheaf_error *err)
{
	char names[256];
	const sheaf_format *near = sheaf_format_nearest(name);
	sheaf_status status =
		sheaf_fail_option(err, SHEAF_UNKNOWN, option, ": expected one of the formats %s, found %s",
	                      format_names(names, sizeof names), name);
	sheaf_error_append_near(err, near ? near->name : NULL);
	return status;
}

/* Asks all formats about a glimpse of a file: returns the best answer, *rivals is the number of formats
 * that gave it, and *out the last of them. If the content leaves a choice, the name decides: the only one of
 * the possible formats that has its suffix. */
static sheaf_likely judge(sheaf_glimpse *at, int *rivals, const sheaf_format **out)
{
	int best = SHEAF_NO, nby_name = 0;
	const sheaf_format *by_name = NULL;
	*rivals = 0;
	*out = NULL;
	for (int k = 0; sheaf_formats[k]; k++) {
		const sheaf_format *format = sheaf_formats[k];
		int likely = (int)format->probe(at);
		if (likely == SHEAF_NO) continue;
		if (has_suffix(format, at->name, strlen(at->name))) {
			by_name = format;
			nby_name++;
		}
		if (likely < best) continue;
		*rivals = likely == best ? *rivals + 1 : 1;
		best = likely;
		*out = format;
	}
	if (best < SHEAF_SURE && nby_name == 1) {
		*rivals = 1;
		*out = by_name;
	}
	return (sheaf_likely)best;
}

enum { HEAD = 4096 };

/* Asks the formats about the first bytes of a source. It begins with a single byte and goes on only until
 * one is sure enough: no more is read from a pipe than needed, as its writer may be slow. */
static sheaf_status look(sheaf_source *source, sheaf_likely *best, int *rivals, sheaf_bytes *head,
                         const sheaf_format **out, sheaf_error *err)
{
	enum { MOST = 65536 };
	char bare[256];
	const char *file = sheaf_source_name(source);
	size_t n = bare_length(file),
		   skipped = n < sizeof bare ? 0 : n - sizeof bare + 1; /* the end of a long path matters */
	snprintf(bare, sizeof bare, "%.*s", (int)(n - skipped), file + skipped);
	for (size_t want = 1;;) {
		SHEAF_TRY(sheaf_source_ahead(source, want, head, err));
		sheaf_glimpse at = {{head->data, head->size < MOST ? head->size : MOST}, bare, NULL, {0}};
		*best = judge(&at, rivals, out);
		if (*best >= SHEAF_LIKELY || head->size < want || head->size >= HEAD) return SHEAF_OK;
		want = head->size + 1;
	}
}

/* Asks the formats once more, about the whole input, where several were sure of its head. *out is NULL if
 * there is still a choice. */
static sheaf_status look_closer(sheaf_source *source, sheaf_bytes head, const sheaf_format **out,
                                sheaf_error *err)
{
	int rivals;
	uint8_t first[HEAD]; /* the source forgets its own when it is read at other places */
	sheaf_glimpse at = {{first, head.size < HEAD ? head.size : HEAD}, sheaf_source_name(source), source, {0}};
	memcpy(first, head.data, at.head.size);
	SHEAF_TRY(sheaf_source_make_seekable(source, err));
	sheaf_likely best = judge(&at, &rivals, out);
	if (at.failure.status) return sheaf_fail_again(err, &at.failure);
	if (best < SHEAF_SURE || rivals > 1) *out = NULL;
	return SHEAF_OK;
}

/* Finds the format by content and name, or takes the implied one where these leave none or several. The
 * message names a file of a known format that is not read, if its programs can write one that is. */
static sheaf_status recognise(sheaf_source *source, const sheaf_format *implied, const sheaf_format **out,
                              sheaf_error *err)
{
	sheaf_likely best;
	sheaf_bytes head;
	int rivals;
	SHEAF_TRY(look(source, &best, &rivals, &head, out, err));
	if (best == SHEAF_SURE && rivals > 1) {
		SHEAF_TRY(look_closer(source, head, out, err));
		rivals = *out ? 1 : rivals;
	}
	bool is_one = best != SHEAF_NO && rivals == 1;
	if (!is_one) *out = implied;
	if (*out) return SHEAF_OK;
	const char *found = "content of none of them (" SHEAF_OPTION("from") " names one)";
	if (best != SHEAF_NO)
		found = "content of several of them (" SHEAF_OPTION("from") " names one)";
	else if (head.size == 0)
		found = "no bytes at all";
	else if (head.size >= 4 && memcmp(head.data, "PAR1", 4) == 0)
		found = "Parquet, which is not read (pyarrow, Polars and DuckDB write it as Arrow, which is)";
	return unknown(sheaf_source_name(source), found, err);
}

/* ---- encodings ---- */

/* Finds the encoding of a text and opens a recoder for it, unless it is UTF-8: the named one, or what the
 * first characters show, or, of a format whose fields are texts, a guess. It looks at no more than every
 * input has, except for texts, of which all readers look at as much. */
static sheaf_status find_encoding(sheaf_source *source, sheaf_text_kind text, const char *name,
                                  sheaf_recoder *out, sheaf_error *err)
{
	enum { CHARACTERS = 4, FIRST = 512 << 10, SHARE = 8 };
	sheaf_bytes head;
	SHEAF_TRY(sheaf_source_ahead(source, CHARACTERS, &head, err));
	if (name) return sheaf_recoder_open(out, name, head, err);
	const sheaf_charset *shown = sheaf_charset_of_head(head);
	if (!shown && text == SHEAF_TEXT_OF_TEXTS) {
		int64_t share = sheaf_max_memory(source->cx) / SHARE;
		size_t want = share < FIRST ? (size_t)share : FIRST;
		sheaf_status status = sheaf_source_ahead(source, want, &head, err);
		if (head.size == 0) SHEAF_TRY(status);
		SHEAF_TRY(sheaf_forgive(status, "what is wrong with the input is met in its place"));
		if (head.size > want) head.size = want;
		shown = sheaf_charset_guess(head, head.size < want);
		source->is_guessed = shown != NULL;
	}
	if (shown) sheaf_recoder_use(out, shown);
	return SHEAF_OK;
}

/* Finds the format of a source, and the encoding in which it is. Text in another encoding may look like no
 * format, or like another one of text, so a source that gets a recoder is recognised once more. */
sheaf_status sheaf_recognise(sheaf_source *source, const char *name, const sheaf_values *settings,
                             const sheaf_format **out, sheaf_error *err)
{
	const sheaf_format *implied =
		sheaf_settings_owner(settings->settings, settings->count, SHEAF_READING, NULL);
	sheaf_error unknown = {0};
	sheaf_recoder recoder = {0};
	*out = name ? sheaf_format_find(name) : NULL;
	if (name && !*out) return sheaf_refuse_format("from", name, err);
	if (!name) {
		sheaf_status status = recognise(source, implied, out, &unknown);
		if (status && status != SHEAF_UNKNOWN) return sheaf_fail_again(err, &unknown);
	}
	/* Text in another encoding may look like no format, or like another one of text. */
	if ((*out && !(*out)->text) || sheaf_source_encoding(source)) return SHEAF_OK;
	const char *encoding = sheaf_values_text(settings, SHEAF_ENCODING);
	if (encoding && strcmp(encoding, "auto") == 0) encoding = NULL; /* the input shows it */
	SHEAF_TRY(find_encoding(source, *out ? (*out)->text : SHEAF_NO_TEXT, encoding, &recoder, err));
	if (recoder.name[0]) {
		SHEAF_TRY(sheaf_source_decode(source, &recoder, err));
		if (!name) return recognise(source, implied, out, err);
	}
	return *out ? SHEAF_OK : sheaf_fail_again(err, &unknown);
}

/* ---- settings ---- */

enum { OF_OUTPUT = sizeof SHEAF_OF_OUTPUT - 1 };

static bool is_of_output(const char *name) { return strncmp(name, SHEAF_OF_OUTPUT, OF_OUTPUT) == 0; }

/* The option of a format that a setting of this name is for, in this use; NULL: there is none. For writing,
 * a prefix says that a setting is for the output alone. */
static const sheaf_option *option_of(const sheaf_format *format, const char *name, unsigned use)
{
	const sheaf_option *option = format->options;
	if (use == SHEAF_WRITING && is_of_output(name)) name += OF_OUTPUT;
	while (option && option->name && !((option->use & use) && strcmp(option->name, name) == 0)) option++;
	return option && option->name ? option : NULL;
}

/* Finds the format that a setting implies: an option names a format if exactly one has it for such a use;
 * the first setting that does decides, and *name is its name. */
const sheaf_format *sheaf_settings_owner(const sheaf_setting *settings, int n, unsigned use,
                                         const char **name)
{
	for (int i = 0; i < n; i++) {
		const sheaf_format *owner = NULL;
		int owners = 0;
		for (int k = 0; sheaf_formats[k]; k++) {
			if (!option_of(sheaf_formats[k], settings[i].name, use)) continue;
			owner = sheaf_formats[k];
			owners++;
		}
		if (owners == 1 && name) *name = settings[i].name;
		if (owners == 1) return owner;
	}
	return NULL;
}

/* Kinds of files that are none of ours: programs would take what is written for these. */
static const char *const others[] = {
	".parquet",     ".pq",       ".orc", ".avro", ".xlsx",   ".xls", ".ods", ".json",
	".html",        ".htm",      ".xml", ".yaml", ".yml",    ".pdf", ".png", ".svg",
	".zip",         ".tar",      ".7z",  ".pkl",  ".pickle", ".pt",  ".pth", ".onnx",
	".safetensors", ".tfrecord", ".mat", ".loom", ".hdf",    ".he5", ".nc4", ".cdf",
	".rds",         ".rdata",    ".sav", ".dta",  ".db",     ".sql", ".md",  ".sas7bdat",
	".sqlite",      ".duckdb",   NULL};

/* Refuses an output whose suffix belongs to a kind of file that is none of ours, such as .xlsx. */
sheaf_status sheaf_check_suffix(const char *path, sheaf_error *err)
{
	size_t n = plain_length(path);
	for (const char *const *suffix = others; *suffix; suffix++)
		if (sheaf_without_suffix(path, n, *suffix) < n) return sheaf_refuse_suffix(path, err);
	return SHEAF_OK;
}

/* Finds the format of an output whose suffix names none by the settings for it, and warns of that. A suffix
 * of a kind of file that is written by other programs is refused. */
sheaf_status sheaf_imply_output(const char *path, const sheaf_setting *settings, int n, sheaf_context *cx,
                                const sheaf_format **out, sheaf_error *err)
{
	char found[160], suffix[41];
	const char *name = NULL;
	*out = sheaf_settings_owner(settings, n, SHEAF_WRITING, &name);
	if (!*out) return sheaf_refuse_suffix(path, err);
	SHEAF_TRY(sheaf_check_suffix(path, err));
	snprintf(found, sizeof found, "%s; it is written as %s, of which " SHEAF_OPTION("%s") " is an option",
	         suffix_of(path, strlen(path), suffix, sizeof suffix), (*out)->name, name);
	sheaf_problem problem = {.severity = SHEAF_WARNING,
	                         .status = SHEAF_DATA,
	                         .rule = "format implied by an option",
	                         .place = SHEAF_NOWHERE,
	                         .expected = "a suffix that names a format (or " SHEAF_OPTION("to") ")",
	                         .found = found};
	problem.place.file = path;
	return sheaf_report(cx, &problem, err);
}

/* The name of the setting that replaces one for the output, where the input has the option, too; NULL:
 * there is none. */
static const char *replacing(const sheaf_given_settings *given, const char *name)
{
	for (int i = 0; i < given->n; i++) {
		const char *other = given->settings[i].name;
		if (is_of_output(other) && strcmp(other + OF_OUTPUT, name) == 0) return other;
	}
	return NULL;
}

void sheaf_settings_blame(const sheaf_given_settings *given, sheaf_error *err)
{
	const char *name = err && err->option[0] ? replacing(given, err->option) : NULL;
	if (name) sheaf_message_rename(err, name);
}

/* Picks the settings that a format uses for reading or writing, and checks their values. A pick has the
 * name that the format has for the option. A setting for the input alone is no pick for writing where the
 * output has its own. Without given->used, a setting that the format does not use is an error; with it, picks
 * are marked there. */
sheaf_status sheaf_settings_pick(const sheaf_format *format, unsigned use, const sheaf_given_settings *given,
                                 sheaf_context *cx, sheaf_values *out, sheaf_error *err)
{
	sheaf_setting *picks;
	*out = (sheaf_values){NULL, 0};
	SHEAF_TRY(sheaf_allocate_array(cx, (uint64_t)given->n, sizeof *picks, &picks, err));
	out->settings = picks;
	for (int i = 0; i < given->n; i++) {
		const sheaf_setting *setting = &given->settings[i];
		const sheaf_option *option = option_of(format, setting->name, use);
		if (use == SHEAF_WRITING && replacing(given, setting->name)) option = NULL;
		sheaf_status status = SHEAF_OK;
		if (option)
			status = sheaf_option_check(option, setting->value, out, err);
		else if (!given->used)
			status = sheaf_fail_option(
				err, SHEAF_USAGE, setting->name,
				": expected an option that format %s uses for %s, found one that it does not use",
				format->name, use == SHEAF_READING ? "reading" : "writing");
		if (status) {
			sheaf_settings_release(cx, out, given->n);
			return status;
		}
		if (option) picks[out->count++] = (sheaf_setting){option->name, setting->value};
		if (option && given->used) given->used[i] = true;
	}
	return SHEAF_OK;
}

bool sheaf_settings_update(const sheaf_format *format, const sheaf_setting *settings, int n)
{
	for (int i = 0; format && i < n; i++) {
		const sheaf_option *option = option_of(format, settings[i].name, SHEAF_WRITING);
		if (option && (option->use & SHEAF_UPDATING)) return true;
	}
	return false;
}

void sheaf_settings_release(sheaf_context *cx, sheaf_values *values, int n)
{
	sheaf_release(cx, (void *)values->settings, (size_t)n * sizeof *values->settings);
	*values = (sheaf_values){NULL, 0};
}
