/* SPDX-License-Identifier: MIT */
/* Python's capsules, as Arrow's PyCapsule interface requires them. Python's functions are looked up in the
 * process: nothing here is compiled against a particular Python. */
#include <sheaf/exchange.h>
#include <stdlib.h>
#include <string.h>

typedef struct python_object python_object; /* only ever used as a pointer */

__attribute__((weak)) python_object *PyCapsule_New(void *pointer, const char *name,
                                                   void (*destructor)(python_object *));
__attribute__((weak)) void *PyCapsule_GetPointer(python_object *capsule, const char *name);
__attribute__((weak)) int PyCapsule_IsValid(python_object *capsule, const char *name);

__attribute__((weak)) int PyGILState_Ensure(void);
__attribute__((weak)) void PyGILState_Release(int before);
__attribute__((weak)) void Py_DecRef(python_object *object);

static bool has_python(void) { return PyCapsule_New && PyCapsule_GetPointer && PyCapsule_IsValid; }

void *sheaf_capsule_content(const char *name, void *capsule)
{
	python_object *object = (python_object *)capsule;
	if (!name || !capsule || !has_python() || !PyCapsule_IsValid(object, name)) return NULL;
	return PyCapsule_GetPointer(object, name);
}

/* What Arrow's structures have in common: they are released by a function of their own. */
typedef struct content {
	const char *name;
	size_t size;
	void (*release)(void *held);
	void (*drop)(python_object *capsule);
} content;

/* A capsule contains a structure allocated by malloc: Python may free it at any time. */
#define CONTENT(kind, structure, label) \
	static void release_##kind(void *held) \
	{ \
		struct structure *s = (struct structure *)held; \
		if (s->release) s->release(s); \
	} \
	static void drop_##kind(python_object *capsule) \
	{ \
		void *held = sheaf_capsule_content(label, capsule); \
		if (held) release_##kind(held); \
		free(held); \
	} \
	static const content kind = {label, sizeof(struct structure), release_##kind, drop_##kind};

CONTENT(schema, ArrowSchema, "arrow_schema")
CONTENT(array, ArrowArray, "arrow_array")
CONTENT(stream, ArrowArrayStream, "arrow_array_stream")

void *sheaf_capsule_new(const char *name, void *from)
{
	static const content *const contents[] = {&schema, &array, &stream, NULL};
	const content *const *c = contents;
	if (!name || !from) return NULL;
	while (*c && strcmp((*c)->name, name) != 0) c++;
	if (!*c) return NULL;
	void *held = has_python() ? malloc((*c)->size) : NULL;
	if (held) memcpy(held, from, (*c)->size);
	python_object *capsule = held ? PyCapsule_New(held, (*c)->name, (*c)->drop) : NULL;
	if (!capsule) {
		(*c)->release(from);
		free(held);
	}
	memset(from, 0, (*c)->size); /* its `release` is NULL: it was moved from */
	return capsule;
}

void sheaf_object_drop(void *object)
{
	if (!object || !PyGILState_Ensure || !PyGILState_Release || !Py_DecRef) return;
	int before = PyGILState_Ensure();
	Py_DecRef((python_object *)object);
	PyGILState_Release(before);
}
