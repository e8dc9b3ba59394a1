/* SPDX-License-Identifier: MIT */
/* Options in messages: marked here, and spelled as sheaf_spell_options says when a message is made. */
#ifndef SHEAF_BASE_SPELL_H
#define SHEAF_BASE_SPELL_H

#include <sheaf/base.h>

/* How a message names an option or setting: "raise " SHEAF_OPTION("max-memory"). The name may be "%s". */
#define SHEAF_OPTION(name) "\x01" name "\x02"

/* Spells what is marked in text[size]. The first name found goes to advice[], if that is empty. */
void sheaf_spell(char *text, size_t size, char advice[32]);
/* Whether there is anything to spell. */
bool sheaf_is_to_spell(const char *text);
/* Appends to the message of an error (NULL: nothing), cut to fit. */
void sheaf_error_append(sheaf_error *err, const char *format, ...) SHEAF_PRINTF(2, 3);

#endif
