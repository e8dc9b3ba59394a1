/* SPDX-License-Identifier: MIT */
/* Which record of a configuration is the reader: the one that a path such as "train.reader" leads to, or the
 * only one, or the only one in a section that trains. */
#include "cntk/config.h"
#include <stdlib.h>
#include <string.h>

/* ---- by its path ---- */

/* What a path has led to so far: the last record, or an array in it, if the next part of the path is the
 * number of an element. */
typedef struct place {
	sheaf_config_record *records; /* records[0 ... last], each in the one before */
	int last;
	bool in_array;
	sheaf_cntk_span array, name; /* what is left of the array, and the name of its field */
} place;

/* Enters element `number` of the array at which the path is; END if there is none, or if it is no record. */
static sheaf_status step_to_element(const sheaf_cntk *c, place *p, long number)
{
	sheaf_config_record *record = &p->records[p->last + 1];
	sheaf_cntk_span element = {0, 0};
	sheaf_status status = SHEAF_OK;
	for (long i = 0; i <= number && status == SHEAF_OK; i++)
		status = sheaf_cntk_element(c, &p->array, &element);
	SHEAF_TRY(status);
	*record = (sheaf_config_record){.outer = &p->records[p->last], .name = p->name, .element = (int)number};
	record->nparts = sheaf_cntk_records(c, element, record->parts);
	p->in_array = false;
	if (record->nparts == 0) return SHEAF_END;
	p->last++;
	return SHEAF_OK;
}

/* Enters the record of that name in the last one, or, if the path `continues`, finds the array of that name.
 * END if there is neither. */
static sheaf_status step_to_field(const sheaf_cntk *c, place *p, const char *word, bool continues)
{
	sheaf_config_record *record = &p->records[p->last];
	sheaf_field_span field;
	SHEAF_TRY(sheaf_cntk_find(c, record, word, &field));
	p->name = field.name;
	p->in_array = continues && sheaf_cntk_is_array(c, field.value, &p->array);
	if (p->in_array) return SHEAF_OK;
	SHEAF_TRY(sheaf_cntk_inner(c, record, field.name, &p->records[p->last + 1]));
	p->last++;
	return SHEAF_OK;
}

/* Refuses a path at the word that leads nowhere (END); other failures stay what they are. */
static sheaf_status refuse_section(const sheaf_cntk *c, const char *section, const char *word,
                                   sheaf_status status)
{
	if (status != SHEAF_END) return status;
	return sheaf_fail(c->err, SHEAF_UNKNOWN, "%s: expected a section \"%s\", found no record \"%s\"", c->file,
	                  section, word);
}

/* Follows a path such as "train.reader.deserializers.1" from records[0] on; *last becomes the index of the
 * record to which it leads. */
static sheaf_status follow(const sheaf_cntk *c, const char *section, sheaf_config_record records[CNTK_DEPTH],
                           int *last)
{
	char word[128];
	place p = {.records = records};
	for (const char *at = section; *at;) {
		size_t n = strcspn(at, ".");
		if (n == 0 || n >= sizeof word || p.last + 2 >= CNTK_DEPTH)
			return refuse_section(c, section, at, SHEAF_END);
		memcpy(word, at, n);
		word[n] = '\0';
		at += n + (at[n] == '.');
		bool is_number = strspn(word, "0123456789") == n && n < 9;
		sheaf_status status = p.in_array && is_number ? step_to_element(c, &p, strtol(word, NULL, 10))
		                                              : step_to_field(c, &p, word, *at != '\0');
		if (status) return refuse_section(c, section, word, status);
	}
	*last = p.last;
	return SHEAF_OK;
}

/* ---- actions of a section ---- */

sheaf_status sheaf_cntk_action_of(const sheaf_cntk *c, const sheaf_config_record *section, bool outward,
                                  sheaf_cntk_action *out)
{
	static const struct {
		const char *words;
		sheaf_cntk_action action;
	} all[] = {{"train|trainRNN", CNTK_TRAINS}, {"test|eval", CNTK_EVALUATES}, {"write", CNTK_WRITES}};
	sheaf_field_span field;
	*out = CNTK_OTHER;
	sheaf_status status = sheaf_cntk_said(c, section, outward, "action", &field);
	for (size_t i = 0; i < sizeof all / sizeof *all && status == SHEAF_OK; i++) {
		int word;
		status = sheaf_cntk_word(c, field, all[i].words, &word);
		if (status == SHEAF_OK && word >= 0) *out = all[i].action;
	}
	return sheaf_cntk_may_lack(status);
}

/* ---- without a path ---- */

/* The readers that a search has found: how many, and the first of them, or the first in a section that
 * trains. */
