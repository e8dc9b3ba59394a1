/* SPDX-License-Identifier: MIT */
/* Forged indexes with right hashes: everything is as without one. And files that change while an index
 * is used. */
#include "dataset/dataset.h"
#include "dataset/index/index.h"
#include "io/identity.h"
#include "io/sink.h"
#include "io/source.h"
#include "support.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static sheaf_context *cx;

static int set_up(void **state)
{
	int failed = make_folder(state);
	cx = usual_context();
	mkdir(in_folder("cache"), S_IRWXU);
	setenv("XDG_CACHE_HOME", in_folder("cache"), 1);
	return failed;
}

static int tear_down(void **state)
{
	end_context(cx);
	return remove_folder(state);
}

/* ---- the input ---- */

enum { ROWS = 900, PIECE = 2000, DIM = 800 };

/* The largest index and the longest sample stand in the middle; the last stream comes late. */
static void write_input(void)
{
	static char text[ROWS * 80];
	size_t n = 0;
	for (int r = 0; r < ROWS; r++) {
		n += (size_t)snprintf(text + n, sizeof text - n, "%d |A %d:1 |B %d%s\n", r,
		                      r == 450 ? DIM - 1 : r % 9, r % 10, r == 451 ? " 5 6" : " 7 8");
		if (r % 3 == 0) n += (size_t)snprintf(text + n, sizeof text - n, "%d |A 2:2 |B 1 2 3\n", r);
	}
	write_file("a.ctf", text, n);
}

static sheaf_open_options opening(sheaf_index_policy policy)
{
	return (sheaf_open_options){.size = sizeof(sheaf_open_options), .piece_bytes = PIECE, .index = policy};
}

static sheaf_dataset *open_input(sheaf_index_policy policy)
{
	sheaf_dataset *dataset;
	sheaf_open_options options = opening(policy);
	assert_ok(sheaf_open(in_folder("a.ctf"), &options, cx, &dataset, &err));
	return dataset;
}

static void make_index(void)
{
	sheaf_dataset *dataset = open_input(SHEAF_INDEX_USE);
	assert_ok(sheaf_dataset_write_index(dataset, NULL, &err));
	sheaf_close(dataset);
}

static const char *index_path(void) { return in_folder("a.ctf.sheaf-index"); }

static bool is_fresh(void)
{
	sheaf_index_info info;
	sheaf_dataset *dataset = open_input(SHEAF_INDEX_USE);
	sheaf_dataset_index(dataset, &info);
	sheaf_close(dataset);
	return info.fresh;
}

/* ---- making one up ---- */

typedef struct lie {
	sheaf_index_head head; /* its texts and schema are the index's */
	sheaf_pieces pieces;   /* its entries are of its own */
} lie;

static void set_entry(lie *l, int64_t i, const sheaf_piece_entry *e)
{
	const int64_t words[] = {e->byte, e->size, e->line,    e->column,       e->chunk,
	                         e->row,  e->rows, e->samples, (int64_t)e->hash};
	memcpy(l->pieces.entries.data + (size_t)i * SHEAF_PIECES_ENTRY, words, sizeof words);
}

/* Rewrites the index as `tell` has changed it, with right hashes. */
static void make_up(void (*tell)(lie *l))
{
	write_input();
	make_index();
	assert_true(is_fresh());
	sheaf_dataset *dataset = open_input(SHEAF_INDEX_USE);
	lie l = {dataset->index->file.head, *dataset->index->pieces};
	size_t bytes = l.pieces.entries.size;
	l.pieces.entries.data = (uint8_t *)malloc(bytes);
	memcpy(l.pieces.entries.data, dataset->index->pieces->entries.data, bytes);
	uint8_t *mine = l.pieces.entries.data;
	tell(&l);
	assert_ok(sheaf_index_write(index_path(), dataset->source, &l.head, &l.pieces, cx, &err));
	free(mine);
	sheaf_close(dataset);
}

/* ---- nothing comes of it ---- */

static bytes_sink output_of(const char *arguments)
{
	char command[600];
	bytes_sink out = {0};
	snprintf(command, sizeof command, "cd %s && '%s' %s 2>said", folder, getenv("SHEAF"), arguments);
	FILE *pipe = popen(command, "r");
	char part[4096];
	for (size_t n; (n = fread(part, 1, sizeof part, pipe)) > 0;) write_bytes(&out, part, n);
	int code = pclose(pipe);
	if (code != 0) {
		bytes_sink said = read_file("said");
		print_error("%s: %d: %.*s\n", arguments, code, (int)said.size, (const char *)said.data);
		free_bytes(&said);
	}
	assert_int_equal(code, 0);
	return out;
}

