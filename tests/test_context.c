/* SPDX-License-Identifier: MIT */
/* The context: its memory, and its channel for problems. */
#include "base/buffer.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/cursor.h"
#include "base/memory.h"
#include "base/spell.h"
#include "base/threads/spares.h"
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- the context's memory ---- */

static void test_context_options(void **state)
{
	(void)state;
	allocator memory = {.fail_at = 1};
	sheaf_context_options options = options_with(&memory);
	sheaf_context *cx = (sheaf_context *)&memory;
	assert_status(SHEAF_NOMEM, sheaf_context_new(&options, &cx, &err));
	assert_null(cx);
	options.size--;
	assert_status(SHEAF_USAGE, sheaf_context_new(&options, &cx, &err));
	assert_message("size");
	assert_ok(sheaf_context_new(NULL, &cx, &err));
	assert_true(sheaf_max_memory(cx) == (SIZE_MAX < UINT64_MAX ? (int64_t)(SIZE_MAX / 4) : INT64_C(4) << 30));
	assert_false(sheaf_leaves_out(cx) || sheaf_drops_incomplete(cx));
	assert_false(sheaf_is_validating(cx) || sheaf_allows_loss(cx));
	end_context(cx);
	sheaf_context_free(NULL);
}

static void test_memory_is_counted(void **state)
{
	(void)state;
	allocator memory = {0};
	void *a, *b;
	int64_t peak;
	sheaf_context_options options = options_with(&memory);
	sheaf_context *cx = context_with(&options);
	assert_ok(sheaf_allocate(cx, 100, &a, &err));
	for (int i = 0; i < 100; i++) assert_int_equal(((const char *)a)[i], 0);
	assert_int_equal((uintptr_t)a % 64, 0);
	assert_ok(sheaf_allocate_array(cx, 30, 10, &b, &err));
	assert_int_equal(sheaf_context_memory(cx, &peak), 400);
	memset(b, 7, 300);
	assert_ok(sheaf_reallocate(cx, &b, 300, 1000, &err));
	for (int i = 0; i < 300; i++) assert_int_equal(((const char *)b)[i], 7);
	assert_int_equal(sheaf_context_memory(cx, &peak), 1100);
	assert_int_equal(peak, 1100);
	assert_ok(sheaf_reallocate(cx, &b, 1000, 50, &err));
	assert_int_equal(sheaf_context_memory(cx, &peak), 150);
	assert_int_equal(peak, 1100);
	sheaf_release(cx, a, 100);
	sheaf_release(cx, b, 50);
	sheaf_release(cx, NULL, 50);
	end_context(cx);
	assert_int_equal(memory.bytes, 0);
}

static void test_memory_of_no_bytes_and_of_texts(void **state)
{
	(void)state;
	allocator memory = {0};
	void *none;
	char *text;
	sheaf_context_options options = options_with(&memory);
	sheaf_context *cx = context_with(&options);
	assert_ok(sheaf_allocate(cx, 0, &none, &err));
	assert_non_null(none);
	assert_ok(sheaf_copy_text(cx, "abcdef", 3, &text, &err));
	assert_string_equal(text, "abc");
	sheaf_release(cx, none, 0);
	sheaf_release_text(cx, text);
	sheaf_release_text(cx, NULL);
	memory.fail_at = memory.calls + 1;
	assert_status(SHEAF_NOMEM, sheaf_copy_text(cx, "abcdef", 3, &text, &err));
	assert_null(text);
	end_context(cx);
	assert_int_equal(memory.bytes, 0);
}

static void test_memory_limit(void **state)
{
	(void)state;
	allocator memory = {0};
	void *a, *b;
	sheaf_context_options options = options_with(&memory);
	options.max_memory = 1000;
	sheaf_context *cx = context_with(&options);
	assert_ok(sheaf_allocate(cx, 600, &a, &err));
	assert_ok(sheaf_allocate(cx, 400, &b, &err)); /* just fits */
	int64_t calls = memory.calls;
	void *c = a;
	assert_status(SHEAF_LIMIT, sheaf_allocate(cx, 1, &c, &err));
	assert_message("at most 1000 bytes");
	assert_message("1001");
	assert_null(c);
	assert_status(SHEAF_LIMIT, sheaf_reallocate(cx, &b, 400, 401, &err));
	assert_status(SHEAF_LIMIT, sheaf_allocate(cx, SIZE_MAX, &c, &err));
	assert_int_equal(memory.calls, calls); /* the allocator is not even asked */
	assert_int_equal(sheaf_context_memory(cx, NULL), 1000);
	sheaf_release(cx, a, 600);
	sheaf_release(cx, b, 400);
	end_context(cx);
	assert_int_equal(memory.bytes, 0);
}

