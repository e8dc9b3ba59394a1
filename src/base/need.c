/* SPDX-License-Identifier: MIT */
/* Arguments that are missing or out of range. */
#include "base/need.h"
#include <inttypes.h>

sheaf_status sheaf_not_given(const char *function, const char *what, sheaf_error *err)
{
	return sheaf_misuse(err, function, "expected %s, found NULL", what);
}

sheaf_status sheaf_out_of_range(const char *function, const char *what, int64_t found, sheaf_error *err)
{
	return sheaf_misuse(err, function, "expected %s, found %" PRId64, what, found);
}

sheaf_status sheaf_check_size(const char *what, size_t found, size_t size, sheaf_error *err)
{
	if (!found || found == size) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_USAGE, "%s: expected size %zu, found %zu", what, size, found);
}

sheaf_status sheaf_check_settings(const char *function, const sheaf_setting *settings, int n,
                                  sheaf_error *err)
{
	if (n < 0) return sheaf_out_of_range(function, "a number of settings of at least 0", n, err);
	if (n > 0 && !settings) return sheaf_not_given(function, "settings", err);
	for (int i = 0; i < n; i++)
		if (!settings[i].name) return sheaf_not_given(function, "settings with names", err);
	return SHEAF_OK;
}

sheaf_status sheaf_check_texts(const char *function, const char *what, const char *const *texts, int n,
                               sheaf_error *err)
{
	if (!texts) return sheaf_not_given(function, what, err);
	for (int i = 0; i < n; i++)
		if (!texts[i]) return sheaf_not_given(function, what, err);
	return SHEAF_OK;
}
