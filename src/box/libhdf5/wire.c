/* SPDX-License-Identifier: MIT */
/* Messages to and from the process that has started this program. */
#include "box/libhdf5/libhdf5.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SOCKET = 0 };

/* The caller is gone, or violates the protocol: there is nobody to whom this could be reported. */
static void end(void) { _Exit(0); }

static void write_all(const void *data, size_t size)
{
	const char *at = (const char *)data;
	while (size > 0) {
		ssize_t n = send(SOCKET, at, size, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR) continue;
		if (n <= 0) end();
		at += n;
		size -= (size_t)n;
	}
}

static void read_all(void *data, size_t size)
{
	char *at = (char *)data;
	while (size > 0) {
		ssize_t n = read(SOCKET, at, size);
		if (n < 0 && errno == EINTR) continue;
		if (n <= 0) end();
		at += n;
		size -= (size_t)n;
	}
}

void sheaf_h5_send_two(sheaf_hdf5_word word, const void *head, size_t head_size, const void *data,
                       size_t size)
{
	sheaf_hdf5_head h = {word, (uint32_t)(head_size + size)};
	write_all(&h, sizeof h);
	write_all(head, head_size);
	write_all(data, size);
}

void sheaf_h5_send(sheaf_hdf5_word word, const void *data, size_t size)
{
	sheaf_h5_send_two(word, NULL, 0, data, size);
}

void sheaf_h5_send_bytes(const void *data, size_t size)
{
	const char *at = (const char *)data;
	while (size > 0) {
		size_t n = size < SHEAF_HDF5_MESSAGE ? size : SHEAF_HDF5_MESSAGE;
		sheaf_h5_send(SHEAF_HDF5_BYTES, at, n);
		at += n;
		size -= n;
	}
}

void sheaf_h5_send_failure(sheaf_hdf5_failure failure, const char *text)
{
	uint32_t word = failure;
	sheaf_h5_send_two(SHEAF_HDF5_FAIL, &word, sizeof word, text, strlen(text));
}

sheaf_hdf5_word sheaf_h5_hear(sheaf_hdf5_request *request, char text[SHEAF_HDF5_MESSAGE + 1])
{
	sheaf_hdf5_head h;
	read_all(&h, sizeof h);
	if (h.size < sizeof *request || h.size - sizeof *request > SHEAF_HDF5_MESSAGE) end();
	read_all(request, sizeof *request);
	read_all(text, h.size - sizeof *request);
	text[h.size - sizeof *request] = '\0';
	return (sheaf_hdf5_word)h.word;
}

void sheaf_h5_fetch(int64_t at, void *out, size_t size)
{
	char *to = (char *)out;
	while (size > 0) {
		sheaf_hdf5_head h;
		size_t n = size < SHEAF_HDF5_MESSAGE ? size : SHEAF_HDF5_MESSAGE;
		sheaf_hdf5_request wanted = {0, at, at + (int64_t)n};
		sheaf_h5_send(SHEAF_HDF5_WANT, &wanted, sizeof wanted);
		read_all(&h, sizeof h);
		if (h.word != SHEAF_HDF5_BYTES || h.size != n) end();
		read_all(to, n);
		to += n;
		at += (int64_t)n;
		size -= n;
	}
}
