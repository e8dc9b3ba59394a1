/* SPDX-License-Identifier: MIT */
/* The command: declarations that its files share. It uses only the public headers, and knows formats only
 * through their table. */
#ifndef CLI_H
#define CLI_H

#include <sheaf/sheaf.h>

enum exit_code {
	EXIT_FINE = 0,
	EXIT_DIFFERENT = 1, /* or invalid */
	EXIT_USAGE = 2,
	EXIT_IO = 3,
	EXIT_DATA = 4, /* bad, or unknown */
	EXIT_LIMIT = 5,
	EXIT_UNSUPPORTED = 6, /* or a loss refused */
	EXIT_INTERRUPTED = 130
};

/* ---- commands and their options ---- */

/* The options that several commands share, as bits: bit i belongs to row i of shared_options. */
enum {
	TAKES_FROM = 1,
	TAKES_JSON = 2,
	TAKES_QUIET = 4,
	TAKES_MEMORY = 8,
	TAKES_ERRORS = 16,
	TAKES_STRICT = 32,
	TAKES_PROGRESS = 64,
	TAKES_HELP = 128,
	TAKES_CONFIG = 256,
	TAKES_THREADS = 512,
	TAKES_INDEX = 1024,
	TAKES_DATASET = 2048,
	TAKES_COORDINATES = 4096,
	TAKES_VALUE = 8192,
	TAKES_SHAPE = 16384,
	TAKES_ROWS = 32768,
	TAKES_SKIP = 65536,
	TAKES_SAMPLE = 131072,
	TAKES_SEED = 262144,
	TAKES_WHERE = 524288,
	TAKES_STREAMS = 1048576,
	TAKES_COLUMNS = 2097152,
	TAKES_TRANSPOSE = 4194304,
	TAKES_MATRIX = 8388608,
	TAKES_FORCE = 16777216,
	TAKES_PART = 33554432,
	TAKES_LARGE = 67108864,
	TAKES_SEQUENCES = 134217728,
	TAKES_LENGTHS = 268435456,
	TAKES_INCOMPLETE = 536870912,
	TAKES_SELECTION = TAKES_ROWS | TAKES_SKIP | TAKES_SAMPLE | TAKES_SEED | TAKES_WHERE | TAKES_STREAMS |
	                  TAKES_COLUMNS | TAKES_TRANSPOSE
};
extern const sheaf_option shared_options[];

/* What was given on the command line, checked. */
typedef struct arguments {
	const struct command *command;
	sheaf_values values;     /* the command's own options and shared ones */
	sheaf_setting *own;      /* what they are in */
	sheaf_setting *settings; /* options of formats: the library checks them */
	int nsettings;
	char *copies; /* of names of options that are in no table */
	const char **files;
	int nfiles;
	sheaf_config *config;   /* what --config names, or NULL; settings and files may point into it */
	sheaf_context *library; /* the context that owns the configuration */
} arguments;

typedef struct command {
	const char *name;
	int (*run)(const arguments *args); /* returns the exit code */
	const char *help;                  /* one line */
	const char *operands;              /* as in the synopsis */
	int least, most;                   /* number of operands; most -1: any number */
	unsigned shared;                   /* TAKES_... */
	unsigned use;                /* sides of formats whose options it takes: SHEAF_READING, SHEAF_WRITING */
	const sheaf_option *options; /* its own; they hide shared ones of the same name */
	const char *about;           /* a paragraph for help and the manual */
} command;

/* Whether --json was given. */
bool as_json(const arguments *args);
/* The place of the word that was given for one of the command's own options, among those that its row lists:
 * 0 for the first one, or if none was given. */
int option_choice(const arguments *args, const char *name);

/* An option that had another name: how the same is said. */
typedef struct renamed_option {
	const char *name, *now;
} renamed_option;