static void assert_same_output(const char *with, const char *without)
{
	bytes_sink a = output_of(with), b = output_of(without);
	assert_true(b.size > 0);
	assert_same_bytes(&a, &b);
	free_bytes(&a);
	free_bytes(&b);
}

/* The commands do the same with an index as without. */
static void assert_nothing_comes_of_it(void)
{
	output_of("convert -f a.ctf with.cbf");
	output_of("convert -f --index never a.ctf without.cbf");
	bytes_sink a = read_file("with.cbf"), b = read_file("without.cbf");
	assert_same_bytes(&a, &b);
	free_bytes(&a);
	free_bytes(&b);
	assert_same_output("cat a.ctf", "cat --index never a.ctf");
	assert_same_output("stats a.ctf", "stats --index never a.ctf");
	assert_same_output("validate a.ctf", "validate --index never a.ctf");
	assert_same_output("head -n 3 a.ctf", "head -n 3 --index never a.ctf");
	assert_same_output("hash a.ctf", "hash --index never a.ctf");
	for (int order = 0; order < 2; order++) {
		static const char *const orders[] = {"file", "sheaf"};
		char with[200], without[260];
		snprintf(with, sizeof with,
		         "batches --json --size 64 --epoch-size 1sweep --order %s --chunk-bytes 2000 a.ctf",
		         orders[order]);
		snprintf(without, sizeof without, "%s --index never", with);
		assert_same_output(with, without);
	}
}

static sheaf_field *field_of(lie *l, const char *name)
{
	return &l->head.schema.fields[sheaf_schema_find(&l->head.schema, name)];
}

static void tell_a_dim_too_large(lie *l) { field_of(l, "A")->levels[1].extent = 100000; }
static void tell_a_dim_too_small(lie *l) { field_of(l, "A")->levels[1].extent = 3; }
static void tell_a_wide_type(lie *l) { field_of(l, "A")->type = field_of(l, "B")->type = SHEAF_F64; }
static void tell_a_dense_dim(lie *l) { field_of(l, "B")->levels[1].extent = 4; }
static void tell_another_name(lie *l) { field_of(l, "A")->name[0] = 'C'; }

static void test_streams(void **state)
{
	(void)state;
	static void (*const lies[])(lie *) = {tell_a_dim_too_large, tell_a_dim_too_small, tell_a_wide_type,
	                                      tell_a_dense_dim, tell_another_name};
	for (size_t i = 0; i < COUNT(lies); i++) {
		make_up(lies[i]);
		assert_nothing_comes_of_it();
	}
}

/* ---- pieces ---- */

static void tell_half(lie *l)
{
	sheaf_piece_entry e;
	l->pieces.count /= 2;
	sheaf_pieces_at(&l->pieces, l->pieces.count, &e);
	l->pieces.rows = l->pieces.lengths.rows = e.row;
	l->pieces.entries.size = (size_t)l->pieces.count * SHEAF_PIECES_ENTRY;
	l->pieces.samples = 0;
	for (int64_t i = 0; i < l->pieces.count; i++)
		sheaf_pieces_at(&l->pieces, i, &e), l->pieces.samples += e.samples;
	l->pieces.lengths.blocks.size = (size_t)sheaf_lengths_blocks_size(e.row + e.rows);
}

static void tell_a_gap(lie *l)
{
	sheaf_piece_entry e;
	sheaf_pieces_at(&l->pieces, 1, &e);
	e.byte++;
	e.size--;
	set_entry(l, 1, &e);
}

static void tell_a_late_beginning(lie *l)
{
	sheaf_piece_entry e;
	sheaf_pieces_at(&l->pieces, 0, &e);
	e.byte += 20;
	e.size -= 20;
	set_entry(l, 0, &e);
}

static void tell_a_wrong_hash(lie *l)
{
	sheaf_piece_entry e;
	sheaf_pieces_at(&l->pieces, 2, &e);
	e.hash++;
	set_entry(l, 2, &e);
}

static void tell_shifted_rows(lie *l)
{
	sheaf_piece_entry a, b;
	sheaf_pieces_at(&l->pieces, 1, &a);
	sheaf_pieces_at(&l->pieces, 2, &b);
	a.rows--, b.row--, b.rows++;
	set_entry(l, 1, &a);
	set_entry(l, 2, &b);
}

