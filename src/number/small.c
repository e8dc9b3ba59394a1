/* SPDX-License-Identifier: MIT */
/* The texts of small integers, see digits.h: three bytes for the digits, the first in the lowest, and the
 * number of digits in the highest byte. The compiler makes the table of a thousand words from one. */
#include "number/digits.h"

#define DIGIT(v, shift) (uint32_t)('0' + (v) % 10) << (shift)
#define ONE(v) ((v) < 10 ? SHORT(v) : (v) < 100 ? MIDDLE(v) : LONG(v))
#define SHORT(v) (1u << 24 | DIGIT(v, 0))
#define MIDDLE(v) (2u << 24 | DIGIT(v, 8) | DIGIT((v) / 10, 0))
#define LONG(v) (3u << 24 | DIGIT(v, 16) | DIGIT((v) / 10, 8) | DIGIT((v) / 100, 0))

#define FIVE(v) ONE(v), ONE((v) + 1), ONE((v) + 2), ONE((v) + 3), ONE((v) + 4)
#define FIFTY(v) TEN(v), TEN((v) + 10), TEN((v) + 20), TEN((v) + 30), TEN((v) + 40)
#define TEN(v) FIVE(v), FIVE((v) + 5)
#define HUNDRED(v) FIFTY(v), FIFTY((v) + 50)

const uint32_t sheaf_small[SHEAF_SMALL] = {HUNDRED(0),   HUNDRED(100), HUNDRED(200), HUNDRED(300),
                                           HUNDRED(400), HUNDRED(500), HUNDRED(600), HUNDRED(700),
                                           HUNDRED(800), HUNDRED(900)};
