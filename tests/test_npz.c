/* SPDX-License-Identifier: MIT */
/* SciPy's archives of sparse matrices: what comes back from them, what is lost, and what messages say. Files
 * with one rule each are in tests/files/npz; conform_tables.py and conform_scipy.py put them beside SciPy. */
#include "container/zip/zip.h"
#include "container/zip/zip_write.h"
#include "conversion.h"
#include "io/source.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MATRIX "%%MatrixMarket matrix coordinate real general\n3 4 3\n1 2 0.5\n3 1 -2\n3 4 1e300\n"
#define BY_COLUMNS "%%MatrixMarket matrix coordinate real general\n3 4 3\n3 1 -2\n1 2 0.5\n3 4 1e300\n"

/* Into an archive and out of it again. */
static void assert_comes_back(const char *input, const char *output, const char *how)
{
	bytes_sink archive;
	const conversion there = {"mtx", input, "npz", how, SHEAF_OK, NULL, NULL};
	check_conversion(&there, 0, 0);
	archive = read_file("b.npz");
	const conversion back = {"npz", (const char *)archive.data, "mtx", NULL, SHEAF_OK, output, NULL};
	check_conversion(&back, archive.size, 0);
	free_bytes(&archive);
}

static void test_layouts(void **state)
{
	(void)state;
	assert_comes_back(MATRIX, MATRIX, NULL);
	assert_comes_back(MATRIX, MATRIX, "-layout=csr");
	assert_comes_back(MATRIX, MATRIX, "-layout=coo -compression=deflate:6");
	assert_comes_back(MATRIX, BY_COLUMNS, "-layout=csc -compression=deflate:12");
	assert_comes_back(BY_COLUMNS, MATRIX, "-layout=csr");
}

static void test_values(void **state)
{
	static const char *const kept[] = {
		("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 9223372036854775807\n2 1 "
	     "-9223372036854775808\n"),
		"%%MatrixMarket matrix coordinate complex general\n2 2 1\n2 1 0.5 -0\n",
		"%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 nan\n1 2 -inf\n2 1 0\n",
		"%%MatrixMarket matrix coordinate real general\n3 4 0\n",
		"%%MatrixMarket matrix coordinate real general\n5000000000 1 1\n4999999999 1 2\n",
	};
	(void)state;
	for (size_t i = 0; i + 1 < COUNT(kept); i++) assert_comes_back(kept[i], kept[i], NULL);
	/* Rows have pointers of their own, entries do not. */
	const conversion hypersparse = {"mtx", kept[COUNT(kept) - 1], "npz", NULL, SHEAF_OK, NULL,
	                                "expected not many more rows than entries, for layout csr, found 5000000000 "
	                                "rows; it is stored as coo"};
	check_conversion(&hypersparse, 0, 0);
	assert_comes_back(kept[COUNT(kept) - 1], kept[COUNT(kept) - 1], "-layout=coo");
	/* A structure is expanded. */
	assert_comes_back("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 3\n",
	                  "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 3\n2 1 3\n", NULL);
}

