/* SPDX-License-Identifier: MIT */
/* What comes of a file in minibatches, in parts, with an index, split, compared and converted with options;
 * of parts and indexes in which a byte was changed and all hashes were made right; and of configurations. */
#include "outcome.h"
#include "seal.h"
#include <sheaf/batch.h>
#include <sheaf/config.h>
#include <sheaf/index.h>
#include <sheaf/split.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BATCHES = 40, DAMAGES = 24, DAMAGED_ONE_IN = 4, PARTS = 3 };

/* The name of an output of the job's own format. */
static void name_output(const job *j, const char *what, char name[64])
{
	const sheaf_format *format = sheaf_format_find(j->format);
	snprintf(name, 64, "%s%s", what, format ? sheaf_format_about(format).suffixes[0] : "");
}

static void put_file(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "wb");
	if (!f) return;
	fwrite(data, 1, size, f);
	fclose(f);
}

/* ---- minibatches ---- */

static const sheaf_batch_options batch_options[] = {
	{.batch_size = 3, .order = "file"},
	{.batch_size = 5,
	 .order = "cntk",
	 .seed = 3,
	 .stop_at_sweep_end = true,
	 .epochs = &(const sheaf_epoch_options){.epochs = 2}},
	{.batch_size = 2, .unit = SHEAF_SIZE_SEQUENCES, .rest = SHEAF_REST_PAD, .bucket = true},
	{.batch_size = 6,
	 .unit = SHEAF_SIZE_TOKENS,
	 .packing = &(const sheaf_packing_options){.packing = SHEAF_PACK_PADDED, .pad_multiple = 4}},
	{.batch_size = 4,
	 .order = "cntk",
	 .packing = &(const sheaf_packing_options){.packing = SHEAF_PACK_TRUNCATED, .truncation = 2}},
	{.batch_size = 4,
	 .rest = SHEAF_REST_WRAP,
	 .packing = &(const sheaf_packing_options){.packing = SHEAF_PACK_SEQUENCES},
	 .epochs = &(const sheaf_epoch_options){.epoch_size = 7, .epochs = 2}},
	{.batch_size = 2,
	 .rest = SHEAF_REST_DROP,
	 .stop_at_sweep_end = true,
	 .packing = &(const sheaf_packing_options){.packing = SHEAF_PACK_FRAMES}},
	{.batch_size = 4,
	 .order = "cntk",
	 .shard = &(const sheaf_shard_options){.world = 2, .rank = 1, .global_timeline = true},
	 .window = &(const sheaf_window_options){.length = 2}},
	{.batch_size = 3,
	 .order = "random",
	 .seed = 9,
	 .epochs = &(const sheaf_epoch_options){.sweeps = 2, .first_epoch = 1}},
	{.batch_size = 4,
	 .order = "sheaf",
	 .shard = &(const sheaf_shard_options){.world = 3, .rank = 1, .stride = 2},
	 .window = &(const sheaf_window_options){.length = 6, .in_samples = true}},
	{.batch_size = 3, .join = true, .order = "cntk"},
	{.batch_size = 3, .weights = (const int64_t[]){2, 1}},
};

static sheaf_status mix_batch(sheaf_batches *batches, const sheaf_batch *b, outcome *o)
{
	sheaf_buffer text = {0};
	const int64_t numbers[] = {b->number,     b->begin,     b->end,     b->sweep,   b->sweep_end,
	                           b->epoch_end, b->sequences, b->samples, b->repeated};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) mix_number(o, numbers[i]);
	for (int64_t i = 0; i < b->sequences; i++)
		mix_number(o, (int64_t)b->keys[i]), mix_number(o, b->lengths[i]);
	sheaf_status status = sheaf_batch_text(batches, b, &text, &o->error);
	mix(o, text.data, text.size);
	sheaf_buffer_reset(&text);
	o->rows += b->sequences;
	return status;
}

