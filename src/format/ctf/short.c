/* SPDX-License-Identifier: MIT */
/* Short lines, many at once: a kernel puts their numbers on a tape, from which they go into the columns line
 * by line. A line is checked before anything of it is taken, so that one with anything unusual can be left
 * untouched. */
#include "base/context.h"
#include "format/ctf/ctf.h"
#include <string.h>

/* Bytes of a line that count as short; lines below which a reading does not pay; most lines to wait after
 * such ones. */
enum { SHORT_LINE = 128, WORTHWHILE = 4, LONGEST_PAUSE = 64 };

/* A line on a tape. */
typedef struct short_line {
	sheaf_ctf_line text;
	size_t first, feed; /* events: its first mark, its feed */
	uint64_t id;
} short_line;

/* ---- streams ---- */

/* The stream of a name, or -1. Names mostly come in the same order, and short ones are compared as one word.
 */
static int find_stream(const sheaf_ctf_decoding *d, const uint8_t *name, int after)
{
	int next = after + 1 < d->in->nstreams ? after + 1 : 0;
	const sheaf_ctf_column *column = &d->columns[next];
	if (column->name_bits && d->end - name > (ptrdiff_t)sizeof(uint64_t)) {
		uint64_t word;
		memcpy(&word, name, sizeof word);
		bool begins = ((word ^ column->name) & column->name_bits) == 0;
		if (begins && sheaf_ctf_is(name[column->name_size], CTF_ENDS_NAME)) return next;
	}
	const uint8_t *end = name;
	while (end < d->end && !sheaf_ctf_is(*end, CTF_ENDS_NAME)) end++;
	return sheaf_names_find(&d->in->names, name, (size_t)(end - name), after);
}

/* ---- looking ---- */

/* Whether a list has the form of its stream, and is the stream's first on this line. */
static bool is_plain(sheaf_ctf_decoding *d, const sheaf_tape *tape, size_t event, int stream)
{
	sheaf_ctf_column *column = &d->columns[stream];
	size_t values = tape->values_before[event + 1] - tape->values_before[event];
	size_t first = tape->indices_before[event], n = tape->indices_before[event + 1] - first;
	uint32_t most = 0;
	if (column->looked_on == d->line) return false;
	column->looked_on = d->line;
	if (!column->sparse) return n == 0 && (int64_t)values == column->dim;
	if (n != values || n == 0 || d->in->guessed) return n == values;
	const uint32_t *indices = tape->indices + first;
	for (size_t i = 0; i < n; i++) most = indices[i] > most ? indices[i] : most;
	return most < column->dim;
}

static bool look_at(sheaf_ctf_decoding *d, const sheaf_tape *tape, short_line *line)
{
	int stream = -1;
	if (line->feed == line->first || line->feed - line->first > CTF_MOST_LISTS) return false;
	if (!d->in->by_line && !d->open && !line->text.has_id) return false;
	line->text.nlists = (int)(line->feed - line->first);
	for (int i = 0; i < line->text.nlists; i++) {
		size_t event = line->first + (size_t)i;
		stream = find_stream(d, tape->begin + tape->at[event] + 1, stream);
		if (stream < 0 || !is_plain(d, tape, event, stream)) return false;
		line->text.streams[i] = stream;
	}
	return true;
}

/* ---- taking ---- */

/* A few values are copied with a constant size, which may copy some of the next ones; the tape and the
 * destination have room for them. */
static inline void append(sheaf_builder *b, const void *from, size_t n, const size_t size)
{
	enum { FEW = 4 };
	if (!sheaf_builder_room(b, (n + FEW) * size)) return;
	if (n <= FEW)
		memcpy(b->data + b->size, from, FEW * size);
	else
		memcpy(b->data + b->size, from, n * size);
	b->size += n * size;
}

static void take_list(sheaf_ctf_decoding *d, const sheaf_tape *tape, size_t event, int stream)
{
	sheaf_ctf_column *column = &d->columns[stream];
	size_t value = tape->values_before[event], n = tape->values_before[event + 1] - value;
	const uint32_t *indices = tape->indices + tape->indices_before[event];
	if (column->wide_values)
		append(column->values, tape->values.f64 + value, n, sizeof(double));
	else
		append(column->values, tape->values.f32 + value, n, sizeof(float));
	sheaf_ctf_add_samples(d, stream, 1);
	column->seen_on = d->line;
	if (!column->sparse) return;
	for (size_t i = 0; i < n && column->wide_indices; i++) sheaf_builder_i64(column->indices, indices[i]);
	if (!column->wide_indices) append(column->indices, indices, n, sizeof(int32_t));
	sheaf_builder_i64(column->entries, (int64_t)(column->values->size /
	                                             (column->wide_values ? sizeof(double) : sizeof(float))));
}

/* The lines whose feed is on the tape, up to one that is not plain. *last becomes the last line that was
 * taken. */
static sheaf_status take_lines(sheaf_ctf_decoding *d, const sheaf_tape *tape, int *lines,
                               sheaf_ctf_line *last)
{
	short_line line;
	size_t event = 0, id = 0;
	for (*lines = 0;; ++*lines) {
		line.first = line.feed = event;
		while (line.feed < tape->nevents && tape->begin[tape->at[line.feed]] != tape->delimiters->feed)
			line.feed++;
		if (line.feed == tape->nevents) return SHEAF_OK;
		line.text.begin = d->at;
		line.text.end = tape->begin + tape->at[line.feed] + 1;
		line.text.has_id = sheaf_ctf_is_digit(*d->at);
		line.id = line.text.has_id ? tape->ids[id++] : 0;
		if (!look_at(d, tape, &line)) return SHEAF_OK;
		d->line_start = line.text.begin;
		SHEAF_TRY(sheaf_ctf_enter_sequence(d, line.text.has_id, line.id));
		for (int i = 0; i < line.text.nlists; i++)
			take_list(d, tape, line.first + (size_t)i, line.text.streams[i]);
		d->sequence_lines++;
		d->line++;
		d->at = line.text.end;
		*last = line.text;
		event = line.feed + 1;
	}
}

/* ---- the choice ---- */

/* A tape has one type of values for all streams. If few lines are plain, or the last one was long, the next
 * are not tried. */
sheaf_status sheaf_ctf_read_short(sheaf_ctf_decoding *d)
{
	sheaf_tape tape;
	sheaf_ctf_line last;
	int lines;
	const sheaf_field *fields = d->in->schema.fields;
	bool wide = fields[0].type == SHEAF_F64, alike = true;
	for (int s = 1; s < d->in->nstreams; s++) alike &= fields[s].type == fields[0].type;
	sheaf_tape_reader *read = !alike ? NULL : wide ? d->kernel->lines_f64 : d->kernel->lines_f32;
	while (read && d->at < d->end && d->at - d->line_start <= SHORT_LINE) {
		if (d->waiting > 0) {
			d->waiting--;
			break;
		}
		tape.delimiters = &sheaf_ctf_delimiters;
		tape.begin = d->at;
		tape.end = d->end;
		read(&tape);
		SHEAF_TRY(take_lines(d, &tape, &lines, &last));
		d->pause = lines >= WORTHWHILE                ? 0
		           : d->pause * 2 + 1 < LONGEST_PAUSE ? d->pause * 2 + 1
		                                              : LONGEST_PAUSE;
		d->waiting = d->pause;
		if (lines == 0) break;
		SHEAF_TRY(sheaf_ctf_read_alike(d, &last));
	}
	return SHEAF_OK;
}
