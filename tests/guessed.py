#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables in the encodings that people's files have, and bytes that are none: CP1252 is guessed on strong
evidence alone, with a warning, and is then right; everything else is an error with its place and advice.

    SHEAF=build/sheaf tests/guessed.py [COUNT]
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import tap

SHEAF = os.environ.get("SHEAF", "sheaf")
PLAIN = "Anna Ben Carla David London Paris Berlin Rome Oslo Smith Jones Weber".split()
WEST = """Müller Jürgen François Nîmes Köln Peña José Åse Øystein Björk Zoë Renée Muñoz Gärtner Straße São
 Málaga Besançon Sørensen""".split()
SIGNS = ["“quoted”", "don’t", "5 €", "a – ok", "so…"]
CZECH = "Dvořák Novák Černý Žižka Příbram Łódź Gdańsk Šťastný Brno Wałęsa Kraków".split()
TURKISH = "İstanbul Şahin Yıldız Çağlar".split()
RUSSIAN = "Иванов Петров Москва Казань Сидорова Анна".split()
# Words, notes, the encoding, how many of the words are not ASCII; GUESSED: it may be guessed.
GUESSED = {
    "Windows": (WEST, SIGNS, "cp1252", 0.5),
    "Latin-1": (WEST, ["ok"], "latin-1", 0.5),
    "few": (WEST, ["ok"], "latin-1", 0.05),
    "a spreadsheet": (WEST, ["“smart”", "it’s", "a – dash"], "cp1252", 0.5),
}
REFUSED = {
    "degrees": (PLAIN, ["5 °C", "±2", "µm"], "latin-1", 0),
    "Mac Roman": (WEST, ["ok"], "mac_roman", 0.5),
    "CP850": (WEST, ["ok"], "cp850", 0.5),
    "CP1250": (CZECH, ["ok"], "cp1250", 0.5),
    "Latin-2": (CZECH, ["ok"], "iso8859-2", 0.5),
    "CP1254": (TURKISH, ["ok"], "cp1254", 0.5),
    "CP1251": (RUSSIAN, ["ok"], "cp1251", 0.5),
    "KOI8-R": (RUSSIAN, ["ok"], "koi8_r", 0.5),
    "CP1253": ("Αθήνα Παπαδόπουλος Γιώργος".split(), ["ok"], "cp1253", 0.5),
    "Shift-JIS": ("東京 大阪 田中 佐藤 カタカナ ﾃｽﾄ".split(), ["ok"], "shift_jis", 0.5),
    "GBK": ("北京 上海 张伟 王芳 深圳".split(), ["ok"], "gbk", 0.5),
    "Big5": ("北京 上海 台灣".split(), ["ok"], "big5", 0.5),
    "EUC-KR": ("서울 김철수 부산".split(), ["ok"], "euc_kr", 0.5),
    "some lines in UTF-8": (WEST, ["ok"], "mixed", 0.9),
    "junk": None,
}


def lines_of(r, words, notes, share):
    yield "id,name,city,note"
    for i in range(r.choice([5, 10, 40, 200])):
        name, more, city = (r.choice(words if r.random() < share else PLAIN) for _ in range(3))
        yield f"{i},{name} {more},{city},{r.choice(notes)}"


def make(r, what):
    if what is None:
        cell = lambda: bytes(r.choice([*range(128, 256), *[97] * 20]) for _ in range(8))
        return b"id,name\n" + b"".join(b"%d,%b\n" % (i, cell()) for i in range(20))
    words, notes, encoding, share = what
    lines = list(lines_of(r, words, notes, share))
    if encoding == "mixed":
        return b"".join(f"{line}\n".encode(("utf-8", "latin-1")[i % 2]) for i, line in enumerate(lines))
    return "".join(f"{line}\n" for line in lines).encode(encoding, "replace")


def read(path, data):
    """What the command makes of it: error, guessed, ascii, or what is wrong."""
    path.write_bytes(data)
    done = subprocess.run([SHEAF, "cat", "--json", path], capture_output=True, timeout=60, check=False)
    said = done.stderr.decode()
    if done.returncode:
        return "error" if "(byte " in said and "--encoding" in said else f"no advice: {said}"
    if "encoding guessed" not in said:
        return "ascii" if data.isascii() else "silent"
    text = data.decode("cp1252", "replace")
    cells = [c for line in done.stdout.splitlines() for c in json.loads(line)["cells"].values()]
    return "guessed" if all(c in text for c in cells if isinstance(c, str)) else "another text"


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 16
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "t.csv"
        for kind, what in {**GUESSED, **REFUSED}.items():
            found = Counter(read(path, make(random.Random(f"{kind} {i}"), what)) for i in range(count))
            fits = set(found) <= {"error", "ascii", *(["guessed"] if kind in GUESSED else [])}
            mostly = kind not in GUESSED or kind == "few" or found["guessed"] * 4 >= count * 3
            tap.point(fits and mostly, f"{count} tables: {kind}", str(dict(found)))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
