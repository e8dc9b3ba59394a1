/* SPDX-License-Identifier: MIT */
/* A look at an input before it is read: at all of it, or at its first part. */
#include "base/context.h"
#include "base/pipeline.h"
#include "lined/lined.h"

/* Skips a byte order mark. */
static sheaf_status begin(sheaf_lined *in, sheaf_error *err)
{
	sheaf_bytes head;
	SHEAF_TRY(sheaf_source_ahead(in->source, 3, &head, err));
	if (head.size >= 3 && memcmp(head.data, "\xef\xbb\xbf", 3) == 0) sheaf_source_consume(in->source, 3);
	sheaf_lined_begin(in, 1);
	return SHEAF_OK;
}

/* If the input breaks off, or ends: what comes next must be read from the beginning. */
static sheaf_status end_look(sheaf_lined *in, sheaf_status status, sheaf_error *err)
{
	bool broken = status == SHEAF_SHORT || status == SHEAF_DATA;
	if (broken) status = sheaf_forgive(status, "the rows before come first, and reading meets it after them");
	if (status != SHEAF_END) SHEAF_TRY(status);
	return sheaf_lined_rewind(in, err);
}

static sheaf_status look_at_all(sheaf_lined *in, sheaf_lined_see *see, void *user, sheaf_error *err)
{
	enum { BYTES = 1 << 20 };
	sheaf_piece piece = {0};
	sheaf_status status;
	SHEAF_TRY(sheaf_source_make_rewindable(in->source, err));
	SHEAF_TRY(begin(in, err));
	while ((status = sheaf_lined_cut(in, BYTES, &piece, err)) == SHEAF_OK) {
		status = see(user, piece.bytes.data, piece.bytes.data + piece.size, err);
		if (status == SHEAF_OK) status = sheaf_check_stop(in->cx, err);
		if (status) break;
	}
	sheaf_buffer_reset(&piece.bytes);
	return end_look(in, status, err);
}

/* The whole lines of the first part, or as much as the first line takes. */
sheaf_status sheaf_lined_look(sheaf_lined *in, bool *glance, sheaf_lined_see *see, void *user,
                              sheaf_error *err)
{
	sheaf_bytes head;
	const uint8_t *last = NULL;
	if (!*glance) return look_at_all(in, see, user, err);
	SHEAF_TRY(begin(in, err));
	for (size_t most = SHEAF_LINED_GLANCE; *glance && !last; most *= 2) {
		SHEAF_TRY(sheaf_source_ahead(in->source, most, &head, err));
		*glance = head.size >= most;
		if (head.size > most) head.size = most;
		if (*glance) last = (const uint8_t *)memrchr(head.data, '\n', head.size);
	}
	return head.size ? see(user, head.data, last ? last + 1 : head.data + head.size, err) : SHEAF_OK;
}

/* ---- by several threads ---- */

enum { PART = 1 << 19 /* bytes */ };

typedef struct part {
	sheaf_piece piece;
	uint64_t shown[]; /* the result of its lines */
} part;

static void see_part(void *user, void *item)
{
	const sheaf_lined_survey *how = (const sheaf_lined_survey *)user;
	part *p = (part *)item;
	memcpy(p->shown, how->nothing, how->size);
	how->see(p->shown, p->piece.bytes.data, p->piece.bytes.data + p->piece.size);
}

static void drop_part(void *user, void *item)
{
	(void)user;
	sheaf_buffer_reset(&((part *)item)->piece.bytes);
}

/* Without parts: all that is looked at. */
typedef struct direct {
	const sheaf_lined_survey *how;
	void *all;
} direct;

static sheaf_status see_directly(void *user, const uint8_t *at, const uint8_t *end, sheaf_error *err)
{
	direct *d = (direct *)user;
	(void)err;
	d->how->see(d->all, at, end);
	return SHEAF_OK;
}

/* One more part than there are threads, unless that is too much memory. */
static int depth_for(const sheaf_context *cx)
{
	enum { SHARE = 4 };
	int64_t depth = sheaf_context_threads(cx) + 1;
	return sheaf_max_memory(cx) / SHARE / PART < depth ? 1 : (int)depth;
}

/* Cuts parts while there is room for them, and adds up their results; END after the last one. */
static sheaf_status add_parts(sheaf_lined *in, sheaf_pipeline *pipeline, const sheaf_lined_survey *how,
                              void *all, sheaf_error *err)
{
	sheaf_status status = SHEAF_OK;
	for (part *p; status == SHEAF_OK || sheaf_pipeline_count(pipeline) > 0;) {
		while (status == SHEAF_OK && (p = (part *)sheaf_pipeline_free_item(pipeline))) {
			status = sheaf_lined_cut(in, PART, &p->piece, err);
			if (status == SHEAF_OK) sheaf_pipeline_submit(pipeline);
		}
		if (!(p = (part *)sheaf_pipeline_first(pipeline))) break;
		how->add(all, p->shown);
		sheaf_pipeline_pass(pipeline);
		if (status == SHEAF_OK) status = sheaf_check_stop(in->cx, err);
	}
	return status;
}

sheaf_status sheaf_lined_look_together(sheaf_lined *in, bool *glance, const sheaf_lined_survey *how,
                                       void *all, sheaf_error *err)
{
	sheaf_pipeline pipeline = {0};
	memcpy(all, how->nothing, how->size);
	if (*glance) return sheaf_lined_look(in, glance, see_directly, &(direct){how, all}, err);
	SHEAF_TRY(sheaf_source_make_rewindable(in->source, err));
	SHEAF_TRY(begin(in, err));
	SHEAF_TRY(sheaf_pipeline_open(&pipeline, in->cx, sizeof(part) + how->size, depth_for(in->cx),
	                              (sheaf_pipeline_steps){see_part, NULL, drop_part, (void *)(uintptr_t)how},
	                              err));
	sheaf_status status = add_parts(in, &pipeline, how, all, err);
	sheaf_pipeline_close(&pipeline);
	return end_look(in, status, err);
}
