/* SPDX-License-Identifier: MIT */
/* The one thing that this module shows. */
#include "box/libhdf5/libhdf5.h"

extern const sheaf_box_driver sheaf_hdf5_driver;

SHEAF_API const sheaf_box_driver sheaf_hdf5_driver = {
	.abi = SHEAF_BOX_ABI,
	.open = sheaf_h5_open,
	.close = sheaf_h5_close,
	.text = sheaf_h5_text,
	.read_rows = sheaf_h5_read_rows,
	.read_chunk = sheaf_h5_read_chunk,
	.text_of = sheaf_h5_text_of,
};
