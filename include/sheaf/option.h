/* SPDX-License-Identifier: MIT */
/* Options as tables: what formats and commands accept, and the values given. Help texts, man pages and checks
 * are made from the same rows.
 *
 * Most used: sheaf_option_find, sheaf_option_check, sheaf_values_text, sheaf_values_flag,
 * sheaf_values_number. */
#ifndef SHEAF_OPTION_H
#define SHEAF_OPTION_H

#include <sheaf/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sheaf_option_kind {
	SHEAF_OPTION_FLAG,  /* no value */
	SHEAF_OPTION_TEXT,  /* any text */
	SHEAF_OPTION_COUNT, /* a decimal integer >= 0 */
	SHEAF_OPTION_SIZE,  /* bytes: a decimal number >= 0, with K M G T (powers of 1024) after it if wanted, and
	                     * B or iB after those; a fraction only with one of them */
	SHEAF_OPTION_CHOICE, /* one of the words in `argument`, which are separated by '|' */
	SHEAF_OPTION_TEXTS,  /* any text; may be given several times */
	SHEAF_OPTION_WORDS   /* some of the words in `argument`, with commas between them, as there; may be given
	                      * several times */
} sheaf_option_kind;

/* Which side of a format uses an option, and whether it makes an existing output be updated instead of
 * replaced; commands leave it 0. */
enum { SHEAF_READING = 1, SHEAF_WRITING = 2, SHEAF_UPDATING = 4 };
/* Before the name of an option that a format has for writing: the setting is for the output alone. */
#define SHEAF_OF_OUTPUT "out-"

typedef struct sheaf_option {
	const char *name; /* without the dashes */
	sheaf_option_kind kind;
	unsigned use;         /* SHEAF_READING | SHEAF_WRITING | SHEAF_UPDATING */
	const char *argument; /* what stands for the value in help: "SIZE"; NULL for a flag */
	const char *help;     /* one sentence without a full stop; an empty name ends a table */
	char letter;          /* short form, or 0 */
} sheaf_option;

/* Settings checked against tables. Owns nothing: the settings and the tables must outlive it. */
typedef struct sheaf_values {
	const sheaf_setting *settings;
	int count;
} sheaf_values;

/* The row of this name in a table that ends with a row whose name is NULL; NULL where there is none. */
SHEAF_API const sheaf_option *sheaf_option_find(const sheaf_option *table, const char *name);
/* Checks one value against its row, and against the values before it (NULL: none), since an option that takes
 * one value may be given once. A USAGE error names the option, what was expected and what was found. */
SHEAF_API SHEAF_USE sheaf_status sheaf_option_check(const sheaf_option *option, const char *value,
                                                    const sheaf_values *before, sheaf_error *err);

/* The word that was probably meant: the nearest to `word` of those that `candidate` gives for 0, 1, ... until
 * NULL; NULL where none is near. */
SHEAF_API const char *sheaf_nearest_word(const char *word, const char *(*candidate)(const void *user, int i),
                                         const void *user);

/* The last value given for `name`, or NULL. */
SHEAF_API const char *sheaf_values_text(const sheaf_values *values, const char *name);
/* The k-th value (from 0) given for a repeatable option, or NULL. */
SHEAF_API const char *sheaf_values_nth(const sheaf_values *values, const char *name, int k);
/* Whether an option was given; for a name like "allow=loss": whether one of kind WORDS has this word. */
SHEAF_API bool sheaf_values_flag(const sheaf_values *values, const char *name);
/* A COUNT or SIZE that sheaf_option_check has passed; `otherwise` where not given. */
SHEAF_API int64_t sheaf_values_number(const sheaf_values *values, const char *name, int64_t otherwise);

/* Reads "123", "64K", "64KB", "64KiB", "1.5g": K is 1024 in each. Fractions of a byte are dropped. False if
 * the text is not such a size, or is beyond 2^63-1. */
SHEAF_API bool sheaf_size_from_text(const char *text, int64_t *out);
/* Reads a seed: a decimal integer of 64 bits, with or without a sign; -1 is 2^64-1. False if the text is not
 * a seed. */
SHEAF_API bool sheaf_seed_from_text(const char *text, uint64_t *out);

#ifdef __cplusplus
}
#endif
#endif
