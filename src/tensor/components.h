/* SPDX-License-Identifier: MIT */
/* Connected components of a matrix: its rows and columns are nodes, its entries edges. */
#ifndef SHEAF_TENSOR_COMPONENTS_H
#define SHEAF_TENSOR_COMPONENTS_H

#include "tensor/slices.h"

typedef struct sheaf_components {
	int64_t rows, columns, nodes; /* in a square matrix row i and column i are one node */
	int64_t *parents;             /* NULL: nothing is counted */
	int64_t *reach; /* of a square matrix: how far the entries of a node reach; unused after finish */
	int64_t needed; /* size of both in bytes */
	/* After finish. */
	int64_t components, largest; /* those with entries, and the number of nodes in the largest */
	int64_t blocks,
		widest; /* of the diagonal, with rows and columns in their order; -1 if it is not square */
} sheaf_components;

/* No error if more than `room` bytes would be needed: then nothing is counted. */
SHEAF_USE sheaf_status sheaf_components_begin(sheaf_components *c, int64_t rows, int64_t columns,
                                              int64_t room, sheaf_context *cx, sheaf_error *err);
void sheaf_components_add(sheaf_components *c, int64_t row, int64_t column);
/* Up to a few hundred entries. */
void sheaf_components_add_all(sheaf_components *c, const int64_t *rows, const int64_t *columns, int n);
/* All entries of a square matrix at once, whatever its slices are. */
SHEAF_USE sheaf_status sheaf_components_add_slices(sheaf_components *c, sheaf_slices *s, sheaf_error *err);
void sheaf_components_finish(sheaf_components *c);
void sheaf_components_free(sheaf_components *c, sheaf_context *cx);

#endif
