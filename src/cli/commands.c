/* SPDX-License-Identifier: MIT */
/* The table of commands, their options, and the meanings of their exit codes. Parsing, help, the manual,
 * completion and the Python package are made from it: an option is a row here and a look at its value where
 * it works, and nothing else. Options that several commands have are one row of shared_options, named by a
 * bit; a row of a command's own hides the shared one of the same name. Options of formats are in the tables
 * of the formats. Things that are the same have the same name in all of them, and what can be found by
 * looking is no option. */
#include "cli.h"
#include <string.h>

/* What a build lacks if a library was not found. */
#if SHEAF_LZ4
#define BUILD_LZ4 ", lz4"
#else
#define BUILD_LZ4 ", not lz4"
#endif
#define ALLOW_LARGE \
	"large: continue if a small input becomes very large: an output of more than 64 times the input, an " \
	"array that stores little (default: stop beyond 1 GiB), or rows that name few of many columns (stop at " \
	"64 cells for each byte)"
/* In the order of the TAKES_ bits. */
const sheaf_option shared_options[] = {
	{"from", SHEAF_OPTION_TEXT, 0, "FORMAT", "read as this format instead of finding it by content and name",
     'F'},
	{"json", SHEAF_OPTION_FLAG, 0, NULL, "print JSON", 0},
	{"quiet", SHEAF_OPTION_FLAG, 0, NULL, "print only the output and errors that end the work", 'q'},
	{"max-memory", SHEAF_OPTION_SIZE, 0, "SIZE", "use at most SIZE bytes of memory (default 4G)", 0},
	{"max-errors", SHEAF_OPTION_COUNT, 0, "N",
     "tolerate N errors in the input and leave out what is wrong (default 0)", 0},
	{"strict", SHEAF_OPTION_FLAG, 0, NULL, "treat warnings as errors", 0},
	{"progress", SHEAF_OPTION_CHOICE, 0, "auto|always|never",
     "show progress on standard error (default auto: on a terminal)", 0},
	{"help", SHEAF_OPTION_FLAG, 0, NULL, "print help, with --json as a table", 'h'},
	{"config", SHEAF_OPTION_TEXT, 0, "FILE[:SECTION]",
     "take the file, its format, streams and options from a reader section of a CNTK configuration file; "
     "options given here override it, and operands NAME=VALUE set its variables",
     0},
	{"threads", SHEAF_OPTION_COUNT, 0, "N",
     "use N threads (default: one per core); the output is the same for any number", 0},
	{"index", SHEAF_OPTION_CHOICE, 0, "auto|never|require|write",
     "use the file's index if it is fresh (see sheaf index); auto also writes an index after it has read a "
     "large file to its end, write always does, require fails without a fresh index (default: the value of "
     "SHEAF_INDEX, or auto)",
     0},
	{"dataset", SHEAF_OPTION_TEXT, 0, "PATH",
     "which dataset of a container to use, as info lists them (default: the root, or the only one)", 0},
	{"coordinates", SHEAF_OPTION_TEXT, 0, "NAME,...",
     "read the rows of a table as entries of a tensor, with these columns as coordinates", 0},
	{"value", SHEAF_OPTION_TEXT, 0, "NAME",
     "the column or stream that holds the values of the tensor (default: the only one); where a tensor "
     "becomes sequences, the name of their stream",
     0},
	{"shape", SHEAF_OPTION_TEXT, 0, "N,...",
     "the extents of a tensor whose file does not say them, or of --coordinates (default: one more than the "
     "largest coordinates, found by reading all rows first)",
     0},
	{"rows", SHEAF_OPTION_TEXT, 0, "N|A:B",
     "take the first N rows; or rows A to B-1, counted from 0 (A: and :B, too)", 'n'},
	{"skip", SHEAF_OPTION_COUNT, 0, "K", "skip the first K rows", 0},
	{"sample", SHEAF_OPTION_TEXT, 0, "N|P%",
     "take N rows, or about P percent of them, drawn by --seed; the same rows in every format", 0},
	{"seed", SHEAF_OPTION_COUNT, 0, "S", "the seed of the sample (default 0)", 0},
	{"where", SHEAF_OPTION_TEXT, 0, "NAME",
     "take the rows with this name, or with names that match this pattern (*, ?, [...])", 0},
	{"streams", SHEAF_OPTION_TEXT, 0, "NAME,...", "take these streams of sequences, in this order", 0},
	{"columns", SHEAF_OPTION_TEXT, 0, "NAME,...",
     "take these columns, in this order; with NAME:TYPE,... declare the columns of a text table", 0},
	{"transpose", SHEAF_OPTION_FLAG, 0, NULL, "reverse the dimensions of a tensor", 0},
	{"matrix", SHEAF_OPTION_FLAG, 0, NULL,
     "read a table of numbers as a matrix; convert also writes a matrix as such a table, if the output is a "
     "table",
     0},
	{"force", SHEAF_OPTION_FLAG, 0, NULL,
     "replace an existing output (without it: ask on a terminal, refuse elsewhere)", 'f'},
	{"part", SHEAF_OPTION_TEXT, 0, "I/N",
     "do part I of N, counted from 1, of one FILE and write a part file, OUT; sheaf merge combines all N "
     "into the same result as without parts",
     0},
	{"allow", SHEAF_OPTION_WORDS, 0, "large", ALLOW_LARGE, 0},
	{"sequences", SHEAF_OPTION_CHOICE, 0, "wide|long|lists",
     "the rows of a table are the samples, the values or the lists of sequences, as convert writes them by "
     "--layout: read them as sequences again",
     0},
	{"lengths", SHEAF_OPTION_TEXT, 0, "FILE|none",
     "read a tensor of padded sequences as sequences of the lengths in FILE (default: where sequences are "
     "wanted, the file beside it, with .lengths before its suffix, if there is one; none: without it)",
     0},
	{"drop-incomplete", SHEAF_OPTION_FLAG, 0, NULL,
     "leave out what is cut off at the end of the input, and sequences in which a stream has no "
     "sample, with a warning each",
     0},
	{0},
};

