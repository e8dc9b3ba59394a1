/* SPDX-License-Identifier: MIT */
/* FROSTT: what is written, byte by byte, what is lost, and what messages say. Files with one rule each are in
 * tests/files/tns. */
#include "conversion.h"

static const conversion conversions[] = {
	/* the shape in a comment */
	{"tns", "# shape: 9 9\n1 1 0.5\n2 1 -1\n", "tns", NULL, SHEAF_OK, "# shape: 9 9\n1 1 0.5\n2 1 -1\n",
     NULL},
	/* or in a header */
	{"tns", "1 1 0.5\n2 1 -1\n", "tns", "-layout=extended", SHEAF_OK, "2 2\n2 1\n1 1 0.5\n2 1 -1\n", NULL},
	/* integers */
	{"tns", "1 9223372036854775807\n", "tns", "-element-type=int64", SHEAF_OK,
     "# values: integers\n# shape: 1\n1 9223372036854775807\n", NULL},
	/* a structure is expanded */
	{"mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 1 3\n", "tns", NULL, SHEAF_OK,
     NULL, NULL},
	/* a pattern */
	{"mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n", "tns", NULL, SHEAF_OK,
     "# values: integers\n# shape: 2 2\n2 1 1\n", NULL},
	/* complex values */
	{"mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2\n", "tns", NULL,
     SHEAF_UNSUPPORTED, NULL, "expected numbers, none of which may be missing, found complex"},
	/* a bad line writes nothing */
	{"tns", "1 1 1\n0 1 1\n", "tns", NULL, SHEAF_DATA, NULL,
     "a.tns:2:1 (byte 6): expected a coordinate from 1 on, found \"0\""},
	/* the shape as an option, instead of that in the file */
	{"tns", "1 2 0.5\n", "tns", "-shape=3,4", SHEAF_OK, "# shape: 3 4\n1 2 0.5\n", NULL},
	{"tns", "# shape: 2 2\n1 2 0.5\n", "tns", "-shape=3,4", SHEAF_OK, "# shape: 3 4\n1 2 0.5\n", NULL},
	{"tns", "2 1\n2 2\n1 2 0.5\n", "tns", "-shape=x", SHEAF_USAGE, NULL,
     "--shape: expected up to 8 sizes separated by commas, found x"},
	{"tns", "1 0.5\n", "tns", "-shape=x", SHEAF_USAGE, NULL, "--shape: expected up to 8 sizes"},
	/* control characters are in no text */
	{"tns", "1 1 1\n2 \x01 2\n", "tns", NULL, SHEAF_UNKNOWN, NULL, "expected one of the formats"},
};

int main(void) { return check_conversions(conversions, COUNT(conversions)); }
