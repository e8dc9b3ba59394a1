/* SPDX-License-Identifier: MIT */
/* The base of all other headers: statuses, errors, problems, the context and buffers.
 *
 * Rules that hold in all headers. A fallible function returns a status that must be used, and on failure
 * fills the caller's `sheaf_error` once (NULL is allowed; nothing is allocated) and leaves its outputs reset.
 * An argument that is NULL without permission, or a number out of range, is USAGE, with a message that names
 * the function; a function that returns no status then returns NULL, 0, -1, false or an empty text. `free`,
 * `close` and `abandon` functions accept NULL; their argument must not be used afterwards. Sizes are in bytes
 * and counts in elements unless a name says otherwise. Strings are UTF-8, NUL-terminated. Nothing here
 * prints, exits, or installs signal handlers.
 *
 * Most used: sheaf_context_new, sheaf_context_free, sheaf_fail, sheaf_buffer_ref, sheaf_buffer_reset. */
#ifndef SHEAF_BASE_H
#define SHEAF_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SHEAF_API __attribute__((visibility("default")))
#define SHEAF_USE __attribute__((warn_unused_result))
#define SHEAF_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* Code that ignores a status does not compile (-Werror=unused-result), whatever function returns it. */
#if defined(__cplusplus) && __cplusplus >= 201703L
#define SHEAF_LOOK_AT [[nodiscard]]
#elif defined(__clang__)
#define SHEAF_LOOK_AT __attribute__((warn_unused_result))
#elif defined(__GNUC__) && !defined(__cplusplus) && __GNUC__ >= 11
#define SHEAF_LOOK_AT [[nodiscard]]
#else
#define SHEAF_LOOK_AT
#endif

/* Named by what the caller can do next. */
__extension__ typedef enum SHEAF_LOOK_AT sheaf_status {
	SHEAF_OK,
	SHEAF_END,         /* no more pieces, rows or values: not a failure */
	SHEAF_NOMEM,       /* the allocator refused */
	SHEAF_IO,          /* the system refused; sheaf_error.sys holds errno */
	SHEAF_UNKNOWN,     /* no format reads this, or nothing of this name is there */
	SHEAF_DATA,        /* the input breaks the format's rules */
	SHEAF_SHORT,       /* the input ends too early */
	SHEAF_UNSUPPORTED, /* valid, but not built in or not written yet */
	SHEAF_LOSS,        /* the target cannot hold some of the data: allow the loss, or take another target */
	SHEAF_LIMIT,       /* a limit of the context: raise it and try again */
	SHEAF_USAGE,       /* the caller's arguments or call order */
	SHEAF_STOPPED,     /* sheaf_context_stop was called */
	SHEAF_STALE        /* an index contradicts the input: open it again with SHEAF_INDEX_NEVER */
} sheaf_status;

/* The status's name in lower case ("ok", "end", ...); "status?" for any other number. */
SHEAF_API const char *sheaf_status_name(sheaf_status status);

/* A part of a message, which is not copied: `size` bytes from byte `at` on. Size 0: the message has none. */
typedef struct sheaf_span {
	uint16_t at, size;
} sheaf_span;

/* What went wrong, in the caller's memory. `message` says the place, what was expected and what was found;
 * the other members give each of these, so that no program has to read the message. */
typedef struct sheaf_error {
	sheaf_status status;
	int sys;         /* errno of the system call that failed, else 0 */
	char option[32]; /* the option or setting that is wrong: "max-errors"; else empty */
	char advice[32]; /* the first option or setting that the message names because it helps; else empty */
	/* Where, as in sheaf_place: a number below 0 means "not known" or "does not apply". */
	int64_t line, column, byte, chunk, row;
	sheaf_span
		place; /* all that the message says about where; if `option` is set, the option as it is spelled */
	sheaf_span file;   /* the input or output, if the message names one: the beginning of the place, or in
	                    * "cannot open x" all that is said of where */
	sheaf_span stream; /* in the place: the name of the stream, column or attribute */
	sheaf_span expected, found;
	char message[1000];
} sheaf_error;