static void tell_many_samples(lie *l)
{
	sheaf_piece_entry e;
	sheaf_pieces_at(&l->pieces, 0, &e);
	l->pieces.samples += (int64_t)1 << 40;
	e.samples += (int64_t)1 << 40;
	set_entry(l, 0, &e);
}

static void tell_many_rows(lie *l)
{
	sheaf_piece_entry e;
	int64_t more = (int64_t)1 << 30;
	sheaf_pieces_at(&l->pieces, l->pieces.count - 1, &e);
	e.rows += more;
	l->pieces.rows += more;
	set_entry(l, l->pieces.count - 1, &e);
}

/* Changes the number of rows by as many as fit into the same block of lengths. */
static void tell_rows(lie *l, int64_t more)
{
	sheaf_piece_entry e;
	sheaf_pieces_at(&l->pieces, l->pieces.count - 1, &e);
	e.rows += more;
	l->pieces.rows += more;
	l->pieces.lengths.rows += more;
	set_entry(l, l->pieces.count - 1, &e);
}

static void tell_more_rows(lie *l) { tell_rows(l, 20); }
static void tell_fewer_rows(lie *l) { tell_rows(l, -3); }

static void test_pieces(void **state)
{
	(void)state;
	static void (*const lies[])(lie *) = {tell_half,         tell_a_gap,        tell_a_late_beginning,
	                                      tell_a_wrong_hash, tell_shifted_rows, tell_many_samples,
	                                      tell_many_rows,    tell_more_rows,    tell_fewer_rows};
	static const bool looks_fresh[] = {false, false, false, true, true, false, false, true, true};
	for (size_t i = 0; i < COUNT(lies); i++) {
		make_up(lies[i]);
		if (is_fresh() != looks_fresh[i]) print_error("lie %d\n", (int)i);
		assert_int_equal(is_fresh(), looks_fresh[i]);
		assert_nothing_comes_of_it();
	}
}

static void test_a_piece_of_other_bytes(void **state)
{
	(void)state;
	const sheaf_pieces *pieces;
	sheaf_frame frame = {0};
	make_up(tell_a_wrong_hash);
	sheaf_dataset *dataset = open_input(SHEAF_INDEX_USE);
	assert_ok(sheaf_dataset_pieces(dataset, &pieces, &err));
	assert_ok(sheaf_dataset_read_piece(dataset, 1, &frame, cx, &err));
	assert_status(SHEAF_STALE, sheaf_dataset_read_piece(dataset, 2, &frame, cx, &err));
	assert_message("a.ctf.sheaf-index: expected the bytes of");
	sheaf_frame_free(&frame);
	sheaf_close(dataset);
}

/* Each length one more, and then an absurd one; the sums stay. */
static uint32_t added;

static void tell_lengths(lie *l)
{
	sheaf_packer p;
	uint32_t lengths[ROWS];
	sheaf_lengths_unpack(&l->pieces.lengths, 0, ROWS, lengths);
	lengths[5] += added, lengths[6]++;
	assert_ok(sheaf_packer_begin(&p, cx, &err));
	sheaf_packer_add(&p, lengths, ROWS);
	assert_ok(sheaf_packer_finish(&p, &l->pieces.lengths, &err));
	sheaf_packer_drop(&p);
}

static lie *told;
static void tell_and_keep(lie *l)
{
	tell_lengths(l);
	*told = *l;
}

static void test_lengths(void **state)
{
	(void)state;
	static const uint32_t sums[] = {1, 3000000000U};
	for (size_t i = 0; i < COUNT(sums); i++) {
		lie kept;
		told = &kept;
		added = sums[i];
		make_up(tell_and_keep);
		sheaf_lengths_free(&kept.pieces.lengths);
		assert_nothing_comes_of_it();
	}
}

/* ---- whose it is ---- */

static void refuse(const char *why)
{
	sheaf_index_info info;
	sheaf_dataset *dataset = open_input(SHEAF_INDEX_USE);
	sheaf_dataset_index(dataset, &info);
	assert_false(info.fresh);
	assert_non_null(strstr(info.why, why));
	sheaf_close(dataset);
}

