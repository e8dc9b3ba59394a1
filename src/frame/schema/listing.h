/* SPDX-License-Identifier: MIT */
/* Named values as lines for people or as members of JSON objects: each is stated once, for both forms. */
#ifndef SHEAF_FRAME_SCHEMA_LISTING_H
#define SHEAF_FRAME_SCHEMA_LISTING_H

#include "frame/schema/json_text.h"

typedef struct sheaf_listing {
	sheaf_builder *b;
	bool json;
} sheaf_listing;

/* A value has a name in JSON and words in a line, where '%' stands for the value: "bandwidth: % below". The
 * words bring their own separators and ends of lines; words without a '%' stand for the value, too. A name or
 * words of NULL leave the value out of that form. The name "" is for the elements of a list. Text from a file
 * is shown so that it cannot control a terminal. */
void sheaf_listing_text(const sheaf_listing *to, const char *name, const char *words, const char *text);
void sheaf_listing_count(const sheaf_listing *to, const char *name, const char *words, int64_t n);
void sheaf_listing_real(const sheaf_listing *to, const char *name, const char *words, double v);
/* "yes" or "no" in a line. */
void sheaf_listing_flag(const sheaf_listing *to, const char *name, const char *words, bool flag);
/* A list of numbers; "3 x 4" in a line. */
void sheaf_listing_shape(const sheaf_listing *to, const char *name, const char *words, const int64_t *dims,
                         int n);
/* Begins an object ('{') or a list ('[') in JSON, and ends it with the closing bracket; in lines, these are
 * just words. */
void sheaf_listing_open(const sheaf_listing *to, const char *name, const char *words, char bracket);
void sheaf_listing_close(const sheaf_listing *to, const char *words, char bracket);

#endif
