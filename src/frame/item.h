/* SPDX-License-Identifier: MIT */
/* One item as text: a number, a truth value, a date, a text, bytes. */
#ifndef SHEAF_FRAME_ITEM_H
#define SHEAF_FRAME_ITEM_H

#include "base/buffer.h"
#include "frame/frame.h"

/* The item at position `at` of level `level`: a value (level is the number of levels) or an item of a last
 * level, which is not missing. JSON has numbers, true and false, strings, {"base64":"..."} for bytes and for
 * texts that are not UTF-8, and [re,im]. */
void sheaf_item_text(sheaf_builder *b, const sheaf_column *column, int level, int64_t at, bool json);
/* A time as its text, without quotes, into to[SHEAF_TIME_ROOM]; parts[1]: the offset of a DATETIMETZ. */
enum { SHEAF_TIME_ROOM = 80 };
char *sheaf_time_print(char *to, sheaf_meaning meaning, int digits, const int64_t *parts);
/* The meaning of a column whose texts are points in time, put together (sheaf_see_time), and the digits of
 * their fractions; SHEAF_STRING if no type holds all of them. */
sheaf_meaning sheaf_time_seen(unsigned seen, int *digits);
/* Values of the last level from number run.begin on, each after `before` and, in a list of entries, its index
 * and ':': up to one that is not finite, or to the end of a batch. Returns where it stopped: at the first one
 * where they are not float32s or float64s, or have several indices. */
int64_t sheaf_finite_text(sheaf_builder *b, const sheaf_column *column, sheaf_run run, char before);
/* An item in a row of a column of cells, which may be missing: null, in JSON {"null":code}. */
void sheaf_cell_text(sheaf_builder *b, const sheaf_column *column, int64_t row, bool json);
/* Writes the bytes of n digits of base64, at most 3 for each 4 of them, to `to`; false if they are not
 * base64. */
bool sheaf_read_base64(const uint8_t *at, size_t n, uint8_t *to, size_t *size);
/* Writes n bytes as base64, four digits for each three of them or the rest, and returns the end. */
char *sheaf_put_base64(char *to, const uint8_t *bytes, size_t n);

#endif
