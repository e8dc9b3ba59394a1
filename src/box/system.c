/* SPDX-License-Identifier: MIT */
/* HDF5 files read by libhdf5, in a separate process: the driver that sends the requests. Answers are checked
 * against the requests, like any other input. */
#include "base/checked.h"
#include "base/context.h"
#include "base/cursor.h"
#include "base/memory.h"
#include "base/status.h"
#include "box/inside.h"
#include "box/process.h"
#include "io/descriptor.h"
#include <stdio.h>
#include <string.h>

typedef struct texts {
	const sheaf_box_item *item; /* NULL: none */
	int64_t from, to;
	sheaf_builder bytes, offsets; /* one offset more than there are texts */
} texts;

typedef struct system_file {
	sheaf_context *cx;
	const sheaf_store *store;
	int64_t size;     /* bytes of the file */
	sheaf_mutex lock; /* of all that follows: one thread sends requests at a time */
	sheaf_process process;
	sheaf_builder message, wanted;
	texts texts;         /* that were read last */
	sheaf_builder links; /* during opening: const char *[2], path of a link and its target */
	int64_t items;
} system_file;

static sheaf_status fail_again(const system_file *f, sheaf_error *err)
{
	return sheaf_fail_again(err, &f->process.failure);
}

/* ---- asking ---- */

static sheaf_bytes bytes_of(const void *data, size_t size)
{
	return (sheaf_bytes){(const uint8_t *)data, size};
}

static sheaf_status give_bytes(system_file *f)
{
	sheaf_hdf5_request r = {0};
	sheaf_process *p = &f->process;
	if (f->message.size == sizeof r) memcpy(&r, f->message.data, sizeof r);
	if (r.from < 0 || r.to <= r.from || r.to > f->size || r.to - r.from > SHEAF_HDF5_MESSAGE)
		return sheaf_process_fail(p, SHEAF_DATA, "the HDF5 library to ask for bytes of the file", "others");
	size_t n = (size_t)(r.to - r.from);
	f->wanted.size = 0;
	sheaf_error failure = {0};
	sheaf_status status =
		sheaf_builder_room(&f->wanted, n) ? SHEAF_OK : sheaf_builder_status(&f->wanted, &failure);
	if (!status) status = f->store->read(f->store->user, r.from, f->wanted.data, n, &failure);
	if (!status) return sheaf_process_say(p, SHEAF_HDF5_BYTES, bytes_of(f->wanted.data, n), (sheaf_bytes){0});
	sheaf_process_end(p);
	p->failure = failure;
	return status;
}

typedef struct question {
	sheaf_hdf5_word word;
	sheaf_hdf5_request about;
	const char *text;
	/* Receives each answer but the last. */
	sheaf_status (*take)(system_file *f, sheaf_hdf5_word word, void *user, sheaf_error *err);
	void *user;
} question;

/* The next answer to the current request. */
static sheaf_status hear(system_file *f, sheaf_hdf5_word *word)
{
	do {
		SHEAF_TRY(sheaf_process_hear(&f->process, word, &f->message));
		if (*word == SHEAF_HDF5_WANT) SHEAF_TRY(give_bytes(f));
	} while (*word == SHEAF_HDF5_WANT);
	return SHEAF_OK;
}

/* FAIL ends an answer. The rest of any other would be taken for the next answer, so no more requests are
 * sent. */
static sheaf_status give_up(system_file *f, sheaf_hdf5_word got, const sheaf_error *failure, sheaf_error *err)
{
	if (got != SHEAF_HDF5_FAIL) {
		sheaf_process_end(&f->process);
		f->process.failure = *failure;
	}
	return sheaf_fail_again(err, failure);
}

static sheaf_status ask(system_file *f, const question *q, sheaf_error *err)
{
	sheaf_hdf5_word got;
	sheaf_status status = sheaf_process_say(&f->process, q->word, bytes_of(&q->about, sizeof q->about),
	                                        bytes_of(q->text, strlen(q->text)));
	if (!status) status = hear(f, &got);
	while (!status && got != SHEAF_HDF5_DONE) {
		sheaf_error failure = {0};
		status = q->take(f, got, q->user, &failure);
		if (status) return give_up(f, got, &failure, err);
		status = hear(f, &got);
	}
	return status ? fail_again(f, err) : SHEAF_OK;
}

