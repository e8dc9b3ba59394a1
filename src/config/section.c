/* SPDX-License-Identifier: MIT */
/* Which record of a configuration is the reader that is meant. */
#include "config/config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- by its path ---- */

static sheaf_status find_element(const sheaf_cntk *c, sheaf_span array, long number, sheaf_span *out)
{
	sheaf_status status = SHEAF_OK;
	for (long i = 0; i <= number && status == SHEAF_OK; i++) status = sheaf_cntk_element(c, &array, out);
	return status;
}

/* The value of a path's word in a record: a field. */
static sheaf_status find_word(const sheaf_cntk *c, const sheaf_config_record *record, const char *word,
                              sheaf_span *value)
{
	sheaf_field_span field;
	sheaf_status status = sheaf_cntk_find(c, record, word, &field);
	if (status == SHEAF_OK) *value = field.value;
	return status;
}

static sheaf_status refuse_section(const sheaf_cntk *c, const char *section, const char *word,
                                   sheaf_status status)
{
	if (status != SHEAF_END) return status;
	return sheaf_fail(c->err, SHEAF_UNKNOWN, "%s: expected a section \"%s\", found no record \"%s\"", c->file,
	                  section, word);
}

static sheaf_status take_record(const sheaf_cntk *c, sheaf_span value, const sheaf_config_record *outer,
                                sheaf_config_record *record)
{
	record->outer = outer;
	return sheaf_cntk_is_record(c, value, &record->inside) ? SHEAF_OK : SHEAF_END;
}

/* Follows "train.reader.deserializers.1" and gives the number of the last record. */
static sheaf_status follow(const sheaf_cntk *c, const char *section, sheaf_config_record records[CNTK_DEPTH],
                           int *last)
{
	char word[128];
	sheaf_span value = {0, 0}, inside;
	for (const char *at = section; *at;) {
		size_t n = strcspn(at, ".");
		if (n == 0 || n >= sizeof word || *last + 2 >= CNTK_DEPTH)
			return refuse_section(c, section, at, SHEAF_END);
		memcpy(word, at, n);
		word[n] = '\0';
		at += n + (at[n] == '.');
		bool is_number = strspn(word, "0123456789") == n && n < 9;
		sheaf_status status = is_number && sheaf_cntk_is_array(c, value, &inside)
		                          ? find_element(c, inside, strtol(word, NULL, 10), &value)
		                          : find_word(c, &records[*last], word, &value);
		if (status == SHEAF_OK && sheaf_cntk_is_array(c, value, &inside) && *at) continue;
		if (status == SHEAF_OK) status = take_record(c, value, &records[*last], &records[*last + 1]);
		if (status) return refuse_section(c, section, word, status);
		++*last;
	}
	return SHEAF_OK;
}

/* ---- without a path ---- */

typedef struct readers {
	int found;
	sheaf_config_record outer,
		inner; /* the first one and its section, or the first one in a section that trains */
	bool trains;
} readers;

static sheaf_status is_training(const sheaf_cntk *c, const sheaf_config_record *section, sheaf_span name,
                                bool *yes)
{
	sheaf_field_span action;
	*yes = sheaf_cntk_is_name(c, name, "train");
	sheaf_status status = sheaf_cntk_find(c, section, "action", &action);
	if (status) return status == SHEAF_END ? SHEAF_OK : status;
	int word;
	sheaf_error failure;
	sheaf_cntk quiet = *c;
	quiet.err = &failure;
	status = sheaf_cntk_choice(&quiet, section, action, "train|trainRNN", &word);
	*yes |= status == SHEAF_OK;
	status = sheaf_forgive(status, "a section that does something else does not train");
	return status ? sheaf_fail(c->err, status, "%s", failure.message) : SHEAF_OK;
}

/* A section's `reader`, where it has one. */
static sheaf_status look_in(const sheaf_cntk *c, const sheaf_config_record *file, sheaf_field_span field,
                            readers *r)
{
	sheaf_config_record section, reader;
	sheaf_field_span inner;
	bool trains;
	sheaf_status status = take_record(c, field.value, file, &section);
	if (status) return status == SHEAF_END ? SHEAF_OK : status;
	status = sheaf_cntk_find(c, &section, "reader", &inner);
	if (status) return status == SHEAF_END ? SHEAF_OK : status;
	status = take_record(c, inner.value, &section, &reader);
	if (status) return status == SHEAF_END ? SHEAF_OK : status;
	SHEAF_TRY(is_training(c, &section, field.name, &trains));
	r->found++;
	if (r->found > 1 && !(trains && !r->trains)) return SHEAF_OK;
	r->trains = trains;
	r->outer = section;
	r->inner = reader;
	return SHEAF_OK;
}

/* END where it has none. */
static sheaf_status find_reader_words(const sheaf_cntk *c, const sheaf_config_record *record)
{
	sheaf_field_span field;
	sheaf_status status = sheaf_cntk_find(c, record, "readerType", &field);
	return status == SHEAF_END ? sheaf_cntk_find(c, record, "deserializers", &field) : status;
}

static sheaf_status look_around(const sheaf_cntk *c, sheaf_config_record records[CNTK_DEPTH], int *last)
{
	readers r = {0};
	sheaf_field_span field;
	sheaf_span rest = records[0].inside;
	sheaf_status status = sheaf_cntk_find(c, &records[0], "reader", &field);
	if (status == SHEAF_OK) status = take_record(c, field.value, &records[0], &records[1]);
	if (status != SHEAF_END) {
		*last = 1;
		return status;
	}
	status = find_reader_words(c, &records[0]);
	if (status != SHEAF_END) return status;
	while ((status = sheaf_cntk_next(c, &rest, &field)) == SHEAF_OK)
		SHEAF_TRY(look_in(c, &records[0], field, &r));
	if (status != SHEAF_END) return status;
	if (r.found == 0)
		return sheaf_fail(c->err, SHEAF_UNKNOWN, "%s: expected a section with a reader, found none", c->file);
	if (r.found > 1 && !r.trains)
		return sheaf_fail(c->err, SHEAF_UNKNOWN,
		                  "%s: expected one reader, or one in a section that trains, found %d; name one as "
		                  "%s:SECTION.reader",
		                  c->file, r.found, c->file);
	records[1] = r.outer;
	records[2] = r.inner;
	records[2].outer = &records[1];
	*last = 2;
	return SHEAF_OK;
}

/* A section that holds a reader stands for it. */
static sheaf_status step_into_reader(const sheaf_cntk *c, sheaf_config_record records[CNTK_DEPTH], int *last)
{
	sheaf_field_span field;
	sheaf_status status = find_reader_words(c, &records[*last]);
	if (status != SHEAF_END) return status;
	status = sheaf_cntk_find(c, &records[*last], "reader", &field);
	if (status) return status == SHEAF_END ? SHEAF_OK : status;
	status = take_record(c, field.value, &records[*last], &records[*last + 1]);
	if (status == SHEAF_OK) ++*last;
	return status == SHEAF_END ? SHEAF_OK : status;
}

sheaf_status sheaf_cntk_section(const sheaf_cntk *c, const char *section,
                                sheaf_config_record records[CNTK_DEPTH], const sheaf_config_record **out)
{
	int last = 0;
	records[0] = (sheaf_config_record){{0, c->size}, NULL};
	if (section) {
		SHEAF_TRY(follow(c, section, records, &last));
		SHEAF_TRY(step_into_reader(c, records, &last));
	} else {
		SHEAF_TRY(look_around(c, records, &last));
	}
	*out = &records[last];
	return SHEAF_OK;
}
