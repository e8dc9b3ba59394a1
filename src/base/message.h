/* SPDX-License-Identifier: MIT */
/* The parts of messages. */
#ifndef SHEAF_BASE_MESSAGE_H
#define SHEAF_BASE_MESSAGE_H

#include <sheaf/base.h>
#include <stdarg.h>

/* No parts: all numbers are not known, all spans are empty. */
void sheaf_message_clear(sheaf_error *err);
/* Finds the parts of the message that `format` and `args` have made from byte `begin` on. Only the format
 * says where they are, whatever the arguments contain. */
void sheaf_message_find(sheaf_error *err, size_t begin, const char *format, va_list args) SHEAF_PRINTF(3, 0);
/* Writes the problem as message and parts. */
void sheaf_message_put(sheaf_error *err, const sheaf_problem *problem);
/* Puts a failure at byte `at` of the message, which has the place around it. */
void sheaf_message_join(sheaf_error *err, size_t at, const sheaf_error *inner);
/* The option that the message begins with gets the name under which it was given. */
void sheaf_message_rename(sheaf_error *err, const char *option);
/* Spells the options in the message; its parts stay what they are. */
void sheaf_message_spell(sheaf_error *err);

#endif