static sheaf_status fail_as_said(system_file *f, const char *path, const char *expected, sheaf_error *err)
{
	static const sheaf_status statuses[] = {SHEAF_DATA, SHEAF_UNKNOWN, SHEAF_LIMIT};
	uint32_t which = 0;
	if (f->message.size >= sizeof which) memcpy(&which, f->message.data, sizeof which);
	int n = f->message.size > sizeof which ? (int)(f->message.size - sizeof which) : 0;
	return sheaf_fail(err, which < 3 ? statuses[which] : SHEAF_DATA, "%s: /%.200s: expected %s, found %s%.*s",
	                  f->store->name, path, expected, n ? "" : "that the HDF5 library failed",
	                  n > 400 ? 400 : n, n ? (const char *)f->message.data + sizeof which : "");
}

static sheaf_status refuse_answer(system_file *f, const char *found, sheaf_error *err)
{
	sheaf_status status =
		sheaf_process_fail(&f->process, SHEAF_DATA, "an answer of the program for HDF5", found);
	return status ? fail_again(f, err) : SHEAF_OK;
}

/* ---- listing ---- */

typedef struct listing {
	sheaf_catalog *catalog;
	bool is_netcdf;
} listing;

static sheaf_status keep_text(const listing *l, const char *text, const char **out, sheaf_error *err)
{
	*out = NULL;
	return *text ? sheaf_catalog_text(l->catalog, out, err, "%.4096s", text) : SHEAF_OK;
}

static sheaf_status keep_dims(const listing *l, const sheaf_hdf5_item *it, const uint8_t *dims,
                              sheaf_box_item *item, sheaf_error *err)
{
	void *memory;
	SHEAF_TRY(sheaf_catalog_allocate(l->catalog, (size_t)(it->rank + 1) * sizeof(int64_t), &memory, err));
	int64_t *own = (int64_t *)memory, count = 1;
	if (it->rank) memcpy(own, dims, it->rank * sizeof *own);
	bool fits = true, empty = false;
	for (int i = 0; i < it->rank; i++) {
		if (own[i] < 0) own[i] = 0;
		empty |= own[i] == 0;
		fits = fits && sheaf_mul_i64(&count, count, own[i]);
	}
	item->rank = it->rank;
	item->dims = own;
	fits = fits && sheaf_mul_i64(&count, count, item->inside->per);
	item->count = empty || !fits ? 0 : count;
	if (!fits && !empty && !item->refused) item->refused = "more elements than can be counted";
	return SHEAF_OK;
}

static sheaf_status note_link(system_file *f, sheaf_box_item *item, sheaf_error *err)
{
	const char *link[2] = {item->path, item->refused};
	item->refused = "a link to nothing in this file";
	item->inside->target = NULL;
	if (!link[1]) return SHEAF_OK;
	sheaf_builder_append(&f->links, link, sizeof link);
	return sheaf_builder_status(&f->links, err);
}

static sheaf_status describe(system_file *f, const listing *l, const sheaf_hdf5_item *it, const uint8_t *dims,
                             sheaf_box_item *item, sheaf_error *err)
{
	static const sheaf_box_class classes[SHEAF_HDF5_KINDS] = {
		SHEAF_BOX_OTHER, SHEAF_BOX_NUMBERS, SHEAF_BOX_BOOLS, SHEAF_BOX_COMPLEX,
		SHEAF_BOX_TEXTS, SHEAF_BOX_OTHER,   SHEAF_BOX_OTHER};
	sheaf_box_detail *inside = item->inside;
	item->what = classes[it->kind];
	item->type = (sheaf_type)it->type;
	item->storage = (sheaf_box_storage)it->storage;
	item->bytes = it->bytes;
	item->is_damaged = it->is_damaged;
	inside->per = it->kind == SHEAF_HDF5_PAIRS ? 2 : 1;
	/* An element of texts is its index. */
	inside->width =
		it->kind == SHEAF_HDF5_TEXT ? sizeof(int64_t) : sheaf_type_size(item->type) * (size_t)inside->per;
	inside->is_variable = it->kind == SHEAF_HDF5_TEXT;
	inside->handle = f->items;
	if (it->kind == SHEAF_HDF5_SOFT) return note_link(f, item, err);
	if (it->kind == SHEAF_HDF5_OTHER) inside->target = NULL;
	if (it->kind == SHEAF_HDF5_OTHER && !item->refused) item->refused = "something else";
	return keep_dims(l, it, dims, item, err);
}

