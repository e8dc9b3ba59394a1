/* SPDX-License-Identifier: MIT */
/* Members of an archive, and their list. A member is a local header of ZIP, then the header of an array, then
 * its items. The checksum is one over both headers' array part and the items; strands that are written out of
 * order have a checksum each, and those are joined. Contents begin at an aligned address unless they are
 * deflated, so that a reader can map them. */
#include "base/checked.h"
#include "base/context.h"
#include "base/third/deflate.h"
#include "format/numpy/npz/writer.h"
#include "io/sink.h"
#include <string.h>

void sheaf_npz_list_begin(sheaf_npz_list *list, sheaf_sink *sink, int level, sheaf_context *cx)
{
	*list = (sheaf_npz_list){.level = level};
	sheaf_zip_begin(&list->zip, sink, cx);
}

void sheaf_npz_list_drop(sheaf_npz_list *list)
{
	sheaf_zip_drop(&list->zip);
	for (int m = 0; m < list->nplanned; m++) sheaf_builder_drop(&list->planned[m].header);
	list->nplanned = 0;
}

/* ---- members whose places are known before their bytes ---- */

/* Bytes of the items. The product does not overflow: the array is in a file, or its size has been checked. */
static uint64_t content_size(const sheaf_npz_content *c)
{
	uint64_t size = (uint64_t)c->array.dtype->size;
	for (int d = 0; d < c->array.rank; d++) size *= (uint64_t)c->array.shape[d];
	return size;
}

/* Gives a member its place before its bytes are there: its header and all its strands, which have equal
 * sizes, lie one after the other, and each strand writes to its own place. */
sheaf_status sheaf_npz_plan_member(sheaf_npz_list *list, const sheaf_npz_content *c, sheaf_error *err)
{
	sheaf_npz_planned *p = &list->planned[list->nplanned++];
	uint64_t size = content_size(c);
	*p = (sheaf_npz_planned){.header = {.cx = list->zip.cx}, .parts = c->parts, .nparts = c->nparts};
	sheaf_array_put_header(&p->header, &c->array);
	SHEAF_TRY(sheaf_builder_status(&p->header, err));
	p->head = (sheaf_zip_head){.name = c->name, .size = p->header.size + size};
	p->head.stored = p->head.size;
	SHEAF_TRY(sheaf_zip_reserve(&list->zip, &p->head, true, err));
	int64_t at = list->zip.end - (int64_t)size, each = (int64_t)size / c->nparts;
	for (int i = 0; i < c->nparts; i++)
		SHEAF_TRY(sheaf_strand_place(&c->parts[i], list->zip.sink, at + i * each, err));
	return SHEAF_OK;
}

/* Completes the members that have a place. The checksum of a member is joined from those of the array's
 * header and of each strand. */
sheaf_status sheaf_npz_end_planned(sheaf_npz_list *list, sheaf_error *err)
{
	for (int m = 0; m < list->nplanned; m++) {
		sheaf_npz_planned *p = &list->planned[m];
		p->head.sum = sheaf_crc32(0, p->header.data, p->header.size);
		for (int i = 0; i < p->nparts; i++) {
			SHEAF_TRY(sheaf_strand_end(&p->parts[i], err));
			p->head.sum = sheaf_crc32_join(p->head.sum, p->parts[i].sum, p->parts[i].size);
		}
		SHEAF_TRY(sheaf_zip_put(&list->zip, &p->head, sheaf_builder_bytes(&p->header), err));
	}
	return SHEAF_OK;
}

/* ---- arrays as they arrive ---- */

static sheaf_status write_built(const sheaf_npz_list *list, const sheaf_builder *b, sheaf_error *err)
{
	SHEAF_TRY(sheaf_builder_status(b, err));
	return sheaf_sink_write(list->zip.sink, b->data, b->size, err);
}

/* Writes the local header of the next member, at the end of the sink. */
static sheaf_status write_local(const sheaf_npz_list *list, sheaf_zip_head *m, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = list->zip.cx};
	m->at = (uint64_t)sheaf_sink_tell(list->zip.sink);
	sheaf_zip_find_length(m);
	if (!m->method) sheaf_zip_find_padding(m);
	sheaf_zip_put_local(&b, m);
	return write_built(list, &b, err);
}

/* Writes the local header of a member whose bytes follow, and the header of its array. The size that is
 * expected decides whether the member needs ZIP's long form; from then on, sizes are those that have been
 * written. */
