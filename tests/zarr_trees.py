#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Folders of Zarr as a whole: trees, links, consolidated metadata, AnnData, ZIP files, and random changes.
Prints TAP."""

import json
import os
import random
import shutil
import struct
import tempfile
import warnings
import zipfile

from tap import end, point
from zarr_made import BAD, CHUNKS, GOOD, array_2, doubles, make, put, root_2, root_3, run, shard, values_of

MUTANTS = int(os.environ.get("ZARR_MUTANTS", "300"))


def check_tree(folder):
    make(
        folder,
        lambda f: (
            array_2(f, "x", chunk=CHUNKS),
            array_2(f, "group/deep/y", chunk=CHUNKS),
            put(f, "group/.zgroup", {"zarr_format": 2}),
            put(f, "group/deep/.zgroup", {"zarr_format": 2}),
            put(f, "nothing/here.txt", "x"),
            put(f, "bad/.zarray", "{"),
        ),
    )
    code, out, err = run("info", folder)
    size = sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)
    one = run("info", "--dataset", "/x", folder)[1]
    point(f"\nbytes: {size}\n" in one, "a folder has the bytes of all its files", f"{size} {one}")
    point(
        code == 0
        and all(
            line in out
            for line in ["/group/deep/y  float64  3  chunked 2", "/x  float64  3  chunked 2", "/bad  "]
        )
        and "nothing" not in out,
        "a tree, in which one is damaged",
        out + err,
    )
    code, out, err = run("cat", "--dataset", "/group/deep/y", folder)
    point(code == 0 and len(out.splitlines()) == 3, "an array deep in the tree", out + err)
    code, _, err = run("index", folder)
    point(code != 0 and "found" in err, "no index of a folder", err)
    code, _, err = run("info", os.path.join(folder, ".zgroup"))
    point(code != 0 and "give the folder" in err, "a file of the folder", err)
    empty = os.path.join(folder, "nothing")
    code, _, err = run("info", empty)
    point(
        code == 3 and "expected a file, found a directory" in err,
        "a folder that is none of Zarr",
        f"{code} {err}",
    )


def check_odd_attributes(folder):
    """Attributes that are no texts are not those that tell a kind of matrix."""

    def build(f):
        put(f, "m/.zgroup", {"zarr_format": 2})
        put(f, "m/.zattrs", {"encoding-type": 5, "h5sparse_format": ["csr"], "binsparse": True})
        array_2(f, "m/x", chunk=CHUNKS)

    make(folder, build)
    code, out, err = run("cat", "--dataset", "m/x", folder)
    point(code == 0 and len(out.splitlines()) == 3, "attributes that are no texts", f"{code} {out} {err}")


def check_consolidated(folder):
    """Consolidated metadata: ignored beside that of the nodes; alone it is not enough, which is reported."""
    make(folder, lambda f: array_2(f, "x", chunk={"0": doubles(1, 2), "1": doubles(3, 0)}))
    put(folder, ".zmetadata", {"zarr_consolidated_format": 1, "metadata": {}})
    point(values_of(folder)[0] == 0, "consolidated metadata of version 2", values_of(folder))
    for name in (".zgroup", "x/.zarray"):
        os.remove(os.path.join(folder, name))
    code, _, err = run("info", folder)
    point(code == 3 and "has its metadata in .zmetadata alone" in err, "and nothing else", err)
    shutil.rmtree(folder)
    os.makedirs(folder)
    root_3(folder)
    about = {"zarr_format": 3, "node_type": "group",
             "consolidated_metadata": {"metadata": {"x": {"zarr_format": 3, "node_type": "array"}}}}
    put(folder, "zarr.json", about)
    code, _, err = run("info", folder)
    fine = code == 4 and "found those of 1 in the root's zarr.json alone (consolidated)" in err
    point(fine, "consolidated metadata of version 3 alone", err)


def check_links(folder):
    """Nothing leads out of the folder: neither of its members nor of its chunks."""
    outside = folder + ".outside"
    os.makedirs(outside, exist_ok=True)
    put(outside, "secret", CHUNKS["0"])
    array_2(outside, "y", chunk=CHUNKS)
    make(folder, lambda f: array_2(f, "x", fill_value=5))
    os.symlink(os.path.join(outside, "secret"), os.path.join(folder, "x/0"))
    os.symlink(os.path.join(outside, "y"), os.path.join(folder, "y"))
    code, found, err = values_of(folder)
    point(code == 0 and found == ["5"] * 3, "a chunk that is a link is not there", f"{found} {err}")
    point("/y" not in run("info", folder)[1], "an array that is a link is not there")
    os.symlink(os.path.join(outside, "y/.zarray"), os.path.join(folder, "x/.zattrs"))
    point(run("info", folder)[0] == 0, "attributes that are a link are not there")
    os.mkfifo(os.path.join(folder, "x/1"))
    code, found, err = values_of(folder)
    point(code != 0, "a chunk that is a pipe is waited for by nobody", f"{found} {err}")
    shutil.rmtree(outside)


def check_anndata(folder):
    """AnnData's attributes are in the folder's JSON; Binsparse's descriptors are objects there."""

    def build(f):
        root_2(f)
        put(f, "m/.zgroup", {"zarr_format": 2})
        put(f, "m/.zattrs", {"encoding-type": "csr_matrix", "encoding-version": "0.1.0", "shape": [2, 3]})
        array_2(f, "m/data", shape=(2,), chunk={"0": doubles(5, 6)})
        array_2(f, "m/indices", shape=(2,), dtype="<i4", chunk={"0": struct.pack("<2i", 2, 0)})
        array_2(f, "m/indptr", shape=(3,), dtype="<i4", chunks=(3,), chunk={"0": struct.pack("<3i", 0, 1, 2)})

    make(folder, build)
    code, out, err = run("cat", "--to", "matrixmarket", folder)
    code, out, err = run("convert", folder, folder + ".mtx", "--force")
    with open(folder + ".mtx", encoding="utf-8") as made:
        text = made.read()
    point(
        code == 0 and "2 3 2" in text and "1 3 5" in text and "2 1 6" in text,
        "a matrix of AnnData",
        text + err,
    )

    def sparse(f):
        put(
            f,
            "m/.zattrs",
            {
                "binsparse": {
                    "version": "0.1",
                    "format": "CSR",
                    "shape": [2, 3],
                    "number_of_stored_values": 2,
                    "data_types": {"pointers_to_1": "int32", "indices_1": "int32", "values": "float64"},
                }
            },
        )
        array_2(f, "m/values", shape=(2,), chunk={"0": doubles(5, 6)})
        array_2(f, "m/indices_1", shape=(2,), dtype="<i4", chunk={"0": struct.pack("<2i", 2, 0)})
        array_2(
            f,
            "m/pointers_to_1",
            shape=(3,),
            dtype="<i4",
            chunks=(3,),
            chunk={"0": struct.pack("<3i", 0, 1, 2)},
        )
        put(f, "m/.zgroup", {"zarr_format": 2})

    make(folder, sparse)
    code, out, err = run("convert", folder, folder + ".mtx", "--force")
    with open(folder + ".mtx", encoding="utf-8") as made:
        again = made.read()
    point(code == 0 and again == text, "a matrix of Binsparse", again + out + err)