static void test_refusals(void **state)
{
	static const conversion refused[] = {
		{"tns", "1 1 1 0.5\n", "npz", "-layout=csr", SHEAF_UNSUPPORTED, NULL,
	     "--layout csr: expected a matrix of two dimensions, found 3"},
		{"mtx", MATRIX, "npz", "-compression=deflate:13", SHEAF_USAGE, NULL,
	     "--compression: expected none, deflate, or deflate:LEVEL with a level of 1 to 12, found deflate:13"},
		{"mtx", MATRIX, "npz", "-layout=dia", SHEAF_USAGE, NULL,
	     "--layout: expected csr|csc|coo|dense for a tensor, found dia"},
		{"tns", "1 1 0.5\n1 1 2\n", "npz", NULL, SHEAF_DATA, NULL,
	     "b.npz: expected each position once, found (0,0) twice"},
		{"ctf", "0 |A 1 |B 2\n", "npz", "-layout=csr", SHEAF_USAGE, NULL,
	     "--layout csr: expected one stream, which is to become a tensor, found 2 (A, B); choose one "
	     "(--value NAME)"},
		{"mtx", MATRIX, "npz", "-layout=streams", SHEAF_USAGE, NULL,
	     "--layout: expected csr|csc|coo|dense for a tensor, found streams"},
		{"ctf", "0 |A 1\n1 |A 1\n1 |A 2\n", "npz", "-layout=dense", SHEAF_LOSS, NULL,
	     "a layout that is not dense needs neither"},
		{"ctf", "0 |A 1 |B 2\n", "npz", "-layout=streams -compression=deflate:13", SHEAF_USAGE, NULL,
	     "--compression: expected none, deflate, or deflate:LEVEL with a level of 1 to 12, found deflate:13"},
		{"jsonl", "{\"a\":1,\"a.valid\":2}\n{\"a\":null,\"a.valid\":2}\n", "npz", NULL, SHEAF_UNSUPPORTED,
	     NULL, "expected names that make one array of each name, found two of \"a.valid\""},
		{"npz", "PK\5\6", "mtx", NULL, SHEAF_SHORT, NULL,
	     "expected the list of members at the end of the archive, found none"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(refused); i++) check_conversion(&refused[i], 0, 0);
}

#define TENSOR "# shape: 3 2 4\n1 1 4 0.5\n3 2 1 -2\n"
#define ARRAY "%%MatrixMarket matrix array real general\n2 2\n1\n0\n0.5\nnan\n"

static void assert_same_after(const char *format, const char *input, const char *how, const char *output)
{
	const conversion there = {format, input, "npz", how, SHEAF_OK, NULL, NULL};
	check_conversion(&there, 0, 0);
	bytes_sink archive = read_file("b.npz");
	const conversion back = {"npz", (const char *)archive.data, format, NULL, SHEAF_OK, output, NULL};
	check_conversion(&back, archive.size, 0);
	free_bytes(&archive);
}

/* Of other than two dimensions: coordinates together, or an array. */
static void test_tensors(void **state)
{
	(void)state;
	assert_same_after("tns", TENSOR, NULL, TENSOR);
	assert_same_after("tns", TENSOR, "-layout=coo -compression=deflate:6", TENSOR);
	assert_same_after("tns", "# shape: 5\n2 7\n5 -1\n", NULL, "# shape: 5\n2 7\n5 -1\n");
	assert_same_after("mtx", ARRAY, NULL, ARRAY);
	assert_same_after("mtx", ARRAY, "-compression=deflate:6", ARRAY);
	assert_same_after("mtx", "%%MatrixMarket matrix array real general\n0 3\n", NULL,
	                  "%%MatrixMarket matrix array real general\n0 3\n");
	assert_same_after("mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 3\n", "-layout=dense",
	                  "%%MatrixMarket matrix array real general\n2 2\n0\n3\n0\n0\n");
}

/* Twenty names of 60,000 bytes. */
static void test_a_list_larger_than_memory(void **state)
{
	enum { MEMBERS = 20, NAME = 60000 };
	static char name[NAME + 1];
	(void)state;
	sheaf_builder file, list;
	sheaf_source *source;
	sheaf_zip zip = {0};
	sheaf_context *roomy = usual_context();
	sheaf_context *cx = context_with(&(sheaf_context_options){
		.size = sizeof(sheaf_context_options), .max_memory = 1 << 20, .no_mapping = true});
	sheaf_builder_begin(&file, roomy, NULL), sheaf_builder_begin(&list, roomy, NULL);
	memset(name, 'a', NAME);
	for (int i = 0; i < MEMBERS; i++) {
		sheaf_zip_head head = {.name = name, .at = file.size};
		name[0] = (char)('a' + i);
		sheaf_zip_find_length(&head);
		sheaf_zip_put_local(&file, &head);
		sheaf_zip_put_in_list(&list, &head);
	}
	sheaf_zip_put_end(&list, MEMBERS, (int64_t)file.size);
	sheaf_builder_append(&file, list.data, list.size);
	write_file("a.zip", file.data, file.size);
	assert_ok(sheaf_source_path(in_folder("a.zip"), cx, &source, &err));
	assert_ok(sheaf_source_make_seekable(source, &err));
	assert_status(SHEAF_LIMIT, sheaf_zip_open(&zip, source, cx, &err));
	sheaf_zip_close(&zip);
	sheaf_source_close(source);
	sheaf_builder_drop(&file), sheaf_builder_drop(&list);
	end_context(cx);
	end_context(roomy);
}

static sheaf_status deflate_table(allocator *memory)
{
	static const sheaf_setting deflated = {"compression", "deflate:6"};
	const char *input = in_folder("a.csv");
	sheaf_context_options options = options_with(memory);
	options.threads = 1;
	sheaf_context *cx = context_with(&options);
	sheaf_convert_options how = {.size = sizeof how,
	                             .open = &(sheaf_open_options){.settings = &deflated, .nsettings = 1},
	                             .to = "npz",
	                             .force = true};
	sheaf_status status = sheaf_convert(&input, 1, in_folder("b.npz"), &how, cx, &err);
	end_context(cx);
	assert_int_equal(memory->bytes, 0);
	return status;
}

/* What deflating makes no shorter is stored; each allocation on the way there may fail. */
static void test_members_that_nothing_makes_shorter(void **state)
{
	enum { ROWS = 5000, LINE = 24 };
	(void)state;
	static char text[(ROWS + 1) * LINE];
	size_t used = (size_t)snprintf(text, sizeof text, "n\n");
	seed_random(6);
	for (int i = 0; i < ROWS; i++)
		used += (size_t)snprintf(text + used, LINE, "%lld\n", (long long)next_random());
	write_file("a.csv", text, used);
	bool refused = true;
	for (int n = 2; refused; n++) {
		allocator memory = {.fail_at = n};
		sheaf_status status = deflate_table(&memory);
		refused = memory.calls >= n;
		if (status) assert_int_equal(status, SHEAF_NOMEM);
		if (!refused) assert_int_equal(status, SHEAF_OK);
		if (status) continue;
		bytes_sink archive = read_file("b.npz");
		assert_true(archive.size > ROWS * sizeof(int64_t) && archive.size < ROWS * sizeof(int64_t) + 3000);
		const conversion back = {"npz", (const char *)archive.data, "csv", NULL, SHEAF_OK, text, NULL};
		check_conversion(&back, archive.size, 0);
		write_file("a.csv", text, used);
		free_bytes(&archive);
	}
}

#define STREAMS "7 |A 1 2 |B 3:1\n7 |A 3 4 |B\n9 |A 5 6 |B 1:2 4:7\n"
#define TABLE "n,t,b\n1,abc,true\n,,false\n3,\xc3\xa9,\n"
#define LONE "0 |A 1 2\n0 |A 3 4\n1 |A 5 6\n"
#define ROWS \
	"{\"sheaf\":\"schema\",\"rows\":\"sequences\",\"columns\":[{\"name\":\"A\",\"storage\":\"dense\"," \
	"\"type\":\"float64\"," \
	"\"dim\":2},{\"name\":\"B\",\"storage\":\"sparse\",\"type\":\"float64\",\"dim\":2}]}\n" \
	"{\"key\":0,\"streams\":{\"A\":[[1,2]],\"B\":[[[1,0.5]],[]]}}\n{\"key\":1,\"streams\":{\"A\":[],\"B\":[" \
	"]}}\n"

/* Sequences and tables in parts. */
static void test_streams(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		const char *how = i ? "-compression=deflate:6" : NULL;
		assert_same_after("ctf", STREAMS, how, STREAMS);
		assert_same_after("csv", TABLE, how, TABLE);
		assert_same_after("jsonl", ROWS, how, ROWS);
	}
	assert_same_after("ctf", LONE, "-layout=streams", LONE);
}

