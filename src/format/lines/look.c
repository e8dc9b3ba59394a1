/* SPDX-License-Identifier: MIT */
/* A look at an input before it is read: at all of it, or at its first part. All of it is looked at by several
 * threads, each at a part, whose results are added up in order (base/threads/look.h); a first part by one. */
#include "base/threads/look.h"
#include "base/context.h"
#include "format/lines/lined.h"
#include "io/source.h"

typedef struct looking {
	sheaf_lined *in;
	const sheaf_lined_survey *how;
	void *all;
} looking;

typedef struct part {
	sheaf_piece piece;
	uint64_t shown[]; /* the result of its lines */
} part;

/* Skips a byte order mark. */
static sheaf_status pass_mark(sheaf_lined *in, sheaf_error *err)
{
	sheaf_bytes head;
	SHEAF_TRY(sheaf_source_ahead(in->source, 3, &head, err));
	size_t mark = sheaf_utf8_mark(head.data, head.size);
	if (mark) sheaf_source_consume(in->source, mark);
	sheaf_lined_begin(in, 1);
	return SHEAF_OK;
}

static sheaf_status begin(void *user, sheaf_error *err)
{
	const looking *l = (const looking *)user;
	l->how->begin(l->all);
	SHEAF_TRY(sheaf_source_rewind(l->in->source, err));
	return pass_mark(l->in, err);
}

static sheaf_status cut(void *user, void *memory, sheaf_error *err)
{
	enum { BYTES = 1 << 19 };
	return sheaf_lined_cut(((const looking *)user)->in, BYTES, &((part *)memory)->piece, err);
}

static sheaf_status see(void *user, void *memory, sheaf_error *err)
{
	const looking *l = (const looking *)user;
	part *p = (part *)memory;
	l->how->begin(p->shown);
	return l->how->see(p->shown, p->piece.bytes.data, p->piece.bytes.data + p->piece.size, err);
}

static sheaf_status add(void *user, void *memory, sheaf_error *err)
{
	const looking *l = (const looking *)user;
	part *p = (part *)memory;
	const uint8_t *lines = p->piece.bytes.data;
	if (!l->how->add) return l->how->see(l->all, lines, lines + p->piece.size, err);
	l->how->add(l->all, p->shown);
	return SHEAF_OK;
}

static void drop(void *user, void *memory)
{
	(void)user;
	sheaf_buffer_reset(&((part *)memory)->piece.bytes);
}

/* What comes next must be read from the beginning, even if the input breaks off. */
static sheaf_status look_at_all(looking *l, sheaf_error *err)
{
	const sheaf_look look = {sizeof(part) + l->how->size, begin, cut, l->how->add ? see : NULL, add, drop, l};
	SHEAF_TRY(sheaf_source_make_rewindable(l->in->source, err));
	sheaf_status status = sheaf_look_at_all(&look, l->in->cx, err);
	if (status == SHEAF_SHORT || status == SHEAF_DATA)
		status = sheaf_forgive(status, "the rows before come first, and reading meets it after them");
	SHEAF_TRY(status);
	return sheaf_lined_rewind(l->in, NULL, err);
}

/* Shows a survey all lines of the input, or with *glance the whole lines of its first part, or as much as
 * the first line takes. *glance becomes false if that was all of the input. */
sheaf_status sheaf_lined_look(sheaf_lined *in, bool *glance, const sheaf_lined_survey *how, void *all,
                              sheaf_error *err)
{
	sheaf_bytes head;
	const uint8_t *last = NULL;
	if (!*glance) return look_at_all(&(looking){in, how, all}, err);
	how->begin(all);
	SHEAF_TRY(pass_mark(in, err));
	for (size_t most = SHEAF_LINED_GLANCE; *glance && !last; most *= 2) {
		SHEAF_TRY(sheaf_source_ahead(in->source, most, &head, err));
		*glance = head.size >= most;
		if (head.size > most) head.size = most;
		if (*glance) last = (const uint8_t *)memrchr(head.data, '\n', head.size);
	}
	return head.size ? how->see(all, head.data, last ? last + 1 : head.data + head.size, err) : SHEAF_OK;
}
