/* SPDX-License-Identifier: MIT */
/* What C has with GCC and Clang only: a struct that is another one and more, and what ends with its scope. */
#ifndef SHEAF_BASE_EXTEND_H
#define SHEAF_BASE_EXTEND_H

/* The first member of a struct: another one, `name`, whose members are members of this one, too. So a pointer
 * to either is a pointer to both, and nobody has to spell out how deep a member lies. (Members without a name
 * that have a tag are an extension of GCC, Clang and Microsoft's compiler: -fms-extensions.) */
#define SHEAF_BASE(type, name) \
	union { \
		struct type name; \
		struct type; \
	}

/* Before a variable: `drop` is called with a pointer to it wherever its scope is left. */
#define SHEAF_SCOPED(drop) __attribute__((cleanup(drop)))

#endif