extern const renamed_option renamed_options[]; /* ends with a row without a name */
extern const command commands[];               /* ends with a row without a name */
const command *command_find(const char *name);
/* Which operands are output files: the synopsis says so. */
enum outputs { OUTPUT_NONE, OUTPUT_LAST, OUTPUT_REST /* all but the first */ };
enum outputs command_outputs(const command *c);
/* The i-th option of a command, its own first; NULL after the last one. */
const sheaf_option *command_option(const command *c, int i);
enum { WORDS_MAX = 200 };
/* What the value of an option can be, as in its row, into text[size]: for a list of words also those that
 * formats have for it. */
char *command_words(const command *c, const sheaf_option *own, char *text, size_t size);

/* Whether an option of any command or format, "--name" or "-x", takes the next word as its value. */
bool option_takes_next(const char *word);

/* After a failure there is nothing to free. */
SHEAF_USE sheaf_status arguments_parse(const command *c, int argc, char **argv, arguments *out,
                                       sheaf_error *err);
void arguments_free(arguments *args);
/* With --config: puts the settings of the configuration before those of the command line, and adds its file
 * if an operand is missing. */
SHEAF_USE sheaf_status arguments_configure(arguments *args, sheaf_error *err);

int run_info(const arguments *args);
int run_guess(const arguments *args);
int run_head(const arguments *args);
int run_cat(const arguments *args);
int run_stats(const arguments *args);
int run_show(const arguments *args);
int run_report(const arguments *args);
int run_validate(const arguments *args);
int run_convert(const arguments *args);
int run_schema(const arguments *args);
int run_diff(const arguments *args);
int run_hash(const arguments *args);
int run_batches(const arguments *args);
int run_index(const arguments *args);
int run_plan(const arguments *args);
int run_split(const arguments *args);
int run_merge(const arguments *args);
int run_formats(const arguments *args);
int run_help(const arguments *args);

/* ---- help, in its three forms, made from the tables ---- */

void help_overview(void);
/* Includes the options of a format that the command takes; NULL: of none. */
void help_command(const command *c, const sheaf_format *format);
void help_format(const sheaf_format *format);
void help_json(const command *only); /* NULL: everything */
void help_json_format(const sheaf_format *only);
/* The member "keeps" of an object: what happens to data that are written in the format. */
void json_kept(const sheaf_format *format);
/* Of one command, or of the whole program (NULL). */
void help_manual(const command *only);
/* The script with which a shell ("bash", "zsh", "fish") completes command lines; false for other shells. */
bool help_completion(const char *shell);

/* A use of a command: a line to type, and what it does. */
typedef struct example {
	const char *command, *line, *purpose;
} example;
/* The i-th example of a command, or of the whole program (NULL), with the line in text[size]; NULL after the
 * last one. */
const example *example_of(const command *c, int i, char *text, size_t size);
/* The title of the k-th group of options, in the order in which they are shown: the first has the command's
 * own. NULL after the last one. */
const char *option_group(int k);
/* The i-th option of a command in that group, NULL after the last one. */
const sheaf_option *option_in_group(const command *c, int k, int i);

/* "-n, --rows N" into text[size]. */
const char *option_synopsis(const sheaf_option *option, char *text, size_t size);
/* The k-th option that formats use for `use`, with equal rows of several formats taken together: the names of
 * their formats go into names[size]. NULL after the last one. */
const sheaf_option *format_option_at(int k, unsigned use, char *names, size_t size);
/* What an option of formats is for: "", " (in reading)" or " (in writing)". */
const char *option_use_text(const sheaf_option *option);
/* The file name suffix of the i-th format, for examples. */
const char *example_suffix(int i);
typedef struct exit_meaning {
	int code;
	const char *meaning;
} exit_meaning;
extern const exit_meaning exit_meanings[]; /* ends with a row without a meaning */

/* ---- standard output: buffered, each write checked, the first failure sticks ---- */