/* Batches to their end, and once more from where the second one began. */
static sheaf_status take_batches(sheaf_batches *batches, outcome *o)
{
	const sheaf_batch *b;
	char state[SHEAF_STATE_SIZE] = "";
	sheaf_status status = SHEAF_OK;
	for (int i = 0; i < MOST_BATCHES && !status; i++) {
		status = sheaf_batches_next(batches, &b, &o->error);
		if (!status) status = mix_batch(batches, b, o);
		if (i == 0) sheaf_batches_state(batches, state);
	}
	if (status == SHEAF_END) status = SHEAF_OK;
	mix_text(o, state);
	if (!status) status = sheaf_batches_resume(batches, state, &o->error);
	if (!status) status = sheaf_batches_next(batches, &b, &o->error);
	if (!status) status = mix_batch(batches, b, o);
	return status == SHEAF_END ? SHEAF_OK : status;
}

static void try_batches(const job *j, int number, outcome *o)
{
	sheaf_batch_options options = batch_options[number];
	sheaf_dataset *datasets[2] = {NULL, NULL};
	sheaf_batches *batches = NULL;
	sheaf_context *cx = begin_outcome(j, (sheaf_context_options){0}, o);
	sheaf_open_options open =
		open_options(j, (sheaf_open_options){.access = SHEAF_RANDOM, .piece_bytes = 40});
	int n = options.join || options.weights ? 2 : 1;
	options.size = sizeof options;
	sheaf_window_options window = options.window ? *options.window : (sheaf_window_options){0};
	window.chunk_bytes = 40;
	options.window = &window;
	open.rows = SHEAF_TAKES_SEQUENCES;
	open.index = SHEAF_INDEX_NEVER;
	for (int i = 0; i < n && !o->status; i++)
		o->status = sheaf_open(j->path, &open, cx, &datasets[i], &o->error);
	if (!o->status) o->status = sheaf_batches_open(datasets, n, &options, cx, &batches, &o->error);
	if (!o->status) o->status = take_batches(batches, o);
	sheaf_batches_close(batches);
	for (int i = 0; i < n; i++) sheaf_close(datasets[i]);
	end_outcome(o, cx);
}

/* ---- parts ---- */

static sheaf_status make_parts(const job *j, const char *output, sheaf_context *cx, outcome *o)
{
	char part[16], name[80];
	sheaf_open_options open =
		open_options(j, (sheaf_open_options){.index = SHEAF_INDEX_NEVER, .piece_bytes = 40});
	for (int i = 1; i <= PARTS; i++) {
		snprintf(part, sizeof part, "%d/%d", i, PARTS);
		snprintf(name, sizeof name, "%d.%s", i, output);
		sheaf_part_options one = {.part = part};
		sheaf_convert_options options = {.size = sizeof options, .open = &open, .force = true, .part = &one};
		const char *input = j->path;
		SHEAF_TRY(sheaf_convert(&input, 1, name, &options, cx, &o->error));
	}
	return SHEAF_OK;
}

static sheaf_status merge_parts(const char *output, sheaf_context *cx, outcome *o)
{
	char names[PARTS][80];
	const char *inputs[PARTS];
	sheaf_split_options options = {.size = sizeof options, .force = true};
	for (int i = 0; i < PARTS; i++) {
		snprintf(names[i], sizeof names[i], "%d.%s", PARTS - i, output);
		inputs[i] = names[i];
	}
	return sheaf_merge(inputs, PARTS, output, &options, cx, NULL, &o->error);
}

/* Whether a file's part and index are damaged: that takes time. */
static bool is_chosen(const job *j)
{
	unsigned sum = 0;
	for (const char *c = j->name; *c; c++) sum = sum * 31 + (unsigned char)*c;
	return sum / 16 % DAMAGED_ONE_IN == 0;
}

/* One byte is another one, or a number. */
static void damage(const job *j, uint8_t *data, size_t size, int k)
{
	static const uint8_t values[] = {0, 1, 0x7f, 0xff};
	outcome at = {.sum = (uint64_t)k};
	mix_text(&at, j->name);
	mix_number(&at, k);
	size_t place = size ? at.sum % size : 0;
	if (k % 3 && size - place >= 8)
		change_number(data + place / 4 * 4, at.sum >> 32);
	else if (size)
		data[place] = k % 2 ? (uint8_t)(data[place] + 1) : values[k / 6 % 4];
}

