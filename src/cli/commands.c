/* SPDX-License-Identifier: MIT */
/* The one table: commands, their options, and what their exit codes mean. Parsing, help and the manual are
 * made from it. */
#include "cli.h"
#include <string.h>

/* In the order of the TAKES_ bits. */
const sheaf_option shared_options[] = {
	{"from", SHEAF_OPTION_TEXT, 0, "FORMAT", "read as this format, instead of finding it by content and name",
     'f'},
	{"json", SHEAF_OPTION_FLAG, 0, NULL, "print JSON", 0},
	{"quiet", SHEAF_OPTION_FLAG, 0, NULL, "no warnings and no summary on standard error", 'q'},
	{"max-memory", SHEAF_OPTION_SIZE, 0, "SIZE", "use at most so much memory (default 4G)", 0},
	{"max-errors", SHEAF_OPTION_COUNT, 0, "N",
     "go on past so many errors in the input, leaving out what is wrong (default 0)", 0},
	{"strict", SHEAF_OPTION_FLAG, 0, NULL, "treat warnings as errors", 0},
	{"progress", SHEAF_OPTION_CHOICE, 0, "auto|always|never",
     "show on standard error how far the work is (default auto: on a terminal)", 0},
	{"help", SHEAF_OPTION_FLAG, 0, NULL, "print help, with --json as a table", 'h'},
	{"config", SHEAF_OPTION_TEXT, 0, "FILE[:SECTION]",
     "take the file, its format, streams and options from a reader section of a CNTK configuration file; "
     "options given here count more",
     0},
	{"threads", SHEAF_OPTION_COUNT, 0, "N",
     "let so many threads work at once (default: as many as there are cores); the outcome is the same", 0},
	{"index", SHEAF_OPTION_CHOICE, 0, "auto|never|require|write",
     "use the index of the file where it is fresh (see sheaf index); auto writes one where a large file is "
     "read to its end, write always does, require "
     "goes on with none but a fresh one (default auto)",
     0},
	{"dataset", SHEAF_OPTION_TEXT, 0, "PATH",
     "the dataset of a container that is meant, as info lists them (default: the root's, or the only one)",
     0},
	{"coordinates", SHEAF_OPTION_TEXT, 0, "NAME,...",
     "take rows of a table as entries of a tensor: these columns are their coordinates", 0},
	{"value", SHEAF_OPTION_TEXT, 0, "NAME",
     "the column, or the stream, that has the values of a tensor (default: the only one)", 0},
	{"shape", SHEAF_OPTION_TEXT, 0, "N,...",
     "the extents of such a tensor (default: one more than the largest coordinates, found by reading all "
     "rows first)",
     0},
	{"hdf5", SHEAF_OPTION_CHOICE, 0, "own|system",
     "who reads HDF5 files: this program (default own), or the HDF5 library of the system, which knows more "
     "kinds of them",
     0},
	{0},
};

static const sheaf_option head_options[] = {
	{"rows", SHEAF_OPTION_COUNT, 0, "N", "print so many rows (default 10)", 'n'},
	{"skip", SHEAF_OPTION_COUNT, 0, "K", "leave out the first K rows", 0},
	{0},
};

static const sheaf_option cat_options[] = {
	{"skip", SHEAF_OPTION_COUNT, 0, "K", "leave out the first K rows", 0},
	{"expand", SHEAF_OPTION_FLAG, 0, NULL, "print the entries that a tensor's structure implies, too", 0},
	{0},
};

static const sheaf_option validate_options[] = {
	{"quiet", SHEAF_OPTION_FLAG, 0, NULL, "print only the summary of each file", 'q'},
	{"strict", SHEAF_OPTION_FLAG, 0, NULL, "warnings and portability notes are violations, too", 0},
	{0},
};

static const sheaf_option convert_options[] = {
	{"to", SHEAF_OPTION_TEXT, 0, "FORMAT",
     "write this format, instead of the one that the suffix of OUT names", 't'},
	{"allow-loss", SHEAF_OPTION_FLAG, 0, NULL,
     "go on where the output cannot hold all of the data, and say what is lost", 0},
	{"duplicates", SHEAF_OPTION_CHOICE, 0, "error|sum|last",
     "where a position of a tensor has several entries (default error): refuse them, add them up, or take "
     "the last one",
     0},
	{"structure", SHEAF_OPTION_CHOICE, 0,
     "auto|general|symmetric_lower|symmetric_upper|hermitian_lower|hermitian_upper|skew_symmetric_lower|skew_"
     "symmetric_upper",
     "store a matrix with this structure, which it must have; auto: with one that it has, found by reading "
     "all of it first; general: expanded (default: as it is, "
     "where the output can hold that)",
     0},
	{0},
};

