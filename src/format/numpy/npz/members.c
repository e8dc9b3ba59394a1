/* SPDX-License-Identifier: MIT */
/* Members of an archive, and their list. */
#include "base/checked.h"
#include "base/context.h"
#include "base/third/deflate.h"
#include "format/numpy/npz/writer.h"
#include "io/sink.h"
#include <string.h>

void sheaf_npz_list_begin(sheaf_npz_list *list, sheaf_sink *sink, int level, sheaf_context *cx)
{
	*list = (sheaf_npz_list){.cx = cx, .sink = sink, .level = level};
	sheaf_builder_begin(&list->directory, cx, NULL);
}

void sheaf_npz_list_drop(sheaf_npz_list *list)
{
	sheaf_builder_drop(&list->directory);
	for (int m = 0; m < list->nplanned; m++) sheaf_builder_drop(&list->planned[m].header);
	list->nplanned = 0;
}

/* ---- members whose places are known before their bytes ---- */

static uint64_t content_size(const sheaf_npz_content *c)
{
	uint64_t size = (uint64_t)c->array.dtype->size;
	for (int d = 0; d < c->array.rank; d++)
		size *= (uint64_t)c->array.shape[d]; /* for arrays in a file, existing or new */
	return size;
}

sheaf_status sheaf_npz_plan_member(sheaf_npz_list *list, const sheaf_npz_content *c, sheaf_error *err)
{
	sheaf_npz_planned *p = &list->planned[list->nplanned++];
	uint64_t size = content_size(c);
	*p = (sheaf_npz_planned){.parts = c->parts, .nparts = c->nparts};
	sheaf_builder_begin(&p->header, list->cx, NULL);
	sheaf_array_put_header(&p->header, &c->array);
	SHEAF_TRY(sheaf_builder_status(&p->header, err));
	p->head = (sheaf_zip_head){.name = c->name, .at = (uint64_t)list->end, .size = p->header.size + size};
	p->head.stored = p->head.size;
	sheaf_zip_find_length(&p->head);
	sheaf_zip_find_padding(&p->head);
	int64_t at = list->end + (int64_t)(sheaf_zip_local_size(&p->head) + p->header.size),
			each = (int64_t)size / c->nparts;
	SHEAF_TRY(sheaf_sink_check_size(list->sink, at + (int64_t)size, err));
	for (int i = 0; i < c->nparts; i++)
		SHEAF_TRY(sheaf_strand_place(&c->parts[i], list->sink, at + i * each, err));
	list->end = at + (int64_t)size;
	return SHEAF_OK;
}

static sheaf_status end_one(sheaf_npz_list *list, sheaf_npz_planned *p, sheaf_error *err)
{
	sheaf_builder head;
	sheaf_zip_head *m = &p->head;
	m->sum = sheaf_crc32(0, p->header.data, p->header.size);
	for (int i = 0; i < p->nparts; i++) {
		SHEAF_TRY(sheaf_strand_end(&p->parts[i], err));
		m->sum = sheaf_crc32_join(m->sum, p->parts[i].sum, p->parts[i].size);
	}
	sheaf_builder_begin(&head, list->cx, NULL);
	sheaf_zip_put_local(&head, m);
	sheaf_builder_append(&head, p->header.data, p->header.size);
	sheaf_status status = sheaf_builder_status(&head, err);
	if (status == SHEAF_OK)
		status = sheaf_sink_write_at(list->sink, (int64_t)m->at, head.data, head.size, err);
	sheaf_builder_drop(&head);
	sheaf_zip_put_in_list(&list->directory, m);
	list->nmembers++;
	return status;
}

sheaf_status sheaf_npz_end_planned(sheaf_npz_list *list, sheaf_error *err)
{
	for (int m = 0; m < list->nplanned; m++) SHEAF_TRY(end_one(list, &list->planned[m], err));
	return SHEAF_OK;
}

/* ---- arrays as they arrive ---- */

static sheaf_status write_built(sheaf_npz_list *list, sheaf_builder *b, sheaf_error *err)
{
	sheaf_status status = sheaf_builder_status(b, err);
	if (status == SHEAF_OK) status = sheaf_sink_write(list->sink, b->data, b->size, err);
	sheaf_builder_drop(b);
	return status;
}

/* The headers of the member, and of the array in it. */
sheaf_status sheaf_npz_begin_array(sheaf_npz_list *list, const sheaf_npz_content *c, sheaf_error *err)
{
	sheaf_builder head, header;
	sheaf_zip_head *m = &list->array;
	*m = (sheaf_zip_head){.name = c->name, .size = content_size(c), .later = true};
	m->at = (uint64_t)sheaf_sink_tell(list->sink);
	sheaf_zip_find_length(m);
	sheaf_zip_find_padding(m);
	sheaf_builder_begin(&head, list->cx, NULL);
	sheaf_builder_begin(&header, list->cx, NULL);
	sheaf_zip_put_local(&head, m);
	sheaf_array_put_header(&header, &c->array);
	m->sum = sheaf_crc32(0, header.data, header.size);
	m->size = m->stored = header.size; /* from now on those that are written */
	list->nmembers++;
	sheaf_status status = write_built(list, &head, err);
	if (status == SHEAF_OK) return write_built(list, &header, err);
	sheaf_builder_drop(&header);
	return status;
}