static void merge_damaged(const job *j, const char *output, outcome *o)
{
	static uint8_t part[ROOM], copy[ROOM];
	char name[80];
	snprintf(name, sizeof name, "2.%s", output);
	size_t size = get_file(name, part, sizeof part);
	for (int k = 0; k < DAMAGES && size; k++) {
		outcome one;
		sheaf_context *cx = begin_outcome(j, (sheaf_context_options){0}, &one);
		memcpy(copy, part, size);
		damage(j, copy, size, k);
		if (k % 8) seal_part(copy, size);
		put_file(name, copy, size);
		one.status = merge_parts(output, cx, &one);
		if (!one.status) mix_file(&one, output);
		unlink(output);
		mix_number(o, one.status);
		end_outcome(&one, cx);
	}
}

static void try_parts(const job *j, int number, outcome *o)
{
	char output[64], name[80];
	sheaf_context *cx = begin_outcome(j, (sheaf_context_options){.max_errors = number}, o);
	name_output(j, "out", output);
	o->status = make_parts(j, output, cx, o);
	if (!o->status) o->status = merge_parts(output, cx, o);
	mix_file(o, output);
	unlink(output);
	if (!number && is_chosen(j)) merge_damaged(j, output, o);
	for (int i = 1; i <= PARTS; i++) {
		snprintf(name, sizeof name, "%d.%s", i, output);
		unlink(name);
	}
	end_outcome(o, cx);
}

/* ---- an index ---- */

static sheaf_status read_with_index(const job *j, sheaf_index_policy index, sheaf_context *cx, outcome *o)
{
	sheaf_dataset *dataset = NULL;
	const sheaf_frame *frame;
	sheaf_open_options open = open_options(j, (sheaf_open_options){.index = index, .piece_bytes = 40});
	sheaf_status status = sheaf_open(j->path, &open, cx, &dataset, &o->error);
	if (!status && index == SHEAF_INDEX_NEVER) status = sheaf_dataset_check_index(dataset, &o->error);
	while (!status && (status = sheaf_next(dataset, &frame, &o->error)) == SHEAF_OK) o->rows += frame->nrows;
	sheaf_close(dataset);
	mix_number(o, status);
	return status == SHEAF_END ? SHEAF_OK : status;
}

static void try_index(const job *j, int number, outcome *o)
{
	static uint8_t index[ROOM], copy[ROOM];
	char name[300];
	sheaf_context *cx = begin_outcome(j, (sheaf_context_options){0}, o);
	snprintf(name, sizeof name, "%s.sheaf-index", j->path);
	o->status = read_with_index(j, SHEAF_INDEX_WRITE, cx, o);
	size_t size = get_file(name, index, sizeof index);
	if (!o->status) o->status = read_with_index(j, SHEAF_INDEX_REQUIRE, cx, o);
	if (!o->status) o->status = read_with_index(j, SHEAF_INDEX_NEVER, cx, o);
	for (int k = 0; k < DAMAGES && size && is_chosen(j); k++) {
		outcome one;
		sheaf_context *other = begin_outcome(j, (sheaf_context_options){0}, &one);
		memcpy(copy, index, size);
		damage(j, copy, size, k + number);
		if (k % 8) seal_index(copy, size);
		put_file(name, copy, size);
		one.status = read_with_index(j, SHEAF_INDEX_USE, other, &one);
		mix_number(o, one.status);
		mix_number(o, one.rows);
		end_outcome(&one, other);
	}
	unlink(name);
	end_outcome(o, cx);
}

/* ---- other files ---- */