static const sheaf_option info_options[] = {
	{"guess", SHEAF_OPTION_FLAG, 0, NULL,
     "for a file that does not describe itself: print options with which it can probably be read, the "
     "likeliest first, with the evidence",
     0},
	{"depth", SHEAF_OPTION_COUNT, 0, "N",
     "how many levels of the tree of a container are listed below its root (default 0: all)", 0},
	{0},
};

static const sheaf_option head_options[] = {
	{"rows", SHEAF_OPTION_TEXT, 0, "N|A:B",
     "print the first N rows (default 10); or rows A to B-1, counted from 0", 'n'},
	{"table", SHEAF_OPTION_FLAG, 0, NULL,
     "print rows of a table as an aligned table, fitted to the width of the terminal (as on a terminal)", 0},
	{"expand", SHEAF_OPTION_FLAG, 0, NULL, "also print the entries that a tensor's structure implies", 0},
	{0},
};

static const sheaf_option cat_options[] = {
	{"table", SHEAF_OPTION_FLAG, 0, NULL,
     "print rows of a table as an aligned table, fitted to the width of the terminal", 0},
	{"expand", SHEAF_OPTION_FLAG, 0, NULL, "also print the entries that a tensor's structure implies", 0},
	{0},
};

static const sheaf_option validate_options[] = {
	{"quiet", SHEAF_OPTION_FLAG, 0, NULL, "print only the summary of each file", 'q'},
	{"limit", SHEAF_OPTION_COUNT, 0, "N",
     "print at most N findings of each kind, and a count of the others (default 20); --json prints all", 0},
	{"strict", SHEAF_OPTION_FLAG, 0, NULL, "count warnings and portability notes as violations", 0},
	{0},
};

