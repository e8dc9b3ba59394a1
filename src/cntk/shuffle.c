/* SPDX-License-Identifier: MIT */
/* In which order a reader gives its sequences. CNTK's two kinds of readers have the same keys with different
 * meanings. */
#include "base/memory.h"
#include "cntk/config.h"
#include <inttypes.h>
#include <sheaf/option.h>
#include <stdio.h>
#include <string.h>

/* CNTK shuffles within chunks of about this many bytes, unless the file says otherwise. */
static const int64_t WINDOW_BYTES = (int64_t)1 << 32, CHUNK_BYTES = 32 << 20;

/* Finds a key in the reader or in the records around it; END if it is set in none of them. */
static sheaf_status said(const sheaf_cntk *c, sheaf_cntk_reading r, const char *name, sheaf_field_span *field)
{
	return sheaf_cntk_said(c, r.reader, true, name, field);
}

/* ---- whether it shuffles ---- */

/* Reads whether sequences are shuffled: CNTK's default is yes, but not where results are written, and for
 * evaluation only if the reader itself says so, which one that joins deserializers must do. The action is
 * that of the section around a reader of one file. */
static sheaf_status read_randomize(const sheaf_cntk *c, sheaf_cntk_reading r, bool *shuffles)
{
	sheaf_cntk_action action = CNTK_OTHER;
	sheaf_field_span field;
	bool own;
	const sheaf_config_record *from = r.composite ? r.reader : r.reader->outer;
	if (from) SHEAF_TRY(sheaf_cntk_action_of(c, from, true, &action));
	SHEAF_TRY(sheaf_cntk_has(c, r.reader, "randomize", &own));
	*shuffles = action != CNTK_WRITES && (own || action != CNTK_EVALUATES);
	if (action == CNTK_EVALUATES && r.composite && !own)
		return sheaf_cntk_fail(c, r.reader->parts[0].at,
		                       "expected `randomize` in this reader, found none: where a section tests or "
		                       "evaluates, CNTK refuses deserializers without it");
	return *shuffles ? sheaf_cntk_flag(c, r.reader, "randomize", shuffles, &field) : SHEAF_OK;
}

/* Adds the seed, if one is set; it may be any number of 64 bits. */
static sheaf_status add_seed(const sheaf_cntk *c, sheaf_cntk_reading r, sheaf_setting_list to)
{
	sheaf_field_span field;
	char *text;
	uint64_t seed;
	sheaf_status status = said(c, r, "randomizationSeed", &field);
	if (status) return sheaf_cntk_may_lack(status);
	SHEAF_TRY(sheaf_cntk_text(c, field, &text));
	if (sheaf_seed_from_text(text, &seed)) return sheaf_cntk_add(c, to, "seed", text);
	status = sheaf_cntk_refuse(c, field, "a whole number of 64 bits", text);
	sheaf_release_text(c->cx, text);
	return status;
}

/* ---- within which window ---- */

typedef struct window {
	bool said;       /* the configuration sets its size */
	bool in_samples; /* the size is in samples; otherwise in chunks */
	int64_t size;    /* 0: all, or as the order chooses if nothing is said */
} window;

/* Reads the size of the window, if it is set; "auto" means that it is not. */
static sheaf_status read_window(const sheaf_cntk *c, sheaf_cntk_reading r, window *w)
{
	sheaf_field_span field;
	int word = -1;
	sheaf_status status = said(c, r, "randomizationWindow", &field);
	if (status == SHEAF_OK) status = sheaf_cntk_word(c, field, "auto", &word);
	if (status || word == 0) return sheaf_cntk_may_lack(status);
	w->said = true;
	return sheaf_cntk_count(c, field, &w->size);
}

/* Makes the window as many chunks as make up WINDOW_BYTES, of the size that is set for the reader as a whole,
 * whatever size its deserializers set for theirs. */
