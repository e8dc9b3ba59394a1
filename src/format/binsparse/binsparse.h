/* SPDX-License-Identifier: MIT */
/* The inside of Binsparse. Three layers, each with its own header:
 *
 *   descriptor.h   the JSON that says what a tensor is
 *   tensor.h       a tensor in a box: its arrays, found and measured
 *   reader.h       reading: pieces, entries, sequences, whole tensors
 *   writer.h       writing: entries and sequences into arrays
 *
 * What is read and why is in docs/formats/binsparse.md. */
#ifndef SHEAF_FORMAT_BINSPARSE_BINSPARSE_H
#define SHEAF_FORMAT_BINSPARSE_BINSPARSE_H

#include "base/buffer.h"

/* How losses of user keys are named, which also says what their texts are. */
#define BSP_TEXT_KEY "user key"                   /* the text of a JSON text */
#define BSP_JSON_KEY "user key of JSON"           /* the JSON of another value */
#define BSP_INNER_KEY "key of the descriptor"     /* the JSON of a key beside format, shape and so on */
#define BSP_ATTRIBUTE_KEY "attribute of a tensor" /* the JSON of a key in `attributes` */

#endif