typedef struct readers {
	int found;
	sheaf_config_record outer, inner; /* the section and the reader */
	bool trains;
} readers;

/* Counts the `reader` in a section, if it has one, and keeps it if it is the first one, or the first in a
 * section that trains: by its action, or by its name. */
static sheaf_status look_in(const sheaf_cntk *c, const sheaf_config_record *section, readers *r)
{
	sheaf_config_record reader;
	bool trains;
	sheaf_status status = sheaf_cntk_inner_named(c, section, "reader", &reader);
	if (status) return sheaf_cntk_may_lack(status);
	sheaf_cntk_action action;
	SHEAF_TRY(sheaf_cntk_action_of(c, section, false, &action));
	trains = action == CNTK_TRAINS || sheaf_cntk_is_name(c, section->name, "train");
	r->found++;
	bool is_preferred = r->found == 1 || (trains && !r->trains);
	if (!is_preferred) return SHEAF_OK;
	r->trains = trains;
	r->outer = *section;
	r->inner = reader;
	return SHEAF_OK;
}

/* Whether a field is a record that itself has a `reader`, whatever other fields of its name have. */
static sheaf_status has_reader(const sheaf_cntk *c, sheaf_field_span field, bool *yes)
{
	sheaf_config_record alone = {.nparts = 0};
	alone.nparts = sheaf_cntk_records(c, field.value, alone.parts);
	return sheaf_cntk_has(c, alone.nparts ? &alone : NULL, "reader", yes);
}

/* Searches all sections of a file, those of one name once. */
static sheaf_status look_in_all(const sheaf_cntk *c, const sheaf_config_record *file, readers *r)
{
	sheaf_field_walk walk = sheaf_cntk_walk(file);
	sheaf_field_span field;
	sheaf_config_record section;
	sheaf_cntk_span seen[CNTK_NAMES];
	int count = 0;
	sheaf_status status;
	while ((status = sheaf_cntk_step(c, &walk, &field)) == SHEAF_OK) {
		bool wanted;
		SHEAF_TRY(has_reader(c, field, &wanted));
		for (int i = 0; i < count && wanted; i++) wanted = !sheaf_cntk_is_same(c, seen[i], field.name);
		if (!wanted) continue;
		if (count == CNTK_NAMES)
			return sheaf_cntk_fail(c, field.name.at, "expected at most %d sections with a reader, found more",
			                       CNTK_NAMES);
		seen[count++] = field.name;
		status = sheaf_cntk_inner(c, file, field.name, &section);
		if (status == SHEAF_OK) status = look_in(c, &section, r);
		if (status != SHEAF_END) SHEAF_TRY(status);
	}
	return sheaf_cntk_may_lack(status);
}

/* Whether a record is itself a reader, which has one of these keys; END if not. */
static sheaf_status find_reader_words(const sheaf_cntk *c, const sheaf_config_record *record)
{
	sheaf_field_span field;
	sheaf_status status = sheaf_cntk_find(c, record, "readerType", &field);
	return status == SHEAF_END ? sheaf_cntk_find(c, record, "deserializers", &field) : status;
}

/* Finds the reader of a file without a path: the record `reader` at the top level, the file itself if it has
 * a reader's keys, or the one in a section. *last becomes its index in `records`, which has the records
 * around it before it. UNKNOWN if there is none, or more than one and none of them in a section that trains.
 */
static sheaf_status look_around(const sheaf_cntk *c, sheaf_config_record records[CNTK_DEPTH], int *last)
{
	readers r = {0};
	sheaf_status status = sheaf_cntk_inner_named(c, &records[0], "reader", &records[1]);
	*last = 1;
	if (status != SHEAF_END) return status;
	*last = 0;
	status = find_reader_words(c, &records[0]);
	if (status != SHEAF_END) return status;
	SHEAF_TRY(look_in_all(c, &records[0], &r));
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

/* records[0] is the whole file, and each record that is found comes after the one around it. */
sheaf_status sheaf_cntk_section(const sheaf_cntk *c, const char *section,
                                sheaf_config_record records[CNTK_DEPTH], const sheaf_config_record **out)
{
	int last = 0;
	records[0] = sheaf_cntk_whole(c);
	if (section) {
		SHEAF_TRY(follow(c, section, records, &last));
		/* A section that contains a reader may be given instead of it. */
		sheaf_status status = find_reader_words(c, &records[last]);
		if (status == SHEAF_END) {
			status = sheaf_cntk_inner_named(c, &records[last], "reader", &records[last + 1]);
			last += status == SHEAF_OK;
		}
		if (status != SHEAF_END) SHEAF_TRY(status);
	} else {
		SHEAF_TRY(look_around(c, records, &last));
	}
	*out = &records[last];
	return SHEAF_OK;
}