static const sheaf_option convert_options[] = {
	{"output", SHEAF_OPTION_TEXT, 0, "OUT", "write OUT: the same as OUT after the inputs", 'o'},
	{"to", SHEAF_OPTION_TEXT, 0, "FORMAT",
     "write this format instead of the one that the suffix of OUT names", 't'},
	{"allow", SHEAF_OPTION_WORDS, 0, "loss,large",
     "loss: continue if the output cannot hold all of the data, and list what is lost; " ALLOW_LARGE, 0},
	{"duplicates", SHEAF_OPTION_CHOICE, 0, "error|sum|last",
     "what to do if a position of a tensor has several entries: refuse them (default), add them up, or keep "
     "the last one",
     0},
	{"pad", SHEAF_OPTION_FLAG, 0, NULL,
     "fill sequences of unequal lengths with zeros in a dense tensor, and write the lengths beside OUT, with "
     ".lengths before its suffix",
     0},
	{"structure", SHEAF_OPTION_CHOICE, 0,
     "auto|general|symmetric_lower|symmetric_upper|hermitian_lower|hermitian_upper|skew_symmetric_lower|skew_"
     "symmetric_upper",
     "store the matrix with this structure, which it must have; auto: the best one it has, found by reading "
     "all of it first; general: expanded (default: as in the input, if the output can hold that)",
     0},
	{0},
};

static const sheaf_option split_options[] = {
	{"output", SHEAF_OPTION_TEXT, 0, "OUT", "write OUT: the same as OUT after the inputs", 'o'},
	{"parts", SHEAF_OPTION_TEXT, 0, "N|SIZE|F,...",
     "make N files of equal length, or files with about SIZE (64M, 100B) of FILE each, or draw a part for "
     "each "
     "row with the probabilities F,... (0.9,0.1); a number is put before the suffix of OUT",
     0},
	{"seed", SHEAF_OPTION_COUNT, 0, "S", "the seed of the draw (default 0)", 0},
	{0},
};

static const sheaf_option merge_options[] = {
	{"output", SHEAF_OPTION_TEXT, 0, "OUT", "write OUT: the same as OUT after the inputs", 'o'},
	{"allow", SHEAF_OPTION_WORDS, 0, "loss,large",
     "loss, for parts that were made with it: continue if the output cannot hold all of the "
     "data; " ALLOW_LARGE,
     0},
	{0},
};

/* Shared by two commands. */
#define SUMMARY_OPTIONS \
	{"names", \
	 SHEAF_OPTION_TEXTS, \
	 0, \
	 "STREAM=FILE", \
	 "show names for the most used indices of a stream: line i of FILE, counted from 0, is the name " \
	 "of index i", \
	 0}, \
	{ \
		"target", SHEAF_OPTION_TEXTS, 0, "STREAM", \
			"look for rows that contradict each other: equal in all other streams, but not in STREAM " \
			"(default: chosen by the names of the streams)", \
			0 \
	}

static const sheaf_option stats_options[] = {
	{"draw", SHEAF_OPTION_FLAG, 0, NULL,
     "draw each histogram with a line for each bar, and where entries are, as dots, or as shades of their "
     "number "
     "if a dot would be several entries",
     0},
	SUMMARY_OPTIONS,
	{0},
};

static const sheaf_option report_options[] = {
	SUMMARY_OPTIONS,
	{"svg", SHEAF_OPTION_TEXT, 0, "FOLDER",
     "also write each chart as an SVG file into this folder, which is created if necessary", 0},
	{"fail-above", SHEAF_OPTION_TEXT, 0, "SCORE",
     "with OTHER: end with exit status 1 if the drift of a field is larger than this, from 0 to 1", 0},
	{"output", SHEAF_OPTION_TEXT, 0, "OUT", "write OUT: the same as OUT after the input", 'o'},
	{0},
};

