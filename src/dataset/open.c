/* SPDX-License-Identifier: MIT */
/* Opening a dataset, with the views over it that give the requested rows.
 *
 * The order matters: the format is recognised from the first bytes, its options are picked from the settings,
 * the source is made seekable or rewindable as the format and the caller need it, the reader opens, with what
 * an index knows, and views change its rows until they are of a kind that the caller takes. */
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "base/status.h"
#include "container/box.h"
#include "dataset/dataset.h"
#include "frame/row_choice.h"
#include "io/source.h"
#include "view/view.h"
#include <stdio.h>
#include <string.h>

/* Closes a dataset and everything that was opened for it. Threads end first: one may still write an index
 * with this schema. A source that the caller wants back (`kept`) goes back rewound, so that what was read of
 * a container stays with it; one that cannot be rewound is closed. */
void sheaf_close(sheaf_dataset *dataset)
{
	if (!dataset) return;
	if (dataset->leave) dataset->leave(dataset, false);
	sheaf_survey_end(&dataset->indexed);
	sheaf_decoding_close(&dataset->decoding);
	sheaf_index_wait(&dataset->indexed);
	sheaf_index_free(&dataset->indexed);
	sheaf_reader_close(dataset->format, dataset->in);
	sheaf_pieces_free(dataset->surveyed);
	sheaf_piece_reset(&dataset->piece);
	sheaf_settings_release(dataset->cx, &dataset->values, dataset->nsettings);
	bool keeps = dataset->kept && dataset->source;
	sheaf_status rewound = keeps ? sheaf_source_rewind(dataset->source, NULL) : SHEAF_USAGE;
	if (sheaf_put_off(rewound, "the next one opens the file"))
		sheaf_source_close(dataset->source);
	else
		*dataset->kept = dataset->source;
	if (dataset->leave) dataset->leave(dataset, true);
	sheaf_release(dataset->cx, dataset, sizeof *dataset);
}

/* Finds the format of a source: the one in the options, or the one that its content and its name show. */
static sheaf_status recognise(sheaf_source *source, const sheaf_open_options *options,
                              const sheaf_format **out, sheaf_error *err)
{
	const sheaf_values settings = {options->settings, options->nsettings};
	return sheaf_recognise(source, options->format, &settings, out, err);
}

/* Warns that a text's encoding was guessed. A source is recognised before it is opened, and reports nothing
 * then. */
static sheaf_status report_guess(const sheaf_dataset *d, sheaf_error *err)
{
	char consequence[160];
	if (!d->source->is_guessed) return SHEAF_OK;
	snprintf(consequence, sizeof consequence,
	         "read as %s, from its letters (" SHEAF_OPTION(SHEAF_ENCODING) " names another encoding)",
	         sheaf_source_encoding(d->source));
	sheaf_problem problem = sheaf_problem_in(
		sheaf_source_name(d->source),
		&SHEAF_FINDING(SHEAF_WARNING, "encoding guessed", "text in UTF-8", "other bytes", consequence));
	return sheaf_report(d->cx, &problem, err);
}

/* ---- selections ---- */

bool sheaf_selects_rows_alone(const sheaf_selection *s)
{
	return !s->streams && !s->columns && !s->transpose;
}

/* A list with types declares columns, for a format that takes declared columns. */
static bool declares_columns(const sheaf_selection *selection)
{
	return selection->columns && strchr(selection->columns, ':');
}

/* Whether the option of a shape is for the format itself, as the extents of its rows, rather than for the
 * coordinates in a table. */
static bool declares_shape(const sheaf_dataset *d, const sheaf_open_options *options)
{
	const sheaf_tensor_options *tensor = options->tensor;
	return tensor->shape && !tensor->coordinates && sheaf_option_find(d->format->options, "shape");
}

/* Adds a value to the settings that the format gets, as if the caller had given it as a setting. Fails if
 * the format has no such option. */