/* Each byte of an archive changed: it reads as before, or is refused as damaged. */
static void test_damage(void **state)
{
	(void)state;
	const conversion there = {"mtx", MATRIX, "npz", NULL, SHEAF_OK, NULL, NULL};
	check_conversion(&there, 0, 0);
	bytes_sink archive = read_file("b.npz");
	for (size_t at = 0; at < archive.size; at++) {
		record r;
		archive.data[at] ^= 0x40;
		write_file("a.npz", archive.data, archive.size);
		archive.data[at] ^= 0x40;
		begin(&r, (sheaf_context_options){.threads = 1});
		const char *input = in_folder("a.npz");
		sheaf_convert_options options = {
			.size = sizeof options, .force = true, .open = &(sheaf_open_options){.format = "npz"}};
		if (sheaf_convert(&input, 1, in_folder("c.mtx"), &options, r.cx, &err) == SHEAF_OK) {
			bytes_sink file = read_file("c.mtx");
			if (file.size != strlen(MATRIX) || memcmp(file.data, MATRIX, file.size) != 0)
				fail_msg("byte %zu changed: other entries, and no word", at);
			free_bytes(&file);
		} else if (!err.message[0]) {
			fail_msg("byte %zu changed: refused without a word", at);
		}
		end(&r);
	}
	free_bytes(&archive);
}