static const sheaf_option schema_options[] = {
	{"to", SHEAF_OPTION_TEXT, 0, "FORMAT", "print only the form for this format", 't'},
	{0},
};

/* Shared by two commands, in which types that differ are like a warning: they count if warnings do. */
#define COMPARE_OPTIONS \
	{"compare", \
	 SHEAF_OPTION_WORDS, \
	 0, \
	 "keys,types", \
	 "what counts besides the values: keys: the keys of sequences; types: element types and dims", \
	 0}, \
	{ \
		"strict", SHEAF_OPTION_FLAG, 0, NULL, \
			"treat warnings as errors; element types and dims count, too, as with --compare types", 0 \
	}

static const sheaf_option diff_options[] = {
	COMPARE_OPTIONS,
	{"limit", SHEAF_OPTION_COUNT, 0, "N", "print at most N differences (default 20)", 0},
	{"quiet", SHEAF_OPTION_FLAG, 0, NULL, "print no outcome, warnings or summary", 'q'},
	{0},
};

static const sheaf_option hash_options[] = {
	COMPARE_OPTIONS,
	{0},
};

static const sheaf_option batches_options[] = {
	{"size", SHEAF_OPTION_TEXT, 0, "N[samples|sequences|tokens]",
     "the size of a batch (default 256samples); a batch has at least one sequence, and none is split; "
     "tokens: "
     "number of sequences times the longest length",
     'n'},
	{"order", SHEAF_OPTION_CHOICE, 0, "sheaf|cntk|file|random|frequency",
     "the order of the sequences: sheaf (default): shuffled, the same for any number of shards; cntk: CNTK's "
     "randomisation; file: as in the file; random: drawn with replacement; frequency: drawn by the column "
     "freq",
     0},
	{"seed", SHEAF_OPTION_TEXT, 0, "N",
     "the seed of the shuffle, and of --sample (default 0); each sweep gets a new shuffle", 0},
	{"window", SHEAF_OPTION_TEXT, 0, "N[chunks|samples]",
     "shuffle within a window of N chunks or samples (default: all that fit in memory; order cntk: 4G of "
     "chunks, or all of them with samples and no number)",
     0},
	{"chunk-bytes", SHEAF_OPTION_SIZE, 0, "SIZE",
     "the size of a chunk of a text file (default 2M, order cntk 32M; 0 or 1: one sequence each)", 0},
	{"epoch-size", SHEAF_OPTION_TEXT, 0, "N[samples|sweeps]",
     "the length of an epoch in samples, or in sweeps, which are passes over all sequences (default 1sweep)",
     0},
	{"epochs", SHEAF_OPTION_TEXT, 0, "N|A:B", "the first N epochs (default 1); or epochs A to B-1, from 0",
     0},
	{"no-cross-sweep", SHEAF_OPTION_FLAG, 0, NULL, "end batches at the end of a sweep", 0},
	{"rest", SHEAF_OPTION_CHOICE, 0, "short|drop|pad|wrap",
     "what to do with a last batch that is too small: keep it short (default), drop it, pad it with its own "
     "sequences, or wrap: fill it with the sequences that come next",
     0},
	{"bucket", SHEAF_OPTION_FLAG, 0, NULL, "put sequences of about the same length into a batch", 0},
	{"shard", SHEAF_OPTION_TEXT, 0, "RANK/WORLD|env",
     "give only shard RANK (from 0) of WORLD shards; env: take both from torchrun, MPI or Slurm, and print "
     "them",
     0},
	{"timeline", SHEAF_OPTION_CHOICE, 0, "local|global",
     "orders cntk and file: local (default): each shard fills its share of the size; global: all shards "
     "together fill the size",
     0},
	{"position", SHEAF_OPTION_COUNT, 0, "N",
     "begin with the first sequence at or after sample N, counted through all sweeps", 0},
	{"state", SHEAF_OPTION_TEXT, 0, "FILE",
     "resume from the state in FILE if it exists, and write the new state there", 0},
	{"join", SHEAF_OPTION_FLAG, 0, NULL,
     "join the files by the keys of their sequences, in the order of the first file (default: read them one "
     "after the other)",
     0},
	{"rows", SHEAF_OPTION_TEXT, 0, "N|A:B",
     "take the first N sequences of each file; or sequences A to B-1, counted from 0", 0},
	{"mix", SHEAF_OPTION_TEXT, 0, "W,...", "draw from the files by these weights, one whole number each", 0},
	{"pack", SHEAF_OPTION_TEXT, 0, "rows|frames|N",
     "lay sequences side by side: several in a row if they fit, as CNTK does; or sequences of one sample "
     "each, "
     "and refuse longer ones; or cut after N steps, in --size / N rows that continue in the next batch",
     0},
	{"pad", SHEAF_OPTION_COUNT, 0, "MULTIPLE",
     "give each sequence a row as wide as the longest, rounded up to this multiple", 0},
	{"keep-in-memory", SHEAF_OPTION_FLAG, 0, NULL,
     "keep the data in memory for later sweeps, as far as --max-memory allows", 0},
	{"trace-level", SHEAF_OPTION_CHOICE, 0, "0|1|2",
     "what to report: 0: only what ends the run; 1 (default): also each tolerated error and warning; 2: also "
     "a summary of the data",
     0},
	{"limit", SHEAF_OPTION_COUNT, 0, "N", "end after N batches", 0},
	{"data", SHEAF_OPTION_FLAG, 0, NULL,
     "with --json: also print what is in each batch, as cat --json does: for each stream a list of "
     "sequences, or, if they are packed, of rows with a sample or null for each step",
     0},
	{"output", SHEAF_OPTION_TEXT, 0, "DIR",
     "also write each batch as a file into this folder, batch-POSITION, with the suffix of the format", 'o'},
	{"to", SHEAF_OPTION_TEXT, 0, "FORMAT", "the format of these files, one of those that hold sequences",
     't'},
	{"force", SHEAF_OPTION_FLAG, 0, NULL, "first remove batches that are already in DIR", 'f'},
	{0},
};