static sheaf_status declare(sheaf_dataset *d, const char *name, const char *value, sheaf_error *err)
{
	void *settings = (void *)(uintptr_t)d->values.settings;
	size_t old_size = (size_t)d->nsettings * sizeof(sheaf_setting);
	const sheaf_option *option = sheaf_option_find(d->format->options, name);
	if (!option)
		return sheaf_fail_option(err, SHEAF_USAGE, name,
		                         ": expected names of columns, since those of format %s are not declared, "
		                         "found \"%s\"",
		                         d->format->name, value);
	SHEAF_TRY(sheaf_option_check(option, value, &d->values, err));
	SHEAF_TRY(sheaf_reallocate(d->cx, &settings, old_size, old_size + sizeof(sheaf_setting), err));
	d->nsettings++;
	d->values.settings = (const sheaf_setting *)settings;
	((sheaf_setting *)settings)[d->values.count++] = (sheaf_setting){option->name, value};
	return SHEAF_OK;
}

/* Puts views on the dataset until its rows are the requested ones. What a setting has declared to the
 * format is not selected once more. */
static sheaf_status select_rows(sheaf_dataset *d, const sheaf_open_options *options,
                                const sheaf_padding *padding, sheaf_error *err)
{
	int64_t row = 0;
	sheaf_row_choice choice;
	sheaf_open_options given = *options;
	sheaf_tensor_options tensor = *options->tensor;
	given.tensor = &tensor;
	if (declares_columns(&given.select)) given.select.columns = NULL;
	if (declares_shape(d, options)) tensor.shape = NULL;
	SHEAF_TRY(sheaf_choice_read(&given.select, &choice, err));
	/* Rows before the first requested one need not be read, if rows are counted once. */
	if (choice.from > 0 && choice.count < 0 && d->in->schema.rows != SHEAF_ENTRIES) {
		SHEAF_TRY(sheaf_skip(d, choice.from, err));
		row = d->next_row;
		d->next_row = 0;
	}
	return sheaf_view_rows(&d->input, &given, padding, row, err);
}

/* ---- opening ---- */

/* Opens and reads a file of lengths for a view. The file that has them is not one to look for lengths of
 * its own. */
static sheaf_status open_lengths(const char *file, int64_t rows, sheaf_context *cx, sheaf_buffer *out,
                                 sheaf_error *err)
{
	sheaf_dataset *lengths;
	const sheaf_open_options how = {.rows = SHEAF_TAKES_ENTRIES | SHEAF_TAKES_CELLS,
	                                .sequences = &(sheaf_sequence_options){.lengths = "none"},
	                                .index = SHEAF_INDEX_NEVER};
	SHEAF_TRY(sheaf_open(file, &how, cx, &lengths, err));
	sheaf_status status = sheaf_read_lengths(lengths, file, rows, out, err);
	sheaf_close(lengths);
	return status;
}

/* Shows an item that is a dataset by its path. */
typedef struct dataset_search {
	sheaf_member_teller show;
	void *user;
} dataset_search;

static sheaf_status show_dataset(void *user, sheaf_box *box, const sheaf_box_item *item, sheaf_error *err)
{
	const dataset_search *s = (const dataset_search *)user;
	(void)box;
	return item->dataset ? s->show(s->user, *item->path ? item->path : "/", err) : SHEAF_OK;
}

sheaf_status sheaf_each_dataset(const sheaf_format *format, sheaf_source *source, sheaf_member_teller show,
                                void *user, sheaf_error *err)
{
	dataset_search search = {show, user};
	if (!(format->can & SHEAF_CAN_CONTAIN)) return SHEAF_OK;
	return format->model->list(NULL, source, &(sheaf_item_teller){show_dataset, &search, true}, err);
}

sheaf_status sheaf_count_member(void *count, const char *path, sheaf_error *err)
{
	(void)path, (void)err;
	++*(int64_t *)count;
	return SHEAF_OK;
}

/* Counts the datasets of a container, for a caller that wants to know whether there is more than one: END,
 * without opening any, if there is. */
