/* SPDX-License-Identifier: MIT */
/* The table of compressions, looking one up, and the allocator for the libraries. */
#include "io/filters/filter.h"
#include "base/checked.h"
#include "base/memory.h"
#include "base/third/filled.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const sheaf_filter *const filters[] = {&sheaf_filter_gzip, &sheaf_filter_bzip2, &sheaf_filter_zstd,
                                              &sheaf_filter_xz,
#if SHEAF_LZ4
                                              &sheaf_filter_lz4
#endif
};
enum { FILTERS = sizeof filters / sizeof *filters };

const sheaf_filter *sheaf_filter_at(int i) { return i < FILTERS ? filters[i] : NULL; }

static sheaf_match match_magic(const sheaf_magic *magic, const uint8_t *data, size_t size)
{
	if (magic->size == 0) return SHEAF_MATCH_NO;
	for (size_t i = 0; i < magic->size; i++) {
		if (i == size) return SHEAF_MATCH_PARTLY;
		if ((data[i] & magic->mask[i]) != magic->wanted[i]) return SHEAF_MATCH_NO;
	}
	return SHEAF_MATCH_YES;
}

sheaf_match sheaf_filter_match(const sheaf_filter *filter, const uint8_t *data, size_t size)
{
	sheaf_match first = match_magic(&filter->magics[0], data, size);
	sheaf_match second = match_magic(&filter->magics[1], data, size);
	return first > second ? first : second;
}

const sheaf_filter *sheaf_filter_by_content(const uint8_t *data, size_t size, bool *undecided)
{
	*undecided = false;
	for (int i = 0; i < FILTERS; i++) {
		sheaf_match match = sheaf_filter_match(filters[i], data, size);
		if (match == SHEAF_MATCH_YES) return filters[i];
		if (match == SHEAF_MATCH_PARTLY) *undecided = true;
	}
	return NULL;
}

const sheaf_filter *sheaf_filter_by_suffix(const char *name)
{
	size_t n = strlen(name);
	for (int i = 0; i < FILTERS; i++) {
		size_t suffix = strlen(filters[i]->suffix);
		if (n >= suffix && strncasecmp(name + n - suffix, filters[i]->suffix, suffix) == 0) return filters[i];
	}
	return NULL;
}

/* ---- memory ---- */

/* The libraries free memory without giving its size, so the size is stored before the memory. It takes as
 * much as our alignment, to keep that. */
enum { SIZE_HEADER = 64 };

void *sheaf_filter_allocate(sheaf_filter_memory *memory, size_t count, size_t size)
{
	size_t bytes;
	void *allocated = NULL;
	if (!sheaf_mul_size(&bytes, count, size) || !sheaf_add_size(&bytes, bytes, SIZE_HEADER)) return NULL;
	/* Not sheaf_allocate: xz asks for a hundred megabytes that need not be zeroed. */
	memory->failed = sheaf_reallocate(memory->cx, &allocated, 0, bytes, NULL);
	if (memory->failed) return NULL;
	memcpy(allocated, &bytes, sizeof bytes);
	return (uint8_t *)allocated + SIZE_HEADER;
}

void sheaf_filter_free(sheaf_filter_memory *memory, void *allocated)
{
	if (!allocated) return;
	uint8_t *begin = (uint8_t *)allocated - SIZE_HEADER;
	size_t bytes;
	memcpy(&bytes, begin, sizeof bytes);
	sheaf_release(memory->cx, begin, bytes);
}

sheaf_status sheaf_filter_refused(const sheaf_filter_memory *memory)
{
	return memory->failed ? memory->failed : SHEAF_NOMEM;
}

/* ---- coders ---- */

void sheaf_coder_close(const sheaf_coder *coder, sheaf_filter_memory *memory, void *state)
{
	if (!state) return;
	coder->stop(state);
	sheaf_release(memory->cx, state, coder->state_size);
}