static void test_whose_it_is(void **state)
{
	(void)state;
	static const mode_t wide[] = {0664, 0646, 0666, 0620};
	write_input();
	make_index();
	for (size_t i = 0; i < COUNT(wide); i++) {
		assert_int_equal(chmod(index_path(), wide[i]), 0);
		refuse("expected a file that its owner alone may write, found one that others may write");
	}
	assert_int_equal(chmod(index_path(), 0600), 0);
	assert_true(is_fresh());
	assert_int_equal(rename(index_path(), in_folder("elsewhere")), 0);
	assert_int_equal(symlink("elsewhere", index_path()), 0);
	refuse("expected an index, found none");
	sheaf_source *input, *kept;
	assert_ok(sheaf_source_path(in_folder("a.ctf"), cx, &input, &err));
	assert_status(SHEAF_UNKNOWN, sheaf_source_open_kept(index_path(), input, cx, &kept, &err)); /* a link */
	assert_status(SHEAF_UNKNOWN, sheaf_source_open_kept(folder, input, cx, &kept, &err));
	sheaf_source_close(input);
	assert_int_equal(unlink(index_path()), 0);
	assert_int_equal(rename(in_folder("elsewhere"), index_path()), 0);
	if (geteuid() != 0) return; /* only root can give files away */
	assert_int_equal(chown(index_path(), 12345, 12345), 0);
	refuse("expected a file owned by this user or by its input's owner, found one owned by somebody else");
	assert_nothing_comes_of_it();
	assert_int_equal(chown(in_folder("a.ctf"), 12345, 12345), 0);
	assert_true(is_fresh());
	assert_int_equal(chown(index_path(), 12346, 12345), 0);
	make_index(); /* not in place of another user's: in the user's folder */
	assert_true(is_fresh());
	struct stat info;
	assert_int_equal(stat(index_path(), &info), 0);
	assert_int_equal(info.st_uid, 12346);
}

/* Until it is whole, no other user may read it, whatever the umask. */
static void test_temporary_of_an_index(void **state)
{
	(void)state;
	sheaf_source *input;
	sheaf_sink *sink;
	struct stat info;
	mode_t mask = umask(0);
	write_input();
	assert_ok(sheaf_source_path(in_folder("a.ctf"), cx, &input, &err));
	assert_ok(sheaf_sink_path(index_path(), true, cx, &sink, &err));
	sheaf_sink_resemble(sink, input);
	assert_int_equal(fstat(sink->target.fd, &info), 0);
	assert_int_equal(info.st_mode & 07777, 0600);
	assert_ok(sheaf_sink_commit(sink, &err));
	assert_int_equal(stat(index_path(), &info), 0);
	assert_int_equal(info.st_mode & 07777, 0644);
	sheaf_source_close(input);
	umask(mask);
}

/* ---- inputs that change ---- */

static void set_time(const char *name, const struct timespec *time)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, *time};
	assert_int_equal(utimensat(AT_FDCWD, in_folder(name), times, 0), 0);
}

static void change_byte(const char *name, int64_t at, char with)
{
	struct stat info;
	int fd = open(in_folder(name), O_RDWR);
	assert_int_equal(fstat(fd, &info), 0);
	assert_int_equal(pwrite(fd, &with, 1, at), 1);
	close(fd);
	set_time(name, &info.st_mtim);
}

enum { END = 64 << 10, SAMPLE = 4 << 10, SAMPLES = 14, LINE = 11, LINES = 40000, LARGE = LINE * LINES };

static void write_lines(void)
{
	static char text[LARGE + 1];
	for (int l = 0; l < LINES; l++) {
		char line[32]; /* as many as a compiler thinks that it may take */
		assert_int_equal(snprintf(line, sizeof line, "%05d |B %d\n", l, l % 10), LINE);
		memcpy(text + l * LINE, line, LINE);
	}
	write_file("a.ctf", text, LARGE);
}