static sheaf_status count_members(const sheaf_dataset *d, int64_t *count, sheaf_error *err)
{
	int64_t found = 0;
	if (!(d->format->can & SHEAF_CAN_CONTAIN)) return SHEAF_OK;
	if (d->format->needs_seek) SHEAF_TRY(sheaf_source_make_seekable(d->source, err));
	SHEAF_TRY(sheaf_each_dataset(d->format, d->source, sheaf_count_member, &found, err));
	*count = found;
	return found > 1 ? SHEAF_END : SHEAF_OK;
}

/* A search for the dataset that was probably meant by a name that no dataset has. */
typedef struct member_search {
	const char *wanted;
	char near[64], other[64]; /* the nearest so far, and the next one */
} member_search;

/* Gives the names between which the nearest one is chosen: the nearest so far, if there is one, and the
 * next; NULL after the last. */
static const char *near_or_other(const void *user, int i)
{
	const member_search *s = (const member_search *)user;
	const char *first = s->near[0] ? s->near : s->other;
	return i == 0 ? first : i == 1 && s->near[0] ? s->other : NULL;
}

/* Keeps the name of a dataset in the search if it is nearer to the wanted one than those before. A path's
 * ending need not be given, so it is not compared where the wanted name has none. Names too long for the
 * search are passed over. */
static sheaf_status compare_member(void *user, const char *path, sheaf_error *err)
{
	(void)err;
	member_search *s = (member_search *)user;
	size_t n = strlen(path);
	const char *dot = strchr(s->wanted, '.') ? NULL : strrchr(path, '.');
	if (dot && !strchr(dot, '/')) n = (size_t)(dot - path);
	if (n >= sizeof s->other) return SHEAF_OK;
	memcpy(s->other, path, n);
	s->other[n] = '\0';
	const char *near = sheaf_nearest_word(s->wanted, near_or_other, s);
	if (near == s->other) memcpy(s->near, s->other, sizeof s->near);
	return SHEAF_OK;
}

/* Opens the reader, whose rows are as near to the requested ones as the format has them. If the format has
 * not found the dataset of the wanted name, but can say which there are, the name is wrong, and not the file:
 * USAGE instead of UNKNOWN, with the nearest name. */
static sheaf_status open_reader(sheaf_dataset *d, const sheaf_open_options *options,
                                const sheaf_padding *padding, sheaf_error *err)
{
	const sheaf_selection *select = &options->select;
	sheaf_opening how = {.glance = options->glance,
	                     .pipe = options->access >= SHEAF_PIPED,
	                     .loop = options->access == SHEAF_PIPED,
	                     .view = options->view,
	                     .rows = padding->file ? SHEAF_TAKES_ENTRIES : options->rows,
	                     .member = options->container->member};
	/* Without all rows, nobody would notice that the rest is not as the first part. */
	if (how.glance == SHEAF_GLANCE_SPECULATIVE && select->rows) how.glance = SHEAF_GLANCE_NOT;
	/* A row in its format's spelling has all columns. */
	if (select->streams || (select->columns && !declares_columns(select))) how.view = SHEAF_VIEW_STREAMS;
	/* A tensor whose coordinates are asked for is given with these, also where it could be a table of its
	 * values alone. */
	if (how.rows && options->tensor->coordinates) how.rows |= SHEAF_TAKES_ENTRIES;
	sheaf_status status = sheaf_index_open_input(&d->indexed, &how, err);
	if (status != SHEAF_UNKNOWN || !how.member || !(d->format->can & SHEAF_CAN_CONTAIN)) return status;
	member_search search = {.wanted = how.member + strspn(how.member, "/")};
	sheaf_error none;
	sheaf_status listed = sheaf_each_dataset(d->format, d->source, compare_member, &search, &none);
	if (listed && !sheaf_is_flaw(listed)) return sheaf_fail_again(err, &none);
	if (listed) return SHEAF_UNKNOWN;
	if (err) err->status = SHEAF_USAGE;
	sheaf_error_append_near(err, search.near[0] ? search.near : NULL);
	return SHEAF_USAGE;
}