static void test_memory_limit_of_all_there_is(void **state)
{
	(void)state;
	static const size_t sizes[] = {SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX - 100, SIZE_MAX};
	void *a, *b;
	sheaf_context_options options = {.size = sizeof options, .max_memory = INT64_MAX};
	sheaf_context *cx = context_with(&options);
	assert_ok(sheaf_allocate(cx, 100, &a, &err));
	for (size_t i = 0; i < COUNT(sizes); i++) {
		sheaf_status status = sheaf_allocate(cx, sizes[i], &b, &err);
		assert_true(status == SHEAF_LIMIT || status == SHEAF_NOMEM);
		assert_int_equal(sheaf_context_memory(cx, NULL), 100);
	}
	sheaf_release(cx, a, 100);
	end_context(cx);
}

static void test_memory_that_is_refused_is_not_counted(void **state)
{
	(void)state;
	allocator memory = {0};
	void *a, *b;
	sheaf_context_options options = options_with(&memory);
	sheaf_context *cx = context_with(&options);
	assert_ok(sheaf_allocate(cx, 10, &a, &err));
	memory.fail_at = memory.calls + 1;
	memory.stay = true;
	assert_status(SHEAF_NOMEM, sheaf_allocate(cx, 20, &b, &err));
	assert_null(b);
	assert_message("20 bytes");
	b = a;
	assert_status(SHEAF_NOMEM, sheaf_reallocate(cx, &b, 10, 30, &err));
	assert_ptr_equal(b, a);
	assert_status(SHEAF_LIMIT, sheaf_allocate_array(cx, SIZE_MAX / 2, 3, &b, &err));
	assert_null(b);
	assert_int_equal(sheaf_context_memory(cx, NULL), 10);
	sheaf_release(cx, a, 10);
	end_context(cx);
	assert_int_equal(memory.bytes, 0);
}

/* ---- memory that stays with the process ---- */

enum { MIB = 1 << 20 };

static sheaf_context *keeping_context(int64_t most)
{
	sheaf_context_options options = {.size = sizeof options, .max_memory = most, .keep_memory = true};
	return context_with(&options);
}

/* A block that a context has had, and has released. */
static void *pass(sheaf_context *cx, size_t size)
{
	void *memory = NULL;
	assert_ok(sheaf_reallocate(cx, &memory, 0, size, &err));
	memset(memory, 7, 1000);
	sheaf_release(cx, memory, size);
	return memory;
}

static void test_memory_stays_with_the_process(void **state)
{
	(void)state;
	void *memory;
	sheaf_context *cx = keeping_context(0), *other = context_with(NULL), *next = keeping_context(0);
	void *first = pass(cx, 5 * MIB);
	end_context(cx);
	assert_int_equal(sheaf_process_spares(), 5 * MIB);
	pass(other, 5 * MIB); /* has not asked for it */
	assert_int_equal(sheaf_process_spares(), 5 * MIB);
	end_context(other);
	assert_int_equal(sheaf_process_spares(), 5 * MIB);
	assert_ok(sheaf_allocate(next, 5 * MIB - 1000, &memory, &err)); /* nearly as large */
	assert_ptr_equal(memory, first);
	assert_int_equal(((const char *)memory)[999], 0);
	assert_int_equal(sheaf_process_spares(), 0);
	assert_int_equal(sheaf_context_memory(next, NULL), 5 * MIB - 1000);
	sheaf_context_hold(next); /* as the owner of a view does */
	sheaf_context_free(next);
	sheaf_release(next, memory, 5 * MIB - 1000);
	assert_int_equal(sheaf_process_spares(), 5 * MIB);
	sheaf_context_let_go(next);
	sheaf_process_spares_clear();
	assert_int_equal(sheaf_process_spares(), 0);
}

static void test_memory_of_the_process_counts(void **state)
{
	(void)state;
	sheaf_context *cx = keeping_context(0), *small = keeping_context(10 * MIB);
	void *first = pass(cx, 5 * MIB);
	pass(cx, 1 * MIB); /* the system's allocator keeps such blocks itself */
	end_context(cx);
	assert_int_equal(sheaf_process_spares(), 5 * MIB);
	assert_ptr_equal(pass(small, 5 * MIB), first);
	assert_int_equal(sheaf_process_spares(), 5 * MIB);
	pass(small, 6 * MIB); /* together with kept blocks it is more than the limit */
	assert_int_equal(sheaf_process_spares(), 6 * MIB);
	end_context(small);
	sheaf_process_spares_clear();
}