/* On a terminal, what would control it is shown (sheaf_show_character), except for tabs and ends of lines. */
void out_bytes(const void *data, size_t size);
void out_text(const char *text);
/* As it is: drawings, with their colours, in which everything from a file is already shown. */
void out_drawn(const void *data, size_t size);
/* Text from a file, within a line: everything is shown, wherever it goes. */
void out_visibly(const char *text);
void out_some_visibly(const char *text, size_t size);
/* Ends a line that is partly written, before a message. */
void out_new_line(void);
/* At most 1000 bytes at a time: for numbers and short words. */
void out_printf(const char *format, ...) SHEAF_PRINTF(1, 2);
/* Members of JSON objects, or elements of lists, which have no name (NULL), each with a comma before it if it
 * needs one. Bytes that are not UTF-8 become U+FFFD. */
void json_key(const char *name); /* the name alone: the caller prints the value */
void json_text(const char *name, const char *text);
void json_count(const char *name, int64_t n);
void json_flag(const char *name, bool flag);
void json_open(const char *name, const char *bracket); /* "{" or "["; the caller ends it */
/* A fact, stated once for both forms: a name in JSON, and words in a line, where '%' stands for the value. A
 * name or words of NULL leave the fact out of that form. Words bring their own separators and ends of lines,
 * and words without a '%' are printed alone. */
void fact_text(bool json, const char *name, const char *words, const char *text);
void fact_count(bool json, const char *name, const char *words, int64_t n);
/* A list of numbers; "3 x 4" in a line. */
void fact_shape(bool json, const char *name, const char *words, const int64_t *dims, int n);
/* An object or a list in JSON; in lines, just words. */
void fact_open(bool json, const char *name, const char *words, const char *bracket);
void fact_close(bool json, const char *words, const char *bracket);
/* IO if a write has failed so far. */
SHEAF_USE sheaf_status out_check(sheaf_error *err);
SHEAF_USE sheaf_status out_flush(sheaf_error *err);
/* From here on output can be taken back, until some of it is written. */
void out_mark(void);
/* Takes it back; false if it is too late for that. */
bool out_take_back(void);
SHEAF_USE sheaf_status out_close(sheaf_error *err);

/* ---- standard error ---- */

/* One line, "sheaf: WORD: text" (word NULL: "sheaf: text"), control characters made visible. */
void say(const char *word, const char *format, ...) SHEAF_PRINTF(2, 3);
/* "note", "warning", "breach" or "error". */
const char *severity_name(sheaf_severity severity);
/* Reports why something failed, and returns the exit code for it. A broken pipe is not reported: see
 * pipe_is_broken. */
int say_failure(const sheaf_error *err);
/* Whether output went to a pipe that nobody reads any more. */
bool pipe_is_broken(void);

/* Whether it is one: standard input, output or error; after terminal_forget none is, even if a wrapper makes
 * it look like one. */
bool terminal_is(int fd);
void terminal_forget(void);
/* The columns of a terminal, or of COLUMNS; 80 if there is neither, and whether there is one. */
int terminal_width(int fd);
bool terminal_has_width(int fd);
/* How to draw there: as wide as it is, in Unicode if the locale supports it, in colours if they are
 * wanted. */
sheaf_drawing terminal_drawing(int fd);
/* Whether it is one that shows colours, and the user has not turned them off (NO_COLOR). */
bool terminal_has_colour(int fd);

enum { MAX_INPUTS = 2 }; /* that are read at the same time */
/* Begins again for the next input; `mode` is the value of --progress or NULL. */
void progress_begin(int slot, const char *mode);
void progress_update(int slot, int64_t done, int64_t total);
/* Sets the current stage of the work when it is no longer reading. */
void progress_stage(const char *stage);
void progress_hide(void);
/* Of a monotonic clock. */
double seconds_now(void);

/* ---- signals ---- */

void signals_begin(void);
/* The context that a signal stops; it must be forgotten before it is freed. */
void signals_watch(int slot, sheaf_context *cx);
void signals_forget(int slot);
bool was_interrupted(void);
/* Ends the process as a broken pipe does by default. */
void die_of_broken_pipe(void);

/* ---- sessions: a context for the work on one input, and its findings ---- */

