/* SPDX-License-Identifier: MIT */
/* Metadata: JSON of at most 16 MiB, which is parsed whole. A member that is there and is not an object of
 * JSON is damage; one that is not there is no error, because that is how a folder shows what it is. The
 * parser's memory is not ours: it is counted by the size of the text, and given back with the value. */
#include "base/extend.h"
#include "base/status.h"
#include "container/zarr/zarr.h"
#include "frame/schema/read_json.h"
#include <string.h>

void sheaf_zarr_drop(sheaf_zarr_json *json)
{
	if (json->value) sheaf_json_give_back(json->value, json->size, json->cx);
	json->value = NULL;
}

/* Loads a file of metadata, an object of JSON of at most 16 MiB, into *out, which the caller drops;
 * out->value stays NULL if there is no such file. `folder` is "" at the root. */
sheaf_status sheaf_zarr_load(const sheaf_zarr_members *m, const char *folder, const char *name,
                             sheaf_zarr_json *out, sheaf_error *err)
{
	enum { MOST = 16 << 20 };
	char path[4096];
	bool found;
	sheaf_json_flaw flaw;
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder bytes = {.cx = m->cx};
	if (snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", name) >= (int)sizeof path)
		return sheaf_fail(err, SHEAF_LIMIT, "%s: expected paths of less than 4 KiB, found another", m->name);
	SHEAF_TRY(sheaf_zarr_read(m, path, (sheaf_zarr_part){SHEAF_ZARR_WHOLE, MOST}, &bytes, &found, err));
	if (!found) return SHEAF_OK;
	sheaf_error failure = {0};
	sheaf_status status = sheaf_json_take(bytes.data, bytes.size, m->cx, &out->value, &flaw, &failure);
	if (status == SHEAF_DATA)
		return sheaf_fail(err, SHEAF_DATA, "%s/%s (byte %zu): expected JSON, found %s", m->name, path,
		                  flaw.byte, flaw.found);
	if (status) return sheaf_fail_within(err, &failure, "%s/%s", m->name, path);
	out->cx = m->cx;
	out->size = bytes.size;
	if (sheaf_json_kind_of(out->value) == SHEAF_JSON_OBJECT) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_DATA, "%s/%s: expected an object of JSON, found %s", m->name, path,
	                  sheaf_json_kind_name(out->value));
}
