/* SPDX-License-Identifier: MIT */
/* A state is one line of JSON, so that it can be kept in any file of a training run; it is read by hand,
 * since a member more or less must not pass unnoticed. */
#include "batch/state.h"
#include "base/third/xxhash.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 1 };

/* A hash of the numbers, which shows whether they were changed since a run has written them. */
static uint32_t check_of(const sheaf_state *s)
{
	const uint64_t words[] = {(uint64_t)s->mark.sweep,
	                          (uint64_t)s->mark.ordinal,
	                          (uint64_t)s->mark.position,
	                          (uint64_t)s->step,
	                          s->seed,
	                          s->options,
	                          s->data};
	return (uint32_t)sheaf_xxhash_numbers(words, sizeof words / sizeof *words, sizeof *words, VERSION).low;
}

void sheaf_state_write(const sheaf_state *state, char text[SHEAF_STATE_SIZE])
{
	snprintf(text, SHEAF_STATE_SIZE,
	         "{\"version\":%d,\"sweep\":%" PRId64 ",\"ordinal\":%" PRId64 ",\"position\":%" PRId64
	         ",\"step\":%" PRId64 ",\"seed\":%" PRIu64 ",\"options\":\"%08" PRIx32 "\",\"data\":\"%08" PRIx32
	         "\",\"check\":\"%08" PRIx32 "\"}",
	         VERSION, state->mark.sweep, state->mark.ordinal, state->mark.position, state->step, state->seed,
	         state->options, state->data, check_of(state));
}

/* ---- reading: the members in any order, with white space ---- */

typedef struct scanner {
	const char *at;
	bool bad;
} scanner;

static void pass_space(scanner *s) { s->at += strspn(s->at, " \t\r\n"); }

static void expect(scanner *s, char c)
{
	pass_space(s);
	s->bad = s->bad || *s->at != c;
	if (!s->bad) s->at++;
}

/* Passes a text in quotes, without escapes in it; *text is its beginning. Returns its length; s->bad if there
 * is none. */
static size_t text_in_quotes(scanner *s, const char **text)
{
	expect(s, '"');
	*text = s->at;
	size_t n = s->bad ? 0 : strcspn(s->at, "\"\\");
	s->at += n;
	expect(s, '"');
	return n;
}

/* The number that n digits of a base (10, or 16 in small letters) stand for; s->bad if there is none, another
 * byte, or more than 64 bits. */
static uint64_t digits(scanner *s, const char *at, size_t n, unsigned base)
{
	static const char all[] = "0123456789abcdef";
	uint64_t value = 0;
	s->bad = s->bad || n == 0;
	for (size_t i = 0; i < n && !s->bad; i++) {
		const char *digit = (const char *)memchr(all, at[i], base);
		s->bad = !digit || __builtin_mul_overflow(value, (uint64_t)base, &value) ||
		         __builtin_add_overflow(value, (uint64_t)(digit - all), &value);
	}
	return value;
}

static uint64_t whole_number(scanner *s)
{
	pass_space(s);
	const char *at = s->at;
	s->at += strspn(at, "0123456789");
	return digits(s, at, (size_t)(s->at - at), 10);
}

static uint64_t hexadecimal(scanner *s)
{
	const char *at;
	size_t n = text_in_quotes(s, &at);
	return digits(s, at, n, 16);
}

static const struct {
	const char *name;
	uint64_t (*read)(scanner *s);
} members[] = {
	{"version", whole_number},  {"sweep", whole_number}, {"ordinal", whole_number},
	{"position", whole_number}, {"step", whole_number},  {"seed", whole_number},
	{"options", hexadecimal},   {"data", hexadecimal},   {"check", hexadecimal},
};
enum { MEMBERS = sizeof members / sizeof *members };

/* Reads an object with all the members, each once, in any order, and nothing after it: values[m] becomes that
 * of members[m]. False if the text is anything else. */
static bool read_object(const char *text, uint64_t values[MEMBERS])
{
	scanner s = {text, false};
	unsigned seen = 0; /* a bit for each member: all have to be there, once */
	expect(&s, '{');
	for (;;) {
		const char *name;
		size_t n = text_in_quotes(&s, &name), m = 0;
		while (m < MEMBERS && (strlen(members[m].name) != n || memcmp(members[m].name, name, n) != 0)) m++;
		expect(&s, ':');
		s.bad = s.bad || m == MEMBERS || (seen & 1u << m);
		if (s.bad) return false;
		seen |= 1u << m;
		values[m] = members[m].read(&s);
		pass_space(&s);
		if (s.bad || *s.at != ',') break;
		s.at++;
	}
	expect(&s, '}');
	pass_space(&s);
	return !s.bad && *s.at == '\0' && seen == (1u << MEMBERS) - 1;
}

/* values[m] are in the order of `members`: 1 to 4 are signed, 6 to 8 are hashes of 32 bits. */
sheaf_status sheaf_state_read(const char *text, sheaf_state *out, sheaf_error *err)
{
	uint64_t v[MEMBERS];
	*out = (sheaf_state){0};
	bool sound = read_object(text, v) && v[6] <= UINT32_MAX && v[7] <= UINT32_MAX && v[8] <= UINT32_MAX;
	for (int i = 1; i <= 4; i++) sound = sound && v[i] <= INT64_MAX;
	if (!sound)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "state: expected {\"version\":1,\"sweep\":N,\"ordinal\":N, ...} as a run has left "
		                  "it, found \"%.60s\"",
		                  text);
	if (v[0] != VERSION)
		return sheaf_fail(err, SHEAF_USAGE, "state: expected version %d, found %" PRIu64, VERSION, v[0]);
	sheaf_mark mark = {.sweep = (int64_t)v[1], .ordinal = (int64_t)v[2], .position = (int64_t)v[3]};
	*out = (sheaf_state){mark, (int64_t)v[4], v[5], (uint32_t)v[6], (uint32_t)v[7]};
	if (check_of(out) == v[8]) return SHEAF_OK;
	*out = (sheaf_state){0};
	return sheaf_fail(err, SHEAF_DATA, "state: expected the numbers that a run has left, found changed ones");
}

/* ---- options ---- */

/* The order of the numbers is fixed: states of earlier runs depend on it. */
uint32_t sheaf_options_fingerprint(const sheaf_plan_options *o, const int64_t *more, size_t n)
{
	const int64_t words[] = {o->arranged.window,
	                         o->arranged.window_in_samples,
	                         o->size,
	                         o->unit,
	                         o->rest,
	                         o->bucket,
	                         o->one_by_one,
	                         o->crosses,
	                         o->global,
	                         o->epoch_size,
	                         o->epoch_size || !o->sweeps ? 1 : o->sweeps};
	uint64_t hash = sheaf_xxhash(o->order->name, strlen(o->order->name), VERSION).low;
	hash = sheaf_xxhash_numbers(words, sizeof words / sizeof *words, sizeof *words, hash).low;
	return (uint32_t)sheaf_xxhash_numbers(more, n, sizeof *more, hash).low;
}
