/* SPDX-License-Identifier: MIT */
/* Rows of cells as an aligned table, as wide as the terminal: names, types below them, and rows, in which
 * numbers stand at the right. Columns that do not fit are left out of the middle, and counted. */
#include "cli.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ROWS = 64, MOST_COLUMNS = 64, CELL = 32, GAP = 2, NAMES = 2 /* lines before the rows */ };

/* Some rows of some columns: the first columns and the last ones. */
typedef struct grid {
	char cells[MOST_ROWS + NAMES][MOST_COLUMNS][CELL];
	int columns[MOST_COLUMNS], widths[MOST_COLUMNS]; /* their numbers in the schema */
	int n, rows;
} grid;

/* The characters of a text in UTF-8. */
static int characters(const char *text)
{
	int n = 0;
	for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

/* Copies a text, shortened to what a cell holds between two characters. */
static void put_cell(char cell[CELL], const char *text, size_t size)
{
	static const char dots[] = "...";
	bool cut = size >= CELL;
	size_t n = cut ? CELL - sizeof dots : size;
	while (cut && n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) n--;
	snprintf(cell, CELL, "%.*s%s", (int)n, text, cut ? dots : "");
}

/* Puts the text of one cell: that of its row with this column alone, without the row's number and the name. A
 * plain text loses its quotation marks. */
static sheaf_status put_value(grid *g, int at, const sheaf_frame *frame, const sheaf_schema *schema,
                              int64_t r, sheaf_error *err)
{
	int c = g->columns[at];
	sheaf_frame one = *frame;
	sheaf_schema alone = *schema;
	sheaf_buffer text = {0};
	one.columns += c;
	one.ncolumns = 1;
	alone.fields += c;
	alone.nfields = 1;
	alone.names = NULL;
	SHEAF_TRY(sheaf_rows_text(&one, &alone, SHEAF_TEXT_SHORT, 0, r, r + 1, &text, err));
	const char *begin = (const char *)text.data, *end = begin + text.size;
	size_t skipped = strlen("0  ") + strlen(alone.fields[0].name) + 1;
	begin = text.size > skipped ? begin + skipped : end;
	if (end > begin && end[-1] == '\n') end--;
	if (end - begin >= 2 && *begin == '"' && end[-1] == '"') begin++, end--;
	put_cell(g->cells[g->rows + NAMES][at], begin, (size_t)(end - begin));
	sheaf_buffer_reset(&text);
	return SHEAF_OK;
}

static void begin_grid(grid *g, const sheaf_schema *schema)
{
	int all = schema->nfields;
	*g = (grid){.n = all < MOST_COLUMNS ? all : MOST_COLUMNS};
	for (int i = 0; i < g->n; i++) {
		int c = g->columns[i] = i < g->n / 2 ? i : all - g->n + i;
		const sheaf_field *field = &schema->fields[c];
		const char *type = sheaf_field_storage(field);
		if (strcmp(type, "values") == 0) type = sheaf_type_name(field->type);
		put_cell(g->cells[0][i], field->name, strlen(field->name));
		put_cell(g->cells[1][i], type, strlen(type));
	}
}

/* Leaves columns out of the middle until the others fit; returns how many are left at its beginning. */
static int fit(grid *g, int all)
{
	enum { NOTE = 14 /* "... 999 more " */ };
	int width = terminal_width(STDOUT_FILENO), used = 0, first = 0, last = 0;
	for (int i = 0; i < g->n; i++) {
		g->widths[i] = 0;
		for (int r = 0; r < g->rows + NAMES; r++) {
			int wide = characters(g->cells[r][i]);
			if (wide > g->widths[i]) g->widths[i] = wide;
		}
		used += g->widths[i] + GAP;
	}
	if (used <= width + GAP && all == g->n) return g->n;
	used = NOTE;
	while (first + last < g->n) {
		int next = first <= last ? first : g->n - 1 - last;
		used += g->widths[next] + GAP;
		if (used > width && first + last > 0) break;
		first <= last ? first++ : last++;
	}
	for (int i = 0; i < last; i++) {
		int from = g->n - last + i, to = first + i;
		for (int r = 0; r < g->rows + NAMES; r++) memmove(g->cells[r][to], g->cells[r][from], CELL);
		g->columns[to] = g->columns[from];
		g->widths[to] = g->widths[from];
	}
	g->n = first + last;
	return first;
}

static bool is_number(const sheaf_field *field) { return field->meaning == SHEAF_NUMBER; }

/* Prints all lines; the columns left out are counted in the line of names. */
static void print_grid(grid *g, const sheaf_schema *schema, bool heads)
{
	int first = fit(g, schema->nfields), left = schema->nfields - g->n;
	bool bold = heads && terminal_has_colour(STDOUT_FILENO);
	char note[32];
	snprintf(note, sizeof note, "... %d more", left);
	for (int r = heads ? 0 : NAMES; r < g->rows + NAMES; r++) {
		if (bold && r == 0) out_drawn("\033[1m", 4);
		for (int i = 0; i < g->n; i++) {
			if (i == first && left) out_printf("%-*s%*s", (int)strlen(note), r == 0 ? note : "...", GAP, "");
			int padding = g->widths[i] - characters(g->cells[r][i]);
			bool right = is_number(&schema->fields[g->columns[i]]);
			out_printf("%*s%s", right ? padding : 0, "", g->cells[r][i]);
			if (i + 1 < g->n) out_printf("%*s", (right ? 0 : padding) + GAP, "");
		}
		if (first == g->n && left) out_printf("%*s%s", GAP, "", r == 0 ? note : "...");
		if (bold && r == 0) out_drawn("\033[0m", 4);
		out_text("\n");
	}
}

sheaf_status print_rows_table(sheaf_dataset *dataset, int64_t limit, sheaf_error *err)
{
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	const sheaf_frame *frame;
	sheaf_status status = SHEAF_OK;
	bool heads = true;
	grid *g = malloc(sizeof *g);
	if (!g) return sheaf_fail(err, SHEAF_NOMEM, "memory: no room for a table");
	begin_grid(g, schema);
	while (!status && limit != 0 && (status = sheaf_next(dataset, &frame, err)) == SHEAF_OK)
		for (int64_t r = 0; r < frame->nrows && limit != 0 && !status; r++, limit -= limit > 0) {
			for (int i = 0; i < g->n && !status; i++) status = put_value(g, i, frame, schema, r, err);
			if (++g->rows < MOST_ROWS || status) continue;
			print_grid(g, schema, heads);
			heads = false;
			begin_grid(g, schema);
			status = out_check(err);
		}
	if (g->rows || heads) print_grid(g, schema, heads);
	free(g);
	return status == SHEAF_END ? SHEAF_OK : status;
}