static void test_memory_of_the_process_has_a_bound(void **state)
{
	(void)state;
	sheaf_context *cx = keeping_context(0);
	void *last = NULL, *memory = NULL;
	pass(cx, 300 * MIB);
	assert_int_equal(sheaf_process_spares(), 0);
	for (size_t mib = 80; mib < 120; mib += 10) last = pass(cx, mib * MIB);
	assert_int_equal(sheaf_process_spares(),
	                 (104 + 112) * MIB); /* there are eight sizes to the next power of two */
	assert_ok(sheaf_reallocate(cx, &memory, 0, 110 * MIB, &err));
	assert_ptr_equal(memory, last);
	sheaf_release(cx, memory, 110 * MIB);
	end_context(cx);
	sheaf_process_spares_clear();
}

/* ---- the context's problems ---- */

enum { MOST_HEARD = 64 };

typedef struct hearing {
	int count;
	sheaf_severity severity[MOST_HEARD];
	char text[MOST_HEARD][200];
} hearing;

static hearing heard;

static void hear(void *user, const sheaf_problem *problem)
{
	(void)user;
	if (heard.count < MOST_HEARD) {
		heard.severity[heard.count] = problem->severity;
		sheaf_problem_text(problem, heard.text[heard.count], sizeof heard.text[0]);
	}
	heard.count++;
}

static sheaf_context_options hearing_options(void)
{
	heard.count = 0;
	return (sheaf_context_options){.size = sizeof(sheaf_context_options), .on_problem = hear};
}

static sheaf_status tell(sheaf_context *cx, sheaf_severity severity, sheaf_status status, const char *rule)
{
	sheaf_problem problem = {severity, status, rule, SHEAF_NOWHERE, "this", "that", NULL};
	return sheaf_report(cx, &problem, &err);
}

/* What one problem leads to, with no error tolerated: the documented meaning of the five severities under the
 * two switches. */
static void test_policy(void **state)
{
	(void)state;
	enum { SILENT = -1, STOPS = -2 };
	static const struct {
		sheaf_severity severity;
		int plain, strict, validate, both;
	} cases[] = {
		{SHEAF_NOTE, SILENT, SILENT, SHEAF_NOTE, SHEAF_ERROR},
		{SHEAF_WARNING, SHEAF_WARNING, STOPS, SHEAF_WARNING, SHEAF_ERROR},
		{SHEAF_BREACH, SHEAF_BREACH, STOPS, SHEAF_BREACH, SHEAF_ERROR},
		{SHEAF_ERROR, STOPS, STOPS, SHEAF_ERROR, SHEAF_ERROR},
		{SHEAF_FATAL, STOPS, STOPS, SHEAF_FATAL, SHEAF_FATAL},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		const int outcomes[] = {cases[i].plain, cases[i].strict, cases[i].validate, cases[i].both};
		for (int k = 0; k < 4; k++) {
			sheaf_context_options options = hearing_options();
			options.strict = k & 1;
			options.validate = k & 2;
			sheaf_context *cx = context_with(&options);
			sheaf_status status = tell(cx, cases[i].severity, SHEAF_SHORT, "a rule");
			assert_int_equal(status, outcomes[k] == STOPS ? SHEAF_SHORT : SHEAF_OK);
			assert_int_equal(heard.count, outcomes[k] >= 0);
			if (outcomes[k] >= 0) assert_int_equal(heard.severity[0], outcomes[k]);
			assert_int_equal(sheaf_context_problems(cx, SHEAF_NOTE), outcomes[k] != SILENT);
			end_context(cx);
		}
	}
}

static void test_policy_error_budget(void **state)
{
	(void)state;
	sheaf_context_options options = hearing_options();
	options.max_errors = 3;
	sheaf_context *cx = context_with(&options);
	for (int i = 0; i < 3; i++) {
		assert_ok(tell(cx, SHEAF_ERROR, SHEAF_DATA, "a"));
		assert_ok(tell(cx, SHEAF_WARNING, SHEAF_DATA, "warnings cost nothing"));
		assert_ok(tell(cx, SHEAF_BREACH, SHEAF_DATA, "breaches cost nothing"));
	}
	assert_int_equal(heard.count, 9);
	assert_status(SHEAF_DATA, tell(cx, SHEAF_ERROR, SHEAF_DATA, "b"));
	assert_text("expected this, found that; that is one error more than --max-errors tolerates", err.message);
	assert_int_equal(heard.count, 9); /* what stops the call is in the error, not in the callback */
	assert_int_equal(sheaf_context_problems(cx, SHEAF_ERROR), 4);
	end_context(cx);
}