/* Head, tail and each sample in between count. */
static void test_samples_of_the_hash(void **state)
{
	(void)state;
	int64_t places[2 * SAMPLES + 4] = {0, END - 1, LARGE - END, LARGE - 1};
	sheaf_source *source;
	sheaf_identity stamp, before, after;
	for (int k = 0; k < SAMPLES; k++) {
		int64_t at = END + (LARGE - 2 * END - SAMPLE) / (SAMPLES + 1) * (k + 1);
		places[4 + 2 * k] = at;
		places[5 + 2 * k] = at + SAMPLE - 1;
	}
	write_lines();
	assert_ok(sheaf_source_path(in_folder("a.ctf"), cx, &source, &err));
	assert_ok(sheaf_source_stamp(source, &stamp, &err));
	assert_ok(sheaf_source_identify(source, &stamp, &before, &err));
	for (size_t i = 0; i < COUNT(places); i++) {
		bytes_sink all = read_file("a.ctf");
		change_byte("a.ctf", places[i], '#');
		assert_ok(sheaf_source_identify(source, &stamp, &after, &err));
		assert_false(sheaf_identity_equal(&before, &after));
		change_byte("a.ctf", places[i], (char)all.data[places[i]]);
		free_bytes(&all);
	}
	assert_ok(sheaf_source_identify(source, &stamp, &after, &err));
	assert_true(sheaf_identity_equal(&before, &after));
	sheaf_source_close(source);
}

/* What is not a file as it is has no stamp, and says why. */
static void test_what_has_no_stamp(void **state)
{
	(void)state;
	static const struct {
		const char *name, *found; /* NULL: memory */
	} cases[] = {{NULL, "an input that can be read only once, or memory"},
	             {"a.ctf.gz", "gzip"}};
	sheaf_source *source;
	sheaf_identity stamp;
	sheaf_sink *sink;
	assert_ok(sheaf_sink_path(in_folder("a.ctf.gz"), true, cx, &sink, &err));
	assert_ok(sheaf_sink_write(sink, "0 |A 1\n", 7, &err));
	assert_ok(sheaf_sink_commit(sink, &err));
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *name = cases[i].name;
		assert_ok(name ? sheaf_source_path(in_folder(name), cx, &source, &err)
		               : sheaf_source_memory((sheaf_bytes){(const uint8_t *)"0", 1}, "m", cx, &source, &err));
		assert_status(SHEAF_UNSUPPORTED, sheaf_source_stamp(source, &stamp, &err));
		assert_message("expected an uncompressed regular file, found ");
		assert_message(cases[i].found);
		sheaf_source_close(source);
	}
}

/* Between the samples, with size and time kept: found when it is read, and the index is dropped. */
static void test_change_between_samples(void **state)
{
	(void)state;
	enum { FIRST = (END + 2000) / LINE / 10 * 10 + 5, PLACE = FIRST * LINE };
	const sheaf_pieces *pieces;
	sheaf_frame frame = {0};
	sheaf_open_options use = opening(SHEAF_INDEX_USE);
	write_lines();
	make_index();
	change_byte("a.ctf", PLACE + 4, '4'); /* two sequences become one */
	assert_true(is_fresh());
	sheaf_dataset *dataset = open_input(SHEAF_INDEX_USE);
	assert_ok(sheaf_dataset_pieces(dataset, &pieces, &err));
	int64_t stale = 0;
	for (int64_t i = 0; i < sheaf_pieces_count(pieces); i++) {
		sheaf_piece_entry e;
		sheaf_pieces_at(pieces, i, &e);
		sheaf_status status = sheaf_dataset_read_piece(dataset, i, &frame, cx, &err);
		bool changed = e.byte <= PLACE && PLACE < e.byte + e.size;
		assert_int_equal(status, changed ? SHEAF_STALE : SHEAF_OK);
		stale += changed;
	}
	assert_int_equal(stale, 1);
	sheaf_frame_free(&frame);
	sheaf_close(dataset);
	assert_ok(sheaf_open(in_folder("a.ctf"), &use, cx, &dataset, &err));
	assert_ok(sheaf_skip(dataset, FIRST, &err)); /* it is counted instead */
	sheaf_close(dataset);
	assert_same_output(
		"batches --json --size 4096 --epoch-size 1sweep --order file --chunk-bytes 2000 --stream "
		"B:1:dense a.ctf",
		"batches --json --size 4096 --epoch-size 1sweep --order file --chunk-bytes 2000 --stream B:1:dense "
		"--index never a.ctf");
}

/* Replaces malloc: the first block that is allocated, except for those of samples, changes the input. */
static void *change_at_first(void *user, void *memory, size_t old_bytes, size_t new_bytes)
{
	bool *armed = (bool *)user;
	void *fresh = NULL;
	if (*armed && new_bytes && new_bytes != 2 * END + SAMPLES * SAMPLE) {
		*armed = false;
		change_byte("a.ctf", LINE - 2, '7');
	}
	if (new_bytes && posix_memalign(&fresh, 64, new_bytes) != 0) return NULL;
	if (memory && fresh) memcpy(fresh, memory, old_bytes < new_bytes ? old_bytes : new_bytes);
	free(memory);
	return fresh;
}