static const sheaf_option split_options[] = {
	{"parts", SHEAF_OPTION_COUNT, 0, "N",
     "make N files, at most 1000, OUT.0, OUT.1, ... (default: those that are named)", 0},
	{0},
};

static const sheaf_option schema_options[] = {
	{"to", SHEAF_OPTION_TEXT, 0, "FORMAT", "only the form that this format wants", 't'},
	{0},
};

static const sheaf_option diff_options[] = {
	{"keys", SHEAF_OPTION_FLAG, 0, NULL, "compare the keys of sequences, too", 0},
	{"strict", SHEAF_OPTION_FLAG, 0, NULL, "compare element types and dims, too", 0},
	{"limit", SHEAF_OPTION_COUNT, 0, "N", "print at most so many differences (default 20)", 0},
	{"quiet", SHEAF_OPTION_FLAG, 0, NULL, "no line with the outcome, no warnings, no summary", 'q'},
	{0},
};

static const sheaf_option hash_options[] = {
	{"keys", SHEAF_OPTION_FLAG, 0, NULL, "hash the keys of sequences, too", 0},
	{"strict", SHEAF_OPTION_FLAG, 0, NULL, "hash element types and dims, too", 0},
	{0},
};

static const sheaf_option batches_options[] = {
	{"size", SHEAF_OPTION_COUNT, 0, "N",
     "how much goes into a batch (default 256); one sequence always does, and none is split", 'n'},
	{"size-unit", SHEAF_OPTION_CHOICE, 0, "samples|sequences|tokens",
     "what the size counts (default samples); tokens: sequences times the longest of them", 0},
	{"order", SHEAF_OPTION_CHOICE, 0, "sheaf|cntk|file|random|frequency",
     "in which order sequences come (default sheaf): a shuffle that is the same for any number of shards, "
     "CNTK's randomisation, as in the file, or drawn with "
     "replacement, uniformly or by the column freq",
     0},
	{"seed", SHEAF_OPTION_COUNT, 0, "N", "of the shuffle (default 0); each sweep is shuffled anew", 0},
	{"window", SHEAF_OPTION_COUNT, 0, "N",
     "shuffle within so many chunks at a time (default: all that memory allows; order cntk: 4G of chunks)",
     0},
	{"window-unit", SHEAF_OPTION_CHOICE, 0, "chunks|samples", "what the window counts (default chunks)", 0},
	{"chunk-bytes", SHEAF_OPTION_SIZE, 0, "SIZE",
     "how long a chunk of a text gets (default 2M, order cntk 32M; 0 or 1: a sequence each)", 0},
	{"sweeps", SHEAF_OPTION_COUNT, 0, "N", "one epoch of N passes over all sequences (default 1)", 0},
	{"epoch-size", SHEAF_OPTION_COUNT, 0, "N", "epochs of N samples, instead of sweeps", 0},
	{"start-epoch", SHEAF_OPTION_COUNT, 0, "N", "the first epoch (default 0)", 0},
	{"epochs", SHEAF_OPTION_COUNT, 0, "N", "how many epochs (default 1)", 0},
	{"no-cross-sweep", SHEAF_OPTION_FLAG, 0, NULL, "no batch has sequences of two sweeps", 0},
	{"rest", SHEAF_OPTION_CHOICE, 0, "short|drop|pad|wrap",
     "a batch that the end of the epoch leaves short (default short): give it, drop it, repeat its own "
     "sequences, or go on with those that come next",
     0},
	{"bucket", SHEAF_OPTION_FLAG, 0, NULL, "sequences of about the same length meet in a batch", 0},
	{"shard", SHEAF_OPTION_TEXT, 0, "RANK/WORLD", "only the part of shard RANK, from 0, of WORLD shards", 0},
	{"timeline", SHEAF_OPTION_CHOICE, 0, "local|global",
     "orders cntk and file: each shard fills its share of the size (default), or all of them together fill "
     "the size",
     0},
	{"position", SHEAF_OPTION_COUNT, 0, "N",
     "begin with the first sequence at or after sample N, counted through all sweeps", 0},
	{"state", SHEAF_OPTION_TEXT, 0, "FILE",
     "go on where the state in FILE says, if there is one, and leave the new state there", 0},
	{"join", SHEAF_OPTION_FLAG, 0, NULL,
     "the files stand side by side, by the keys of their sequences; the first one leads", 0},
	{"concat", SHEAF_OPTION_FLAG, 0, NULL, "the files stand one after the other (default)", 0},
	{"mix", SHEAF_OPTION_TEXT, 0, "W,...", "draw from the files by these weights, a whole number for each",
     0},
	{"pack", SHEAF_OPTION_FLAG, 0, NULL,
     "lay sequences side by side, several in a row where they fit, as CNTK does", 0},
	{"frame-mode", SHEAF_OPTION_FLAG, 0, NULL,
     "lay sequences side by side that have one sample each, and refuse others", 0},
	{"truncate", SHEAF_OPTION_COUNT, 0, "N",
     "rows of N steps, --size / N of them; what does not fit goes on in the next batch", 0},
	{"pad", SHEAF_OPTION_COUNT, 0, "MULTIPLE",
     "a row for each sequence, as wide as the longest, rounded up to a multiple", 0},
	{"keep-in-memory", SHEAF_OPTION_FLAG, 0, NULL,
     "keep what was read for the sweeps to come, as far as --max-memory allows", 0},
	{"trace-level", SHEAF_OPTION_CHOICE, 0, "0|1|2",
     "tell only of what ends the run, of each tolerated error and warning too (default), or of the data "
     "besides",
     0},
	{"limit", SHEAF_OPTION_COUNT, 0, "N", "end after N batches", 0},
	{0},
};

