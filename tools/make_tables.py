#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes the table of powers of src/number to standard output: tools/make_tables.py > src/number/powers.c."""

FIRST, LAST = -342, 324  # SHEAF_POWER_FIRST and SHEAF_POWER_LAST in src/number/powers.h


def leading_bits(k):
    """The first 128 bits of 10^k, cut, not rounded. Powers of five have the same: 2^k only moves the
    point."""
    power = 5 ** abs(k)
    if k < 0:  # as many bits of 1 / 5^-k as make a quotient of at least 128
        power = (1 << (power.bit_length() + 128)) // power
    surplus = power.bit_length() - 128
    return power >> surplus if surplus > 0 else power << -surplus


def powers():
    print("/* SPDX-License-Identifier: MIT */")
    print("/* Made by tools/make_tables.py: do not edit. A table, with a line for each power of ten: its first")
    print(" * 128 bits, see powers.h. */")
    print('#include "number/powers.h"')
    print()
    print("const sheaf_wide sheaf_powers[SHEAF_POWER_LAST - SHEAF_POWER_FIRST + 1] = {")
    for k in range(FIRST, LAST + 1):
        bits = leading_bits(k)
        print("\t{0x%016x, 0x%016x}, /* %d */" % (bits >> 64, bits & (1 << 64) - 1, k))
    print("};")


powers()
