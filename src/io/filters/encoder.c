/* SPDX-License-Identifier: MIT */
/* Compression of the bytes given to a sink. */
#include "io/filters/encoder.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "base/third/filled.h"

enum { OUT_STEP = 256 << 10 };

static sheaf_status refuse(const sheaf_encoder *e, const sheaf_filter *filter, sheaf_status status,
                           const char *found, sheaf_error *err)
{
	if (status == SHEAF_LIMIT) found = "that the limit (" SHEAF_OPTION("max-memory") ") is reached";
	if (status == SHEAF_NOMEM) found = "none";
	return sheaf_fail(err, status, "%s: expected %s to compress by %s, found %s", e->name,
	                  status == SHEAF_USAGE ? "bytes" : "memory", filter->name, found);
}

sheaf_status sheaf_encoder_open(sheaf_encoder *e, const sheaf_filter *filter, sheaf_context *cx,
                                const char *name, sheaf_error *err)
{
	void *out;
	*e = (sheaf_encoder){.memory = {.cx = cx}, .name = name};
	SHEAF_TRY(sheaf_allocate(cx, OUT_STEP, &out, err));
	sheaf_status status = sheaf_coder_open(&filter->encoder, &e->memory, &e->state);
	if (status) {
		sheaf_release(cx, out, OUT_STEP);
		return refuse(e, filter, status, NULL, err);
	}
	e->out = (uint8_t *)out;
	e->filter = filter;
	return SHEAF_OK;
}

sheaf_status sheaf_encoder_write(sheaf_encoder *e, const void *data, size_t size, bool finish,
                                 sheaf_byte_store to, sheaf_error *err)
{
	sheaf_filter_step step = {.in = (const uint8_t *)data, .in_left = size};
	while (finish ? !step.ended : step.in_left > 0) {
		SHEAF_TRY(sheaf_check_stop(e->memory.cx, err));
		step.out = e->out;
		step.out_left = OUT_STEP;
		sheaf_status status = e->filter->encoder.run(e->state, &step, finish);
		SHEAF_FILLED(e->out, OUT_STEP - step.out_left);
		if (status) return refuse(e, e->filter, status, step.found, err);
		if (step.out_left < OUT_STEP) SHEAF_TRY(to.store(to.user, e->out, OUT_STEP - step.out_left, err));
	}
	return SHEAF_OK;
}

void sheaf_encoder_close(sheaf_encoder *e)
{
	if (!e->filter) return;
	sheaf_coder_close(&e->filter->encoder, &e->memory, e->state);
	sheaf_release(e->memory.cx, e->out, OUT_STEP);
	*e = (sheaf_encoder){0};
}