/* The names in a path, none of them empty. */
static bool is_path(const char *path)
{
	return path && *path && *path != '/' && !strstr(path, "//") && path[strlen(path) - 1] != '/';
}

static sheaf_status add_item(system_file *f, listing *l, sheaf_error *err)
{
	sheaf_hdf5_item it = {.kind = SHEAF_HDF5_KINDS};
	sheaf_cursor c = sheaf_cursor_over(f->message.data, f->message.size, 0);
	const uint8_t *head = sheaf_cursor_bytes(&c, 1, sizeof it, "an item");
	if (head) memcpy(&it, head, sizeof it);
	const uint8_t *dims = sheaf_cursor_bytes(&c, it.rank, sizeof(int64_t), "dimensions");
	const char *parts[4];
	size_t size;
	for (int i = 0; i < 4; i++) parts[i] = (const char *)sheaf_cursor_string(&c, &size, "texts");
	if (c.failed || it.kind >= SHEAF_HDF5_KINDS || it.type >= SHEAF_TYPES || it.storage > SHEAF_BOX_COMPACT ||
	    it.rank > SHEAF_HDF5_ARRAY_RANK || it.bytes < -1 || !is_path(parts[0]))
		return refuse_answer(f, "an item that does not make sense", err);
	const char *slash = strrchr(parts[0], '/'), *folder = "";
	if (slash)
		SHEAF_TRY(sheaf_catalog_text(l->catalog, &folder, err, "%.*s", (int)(slash - parts[0]), parts[0]));
	sheaf_box_item *item;
	SHEAF_TRY(sheaf_catalog_add(l->catalog, folder, slash ? slash + 1 : parts[0], it.kind == SHEAF_HDF5_GROUP,
	                            &item, err));
	f->items++;
	SHEAF_TRY(keep_text(l, *parts[1] ? parts[1] : "unknown", &item->of, err));
	SHEAF_TRY(keep_text(l, parts[2], &item->refused, err));
	SHEAF_TRY(keep_text(l, parts[3], &item->filters, err));
	return describe(f, l, &it, dims, item, err);
}

static sheaf_status take_item(system_file *f, sheaf_hdf5_word word, void *user, sheaf_error *err)
{
	if (word == SHEAF_HDF5_ITEM) return add_item(f, (listing *)user, err);
	if (word == SHEAF_HDF5_FAIL) return fail_as_said(f, "", "an HDF5 file", err);
	return refuse_answer(f, "one that was not asked for", err);
}

static sheaf_status list(system_file *f, listing *l, sheaf_error *err)
{
	sheaf_hdf5_request r = {sheaf_process_seconds, f->size, sheaf_max_memory(f->cx)};
	SHEAF_TRY(ask(f, &(question){SHEAF_HDF5_OPEN, r, "", take_item, l}, err));
	l->is_netcdf = f->message.size > 0 && f->message.data[0];
	sheaf_catalog_sort(l->catalog);
	for (size_t at = 0; at < f->links.size; at += sizeof(const char *[2])) {
		const char *link[2];
		memcpy(link, f->links.data + at, sizeof link);
		SHEAF_TRY(sheaf_catalog_resolve(l->catalog, link[0], link[1], err));
	}
	return SHEAF_OK;
}

/* ---- opening ---- */