/* Stored members of several megabytes: the sum covers all of them. */
static void test_damage_far_inside(void **state)
{
	enum { ENTRIES = 400000, STEP = 300001 };
	(void)state;
	size_t room = (size_t)ENTRIES * 24 + 100;
	char *text = (char *)malloc(room);
	assert_non_null(text);
	size_t used = (size_t)snprintf(
		text, room, "%%%%MatrixMarket matrix coordinate integer general\n%d 1 %d\n", ENTRIES, ENTRIES);
	for (int i = 0; i < ENTRIES; i++)
		used += (size_t)snprintf(text + used, room - used, "%d 1 %d\n", i + 1, i);
	const conversion there = {"mtx", text, "npz", "-layout=coo", SHEAF_OK, NULL, NULL};
	check_conversion(&there, used, 0);
	free(text);
	bytes_sink archive = read_file("b.npz");
	assert_true(archive.size > (size_t)ENTRIES * 12);
	const conversion sound = {"npz", (const char *)archive.data, "mtx", NULL, SHEAF_OK, NULL, NULL};
	check_conversion(&sound, archive.size, 0);
	for (size_t at = STEP; at < archive.size - 1000; at += STEP) {
		archive.data[at] ^= 1;
		const conversion back = {"npz",
		                         (const char *)archive.data,
		                         "mtx",
		                         NULL,
		                         SHEAF_DATA,
		                         NULL,
		                         "expected the checksum that the list of members has (CRC-32)"};
		check_conversion(&back, archive.size, 0);
		archive.data[at] ^= 1;
	}
	free_bytes(&archive);
}

/* Finds the first of some bytes. */
static uint8_t *find_bytes(const bytes_sink *file, const char *bytes, size_t n)
{
	uint8_t *at = (uint8_t *)memmem(file->data, file->size, bytes, n);
	assert_non_null(at);
	return at;
}

static void assert_refused(const bytes_sink *file, const char *message)
{
	const conversion refused = {"npz", (const char *)file->data, "mtx", NULL, SHEAF_DATA, NULL, message};
	check_conversion(&refused, file->size, 0);
}

/* The head before a member says something else than the list. */
static void test_heads_that_contradict(void **state)
{
	static const struct {
		size_t at;
		const char *message;
	} fields[] = {
		{6, "found another method"}, /* encrypted */
		{8, "expected a header that agrees with the list of members, found another method"},
		{14, "found another sum (CRC-32)"},
		{18, "found another size in the archive"},
		{22, "found another size"},
		{26, "found another name"},
		{30, "found another name"},
	};
	(void)state;
	const conversion there = {"mtx", MATRIX, "npz", NULL, SHEAF_OK, NULL, NULL};
	check_conversion(&there, 0, 0);
	bytes_sink archive = read_file("b.npz");
	uint8_t *head = find_bytes(&archive, "indices.npy", 11) - 30;
	for (size_t i = 0; i < COUNT(fields); i++) {
		head[fields[i].at] ^= 1;
		assert_refused(&archive, fields[i].message);
		head[fields[i].at] ^= 1;
	}
	/* Sums and lengths may follow the contents: then the head has zeros. */
	uint8_t *list = archive.data + archive.size - 22;
	while (memcmp(list, "PK\1\2", 4) != 0 || memcmp(list + 46, "indices.npy", 11) != 0) list--;
	head[6] |= 8, list[8] |= 8;
	memset(head + 14, 0, 12);
	const conversion sound = {"npz", (const char *)archive.data, "mtx", NULL, SHEAF_OK, MATRIX, NULL};
	check_conversion(&sound, archive.size, 0);
	free_bytes(&archive);
}