/* Fills *err (NULL: nothing) and returns `status`, so that a failing function can end with it. The parts of
 * the message are those of `format`: "place: expected x, found y; consequence", or "place: " and a sentence,
 * or "cannot open %s" and the like. A place begins with "%s" if that is the name of a file; in it ":%d",
 * "byte %d", "chunk %d", "row %d" (or "cell", "entry", "example", "sequence") and "\"%s\"" are the line and
 * column, the byte, chunk, row and stream. */
SHEAF_API sheaf_status sheaf_fail(sheaf_error *err, sheaf_status status, const char *format, ...)
	SHEAF_PRINTF(3, 4);
/* The same for an option: the message is its name and the text, which begins with a value or a colon. */
SHEAF_API sheaf_status sheaf_fail_option(sheaf_error *err, sheaf_status status, const char *option,
                                         const char *format, ...) SHEAF_PRINTF(4, 5);
/* How messages of this process spell options and settings from now on: `prefix` before the name, `suffix`
 * after it (but not before a colon), and `dash` in place of each of its dashes. The command's spelling is
 * "--", "", '-'; the one at the beginning is "", "", '-'. Must not be called while another thread is in the
 * library. */
SHEAF_API void sheaf_spell_options(const char *prefix, const char *suffix, char dash);
/* The same for a failed system call: `sys` is its errno, and "; the system says: " and its text are appended.
 */
SHEAF_API sheaf_status sheaf_fail_sys(sheaf_error *err, int sys, const char *format, ...) SHEAF_PRINTF(3, 4);

/* Returns OK instead of a failure that does not change the result, for the given reason. Failures of the
 * system, lack of memory and stops are never forgiven: IO, NOMEM and STOPPED are returned unchanged, and so
 * is END, which is not a failure. Nothing else in the library turns a failure into OK. */
SHEAF_API SHEAF_USE sheaf_status sheaf_forgive(sheaf_status status, const char *reason);

#define SHEAF_TRY(expression) \
	do { \
		sheaf_status sheaf_try_status = (expression); \
		if (sheaf_try_status != SHEAF_OK) return sheaf_try_status; \
	} while (0)

/* Where in an input. A number below 0, and a NULL, mean "not known" or "does not apply". */
typedef struct sheaf_place {
	const char *file;
	int64_t line, column; /* from 1; column in bytes */
	int64_t byte;         /* from 0, in the (decompressed) input */
	int64_t chunk;        /* from 0 */
	int64_t row;          /* from 0: the sequence, cell or example */
	const char *stream;   /* name of the stream, attribute or dataset */
	/* What messages call a row and a stream, static strings: "cell", "attribute"; NULL: "sequence",
	 * "stream". */
	const char *row_word, *stream_word;
} sheaf_place;

#define SHEAF_NOWHERE ((sheaf_place){NULL, -1, -1, -1, -1, -1, NULL, NULL, NULL})

/* How bad a finding is. The first two never stop anything (but see `strict` below). */
typedef enum sheaf_severity {
	SHEAF_NOTE,    /* valid here, but other programs refuse it; reported only when validating */
	SHEAF_WARNING, /* read as intended, but the user should know */
	SHEAF_BREACH,  /* the format's document forbids it, its programs read it, and so do we; invalid when
	                  validating */
	SHEAF_ERROR,   /* a part is left out as `consequence` says; counts against max_errors */
	SHEAF_FATAL    /* reading cannot continue (when validating: continues where it can) */
} sheaf_severity;

/* One finding about an input. The strings live only as long as the call that reports it, except `rule`. */
typedef struct sheaf_problem {
	sheaf_severity severity;
	sheaf_status status; /* DATA, SHORT, UNSUPPORTED or LOSS: what the call returns if this stops it */
	const char *rule;    /* short name of the rule, a static string: "index range" */
	sheaf_place place;
	const char *expected;    /* "an index below 10" */
	const char *found;       /* "4000000" */
	const char *consequence; /* "the sample is left out"; NULL: none */
	const char *advice;      /* the first option or setting that these name because it helps: "max-errors";
	                            NULL: none. Filled where the problem is reported. */
} sheaf_problem;

