/* SPDX-License-Identifier: MIT */
/* Python's capsules, as Arrow's PyCapsule interface requires them. Python's functions are looked up in the
 * process: nothing here is compiled against a particular Python. */
#include <sheaf/exchange.h>
#include <stdlib.h>

typedef struct python_object python_object; /* only ever used as a pointer */

__attribute__((weak)) python_object *PyCapsule_New(void *pointer, const char *name,
                                                   void (*destructor)(python_object *));
__attribute__((weak)) void *PyCapsule_GetPointer(python_object *capsule, const char *name);
__attribute__((weak)) int PyCapsule_IsValid(python_object *capsule, const char *name);

__attribute__((weak)) int PyGILState_Ensure(void);
__attribute__((weak)) void PyGILState_Release(int before);
__attribute__((weak)) void Py_DecRef(python_object *object);

static bool has_python(void) { return PyCapsule_New && PyCapsule_GetPointer && PyCapsule_IsValid; }

static void *held_by(void *capsule, const char *name)
{
	python_object *object = (python_object *)capsule;
	if (!capsule || !has_python() || !PyCapsule_IsValid(object, name)) return NULL;
	return PyCapsule_GetPointer(object, name);
}

/* A capsule contains a structure allocated by malloc: Python may free it at any time. */
#define CAPSULE(kind, structure, label) \
	struct structure *sheaf_##kind##_in_capsule(void *capsule) \
	{ \
		return (struct structure *)held_by(capsule, label); \
	} \
	static void drop_##kind(python_object *capsule) \
	{ \
		struct structure *held = sheaf_##kind##_in_capsule(capsule); \
		if (held && held->release) held->release(held); \
		free(held); \
	} \
	void *sheaf_capsule_##kind(struct structure *from) \
	{ \
		if (!from) return NULL; \
		struct structure *held = has_python() ? (struct structure *)malloc(sizeof *held) : NULL; \
		if (held) *held = *from; \
		python_object *capsule = held ? PyCapsule_New(held, label, drop_##kind) : NULL; \
		if (!capsule) { \
			if (from->release) from->release(from); \
			free(held); \
		} \
		from->release = NULL; \
		return capsule; \
	}

CAPSULE(schema, ArrowSchema, "arrow_schema")
CAPSULE(array, ArrowArray, "arrow_array")
CAPSULE(stream, ArrowArrayStream, "arrow_array_stream")

void sheaf_object_drop(void *object)
{
	if (!object || !PyGILState_Ensure || !PyGILState_Release || !Py_DecRef) return;
	int before = PyGILState_Ensure();
	Py_DecRef((python_object *)object);
	PyGILState_Release(before);
}