/* The list of members, of which each entry says how long it is; an archive shorter than what its end points
 * to. */
static void test_lists_that_are_none(void **state)
{
	static const struct {
		size_t at;
		const char *message;
	} fields[] = {
		{3, "expected an entry of the list of members, found other bytes, or none"},
		{29, "expected a whole entry of the list of members, found part of one"}, /* of the name */
		{31, "expected a whole entry of the list of members, found part of one"}, /* of what is beside it */
		{33, "expected a whole entry of the list of members, found part of one"}, /* of the comment */
	};
	static const char small[] = "PK\6\7\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0"
								"PK\5\6\0\0\0\0\xff\xff\xff\xff\0\0\0\0\0\0\0\0\0\0";
	(void)state;
	const conversion there = {"mtx", MATRIX, "npz", NULL, SHEAF_OK, NULL, NULL};
	check_conversion(&there, 0, 0);
	bytes_sink archive = read_file("b.npz");
	uint8_t *list = archive.data + archive.size - 22;
	while (memcmp(list, "PK\1\2", 4) != 0) list--;
	for (size_t i = 0; i < COUNT(fields); i++) {
		list[fields[i].at] ^= 0xff;
		assert_refused(&archive, fields[i].message);
		list[fields[i].at] ^= 0xff;
	}
	list[10] = 8, list[22] = 0xff; /* deflated: the size in the archive is not that of the contents */
	assert_refused(&archive, "expected a member within the file, found one that is not");
	free_bytes(&archive);
	const conversion refused = {
		"npz", small, "mtx", NULL, SHEAF_DATA, NULL, "expected a list of members within the file"};
	check_conversion(&refused, sizeof small - 1, 0);
}

/* A member that is unpacked to more than memory is no damaged one. */
static void test_a_member_larger_than_memory(void **state)
{
	enum { LINES = 300000 };
	static const sheaf_setting deflated = {"compression", "deflate:6"};
	(void)state;
	char *text = (char *)malloc(2 * LINES + 3);
	assert_non_null(text);
	strcpy(text, "n\n");
	for (int i = 1; i <= LINES; i++) memcpy(text + (ptrdiff_t)2 * i, "0\n", 3);
	write_text("a.csv", text);
	free(text);
	sheaf_context *roomy = usual_context();
	sheaf_context *cx = context_with(&(sheaf_context_options){
		.size = sizeof(sheaf_context_options), .max_memory = 1 << 20, .no_mapping = true});
	sheaf_convert_options how = {.size = sizeof how,
	                             .open = &(sheaf_open_options){.settings = &deflated, .nsettings = 1},
	                             .force = true};
	const char *input = in_folder("a.csv"), *archive = in_folder("b.npz");
	assert_ok(sheaf_convert(&input, 1, archive, &how, roomy, &err));
	how.open = NULL;
	assert_status(SHEAF_LIMIT, sheaf_convert(&archive, 1, in_folder("c.csv"), &how, cx, &err));
	end_context(cx);
	end_context(roomy);
}

/* Members that share bytes, so that a small archive becomes large. */
static void test_overlap(void **state)
{
	(void)state;
	const conversion there = {"mtx", MATRIX, "npz", NULL, SHEAF_OK, NULL, NULL};
	check_conversion(&there, 0, 0);
	bytes_sink archive = read_file("b.npz");
	uint8_t *head = find_bytes(&archive, "indices.npy", 11) - 30;
	uint8_t *list = archive.data + archive.size - 22;
	while (memcmp(list, "PK\1\2", 4) != 0 || memcmp(list + 46, "indices.npy", 11) != 0) list--;
	head[18]++, head[22]++, list[20]++, list[24]++;
	assert_refused(&archive, "expected contents that end before the next member, or the list, begins");
	free_bytes(&archive);
}

/* ---- one row ---- */

static void assert_rows_text(const sheaf_frame *frame, const sheaf_schema *schema, sheaf_buffer *out)
{
	assert_ok(sheaf_rows_text(frame, schema, SHEAF_TEXT, 0, 0, frame->nrows, out, &err));
}