static const sheaf_option index_options[] = {
	{"check", SHEAF_OPTION_FLAG, 0, NULL, "compare the index with the file, all of it, and write nothing", 0},
	{"piece-bytes", SHEAF_OPTION_SIZE, 0, "SIZE", "about how long a piece of text is (default 2M)", 0},
	{0},
};

static const sheaf_option help_options[] = {
	{"json", SHEAF_OPTION_FLAG, 0, NULL, "print the tables of commands and options as JSON", 0},
	{"man", SHEAF_OPTION_FLAG, 0, NULL, "print the manual page, in roff", 0},
	{0},
};

static const sheaf_option no_options[] = {{0}};

enum {
	READS = TAKES_FROM | TAKES_QUIET | TAKES_MEMORY | TAKES_ERRORS | TAKES_STRICT | TAKES_HELP |
	        TAKES_CONFIG | TAKES_THREADS | TAKES_INDEX | TAKES_DATASET | TAKES_HDF5,
	READS_ALL = READS | TAKES_PROGRESS,
	TENSORS = TAKES_COORDINATES | TAKES_VALUE | TAKES_SHAPE,
	READS_LOOSELY = READS_ALL & ~TAKES_STRICT, /* the word means something else there */
	CONVERTS = SHEAF_READING | SHEAF_WRITING
};

