/* SPDX-License-Identifier: MIT */
/* Errors in cells, one by one and in their order. Decoding has seen that there is something, and has read the
 * cells as the server does. The document of the format is stricter than the server: what the server reads in
 * spite of the document is a breach, which is a warning, and an error if the caller is strict. */
#include "base/context.h"
#include "format/scidb/scidb.h"
#include "io/source.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

sheaf_status sheaf_scidb_report(const sheaf_scidb_spot *spot, sheaf_finding finding, sheaf_error *err)
{
	char entry[32];
	sheaf_problem problem = sheaf_problem_in(sheaf_source_name(spot->in->source), &finding);
	problem.place.row = spot->cell;
	problem.place.byte = spot->byte;
	problem.place.row_word = "cell";
	problem.place.stream_word = spot->item->column < 0 ? "entry" : "attribute";
	snprintf(entry, sizeof entry, "%d", spot->item->number + 1);
	problem.place.stream =
		spot->item->column < 0 ? entry : spot->in->array.attributes[spot->item->column].name;
	return sheaf_report(spot->cx, &problem, err);
}

/* ---- nulls ---- */

/* *lacks: there should be a value. */
static sheaf_status check_null(const sheaf_scidb_spot *spot, uint8_t null, sheaf_bytes payload, bool *lacks,
                               sheaf_error *err)
{
	char expected[64] = "a count of 0 after the null byte", found[48] = "others";
	int64_t size = spot->item->entry.size;
	if (size) snprintf(expected, sizeof expected, "%" PRId64 " zero bytes after the null byte", size);
	if (!size) snprintf(found, sizeof found, "%zu", payload.size);
	if (sheaf_scidb_hides(spot->item, payload))
		SHEAF_TRY(sheaf_scidb_report(
			spot, SHEAF_FINDING(SHEAF_BREACH, "bytes under a null", expected, found, "they are left out"),
			err));
	if (spot->item->nullable) return SHEAF_OK;
	*lacks = true;
	snprintf(found, sizeof found, "null, reason %d", null);
	return sheaf_scidb_report(spot,
	                          SHEAF_FINDING(SHEAF_ERROR, "null in a NOT NULL attribute",
	                                        "a value, since the attribute is NOT NULL", found,
	                                        "the cell is left out"),
	                          err);
}

/* ---- strings ---- */

/* A counted string lacks the NUL that its count includes. A string of fixed size that fills its bytes is
 * sound, but the server cannot save it like this again. */
static sheaf_status check_string(const sheaf_scidb_spot *spot, sheaf_bytes payload, sheaf_error *err)
{
	char expected[80], found[32] = "no byte";
	sheaf_scidb_string string = sheaf_scidb_string_of(spot->item, payload);
	if (!string.ended) {
		if (payload.size) snprintf(found, sizeof found, "byte 0x%02x", payload.data[payload.size - 1]);
		snprintf(expected, sizeof expected, "a NUL in the %zu bytes of a string", payload.size);
		SHEAF_TRY(sheaf_scidb_report(spot,
		                             spot->item->entry.size
		                                 ? SHEAF_FINDING(SHEAF_NOTE, "string that fills its bytes", expected,
		                                                 "none, so the server cannot save it like this again")
		                                 : SHEAF_FINDING(SHEAF_BREACH, "string without an end",
		                                                 "a string whose last byte is NUL", found,
		                                                 "all of its bytes are read"),
		                             err));
	}
	if (!string.clean)
		SHEAF_TRY(sheaf_scidb_report(spot,
		                             SHEAF_FINDING(SHEAF_WARNING, "bytes after the end of a string",
		                                           "zero bytes after the NUL that ends a string", "others",
		                                           "they are left out"),
		                             err));
	if (string.text.size && sheaf_is_validating(spot->cx) && memchr(string.text.data, '\0', string.text.size))
		return sheaf_scidb_report(spot,
		                          SHEAF_FINDING(SHEAF_NOTE, "NUL in a string", "a string without NUL in it",
		                                        "one, where the server's text output ends it"),
		                          err);
	return SHEAF_OK;
}

/* ---- values of another type ---- */

/* The server puts 0 where a text is no number; here that is a missing value, or no cell. The message shows as
 * much of the value as it needs. */
static sheaf_status check_conversion(const sheaf_scidb_spot *spot, sheaf_bytes payload, bool *lacks,
                                     sheaf_error *err)
{
	enum { MOST = 40 };
	char found[96];
	sheaf_scidb_value v = {0}, shown = {0};
	const sheaf_scidb_item *item = spot->item;
	const sheaf_scidb_type *type = item->entry.type, *text = sheaf_scidb_type_of(SCIDB_STRING);
	sheaf_scidb_convert_item(item, payload, &v);
	if (!v.flaw) return SHEAF_OK;
	if (type == text) payload = sheaf_scidb_string_of(item, payload).text;
	if (sheaf_scidb_converts(type, text)) sheaf_scidb_convert(type, payload, text, &shown);
	snprintf(found, sizeof found, type == text ? "\"%.*s\"" : "%.*s",
	         (int)(shown.size < MOST ? shown.size : MOST), shown.text ? shown.text : "");
	*lacks |= v.failed && !item->nullable;
	return sheaf_scidb_report(spot,
	                          SHEAF_FINDING(*lacks ? SHEAF_ERROR : SHEAF_WARNING,
	                                        "value changed by its conversion", v.flaw, found,
	                                        *lacks     ? "the cell is left out"
	                                        : v.failed ? "null is put in its place"
	                                                   : "converted as the server does"),
	                          err);
}

/* ---- cells ---- */

static sheaf_status check_item(const sheaf_scidb_spot *spot, const sheaf_scidb_block *block, bool *lacks,
                               sheaf_error *err)
{
	char found[16];
	const sheaf_scidb_item *item = spot->item;
	const uint8_t *at = sheaf_scidb_item_at(block, item, block->reported);
	sheaf_bytes payload = sheaf_scidb_payload(block, item, block->reported);
	if (sheaf_scidb_is_null(item, at)) return check_null(spot, *at, payload, lacks, err);
	if (item->entry.nullable && *at != 0xff) {
		snprintf(found, sizeof found, "0x%02x", *at);
		SHEAF_TRY(sheaf_scidb_report(
			spot,
			SHEAF_FINDING(SHEAF_BREACH, "null byte",
		                  "a null byte of 0xff before a value, or of 0 to 0x7f before none", found,
		                  "a value is read"),
			err));
	}
	if (item->entry.type->kind == SCIDB_STRING) SHEAF_TRY(check_string(spot, payload, err));
	return item->converts ? check_conversion(spot, payload, lacks, err) : SHEAF_OK;
}

sheaf_status sheaf_scidb_report_flaws(const sheaf_scidb_reader *in, sheaf_scidb_block *block,
                                      sheaf_builder *gone, sheaf_context *cx, sheaf_error *err)
{
	for (block->reported = 0; block->reported < block->count; block->reported++) {
		bool lacks = false;
		for (int i = 0; i < block->layout->count; i++) {
			const sheaf_scidb_item *item = &block->layout->items[i];
			if (item->column < 0) continue;
			const uint8_t *at = sheaf_scidb_item_at(block, item, block->reported);
			const sheaf_scidb_spot spot = {in, item, block->first + block->reported,
			                               block->byte + (at - block->data), cx};
			SHEAF_TRY(check_item(&spot, block, &lacks, err));
		}
		if (lacks) sheaf_builder_i64(gone, block->first + block->reported);
	}
	return SHEAF_OK;
}