/* Opens everything of a dataset, in the order that the head of this file explains: format, settings, index,
 * source, reader, views. A dataset with views has no index, since its rows are not those of the format. END
 * if the caller wants only one dataset and there are several (count_members). */
static sheaf_status prepare(sheaf_dataset *d, const sheaf_open_options *options, bool rewindable,
                            sheaf_error *err)
{
	const sheaf_container_options *container = options->container;
	SHEAF_TRY(recognise(d->source, options, &d->format, err));
	SHEAF_TRY(report_guess(d, err));
	if (!d->format->open)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "format %s: expected one that can be read, found one that cannot", d->format->name);
	if (container->member && !(d->format->can & SHEAF_CAN_CONTAIN) && strcmp(container->member, "/") != 0)
		return sheaf_fail_option(err, SHEAF_USAGE, "dataset",
		                         ": expected a file that may have several datasets, found format %s",
		                         d->format->name);
	if (container->members && !container->member) SHEAF_TRY(count_members(d, container->members, err));
	const sheaf_given_settings settings = {options->settings, options->nsettings, options->used};
	SHEAF_TRY(sheaf_settings_pick(d->format, SHEAF_READING, &settings, d->cx, &d->values, err));
	if (declares_columns(&options->select)) SHEAF_TRY(declare(d, "columns", options->select.columns, err));
	if (declares_shape(d, options)) SHEAF_TRY(declare(d, "shape", options->tensor->shape, err));
	SHEAF_TRY(sheaf_index_find(&d->indexed, options->index, err));
	if (d->format->needs_seek || options->access == SHEAF_RANDOM)
		SHEAF_TRY(sheaf_source_make_seekable(d->source, err));
	d->native = d->format;
	if (rewindable || sheaf_view_may_survey(options)) SHEAF_TRY(sheaf_source_make_rewindable(d->source, err));
	if (options->access >= SHEAF_PIPED && !(d->format->can & SHEAF_CAN_PIPE))
		return sheaf_fail(
			err, SHEAF_UNSUPPORTED,
			"format %s: expected one whose rows can be read as they arrive, found one whose rows cannot",
			d->format->name);
	char beside[SHEAF_LENGTHS_PATH];
	sheaf_padding padding = sheaf_find_lengths(d->source, options, beside);
	padding.read = open_lengths;

	SHEAF_TRY(open_reader(d, options, &padding, err));
	d->stored = d->in->schema.rows;
	SHEAF_TRY(select_rows(d, options, &padding, err));
	if (!d->view) return SHEAF_OK;
	sheaf_index_pass_over(&d->indexed);
	sheaf_index_disown(&d->indexed);
	return SHEAF_OK;
}

/* Opens a dataset of a source, which it takes over: on failure the source is closed. OK without a dataset
 * (*out NULL) if the caller asked for the number of members and there are several. */
sheaf_status sheaf_open_with(sheaf_source *source, const sheaf_open_options *options, bool rewindable,
                             sheaf_context *cx, sheaf_dataset **out, sheaf_error *err)
{
	sheaf_dataset *d;
	*out = NULL;
	sheaf_status status = sheaf_allocate(cx, sizeof *d, &d, err);
	if (status) {
		sheaf_source_close(source);
		return status;
	}
	*d = (sheaf_dataset){.cx = cx,
	                     .source = source,
	                     .nsettings = options->nsettings,
	                     .glance = options->glance == SHEAF_GLANCE_SHOWING,
	                     .kept = options->container->kept};
	d->table_bytes = options->piece_bytes;
	d->piece_bytes = options->piece_bytes > 0 ? options->piece_bytes : sheaf_usual_piece(cx);
	status = prepare(d, options, rewindable, err);
	if (!status)
		*out = d;
	else
		sheaf_close(d);
	return status == SHEAF_END && options->container->members ? SHEAF_OK : status;
}

/* Copies the caller's options and checks them. Structs that are missing are those of the defaults, so that
 * nobody has to test for NULL afterwards. */
