/* SPDX-License-Identifier: MIT */
/* What is in a dataset, to look at: counters of one pass that add up, and a page of charts made of them.
 *
 * Summaries of parts, merged in any order, are the summary of the whole to the last bit: sums are exact,
 * histograms have fixed bins, distinct items are kept by their hashes. A summary is used by one thread at a
 * time. */
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
/* `row`: the number of the frame's first row in the dataset. Frames may come in any order, each once. */
SHEAF_API SHEAF_USE sheaf_status sheaf_summary_add(sheaf_summary *summary, const sheaf_frame *frame,
                                                   int64_t row, sheaf_error *err);
/* Adds what another one has counted, of the same fields; USAGE where they differ. What only one of them has
 * counted, since there was little memory, is dropped. After another failure the summary is of no use. */
SHEAF_API SHEAF_USE sheaf_status sheaf_summary_merge(sheaf_summary *summary, const sheaf_summary *other,
                                                     sheaf_error *err);
/* A summary as bytes, to be kept in a file or sent to another process; *out is reset first. */
SHEAF_API SHEAF_USE sheaf_status sheaf_summary_save(const sheaf_summary *summary, sheaf_buffer *out,
                                                    sheaf_error *err);
/* The summary of such bytes, which are trusted in nothing: DATA where they were changed, or say what counting
 * cannot; UNSUPPORTED where another version of the library made them. */
SHEAF_API SHEAF_USE sheaf_status sheaf_summary_load(const void *data, size_t size, sheaf_context *cx,
                                                    sheaf_summary **out, sheaf_error *err);
/* Of a tensor also what takes all its entries, sorted: symmetry and what else a profile says
 * (sheaf/tensor.h). Before the first frame; of other rows nothing. A profile is neither saved nor added up.
 */
SHEAF_API SHEAF_USE sheaf_status sheaf_summary_profile(sheaf_summary *summary, const char *name,
                                                       sheaf_error *err);
/* After the last frame, where there is a profile; else nothing. */
SHEAF_API SHEAF_USE sheaf_status sheaf_summary_finish(sheaf_summary *summary, sheaf_error *err);

/* Names of a field's indices, which are shown beside those that are used most: line i of the text, counted
 * from 0, is the name of index i. Reads the source to its end, and leaves it to the caller. Names are neither
 * saved nor added up. USAGE where there is no such field. */
SHEAF_API SHEAF_USE sheaf_status sheaf_summary_names(sheaf_summary *summary, const char *field,
                                                     sheaf_source *source, sheaf_error *err);

/* Says that a stream is what a network should answer, and other streams, but for those that were named so
 * before, what it is shown: then rows are looked for that contradict each other, having the same inputs and
 * other targets. Before the first frame. Not needed where names say it: "targets", "GROUP.target", "inputs",
 * "GROUP.input". */
SHEAF_API SHEAF_USE sheaf_status sheaf_summary_target(sheaf_summary *summary, const char *stream,
                                                      sheaf_error *err);

typedef struct sheaf_summary_options {
	size_t size;       /* sizeof(sheaf_summary_options) */
	sheaf_style style; /* SHEAF_TEXT: lines for people; SHEAF_JSON: one object */
	bool histograms;   /* lines have a line for each bar of each histogram, else all of them in one */
	bool spy;          /* and a picture of where entries are */
	const sheaf_summary *other; /* JSON: also its numbers, and how it differs; NULL: none */
	sheaf_drawing drawing;
} sheaf_summary_options;

/* All numbers, ended by a line feed; options NULL: lines without drawings. *out is reset first. */
SHEAF_API SHEAF_USE sheaf_status sheaf_summary_text(const sheaf_summary *summary,
                                                    const sheaf_summary_options *options, sheaf_buffer *out,
                                                    sheaf_error *err);
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
	const char *rows;           /* the first rows, as text; NULL: none */
	const sheaf_summary *other; /* of another file, which is drawn as outlines, with a table of how it
	                               differs; NULL: none */
	const char *other_title;
	/* Gets each chart and picture as an SVG file of its own, with a name that is different for each; a
	 * failure stops the page. NULL: nobody does. */
	sheaf_status (*take)(void *user, const char *name, const sheaf_buffer *svg, sheaf_error *err);
	void *user;
} sheaf_page_options;

/* One HTML page that fetches nothing and runs nothing but a small script of its own, which it can do without;
 * the same bytes for the same numbers. *out is reset first. */
SHEAF_API SHEAF_USE sheaf_status sheaf_summary_page(const sheaf_summary *summary,
                                                    const sheaf_page_options *options, sheaf_buffer *out,
                                                    sheaf_error *err);

#ifdef __cplusplus
}
#endif
#endif