static const sheaf_option plan_options[] = {
	{"parts", SHEAF_OPTION_COUNT, 0, "N",
     "show the contents of each of N parts (default: one line each for 1, 2, 4, ... 1024 parts)", 0},
	{"rate", SHEAF_OPTION_SIZE, 0, "SIZE",
     "the bytes of FILE that a rank processes per second, for the expected time (default 150M)", 0},
	{0},
};

static const sheaf_option index_options[] = {
	{"check", SHEAF_OPTION_FLAG, 0, NULL, "compare the whole index with the file, and write nothing", 0},
	{"chunk-bytes", SHEAF_OPTION_SIZE, 0, "SIZE", "the approximate size of a chunk of text (default 2M)", 0},
	{0},
};

static const sheaf_option help_options[] = {
	{"json", SHEAF_OPTION_FLAG, 0, NULL, "print the tables of commands and options as JSON", 0},
	{"as", SHEAF_OPTION_CHOICE, 0, "man|bash|zsh|fish",
     "print the manual page in roff, or that of COMMAND, or the script with which a shell completes command "
     "lines",
     0},
	{0},
};

static const sheaf_option no_options[] = {{0}};

enum {
	READS = TAKES_FROM | TAKES_QUIET | TAKES_MEMORY | TAKES_ERRORS | TAKES_INCOMPLETE | TAKES_STRICT |
	        TAKES_HELP | TAKES_CONFIG | TAKES_THREADS | TAKES_INDEX | TAKES_DATASET | TAKES_LARGE,
	READS_ALL = READS | TAKES_PROGRESS,
	TENSORS = TAKES_COORDINATES | TAKES_VALUE | TAKES_SHAPE | TAKES_MATRIX | TAKES_SEQUENCES | TAKES_LENGTHS,
	SELECTS = TENSORS | TAKES_SELECTION,
	IN_PARTS = TAKES_PART | TAKES_FORCE,
	CONVERTS = SHEAF_READING | SHEAF_WRITING
};

