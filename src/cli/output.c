/* SPDX-License-Identifier: MIT */
/* Standard output. Rows are printed by the million, so bytes are buffered; a failed write is found at the
 * next check.
 *
 * A command that may have to begin again marks the place in the buffer at which it began (out_mark), and
 * takes back what follows, as long as none of it was written:
 *
 *     bytes[0 ... marked)  printed before the command    bytes[marked ... used)  can be taken back */
#include "cli.h"
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { OUT_SIZE = 256 << 10, PRINTF_ROOM = 1024 };

static struct {
	char bytes[OUT_SIZE];
	size_t used;
	char last;     /* last byte written to the buffer; 0: none */
	size_t marked; /* bytes before the mark that are still held back */
	bool gone;     /* some after it were written */
	int sys;       /* errno of the first write that failed, or 0 */
} out;

/* Writes to standard output until all is written, or a write fails: out.sys then has the errno, and nothing
 * is written any more. If another program made the terminal or pipe non-blocking, waits until it has room or
 * a signal comes. */
static void write_all(const char *data, size_t size)
{
	struct pollfd waiting = {.fd = STDOUT_FILENO, .events = POLLOUT};
	while (size > 0 && !out.sys) {
		ssize_t n = write(STDOUT_FILENO, data, size);
		if (n < 0 && errno == EAGAIN && poll(&waiting, 1, -1) >= 0) continue;
		if (n < 0 && errno == EINTR && !was_interrupted()) continue;
		if (n < 0) {
			out.sys = errno;
			return;
		}
		data += n;
		size -= (size_t)n;
	}
}

/* Writes what is in the buffer. From then on what came after the mark cannot be taken back. */
static void flush(void)
{
	if (out.used > 0) progress_hide();
	out.gone |= out.used > out.marked;
	out.marked = 0;
	write_all(out.bytes, out.used);
	out.used = 0;
}

/* Puts bytes into the buffer, which is written if they do not fit; bytes that never fit are written past
 * it. */
void out_drawn(const void *data, size_t size)
{
	if (out.sys || size == 0) return;
	out.last = ((const char *)data)[size - 1];
	if (size > OUT_SIZE - out.used) flush();
	if (size > OUT_SIZE) {
		out.gone = true;
		write_all((const char *)data, size);
		return;
	}
	memcpy(out.bytes + out.used, data, size);
	out.used += size;
}

/* Prints text from a file with what would control a terminal made visible; ends of lines and tabs stay what
 * they are if `lines`. */
static void show(const char *text, size_t size, bool lines)
{
	char shown[SHEAF_SHOWN];
	for (size_t used; size > 0; text += used, size -= used) {
		used = sheaf_show_character(text, size, shown);
		bool stays = lines && (*text == '\n' || *text == '\t');
		out_drawn(stays ? text : shown, stays ? 1 : strlen(shown));
	}
}

void out_bytes(const void *data, size_t size)
{
	if (terminal_is(STDOUT_FILENO))
		show((const char *)data, size, true);
	else
		out_drawn(data, size);
}

void out_text(const char *text) { out_bytes(text, strlen(text)); }

void out_some_visibly(const char *text, size_t size) { show(text, size, false); }

void out_visibly(const char *text) { show(text, strlen(text), false); }

void out_new_line(void)
{
	if (!out.gone || out.last == '\n') return;
	out_bytes("\n", 1);
	flush();
}

void out_printf(const char *format, ...)
{
	char text[PRINTF_ROOM];
	va_list args;
	va_start(args, format);
	int n = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (n > 0) out_bytes(text, n < PRINTF_ROOM ? (size_t)n : PRINTF_ROOM - 1);
}

sheaf_status out_check(sheaf_error *err)
{
	if (!out.sys) return SHEAF_OK;
	if (out.sys == EINTR) return sheaf_fail(err, SHEAF_STOPPED, "interrupted");
	return sheaf_fail_sys(err, out.sys, "(stdout): expected to write");
}

sheaf_status out_flush(sheaf_error *err)
{
	flush();
	return out_check(err);
}

void out_mark(void)
{
	out.marked = out.used;
	out.gone = false;
}

bool out_take_back(void)
{
	if (out.gone) return false;
	out.used = out.marked;
	out.last = out.used ? out.bytes[out.used - 1] : '\n';
	return true;
}

sheaf_status out_close(sheaf_error *err)
{
	bool said = out.sys != 0; /* whoever detected it first has reported it */
	flush();
	/* Some file systems report a full disk only here. */
	if (close(STDOUT_FILENO) != 0 && !out.sys && errno != EINTR && errno != EBADF) out.sys = errno;
	return said ? SHEAF_OK : out_check(err);
}

/* ---- JSON ---- */

/* Prints a text as a string of JSON: with escapes where JSON needs them, and U+FFFD for each byte that is not
 * UTF-8. */
static void print_json_text(const char *text)
{
	char shown[SHEAF_SHOWN];
	out_bytes("\"", 1);
	for (size_t n = strlen(text), used; n > 0; text += used, n -= used) {
		unsigned char c = (unsigned char)*text;
		used = sheaf_show_character(text, n, shown);
		if (c == '"' || c == '\\')
			out_printf("\\%c", c);
		else if (c < 0x20)
			out_printf("\\u%04x", c);
		else if (c >= 0x80 && used == 1) /* not UTF-8 */
			out_text("\xef\xbf\xbd");
		else
			out_bytes(text, used);
	}
	out_bytes("\"", 1);
}

/* The last byte shows whether a comma comes first: not where it opened an object, a list, a value or a
 * line. */
void json_key(const char *name)
{
	if (out.last && !strchr("{[:,\n", out.last)) out_bytes(",", 1);
	if (!name) return;
	print_json_text(name);
	out_bytes(":", 1);
}

void json_text(const char *name, const char *text)
{
	json_key(name);
	print_json_text(text);
}

void json_count(const char *name, int64_t n)
{
	json_key(name);
	out_printf("%" PRId64, n);
}

void json_flag(const char *name, bool flag)
{
	json_key(name);
	out_text(flag ? "true" : "false");
}

void json_open(const char *name, const char *bracket)
{
	json_key(name);
	out_text(bracket);
}

/* ---- facts ---- */

/* Prints the words before the value, and returns those after it; NULL if a line leaves the value out. */
static const char *begin_line(bool json, const char *words)
{
	if (json || !words) return NULL;
	size_t before = strcspn(words, "%");
	out_bytes(words, before);
	return words[before] ? words + before + 1 : NULL;
}

void fact_text(bool json, const char *name, const char *words, const char *text)
{
	if (json && name) json_text(name, text);
	const char *after = begin_line(json, words);
	if (!after) return;
	out_text(text);
	out_text(after);
}

void fact_count(bool json, const char *name, const char *words, int64_t n)
{
	if (json && name) json_count(name, n);
	const char *after = begin_line(json, words);
	if (after) out_printf("%" PRId64 "%s", n, after);
}

void fact_shape(bool json, const char *name, const char *words, const int64_t *dims, int n)
{
	const char *after = json ? "]" : begin_line(json, words);
	if (!after) return;
	if (json) json_open(name, "[");
	for (int d = 0; d < n; d++) out_printf("%s%" PRId64, !d ? "" : json ? "," : " x ", dims[d]);
	out_text(after);
}

void fact_open(bool json, const char *name, const char *words, const char *bracket)
{
	if (json)
		json_open(name, bracket);
	else
		out_text(words);
}

void fact_close(bool json, const char *words, const char *bracket) { out_text(json ? bracket : words); }
