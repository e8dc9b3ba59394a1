/* SPDX-License-Identifier: MIT */
/* Replays files through a fuzz target, for compilers without libFuzzer: each argument is a file, or a folder
 * whose files are taken, and becomes one point of TAP. The current file is named in the line before, in case
 * it crashes. */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

/* The whole file in memory of exactly its size, so that a sanitizer sees each byte read after its end. */
static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	if (!file) return NULL;
	uint8_t *data = NULL;
	struct stat facts;
	if (fstat(fileno(file), &facts) == 0) {
		*size = (size_t)facts.st_size;
		data = malloc(*size ? *size : 1);
		if (data && fread(data, 1, *size, file) != *size) {
			free(data);
			data = NULL;
		}
	}
	fclose(file);
	return data;
}

static bool replay_file(const char *path)
{
	size_t size = 0;
	uint8_t *data = read_file(path, &size);
	if (!data) {
		printf("# %s: expected a readable file, found none\n", path);
		return false;
	}
	printf("# %s\n", path);
	fflush(stdout);
	(void)LLVMFuzzerTestOneInput(data, size);
	free(data);
	return true;
}

static int is_shown(const struct dirent *entry) { return entry->d_name[0] != '.'; }

/* The number of files replayed, or -1 if one could not be. */
static int replay(const char *path)
{
	struct stat facts;
	if (stat(path, &facts) == 0 && !S_ISDIR(facts.st_mode)) return replay_file(path) ? 1 : -1;
	struct dirent **entries = NULL;
	int n = scandir(path, &entries, is_shown, alphasort);
	bool good = n >= 0;
	for (int i = 0; i < n; i++) {
		char inner[4096];
		int length = snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name);
		good = good && length > 0 && (size_t)length < sizeof inner && replay_file(inner);
		free(entries[i]);
	}
	free(entries);
	return good ? n : -1;
}

int main(int argc, char **argv)
{
	if (LLVMFuzzerInitialize) LLVMFuzzerInitialize(&argc, &argv);
	int failures = 0;
	printf("1..%d\n", argc - 1);
	for (int i = 1; i < argc; i++) {
		int n = replay(argv[i]);
		const char *slash = strrchr(argv[i], '/');
		printf("%s %d - %s: %d inputs\n", n > 0 ? "ok" : "not ok", i, slash && slash[1] ? slash + 1 : argv[i],
		       n > 0 ? n : 0);
		failures += n <= 0;
	}
	return failures ? 1 : 0;
}