sheaf_status sheaf_take_open_options(const char *function, const sheaf_open_options *given,
                                     sheaf_open_options *out, sheaf_error *err)
{
	static const sheaf_container_options no_container = {0};
	static const sheaf_tensor_options no_tensor = {0};
	static const sheaf_sequence_options no_sequences = {0};
	sheaf_open_options o = {0};
	if (given) SHEAF_TRY(sheaf_check_size("open options", given->size, sizeof o, err));
	if (given) o = *given;
	if (!o.container) o.container = &no_container;
	if (!o.tensor) o.tensor = &no_tensor;
	if (!o.sequences) o.sequences = &no_sequences;
	SHEAF_TRY(sheaf_check_size("container options", o.container->size, sizeof *o.container, err));
	SHEAF_TRY(sheaf_check_size("tensor options", o.tensor->size, sizeof *o.tensor, err));
	SHEAF_TRY(sheaf_check_size("sequence options", o.sequences->size, sizeof *o.sequences, err));
	SHEAF_TRY(sheaf_check_settings(function, o.settings, o.nsettings, err));
	const struct {
		int64_t value, most;
		const char *what;
	} numbers[] = {
		{o.piece_bytes, INT64_MAX, "piece_bytes of at least 0"},
		{(int)o.glance, SHEAF_GLANCE_SPECULATIVE, "a word for a glance"},
		{(int)o.view, SHEAF_VIEW_JSON, "a view"},
		{(int)o.access, SHEAF_PIPED_ONCE, "a word for an access"},
		{(int)o.index, SHEAF_INDEX_WRITE, "a policy for indices"},
		{(int)o.tensor->entries, SHEAF_ENTRIES_CONTENT, "a word for entries"},
	};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (numbers[i].value < 0 || numbers[i].value > numbers[i].most)
			return sheaf_out_of_range(function, numbers[i].what, numbers[i].value, err);
	*out = o;
	return SHEAF_OK;
}

/* Opens a dataset of a source for a public caller. The source is taken over also where the call fails. */
sheaf_status sheaf_open_source(sheaf_source *source, const sheaf_open_options *options, sheaf_context *cx,
                               sheaf_dataset **out, sheaf_error *err)
{
	sheaf_open_options taken;
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(source, "a source");
	sheaf_status status = cx ? sheaf_take_open_options(__func__, options, &taken, err)
	                         : sheaf_not_given(__func__, "a context", err);
	if (!status) return sheaf_open_with(source, &taken, false, cx, out, err);
	sheaf_source_close(source);
	return status;
}

/* Opens the dataset at a path, or the one of a source that an earlier dataset of the same container has
 * left (`kept`). */
sheaf_status sheaf_open(const char *path, const sheaf_open_options *options, sheaf_context *cx,
                        sheaf_dataset **out, sheaf_error *err)
{
	sheaf_open_options taken;
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(path, "a path");
	SHEAF_NEED(cx, "a context");
	SHEAF_TRY(sheaf_take_open_options(__func__, options, &taken, err));
	sheaf_source **kept = taken.container->kept, *source = kept ? *kept : NULL;
	if (source)
		*kept = NULL;
	else
		SHEAF_TRY(sheaf_source_named(path, cx, &source, err));
	return sheaf_open_with(source, &taken, false, cx, out, err);
}

/* Opens the source of a container, before anything in it is opened, and finds its format. On failure the
 * source is closed. */
static sheaf_status open_container(const char *path, const sheaf_open_options *options, sheaf_context *cx,
                                   sheaf_source **source, const sheaf_format **format, sheaf_error *err)
{
	SHEAF_TRY(sheaf_source_named(path, cx, source, err));
	sheaf_status status = recognise(*source, options, format, err);
	if (status == SHEAF_OK && ((*format)->can & SHEAF_CAN_CONTAIN) && (*format)->needs_seek)
		status = sheaf_source_make_seekable(*source, err);
	if (status) sheaf_source_close(*source);
	return status;
}

