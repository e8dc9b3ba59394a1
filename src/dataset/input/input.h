/* SPDX-License-Identifier: MIT */
/* An input with its format: the basis of everything that reads. */
#ifndef SHEAF_DATASET_INPUT_INPUT_H
#define SHEAF_DATASET_INPUT_INPUT_H

#include "base/buffer.h"
#include "format/format.h"

/* An input that is being read. */
typedef struct sheaf_input {
	sheaf_context *cx;
	sheaf_source *source;
	const sheaf_format *format; /* of the rows: the source's, or a view's */
	sheaf_reader *in;
	const sheaf_format *native;  /* of the source */
	sheaf_row_kind stored;       /* its rows, whether or not there are views */
	struct sheaf_row_view *view; /* NULL: rows are as the format gives them */
	sheaf_values values;
	int nsettings;
	int64_t piece_bytes; /* approximate size of pieces that are read in order */
	bool glance;
	bool failed; /* it can only be closed */
} sheaf_input;

/* Made by the build from the list of formats; ends with NULL. */
extern const sheaf_format *const sheaf_formats[];

/* The next piece of about `bytes` bytes, or END: also where the input is cut off, if that is dropped. */
SHEAF_USE sheaf_status sheaf_cut(const sheaf_format *format, sheaf_reader *in, int64_t bytes,
                                 sheaf_piece *piece, sheaf_error *err);
/* Lets go of the memory of a piece. */
static inline void sheaf_piece_reset(sheaf_piece *piece)
{
	sheaf_buffer_reset(&piece->bytes);
	sheaf_buffer_reset(&piece->notes);
}
/* A reader of the input's format, or a failure and NULL. It does not take over the source. */
SHEAF_USE sheaf_status sheaf_reader_open(const sheaf_input *input, const sheaf_opening *how,
                                         sheaf_reader **out, sheaf_error *err);
/* Closes it and frees its schema and its memory. */
void sheaf_reader_close(const sheaf_format *format, sheaf_reader *reader);

/* Settings that a caller has given. */
typedef struct sheaf_given_settings {
	const sheaf_setting *settings;
	int n;
	bool *used; /* set for each one that is picked; NULL: a setting that is not picked is a USAGE error */
} sheaf_given_settings;
/* Picks the settings that a format uses for `use` (SHEAF_READING or SHEAF_WRITING), checked, into *out; the
 * caller releases its settings array, of given->n, with sheaf_settings_release. */
SHEAF_USE sheaf_status sheaf_settings_pick(const sheaf_format *format, unsigned use,
                                           const sheaf_given_settings *given, sheaf_context *cx,
                                           sheaf_values *out, sheaf_error *err);
/* Changes a writer's message about an option so that it names the setting that was given for it:
 * "out-shape" for "shape". */
void sheaf_settings_blame(const sheaf_given_settings *given, sheaf_error *err);
/* UNKNOWN: an option names something that is no format of this build; the message suggests the right one. */
sheaf_status sheaf_refuse_format(const char *option, const char *name, sheaf_error *err);
/* UNSUPPORTED: the format can only be read. */
SHEAF_USE sheaf_status sheaf_check_writable(const sheaf_format *format, sheaf_error *err);
/* USAGE: the name of an output does not show a format; the message lists the suffixes. */
sheaf_status sheaf_refuse_suffix(const char *path, sheaf_error *err);
/* USAGE, as from sheaf_refuse_suffix, if the suffix of an output belongs to another kind of file than any
 * of ours. */
SHEAF_USE sheaf_status sheaf_check_suffix(const char *path, sheaf_error *err);
/* The format of an output whose name does not show it: the one that settings imply, with a warning that says
 * so. */
SHEAF_USE sheaf_status sheaf_imply_output(const char *path, const sheaf_setting *settings, int n,
                                          sheaf_context *cx, const sheaf_format **out, sheaf_error *err);
/* Whether one of the settings makes an output of this format update the existing file. */
bool sheaf_settings_update(const sheaf_format *format, const sheaf_setting *settings, int n);
void sheaf_settings_release(sheaf_context *cx, sheaf_values *values, int n);

/* sheaf_source_path for formats whose users omit a compression suffix from the names they give. */
SHEAF_USE sheaf_status sheaf_source_named(const char *path, sheaf_context *cx, sheaf_source **out,
                                          sheaf_error *err);

/* The format of a source: by name, else by content and name; if these do not decide, the one that the
 * settings imply, if there is one. If it is one of text, the source decodes it from now on, from the encoding
 * that a setting names or its first bytes show. */
SHEAF_USE sheaf_status sheaf_recognise(sheaf_source *source, const char *name, const sheaf_values *settings,
                                       const sheaf_format **out, sheaf_error *err);

/* The format that settings imply: the only one that has an option of such a name for that use; NULL if there
 * is none. *name, if it is not NULL, becomes the option. */
const sheaf_format *sheaf_settings_owner(const sheaf_setting *settings, int n, unsigned use,
                                         const char **name);

#endif