/* Names of before, which are refused with the name that the option has. */
const renamed_option renamed_options[] = {
	{"allow-large", "allow large"},
	{"allow-loss", "allow loss"},
	{"allow-missing", "allow missing"},
	{"allow-unaligned", "allow unaligned"},
	{"extended", "layout extended"},
	{"frame-mode", "pack frames"},
	{"keys", "compare keys"},
	{"lenient", "allow breach"},
	{"ranks", "parts N"},
	{"size-unit", "size 256sequences"},
	{"start-epoch", "epochs A:B"},
	{"sweeps", "epoch-size 2sweeps"},
	{"truncate", "pack N"},
	{"window-unit", "window 8samples"},
	{"with-types", "compare types"},
	{0},
};

const command commands[] = {
	{"info", run_info, "what a file is: format, streams, counts, bytes", "FILE...", 1, -1,
     (READS & ~(TAKES_ERRORS | TAKES_LARGE)) | TAKES_JSON, SHEAF_READING, info_options,
     "Prints the format, the compression, the size, the streams with their storage, type and dim, and the "
     "counts that are known without reading the whole file. Streams that the file does not declare are "
     "inferred from its beginning; the output then says so. Errors in the first pieces of a file are counted "
     "by rule, and make the exit status 1. Of a file that holds named arrays "
     "or fields the whole tree is listed: groups, arrays, columns and links, with types, extents, storage, "
     "attributes and dimensions; what is not read, with the reason; and, marked by an asterisk, what can be "
     "given to --dataset. Lines after the first 100 of a group are only counted. A sound file has exit "
     "status 0, also if nothing in it is rows."},
	{"head", run_head, "the first rows", "FILE...", 1, -1, READS_ALL | SELECTS | TAKES_JSON, SHEAF_READING,
     head_options,
     "Prints one row per line: the key, then each stream with its samples. A dense sample is [1 2], a sparse "
     "one shows index:value. Long samples and sequences are shortened. With --json each row is one complete "
     "JSON object."},
	{"cat", run_cat, "all rows", "FILE...", 1, -1, READS_ALL | SELECTS | TAKES_JSON, SHEAF_READING,
     cat_options,
     "Prints all rows like head, but shortens nothing. If the input has an error, the rows before it come "
     "first, then the message."},
	{"stats", run_stats, "statistics of all rows, by stream", "FILE...", 1, -1,
     READS_ALL | SELECTS | TAKES_JSON | IN_PARTS, SHEAF_READING, stats_options,
     "Reads the whole file and prints, for each stream, the lengths of sequences, the number of stored "
     "values, the density, the smallest, largest and mean value, the standard deviation, the norm, "
     "quantiles, zeros, NaN, and on a terminal a histogram of one line. With --json it prints what sheaf "
     "report embeds in its page. Counts and sums are exact, whatever the order of rows; a quantile that "
     "is not exact is called \"about\"."},
	{"show", run_show, "one row as a picture", "FILE...", 1, -1,
     READS_ALL | TAKES_SKIP | TAKES_STREAMS | TAKES_COLUMNS | TENSORS, SHEAF_READING, no_options,
     "Draws the first row, or the first one after those that are skipped, with characters: samples of a "
     "stream side by side, a single one laid out in lines; dense values in shades of their magnitude, sparse "
     "ones as dots, everything else as text. The picture is as wide as the terminal, or 80 columns. NO_COLOR "
     "turns colours off; a locale without UTF-8 turns Unicode off."},
	{"report", run_report, "a page of charts: what is in a file, or how two differ", "FILE [OTHER] OUT", 2, 3,
     READS_ALL | SELECTS | TAKES_JSON | IN_PARTS, SHEAF_READING, report_options,
     "Reads the whole file once and writes OUT, one HTML page that fetches nothing: what the file is, what "
     "is wrong with it, and for each stream or column the lengths, values, where its entries are, how "
     "often its indices or items are used, and how much padding batches would have. With OTHER it also shows "
     "how that file differs. With --json, OUT gets only the numbers, the same as sheaf stats --json prints; "
     "- is standard output. Everything is exact, except for what the page says is from bins or from a "
     "sample."},
	{"validate", run_validate, "every violation of the format's rules", "FILE...", 1, -1,
     (READS_ALL & ~TAKES_ERRORS) | TAKES_JSON | IN_PARTS, SHEAF_READING, validate_options,
     "Reads each file to its end and prints everything that its format's rules forbid, one finding per line "
     "with its place, then a summary. Violations are errors, which reading leaves out, and breaches, which "
     "are forbidden although programs read them. Warnings and notes, about what other programs refuse, count "
     "as violations only with --strict."},
	{"convert", run_convert, "from any format to any other", "IN... OUT", 2, -1,
     READS_ALL | SELECTS | IN_PARTS, CONVERTS, convert_options,
     "Writes the rows of all inputs, one after the other, into OUT. The format of OUT is named by its suffix "
     "or by --to; a suffix of another kind of file, such as .parquet, is refused without --to. OUT is "
     "compressed if its name ends in .gz, .bz2, .zst, .xz or .lz4. OUT appears whole or not at all. An "
     "existing file is replaced only with --force; it may be one of the inputs. If the output "
     "cannot hold some of the data, the conversion stops, unless --allow loss is given. With more than one "
     "input, keys become positions. An option of a format is for inputs and OUT, as far as they use it; with "
     "out- before its name (--out-delimiter) it is for OUT alone."},
	{"schema", run_schema, "the streams, as each format declares them", "FILE", 1, 1,
     (READS_ALL & ~(TAKES_ERRORS | TAKES_INCOMPLETE | TAKES_LARGE)) | TAKES_JSON, SHEAF_READING,
     schema_options,
     "Prints the declaration of the file's streams, as options, configuration or map, to paste elsewhere. "
     "With --json it prints the streams or columns themselves, and the declarations as texts."},
	{"diff", run_diff, "compare the contents of two files, whatever their formats", "A B", 2, 2,
     (READS_ALL & ~TAKES_CONFIG) | SELECTS | TAKES_JSON, SHEAF_READING, diff_options,
     "Compares streams by name and rows in order, whatever their storage and element type; NaN equals NaN. "
     "Prints the first differences and the outcome. The exit status is 1 if the contents differ."},
	{"hash", run_hash, "a hash of the contents, whatever the format", "FILE...", 1, -1,
     READS_ALL | SELECTS | TAKES_JSON | IN_PARTS, SHEAF_READING, hash_options,
     "Prints 32 hexadecimal digits and the name of each file. Two files of rows of the same kind (sequences, "
     "tables, tensors) have the same hash if diff finds no difference between them, whatever their formats; "
     "zeros that a sparse tensor stores count, although a dense one cannot tell them from others."},
	{"batches", run_batches, "minibatches: order, shards, state, throughput", "FILE...", 1, -1,
     READS_ALL | (SELECTS & ~TAKES_SEED) | TAKES_JSON, SHEAF_READING, batches_options,
     "Cuts the sequences of one or several files into minibatches and prints, with --json, one object for "
     "each: its number, its place in samples, whether a sweep or epoch ends in it, and the keys of its "
     "sequences in order. Without --json it prints the throughput, one line per second. With --output each "
     "batch also becomes a file. A name that contains *, ? or [ means all files that match, and @FILE means "
     "the names in FILE, one per line."},
	{"split", run_split, "one file into several", "FILE OUT...", 2, -1,
     (READS_ALL & ~TAKES_INDEX) | TAKES_FORCE, CONVERTS, split_options,
     "Distributes the rows of FILE, in their order, over the files OUT, or OUT.0, OUT.1 and so on: in parts "
     "whose lengths differ by at most one row, or at random with the probabilities of --parts. A tensor is "
     "split along its "
     "first dimension. If files of the format consist of rows only, the rows are copied byte for byte, so "
     "that sheaf merge restores the file; otherwise they are written again. Either all parts appear, or "
     "none."},
	{"merge", run_merge, "several files into one", "IN... OUT", 1, -1,
     (READS_ALL & ~TAKES_INDEX) | TAKES_FORCE, CONVERTS, merge_options,
     "Writes the rows of all inputs, one file after the other, to OUT: byte for byte if files of the format "
     "consist of rows only, otherwise as sheaf convert does. Part files, which commands make with --part, "
     "are combined into the result of the whole command. For convert and report, name OUT; for other "
     "commands do not: the result is printed, or the index is put in its place."},
	{"plan", run_plan, "how parts would divide a file, before anything is done", "FILE", 1, 1,
     (READS_ALL & ~(TAKES_ERRORS | TAKES_LARGE)) | TAKES_JSON, SHEAF_READING, plan_options,
     "Prints how convert --part would divide FILE: the bytes of the largest part, their ratio to the mean, "
     "how many parts would be empty, and how long the slowest one would take. If there is an index, nothing "
     "else is read. With --json it prints an object for each number of parts."},
	{"index", run_index, "write or check the index beside a file", "FILE...", 1, -1,
     (READS_ALL & ~(TAKES_INDEX | TAKES_INCOMPLETE | TAKES_STRICT | TAKES_LARGE)) | TAKES_JSON | IN_PARTS,
     SHEAF_READING, index_options,
     "Writes FILE.sheaf-index, or, if that folder cannot be written, a file in the user's cache folder. It "
     "records where the pieces of the file begin, how many sequences and samples they have, how long each "
     "sequence is, and the streams if the file does not declare them. With it, commands open a file whose "
     "streams are declared without reading all of it. It is valid as long as the file, and the options that "
     "decide which sequences there are, stay the same. A fresh index is left as it is. The exit status of "
     "--check is 1 if there is no index, or if it does not agree with the file."},
	{"formats", run_formats, "what this build reads and writes", "", 0, 0, TAKES_JSON | TAKES_HELP, 0,
     no_options,
     "Prints the name of each format, whether it can be read and written, its suffixes, and a summary. This "
     "build knows the compressions gzip, bzip2, zstd, xz" BUILD_LZ4 "."},
	{"help", run_help, "help on a command, a format, or both together", "[COMMAND] [FORMAT]", 0, 2,
     TAKES_HELP, 0, help_options,
     "Prints help on a command and its options, on a format and its options, or on a command with the "
     "options of one format."},
	{0},
};

const command *command_find(const char *name)
{
	for (const command *c = commands; c->name; c++)
		if (strcmp(c->name, name) == 0) return c;
	return NULL;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);
	return n >= m && strcmp(text + n - m, end) == 0;
}

enum outputs command_outputs(const command *c)
{
	return ends_with(c->operands, " OUT")      ? OUTPUT_LAST
	       : ends_with(c->operands, " OUT...") ? OUTPUT_REST
	                                           : OUTPUT_NONE;
}

/* Shared options follow the command's own, unless one of these has the same name. */
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
	{EXIT_FINE, "success"},
	{EXIT_DIFFERENT, "the contents differ, or a file is invalid"},
	{EXIT_USAGE, "the command line is wrong"},
	{EXIT_IO, "the system failed to read or write"},
	{EXIT_DATA, "the input breaks its format's rules, ends too early, or is of no known format"},
	{EXIT_LIMIT, "a limit was reached, or memory ran out"},
	{EXIT_UNSUPPORTED, "valid but not supported, or data would be lost"},
	{EXIT_INTERRUPTED, "interrupted"},
	{0},
};