enum { MAX_RULES = 96, COLUMN_NAME = 48, MOST_SAID = 20, SAID = 400 };
typedef enum finding { FINDING_ERROR, FINDING_WARNING, FINDING_LOSS, FINDINGS } finding;
typedef struct rule_count {
	const char *rule;
	finding kind;
	int64_t count;
	char column[COLUMN_NAME]; /* or stream, cut to fit; "" if they are not counted separately */
	char first[256];          /* the text of the first of them, if it was kept */
} rule_count;

/* Counts one more of a rule, in a column (or NULL); returns its row. */
rule_count *count_rule(rule_count rules[MAX_RULES], int *nrules, const rule_count *one);

typedef struct session {
	const arguments *args;
	const char *label; /* the counts of the summary */
	int slot;
	bool *used; /* marks of the settings that the inputs' formats use, shared by inputs read together; NULL:
	               each must use all */
	sheaf_context *cx;
	void (*on_problem)(void *user, const sheaf_problem *problem);
	void *user;
	rule_count *rules; /* MAX_RULES of them: too many for the stacks of some threads */
	int nrules;
	char said[MOST_SAID][SAID]; /* the texts of the first findings, whether they were shown or not */
	int nsaid;
	int code; /* the result of `visit`, as an exit code */
} session;

typedef struct session_options {
	const char *label;
	int slot;      /* which of the inputs that are read at the same time */
	int inputs;    /* how many share the memory limit */
	int64_t held;  /* how much of it another context holds */
	bool *used;    /* see session */
	bool validate; /* findings are not errors here: `on_problem` receives them */
	void (*on_problem)(void *user,
	                   const sheaf_problem *problem); /* NULL: warnings and errors go to standard error */
	void *user;
} session_options;

/* For `on_problem`: findings that nobody wants to hear. */
void ignore_problem(void *user, const sheaf_problem *problem);

SHEAF_USE sheaf_status session_begin(session *s, const arguments *args, const session_options *options,
                                     sheaf_error *err);
/* Reports what was tolerated, and frees the context. */
void session_end(session *s);
/* How inputs are opened: zeros are the defaults. */
typedef struct opening {
	bool glance, shown; /* a quick look; rows are for display, in the style that the command line selects */
	int64_t piece_bytes;
	bool random;              /* rows are read in any order */
	bool plain;               /* without what --sequences and --lengths say */
	unsigned rows;            /* kinds of them that are of use; 0: all */
	sheaf_entries_as entries; /* how a tensor is given */
	const char *only;         /* rows, in place of --rows */
	const char *coordinates;  /* in place of --coordinates */
	const char *member;       /* in place of --dataset */
	/* Lists the datasets of a file that has several, of which none was requested: it is not opened. NULL: it
	 * is, or its reader says which there are. */
	sheaf_status (*list)(session *s, const char *path, int64_t count, sheaf_error *err);
	int64_t *members;         /* receives their number; NULL: they are not counted */
	sheaf_source **kept;      /* as in sheaf_container_options */
	const char *format;       /* instead of that of --from; NULL: that */
	sheaf_index_policy index; /* for commands that do not take --index */
	int input;                /* number of the file, if a configuration has several inputs */
} opening;
/* Whether --lengths says that no lengths are to be looked for. */
bool without_lengths(const arguments *args);
/* Whether the work that failed so can be done again, since nothing of what it says has gone out: then no
 * index is looked at from now on, and what it has left to say is dropped. */
bool can_do_without_index(const sheaf_error *err);
/* From now on no command uses one. */
void do_without_index(void);
/* Whether the last failure was not reported, since the command can be run again. */
bool is_to_run_again(void);
/* What --index asks for, or SHEAF_INDEX. */
sheaf_index_policy index_policy(const arguments *args);
/* Whether SHEAF_INDEX is a valid word for that, or empty; reports it if it is not. */
bool index_word_is_known(void);
/* Which files have an index beside them, before a command that may write some without being asked; NULL: it
 * may not. */
