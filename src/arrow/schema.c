/* SPDX-License-Identifier: MIT */
/* Schemas for Arrow, by its C data interface: a tree of the plan's nodes, each with a name, a format, which
 * is a text, and a flag that says whether its positions may be missing. What Arrow's types cannot say is in
 * metadata, which other programs pass on without knowing it. */
#include "arrow/arrow.h"
#include "arrow/memory.h"
#include "base/extend.h"
#include "base/need.h"
#include "frame/frame.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FORMAT_ROOM = 40, METADATA_ROOM = 160, SUFFIX_ROOM = 40 };

/* What a schema owns, in one block with its children, which follow it, and its name, which comes last. */
typedef struct schema_memory {
	sheaf_context *owner;
	size_t size;
	char format[FORMAT_ROOM], metadata[METADATA_ROOM];
	char *name;
	struct ArrowSchema *children;
	struct ArrowSchema *pointers[];
} schema_memory;

/* The `release` of a schema that was made here: releases its children, then its only block of memory. */
static void release_schema(struct ArrowSchema *schema)
{
	schema_memory *memory = (schema_memory *)schema->private_data;
	/* A consumer may have moved a child, which then has no `release` here. */
	for (int64_t i = 0; i < schema->n_children; i++)
		if (schema->children[i]->release) schema->children[i]->release(schema->children[i]);
	schema->release = NULL;
	sheaf_arrow_release(memory->owner, memory, memory->size);
}

/* A name in two parts, so that nobody needs memory to put them together. */
typedef struct full_name {
	const char *name, *suffix;
} full_name;

/* Makes a schema in one block: what it owns, the pointers to its n children, these children, which are zeros
 * and therefore count as released, and its name. The caller fills in the format. */
static sheaf_status new_schema(sheaf_context *cx, full_name name, int n, struct ArrowSchema *out,
                               schema_memory **memory, sheaf_error *err)
{
	void *block;
	size_t each = sizeof(struct ArrowSchema *) + sizeof(struct ArrowSchema);
	size_t length = strlen(name.name), suffix = strlen(name.suffix) + 1;
	size_t size = sizeof(schema_memory) + (size_t)n * each + length + suffix;
	SHEAF_TRY(sheaf_arrow_allocate(cx, size, &block, err));
	schema_memory *m = (schema_memory *)block;
	m->owner = sheaf_context_owner(cx);
	m->size = size;
	m->children = (struct ArrowSchema *)(void *)(m->pointers + n);
	m->name = (char *)(m->children + n);
	memcpy(m->name, name.name, length);
	memcpy(m->name + length, name.suffix, suffix);
	for (int i = 0; i < n; i++) m->pointers[i] = &m->children[i];
	*out = (struct ArrowSchema){.format = m->format,
	                            .name = m->name,
	                            .n_children = n,
	                            .children = n ? m->pointers : NULL,
	                            .release = release_schema,
	                            .private_data = m};
	*memory = m;
	return SHEAF_OK;
}

/* ---- Arrow's names of nodes ---- */

const char sheaf_arrow_numbers[SHEAF_TYPES][2] = {
	[SHEAF_U8] = "C",  [SHEAF_U16] = "S", [SHEAF_U32] = "I", [SHEAF_U64] = "L", [SHEAF_I8] = "c",
	[SHEAF_I16] = "s", [SHEAF_I32] = "i", [SHEAF_I64] = "l", [SHEAF_F32] = "f", [SHEAF_F64] = "g"};

/* Writes Arrow's format text of a node into text[FORMAT_ROOM] (C data interface, "Data type description").
 * Units of times follow the digits of their fractions, of which there are 0, 3, 6 or 9. */
