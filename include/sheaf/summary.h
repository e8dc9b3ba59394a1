/* SPDX-License-Identifier: MIT */
/* Summaries of a dataset: counters of one pass that can be added up, and a page of charts made from them.
 *
 * Summaries of parts, merged in any order, are the summary of the whole to the last bit: sums are exact,
 * histograms have fixed bins, distinct items are kept by their hashes. A summary is used by one thread at a
 * time; the threads of its context count for it.
 *
 * Most used: sheaf_summary_new, sheaf_summary_add, sheaf_summary_merge, sheaf_summary_text,
 * sheaf_summary_free. */
#ifndef SHEAF_SUMMARY_H
#define SHEAF_SUMMARY_H

#include <sheaf/io.h>
#include <sheaf/report.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sheaf_summary sheaf_summary;

/* Of rows of this schema, which is copied; a tensor comes as entries (UNSUPPORTED as one row). */
SHEAF_API SHEAF_USE sheaf_status sheaf_summary_new(const sheaf_schema *schema, sheaf_context *cx,
                                                   sheaf_summary **out, sheaf_error *err);
/* `row`: the number of the frame's first row in the dataset. Frames may come in any order, each once. A frame
 * may still be counted after the call returns, by a thread of the context; until it is, the summary holds
 * references to its buffers, which must not be changed. If that fails, a later call with this summary (any
 * that adds, merges, finishes or shows it) returns the failure, after which it must not be used. Borrowed
 * buffers are counted before the call returns. */
SHEAF_API SHEAF_USE sheaf_status sheaf_summary_add(sheaf_summary *summary, const sheaf_frame *frame,
                                                   int64_t row, sheaf_error *err);
/* Adds the counts of another summary of the same fields; USAGE if the fields differ. Counts that only one of
 * them has, for lack of memory, are dropped. After any other failure the summary must not be used. */
SHEAF_API SHEAF_USE sheaf_status sheaf_summary_merge(sheaf_summary *summary, const sheaf_summary *other,
                                                     sheaf_error *err);
/* A summary as bytes, to be kept in a file or sent to another process; *out is reset first. */
SHEAF_API SHEAF_USE sheaf_status sheaf_summary_save(const sheaf_summary *summary, sheaf_buffer *out,
                                                    sheaf_error *err);
/* The summary of such bytes, which are fully checked: DATA if they were changed, or if their numbers are
 * impossible; UNSUPPORTED if another version of the library made them. */
SHEAF_API SHEAF_USE sheaf_status sheaf_summary_load(const void *data, size_t size, sheaf_context *cx,
                                                    sheaf_summary **out, sheaf_error *err);
/* For a tensor also computes what needs all its entries, sorted: symmetry and the rest of a profile
 * (sheaf/tensor.h). Call it before the first frame; it does nothing for other rows. A profile is neither
 * saved nor added up. */
SHEAF_API SHEAF_USE sheaf_status sheaf_summary_profile(sheaf_summary *summary, const char *name,
                                                       sheaf_error *err);
/* Call it after the last frame if there is a profile; otherwise it does nothing. */
SHEAF_API SHEAF_USE sheaf_status sheaf_summary_finish(sheaf_summary *summary, sheaf_error *err);

/* Names of a field's indices, which are shown beside those that are used most: line i of the text, counted
 * from 0, is the name of index i. Reads the source to its end, and leaves it to the caller. Names are neither
 * saved nor added up. USAGE where there is no such field. */
SHEAF_API SHEAF_USE sheaf_status sheaf_summary_names(sheaf_summary *summary, const char *field,
                                                     sheaf_source *source, sheaf_error *err);

/* Declares that a stream is a network's target, and that the other streams, except earlier targets, are its
 * inputs. Then rows are looked for that contradict each other: the same inputs with other targets. Call it
 * before the first frame. Not needed if the names say so: "targets", "GROUP.target", "inputs", "GROUP.input".
 */
SHEAF_API SHEAF_USE sheaf_status sheaf_summary_target(sheaf_summary *summary, const char *stream,
                                                      sheaf_error *err);

typedef struct sheaf_summary_options {
	size_t size;       /* sizeof(sheaf_summary_options) */
	sheaf_style style; /* SHEAF_TEXT: lines for people; SHEAF_JSON: one object */
	bool draw;         /* lines: one for each bar of each histogram, else all of them in one, and a picture of
	                    * where entries are */
	const sheaf_summary *other; /* JSON: also its numbers, and how it differs; NULL: none */
	sheaf_drawing drawing;
} sheaf_summary_options;

/* All numbers, with a line feed at the end; options NULL: lines without drawings. *out is reset first. */
SHEAF_API SHEAF_USE sheaf_status sheaf_summary_text(const sheaf_summary *summary,
                                                    const sheaf_summary_options *options, sheaf_buffer *out,
                                                    sheaf_error *err);
/* How far two summaries are apart: the largest drift of a field, from 0 to 1; 1 also if the fields differ. */
SHEAF_API SHEAF_USE sheaf_status sheaf_summary_drift(const sheaf_summary *summary, const sheaf_summary *other,
                                                     double *most, sheaf_error *err);
SHEAF_API void sheaf_summary_free(sheaf_summary *summary);

/* A line of the page's first table, or of its findings. */
typedef struct sheaf_fact {
	const char *name, *text;
} sheaf_fact;

typedef struct sheaf_page_options {
	size_t size;            /* sizeof(sheaf_page_options) */
	const char *title;      /* of the page: the file's name */
	const sheaf_fact *card; /* what is known of the file */
	int ncard;
	const sheaf_fact *findings; /* a rule and what was found, in words */
	int nfindings;
	const char *rows; /* the first rows, as text; NULL: none */
	const sheaf_summary
		*other; /* of another file, which is drawn as outlines, with a table of the differences; NULL: none */
	const char *other_title;
	/* Gets each chart and picture as an SVG file of its own, with a name that is different for each; a
	 * failure stops the page. May be NULL. */
	sheaf_status (*take)(void *user, const char *name, const sheaf_buffer *svg, sheaf_error *err);
	void *user;
} sheaf_page_options;

/* One HTML page that fetches nothing and runs only a small script of its own, which is optional; the same
 * numbers give the same bytes. *out is reset first. */
SHEAF_API SHEAF_USE sheaf_status sheaf_summary_page(const sheaf_summary *summary,
                                                    const sheaf_page_options *options, sheaf_buffer *out,
                                                    sheaf_error *err);

#ifdef __cplusplus
}
#endif
#endif