/* While pieces are searched, with size and time kept: the result is not taken for that of the input. */
static void test_change_while_an_index_is_made(void **state)
{
	(void)state;
	bool armed = false;
	sheaf_context_options options = {
		.size = sizeof options, .threads = 1, .reallocate = change_at_first, .user = &armed};
	sheaf_open_options never = opening(SHEAF_INDEX_NEVER);
	sheaf_context *own = context_with(&options);
	sheaf_dataset *dataset;
	write_lines();
	assert_ok(sheaf_open(in_folder("a.ctf"), &never, own, &dataset, &err));
	armed = true;
	assert_status(SHEAF_DATA, sheaf_dataset_write_index(dataset, NULL, &err));
	assert_false(armed);
	assert_message("expected the content that it had when it was opened, found another");
	assert_false(file_exists("a.ctf.sheaf-index"));
	sheaf_close(dataset);
	end_context(own);
}

/* A second change in the same tick of the clock could leave the same time. */
static void test_tick_of_a_change(void **state)
{
	(void)state;
	struct timespec now;
	sheaf_identity identity = {.size = 1};
	clock_gettime(CLOCK_REALTIME, &now);
	int64_t ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	identity.mtime = ns | 1;
	assert_true(sheaf_identity_is_fresh(&identity));
	identity.mtime = (ns - 100000000) | 1;
	assert_false(sheaf_identity_is_fresh(&identity));
	identity.mtime = (int64_t)now.tv_sec * 1000000000; /* of a file system that counts seconds */
	assert_true(sheaf_identity_is_fresh(&identity));
	identity.mtime = ((int64_t)now.tv_sec - 3) * 1000000000;
	assert_false(sheaf_identity_is_fresh(&identity));
}

/* ---- files that the cleaner leaves alone ---- */

static char taken[100], other[100]; /* renamed over the name that is about to be locked */

/* Replaces the system's function for the library, which is linked into this program. */
int flock(int fd, int operation)
{
	if (other[0]) assert_int_equal(rename(other, taken), 0);
	other[0] = '\0';
	return (int)syscall(SYS_flock, fd, operation);
}

static void write_something(void)
{
	sheaf_sink *sink;
	assert_ok(sheaf_sink_path(in_folder("target"), true, cx, &sink, &err));
	assert_ok(sheaf_sink_commit(sink, &err));
}

static void test_leftovers_of_others(void **state)
{
	(void)state;
	write_text(".sheaf-linked", "two names");
	assert_int_equal(link(in_folder(".sheaf-linked"), in_folder("name")), 0);
	write_text(".sheaf-mine00", "mine");
	if (geteuid() == 0) {
		write_text(".sheaf-theirs", "theirs");
		assert_int_equal(chown(in_folder(".sheaf-theirs"), 12345, 12345), 0);
	}
	write_something();
	assert_true(file_exists(".sheaf-linked"));
	assert_false(file_exists(".sheaf-mine00"));
	assert_true(geteuid() != 0 || file_exists(".sheaf-theirs"));
}

/* Another file takes the leftover's place between its opening and its locking. */
static void test_leftover_that_is_replaced(void **state)
{
	(void)state;
	write_text(".sheaf-mine00", "old");
	write_text("new", "new");
	snprintf(taken, sizeof taken, "%s", in_folder(".sheaf-mine00"));
	snprintf(other, sizeof other, "%s", in_folder("new"));
	write_something();
	bytes_sink left = read_file(".sheaf-mine00");
	assert_int_equal(left.size, 3);
	assert_memory_equal(left.data, "new", 3);
	free_bytes(&left);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_streams),
		TEST(test_pieces),
		TEST(test_a_piece_of_other_bytes),
		TEST(test_lengths),
		TEST(test_whose_it_is),
		TEST(test_temporary_of_an_index),
		TEST(test_samples_of_the_hash),
		TEST(test_what_has_no_stamp),
		TEST(test_change_between_samples),
		TEST(test_change_while_an_index_is_made),
		TEST(test_tick_of_a_change),
		TEST(test_leftovers_of_others),
		TEST(test_leftover_that_is_replaced),
	};
	return cmocka_run_group_tests_name("trust", tests, NULL, NULL);
}