static void put_format(const sheaf_arrow_node *node, const sheaf_arrow_options *options, char *text)
{
	static const char *const clocks[] = {"tts", "ttm", "ttu", "ttn"}, *const spans[] = {"tDs", "tDm", "tDu",
	                                                                                    "tDn"};
	static const char *const times[] = {"tss:", "tsm:", "tsu:", "tsn:"}, *const instants[] = {
																			 "tss:UTC", "tsm:UTC", "tsu:UTC",
																			 "tsn:UTC"};
	const sheaf_field *field = node->field;
	const int unit = field->digits / 3;
	const sheaf_level_shape *shape = node->level < field->nlevels ? &field->levels[node->level] : NULL;
	bool small = options->small_offsets, text_is_text = sheaf_means_text(field->meaning);
	const char *format = "";
	switch (node->kind) {
	case SHEAF_ARROW_LIST: format = small ? "+l" : "+L"; break;
	case SHEAF_ARROW_ENTRY: format = "+s"; break;
	case SHEAF_ARROW_INDEX: format = sheaf_arrow_numbers[shape->index_type]; break;
	case SHEAF_ARROW_VALUES:
		format = field->meaning == SHEAF_DATE       ? "tdD"
		         : field->meaning == SHEAF_TIME     ? clocks[unit]
		         : field->meaning == SHEAF_DATETIME ? times[unit]
		         : field->meaning == SHEAF_DURATION ? spans[unit]
		                                            : sheaf_arrow_numbers[field->type];
		break;
	case SHEAF_ARROW_TEXT:
		format = text_is_text && !options->text_as_bytes ? (small ? "u" : "U") : (small ? "z" : "Z");
		break;
	case SHEAF_ARROW_INSTANTS: format = instants[unit]; break;
	case SHEAF_ARROW_ZONES: format = "i"; break;
	case SHEAF_ARROW_CODES: format = "c"; break;
	case SHEAF_ARROW_BITS:
	case SHEAF_ARROW_IMPUTED: format = "b"; break;
	case SHEAF_ARROW_FIXED_LIST: snprintf(text, FORMAT_ROOM, "+w:%" PRId64, shape->extent); return;
	case SHEAF_ARROW_BYTES: snprintf(text, FORMAT_ROOM, "w:%" PRId64, shape->extent); return;
	}
	snprintf(text, FORMAT_ROOM, "%s", format);
}

/* Writes one text of metadata, its length in 32 bits and its bytes, and returns how many bytes it takes. */
static size_t put_text(char *to, const char *text)
{
	int32_t n = (int32_t)strlen(text);
	memcpy(to, &n, sizeof n);
	memcpy(to + sizeof n, text, (size_t)n);
	return sizeof n + (size_t)n;
}

/* Writes what Arrow's own types cannot express as the only pair of metadata, and returns `to`: what numbers
 * mean, or how many dimensions sparse samples have. NULL if there is nothing to say. */
static const char *put_metadata(const sheaf_arrow_node *node, char *to)
{
	static const char *const meanings[SHEAF_MEANINGS] = {
		[SHEAF_CHAR] = "char", [SHEAF_COMPLEX] = "complex", [SHEAF_KEY] = "key"};
	const sheaf_field *field = node->field;
	char dim[32];
	const char *key = "sheaf.meaning", *text = meanings[field->meaning];
	if (node->leaf != SHEAF_ARROW_VALUES) return NULL;
	if (sheaf_field_is_sparse(field)) {
		snprintf(dim, sizeof dim, "%" PRId64, sheaf_field_dim(field));
		key = "sheaf.dim";
		text = dim;
	}
	if (!text) return NULL;
	int32_t one = 1;
	memcpy(to, &one, sizeof one);
	size_t at = sizeof one + put_text(to + sizeof one, key);
	put_text(to + at, text);
	return to;
}

/* ---- the tree ---- */

/* Makes the schema of a node, and of all below it. Lists name their items as other programs do; entries have
 * an index for each dimension, and a value. After a failure whoever has the root releases it, and with it
 * what has been made. */