const command commands[] = {
	{"info", run_info, "what a file is: format, streams, counts, bytes", "FILE...", 1, -1, READS | TAKES_JSON,
     SHEAF_READING, no_options,
     "Prints the format, the compression, the size, the streams with their storage, type and dim, and as "
     "many counts as are known without "
     "reading all of the file. Streams that the file does not declare are inferred from its beginning; the "
     "output says so then."},
	{"head", run_head, "the first rows", "FILE", 1, 1, READS_ALL | TENSORS | TAKES_JSON, SHEAF_READING,
     head_options,
     "Prints one row a line: the key, then each stream with its samples. A dense sample is [1 2], a sparse "
     "one shows index:value. Long samples and "
     "sequences are cut, unless --json is given: then a row is one JSON object, complete."},
	{"cat", run_cat, "all rows", "FILE", 1, 1, READS_ALL | TENSORS | TAKES_JSON, SHEAF_READING, cat_options,
     "Prints all rows like head, but nothing is cut."},
	{"stats", run_stats, "statistics of all rows, by stream", "FILE", 1, 1, READS_ALL | TENSORS | TAKES_JSON,
     SHEAF_READING, no_options,
     "Reads all of the file and prints for each stream the lengths of sequences, the stored values, the "
     "density, the least, largest and mean value, "
     "zeros, NaN, and histograms. All of it is exact, but for sums and means, which are doubles."},
	{"validate", run_validate, "every violation of the format's rules", "FILE...", 1, -1,
     (READS_ALL & ~TAKES_ERRORS) | TAKES_JSON, SHEAF_READING, validate_options,
     "Reads all of each file and prints everything that its format's rules forbid, each with its place, one "
     "a line, then a summary. Violations are "
     "errors, which reading leaves out, and breaches, which are forbidden though programs read them. "
     "Warnings and notes, which are about what other "
     "programs refuse, are not violations unless --strict is given."},
	{"convert", run_convert, "from any format to any other", "IN... OUT", 2, -1, READS_ALL | TENSORS,
     CONVERTS, convert_options,
     "Writes the rows of all inputs, one after the other, into OUT. The format of OUT is named by its suffix "
     "or by --to; OUT is compressed where its name "
     "ends in .gz, .bz2, .zst or .xz. OUT appears whole or not at all, and may be one of the inputs. Data "
     "that the output cannot hold stop the "
     "conversion unless --allow-loss is given. With more than one input, keys become positions."},
	{"schema", run_schema, "the streams, in the form that each format wants", "FILE", 1, 1,
     READS_ALL | TAKES_JSON, SHEAF_READING, schema_options,
     "Prints the declaration of the file's streams as options, configuration or map, to paste elsewhere; "
     "with --json the streams or columns themselves, and the declarations as "
     "texts."},
	{"diff", run_diff, "compare the contents of two files, whatever their formats", "A B", 2, 2,
     (READS_LOOSELY & ~TAKES_CONFIG) | TENSORS | TAKES_JSON, SHEAF_READING, diff_options,
     "Compares streams by name and rows in order, whatever the storage and the element type; a NaN equals a "
     "NaN. Prints the first differences "
     "and the outcome; the exit status is 1 where the contents differ."},
	{"hash", run_hash, "a hash of the contents, whatever the format", "FILE...", 1, -1,
     READS_LOOSELY | TENSORS | TAKES_JSON, SHEAF_READING, hash_options,
     "Prints 32 hexadecimal digits and the name of each file. Files have the same hash where diff finds no "
     "difference, whatever their formats."},
	{"batches", run_batches, "minibatches: order, shards, state, throughput", "FILE...", 1, -1,
     READS_ALL | TENSORS | TAKES_JSON, SHEAF_READING, batches_options,
     "Cuts the sequences of one or several files into minibatches and prints, with --json, one object for "
     "each: its number, its place in samples, the ends "
     "it touches and the keys of its sequences in order. Without, it prints a line a second that tells how "
     "fast they come. A name with *, ? or [ in it stands for all "
     "files that match, and @FILE for the names in a file, one a line."},
	{"split", run_split, "one file into several, row by row as they stand", "FILE OUT...", 2, -1,
     READS_ALL & ~TAKES_INDEX, SHEAF_READING, split_options,
     "Copies the rows of FILE, in their order, to the files OUT, or with --parts to OUT.0, OUT.1 and so on: "
     "to each as many, or one less. Nothing of them is changed, so "
     "that sheaf merge gives the same bytes again. For formats whose files are rows and nothing else."},
	{"merge", run_merge, "several files into one, row by row as they stand", "IN... OUT", 2, -1,
     READS_ALL & ~TAKES_INDEX, SHEAF_READING, no_options,
     "Copies the rows of all inputs, one file after the other, to OUT, without a change. For formats whose "
     "files are rows and nothing else."},
	{"index", run_index, "write or check the index beside a file", "FILE...", 1, -1,
     (READS_ALL & ~(TAKES_INDEX | TAKES_STRICT)) | TAKES_JSON, SHEAF_READING, index_options,
     "Writes FILE.sheaf-index, or, where that folder cannot be written, a file in the user's cache folder: "
     "where pieces of the file begin, how many sequences "
     "and samples they have, how long each sequence is, and the streams where the file does not declare "
     "them. Commands find it and open the file without "
     "reading all of it. It counts only as long as the file and the options that decide which sequences "
     "there are stay the same. A fresh one is left as "
     "it is. The exit status of --check is 1 where there is none, or another than the file has."},
	{"formats", run_formats, "what this build reads and writes", "", 0, 0, TAKES_JSON | TAKES_HELP, 0,
     no_options,
     "Prints the name of each format, whether it can be read and written, its suffixes and what it is."},
	{"help", run_help, "help about a command, a format, or the two together", "[COMMAND] [FORMAT]", 0, 2,
     TAKES_HELP, 0, help_options,
     "Prints what there is to know about a command and its options, or about a format and its own, or about "
     "a command with the options of a format that it takes."},
	{0},
};

const command *command_find(const char *name)
{
	for (const command *c = commands; c->name; c++)
		if (strcmp(c->name, name) == 0) return c;
	return NULL;
}

const sheaf_option *command_option(const command *c, int i)
{
	int own = 0;
	for (; c->options[own].name; own++)
		if (own == i) return &c->options[own];
	i -= own;
	for (int bit = 0; shared_options[bit].name; bit++) {
		if (!(c->shared & 1u << bit) || sheaf_option_find(c->options, shared_options[bit].name)) continue;
		if (i-- == 0) return &shared_options[bit];
	}
	return NULL;
}

const exit_meaning exit_meanings[] = {
	{EXIT_FINE, "all is well"},
	{EXIT_DIFFERENT, "the contents differ, or a file is invalid"},
	{EXIT_USAGE, "the command line is wrong"},
	{EXIT_IO, "the system could not read or write"},
	{EXIT_DATA, "the input breaks its format's rules, ends too early, or is of no known format"},
	{EXIT_LIMIT, "a limit was reached, or memory ran out"},
	{EXIT_UNSUPPORTED, "valid but not supported, or data would be lost"},
	{EXIT_INTERRUPTED, "interrupted"},
	{0},
};
