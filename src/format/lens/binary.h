/* SPDX-License-Identifier: MIT */
/* The inside of the binary spelling.
 *
 *   binary_scan.c   where examples end        binary_example.c   examples
 *   binary_header.c the header of the set     binary_write.c     the writer */
#ifndef SHEAF_FORMAT_LENS_BINARY_H
#define SHEAF_FORMAT_LENS_BINARY_H

#include "base/endian.h"
#include "format/lens/reader.h"
#include "number/kernels/words.h"

#define SHEAF_LENS_COOKIE 0xaaaaaaaau

/* Least size of each thing that a count counts. */
enum {
	LENS_SPECIAL_BYTES = 4 + 1 + 4 * SHEAF_LENS_FIELDS,
	LENS_INPUT_LIST_BYTES = 4 + 4 + 1,
	LENS_TARGET_LIST_BYTES = 4 + 4,
	LENS_RANGE_BYTES = 1 + 4 + 1 + 4
};

static inline float sheaf_lens_load_real(const uint8_t *from)
{
	float value;
	uint32_t bits = sheaf_one_nan(sheaf_load_u32be(from));
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* ---- binary_scan.c ---- */

void sheaf_lens_binary_start(sheaf_lens_scan *scan, bool line_start);
bool sheaf_lens_binary_end(sheaf_lens_scan *scan, const uint8_t *data, size_t size);

/* ---- binary_header.c ---- */

/* The seven reals of a set or of an event. */
void sheaf_lens_read_reals(sheaf_cursor *c, const char *field, float out[SHEAF_LENS_FIELDS]);
sheaf_status sheaf_lens_binary_show_header(sheaf_lens_reader *in, sheaf_bytes *shown, sheaf_error *err);
sheaf_status sheaf_lens_binary_read_header(sheaf_lens_parsing *p, sheaf_lens_reader *in);

#endif