/* In memory, too: the entries are those of the file, and their values share its memory. */
static void check_unrolled(const char *file)
{
	record r;
	sheaf_dataset *data, *entries;
	const sheaf_frame *whole;
	sheaf_frame unrolled, wanted;
	sheaf_schema schema;
	sheaf_buffer found = {0}, text = {0};
	assert_ok(open_whole(&r, file, &data));
	assert_ok(sheaf_next(data, &whole, &err));
	assert_ok(sheaf_frame_unroll(whole, sheaf_dataset_schema(data), r.cx, &schema, &unrolled, &err));
	assert_ptr_equal(unrolled.columns[schema.nfields - 1].values.data, whole->columns[0].values.data);
	assert_ok(sheaf_frame_check(&unrolled, &schema, SHEAF_CHECK_FULL, &err));
	assert_ok(sheaf_open(file, NULL, r.cx, &entries, &err));
	assert_ok(sheaf_read_all(entries, &wanted, &err));
	assert_rows_text(&unrolled, &schema, &found);
	assert_rows_text(&wanted, sheaf_dataset_schema(entries), &text);
	assert_int_equal(found.size, text.size);
	assert_memory_equal(found.data, text.data, text.size);
	sheaf_buffer_reset(&found), sheaf_buffer_reset(&text);
	sheaf_frame_free(&unrolled), sheaf_frame_free(&wanted);
	sheaf_schema_free(&schema);
	sheaf_close(entries);
	sheaf_close(data);
	end(&r);
}

/* Only a tensor that is one row has levels to unroll; one without positions has no entries. */
static void test_unrolling(void **state)
{
	(void)state;
	record r;
	sheaf_dataset *data;
	const sheaf_frame *frame;
	sheaf_frame unrolled;
	sheaf_schema schema;
	const conversion there = {"mtx", MATRIX, "npz", NULL, SHEAF_OK, NULL, NULL};
	check_conversion(&there, 0, 0);
	begin(&r, (sheaf_context_options){.threads = 1});
	assert_ok(sheaf_open(in_folder("b.npz"), NULL, r.cx, &data, &err));
	assert_ok(sheaf_next(data, &frame, &err));
	assert_int_equal(sheaf_frame_unroll(frame, sheaf_dataset_schema(data), r.cx, &schema, &unrolled, &err),
	                 SHEAF_USAGE);
	assert_non_null(strstr(err.message, "expected a tensor that is one row, found entries of a tensor"));
	assert_null(unrolled.columns);
	assert_null(schema.fields);
	sheaf_close(data);
	const conversion empty = {
		"mtx", "%%MatrixMarket matrix array real general\n0 3\n", "npy", NULL, SHEAF_OK, NULL, NULL};
	check_conversion(&empty, 0, 0);
	sheaf_open_options whole = {.size = sizeof whole, .rows = SHEAF_TAKES_WHOLE};
	assert_ok(sheaf_open(in_folder("b.npy"), &whole, r.cx, &data, &err));
	assert_ok(sheaf_next(data, &frame, &err));
	assert_ok(sheaf_frame_unroll(frame, sheaf_dataset_schema(data), r.cx, &schema, &unrolled, &err));
	assert_int_equal(unrolled.nrows, 0);
	assert_int_equal(schema.nfields, 3);
	sheaf_frame_free(&unrolled);
	sheaf_schema_free(&schema);
	sheaf_close(data);
	end(&r);
}

static void test_whole(void **state)
{
	static const char *const files[] = {"array", "coo-three-dimensions", "coo", "csc", "csr-deflated",
	                                    "csr",   "csr-one-dimension"},
							 *const layouts[] = {"csr", "csc", "coo", "dense"};
	char path[600], how[40];
	(void)state;
	for (size_t i = 0; i < COUNT(files); i++) {
		snprintf(path, sizeof path, "%s/files/npz/good-%s.npz", getenv("SHEAF_TESTS"), files[i]);
		check_whole(path, "c.tns");
		check_unrolled(path);
	}
	for (size_t i = 0; i < COUNT(layouts); i++) {
		snprintf(how, sizeof how, "-layout=%s", layouts[i]);
		const conversion there = {"mtx", MATRIX, "npz", how, SHEAF_OK, NULL, NULL};
		check_conversion(&there, 0, 0);
		check_whole(in_folder("b.npz"), "c.mtx");
	}
	const conversion array = {"mtx", ARRAY, "npy", NULL, SHEAF_OK, NULL, NULL};
	check_conversion(&array, 0, 0);
	check_whole(in_folder("b.npy"), "c.mtx");
	check_unrolled(in_folder("b.npy"));
}