def zip_folder(folder, packing):
    with zipfile.ZipFile(folder + ".zip", "w", packing) as archive:
        files = [os.path.join(path, it) for path, _, its in os.walk(folder) for it in its]
        for it in sorted(files, key=lambda it: (it.count("/"), it)):
            archive.write(it, os.path.relpath(it, folder))


def check_zip(folder):
    """The same folders, as ZIP files. Shards are read in parts, so they are not compressed again."""
    wrong = []
    for table, is_good in ((GOOD, True), (BAD, False)):
        for name, (build, wanted) in table.items():
            make(folder, build)
            zip_folder(
                folder, zipfile.ZIP_STORED if "shard" in name or len(name) % 2 == 0 else zipfile.ZIP_DEFLATED
            )
            code, found, err = values_of(folder + ".zip")
            found_all = err + run("info", folder + ".zip")[1]
            if code != 0 if is_good else wanted not in found_all:
                wrong.append(f"{name}: {code} {found} {found_all}")
            if is_good and found != wanted:
                wrong.append(f"{name}: {found}")
            if is_good and "shard" in name:
                zip_folder(folder, zipfile.ZIP_DEFLATED)
                code, found, err = values_of(folder + ".zip")
                if (
                    code != 6
                    or "x/c/0: expected a shard that the archive stores as it is (zip -0), found a packed one"
                    not in err
                ):
                    wrong.append(f"{name}, packed: {code} {found} {err}")
    point(not wrong, "folders as ZIP files", "\n".join(wrong))
    with zipfile.ZipFile(folder + ".zip", "w") as archive:
        archive.writestr(".zgroup", '{"zarr_format": 2}')
        for name in (
            "../out/.zgroup",
            "a//b/.zgroup",
            "/etc/.zgroup",
            "g/.zgroup",
            "g/x/.zgroup",
            "gg/.zgroup",
        ):
            archive.writestr(name, '{"zarr_format": 2}')
        archive.writestr(
            "g/y/.zarray",
            json.dumps(
                {
                    "zarr_format": 2,
                    "shape": [1],
                    "chunks": [1],
                    "dtype": "<f8",
                    "compressor": None,
                    "fill_value": 0,
                    "filters": None,
                    "order": "C",
                }
            ),
        )
    code, out, err = run("info", folder + ".zip")
    tree = [line.lstrip("* ").split()[0] for line in out.partition("--dataset):\n")[2].splitlines()]
    point(
        code == 0 and tree == ["/", "/g", "/g/x", "/g/y", "/gg"],
        "names in a ZIP file that lead elsewhere",
        f"{tree} {err}",
    )


