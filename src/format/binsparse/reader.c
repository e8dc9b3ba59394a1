/* SPDX-License-Identifier: MIT */
/* The tensors of a reader: room for them, opening, closing. A reader of entries has one; a reader of
 * sequences has one for each stream, and a view of each, by which it finds where rows begin without reading
 * all of them. */
#include "format/binsparse/reader.h"
#include "base/memory.h"

sheaf_status sheaf_bsp_make_room(sheaf_bsp_reader *in, int n, sheaf_error *err)
{
	void *memory;
	SHEAF_TRY(sheaf_allocate_array(in->cx, (uint64_t)n, sizeof *in->tensors, &memory, err));
	in->tensors = (sheaf_bsp_tensor *)memory;
	sheaf_status status = sheaf_allocate_array(in->cx, (uint64_t)n, sizeof *in->views, &memory, err);
	if (status) {
		sheaf_release(in->cx, in->tensors, (size_t)n * sizeof *in->tensors);
		in->tensors = NULL;
		return status;
	}
	in->views = (sheaf_sparse_view *)memory;
	in->room = n;
	return SHEAF_OK;
}

sheaf_status sheaf_bsp_open_tensor(sheaf_bsp_reader *in, const char *path, sheaf_bsp_tensor *out,
                                   sheaf_error *err)
{
	*out = (sheaf_bsp_tensor){.box = in->box, .tolerance = in->tolerance};
	out->sparse =
		(sheaf_sparse){.cx = in->cx, .read = sheaf_box_read_stored, .from = in->box, .is_strict = true};
	SHEAF_TRY(sheaf_bsp_tensor_open(out, in->file, path, err));
	return in->tolerance.repair ? sheaf_bsp_mend(out, err) : SHEAF_OK;
}

void sheaf_bsp_close(void *reader)
{
	sheaf_bsp_reader *in = (sheaf_bsp_reader *)reader;
	for (int i = 0; i < in->ntensors; i++) {
		sheaf_sparse_view_close(&in->views[i]);
		sheaf_bsp_tensor_close(&in->tensors[i]);
	}
	sheaf_release(in->cx, in->views, (size_t)in->room * sizeof *in->views);
	sheaf_release(in->cx, in->tensors, (size_t)in->room * sizeof *in->tensors);
	sheaf_box_leave(in->box);
}
