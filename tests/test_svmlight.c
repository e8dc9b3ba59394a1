/* SPDX-License-Identifier: MIT */
/* svmlight: what is written, byte by byte, what is lost, and what messages say. Files with one rule each are
 * in tests/files/svmlight. */
#include "conversion.h"

static const conversion conversions[] = {
	/* as they were */
	{"svmlight", "1 1:0.5 3:2 # first\n-1 qid:7 2:0.001\n0.5\n1 5:nan 7:-inf #\n", "svmlight", NULL, SHEAF_OK,
     "1 1:0.5 3:2 # first\n-1 qid:7 2:0.001\n0.5\n1 5:nan 7:-inf #\n", NULL},
	/* several labels */
	{"svmlight", "1,3 1:1\n2 2:1\n 3:1\n", "svmlight", NULL, SHEAF_OK, "1,3 1:1\n2 2:1\n 3:1\n", NULL},
	/* one label each */
	{"svmlight", "1 1:1\n2 2:1\n", "svmlight", "-labels=list", SHEAF_OK,
     "1 1:1\n2 2:1\n# multilabel\n", NULL},
	{"svmlight", "1 1:1\n2 2:1\n# multilabel\n", "svmlight", NULL, SHEAF_OK, "1 1:1\n2 2:1\n# multilabel\n",
     NULL},
	{"svmlight", "1,2 1:1\n2 2:1\n", "svmlight", NULL, SHEAF_OK, "1,2 1:1\n2 2:1\n", NULL},
	/* weights, in either spelling; of lists they have a name */
	{"svmlight", "1:0.5 1:2\n-1:1 2:1\n", "svmlight", NULL, SHEAF_OK, "1:0.5 1:2\n-1:1 2:1\n", NULL},
	{"svmlight", "1 cost:0.5 qid:7 1:2\n-1 2:1\n", "svmlight", NULL, SHEAF_OK, "1:0.5 qid:7 1:2\n-1:1 2:1\n",
     NULL},
	{"svmlight", "1:0.5 1:2\n-1:1 qid:7 2:1\n", "svmlight", "-out-labels=cost", SHEAF_OK,
     "1 cost:0.5 1:2\n-1 qid:7 2:1\n", NULL},
	{"svmlight", "1:0.5 1:2\n-1:1 qid:7 2:1\n", "svmlight", "-out-labels=list", SHEAF_OK,
     "1 cost:0.5 1:2\n-1 qid:7 2:1\n", NULL},
	/* a pair where a label must be */
	{"svmlight", "1:0.5 1:2\n-1:1 qid:7 2:1\n", "svmlight", "-labels=cost", SHEAF_USAGE, NULL,
     "found number:number in some"},
	{"svmlight", "1,2 cost:0.5 1:2\n3 2:1\n", "svmlight", NULL, SHEAF_OK, "1,2 cost:0.5 1:2\n3 2:1\n", NULL},
	/* a format without a place for them */
	{"svmlight", "1:0.5 1:2\n-1:1 2:1\n", "ctf", NULL, SHEAF_LOSS, NULL, "weight"},
	/* from 0 */
	{"svmlight", "1 1:1\n", "svmlight", "-index-base=0", SHEAF_OK, "1 1:1\n", NULL},
	/* floats */
	{"svmlight", "0.1 1:0.1\n", "svmlight", "-element-type=float", SHEAF_OK, "0.1 1:0.1\n", NULL},
	/* from CNTK */
	{"ctf", "|label 1 |x 1:2 3:4\n|label 0 |x\n", "svmlight", NULL, SHEAF_OK, "1 2:2 4:4\n0\n", NULL},
	/* dense features */
	{"ctf", "|y 1 |x 5 0 7\n", "svmlight", "-label=y", SHEAF_OK, "1 1:5 2:0 3:7\n", NULL},
	/* no label */
	{"ctf", "|y 1 |x 5 0 7\n", "svmlight", NULL, SHEAF_UNSUPPORTED, NULL, "and no label"},
	/* a label that is no stream */
	{"svmlight", "1:0.5 1:2\n-1:1 2:1\n", "svmlight", "-label=weight", SHEAF_UNSUPPORTED, NULL,
     "expected two streams, one called label"},
	/* two samples */
	{"ctf", "0 |label 1 |x 1:1\n0 |label 2 |x 2:1\n", "svmlight", NULL, SHEAF_LOSS, NULL,
     "expected one sample of each stream in a row, found 2"},
	/* no place for a query */
	{"svmlight", "1 qid:3 1:1\n", "ctf", NULL, SHEAF_LOSS, NULL, "query id"},
	/* a bad row writes nothing */
	{"svmlight", "1 x:1\n", "svmlight", NULL, SHEAF_DATA, NULL,
     "a.svmlight:1:3 (byte 2): stream \"features\": expected the index of a feature"},
	{"svmlight", "1 9999999999999999999:1\n", "svmlight", NULL, SHEAF_DATA, NULL, "a.svmlight:1:3 (byte 2)"},
	{"svmlight", "1 1:x\n", "svmlight", NULL, SHEAF_DATA, NULL,
     "a.svmlight:1:5 (byte 4): stream \"features\": expected a number, found \"x\""},
	/* control characters are in no text */
	{"svmlight", "1 1:1\n2 \x01 2\n", "svmlight", NULL, SHEAF_UNKNOWN, NULL, "expected one of the formats"},
};

int main(void) { return check_conversions(conversions, COUNT(conversions)); }
