/* SPDX-License-Identifier: MIT */
/* All parts of a job: each of them once, and all of the same job.
 *
 * Parts are made by different processes, perhaps on different machines and days, and a merge of parts that do
 * not belong together would be an output that nobody asked for. So everything that a part says of its job is
 * compared with what the first one says, and each refusal names two files and the difference. */
#include "base/memory.h"
#include "io/source.h"
#include "job/part/part_file.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(const sheaf_part_file *part) { return sheaf_source_name(part->source); }

/* ---- of one job ---- */

/* The first line of a text that another one lacks, and its *size; NULL: the other one has all of them. */
static const char *line_beside(const char *text, const char *other, size_t *size)
{
	for (; *text; text += *size + (text[*size] == '\n')) {
		size_t n = 0;
		const char *line = other;
		*size = strcspn(text, "\n");
		for (; *line; line += n + (line[n] == '\n')) {
			n = strcspn(line, "\n");
			if (n == *size && memcmp(text, line, n) == 0) break;
		}
		if (!*line) return text;
	}
	return NULL;
}

/* Fails because two parts were made with different options; names one option that only one of them has. */
static sheaf_status refuse_options(const sheaf_part_file *a, const sheaf_part_file *b, sheaf_error *err)
{
	enum { MOST = 200 };
	size_t size = 0;
	const char *only_in_b = line_beside(b->head.options, a->head.options, &size);
	const char *only_in_a = only_in_b ? NULL : line_beside(a->head.options, b->head.options, &size);
	const char *line = only_in_b ? only_in_b : only_in_a ? only_in_a : "";
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s: expected a part made with the options of %s, found other options: %s%.*s",
	                  name_of(b), name_of(a),
	                  only_in_b   ? "with "
	                  : only_in_a ? "without "
	                              : "the same in another order",
	                  size < MOST ? (int)size : MOST, line);
}

/* Checks that two parts fit together: they are of one job, of the same inputs, options and columns, and cut
 * at the same borders. */
static sheaf_status check_fit(const sheaf_part_file *a, const sheaf_part_file *b, sheaf_error *err)
{
	if (strcmp(a->head.job, b->head.job) != 0)
		return sheaf_fail(err, SHEAF_DATA, "%s: expected a part of sheaf %s, as %s is, found one of sheaf %s",
		                  name_of(b), a->head.job, name_of(a), b->head.job);
	if (a->head.parts != b->head.parts)
		return sheaf_fail(err, SHEAF_DATA, "%s: expected one of %d parts, as %s is, found one of %d",
		                  name_of(b), a->head.parts, name_of(a), b->head.parts);
	if (a->head.ninputs != b->head.ninputs)
		return sheaf_fail(err, SHEAF_DATA, "%s: expected a part of %d inputs, as %s is, found one of %d",
		                  name_of(b), a->head.ninputs, name_of(a), b->head.ninputs);
	for (int i = 0; i < a->head.ninputs; i++) {
		const sheaf_part_input *one = &a->head.inputs[i], *other = &b->head.inputs[i];
		if (!sheaf_identity_equal(&one->identity, &other->identity))
			return sheaf_fail(err, SHEAF_DATA,
			                  "%s: expected a part of the same input as %s (%s), found one of another, or "
			                  "of it before it was changed (%s)",
			                  name_of(b), name_of(a), one->path, other->path);
	}
	if (strcmp(a->head.options, b->head.options) != 0) return refuse_options(a, b, err);
	for (int i = 0; i < a->head.ninputs; i++)
		if (a->head.inputs[i].schema != b->head.inputs[i].schema)
			return sheaf_fail(
				err, SHEAF_DATA,
				"%s: expected a part made with the streams or columns of %s, found one made with "
				"others: what declares them was changed",
				name_of(b), name_of(a));
	if (a->common.size == b->common.size && memcmp(a->common.data, b->common.data, a->common.size) == 0)
		return SHEAF_OK;
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s: expected a part made with the borders of %s, found one made with another index or "
	                  "another release",
	                  name_of(b), name_of(a));
}

/* ---- each of them once ---- */

static int by_number(const void *a, const void *b)
{
	return ((const sheaf_part_file *)a)->head.part - ((const sheaf_part_file *)b)->head.part;
}

static sheaf_status refuse_gap(const sheaf_part_file *any, int number, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_USAGE, "%s: expected all %d parts beside it, found part %d/%d missing",
	                  name_of(any), any->head.parts, number, any->head.parts);
}

/* Checks that parts, which are sorted by now, are all there and each is there once: each must have the
 * number of its place. */
static sheaf_status check_numbers(const sheaf_part_set *set, sheaf_error *err)
{
	for (int i = 0; i < set->n; i++) {
		const sheaf_part_file *part = &set->parts[i];
		if (i > 0 && part[-1].head.part == part->head.part)
			return sheaf_fail(err, SHEAF_USAGE, "%s: expected each part once, found part %d/%d in %s, too",
			                  name_of(part), part->head.part, part->head.parts, name_of(part - 1));
		if (part->head.part != i + 1) return refuse_gap(part, i + 1, err);
	}
	return set->n == set->parts->head.parts ? SHEAF_OK : refuse_gap(set->parts, set->n + 1, err);
}

/* Opens all parts, which come in any order, and sorts them. The first one that is opened is the one that
 * all others are compared with. On failure all sources are closed. */
sheaf_status sheaf_part_set_take(sheaf_source *const *sources, int n, sheaf_context *cx, sheaf_part_set *out,
                                 sheaf_error *err)
{
	int taken = 0;
	*out = (sheaf_part_set){.cx = cx};
	sheaf_status status = sheaf_allocate_array(cx, (uint64_t)n, sizeof *out->parts, &out->parts, err);
	if (status == SHEAF_OK) out->n = n;
	for (; taken < n && status == SHEAF_OK; taken++) {
		status = sheaf_part_open(sources[taken], cx, &out->parts[taken], err);
		if (status == SHEAF_OK) status = check_fit(&out->parts[0], &out->parts[taken], err);
	}
	if (status == SHEAF_OK) {
		qsort(out->parts, (size_t)n, sizeof *out->parts, by_number);
		status = check_numbers(out, err);
	}
	if (status == SHEAF_OK) return SHEAF_OK;
	for (; taken < n; taken++) sheaf_source_close(sources[taken]);
	sheaf_part_set_close(out);
	return status;
}

/* Closes all parts. Places of parts that were not opened are zeros, of which there is nothing to close. */
void sheaf_part_set_close(sheaf_part_set *set)
{
	for (int i = 0; i < set->n; i++) sheaf_part_close(&set->parts[i]);
	sheaf_release(set->cx, set->parts, (size_t)set->n * sizeof *set->parts);
	*set = (sheaf_part_set){0};
}

/* Checks that an input is the one that the part was made of. The time of the last change is part of the
 * identity, so an input that was only touched is refused, too. */
sheaf_status sheaf_part_check_input(const sheaf_part_file *part, int input, sheaf_source *source,
                                    sheaf_error *err)
{
	sheaf_identity now;
	const sheaf_part_input *then = &part->head.inputs[input];
	SHEAF_TRY(sheaf_source_stamp(source, &now, err));
	SHEAF_TRY(sheaf_source_identify(source, &now, &now, err));
	if (sheaf_identity_equal(&now, &then->identity)) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_DATA, "%s: expected the input that %s was made of, found it changed since",
	                  then->path, name_of(part));
}
