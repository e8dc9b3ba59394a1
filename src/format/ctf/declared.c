/* SPDX-License-Identifier: MIT */
/* Whether declared streams exist: a mistyped name would be an empty stream. */
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "format/ctf/ctf.h"
#include "io/descriptor.h"
#include "io/source.h"
#include <sheaf/option.h>
#include <stdio.h>
#include <string.h>

enum { LOOK = 64 << 10, UNKNOWN = 8, NAME = 64 };

/* The names of streams in the beginning of the input. */
typedef struct names_seen {
	const sheaf_ctf_reader *in;
	bool *seen; /* of the declared ones */
	char unknown[UNKNOWN][NAME];
	int nunknown;
	bool any;
} names_seen;

static void see_name(names_seen *n, const uint8_t *name, size_t size)
{
	int stream = sheaf_names_find(&n->in->names, name, size, -1);
	n->any = true;
	if (stream >= 0) {
		n->seen[stream] = true;
		return;
	}
	if (size >= NAME || n->nunknown == UNKNOWN) return;
	for (int i = 0; i < n->nunknown; i++)
		if (strlen(n->unknown[i]) == size && memcmp(n->unknown[i], name, size) == 0) return;
	memcpy(n->unknown[n->nunknown], name, size);
	n->unknown[n->nunknown++][size] = '\0';
}

/* A name that may continue beyond the end is ignored. */
static void see_names(names_seen *n, sheaf_bytes head, bool whole)
{
	const uint8_t *at = head.data, *end = head.data + head.size;
	while (at < end && (at = (const uint8_t *)memchr(at, '|', (size_t)(end - at)))) {
		const uint8_t *name = ++at;
		while (at < end && !sheaf_ctf_is(*at, CTF_ENDS_NAME)) at++;
		if (at > name && (at < end || whole) && *name != '#') see_name(n, name, (size_t)(at - name));
	}
}

static const char *unknown_at(const void *user, int i)
{
	const names_seen *n = (const names_seen *)user;
	return i < n->nunknown ? n->unknown[i] : NULL;
}

static sheaf_status refuse(const names_seen *n, int stream, const char *near, sheaf_error *err)
{
	char found[UNKNOWN * (NAME + 2) + 8];
	size_t used = (size_t)snprintf(found, sizeof found, "%s", n->nunknown ? "" : "no other");
	for (int i = 0; i < n->nunknown; i++)
		used += (size_t)snprintf(found + used, sizeof found - used, "%s%s", i ? ", " : "", n->unknown[i]);
	const char *source = sheaf_source_name(n->in->source), *name = n->in->names.names[stream].text;
	if (near)
		return sheaf_fail_option(err, SHEAF_USAGE, "stream",
		                         " %s: expected a stream of %s, found none of that name; did you mean %s?",
		                         name, source, near);
	return sheaf_fail_option(err, SHEAF_USAGE, "stream",
	                         " %s: expected a stream of %s, found none of that name, but %s (" SHEAF_OPTION(
								 "allow-missing") " reads it as empty)",
	                         name, source, found);
}

/* In a longer input a stream may begin later, unless its name looks like a mistyped one. */
static sheaf_status judge(const names_seen *n, bool whole, sheaf_error *err)
{
	for (int s = 0; s < n->in->names.count && n->any; s++) {
		if (n->seen[s]) continue;
		const char *near = sheaf_nearest_word(n->in->names.names[s].text, unknown_at, n);
		if (near || whole) return refuse(n, s, near, err);
	}
	return SHEAF_OK;
}

sheaf_status sheaf_ctf_check_names(const sheaf_ctf_reader *in, sheaf_error *err)
{
	sheaf_bytes head;
	names_seen n = {.in = in};
	sheaf_error failure;
	if (in->allow_missing || in->names.count == 0) return SHEAF_OK;
	sheaf_status status = sheaf_source_ahead(in->source, LOOK, &head, &failure);
	status = sheaf_forgive(status, "what is wrong with the input is said when it is read");
	if (status) return sheaf_fail_again(err, &failure);
	if (head.size == 0) return SHEAF_OK;
	SHEAF_TRY(sheaf_allocate_array(in->cx, (uint64_t)in->names.count, sizeof *n.seen, &n.seen, err));
	bool whole = head.size < LOOK;
	if (!whole) head.size = LOOK;
	see_names(&n, head, whole);
	status = judge(&n, whole, err);
	sheaf_release(in->cx, n.seen, (size_t)in->names.count * sizeof *n.seen);
	return status;
}
