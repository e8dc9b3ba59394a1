/* SPDX-License-Identifier: MIT */
/* What lines show about undeclared streams, and about sequences. Runs of whole sequences can be examined
 * separately, and the results combined in order. */
#ifndef SHEAF_FORMAT_CTF_LOOK_H
#define SHEAF_FORMAT_CTF_LOOK_H

#include "format/ctf/ctf.h"

typedef struct sheaf_ctf_guess {
	bool sparse;
	int64_t most_values, most_index;
	int64_t sequence, in_sequence; /* the last sequence with a sample, and the number of its samples */
	int64_t first_at;              /* position of the line that shows it first; -1: none */
} sheaf_ctf_guess;

typedef struct sheaf_ctf_look {
	const sheaf_ctf_reader *in;
	sheaf_context *cx;
	bool declared;       /* the streams are those of the reader; otherwise each name that occurs is one */
	sheaf_schema schema; /* names of the streams found, in order of appearance */
	sheaf_names names;
	sheaf_builder guesses; /* of each stream */
	int last;              /* last stream found */
	int64_t rows, samples, longest;
	uint64_t first_key; /* of the first sequence */
	bool in_a_row;      /* the others have consecutive keys */
	/* while a run is read */
	sheaf_error *err;
	bool continues; /* other lines come before the run */
	bool open;
	int64_t in_open; /* most samples of a stream in the open sequence */
	uint64_t key;
	int64_t line, byte, line_at; /* positions in the input: of the run, of the line */
	const uint8_t *at, *begin, *end;
} sheaf_ctf_look;

SHEAF_USE sheaf_status sheaf_ctf_look_begin(sheaf_ctf_look *look, const sheaf_ctf_reader *in, bool declared,
                                            sheaf_error *err);
/* A run of whole sequences, the first of which begins on `line`, at look->byte of the input. */
SHEAF_USE sheaf_status sheaf_ctf_look_at(sheaf_ctf_look *look, const uint8_t *begin, const uint8_t *end,
                                         int64_t line, bool continues, sheaf_error *err);
/* Adds the results of a run that follows those in *look. */
SHEAF_USE sheaf_status sheaf_ctf_look_add(sheaf_ctf_look *look, const sheaf_ctf_look *after,
                                          sheaf_error *err);
void sheaf_ctf_look_free(sheaf_ctf_look *look);

static inline sheaf_ctf_guess *sheaf_ctf_guess_of(const sheaf_ctf_look *look, int stream)
{
	return (sheaf_ctf_guess *)(void *)look->guesses.data + stream;
}

/* A stream with only empty samples is sparse: that adds no zeros that nobody wrote. */
static inline bool sheaf_ctf_guess_sparse(const sheaf_ctf_guess *g)
{
	return g->sparse || g->most_values == 0;
}

static inline int64_t sheaf_ctf_guess_dim(const sheaf_ctf_guess *g)
{
	return !sheaf_ctf_guess_sparse(g) ? g->most_values : g->most_index >= 0 ? g->most_index + 1 : 1;
}

#endif
