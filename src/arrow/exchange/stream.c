/* SPDX-License-Identifier: MIT */
/* Datasets and other feeds of frames as Arrow streams: four functions, by which another program asks for the
 * schema, the next array, the text of the last failure, and the end. A function returns an errno value, so
 * that the status of a failure gets the nearest one, and the text says the rest. */
#include "arrow/arrow.h"
#include "arrow/memory.h"
#include "base/need.h"
#include "frame/frame.h"
#include <errno.h>
#include <string.h>

/* What a stream owns. */
typedef struct stream {
	sheaf_context *cx;
	sheaf_feed feed;
	sheaf_schema schema;
	sheaf_arrow_plan plan;
	int64_t rows; /* before the next frame */
	sheaf_error failure;
} stream;

/* The errno value that a function of a stream returns for a failure: 0 for none, and at the end. */
static int errno_of(const sheaf_error *err)
{
	switch (err->status) {
	case SHEAF_OK:
	case SHEAF_END: return 0;
	case SHEAF_NOMEM:
	case SHEAF_LIMIT: return ENOMEM;
	case SHEAF_IO: return err->sys ? err->sys : EIO;
	case SHEAF_STOPPED: return ECANCELED;
	case SHEAF_UNSUPPORTED: return ENOTSUP;
	default: return EINVAL;
	}
}

static bool has_failed(const stream *s) { return s->failure.status && s->failure.status != SHEAF_END; }

/* Gives the schema. If the feed has failed before, get_last_error goes on telling of that failure. */
static int get_schema(struct ArrowArrayStream *from, struct ArrowSchema *out)
{
	stream *s = (stream *)from->private_data;
	sheaf_error failure = {0};
	out->release = NULL;
	failure.status = sheaf_arrow_export_schema(&s->plan, out, &failure);
	if (!has_failed(s)) s->failure = failure;
	return errno_of(&failure);
}

/* Gives the next array; the end is one that is released. A failure of the feed sticks: nothing can be read
 * after it. */
static int get_next(struct ArrowArrayStream *from, struct ArrowArray *out)
{
	stream *s = (stream *)from->private_data;
	const sheaf_frame *frame;
	out->release = NULL;
	if (has_failed(s)) return errno_of(&s->failure);
	s->failure.status = s->feed.next(s->feed.user, &frame, &s->failure);
	if (!s->failure.status)
		s->failure.status = sheaf_frame_fits("arrow stream", frame, &s->schema, &s->failure);
	if (!s->failure.status)
		s->failure.status = sheaf_arrow_export_frame(&s->plan, frame, s->rows, out, &s->failure);
	if (!s->failure.status) s->rows += frame->nrows;
	return errno_of(&s->failure);
}

static const char *get_last_error(struct ArrowArrayStream *from)
{
	const stream *s = (const stream *)from->private_data;
	return errno_of(&s->failure) ? s->failure.message : NULL;
}

static void close_feed(const sheaf_feed *feed)
{
	if (feed->close) feed->close(feed->user);
}

/* The feed may free the context, so it is closed after the stream's own memory is released to that. */
static void free_stream(stream *s)
{
	sheaf_context *cx = s->cx;
	sheaf_feed feed = s->feed;
	sheaf_arrow_plan_free(&s->plan);
	sheaf_schema_free(&s->schema);
	sheaf_arrow_release(cx, s, sizeof *s);
	close_feed(&feed);
}

static void release_stream(struct ArrowArrayStream *from)
{
	free_stream((stream *)from->private_data);
	from->release = NULL;
}

/* A stream with a schema of its own, since the caller's may go before it. */
static sheaf_status new_stream(const sheaf_feed *feed, const sheaf_schema *schema,
                               const sheaf_arrow_options *options, sheaf_context *cx, stream **out,
                               sheaf_error *err)
{
	stream *s;
	SHEAF_TRY(sheaf_arrow_allocate(cx, sizeof *s, &s, err));
	*s = (stream){.cx = sheaf_context_owner(cx)};
	sheaf_status status = sheaf_schema_copy(schema, cx, &s->schema, err);
	if (!status) status = sheaf_arrow_plan_new(&s->schema, options, cx, &s->plan, err);
	if (status) {
		free_stream(s);
		return status;
	}
	s->feed = *feed;
	*out = s;
	return SHEAF_OK;
}

/* The feed belongs to the stream: it is closed with it, or at once if no stream can be made. */
sheaf_status sheaf_arrow_stream(const sheaf_feed *feed, const sheaf_schema *schema,
                                const sheaf_arrow_options *options, sheaf_context *cx,
                                struct ArrowArrayStream *out, sheaf_error *err)
{
	SHEAF_NEED(feed && feed->next, "a feed");
	stream *s = NULL;
	sheaf_status status = SHEAF_OK;
	if (!out)
		status = sheaf_not_given(__func__, "a place for the outcome", err);
	else if (!cx || !schema)
		status = sheaf_not_given(__func__, cx ? "a schema" : "a context", err);
	if (out) out->release = NULL;
	if (!status) status = new_stream(feed, schema, options, cx, &s, err);
	if (status) {
		close_feed(feed);
		return status;
	}
	*out = (struct ArrowArrayStream){.get_schema = get_schema,
	                                 .get_next = get_next,
	                                 .get_last_error = get_last_error,
	                                 .release = release_stream,
	                                 .private_data = s};
	return SHEAF_OK;
}

/* ---- of a dataset ---- */

/* A dataset that a stream closes, and the context that it frees after it, or NULL. */
typedef struct opened {
	sheaf_context *cx, *owned;
	sheaf_dataset *dataset;
} opened;

static sheaf_status next_frame(void *user, const sheaf_frame **out, sheaf_error *err)
{
	return sheaf_next(((opened *)user)->dataset, out, err);
}

static void close_dataset(void *user)
{
	opened o = *(opened *)user;
	sheaf_close(o.dataset);
	sheaf_arrow_release(o.cx, user, sizeof o);
	sheaf_context_free(o.owned);
}

/* The dataset and the context belong to the stream, whatever the status is. */
sheaf_status sheaf_arrow_dataset(sheaf_dataset *dataset, sheaf_context *owned,
                                 const sheaf_arrow_options *options, struct ArrowArrayStream *out,
                                 sheaf_error *err)
{
	opened *o;
	if (out) out->release = NULL;
	if (!dataset) {
		sheaf_context_free(owned);
		return sheaf_not_given(__func__, "a dataset", err);
	}
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	sheaf_context *cx = sheaf_context_owner(schema->cx);
	sheaf_status status = sheaf_arrow_allocate(cx, sizeof *o, &o, err);
	if (status) {
		sheaf_close(dataset);
		sheaf_context_free(owned);
		return status;
	}
	*o = (opened){cx, owned, dataset};
	sheaf_feed feed = {next_frame, close_dataset, o};
	return sheaf_arrow_stream(&feed, schema, options, cx, out, err);
}