/* Tensors that cannot be one row, and ones that may not. */
static void test_no_whole(void **state)
{
	static const struct {
		const char *file;
		sheaf_status status;
		const char *message;
	} refused[] = {
		{"good-dia", SHEAF_UNSUPPORTED, "expected a whole tensor"},
		{"bad-index", SHEAF_DATA, "expected indices[2] below 3"},
		{"bad-index-three-dimensions", SHEAF_DATA, "expected coords[1][0] below 1"},
	};
	char path[600];
	(void)state;
	for (size_t i = 0; i < COUNT(refused); i++) {
		record r;
		sheaf_dataset *data = NULL;
		const sheaf_frame *frame;
		snprintf(path, sizeof path, "%s/files/npz/%s.npz", getenv("SHEAF_TESTS"), refused[i].file);
		sheaf_status status = open_whole(&r, path, &data);
		if (status == SHEAF_OK) status = sheaf_next(data, &frame, &err);
		assert_int_equal(status, refused[i].status);
		assert_non_null(strstr(err.message, refused[i].message));
		sheaf_close(data);
		end(&r);
	}
}

/* Entries of a list need not be in order: rows and the whole have them as they are. */
static void test_whole_unsorted(void **state)
{
	record r;
	sheaf_dataset *data;
	char path[600];
	(void)state;
	snprintf(path, sizeof path, "%s/files/npz/good-unsorted.npz", getenv("SHEAF_TESTS"));
	assert_ok(open_whole(&r, path, &data));
	assert_false(sheaf_dataset_schema(data)->tensor.sorted);
	sheaf_close(data);
	end(&r);
}

/* ---- little memory ---- */

static bytes_sink archive_made_in(int64_t memory)
{
	sheaf_context_options options = {.size = sizeof options, .threads = 1, .max_memory = memory};
	sheaf_context *cx = context_with(&options);
	sheaf_convert_options how = {.size = sizeof how, .force = true, .duplicates = SHEAF_DUPLICATES_SUM};
	const char *input = in_folder("a.mtx");
	assert_ok(sheaf_convert(&input, 1, in_folder("b.npz"), &how, cx, &err));
	end_context(cx);
	return read_file("b.npz");
}

/* The number of entries is not known if some may be added up: waiting entries go through a temporary
 * file, in several steps, with the same result. */
static void test_arrays_that_wait_on_the_disk(void **state)
{
	(void)state;
	enum { ENTRIES = 30000, COLUMNS = 100, LINE = 32 };
	char *text = (char *)malloc(ENTRIES * LINE), *at = text;
	assert_non_null(text);
	at += sprintf(at, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", ENTRIES / COLUMNS,
	              COLUMNS, ENTRIES);
	for (int i = 0; i < ENTRIES; i++) at += sprintf(at, "%d %d %d.5\n", i / COLUMNS + 1, i % COLUMNS + 1, i);
	write_text("a.mtx", text);
	free(text);
	bytes_sink much = archive_made_in(0), little = archive_made_in(4 << 20);
	assert_int_equal(much.size, little.size);
	assert_memory_equal(much.data, little.data, much.size);
	free_bytes(&much);
	free_bytes(&little);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_damage_far_inside, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_layouts, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_values, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_tensors, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_a_list_larger_than_memory, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_members_that_nothing_makes_shorter, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_streams, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_refusals, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_damage, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_heads_that_contradict, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_lists_that_are_none, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_a_member_larger_than_memory, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_overlap, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_whole, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_unrolling, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_arrays_that_wait_on_the_disk, make_folder, remove_folder),
		cmocka_unit_test(test_no_whole),
		cmocka_unit_test(test_whole_unsorted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
