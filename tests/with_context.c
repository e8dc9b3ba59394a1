/* SPDX-License-Identifier: MIT */
#include "with_context.h"

sheaf_context *cx;

int make_context(void **state)
{
	(void)state;
	cx = usual_context();
	return 0;
}

int drop_context(void **state)
{
	(void)state;
	end_context(cx);
	return 0;
}

int make_context_and_folder(void **state) { return make_context(state) || make_folder(state); }

int drop_context_and_folder(void **state)
{
	drop_context(state);
	return remove_folder(state);
}