static void close_file(void *state)
{
	system_file *f = (system_file *)state;
	sheaf_process_end(&f->process);
	sheaf_builder *all[] = {&f->message, &f->wanted, &f->links, &f->texts.bytes, &f->texts.offsets};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) sheaf_builder_drop(all[i]);
	sheaf_mutex_destroy(&f->lock);
	sheaf_release(f->cx, f, sizeof *f);
}

static sheaf_status begin(system_file *f, listing *l, sheaf_error *err)
{
	sheaf_builder *all[] = {&f->message, &f->wanted, &f->links, &f->texts.bytes, &f->texts.offsets};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) sheaf_builder_begin(all[i], f->cx, NULL);
	SHEAF_TRY(f->store->size(f->store->user, &f->size, err));
	SHEAF_TRY(sheaf_process_start(&f->process, f->store->name, f->cx, err));
	return list(f, l, err);
}

static sheaf_status open_file(sheaf_box *box, bool fresh, sheaf_error *err)
{
	void *memory;
	listing l = {.catalog = &box->catalog};
	int64_t base;
	(void)fresh;
	SHEAF_TRY(sheaf_box_check_head(&box->store, &base, err));
	SHEAF_TRY(sheaf_allocate(box->cx, sizeof(system_file), &memory, err));
	system_file *f = (system_file *)memory;
	*f = (system_file){.cx = box->cx, .store = &box->store, .process = {.fd = -1, .pid = -1}};
	int sys = sheaf_mutex_init(&f->lock);
	if (sys) {
		sheaf_release(box->cx, f, sizeof *f);
		return sheaf_fail_sys(err, sys, "%s: expected a lock", box->store.name);
	}
	sheaf_status status = begin(f, &l, err);
	if (status) {
		close_file(f);
		return status;
	}
	box->kind = l.is_netcdf ? SHEAF_BOX_NETCDF : SHEAF_BOX_HDF5;
	box->state = f;
	return SHEAF_OK;
}

/* ---- values ---- */

typedef struct wanted {
	const sheaf_box_item *item;
	uint8_t *out;
	size_t size, got;
} wanted;

static sheaf_status take_values(system_file *f, sheaf_hdf5_word word, void *user, sheaf_error *err)
{
	wanted *w = (wanted *)user;
	if (word == SHEAF_HDF5_FAIL) return fail_as_said(f, w->item->path, "values", err);
	if (word != SHEAF_HDF5_BYTES || f->message.size > w->size - w->got)
		return refuse_answer(f, "more values than were asked for", err);
	memcpy(w->out + w->got, f->message.data, f->message.size);
	w->got += f->message.size;
	return SHEAF_OK;
}

static sheaf_status read_rows(void *state, const sheaf_box_item *item, int64_t from, int64_t to, void *out,
                              sheaf_error *err)
{
	system_file *f = (system_file *)state;
	int64_t row = item->count / item->inside->per / (item->rank ? item->dims[0] : 1);
	if (item->what == SHEAF_BOX_TEXTS) {
		for (int64_t i = from * row; i < to * row; i++)
			memcpy((int64_t *)out + (i - from * row), &i, sizeof i);
		return SHEAF_OK;
	}
	wanted w = {item, (uint8_t *)out, (size_t)((to - from) * row) * item->inside->width, 0};
	sheaf_mutex_lock(&f->lock);
	question q = {SHEAF_HDF5_ROWS, {item->inside->handle, from, to}, "", take_values, &w};
	sheaf_status status = ask(f, &q, err);
	if (!status && w.got != w.size) status = refuse_answer(f, "fewer values than were asked for", err);
	sheaf_mutex_unlock(&f->lock);
	return status;
}

static sheaf_status take_bytes(system_file *f, sheaf_hdf5_word word, void *user, sheaf_error *err)
{
	const wanted *w = (const wanted *)user;
	if (word == SHEAF_HDF5_FAIL) return fail_as_said(f, w->item->path, "texts", err);
	if (word != SHEAF_HDF5_BYTES) return refuse_answer(f, "one that was not asked for", err);
	sheaf_builder_append(&f->texts.bytes, f->message.data, f->message.size);
	return sheaf_builder_status(&f->texts.bytes, err);
}