bool *find_indices(const arguments *args);
/* Reports afterwards if one was written, and frees `had`. */
void report_new_indices(const arguments *args, bool *had);
/* Opens a file with its format and streams in a configuration of several inputs. */
SHEAF_USE sheaf_status configured_open(session *s, int input, const char *path, sheaf_open_options *open,
                                       sheaf_dataset **out, sheaf_error *err);
/* Opens an input with the options of the command line. */
SHEAF_USE sheaf_status session_open(session *s, const char *path, const opening *how, sheaf_dataset **out,
                                    sheaf_error *err);

/* Opens each file in a session of its own and calls `visit`. Returns the highest exit code of all. */
typedef sheaf_status (*visitor)(session *s, sheaf_dataset *dataset, sheaf_error *err);
/* Does work on all files and marks the options of formats that they use (NULL for a single file, which must
 * use all): an option that none uses is refused at the end. */
int with_shared_options(const arguments *args,
                        int (*work)(const arguments *args, bool *used, const void *user), const void *user);
int visit_files(const arguments *args, opening how, visitor visit);

/* *out becomes the arguments with each operand that means several files replaced by those: a pattern that is
 * not the name of a file, and "@LIST", a file with a name on each line. Free it with inputs_free; the rest of
 * it still belongs to `args`. */
SHEAF_USE sheaf_status inputs_expand(const arguments *args, arguments *out, sheaf_error *err);
void inputs_free(arguments *expanded);

/* ---- minibatches, in batch_output.c ---- */

/* Prints a batch as a JSON object, including its contents if `data`, whose memory is reused, is not NULL. */
SHEAF_USE sheaf_status print_batch(const sheaf_batches *batches, const sheaf_batch *b, sheaf_buffer *data,
                                   sheaf_error *err);

/* Opens an existing folder; -1 with errno if it cannot be opened. */
int open_folder(const char *path);

/* Where each batch becomes a file; format NULL: nowhere. */
typedef struct batch_folder {
	const char *path, *format, *suffix;
	int64_t last; /* position at which the last batch begins; -1: there was none yet */
	int earlier;  /* how many batches before it begin there, too */
} batch_folder;

/* Creates the folder that --output names, if any. A folder that already has batches is refused, unless
 * `resumed`: then the run continues with them. */
SHEAF_USE sheaf_status batch_folder_open(batch_folder *f, const arguments *args, bool resumed,
                                         sheaf_error *err);
SHEAF_USE sheaf_status batch_folder_write(batch_folder *f, const sheaf_batches *batches, const sheaf_batch *b,
                                          const sheaf_shard_options *shard, sheaf_context *cx,
                                          sheaf_error *err);

/* Does work that writes files, in a session of its own. If an existing file must not be replaced by mistake,
 * a user at a terminal is asked, and the work is done again with `force`. */
typedef sheaf_status (*output_work)(const session *s, bool force, sheaf_error *err);
int run_output(const arguments *args, const char *label, output_work work);

/* The errors at the beginning of a file, in its pieces one after the other. */
typedef struct flaws {
	int64_t errors;
	rule_count rules[MAX_RULES];
	int nrules;
	bool ends;     /* --max-errors does not tolerate some of them */
	bool complete; /* that was all of the file */
} flaws;
/* Nothing if the input can be read only once. */
SHEAF_USE sheaf_status look_for_flaws(const session *s, const char *path, flaws *f, sheaf_error *err);
void print_flaws(const flaws *f, bool json);

/* ---- parts ---- */

/* Who opens the sink of a part: as in sheaf_part_options. */
typedef struct part_maker {
	sheaf_status (*open)(void *user, sheaf_context *cx, sheaf_sink **out, sheaf_error *err);
	void *user;
} part_maker;
/* From now on commands make this part ("I/N") and no output; NULL: not any more. `silent`: findings are not
 * reported, since the merge reports them. */
void parts_make(const char *part, part_maker maker, bool silent);
void parts_make_none(void);
/* From now on what commands read are parts; NULL: rows again. */
void parts_merge(sheaf_parts *parts);
bool part_is_made(void);
/* The number of the part that is being made, or that --part names; and who makes it: nobody if it is a
 * file. */
