/* SPDX-License-Identifier: MIT */
/* What holds together in a matrix: its rows and columns are nodes, its entries edges. */
#ifndef SHEAF_TENSOR_COMPONENTS_H
#define SHEAF_TENSOR_COMPONENTS_H

#include "base/buffer.h"

typedef struct sheaf_components {
	int64_t rows, columns, nodes; /* of a square matrix row i and column i are one node */
	int64_t *parents;             /* NULL: nothing is counted */
	int64_t *reach; /* of a square one: how far entries go that begin at a node; after finish unused */
	int64_t needed; /* bytes that both take */
	/* After finish. */
	int64_t components, largest; /* those with entries, and the nodes of the largest */
	int64_t blocks, widest;      /* of the diagonal, as rows and columns stand; -1 where it is not square */
} sheaf_components;

/* Without an error where more than `room` bytes would be needed: then nothing is counted. */
SHEAF_USE sheaf_status sheaf_components_begin(sheaf_components *c, int64_t rows, int64_t columns,
                                              int64_t room, sheaf_context *cx, sheaf_error *err);
void sheaf_components_add(sheaf_components *c, int64_t row, int64_t column);
/* Up to some hundred entries. */
void sheaf_components_add_all(sheaf_components *c, const int64_t *rows, const int64_t *columns, int n);
void sheaf_components_finish(sheaf_components *c);
void sheaf_components_free(sheaf_components *c, sheaf_context *cx);

#endif