sheaf_status sheaf_coder_open(const sheaf_coder *coder, sheaf_filter_memory *memory, void **state)
{
	SHEAF_TRY(sheaf_allocate(memory->cx, coder->state_size, state, NULL));
	memcpy(*state, &memory, sizeof memory);
	sheaf_status status = coder->start(*state);
	if (status) {
		sheaf_coder_close(coder, memory, *state);
		*state = NULL;
	}
	return status;
}

/* ---- members whole in memory ---- */

/* Runs a decoder until it ends, or gets no further. */
static sheaf_status run_on(const sheaf_filter *filter, void *state, sheaf_filter_step *step)
{
	sheaf_status status = SHEAF_OK;
	for (size_t before = SIZE_MAX; !status && !step->ended && step->in_left + step->out_left != before;) {
		before = step->in_left + step->out_left;
		SHEAF_UNSEEN_BEGIN();
		status = filter->decoder.run(state, step, false);
		SHEAF_UNSEEN_END();
	}
	return status;
}

sheaf_status sheaf_filter_unpack(const sheaf_filter *filter, sheaf_bytes from, uint8_t *to, size_t *size,
                                 sheaf_context *cx, const char **found)
{
	void *state;
	sheaf_filter_memory memory = {.cx = cx};
	sheaf_filter_step step = {.in = from.data, .in_left = from.size, .out = to, .out_left = *size};
	sheaf_status status = sheaf_coder_open(&filter->decoder, &memory, &state);
	if (!status) {
		status = run_on(filter, state, &step);
		sheaf_coder_close(&filter->decoder, &memory, state);
	}
	SHEAF_FILLED(to, *size - step.out_left);
	*found = status == SHEAF_NOMEM || status == SHEAF_LIMIT ? "no memory" : step.found;
	if (status) return status;
	if (step.ended ? step.in_left : step.out_left) return *found = "another number of bytes", SHEAF_DATA;
	*size = step.ended ? *size - step.out_left : SIZE_MAX;
	return SHEAF_OK;
}

sheaf_status sheaf_filter_pack(const sheaf_filter *filter, sheaf_bytes from, sheaf_builder *to,
                               const char **found)
{
	enum { STEP = 1 << 16 };
	void *state;
	sheaf_filter_memory memory = {.cx = to->cx};
	sheaf_filter_step step = {.in = from.data, .in_left = from.size};
	*found = "no memory";
	SHEAF_TRY(sheaf_coder_open(&filter->encoder, &memory, &state));
	sheaf_status status = SHEAF_OK;
	while (!status && !step.ended && sheaf_builder_room(to, STEP)) {
		step.out = to->data + to->size;
		step.out_left = STEP;
		status = filter->encoder.run(state, &step, true);
		SHEAF_FILLED(to->data + to->size, STEP - step.out_left);
		to->size += STEP - step.out_left;
	}
	sheaf_coder_close(&filter->encoder, &memory, state);
	return status ? status : to->failed;
}

sheaf_status sheaf_compression_of(const sheaf_values *values, int *deflate, bool *zstd, sheaf_error *err)
{
	enum { USUAL = 6, MOST = 12 };
	const char *text = sheaf_values_text(values, "compression");
	if (zstd) *zstd = text && strcmp(text, "zstd") == 0;
	*deflate = 0;
	if (!text || strcmp(text, "none") == 0 || (zstd && *zstd)) return SHEAF_OK;
	for (int level = 1; level <= MOST; level++) {
		char leveled[16];
		snprintf(leveled, sizeof leveled, "deflate:%d", level);
		if (strcmp(text, leveled) == 0 || (level == USUAL && strcmp(text, "deflate") == 0)) *deflate = level;
	}
	if (*deflate) return SHEAF_OK;
	return sheaf_fail_option(err, SHEAF_USAGE, "compression",
	                         ": expected none, deflate%s, or deflate:LEVEL with a level of 1 to %d, found %s",
	                         zstd ? ", zstd" : "", MOST, text);
}