/* Writes "train.ctf:812:17 (byte 40211): stream "a"" into text[size], cut to fit, and returns text. */
SHEAF_API const char *sheaf_place_text(const sheaf_place *place, char *text, size_t size);
/* Writes "place: expected x, found y; consequence" into text[size], cut to fit, and returns text. */
SHEAF_API const char *sheaf_problem_text(const sheaf_problem *problem, char *text, size_t size);

/* How text is shown on a terminal, in a message or on a page: writes its first character (of `n` bytes, at
 * least 1) to `shown` and returns how many bytes it has. What would control a terminal, turn the direction of
 * writing or end a line becomes "\x1b" or "\u202e", and so do bytes that are not UTF-8. Messages that the
 * library makes are shown so already. */
enum { SHEAF_SHOWN = 8 };
SHEAF_API size_t sheaf_show_character(const char *text, size_t n, char shown[SHEAF_SHOWN]);

/* The context: allocator, limits, stop flag, and the one channel for problems. Everything opened with a
 * context must be closed before the context is freed. Buffers may outlive it: what they need of the context
 * stays until the last one is reset, on any thread. */
typedef struct sheaf_context sheaf_context;

/* Who hears how far work has come. Both may be NULL. */
typedef struct sheaf_progress_options {
	size_t size; /* sizeof(sheaf_progress_options) */
	/* Called from time to time with the number of bytes of the input that are done; total is -1 if it is not
	 * known. */
	void (*on_progress)(void *user, int64_t done, int64_t total);
	/* Called when the work enters another stage than reading: "sorting", "writing", "syncing", or "reading"
	 * again; static texts. Until the next call, on_progress counts rows, not bytes. */
	void (*on_stage)(void *user, const char *stage);
} sheaf_progress_options;

typedef struct sheaf_context_options {
	size_t size; /* sizeof(sheaf_context_options): how a later library knows an older caller */
	/* NULL: malloc's. Must be safe to call from several threads. reallocate(user, NULL, 0, n) allocates n > 0
	 * bytes aligned to 64; reallocate(user, p, old, n) keeps min(old, n) bytes; reallocate(user, p, old, 0)
	 * frees. It is called until the last buffer is released, which may be after sheaf_context_free. */
	void *(*reallocate)(void *user, void *memory, size_t old_bytes, size_t new_bytes);
	int64_t max_memory; /* bytes that may be allocated at a time; 0: 4 GiB */
	/* How many threads work at once, including the caller's; 0: one per core; 1: no threads are started. The
	 * result is the same for any number. The functions below are called on the calling thread only, except
	 * `reallocate`. */
	int threads;
	/* Limits and counts belong to the context: everything opened with it shares them. */
	int64_t max_errors; /* how many SHEAF_ERROR problems are tolerated; the next one stops */
	/* What is cut off at the end of an input, and what lacks a part that the format requires of each row, is
	 * left out with a WARNING instead of ending the work. A last line without its end is cut off. */
	bool drop_incomplete;
	bool strict;      /* WARNING, BREACH (and, when validating, NOTE) count as ERROR */
	bool validate;    /* report everything, and stop only where reading cannot continue */
	bool allow_loss;  /* LOSS problems are reported, and the work continues */
	bool allow_large; /* what a few bytes make very large is read all the same; else LIMIT: arrays of Zarr of
	                     more than 1 GiB and 1032 times the bytes of the folder, or of more than 65,536 chunks
	                     and one for each of these bytes; tensors of Binsparse whose values are all the same,
	                     and of which few are listed; rows that name few of their columns, beyond 2^20 cells
	                     and 64 for each byte */
	/* Files are read into memory, never mapped: a map changes with its file, and reading one that was cut off
	 * raises SIGBUS. */
	bool no_mapping;
	/* Large blocks that are freed stay with the process, for the next context of this kind: fresh memory may
	 * take longer to come than data to be decoded. They are 256 MiB at most, and the system may take back
	 * what is in them when it wants memory (MADV_FREE). */
	bool keep_memory;
	/* Called with each problem that does not stop the call, in input order (problems of the whole input come
	 * at its end), on the thread that called the library, one at a time. It must not call the library with
	 * the same context. */
	void (*on_problem)(void *user, const sheaf_problem *problem);
	const sheaf_progress_options *progress; /* copied; NULL: nobody */
	void *user;                             /* passed to all of these functions */
} sheaf_context_options;