static void try_split(const job *j, int number, outcome *o)
{
	static const char *const fractions[] = {NULL, "0.5,0.5"};
	char first[64], second[64], whole[64];
	int64_t rows[2] = {-1, -1}, all = -1;
	sheaf_context *cx = begin_outcome(j, (sheaf_context_options){0}, o);
	sheaf_open_options open = open_options(j, (sheaf_open_options){0});
	sheaf_split_options options = {
		.size = sizeof options, .open = &open, .force = true, .fractions = fractions[number]};
	name_output(j, "1", first), name_output(j, "2", second), name_output(j, "out", whole);
	const char *const outputs[] = {first, second};
	o->status = sheaf_split(j->path, outputs, 2, &options, cx, rows, &o->error);
	if (!o->status) o->status = sheaf_merge(outputs, 2, whole, &options, cx, &all, &o->error);
	mix_number(o, rows[0]), mix_number(o, rows[1]), mix_number(o, all);
	unlink(first), unlink(second), unlink(whole);
	end_outcome(o, cx);
}

/* How each format would declare the schema. */
static void try_declarations(const job *j, int number, outcome *o)
{
	sheaf_dataset *dataset = NULL;
	const sheaf_format *format;
	sheaf_context *cx = begin_outcome(j, (sheaf_context_options){0}, o);
	sheaf_open_options open = open_options(j, (sheaf_open_options){.index = SHEAF_INDEX_NEVER});
	o->status = sheaf_open(j->path, &open, cx, &dataset, &o->error);
	for (int i = number; !o->status && (format = sheaf_format_at(i / 2)); i++) {
		outcome one = {.sum = 0};
		sheaf_buffer text = {0};
		const sheaf_schema *schema = sheaf_dataset_schema(dataset);
		one.status = sheaf_declare(format, schema, "in.file", i % 2, cx, &text, &one.error);
		mix_failure(&one);
		mix(&one, text.data, text.size);
		mix_number(o, (int64_t)one.sum);
		sheaf_buffer_reset(&text);
	}
	sheaf_close(dataset);
	end_outcome(o, cx);
}

/* A matrix is added to a file, and to changed copies of it. */
static void try_additions(const job *j, int number, outcome *o)
{
	static const char matrix[] = "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 3\n";
	static const char *const input = "added.mtx", *const output = "there.h5";
	static const sheaf_setting into = {"into", "added"};
	static changed c;
	const sheaf_open_options open = {.size = sizeof open, .settings = &into, .nsettings = 1};
	const sheaf_convert_options options = {.size = sizeof options, .open = &open, .to = "binsparse"};
	sheaf_context *cx = begin_outcome(j, (sheaf_context_options){0}, o);
	hdf5_file map = structures_of(j);
	put_file(input, matrix, sizeof matrix - 1);
	for (int k = 0; k < number && map.count; k++) {
		outcome one;
		sheaf_context *other = begin_outcome(j, (sheaf_context_options){0}, &one);
		c = (changed){.at = c.data + CHOICES, .size = j->file.size};
		memcpy(c.at, j->file.data, c.size);
		if (k) change_file(j, k, &map, &c);
		put_file(output, c.at, c.size);
		one.status = sheaf_convert(&input, 1, output, &options, other, &one.error);
		mix_file(&one, output);
		unlink(output);
		end_outcome(&one, other);
		mix_number(o, (int64_t)one.sum);
	}
	free(map.structures);
	unlink(input);
	end_outcome(o, cx);
}

static bool mix_difference(void *user, const sheaf_difference *d)
{
	outcome *o = (outcome *)user;
	mix_number(o, d->row), mix_number(o, d->sample), mix_text(o, d->stream), mix_text(o, d->place);
	return ++o->rows < 10;
}

static void try_diff(const job *j, int number, outcome *o)
{
	sheaf_dataset *a = NULL, *b = NULL;
	bool equal = false;
	sheaf_context *cx = begin_outcome(j, (sheaf_context_options){0}, o);
	sheaf_open_options open = open_options(j, (sheaf_open_options){.index = SHEAF_INDEX_NEVER});
	sheaf_diff_options options = {.size = sizeof options, .keys = true, .types = true};
	options.on_difference = mix_difference;
	options.user = o;
	o->status = sheaf_open(j->path, &open, cx, &a, &o->error);
	open.select.skip = number;
	if (!o->status) o->status = sheaf_open(j->path, &open, cx, &b, &o->error);
	if (!o->status) o->status = sheaf_diff(a, b, &options, &equal, &o->error);
	mix_number(o, equal);
	sheaf_close(a);
	sheaf_close(b);
	end_outcome(o, cx);
}