def group_of(length):
    """The path of a group in others, that long."""
    return "/".join(["g" * 200] * 20 + ["h" * (length - 20 * 201)])


def check_members(path):
    """Archives that no folder could become."""
    array = {"zarr_format": 2, "shape": [1] * 5, "chunks": [1] * 5, "dtype": "<f8", "compressor": None}
    array = json.dumps(array | {"fill_value": 0, "filters": None, "order": "C"})
    for name, members, wanted in (
        ("a packed member", [("x/.zarray", zipfile.ZIP_LZMA)], "stored or deflated member, found method 14"),
        ("long names of chunks", [group_of(4086) + "/.zarray"], "paths of less than 4 KiB, found another"),
        ("long names of metadata", [group_of(4088) + "/.zarray"], "paths of less than 4 KiB, found another"),
        ("long names of groups", [group_of(4096) + "/.zarray"], "paths of less than 4 KiB, found another"),
        ("no metadata of the root", ["x/.zarray"], "a folder of Zarr, found none of its metadata"),
    ):
        with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as archive:
            warnings.simplefilter("ignore")
            if not name.startswith("no"):
                archive.writestr(".zgroup", '{"zarr_format": 2}')
            for member in members:
                member, method = member if isinstance(member, tuple) else (member, zipfile.ZIP_STORED)
                parts = member.split("/")
                for i in range(1, len(parts) - 1):
                    archive.writestr("/".join(parts[:i]) + "/.zgroup", '{"zarr_format": 2}')
                archive.writestr(member, array, method)
        code, out, err = run("cat", path)
        point(code > 0 and wanted in err, f"an archive: {name}", f"{code} {out[:100]} {err[-300:]}")


def check_folders(path):
    """Archives with entries of folders, at the beginning, too, and with members that occur twice: the last one
    counts, as in Python's zipfile, with a warning. NPZ has no such rule."""
    array = {"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<f8", "compressor": None}
    array = json.dumps(array | {"fill_value": 0, "filters": None, "order": "C"})
    twice = "expected each member once, found x/0 twice; of members of the same name the last one counts"
    for name, contents, folders, wanted in (
        ("folders", [doubles(1, 2)], ["x/", "y/", "y/z/"], ""),
        ("two chunks of one name", [doubles(7, 8), doubles(5, 6), doubles(1, 2)], ["x/"], twice),
    ):
        with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as archive:
            warnings.simplefilter("ignore")
            for member in folders:
                archive.writestr(zipfile.ZipInfo(member), "")
            archive.writestr(".zgroup", '{"zarr_format": 2}')
            archive.writestr("x/.zarray", array)
            for content in contents:
                archive.writestr("x/0", content)
        code, out, err = run("cat", path)
        told = err.count("warning: ") == bool(wanted) and wanted in err
        is_read = code == 0 and out.split() == ["0", "1", "1", "2"]
        point(is_read and told, f"an archive: {name}", f"{code} {out} {err}")


def check_mutants(folder):
    """Metadata and chunks with some bytes changed: reading ends, and reports what is wrong."""
    draw = random.Random(1)
    builds = [build for table in (GOOD, BAD) for build, _ in table.values()]
    wrong = []
    for n in range(MUTANTS):
        make(folder, draw.choice(builds))
        files = [os.path.join(path, name) for path, _, names in os.walk(folder) for name in names]
        victim = draw.choice(files)
        with open(victim, "rb") as f:
            content = bytearray(f.read())
        for _ in range(draw.randint(1, 4)):
            at = draw.randrange(len(content) + 1)
            if draw.random() < 0.3:
                content[at:at] = draw.choice(
                    [b"9", b"-", b"e9", b"[", b"]", b"{", b"null", b"1e400", b"999999999999", b'"', b"\0"]
                )
            elif at < len(content):
                content[at] = draw.choice([draw.randrange(256), ord(draw.choice('0123456789"[]{},:-'))])
        with open(victim, "wb") as f:
            f.write(content)
        code, _, err = run("cat", "--dataset", "x", "--max-memory", "200M", folder)
        if code < 0 or code > 10 or (code and "sheaf: error" not in err):
            wrong.append(f"{n}: exit {code}: {victim}: {err[-300:]}")
    point(not wrong, f"{MUTANTS} mutants", "\n".join(wrong))


def main():
    with tempfile.TemporaryDirectory(prefix="sheaf-zarr.") as folder:
        it = os.path.join(folder, "it.zarr")
        check_tree(it)
        check_links(it)
        check_odd_attributes(it)
        check_consolidated(it)
        check_anndata(it)
        check_zip(it)
        check_members(it + ".zip")
        check_folders(it + ".folders.zip")
        check_mutants(it)
    end()


main()
