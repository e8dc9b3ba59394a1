/* SPDX-License-Identifier: MIT */
/* Everything a program needs: include this one. */
#ifndef SHEAF_H
#define SHEAF_H

#include <sheaf/arrays.h>
#include <sheaf/base.h>
#include <sheaf/batch.h>
#include <sheaf/build.h>
#include <sheaf/config.h>
#include <sheaf/dataset.h>
#include <sheaf/exchange.h>
#include <sheaf/format.h>
#include <sheaf/frame.h>
#include <sheaf/index.h>
#include <sheaf/io.h>
#include <sheaf/option.h>
#include <sheaf/part.h>
#include <sheaf/pieces.h>
#include <sheaf/report.h>
#include <sheaf/select.h>
#include <sheaf/split.h>
#include <sheaf/summary.h>
#include <sheaf/tensor.h>

#endif