const char *part_wanted(const arguments *args);
part_maker part_making(void);
bool part_is_silent(void);
/* Whether a command was asked for a part with --part; run_part then makes it. */
bool makes_part(const arguments *args);
int run_part(const arguments *args);
/* Whether merge gets parts of anything but a conversion: then it has done the work. */
bool merges_readings(const arguments *args, int *code);
/* Runs the command of the parts again, with the parts instead of the rows; `args` say how to work. */
int run_merged(const arguments *args, sheaf_parts *parts, const char *output);

/* For commands that work in parts: before the first row; after the last one, with the result, or with the
 * failure that ended the reading; and, if the result is made of parts, the result of each. */
SHEAF_USE sheaf_status part_begin(const session *s, sheaf_dataset *dataset, sheaf_part_rows rows,
                                  sheaf_error *err);
SHEAF_USE sheaf_status part_end(const session *s, sheaf_dataset *dataset, const sheaf_buffer *state,
                                const sheaf_error *failure, sheaf_error *err);
/* The same for an index; *done: a part was made, and there is nothing to print. */
SHEAF_USE sheaf_status part_of_index(const session *s, sheaf_dataset *dataset, bool *done, sheaf_error *err);
bool parts_are_merged(void);
SHEAF_USE sheaf_status part_states(sheaf_status (*add)(void *user, sheaf_bytes state, sheaf_error *err),
                                   void *user, sheaf_error *err);

/* How the options of a command open its inputs. */
typedef struct opening_options {
	sheaf_open_options open; /* which points to the others: */
	sheaf_container_options container;
	sheaf_tensor_options tensor;
	sheaf_sequence_options sequences;
} opening_options;
void read_opening(const arguments *args, opening_options *out);

/* Prints the first `limit` of the given rows; -1: all. */
SHEAF_USE sheaf_status print_rows(sheaf_dataset *dataset, sheaf_style style, const char *member,
                                  int64_t limit, sheaf_error *err);
/* The same of rows of cells, as an aligned table. */
SHEAF_USE sheaf_status print_rows_table(sheaf_dataset *dataset, int64_t limit, sheaf_error *err);
/* Between files whose rows are printed one after the other for people: names the next one. */
void print_file_name(const session *s);

/* *into becomes a summary of no rows, with the given names and targets; free it also on failure. */
SHEAF_USE sheaf_status begin_summary(const session *s, const sheaf_dataset *dataset, sheaf_summary **into,
                                     sheaf_error *err);
/* Adds all rows. */
SHEAF_USE sheaf_status gather_summary(sheaf_dataset *dataset, sheaf_summary *into, sheaf_error *err);
/* What must be kept of rows when a summary is made in parts. */
sheaf_part_rows rows_of_summary(const sheaf_dataset *dataset);

/* The word for rows: "sequences", "rows", "entries". */
const char *rows_word(const sheaf_schema *schema);

/* The streams of a schema, or its other columns, as a member of a JSON object. */
void json_fields(const sheaf_schema *schema, bool streams);

/* All of a schema as members of a JSON object: the tensor, the streams, the columns. */
void json_schema(const sheaf_schema *schema, int64_t stored);

/* A line about a tensor, or a member of a JSON object; `stored` -1: the number of entries is not known. */
void print_tensor(const sheaf_schema *schema, int64_t stored, bool json);
/* Calls `show` with the path of each dataset of a file that has a name. */
SHEAF_USE sheaf_status each_member(session *s, const char *path,
                                   sheaf_status (*show)(void *user, const char *path, sheaf_error *err),
                                   void *user, sheaf_error *err);
SHEAF_USE sheaf_status count_members(session *s, const char *path, int *out, sheaf_error *err);
/* A line about each, or a JSON object, and what the file holds besides. */
SHEAF_USE sheaf_status print_members(session *s, const char *path, int64_t count, bool json,
                                     sheaf_error *err);

/* "1 error", "2 errors". */
const char *plural(char text[64], int64_t n, const char *noun);

#endif
