/* SPDX-License-Identifier: MIT */
/* Decompression of a raw input: a file of one or several members, one after the other, as the compressors
 * make them when files are concatenated. Between members, zeros may be padding; anything else is refused by
 * its place. */
#include "io/filters/decoder.h"
#include "base/context.h"
#include "base/spell.h"
#include "base/third/filled.h"
#include "io/descriptor.h"
#include <inttypes.h>

enum { INPUT_STEP = 256 << 10 };

static sheaf_status out_of_memory(const sheaf_raw *raw, const sheaf_filter *filter, sheaf_status status,
                                  sheaf_error *err)
{
	return sheaf_fail(err, status, "%s: expected memory to decode %s, found %s", raw->name, filter->name,
	                  status == SHEAF_LIMIT ? "that the limit (" SHEAF_OPTION("max-memory") ") is reached"
	                                        : "none");
}

sheaf_status sheaf_decoder_open(sheaf_decoder *d, const sheaf_filter *filter, sheaf_raw *raw,
                                sheaf_builder *head, sheaf_error *err)
{
	*d = (sheaf_decoder){.memory = {.cx = raw->cx}, .is_first = true};
	sheaf_status status = sheaf_coder_open(&filter->decoder, &d->memory, &d->state);
	if (status) return out_of_memory(raw, filter, status, err);
	d->filter = filter;
	d->input = *head;
	sheaf_builder_begin(head, raw->cx, NULL);
	d->in = d->input.data;
	d->in_left = d->input.size;
	if (raw->kind == SHEAF_RAW_MEMORY) {
		d->in = raw->memory.data;
		d->in_left = raw->memory.size;
		raw->at = (int64_t)raw->memory.size;
		d->raw_has_ended = true;
	}
	return SHEAF_OK;
}

void sheaf_decoder_close(sheaf_decoder *d)
{
	if (!d->filter) return;
	sheaf_coder_close(&d->filter->decoder, &d->memory, d->state);
	sheaf_builder_drop(&d->input);
	*d = (sheaf_decoder){0};
}

static sheaf_status ends_inside(const sheaf_decoder *d, const sheaf_raw *raw, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_SHORT,
	                  "%s (byte %" PRId64
	                  " of the file): expected the rest of the data, found that the file ends inside %s",
	                  raw->name, raw->at, d->filter->a_member);
}

/* Reads more stored bytes, and keeps those that are not decoded. */
static sheaf_status feed(sheaf_decoder *d, sheaf_raw *raw, sheaf_error *err)
{
	size_t got;
	sheaf_builder *input = &d->input;
	memmove(input->data, d->in, d->in_left); /* at most a few bytes of a signature */
	input->size = d->in_left;
	d->in = input->data;
	if (!sheaf_builder_room(input, INPUT_STEP - input->size))
		return out_of_memory(raw, d->filter, input->failed, err);
	d->in = input->data;
	SHEAF_TRY(sheaf_raw_read(raw, input->data + input->size, INPUT_STEP - input->size, &got, err));
	input->size += got;
	d->in_left += got;
	d->raw_has_ended = got == 0;
	return SHEAF_OK;
}

/* Between members: begins the next one, or ends. */
static sheaf_status find_member(sheaf_decoder *d, sheaf_raw *raw, sheaf_error *err)
{
	sheaf_match match;
	for (;;) {
		while (d->filter->zero_padded && !d->is_first && d->in_left > 0 && *d->in == 0) d->in++, d->in_left--;
		match = sheaf_filter_match(d->filter, d->in, d->in_left);
		if (match != SHEAF_MATCH_PARTLY || d->raw_has_ended) break;
		SHEAF_TRY(feed(d, raw, err));
	}
	if (match == SHEAF_MATCH_NO)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s (byte %" PRId64 " of the file): expected %s or the end, found a byte of value "
		                  "%d that begins neither",
		                  raw->name, raw->at - (int64_t)d->in_left, d->filter->a_member, *d->in);
	if (match == SHEAF_MATCH_PARTLY) {
		if (d->in_left > 0) return ends_inside(d, raw, err);
		d->has_ended = true;
		return SHEAF_OK;
	}
	sheaf_status status = d->is_first ? SHEAF_OK : d->filter->decoder.restart(d->state);
	if (status) return out_of_memory(raw, d->filter, status, err);
	d->is_first = false;
	d->is_inside = true;
	return SHEAF_OK;
}

static sheaf_status refuse_member(const sheaf_decoder *d, const sheaf_raw *raw, sheaf_status status,
                                  const char *found, sheaf_error *err)
{
	if (status == SHEAF_NOMEM || status == SHEAF_LIMIT) return out_of_memory(raw, d->filter, status, err);
	return sheaf_fail(err, status,
	                  "%s (byte %" PRId64 " of the file): expected %s that can be decoded, found %s",
	                  raw->name, raw->at - (int64_t)d->in_left, d->filter->a_member, found);
}

/* One call of the filter inside a member; reads more if the filter cannot go on without it. */
static sheaf_status decode(sheaf_decoder *d, sheaf_raw *raw, sheaf_filter_step *step, sheaf_error *err)
{
	size_t in_before = d->in_left, out_before = step->out_left;
	step->in = d->in;
	step->in_left = d->in_left;
	SHEAF_UNSEEN_BEGIN();
	sheaf_status status = d->filter->decoder.run(d->state, step, false);
	SHEAF_UNSEEN_END();
	SHEAF_FILLED(step->out - (out_before - step->out_left), out_before - step->out_left);
	d->in = step->in;
	d->in_left = step->in_left;
	if (status) return refuse_member(d, raw, status, step->found, err);
	if (step->ended) {
		d->is_inside = false;
		return SHEAF_OK;
	}
	if (d->in_left < in_before || step->out_left < out_before) return SHEAF_OK;
	/* Only a call that moved nothing shows that the filter has given everything: then more must be read. */
	if (d->in_left > 0) return refuse_member(d, raw, SHEAF_DATA, "bytes that it stops at", err);
	return d->raw_has_ended ? ends_inside(d, raw, err) : feed(d, raw, err);
}

sheaf_status sheaf_decoder_read(sheaf_decoder *d, sheaf_raw *raw, void *data, size_t size, size_t *got,
                                sheaf_error *err)
{
	sheaf_filter_step step = {.out = (uint8_t *)data, .out_left = size};
	sheaf_error failure = {0};
	sheaf_status status = SHEAF_OK;
	*got = 0;
	if (d->failure.status) return sheaf_fail_again(err, &d->failure);
	while (!status && step.out_left == size && !d->has_ended) {
		status = sheaf_check_stop(raw->cx, &failure);
		if (!status) status = d->is_inside ? decode(d, raw, &step, &failure) : find_member(d, raw, &failure);
	}
	if (!status) {
		*got = size - step.out_left;
		return SHEAF_OK;
	}
	/* A failure of the system or of the caller may be temporary. Others are kept and returned again, since
	 * the libraries do not promise to fail twice. */
	if (status != SHEAF_IO && status != SHEAF_STOPPED) d->failure = failure;
	return sheaf_fail_again(err, &failure);
}
