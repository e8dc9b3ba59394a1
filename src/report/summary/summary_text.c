/* SPDX-License-Identifier: MIT */
/* A summary as text. */
#include "base/need.h"
#include "report/text.h"

sheaf_status sheaf_summary_text(const sheaf_summary *s, const sheaf_summary_options *options,
                                sheaf_buffer *out, sheaf_error *err)
{
	enum { USUAL_WIDTH = 80, LEAST_WIDTH = 40 };
	sheaf_summary_options o = {.style = SHEAF_TEXT};
	SHEAF_NEED(out, "a place for the outcome");
	sheaf_buffer_reset(out);
	SHEAF_NEED(s, "a summary");
	if (options && options->size != sizeof *options)
		return sheaf_misuse(err, __func__, "expected options of %zu bytes, found %zu", sizeof *options,
		                    options->size);
	if (options) o = *options;
	SHEAF_EXPECT((unsigned)o.style <= SHEAF_JSON, "a style", (int)o.style);
	if (o.draw && o.drawing.width == 0) o.drawing.width = USUAL_WIDTH;
	if (o.drawing.width && o.drawing.width < LEAST_WIDTH) o.drawing.width = LEAST_WIDTH;
	SHEAF_TRY(sheaf_summary_join(s, err));
	if (o.other) SHEAF_TRY(sheaf_summary_join(o.other, err));
	sheaf_builder b;
	sheaf_builder_begin(&b, s->cx, out);
	locale_t before = sheaf_points_begin();
	sheaf_status status = SHEAF_OK;
	if (o.style == SHEAF_JSON)
		sheaf_summary_json(s, o.other, &b);
	else
		status = sheaf_summary_lines(s, &o, &b, err);
	sheaf_points_end(before);
	if (status == SHEAF_OK) return sheaf_builder_finish(&b, out, err);
	sheaf_builder_drop(&b);
	return status;
}