sheaf_status sheaf_npz_begin_array(sheaf_npz_list *list, const sheaf_npz_content *c, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder header = {.cx = list->zip.cx};
	sheaf_zip_head *m = &list->array;
	*m = (sheaf_zip_head){.name = c->name, .size = content_size(c), .later = true};
	SHEAF_TRY(write_local(list, m, err));
	sheaf_array_put_header(&header, &c->array);
	m->sum = sheaf_crc32(0, header.data, header.size);
	m->size = m->stored = header.size;
	list->zip.members++;
	return write_built(list, &header, err);
}

sheaf_status sheaf_npz_write_array(sheaf_npz_list *list, const sheaf_npz_content *c, const void *bytes,
                                   size_t size, sheaf_error *err)
{
	if (list->zip.members == 0) SHEAF_TRY(sheaf_npz_begin_array(list, c, err));
	list->array.sum = sheaf_crc32(list->array.sum, bytes, size);
	list->array.size += size;
	list->array.stored += size;
	return sheaf_sink_write(list->zip.sink, bytes, size, err);
}

sheaf_status sheaf_npz_end_array(sheaf_npz_list *list, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder sum = {.cx = list->zip.cx};
	sheaf_zip_put_sum(&sum, &list->array);
	sheaf_zip_put_in_list(&list->zip.list, &list->array);
	return write_built(list, &sum, err);
}

/* ---- members in memory ---- */

/* Deflates the array's header and its items as one into `to`, which stays empty if that makes them no
 * shorter, as the room is that of the bytes as they are. */
static sheaf_status deflate(const sheaf_npz_list *list, const sheaf_npz_content *c,
                            const sheaf_builder *header, sheaf_builder *to, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder plain = {.cx = list->zip.cx};
	sheaf_builder_append(&plain, header->data, header->size);
	for (int i = 0; i < c->nparts; i++)
		sheaf_builder_append(&plain, c->parts[i].held.data, c->parts[i].held.size);
	SHEAF_TRY(sheaf_builder_status(&plain, err));
	sheaf_deflater *deflater = sheaf_deflater_new(list->level);
	if (!deflater)
		return sheaf_fail(err, SHEAF_NOMEM, "%s: expected memory to compress with, found none",
		                  sheaf_sink_name(list->zip.sink));
	if (sheaf_builder_room(to, plain.size))
		to->size = sheaf_deflate_raw(deflater, plain.data, plain.size, to->data, plain.size);
	sheaf_deflater_free(deflater);
	return sheaf_builder_status(to, err);
}

/* Writes a member whose strands have stayed in memory. The checksum and the size are those of the array's
 * header and its items before compression. The member is deflated (ZIP's method 8) only if that makes it
 * shorter: `packed` is empty otherwise, and the bytes are stored as they are (method 0). */
sheaf_status sheaf_npz_put_member(sheaf_npz_list *list, const sheaf_npz_content *c, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder header = {.cx = list->zip.cx};
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder packed = {.cx = list->zip.cx};
	for (int i = 0; i < c->nparts; i++) SHEAF_TRY(sheaf_builder_status(&c->parts[i].held, err));
	sheaf_array_put_header(&header, &c->array);
	SHEAF_TRY(sheaf_builder_status(&header, err));
	if (list->level) SHEAF_TRY(deflate(list, c, &header, &packed, err));
	sheaf_zip_head m = {.name = c->name, .size = header.size, .method = packed.size ? 8 : 0};
	m.sum = sheaf_crc32(0, header.data, header.size);
	for (int i = 0; i < c->nparts; i++) {
		m.size += c->parts[i].held.size;
		m.sum = sheaf_crc32(m.sum, c->parts[i].held.data, c->parts[i].held.size);
	}
	m.stored = packed.size ? packed.size : m.size;
	SHEAF_TRY(write_local(list, &m, err));
	sheaf_zip_put_in_list(&list->zip.list, &m);
	list->zip.members++;
	if (packed.size) return write_built(list, &packed, err);
	SHEAF_TRY(write_built(list, &header, err));
	for (int i = 0; i < c->nparts; i++) SHEAF_TRY(write_built(list, &c->parts[i].held, err));
	return SHEAF_OK;
}

/* ---- the list ---- */

sheaf_status sheaf_npz_put_list(sheaf_npz_list *list, sheaf_error *err)
{
	if (list->nplanned) return sheaf_zip_finish(&list->zip, err);
	sheaf_zip_put_end(&list->zip.list, list->zip.members, sheaf_sink_tell(list->zip.sink));
	return write_built(list, &list->zip.list, err);
}