/* Neither one more nor one less, however large. */
static void test_policy_error_budgets(void **state)
{
	(void)state;
	for (int64_t most = 0; most < 40; most++) {
		sheaf_context_options options = hearing_options();
		options.max_errors = most;
		sheaf_context *cx = context_with(&options);
		for (int64_t i = 0; i < most; i++) assert_ok(tell(cx, SHEAF_ERROR, SHEAF_DATA, "a"));
		assert_status(SHEAF_DATA, tell(cx, SHEAF_ERROR, SHEAF_DATA, "b"));
		end_context(cx);
	}
}

static void test_policy_budget_does_not_cover_fatal_ones(void **state)
{
	(void)state;
	sheaf_context_options options = hearing_options();
	options.max_errors = 1000;
	sheaf_context *cx = context_with(&options);
	assert_status(SHEAF_DATA, tell(cx, SHEAF_FATAL, SHEAF_DATA, "a"));
	end_context(cx);
}

static void test_policy_strict_spends_the_budget(void **state)
{
	(void)state;
	sheaf_context_options options = hearing_options();
	options.max_errors = 2;
	options.strict = true;
	sheaf_context *cx = context_with(&options);
	assert_ok(tell(cx, SHEAF_WARNING, SHEAF_DATA, "a"));
	assert_ok(tell(cx, SHEAF_BREACH, SHEAF_DATA, "b"));
	assert_ok(tell(cx, SHEAF_NOTE, SHEAF_DATA, "not heard"));
	assert_status(SHEAF_DATA, tell(cx, SHEAF_WARNING, SHEAF_DATA, "a"));
	assert_int_equal(sheaf_context_problems(cx, SHEAF_ERROR), 3);
	end_context(cx);
}

static void test_policy_validation_has_no_budget(void **state)
{
	(void)state;
	sheaf_context_options options = hearing_options();
	options.validate = true;
	sheaf_context *cx = context_with(&options);
	for (int i = 0; i < 50; i++) assert_ok(tell(cx, i % 2 ? SHEAF_ERROR : SHEAF_FATAL, SHEAF_DATA, "a"));
	assert_int_equal(heard.count, 50);
	end_context(cx);
}

/* A loss is reported and passed, whatever the switches: the writer decides at the end, when all kinds
 * are known. */
static void test_policy_loss(void **state)
{
	(void)state;
	for (int k = 0; k < 8; k++) {
		sheaf_context_options options = hearing_options();
		options.strict = k & 1;
		options.validate = k & 2;
		options.allow_loss = k & 4;
		sheaf_context *cx = context_with(&options);
		for (int i = 0; i < 5; i++) assert_ok(tell(cx, SHEAF_ERROR, SHEAF_LOSS, "lost"));
		assert_int_equal(heard.count, 5);
		assert_int_equal(sheaf_context_losses(cx), 5);
		assert_ok(tell(cx, SHEAF_WARNING, SHEAF_LOSS, "lightly lost"));
		assert_int_equal(heard.severity[5], SHEAF_WARNING);
		assert_int_equal(sheaf_allows_loss(cx), options.allow_loss);
		end_context(cx);
	}
}

static void test_policy_losses_leave_the_error_budget_alone(void **state)
{
	(void)state;
	sheaf_context_options options = hearing_options();
	options.max_errors = 1;
	options.allow_loss = true;
	sheaf_context *cx = context_with(&options);
	for (int i = 0; i < 3; i++) assert_ok(tell(cx, SHEAF_ERROR, SHEAF_LOSS, "lost"));
	assert_ok(tell(cx, SHEAF_ERROR, SHEAF_DATA, "a"));
	assert_status(SHEAF_DATA, tell(cx, SHEAF_ERROR, SHEAF_DATA, "a"));
	end_context(cx);
}

