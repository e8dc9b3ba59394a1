/* SPDX-License-Identifier: MIT */
/* What the tests share. */
#include "support.h"
#include "container/box.h"
#include "frame/compare.h"
#include "frame/value.h"

#include <dirent.h>
#include <ftw.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

sheaf_error err;

/* ---- checks ---- */

void check_status(sheaf_status wanted, sheaf_status status, const char *file, int line)
{
	if (status == wanted) return;
	print_error("expected %s, found %s: %s\n", sheaf_status_name(wanted), sheaf_status_name(status),
	            status ? err.message : "");
	_fail(file, line);
}

void check_message(const char *part, const char *file, int line)
{
	if (strstr(err.message, part)) return;
	print_error("expected \"%s\" in: %s\n", part, err.message);
	_fail(file, line);
}

void check_part(const char *wanted, sheaf_span part, const char *file, int line)
{
	char found[sizeof err.message];
	snprintf(found, sizeof found, "%.*s", part.size, err.message + part.at);
	check_text(wanted, found, file, line);
}

void check_text(const char *wanted, const char *found, const char *file, int line)
{
	if (strcmp(wanted, found) == 0) return;
	print_error("expected: %s\nfound:    %s\n", wanted, found);
	_fail(file, line);
}

/* Messages are those that the command gives. */
__attribute__((constructor)) static void spell_as_the_command(void) { sheaf_spell_options("--", "", '-'); }

/* ---- chance: splitmix64 ---- */

static uint64_t chance;

void seed_random(uint64_t seed) { chance = seed; }

uint64_t next_random(void)
{
	uint64_t z = (chance += 0x9e3779b97f4a7c15u);
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

int64_t random_below(int64_t n) { return (int64_t)(next_random() % (uint64_t)n); }

/* ---- memory ---- */

static void *count_reallocate(void *user, void *memory, size_t old_bytes, size_t new_bytes)
{
	allocator *a = (allocator *)user;
	if (new_bytes == 0) {
		a->bytes -= (int64_t)old_bytes;
		free(memory);
		return NULL;
	}
	void *fresh = NULL;
	int64_t call = ++a->calls;
	if (a->fail_at && (call == a->fail_at || (a->stay && call > a->fail_at))) return NULL;
	if (posix_memalign(&fresh, 64, new_bytes) != 0) return NULL;
	int64_t now = atomic_fetch_add(&a->bytes, (int64_t)new_bytes - (int64_t)old_bytes) + (int64_t)new_bytes -
	              (int64_t)old_bytes,
			peak = a->peak;
	while (now > peak && !atomic_compare_exchange_weak(&a->peak, &peak, now)) {
	}
	if (!memory) return fresh;
	memcpy(fresh, memory, old_bytes < new_bytes ? old_bytes : new_bytes);
	free(memory);
	return fresh;
}

sheaf_context_options options_with(allocator *memory)
{
	return (sheaf_context_options){
		.size = sizeof(sheaf_context_options), .reallocate = count_reallocate, .user = memory};
}

sheaf_context *context_with(const sheaf_context_options *options)
{
	sheaf_context *cx = NULL;
	assert_ok(sheaf_context_new(options, &cx, &err));
	return cx;
}

sheaf_context *usual_context(void) { return context_with(NULL); }

void end_context(sheaf_context *cx)
{
	int64_t left = sheaf_context_memory(cx, NULL);
	sheaf_context_free(cx);
	assert_int_equal(left, 0);
}

/* ---- bytes ---- */

int write_bytes(void *user, const void *data, size_t size)
{
	bytes_sink *b = (bytes_sink *)user;
	if (size == 0) return 0;
	if (b->size + size > b->room) {
		b->room = (b->size + size) * 2;
		b->data = realloc(b->data, b->room);
		if (!b->data) abort();
	}
	memcpy(b->data + b->size, data, size);
	b->size += size;
	return 0;
}

void free_bytes(bytes_sink *bytes)
{
	free(bytes->data);
	*bytes = (bytes_sink){0};
}

void assert_same_bytes(const bytes_sink *a, const bytes_sink *b)
{
	assert_int_equal(a->size, b->size);
	if (a->size) assert_memory_equal(a->data, b->data, a->size);
}

int64_t read_bytes(void *user, void *data, size_t size)
{
	bytes_source *s = (bytes_source *)user;
	size_t n = s->step < size ? s->step : size;
	if (n > s->rest.size) n = s->rest.size;
	if (n) memcpy(data, s->rest.data, n);
	s->rest.data += n;
	s->rest.size -= n;
	return (int64_t)n;
}

/* ---- files ---- */

char folder[64];

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *ftw)
{
	(void)info, (void)type, (void)ftw;
	return remove(path);
}

