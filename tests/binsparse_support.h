/* SPDX-License-Identifier: MIT */
/* For tests of Binsparse: JSON in single quotes, what is reported, and parts of descriptors. */
#ifndef SHEAF_TESTS_BINSPARSE_SUPPORT_H
#define SHEAF_TESTS_BINSPARSE_SUPPORT_H

#include "support.h"

/* The text with double quotes for single ones; the last eight stay valid. */
const char *quoted(const char *text);

/* What is reported, each finding as "severity: text". */
typedef struct told {
	char text[4000];
	int count;
} told;

/* A context whose findings go into *t. */
sheaf_context *listening(told *t, bool validate);

#define TYPES_CSR "'data_types':{'pointers_to_1':'uint64','indices_1':'uint64','values':'float32'}"
#define CSR "'version':'0.1','format':'CSR','shape':[5,5],'number_of_stored_values':6," TYPES_CSR

#define ELEMENT "{'level_desc':'element'}"
#define DENSE(rank, level) "{'level_desc':'dense','rank':" #rank ",'level':" level "}"
#define SPARSE(rank, level) "{'level_desc':'sparse','rank':" #rank ",'level':" level "}"
#define CUSTOM(more, level, shape, types) \
	"{'binsparse':{'version':'0.1'," more "'custom':{'level':" level "},'shape':" shape \
	",'number_of_stored_values':2,'data_types':{" types "'values':'int8'}}}"
#define I0 "'indices_0':'int32',"
#define I1 "'indices_1':'int32',"
#define I2 "'indices_2':'int32',"
#define P1 "'pointers_to_1':'int32',"
#define P2 "'pointers_to_2':'int32',"

#define STRUCTURED(structure, type, shape) \
	"{'binsparse':{'version':'0.1','format':'COO','shape':" shape \
	",'number_of_stored_values':1,'structure':" structure \
	",'data_types':{'indices_0':'int8','indices_1':'int8','values':'" type "'}}}"

#endif
