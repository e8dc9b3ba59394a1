/* SPDX-License-Identifier: MIT */
/* A look at an input before it is read: at all of it, or at its first part. */
#include "base/context.h"
#include "lined/lined.h"

/* A byte order mark is passed over. */
static sheaf_status begin(sheaf_lined *in, sheaf_error *err)
{
	sheaf_bytes head;
	SHEAF_TRY(sheaf_source_ahead(in->source, 3, &head, err));
	if (head.size >= 3 && memcmp(head.data, "\xef\xbb\xbf", 3) == 0) sheaf_source_consume(in->source, 3);
	sheaf_lined_begin(in, 1);
	return SHEAF_OK;
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
	bool broken = status == SHEAF_SHORT || status == SHEAF_DATA;
	if (broken) status = sheaf_forgive(status, "the rows before come first, and reading meets it after them");
	if (status != SHEAF_END) SHEAF_TRY(status);
	return sheaf_lined_rewind(in, err);
}

/* The whole lines of the first part, or as much as the first one takes. */
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
		if (*glance) last = (const uint8_t *)memrchr(head.data, '\n', head.size);
	}
	return head.size ? see(user, head.data, last ? last + 1 : head.data + head.size, err) : SHEAF_OK;
}