/* Tells the caller of each dataset in a container, by its path; of none if the format is no container. */
sheaf_status sheaf_members(const char *path, const sheaf_open_options *options, sheaf_context *cx,
                           sheaf_member_teller show, void *user, sheaf_error *err)
{
	SHEAF_NEED(path, "a path");
	SHEAF_NEED(cx, "a context");
	SHEAF_NEED(show, "a function");
	sheaf_open_options taken;
	sheaf_source *source;
	const sheaf_format *format;
	SHEAF_TRY(sheaf_take_open_options(__func__, options, &taken, err));
	SHEAF_TRY(open_container(path, &taken, cx, &source, &format, err));
	sheaf_status status = sheaf_each_dataset(format, source, show, user, err);
	sheaf_source_close(source);
	return status;
}

/* Whether a format is sure of a file by its first bytes, whatever its name. */
static sheaf_status says_what_it_is(const char *path, sheaf_context *cx, bool *is_sure, sheaf_error *err)
{
	enum { LOOK = 4096 };
	sheaf_source *source;
	sheaf_bytes head;
	const sheaf_format *format;
	*is_sure = false;
	SHEAF_TRY(sheaf_source_named(path, cx, &source, err));
	sheaf_status status = sheaf_source_ahead(source, LOOK, &head, err);
	for (int i = 0; status == SHEAF_OK && (format = sheaf_format_at(i)); i++)
		*is_sure |= head.size > 0 && format->probe(&(sheaf_glimpse){head, "", NULL, {0}}) == SHEAF_SURE;
	sheaf_source_close(source);
	return status;
}

/* Tells the caller which formats a file may have, with what settings. A file that says what it is needs no
 * guesses. Each format whose model can guess looks at the file by itself, from its beginning. */
sheaf_status sheaf_guess(const char *path, const char *format, sheaf_context *cx,
                         sheaf_candidate_teller teller, void *user, sheaf_error *err)
{
	const sheaf_format *one;
	bool says = false;
	SHEAF_NEED(path, "a path");
	SHEAF_NEED(cx, "a context");
	SHEAF_NEED(teller, "a function");
	if (format && !sheaf_format_find(format)) return sheaf_refuse_format("from", format, err);
	if (!format) SHEAF_TRY(says_what_it_is(path, cx, &says, err));
	for (int i = 0; !says && (one = sheaf_format_at(i)); i++) {
		sheaf_source *source;
		bool is_asked = !format || one == sheaf_format_find(format);
		if (!is_asked || !one->model || !one->model->guess) continue;
		SHEAF_TRY(sheaf_source_named(path, cx, &source, err));
		sheaf_status status = sheaf_source_make_seekable(source, err);
		if (status == SHEAF_OK) status = one->model->guess(source, cx, teller, user, err);
		sheaf_source_close(source);
		SHEAF_TRY(status);
	}
	return SHEAF_OK;
}

/* Lists all that is in a source, which is closed in any case; an empty buffer if its format has no list. */
sheaf_status sheaf_tree(sheaf_source *source, const sheaf_tree_options *options, sheaf_context *cx,
                        sheaf_buffer *out, sheaf_error *err)
{
	const sheaf_format *format;
	sheaf_tree_options o;
	SHEAF_NEED(out, "a place for the outcome");
	sheaf_buffer_reset(out);
	SHEAF_NEED(source, "a source");
	sheaf_status status = cx ? sheaf_take_tree_options(__func__, options, &o, err)
	                         : sheaf_not_given(__func__, "a context", err);
	if (!status) status = sheaf_recognise(source, o.format, &(sheaf_values){0}, &format, err);
	if (!status && format->needs_seek) status = sheaf_source_make_seekable(source, err);
	sheaf_builder b = {.cx = cx};
	if (!status) status = sheaf_put_tree(format, NULL, source, &o, &b, err);
	sheaf_source_close(source);
	if (status == SHEAF_OK) return sheaf_builder_finish(&b, out, err);
	sheaf_builder_drop(&b);
	return status;
}