static const struct {
	const char *output;
	sheaf_convert_options options;
	sheaf_selection select;
	sheaf_tensor_options tensor;
} conversions[] = {
	{"out.csv", {.duplicates = SHEAF_DUPLICATES_SUM}, {.transpose = true}},
	{"out.npy", {.pad = true, .duplicates = SHEAF_DUPLICATES_LAST}},
	{"out.mtx", {.structure = "auto"}, .tensor = {.matrix = true}},
	{"out.jsonl", {0}, {.rows = "1:"}, {.matrix = true}},
};

static void try_conversion(const job *j, int number, outcome *o)
{
	sheaf_context *cx = begin_outcome(j, (sheaf_context_options){.allow_loss = true}, o);
	sheaf_convert_options options = conversions[number].options;
	const char *input = j->path, *output = conversions[number].output;
	sheaf_open_options open = open_options(j, (sheaf_open_options){.index = SHEAF_INDEX_NEVER});
	options.size = sizeof options;
	options.open = &open;
	open.select = conversions[number].select;
	open.tensor = &conversions[number].tensor;
	o->status = sheaf_convert(&input, 1, output, &options, cx, &o->error);
	mix_file(o, output);
	unlink(output);
	unlink("out.lengths.npy");
	end_outcome(o, cx);
}

const use uses[USES] = {
	{"batches in the order of the file", try_batches, 0},
	{"batches as CNTK makes them", try_batches, 1},
	{"batches by length", try_batches, 2},
	{"padded batches", try_batches, 3},
	{"truncated batches", try_batches, 4},
	{"packed batches", try_batches, 5},
	{"batches of frames", try_batches, 6},
	{"batches of a shard", try_batches, 7},
	{"random batches", try_batches, 8},
	{"batches of a shard, with strides", try_batches, 9},
	{"batches of joined files", try_batches, 10},
	{"weighted batches", try_batches, 11},
	{"in parts", try_parts, 0},
	{"in parts, tolerating 2", try_parts, 2},
	{"with an index", try_index, 0},
	{"split", try_split, 0},
	{"split by chance", try_split, 1},
	{"compared with itself", try_diff, 0},
	{"compared with its other rows", try_diff, 1},
	{"converted, turned round", try_conversion, 0},
	{"converted, padded", try_conversion, 1},
	{"converted, with its structure", try_conversion, 2},
	{"converted, as a matrix", try_conversion, 3},
	{"as each format declares it", try_declarations, 0},
	{"with a matrix added to it, changed", try_additions, 60},
	{"its schema as bytes, changed", try_bytes, 0},
	{"its rows as bytes, changed", try_bytes, 1},
	{"its summary as bytes, changed", try_bytes, 2},
};

/* ---- configurations ---- */

static void mix_settings(outcome *o, const sheaf_setting *settings, int n)
{
	for (int i = 0; i < n; i++) mix_text(o, settings[i].name), mix_text(o, settings[i].value);
}

void try_config(const job *j, sheaf_bytes file, outcome *o)
{
	sheaf_config *config = NULL;
	sheaf_context *cx = begin_outcome(j, (sheaf_context_options){0}, o);
	put_file("../changed.cntk", file.data, file.size);
	o->status = sheaf_config_read("../changed.cntk", (sheaf_variables){0}, cx, &config, &o->error);
	for (int i = 0; config && i < config->ninputs; i++) {
		const sheaf_config_input *in = &config->inputs[i];
		mix_text(o, in->path), mix_text(o, in->format);
		mix_settings(o, in->settings, in->nsettings);
		mix_settings(o, in->others, in->nothers);
		o->rows++;
	}
	if (config) mix_settings(o, config->settings, config->nsettings);
	sheaf_config_free(config);
	end_outcome(o, cx);
}
