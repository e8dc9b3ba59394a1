/* SPDX-License-Identifier: MIT */
/* The one thing that this module shows. */
#include "box/libhdf5/libhdf5.h"

extern const sheaf_box_driver sheaf_hdf5_driver;

SHEAF_API const sheaf_box_driver sheaf_hdf5_driver = {
	.abi = SHEAF_BOX_ABI,
	.open = sheaf_h5_open,
	.finish = sheaf_h5_finish,
	.close = sheaf_h5_close,
	.text = sheaf_h5_text,
	.read_rows = sheaf_h5_read_rows,
	.read_chunk = sheaf_h5_read_chunk,
	.text_of = sheaf_h5_text_of,
	.make_group = sheaf_h5_make_group,
	.remove = sheaf_h5_remove,
	.set_text = sheaf_h5_set_text,
	.new_array = sheaf_h5_new_array,
	.append = sheaf_h5_append,
	.write_chunk = sheaf_h5_write_chunk,
	.end_array = sheaf_h5_end_array,
	.drop_array = sheaf_h5_drop_array,
};
