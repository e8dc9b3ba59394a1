/* SPDX-License-Identifier: MIT */
/* Lines: the part common to all kernels, which only process whole blocks. */
#include "number/kernels/lines.h"
#include "number/kernels/kernel.h"

static uint64_t mask_rest(const uint8_t *at, const uint8_t *end)
{
	uint64_t mask = 0;
	for (int i = 0; at + i < end; i++) mask |= (uint64_t)(at[i] == '\n') << i;
	return mask;
}

int64_t sheaf_count_feeds(const uint8_t *at, const uint8_t *end)
{
	int64_t blocks = (end - at) / SHEAF_LINES_BLOCK, n = sheaf_kernel_chosen()->count_feeds(at, blocks);
	for (at += blocks * SHEAF_LINES_BLOCK; at < end; at++) n += *at == '\n';
	return n;
}

int64_t sheaf_count_ends(const uint8_t *at, const uint8_t *end)
{
	int64_t blocks = (end - at) / SHEAF_LINES_BLOCK, n = sheaf_kernel_chosen()->count_ends(at, blocks);
	const uint8_t *rest = at + blocks * SHEAF_LINES_BLOCK;
	for (const uint8_t *c = rest; c < end; c++) n += *c == '\r' || (*c == '\n' && (c == at || c[-1] != '\r'));
	return n;
}

void sheaf_lines_begin(sheaf_lines *lines, const uint8_t *at, const uint8_t *end)
{
	lines->at = at;
	lines->end = end;
	lines->block = lines->blocks = at;
	lines->mask = 0;
	lines->next = lines->count = 0;
}

/* As many whole blocks as there are masks for, or else what is left, less than a block, as one mask. */
bool sheaf_lines_refill(sheaf_lines *lines)
{
	int64_t left = lines->end - lines->at, blocks = left / SHEAF_LINES_BLOCK;
	if (left == 0) return false;
	lines->next = 0;
	lines->blocks = lines->at;
	lines->count = blocks < SHEAF_LINES_BATCH ? (int)blocks : SHEAF_LINES_BATCH;
	if (blocks > 0) {
		sheaf_kernel_chosen()->find_feeds(lines->at, lines->count, lines->masks);
		lines->at += (int64_t)lines->count * SHEAF_LINES_BLOCK;
	} else {
		lines->masks[lines->count++] = mask_rest(lines->at, lines->end);
		lines->at = lines->end;
	}
	return true;
}