/* The texts as they came, each after its size, become texts and offsets into them. */
static sheaf_status split_texts(system_file *f, sheaf_error *err)
{
	texts *t = &f->texts;
	sheaf_cursor c = sheaf_cursor_over(t->bytes.data, t->bytes.size, 0);
	size_t end = 0;
	t->offsets.size = 0;
	sheaf_builder_i64(&t->offsets, 0);
	for (int64_t i = t->from; i < t->to; i++) {
		uint32_t size = 0;
		const uint8_t *head = sheaf_cursor_bytes(&c, 1, sizeof size, "a size");
		if (head) memcpy(&size, head, sizeof size);
		const uint8_t *bytes = sheaf_cursor_bytes(&c, 1, size, "a text");
		if (!bytes) return refuse_answer(f, "fewer texts than were asked for", err);
		memmove(t->bytes.data + end, bytes, size);
		end += size;
		sheaf_builder_i64(&t->offsets, (int64_t)end);
	}
	return sheaf_builder_status(&t->offsets, err);
}

static sheaf_status load_texts(system_file *f, const sheaf_box_item *item, int64_t from, sheaf_error *err)
{
	enum { AT_ONCE = 4096 };
	texts *t = &f->texts;
	if (t->item == item && from >= t->from && from < t->to) return SHEAF_OK;
	wanted w = {.item = item};
	t->item = NULL;
	t->bytes.size = 0;
	t->from = from;
	t->to = item->count - from < AT_ONCE ? item->count : from + AT_ONCE;
	question q = {SHEAF_HDF5_TEXTS, {item->inside->handle, t->from, t->to}, "", take_bytes, &w};
	SHEAF_TRY(ask(f, &q, err));
	SHEAF_TRY(split_texts(f, err));
	t->item = item;
	return SHEAF_OK;
}

static sheaf_status text_of(void *state, const sheaf_box_item *item, const uint8_t *element,
                            sheaf_builder *text, sheaf_error *err)
{
	system_file *f = (system_file *)state;
	int64_t number;
	memcpy(&number, element, sizeof number);
	sheaf_mutex_lock(&f->lock);
	sheaf_status status = load_texts(f, item, number, err);
	if (!status) {
		int64_t ends[2];
		memcpy(ends, f->texts.offsets.data + (size_t)(number - f->texts.from) * sizeof *ends, sizeof ends);
		sheaf_builder_append(text, f->texts.bytes.data + ends[0], (size_t)(ends[1] - ends[0]));
		status = sheaf_builder_status(text, err);
	}
	sheaf_mutex_unlock(&f->lock);
	return status;
}

/* ---- attributes ---- */

typedef struct attribute {
	const sheaf_box_item *item;
	const char *name;
	sheaf_builder *text;
} attribute;

static sheaf_status take_text(system_file *f, sheaf_hdf5_word word, void *user, sheaf_error *err)
{
	const attribute *a = (const attribute *)user;
	char expected[300];
	if (word == SHEAF_HDF5_BYTES) {
		sheaf_builder_append(a->text, f->message.data, f->message.size);
		return sheaf_builder_status(a->text, err);
	}
	if (word != SHEAF_HDF5_FAIL) return refuse_answer(f, "one that was not asked for", err);
	snprintf(expected, sizeof expected, "an attribute \"%.200s\" that is one text", a->name);
	return fail_as_said(f, a->item->path, expected, err);
}

static sheaf_status read_attribute(void *state, const sheaf_box_item *item, const char *name,
                                   sheaf_builder *text, sheaf_error *err)
{
	system_file *f = (system_file *)state;
	attribute a = {item, name, text};
	sheaf_mutex_lock(&f->lock);
	question q = {SHEAF_HDF5_ATTRIBUTE, {.item = item->inside->handle}, name, take_text, &a};
	sheaf_status status = ask(f, &q, err);
	sheaf_mutex_unlock(&f->lock);
	return status;
}

const sheaf_box_driver sheaf_system_driver = {
	.open = open_file,
	.close = close_file,
	.text = read_attribute,
	.read_rows = read_rows,
	.text_of = text_of,
};