static void test_tally(void **state)
{
	(void)state;
	static const struct {
		const char *rule;
		sheaf_severity severity;
		int count;
	} wanted[] = {{"second letter", SHEAF_WARNING, 2},
	              {"first letter", SHEAF_BREACH, 1},
	              {"third letter", SHEAF_ERROR, 3}};
	sheaf_context_options options = hearing_options();
	sheaf_tally tally;
	options.max_errors = 5;
	sheaf_context *cx = context_with(&options);
	assert_false(sheaf_context_tally(cx, 0, &tally));
	for (int pass = 0; pass < 3; pass++)
		for (size_t i = 0; i < COUNT(wanted); i++)
			if (pass < wanted[i].count) assert_ok(tell(cx, wanted[i].severity, SHEAF_SHORT, wanted[i].rule));
	for (int i = 0; i < (int)COUNT(wanted); i++) {
		assert_true(sheaf_context_tally(cx, i, &tally));
		assert_string_equal(tally.rule, wanted[i].rule);
		assert_int_equal(tally.severity, wanted[i].severity);
		assert_int_equal(tally.status, SHEAF_SHORT);
		assert_int_equal(tally.count, wanted[i].count);
	}
	assert_false(sheaf_context_tally(cx, (int)COUNT(wanted), &tally));
	assert_false(sheaf_context_tally(cx, -1, &tally));
	static const int at_least[] = {6, 6, 4, 3, 0};
	for (int s = SHEAF_NOTE; s <= SHEAF_FATAL; s++)
		assert_int_equal(sheaf_context_problems(cx, (sheaf_severity)s), at_least[s]);
	end_context(cx);
}

static void test_stop(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	assert_ok(sheaf_check_stop(cx, &err));
	sheaf_context_stop(cx);
	assert_status(SHEAF_STOPPED, sheaf_check_stop(cx, &err));
	assert_status(SHEAF_STOPPED, sheaf_check_stop(cx, &err));
	end_context(cx);
}

static void test_quiet_context(void **state)
{
	(void)state;
	allocator memory = {0};
	sheaf_context *quiet;
	sheaf_context_options options = options_with(&memory);
	heard.count = 0;
	options.on_problem = hear;
	sheaf_context *cx = context_with(&options);
	assert_ok(sheaf_context_quiet(cx, &quiet, &err));
	assert_ok(tell(quiet, SHEAF_FATAL, SHEAF_DATA, "a"));
	assert_int_equal(heard.count, 0);
	assert_int_equal(sheaf_context_problems(cx, SHEAF_NOTE), 0);
	assert_ok(sheaf_check_stop(quiet, &err));
	sheaf_context_stop(cx);
	assert_status(SHEAF_STOPPED, sheaf_check_stop(quiet, &err));
	end_context(quiet);
	end_context(cx);
	assert_int_equal(memory.bytes, 0);
}

static int64_t progress_seen[2];

static void see_progress(void *user, int64_t done, int64_t total)
{
	(void)user;
	progress_seen[0] = done;
	progress_seen[1] = total;
}

static void test_progress(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_progress(cx, 1, 2); /* nobody listens */
	end_context(cx);
	sheaf_context_options options = {.size = sizeof options,
	                                 .progress = &(sheaf_progress_options){.on_progress = see_progress}};
	cx = context_with(&options);
	sheaf_progress(cx, 5, -1);
	assert_int_equal(progress_seen[0], 5);
	assert_int_equal(progress_seen[1], -1);
	end_context(cx);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_context_options),
	cmocka_unit_test(test_memory_is_counted),
	cmocka_unit_test(test_memory_of_no_bytes_and_of_texts),
	cmocka_unit_test(test_memory_limit),
	cmocka_unit_test(test_memory_limit_of_all_there_is),
	cmocka_unit_test(test_memory_that_is_refused_is_not_counted),
	cmocka_unit_test(test_memory_stays_with_the_process),
	cmocka_unit_test(test_memory_of_the_process_counts),
	cmocka_unit_test(test_memory_of_the_process_has_a_bound),
	cmocka_unit_test(test_policy),
	cmocka_unit_test(test_policy_error_budget),
	cmocka_unit_test(test_policy_error_budgets),
	cmocka_unit_test(test_policy_budget_does_not_cover_fatal_ones),
	cmocka_unit_test(test_policy_strict_spends_the_budget),
	cmocka_unit_test(test_policy_validation_has_no_budget),
	cmocka_unit_test(test_policy_loss),
	cmocka_unit_test(test_policy_losses_leave_the_error_budget_alone),
	cmocka_unit_test(test_tally),
	cmocka_unit_test(test_stop),
	cmocka_unit_test(test_quiet_context),
	cmocka_unit_test(test_progress),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
