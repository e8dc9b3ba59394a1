/* SPDX-License-Identifier: MIT */
/* Examples of commands, as lines to type, in help and in the manual. %0 and %1 are the suffixes of the first
 * two formats of the build, whichever these are. */
#include "../cli.h"
#include <stdio.h>
#include <string.h>

static const example examples[] = {
	{NULL, "sheaf info train%0", "what the file is, and what it holds"},
	{NULL, "sheaf convert train%0 train%1", "the same data in another format"},
	{"info", "sheaf info train%0", "format, streams and counts"},
	{"info", "sheaf info --json train%0 train%1", "the same for two files, as JSON for programs"},
	{"head", "sheaf head -n 3 train%0", "the first three rows"},
	{"head", "sheaf head --skip 1 --json train%0", "rows from the second on, as JSON"},
	{"cat", "sheaf cat --rows 1:3 train%0", "the second and the third row"},
	{"cat", "sheaf cat --sample 10% --seed 1 train%0", "about a tenth of the rows, the same ones every time"},
	{"show", "sheaf show train%0", "the first row as a picture"},
	{"show", "sheaf show --skip 1 train%0", "the second one"},
	{"report", "sheaf report train%0 -o train.html", "a page to look at"},
	{"report", "sheaf report --json train%0 -", "only its numbers, on standard output"},
	{"stats", "sheaf stats train%0", "lengths and values of each stream"},
	{"stats", "sheaf stats --rows 2 train%0 train%1", "of the first two rows of each file"},
	{"validate", "sheaf validate train%0", "everything that is wrong with a file"},
	{"validate", "sheaf validate -q train%0 train%1", "the outcome for each of two files"},
	{"convert", "sheaf convert train%0 new%1", "the same data in another format"},
	{"convert", "sheaf convert --rows 2 train%0 small%0", "the first two rows as a file of their own"},
	{"convert", "sheaf convert --part 1/2 train%0 new%1.1.part", "the first half of it, for sheaf merge"},
	{"schema", "sheaf schema train%0", "declarations to paste elsewhere"},
	{"schema", "sheaf schema --json train%0", "the streams, for programs"},
	{"diff", "sheaf diff train%0 train%1", "whether two files hold the same"},
	{"diff", "sheaf diff --rows 2 -q train%0 train%1", "only the exit status, of the first two rows"},
	{"hash", "sheaf hash train%0 train%1", "the same hash for the same contents"},
	{"hash", "sheaf hash --rows 2 train%0", "of the first two rows"},
	{"batches", "sheaf batches --json --size 2 train%0", "one line for each batch of two samples"},
	{"batches", "sheaf batches --order file --shard 0/2 train%0",
     "the throughput of the first of two shards"},
	{"split", "sheaf split --parts 2 train%0 part%0", "two parts of equal length"},
	{"split", "sheaf split --parts 0.8,0.2 train%0 fit%0 test%0",
     "training and validation: about four rows in five, and the others"},
	{"merge", "sheaf merge train%0 train%0 both%0", "one file after the other"},
	{"merge", "sheaf merge train%0 train%0 -o twice%0", "the same with the output named by an option"},
	{"plan", "sheaf plan train%0", "how evenly 1 to 1024 parts would divide the file"},
	{"plan", "sheaf plan --parts 4 --json train%0", "what each of four parts would have, for programs"},
	{"index", "sheaf index train%0", "makes the file open faster from now on"},
	{"index", "sheaf index --check train%0", "whether the index agrees with the file"},
	{"formats", "sheaf formats", "a line about each format"},
	{"formats", "sheaf formats --json", "the same for programs"},
	{"help", "sheaf help convert", "help on a command"},
	{"help", "sheaf help --as man convert", "its manual page"},
};

static bool same(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

/* Puts the suffixes of formats for %0 and %1 into the line. */
const example *example_of(const command *c, int i, char *text, size_t size)
{
	for (size_t k = 0; k < sizeof examples / sizeof *examples; k++) {
		if (!same(examples[k].command, c ? c->name : NULL) || i-- > 0) continue;
		size_t used = 0;
		text[0] = '\0';
		for (const char *at = examples[k].line; *at && used < size; at++) {
			bool suffix = at[0] == '%' && (at[1] == '0' || at[1] == '1');
			int n = suffix ? snprintf(text + used, size - used, "%s", example_suffix(at[1] - '0'))
			               : snprintf(text + used, size - used, "%c", *at);
			used += n > 0 ? (size_t)n : 0;
			at += suffix;
		}
		return &examples[k];
	}
	return NULL;
}