static sheaf_status export_node(const sheaf_arrow_plan *plan, const sheaf_arrow_node *node, full_name name,
                                struct ArrowSchema *out, sheaf_error *err)
{
	schema_memory *memory;
	char child_name[SUFFIX_ROOM];
	int n = sheaf_arrow_children(node), rank = n - 1;
	SHEAF_TRY(new_schema(plan->cx, name, n, out, &memory, err));
	put_format(node, &plan->options, memory->format);
	out->flags = sheaf_arrow_nulls(node) ? ARROW_FLAG_NULLABLE : 0;
	for (int i = 0; i < n; i++) {
		sheaf_arrow_node child = sheaf_arrow_child(node, i);
		if (node->kind != SHEAF_ARROW_ENTRY)
			snprintf(child_name, sizeof child_name, "item");
		else if (i == rank)
			snprintf(child_name, sizeof child_name, "value");
		else if (rank == 1)
			snprintf(child_name, sizeof child_name, "index");
		else
			snprintf(child_name, sizeof child_name, "index%d", i);
		SHEAF_TRY(export_node(plan, &child, (full_name){child_name, ""}, out->children[i], err));
	}
	return SHEAF_OK;
}

/* Makes a field of the rows: a column by its name, or what stands beside it, by the name and a suffix. Codes
 * and imputed positions are those of one level, whose number is in the suffix if a level above it has some,
 * too. */
static sheaf_status export_top(const sheaf_arrow_plan *plan, const sheaf_arrow_node *node,
                               struct ArrowSchema *out, sheaf_error *err)
{
	static const char *const suffixes[] = {[SHEAF_ARROW_VALUES] = "",
	                                       [SHEAF_ARROW_ZONES] = ".offset",
	                                       [SHEAF_ARROW_CODES] = ".code",
	                                       [SHEAF_ARROW_IMPUTED] = ".imputed"};
	char suffix[SUFFIX_ROOM], level[16] = "";
	bool deeper = node->leaf == SHEAF_ARROW_CODES || node->leaf == SHEAF_ARROW_IMPUTED;
	for (int l = 0; deeper && l < node->stop && !level[0]; l++)
		if (node->field->levels[l].missing != SHEAF_NEVER) snprintf(level, sizeof level, ".%d", node->stop);
	snprintf(suffix, sizeof suffix, "%s%s", suffixes[node->leaf], level);
	SHEAF_TRY(export_node(plan, node, (full_name){node->field->name, suffix}, out, err));
	out->metadata = put_metadata(node, ((schema_memory *)out->private_data)->metadata);
	return SHEAF_OK;
}

/* Makes the schema of all rows, a struct of the plan's fields. A field beside a column must not have the name
 * of another field. */
sheaf_status sheaf_arrow_export_schema(const sheaf_arrow_plan *plan, struct ArrowSchema *out,
                                       sheaf_error *err)
{
	schema_memory *memory;
	SHEAF_TRY(new_schema(plan->cx, (full_name){"", ""}, plan->n, out, &memory, err));
	memcpy(memory->format, "+s", sizeof "+s");
	sheaf_status status = SHEAF_OK;
	for (int i = 0; i < plan->n && !status; i++)
		status = export_top(plan, &plan->tops[i], out->children[i], err);
	for (int i = 0; i < plan->n && !status; i++)
		for (int k = 0; plan->tops[i].leaf != SHEAF_ARROW_VALUES && k < plan->n && !status; k++)
			if (k != i && strcmp(out->children[i]->name, out->children[k]->name) == 0)
				status = sheaf_fail(
					err, SHEAF_UNSUPPORTED,
					"arrow: expected no column \"%s\", a name that is needed beside column \"%s\", "
					"found one; rename it",
					out->children[i]->name, plan->tops[i].field->name);
	if (status) out->release(out);
	return status;
}

/* The plan is only needed while the fields are made: they own all that they say. */
sheaf_status sheaf_arrow_schema(const sheaf_schema *schema, const sheaf_arrow_options *options,
                                sheaf_context *cx, struct ArrowSchema *out, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_arrow_plan_free) sheaf_arrow_plan plan = {0};
	SHEAF_NEED(out, "a place for the outcome");
	out->release = NULL;
	SHEAF_NEED(schema, "a schema");
	SHEAF_NEED(cx, "a context");
	SHEAF_TRY(sheaf_arrow_plan_new(schema, options, cx, &plan, err));
	return sheaf_arrow_export_schema(&plan, out, err);
}
