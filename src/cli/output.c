/* SPDX-License-Identifier: MIT */
/* Standard output. Rows are printed by the million, so bytes are buffered; a failed write is found at the
 * next check. */
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

/* If another program made the terminal or pipe non-blocking, waits until it has room or a signal comes. */
static bool is_worth_retrying(void)
{
	struct pollfd waiting = {.fd = STDOUT_FILENO, .events = POLLOUT};
	if (errno == EAGAIN && poll(&waiting, 1, -1) >= 0) return true;
	return errno == EINTR && !was_interrupted();
}

static void write_all(const char *data, size_t size)
{
	while (size > 0 && !out.sys) {
		ssize_t n = write(STDOUT_FILENO, data, size);
		if (n < 0 && is_worth_retrying()) continue;
		if (n < 0) {
			out.sys = errno;
			return;
		}
		data += n;
		size -= (size_t)n;
	}
}

static void flush(void)
{
	if (out.used > 0) progress_hide();
	out.gone |= out.used > out.marked;
	out.marked = 0;
	write_all(out.bytes, out.used);
	out.used = 0;
}

void out_bytes(const void *data, size_t size)
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

void out_text(const char *text) { out_bytes(text, strlen(text)); }

void out_some_visibly(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char byte = (unsigned char)text[i];
		if (byte < 0x20 || byte == 0x7f)
			out_printf("\\x%02x", byte);
		else
			out_bytes(text + i, 1);
	}
}

void out_visibly(const char *text) { out_some_visibly(text, strlen(text)); }

void out_new_line(void)
{
	if (!out.gone || out.last == '\n') return;
	out_bytes("\n", 1);
	flush();
}

void out_printf(const char *format, ...)
{
	if (OUT_SIZE - out.used < PRINTF_ROOM) flush();
	va_list args;
	va_start(args, format);
	int n = vsnprintf(out.bytes + out.used, PRINTF_ROOM, format, args);
	va_end(args);
	if (n > 0) out.used += n < PRINTF_ROOM ? (size_t)n : PRINTF_ROOM - 1;
	if (n > 0) out.last = out.bytes[out.used - 1];
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

/* Length of the UTF-8 sequence at s[0..n), 0 if there is none. */
static size_t utf8_length(const unsigned char *s, size_t n)
{
	if (s[0] < 0x80) return 1;
	size_t length = s[0] >= 0xc2 && s[0] < 0xe0   ? 2
	                : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
	                : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
	                                              : 0;
	if (length == 0 || length > n) return 0;
	for (size_t i = 1; i < length; i++)
		if ((s[i] & 0xc0) != 0x80) return 0;
	/* Overlong forms, surrogates, and what is beyond the last code point. */
	bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	           (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f);
	return bad ? 0 : length;
}

void out_json_text(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n = strlen(text);
	out_bytes("\"", 1);
	for (size_t i = 0; i < n;) {
		size_t length = utf8_length(s + i, n - i);
		if (length == 0)
			out_text("\xef\xbf\xbd");
		else if (s[i] == '"' || s[i] == '\\')
			out_printf("\\%c", s[i]);
		else if (s[i] < 0x20)
			out_printf("\\u%04x", s[i]);
		else
			out_bytes(s + i, length);
		i += length ? length : 1;
	}
	out_bytes("\"", 1);
}

void out_json_key(bool *first, const char *key)
{
	if (!*first) out_bytes(",", 1);
	*first = false;
	out_json_text(key);
	out_bytes(":", 1);
}

void out_json_member(bool *first, const char *key, const char *text)
{
	out_json_key(first, key);
	out_json_text(text);
}

void out_json_count(bool *first, const char *key, int64_t number)
{
	out_json_key(first, key);
	out_printf("%" PRId64, number);
}