int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/sheaf-test-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

int remove_folder(void **state)
{
	(void)state;
	return nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

const char *in_folder(const char *name)
{
	static char paths[8][192];
	static int next;
	char *path = paths[next++ % 8];
	snprintf(path, sizeof paths[0], "%s/%s", folder, name);
	return path;
}

void write_file(const char *name, const void *data, size_t size)
{
	FILE *file = fopen(in_folder(name), "wb");
	assert_non_null(file);
	if (size) assert_int_equal(fwrite(data, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

void write_text(const char *name, const char *text) { write_file(name, text, strlen(text)); }

bytes_sink read_file(const char *name)
{
	bytes_sink bytes = {0};
	char part[4096];
	size_t n;
	FILE *file = fopen(in_folder(name), "rb");
	assert_non_null(file);
	while ((n = fread(part, 1, sizeof part, file)) > 0) write_bytes(&bytes, part, n);
	fclose(file);
	return bytes;
}

bool file_exists(const char *name) { return access(in_folder(name), F_OK) == 0; }

int files_in_folder(void)
{
	int n = 0;
	const struct dirent *entry;
	DIR *dir = opendir(folder);
	assert_non_null(dir);
	while ((entry = readdir(dir))) n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(dir);
	return n;
}

/* ---- datasets ---- */

table new_table(sheaf_context *cx)
{
	table t = {.cx = cx};
	return t;
}

void free_table(table *t)
{
	sheaf_frame_free(&t->frame);
	sheaf_schema_free(&t->schema);
}

void add_stream(table *t, const char *name, bool sparse, int64_t dim, sheaf_type type)
{
	sheaf_field *field;
	assert_ok(sheaf_schema_add(&t->schema, t->cx, name, strlen(name), &field, &err));
	sheaf_field_make_stream(field, sparse, dim, type);
}

void begin_filling(filler *f, const sheaf_field *field, sheaf_context *cx)
{
	*f = (filler){.field = field};
	sheaf_builder_begin(&f->lists, cx, NULL);
	sheaf_builder_begin(&f->entries, cx, NULL);
	sheaf_builder_begin(&f->indices, cx, NULL);
	sheaf_builder_begin(&f->values, cx, NULL);
	sheaf_builder_i64(&f->lists, 0);
	if (sheaf_field_is_sparse(field)) sheaf_builder_i64(&f->entries, 0);
}

void fill_raw(filler *f, int64_t index, const void *value)
{
	int32_t narrow = (int32_t)index;
	if (!sheaf_field_is_sparse(f->field))
		assert_int_equal(index, -1);
	else if (f->field->levels[1].index_type == SHEAF_I32)
		sheaf_builder_append(&f->indices, &narrow, sizeof narrow);
	else
		sheaf_builder_i64(&f->indices, index);
	sheaf_builder_append(&f->values, value, sheaf_type_size(f->field->type));
	f->stored++;
}

void fill_value(filler *f, int64_t index, double value)
{
	union {
		uint64_t words[2];
		double d;
	} room = {{0, 0}};
	sheaf_canon canon;
	sheaf_canon_values(SHEAF_F64, &value, 0, 1, &canon);
	sheaf_canon_store(f->field->type, &canon, 1, &room, 0);
	fill_raw(f, index, &room);
}

void end_sample(filler *f)
{
	f->samples++;
	if (sheaf_field_is_sparse(f->field)) sheaf_builder_i64(&f->entries, f->stored);
}

void end_row(filler *f) { sheaf_builder_i64(&f->lists, f->samples); }

void finish_filling(filler *f, sheaf_column *column)
{
	assert_ok(sheaf_builder_finish(&f->lists, &column->levels[0].offsets, &err));
	assert_ok(sheaf_builder_finish(&f->entries, &column->levels[1].offsets, &err));
	if (sheaf_field_is_sparse(f->field))
		assert_ok(sheaf_builder_finish(&f->indices, &column->levels[1].indices[0], &err));
	assert_ok(sheaf_builder_finish(&f->values, &column->values, &err));
}

static const char *fill_word(filler *f, const char *at)
{
	char *end;
	int64_t index = -1;
	if (sheaf_field_is_sparse(f->field)) {
		index = strtoll(at, &end, 10);
		assert_int_equal(*end, ':');
		at = end + 1;
	}
	double value = strtod(at, &end);
	assert_ptr_not_equal(end, at);
	fill_value(f, index, value);
	return end;
}

static const char *fill_sample(filler *f, const char *at)
{
	for (at += strspn(at, " "); *at && *at != ',' && *at != ';'; at += strspn(at, " "))
		at = *at == '_' ? at + 1 : fill_word(f, at);
	end_sample(f);
	return at;
}

/* Gives the number of rows. */
static int64_t fill_rows(filler *f, const char *at)
{
	for (int64_t rows = 1;; rows++, at++) {
		at += strspn(at, " ");
		for (bool more = *at && *at != ';'; more; at += more) {
			at = fill_sample(f, at);
			more = *at == ',';
		}
		end_row(f);
		if (*at == '\0') return rows;
	}
}

void fill_text(table *t, int column, const char *rows)
{
	filler f;
	if (t->frame.ncolumns == 0) assert_ok(sheaf_frame_begin(&t->frame, &t->schema, t->cx, &err));
	begin_filling(&f, &t->schema.fields[column], t->cx);
	int64_t n = fill_rows(&f, rows);
	assert_true(t->frame.nrows == 0 || t->frame.nrows == n);
	t->frame.nrows = n;
	finish_filling(&f, &t->frame.columns[column]);
}

table stream_table(sheaf_context *cx, const char *name, bool sparse, int64_t dim, sheaf_type type,
                   const char *rows)
{
	table t = new_table(cx);
	add_stream(&t, name, sparse, dim, type);
	fill_text(&t, 0, rows);
	assert_ok(sheaf_frame_check(&t.frame, &t.schema, SHEAF_CHECK_FULL, &err));
	return t;
}

table keyed_table(sheaf_context *cx, const uint64_t *three)
{
	table t = new_table(cx);
	sheaf_builder b;
	assert_ok(sheaf_schema_add_key(&t.schema, cx, &err));
	add_stream(&t, "x", false, 1, SHEAF_F32);
	fill_text(&t, 1, "1;2;3");
	sheaf_builder_begin(&b, cx, NULL);
	sheaf_builder_append(&b, three, 3 * sizeof *three);
	assert_ok(sheaf_builder_finish(&b, &t.frame.columns[0].values, &err));
	return t;
}

void assert_same_row(const sheaf_frame *a, int64_t row_a, const sheaf_frame *b, int64_t row_b)
{
	assert_int_equal(a->ncolumns, b->ncolumns);
	for (int c = 0; c < a->ncolumns; c++)
		if (!sheaf_positions_equal(&a->columns[c], 0, row_a, &b->columns[c], 0, row_b))
			fail_msg("column %d: row %d differs from row %d", c, (int)row_a, (int)row_b);
}

sheaf_status open_bytes(sheaf_bytes bytes, const char *name, const sheaf_open_options *options,
                        sheaf_context *cx, sheaf_dataset **out)
{
	sheaf_source *source;
	*out = NULL;
	SHEAF_TRY(sheaf_source_memory(bytes, name, cx, &source, &err));
	return sheaf_open_source(source, options, cx, out, &err);
}

static sheaf_status write_rows(sheaf_writer *writer, const table *t, int64_t step)
{
	sheaf_frame slice = {0};
	sheaf_status status = SHEAF_OK;
	if (step <= 0) return sheaf_write(writer, &t->frame, &err);
	for (int64_t from = 0; from < t->frame.nrows && status == SHEAF_OK; from += step) {
		int64_t to = from + step < t->frame.nrows ? from + step : t->frame.nrows;
		status = sheaf_frame_slice(&t->frame, from, to, &slice, &err);
		if (status == SHEAF_OK) status = sheaf_write(writer, &slice, &err);
	}
	sheaf_frame_free(&slice);
	return status;
}

sheaf_status write_table(const table *t, const sheaf_create_options *options, int64_t step, bytes_sink *out,
                         sheaf_context *cx)
{
	sheaf_sink *sink;
	sheaf_writer *writer;
	SHEAF_TRY(sheaf_sink_function(write_bytes, out, "memory", cx, &sink, &err));
	SHEAF_TRY(sheaf_create_sink(sink, &t->schema, options, cx, &writer, &err));
	sheaf_status status = write_rows(writer, t, step);
	if (status == SHEAF_OK) return sheaf_finish(writer, &err);
	sheaf_abandon(writer);
	return status;
}

void hash_table(const table *t, bool keys, bool types, char text[33])
{
	sheaf_hash *hash;
	assert_ok(sheaf_hash_new(&t->schema, keys, types, t->cx, &hash, &err));
	assert_ok(sheaf_hash_add(hash, &t->frame, -1, &err));
	sheaf_hash_text(hash, text);
	sheaf_hash_free(hash);
}

sheaf_status hash_dataset(sheaf_dataset *dataset, bool keys, bool types, char text[33])
{
	sheaf_hash *hash;
	const sheaf_frame *frame;
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	SHEAF_TRY(sheaf_hash_new(schema, keys, types, schema->cx, &hash, &err));
	sheaf_status status;
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK) {
		status = sheaf_hash_add(hash, frame, -1, &err);
		if (status) break;
	}
	if (status == SHEAF_END) status = SHEAF_OK;
	if (status == SHEAF_OK) sheaf_hash_text(hash, text);
	sheaf_hash_free(hash);
	return status;
}

/* ---- JSON, as RFC 8259 has it ---- */

typedef struct json {
	const char *at, *end;
} json;

static bool json_value(json *j);

static void json_space(json *j)
{
	while (j->at < j->end && *j->at && strchr(" \t\r\n", *j->at)) j->at++;
}

static bool json_word(json *j, const char *word)
{
	size_t n = strlen(word);
	if ((size_t)(j->end - j->at) < n || memcmp(j->at, word, n) != 0) return false;
	j->at += n;
	return true;
}

static bool json_string(json *j)
{
	if (!json_word(j, "\"")) return false;
	while (j->at < j->end && *j->at != '"') {
		if ((unsigned char)*j->at < 0x20) return false;
		if (*j->at++ != '\\') continue;
		if (j->at == j->end || !*j->at || !strchr("\"\\/bfnrtu", *j->at)) return false;
		if (*j->at++ != 'u') continue;
		for (int i = 0; i < 4; i++, j->at++)
			if (j->at == j->end || !*j->at || !strchr("0123456789abcdefABCDEF", *j->at)) return false;
	}
	return json_word(j, "\"");
}

static bool json_digits(json *j)
{
	const char *begin = j->at;
	while (j->at < j->end && *j->at >= '0' && *j->at <= '9') j->at++;
	return j->at > begin;
}

static bool json_number(json *j)
{
	json_word(j, "-");
	if (!json_word(j, "0") && !json_digits(j)) return false;
	if (json_word(j, ".") && !json_digits(j)) return false;
	if (!json_word(j, "e") && !json_word(j, "E")) return true;
	if (!json_word(j, "+")) json_word(j, "-");
	return json_digits(j);
}

/* The inside of an object or a list, up to its closing mark. */
static bool json_items(json *j, const char *close, bool named)
{
	json_space(j);
	if (json_word(j, close)) return true;
	do {
		json_space(j);
		if (named && !json_string(j)) return false;
		json_space(j);
		if (named && !json_word(j, ":")) return false;
		if (!json_value(j)) return false;
		json_space(j);
	} while (json_word(j, ","));
	return json_word(j, close);
}

static bool json_value(json *j)
{
	json_space(j);
	if (json_word(j, "{")) return json_items(j, "}", true);
	if (json_word(j, "[")) return json_items(j, "]", false);
	if (json_word(j, "true") || json_word(j, "false") || json_word(j, "null")) return true;
	return j->at < j->end && *j->at == '"' ? json_string(j) : json_number(j);
}

bool is_json(const char *text, size_t size)
{
	json j = {text, text + size};
	if (!json_value(&j)) return false;
	json_space(&j);
	return j.at == j.end;
}

bool is_built(const sheaf_format *format)
{
	return strcmp(format->name, "binsparse") != 0 || sheaf_box_available(SHEAF_BOX_HDF5, NULL) == SHEAF_OK;
}

unsigned abilities(const sheaf_format *format)
{
	enum { NUMBERS = HOLDS_NONFINITE | HOLDS_DOUBLES };
	static const struct {
		const char *name;
		unsigned holds;
	} rows[] = {
		{"ctf", HOLDS_UNALIGNED | HOLDS_DOUBLES | HOLDS_REPEATS | HOLDS_UNSORTED},
		{"cbf", NUMBERS | HOLDS_EMPTY_ROWS | HOLDS_UNALIGNED | HOLDS_REPEATS | HOLDS_UNSORTED},
		{"lens", HOLDS_NONFINITE | HOLDS_UNSORTED},
		{"binsparse", NUMBERS | HOLDS_EMPTY_ROWS | HOLDS_UNALIGNED},
		{"matrixmarket", NUMBERS | HOLDS_REPEATS},
		{"svmlight", NUMBERS | HOLDS_REPEATS},
		{"tns", NUMBERS | HOLDS_REPEATS},
		{"scidb", NUMBERS},
		{"csv", NUMBERS},
		{"tsv", NUMBERS},
		{"npy", NUMBERS},
		{"npz", NUMBERS},
		{"hdf5", NUMBERS},
		{"arrow",
	     NUMBERS | HOLDS_EMPTY_ROWS | HOLDS_UNALIGNED | HOLDS_REPEATS | HOLDS_UNSORTED | HOLDS_SCHEMA},
	};
	for (size_t i = 0; i < COUNT(rows); i++)
		if (strcmp(format->name, rows[i].name) == 0) return sheaf_format_about(format).can | rows[i].holds;
	return sheaf_format_about(format).can | NUMBERS | HOLDS_EMPTY_ROWS | HOLDS_UNALIGNED | HOLDS_REPEATS |
	       HOLDS_UNSORTED;
}

bool holds_streams(const sheaf_format *format)
{
	return is_built(format) && (sheaf_format_about(format).takes & SHEAF_TAKES_SEQUENCES) &&
	       (abilities(format) & (HOLDS_UNALIGNED | SHEAF_CAN_PIPE));
}
