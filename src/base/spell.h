/* SPDX-License-Identifier: MIT */
/* Options in messages: marked here, and spelled as sheaf_spell_options says when a message is made. */
#ifndef SHEAF_BASE_SPELL_H
#define SHEAF_BASE_SPELL_H

#include <sheaf/base.h>

/* How a message names an option or setting: "raise " SHEAF_OPTION("max-memory"). The name may be "%s". */
#define SHEAF_OPTION(name) "\x01" name "\x02"

/* Spells what is marked in text[size]. The first name found goes to advice[], if that is empty. */
void sheaf_spell(char *text, size_t size, char advice[32]);
/* How many bytes the first n of a text have when they are spelled; the text goes on after them. */
size_t sheaf_spelled_size(const char *text, size_t n);
/* Whether there is anything to spell. */
bool sheaf_is_to_spell(const char *text);

#endif