/* options NULL: all defaults. Free with sheaf_context_free. */
SHEAF_API SHEAF_USE sheaf_status sheaf_context_new(const sheaf_context_options *options, sheaf_context **out,
                                                   sheaf_error *err);
SHEAF_API void sheaf_context_free(sheaf_context *cx);

/* Makes every running call in this context return SHEAF_STOPPED soon. Safe from any thread and from signal
 * handlers. */
SHEAF_API void sheaf_context_stop(sheaf_context *cx);

/* How many problems of each rule were reported so far, in order of first report. False when i is past the
 * last one. */
typedef struct sheaf_tally {
	const char *rule;
	sheaf_severity severity;
	sheaf_status status;
	int64_t count;
} sheaf_tally;
SHEAF_API bool sheaf_context_tally(const sheaf_context *cx, int i, sheaf_tally *out);

/* Bytes allocated now; *peak (NULL: nowhere) gets the maximum so far. */
SHEAF_API int64_t sheaf_context_memory(const sheaf_context *cx, int64_t *peak);

/* Bytes that are borrowed. */
typedef struct sheaf_bytes {
	const uint8_t *data;
	size_t size;
} sheaf_bytes;

/* A run of bytes with an owner counted by references, or borrowed (block NULL). Immutable once handed out;
 * start with zeros ({0} is an empty buffer), copy with sheaf_buffer_ref, release with sheaf_buffer_reset.
 * Several threads may share and release a block. */
typedef struct sheaf_block sheaf_block;
typedef struct sheaf_buffer {
	uint8_t *data;
	size_t size;
	sheaf_block *block;
} sheaf_buffer;

/* A second owner of the same bytes. */
SHEAF_API sheaf_buffer sheaf_buffer_ref(const sheaf_buffer *buffer);
/* Releases the bytes and makes the buffer empty. */
SHEAF_API void sheaf_buffer_reset(sheaf_buffer *buffer);

/* Memory for many small things, such as names, that is freed as a whole. */
typedef struct sheaf_arena sheaf_arena;
/* A table of names, in which one of many is found quickly. */
typedef struct sheaf_names sheaf_names;

/* The version of these headers; docs/abi.md says what it promises. */
#define SHEAF_VERSION_MAJOR 0
#define SHEAF_VERSION_MINOR 1
#define SHEAF_VERSION_PATCH 0
/* As one number that can be compared: 1.2.3 is 10203. */
#define SHEAF_VERSION_NUMBER (SHEAF_VERSION_MAJOR * 10000 + SHEAF_VERSION_MINOR * 100 + SHEAF_VERSION_PATCH)

/* Library version: the linked one, "major.minor.patch". */
SHEAF_API const char *sheaf_version(void);

/* Chooses the kernel that reads numbers from text: "avx512", "avx2", "neon", "portable", or "scalar", which
 * reads them one by one. All give the same values. NULL, and the beginning: the fastest one that this machine
 * has, unless the environment variable SHEAF_KERNEL names a slower one. For comparing kernels; must not be
 * called while anything is being read. */
SHEAF_API void sheaf_kernel_use(const char *name);

/* A setting of a format by name, as on the command line without the dashes: {"stream", "A:2:dense"}. */
typedef struct sheaf_setting {
	const char *name;
	const char *value; /* NULL for a flag */
} sheaf_setting;

#ifdef __cplusplus
}
#endif
#endif
