/* SPDX-License-Identifier: MIT */
/* Extensions of C that only GCC and Clang have: a struct that extends another one, and cleanup at the end of
 * a scope. */
#ifndef SHEAF_BASE_EXTEND_H
#define SHEAF_BASE_EXTEND_H

/* The first member of a struct that extends another struct: `name`, whose members are also members of this
 * one. So a pointer to either is a pointer to both, and nobody has to spell out how deep a member is.
 * (Unnamed members with a tag are an extension of GCC, Clang and Microsoft's compiler: -fms-extensions.) */
#define SHEAF_BASE(type, name) \
	union { \
		struct type name; \
		struct type; \
	}

/* Before a variable: `drop` is called with a pointer to it whenever its scope is left. */
#define SHEAF_SCOPED(drop) __attribute__((cleanup(drop)))

#endif