sheaf_status sheaf_npz_write_array(sheaf_npz_list *list, const sheaf_npz_content *c, const void *bytes,
                                   size_t size, sheaf_error *err)
{
	if (list->nmembers == 0) SHEAF_TRY(sheaf_npz_begin_array(list, c, err));
	list->array.sum = sheaf_crc32(list->array.sum, bytes, size);
	list->array.size += size;
	list->array.stored += size;
	return sheaf_sink_write(list->sink, bytes, size, err);
}

sheaf_status sheaf_npz_end_array(sheaf_npz_list *list, sheaf_error *err)
{
	sheaf_builder sum;
	sheaf_builder_begin(&sum, list->cx, NULL);
	sheaf_zip_put_sum(&sum, &list->array);
	sheaf_zip_put_in_list(&list->directory, &list->array);
	return write_built(list, &sum, err);
}

/* ---- members in memory ---- */

static sheaf_status deflate(const sheaf_npz_list *list, const sheaf_builder *from, sheaf_builder *to,
                            sheaf_error *err)
{
	sheaf_deflater *deflater = sheaf_deflater_new(list->level);
	if (!deflater)
		return sheaf_fail(err, SHEAF_NOMEM, "%s: expected memory to compress with, found none",
		                  sheaf_sink_name(list->sink));
	if (sheaf_builder_room(to, from->size))
		to->size = sheaf_deflate_raw(deflater, from->data, from->size, to->data, from->size);
	sheaf_deflater_free(deflater);
	return sheaf_builder_status(to, err);
}

static sheaf_status write_stored(sheaf_npz_list *list, const sheaf_npz_content *c,
                                 const sheaf_builder *header, sheaf_error *err)
{
	sheaf_builder head;
	sheaf_zip_head m = {.name = c->name, .at = (uint64_t)sheaf_sink_tell(list->sink), .size = header->size};
	m.sum = sheaf_crc32(0, header->data, header->size);
	for (int i = 0; i < c->nparts; i++) {
		m.size += c->parts[i].held.size;
		m.sum = sheaf_crc32(m.sum, c->parts[i].held.data, c->parts[i].held.size);
	}
	m.stored = m.size;
	sheaf_zip_find_length(&m);
	sheaf_zip_find_padding(&m);
	sheaf_builder_begin(&head, list->cx, NULL);
	sheaf_zip_put_local(&head, &m);
	sheaf_zip_put_in_list(&list->directory, &m);
	SHEAF_TRY(write_built(list, &head, err));
	SHEAF_TRY(sheaf_sink_write(list->sink, header->data, header->size, err));
	for (int i = 0; i < c->nparts; i++)
		SHEAF_TRY(sheaf_sink_write(list->sink, c->parts[i].held.data, c->parts[i].held.size, err));
	return SHEAF_OK;
}

/* If deflating makes it no shorter, *done stays false. */
static sheaf_status write_deflated(sheaf_npz_list *list, const sheaf_npz_content *c,
                                   const sheaf_builder *header, bool *done, sheaf_error *err)
{
	sheaf_builder plain, packed, head;
	sheaf_builder_begin(&plain, list->cx, NULL), sheaf_builder_begin(&packed, list->cx, NULL);
	sheaf_builder_append(&plain, header->data, header->size);
	for (int i = 0; i < c->nparts; i++)
		sheaf_builder_append(&plain, c->parts[i].held.data, c->parts[i].held.size);
	sheaf_status status = sheaf_builder_status(&plain, err);
	if (status == SHEAF_OK) status = deflate(list, &plain, &packed, err);
	*done = packed.size > 0;
	if (status == SHEAF_OK && *done) {
		sheaf_zip_head m = {.name = c->name,
		                    .at = (uint64_t)sheaf_sink_tell(list->sink),
		                    .size = plain.size,
		                    .stored = packed.size,
		                    .sum = sheaf_crc32(0, plain.data, plain.size),
		                    .method = 8};
		sheaf_zip_find_length(&m);
		sheaf_builder_begin(&head, list->cx, NULL);
		sheaf_zip_put_local(&head, &m);
		sheaf_zip_put_in_list(&list->directory, &m);
		status = write_built(list, &head, err);
		if (status == SHEAF_OK) status = sheaf_sink_write(list->sink, packed.data, packed.size, err);
	}
	sheaf_builder_drop(&plain), sheaf_builder_drop(&packed);
	return status;
}

sheaf_status sheaf_npz_put_member(sheaf_npz_list *list, const sheaf_npz_content *c, sheaf_error *err)
{
	sheaf_builder header;
	bool done = false;
	for (int i = 0; i < c->nparts; i++) SHEAF_TRY(sheaf_builder_status(&c->parts[i].held, err));
	sheaf_builder_begin(&header, list->cx, NULL);
	sheaf_array_put_header(&header, &c->array);
	sheaf_status status = sheaf_builder_status(&header, err);
	if (status == SHEAF_OK && list->level) status = write_deflated(list, c, &header, &done, err);
	if (status == SHEAF_OK && !done) status = write_stored(list, c, &header, err);
	list->nmembers++;
	sheaf_builder_drop(&header);
	return status;
}

/* ---- the list ---- */

sheaf_status sheaf_npz_put_list(sheaf_npz_list *list, sheaf_error *err)
{
	sheaf_builder *b = &list->directory;
	sheaf_zip_put_end(b, list->nmembers, list->nplanned ? list->end : sheaf_sink_tell(list->sink));
	SHEAF_TRY(sheaf_builder_status(b, err));
	if (list->nplanned) return sheaf_sink_write_at(list->sink, list->end, b->data, b->size, err);
	return sheaf_sink_write(list->sink, b->data, b->size, err);
}
