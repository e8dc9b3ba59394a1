/* SPDX-License-Identifier: MIT */
/* Matrix Market: what is written, byte by byte, what is lost, and what messages say. Files with one rule each
 * are in tests/files/matrixmarket. */
#include "conversion.h"

static const conversion conversions[] = {
	/* in the order of the file */
	{"mtx",
     "%%MatrixMarket matrix coordinate real general\n%one\n%\n%  three\n3 3 3\n3 1 0.1\n1 1 -2e-300\n3 2 "
     "nan\n",
     "mtx", NULL, SHEAF_OK,
     "%%MatrixMarket matrix coordinate real general\n%one\n%\n%  three\n3 3 3\n3 1 0.1\n1 1 -2e-300\n3 2 "
     "nan\n",
     NULL},
	{"mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n3 1 0.1\n1 1 2\n3 1 4\n", "mtx", NULL,
     SHEAF_DATA, NULL, "expected each position once, found (2,0) twice"},
	/* integers */
	{"mtx",
     "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 9223372036854775807\n2 1 "
     "-9223372036854775808\n",
     "mtx", NULL, SHEAF_OK,
     "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 9223372036854775807\n2 1 "
     "-9223372036854775808\n",
     NULL},
	/* complex */
	{"mtx", "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 0.5 -0\n", "mtx", NULL, SHEAF_OK,
     "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 0.5 -0\n", NULL},
	/* pattern */
	{"mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n2 2\n1 1\n", "mtx", NULL, SHEAF_OK,
     "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n2 2\n1 1\n", NULL},
	/* array */
	{"mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n0.25\n-3\n4e30\n", "mtx", NULL, SHEAF_OK,
     "%%MatrixMarket matrix array real general\n2 2\n1\n0.25\n-3\n4e30\n", NULL},
	/* triangles of arrays stay such */
	{"mtx", "%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n0\n0.5\n0\n-4\n", "mtx", NULL, SHEAF_OK,
     "%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n0\n0.5\n0\n-4\n", NULL},
	{"mtx", "%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 1\n0 0\n", "mtx", NULL, SHEAF_OK,
     "%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 1\n0 0\n", NULL},
	/* one without its diagonal is written as entries, or whole: its zeros have no sign to turn */
	{"mtx", "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n0\n", "mtx", NULL, SHEAF_OK,
     "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 1\n3 1 2\n", NULL},
	{"mtx", "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n0\n", "mtx", "-layout=array",
     SHEAF_OK, "%%MatrixMarket matrix array real general\n3 3\n0\n1\n2\n-1\n0\n0\n-2\n0\n0\n", NULL},
	/* entries of a triangle on request: of what is not zero */
	{"mtx", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n0\n", "mtx", "-layout=coordinate",
     SHEAF_OK, "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 1 2\n", NULL},
	/* skew */
	{"mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 7\n", "mtx", NULL, SHEAF_OK,
     "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 7\n", NULL},
	/* empty */
	{"mtx", "%%MatrixMarket matrix coordinate real general\n3 4 0\n", "mtx", NULL, SHEAF_OK,
     "%%MatrixMarket matrix coordinate real general\n3 4 0\n", NULL},
	/* an array on request */
	{"mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n2 1 3\n1 2 4\n", "mtx", "-layout=array",
     SHEAF_OK, "%%MatrixMarket matrix array real general\n2 2\n0\n3\n4\n0\n", NULL},
	/* entries on request: of what is not zero */
	{"mtx", "%%MatrixMarket matrix array integer general\n1 2\n0\n5\n", "mtx", "-layout=coordinate", SHEAF_OK,
     "%%MatrixMarket matrix coordinate integer general\n1 2 1\n1 2 5\n", NULL},
	/* unsigned integers of 64 bits */
	{"mtx", "%%MatrixMarket matrix coordinate unsigned-integer general\n1 1 1\n1 1 18446744073709551615\n",
     "mtx", NULL, SHEAF_OK,
     "%%MatrixMarket matrix coordinate unsigned-integer general\n1 1 1\n1 1 18446744073709551615\n", NULL},
	/* narrower ones are integers */
	{"mtx", "%%MatrixMarket matrix coordinate integer general\n%%GraphBLAS type uint32_t\n1 1 1\n1 1 5\n",
     "mtx", NULL, SHEAF_OK,
     "%%MatrixMarket matrix coordinate integer general\n%%GraphBLAS type uint32_t\n1 1 1\n1 1 5\n", NULL},
	/* a skew-symmetric matrix has signs, whatever type a comment names */
	{"mtx",
     "%%MatrixMarket matrix coordinate integer skew-symmetric\n%%GraphBLAS type uint8_t\n2 2 1\n2 1 5\n",
     "tns", NULL, SHEAF_OK, "# values: integers\n# shape: 2 2\n2 1 5\n1 2 -5\n", NULL},
	/* vectors */
	{"mtx", "%%MatrixMarket vector coordinate integer general\n4 2\n1 5\n4 -2\n", "mtx", NULL, SHEAF_OK,
     "%%MatrixMarket vector coordinate integer general\n4 2\n1 5\n4 -2\n", NULL},
	{"mtx", "%%MatrixMarket vector array real general\n3\n1\n0\n-2\n", "mtx", NULL, SHEAF_OK,
     "%%MatrixMarket vector array real general\n3\n1\n0\n-2\n", NULL},
	{"tns", "3 1\n1 2\n", "mtx", NULL, SHEAF_OK,
     "%%MatrixMarket vector coordinate real general\n3 2\n3 1\n1 2\n", NULL},
	/* as a matrix of one column */
	{"tns", "3 1\n1 2\n", "mtx", "-object=matrix", SHEAF_OK,
     "%%MatrixMarket matrix coordinate real general\n3 1 2\n3 1 1\n1 1 2\n", NULL},
	{"mtx", "%%MatrixMarket vector array real general\n3\n1\n0\n-2\n", "mtx", "-object=matrix", SHEAF_OK,
     "%%MatrixMarket matrix array real general\n3 1\n1\n0\n-2\n", NULL},
	/* three dimensions */
	{"tns", "3 1 1 1\n", "mtx", NULL, SHEAF_UNSUPPORTED, NULL, "expected one or two dimensions, found 3"},
	/* from another format */
	{"tns", "2 1 0.5\n1 2 -1\n", "mtx", NULL, SHEAF_OK,
     "%%MatrixMarket matrix coordinate real general\n2 2 2\n2 1 0.5\n1 2 -1\n", NULL},
	/* what is no number of its field, and no size */
	{"mtx", "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 -\n", "mtx", NULL, SHEAF_DATA, NULL,
     "expected an integer, found \"-\""},
	{"mtx", "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 -9223372036854775809\n", "mtx", NULL,
     SHEAF_DATA, NULL, "expected an integer of 64 bits"},
	{"mtx", "%%MatrixMarket matrix coordinate real general\n1x 1 1\n1 1 1\n", "mtx", NULL, SHEAF_DATA, NULL,
     "a.mtx:2:1 (byte 46): expected "},
	{"mtx", "%%MatrixMarket\n1 1 1\n1 1 1\n", "mtx", NULL, SHEAF_DATA, NULL,
     "expected the object matrix or vector"},
	/* too few entries write nothing */
	{"mtx", "%%MatrixMarket matrix coordinate real general\n9 9 3\n1 1 0.123456789\n2 2 0.123456789\n", "mtx",
     NULL, SHEAF_SHORT, NULL, "expected 3 entries, as the sizes say, found 2"},
};

int main(void) { return check_conversions(conversions, COUNT(conversions)); }