static sheaf_status read_chunks_in_window(const sheaf_cntk *c, sheaf_cntk_reading r, window *w)
{
	sheaf_field_span field;
	int64_t bytes = CHUNK_BYTES;
	sheaf_status status = said(c, r, "chunkSizeInBytes", &field);
	if (status == SHEAF_OK) status = sheaf_cntk_count(c, field, &bytes);
	if (status == SHEAF_OK && bytes == 0) return sheaf_cntk_refuse(c, field, "at least 1", "0");
	SHEAF_TRY(sheaf_cntk_may_lack(status));
	w->in_samples = false;
	w->size = bytes < WINDOW_BYTES ? WINDOW_BYTES / bytes : 1;
	return SHEAF_OK;
}

/* Reads the window of a reader that joins deserializers, in samples unless it says otherwise. If texts are
 * among its files, only the reader's own keys count, not those of the records around it: without a window of
 * its own it shuffles within chunks, and a unit in samples without one is refused. */
static sheaf_status read_composite_window(const sheaf_cntk *c, sheaf_cntk_reading r, window *w)
{
	static const char unit[] = "sampleBasedRandomizationWindow";
	sheaf_field_span field;
	bool own_unit;
	int word = -1;
	w->in_samples = true;
	sheaf_status status = sheaf_cntk_find(c, r.reader, "randomizationWindow", &field);
	if (status == SHEAF_OK) status = sheaf_cntk_word(c, field, "auto", &word);
	bool own_window = status == SHEAF_OK && word < 0;
	SHEAF_TRY(sheaf_cntk_may_lack(status));
	SHEAF_TRY(sheaf_cntk_has(c, r.reader, unit, &own_unit));
	SHEAF_TRY(sheaf_cntk_flag(c, r.reader, unit, &w->in_samples, &field));
	if (r.text && !own_window) {
		if (!own_unit || !w->in_samples) return read_chunks_in_window(c, r, w);
		return sheaf_cntk_fail(c, r.reader->parts[0].at,
		                       "expected a randomizationWindow beside sampleBasedRandomizationWindow, found "
		                       "none");
	}
	SHEAF_TRY(read_window(c, r, w));
	if (!w->said) w->in_samples = true; /* all of the data, whatever the unit */
	if (w->said && w->size == 0) w->size = 1;
	return SHEAF_OK;
}

/* Adds the settings order, seed, window and timeline, and that batches do not cross sweeps. */
sheaf_status sheaf_cntk_shuffle(const sheaf_cntk *c, sheaf_cntk_reading r, sheaf_setting_list to)
{
	bool shuffles = true, local = r.composite;
	sheaf_field_span field;
	window w = {0};
	SHEAF_TRY(read_randomize(c, r, &shuffles));
	if (shuffles && r.composite) {
		SHEAF_TRY(read_composite_window(c, r, &w));
	} else if (shuffles) {
		SHEAF_TRY(sheaf_cntk_flag(c, r.reader, "sampleBasedRandomizationWindow", &w.in_samples, &field));
		SHEAF_TRY(read_window(c, r, &w));
		if (w.said && w.size == 0) shuffles = false; /* in readers of one file */
	}
	SHEAF_TRY(sheaf_cntk_add_word(c, to, "order", "cntk|file", !shuffles));
	SHEAF_TRY(add_seed(c, r, to));
	char size[48] = "";
	if (w.size) snprintf(size, sizeof size, "%" PRId64, w.size);
	if (w.in_samples) snprintf(size + strlen(size), sizeof size - strlen(size), "samples");
	if (shuffles && *size) SHEAF_TRY(sheaf_cntk_add_text(c, to, "window", size, strlen(size)));
	/* Readers of one file have all workers on one timeline, whatever the configuration says. */
	if (local) SHEAF_TRY(sheaf_cntk_flag(c, r.reader, "localTimeline", &local, &field));
	SHEAF_TRY(sheaf_cntk_add_word(c, to, "timeline", "local|global", !local));
	return sheaf_cntk_add(c, to, "no-cross-sweep", NULL);
}
