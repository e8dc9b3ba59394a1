#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether a table of CSV or TSV has a header: the command against the truth, for generated tables.

    SHEAF=build/sheaf tests/table_headers.py [--count N] [--seed N] [--show] [--duckdb]

The tables are such as R, pandas, spreadsheets, databases, statistical offices, instruments and people write,
half of them without a header. `--show` prints those that were taken wrong; `--duckdb` asks DuckDB's sniffer
as well, if Python has that.
"""

import argparse
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
ALL = os.environ.get("FAULTS") == "all"
# Of 1,000: headers taken for values, and values taken for a header.
MOST_LOST, MOST_INVENTED = 5, 10

FIRST = """Anna Ben Carla David Eva Felix Greta Hugo Ines Jonas Klara Leo Mia Noah Olga Paul Rosa Samir Tina
 Uwe Vera Walid Xenia Yusuf Zoe Aiko Bjorn Chloe Diego Emre Fatima Giulia""".split()
LAST = """Abel Brandt Costa Dubois Eriksson Fischer Garcia Haddad Ivanov Jansen Kowalski Lopez Moreau Novak
 Olsen Petrov Quist Rossi Schmidt Tanaka Ueda Vogel Weber Yilmaz Zeman O'Neill Müller Peña""".split()
CITIES = """Aachen Bergen Cork Dakar Essen Fez Graz Haifa Izmir Jena Kyoto Lima Minsk Nantes Oslo Porto Quito
 Riga Sofia Turin Ulm Varna Warsaw Xiamen York Zagreb|New Delhi|San José|Los Angeles|Kuala Lumpur"""
CITIES = [
    c for part in CITIES.split("|") for c in (part.split() if " A" in part or "Bergen" in part else [part])
]
COUNTRIES = """Albania Brazil Chad Denmark Egypt Finland Greece Haiti India Japan Kenya Laos Mexico Nepal Oman
 Peru Qatar Russia Spain Togo Uganda Vietnam Yemen Zambia""".split() + [
    "Costa Rica",
    "South Korea",
    "Korea, Rep.",
]
WORDS = """river stone cloud amber quick silent market forest paper winter copper garden bright narrow velvet
 morning candle harbor meadow engine ladder pocket signal thunder window
 orange yellow button mirror""".split()
SPECIES = ["setosa", "versicolor", "virginica"], ["Adelie", "Gentoo", "Chinstrap"], ["oak", "pine", "fir"]
LEVELS = (
    ["low", "medium", "high"], ["A", "B", "C"], ["M", "F"], ["male", "female"], ["yes", "no"], ["Yes", "No"],
    ["open", "closed", "pending"], ["North", "South", "East", "West"], ["control", "treated"],
    ["red", "green", "blue"], ["Agree", "Disagree", "Neutral"], ["PASS", "FAIL"], ["EUR", "USD", "GBP"],
)  # fmt: skip


def pad(n, digits=2):
    return str(n).zfill(digits)


def day(r, first=1990, last=2024):
    return r.randint(first, last), r.randint(1, 12), r.randint(1, 28)


# ---- columns: what makes values, after r, and names that they have ----


def series(start, step, spell=str):
    """Values that follow each other."""
    return lambda r, i: spell(start + i * step)


def numbers(make, digits):
    return lambda r, i: f"{make(r):.{digits}f}"


def column_ids(r):
    start = r.choice([1, 1, 1, 0, 100, 1001, 20230001])
    return series(start, 1), [
        "id",
        "ID",
        "Id",
        "no",
        "No.",
        "nr",
        "#",
        "key",
        "index",
        "record_id",
        "Obs",
        "n",
    ]


def column_keys(r):
    low = r.choice([100, 10000, 1000000])
    return lambda r, i: str(r.randint(low, low * 10)), [
        "user_id",
        "customer",
        "account",
        "CustomerID",
        "item",
    ]


def column_codes(r):
    letters = "".join(r.choices("ABCDEFGHKLMNPRSTUX", k=r.randint(1, 3)))
    dash = r.choice(["", "-", "_"])
    digits = r.randint(2, 5)
    make = lambda r, i: letters + dash + pad(r.randint(1, 10**digits - 1), digits)
    return make, ["code", "sku", "sample", "Sample ID", "part_no", "ref", "batch", "PROBE_ID"]


def column_zips(r):
    return lambda r, i: pad(r.randint(501, 99950), 5), ["zip", "postal_code", "PLZ", "ZIP Code", "fips"]


def column_first(r):
    return lambda r, i: r.choice(FIRST), [
        "name",
        "first_name",
        "Vorname",
        "givenName",
        "First Name",
        "prénom",
    ]


def column_last(r):
    return lambda r, i: r.choice(LAST), ["surname", "last_name", "Name", "familyName", "Last Name", "nom"]


def column_people(r):
    shape = r.choice(["{} {}", "{1}, {0}", "{} {}"])
    return lambda r, i: shape.format(r.choice(FIRST), r.choice(LAST)), [
        "name",
        "author",
        "Patient",
        "full_name",
    ]


def column_cities(r):
    return lambda r, i: r.choice(CITIES), ["city", "City", "town", "Ort", "place", "Station", "location"]


def column_countries(r):
    return lambda r, i: r.choice(COUNTRIES), ["country", "Country", "Land", "country_name", "Area", "nation"]


def column_iso(r):
    codes = [c[:2].upper() for c in COUNTRIES]
    return lambda r, i: r.choice(codes), ["iso", "cc", "country_code", "geo", "Country Code"]


def column_levels(r):
    levels = r.choice(LEVELS)
    return lambda r, i: r.choice(levels), [
        "group",
        "status",
        "sex",
        "region",
        "treatment",
        "Result",
        "level",
        "grp",
    ]


def column_species(r):
    levels = r.choice(SPECIES)
    return lambda r, i: r.choice(levels), ["species", "Species", "class", "label", "type"]


def column_words(r):
    return lambda r, i: r.choice(WORDS), ["word", "term", "keyword", "tag", "item", "lemma"]


def column_sentences(r):
    def make(r, i):
        words = r.choices(WORDS, k=r.randint(4, 14))
        return (" ".join(words).capitalize() + r.choice([".", ".", "!", ""])).replace(
            " ", r.choice([" ", " "])
        )

    return make, ["text", "comment", "description", "Notes", "message", "review", "title"]


def column_emails(r):
    make = lambda r, i: f"{r.choice(FIRST)}.{r.choice(LAST)}@{r.choice(WORDS)}.org".lower()
    return make, ["email", "e-mail", "Email Address", "contact", "mail"]


def column_urls(r):
    make = lambda r, i: f"https://{r.choice(WORDS)}.example/{r.choice(WORDS)}/{r.randint(1, 999)}"
    return make, ["url", "link", "URL", "website", "source"]


def column_hashes(r):
    digits = r.choice([8, 16, 32, 40])
    make = lambda r, i: "".join(r.choices("0123456789abcdef", k=digits))
    return make, ["hash", "md5", "uuid", "token", "commit"]


def column_addresses(r):
    make = lambda r, i: ".".join(str(r.randint(0, 255)) for _ in range(4))
    return make, ["ip", "host", "client_ip", "remote_addr"]


def column_truths(r):
    words = r.choice(
        [("true", "false"), ("TRUE", "FALSE"), ("True", "False"), ("0", "1"), ("t", "f"), ("T", "F")]
    )
    return lambda r, i: r.choice(words), ["active", "is_valid", "flag", "smoker", "deleted", "hasChildren"]


def column_dates(r):
    form = r.choice(
        ["{0}-{1:02}-{2:02}"] * 4 + ["{2}.{1}.{0}", "{1}/{2}/{0}", "{2:02}/{1:02}/{0}", "{0}{1:02}{2:02}"]
    )
    return lambda r, i: form.format(*day(r)), [
        "date",
        "Date",
        "Datum",
        "birthday",
        "order_date",
        "when",
        "day",
    ]


def column_times(r):
    form = r.choice(
        ["{0}-{1:02}-{2:02} {3:02}:{4:02}:{5:02}"] * 2 + ["{0}-{1:02}-{2:02}T{3:02}:{4:02}:{5:02}Z"]
    )
    clock = lambda r: (r.randint(0, 23), r.randint(0, 59), r.randint(0, 59))
    return lambda r, i: form.format(*day(r), *clock(r)), [
        "time",
        "timestamp",
        "created_at",
        "DateTime",
        "ts",
    ]


def column_clocks(r):
    return lambda r, i: f"{r.randint(0, 23):02}:{r.randint(0, 59):02}", [
        "time",
        "start",
        "departure",
        "Zeit",
    ]


def column_years(r):
    if r.random() < 0.5:
        return series(r.randint(1900, 1990), 1), ["year", "Year", "yr", "Jahr", "TIME_PERIOD"]
    return lambda r, i: str(r.randint(1950, 2023)), ["year", "Year", "vintage", "model_year", "season"]


def column_ages(r):
    return lambda r, i: str(r.randint(1, 95)), ["age", "Age", "alter", "AGE", "age_years"]


def column_counts(r):
    scale = r.choice([1, 2, 4, 6])
    make = lambda r, i: str(int(r.lognormvariate(scale, 1)))
    return make, ["count", "n", "Pop", "population", "cases", "qty", "Total", "hits", "na", "Na", "2nd dose"]


def column_smalls(r):
    most = r.choice([1, 3, 5, 10])
    return lambda r, i: str(r.randint(0, most)), [
        "rating",
        "stars",
        "q1",
        "Q2",
        "x1",
        "rooms",
        "gear",
        "carb",
        "1st",
    ]


def column_reals(r):
    mean, spread, digits = r.choice([0, 1, 20, 1000]), r.choice([0.1, 1, 50]), r.randint(1, 6)
    names = [
        "x",
        "y",
        "value",
        "Sepal.Length",
        "weight",
        "score",
        "Temp (°C)",
        "pH",
        "voltage_mV",
        "lat",
        "inf",
    ]
    return numbers(lambda r: r.gauss(mean, spread), digits), [
        *names,
        "mpg",
        "None",
        "1 unit",
        "% change",
        "Na",
    ]


def column_shares(r):
    return numbers(lambda r: r.random(), r.randint(2, 8)), [
        "p",
        "prob",
        "share",
        "p.value",
        "rate",
        "5%",
        "NaN",
    ]


def column_percents(r):
    return lambda r, i: f"{r.uniform(0, 100):.1f}%", ["percent", "Share", "growth", "% of total"]


def column_money(r):
    sign = r.choice(["$", "", "€"])
    return lambda r, i: f"{sign}{r.lognormvariate(7, 2):,.2f}", [
        "price",
        "amount",
        "Cost",
        "salary",
        "Revenue (USD)",
    ]


def column_powers(r):
    return lambda r, i: f"{r.lognormvariate(-5, 4):.3e}", ["flux", "intensity", "conc", "I (A)", "eps"]


NUMERIC = [
    column_ages,
    column_counts,
    column_smalls,
    column_reals,
    column_reals,
    column_shares,
    column_years,
]
TEXTS = [
    column_first,
    column_last,
    column_people,
    column_cities,
    column_countries,
    column_levels,
    column_species,
]
ANY = [
    *NUMERIC, *TEXTS, column_ids, column_keys, column_codes, column_zips, column_iso, column_words,
    column_sentences,
    column_emails, column_urls, column_hashes, column_addresses, column_truths, column_dates, column_times,
    column_clocks, column_percents, column_money, column_powers,
]  # fmt: skip


class Table:
    """Names and rows, and how they are written."""

    def __init__(self, names, rows, **how):
        self.names, self.rows = names, rows
        self.quotes = "needed"  # or all, texts, none
        self.comma, self.feed, self.mark, self.suffix = ",", "\n", "", ".csv"
        self.unnamed = False  # the first column has no name, and no field above it
        self.__dict__.update(how)

    def field(self, text, name=False):
        special = self.comma in text or '"' in text or "\n" in text
        if text is None:
            return ""
        bare = text.replace(".", "", 1).lstrip("-").isdigit() or text in ("NA", "NULL", "TRUE", "FALSE", "")
        texts = self.quotes == "texts" and (name or not bare)
        quoted = self.quotes == "all" or texts or (special and self.quotes != "none")
        return '"' + text.replace('"', '""') + '"' if quoted else text

    def text(self, header):
        lines = [self.comma.join(self.field(f) for f in row) for row in self.rows]
        if header:
            names = self.names[1:] if self.unnamed else self.names
            lines.insert(0, self.comma.join(self.field(f, True) for f in names))
        return self.mark + self.feed.join(lines) + self.feed


def distinct(r, names):
    """Nobody gives two columns one name, or hardly anybody."""
    seen = Counter()
    out = []
    for name in names:
        seen[name] += 1
        again = seen[name] > 1 and r.random() < 0.98
        out.append(f"{name}{r.choice(['_', '.', ' '])}{seen[name]}" if again else name)
    return out


def fill(r, makers, count):
    """Names and rows of columns."""
    columns = [make(r) for make in makers]
    style = r.choice([str, str, str, str, str.upper, str.title, str.lower])
    names = distinct(r, [style(r.choice(names)) for _, names in columns])
    return names, [[make(r, i) for make, _ in columns] for i in range(count)]


def count_of(r):
    return r.choice([1, 2, 3, 5, 10, 10, 20, 50, 50, 100, 100, 300, 1000])


def miss(r, rows, word, first=1):
    """Some columns have missing values."""
    for c in range(first, len(rows[0])):
        share = r.choice([0, 0, 0, 0.02, 0.2])
        for row in rows:
            if r.random() < share:
                row[c] = word


# ---- tables, by who writes them ----


def table_r(r):
    """write.csv and write.table: texts in quotes, names of rows before all others."""
    names, rows = fill(
        r,
        r.choices(NUMERIC + NUMERIC + TEXTS + [column_dates, column_truths], k=r.randint(2, 12)),
        count_of(r),
    )
    miss(r, rows, "NA")
    how = {"quotes": r.choice(["texts", "texts", "texts", "needed"])}
    kind = r.choice(["csv", "csv", "plain", "table"])
    if kind != "plain":
        keys = r.choice([series(1, 1), lambda r, i: f"{r.choice(LAST)} {i}", lambda r, i: f"S{i:03}"])
        names, rows = ["", *names], [[keys(r, i), *row] for i, row in enumerate(rows)]
        if how["quotes"] == "texts":
            rows = [[Quoted(row[0]), *row[1:]] for row in rows]
        how["unnamed"] = kind == "table" and len(rows) > 1
    if kind == "table":
        how.update(r.choice([{"comma": "\t", "suffix": ".tsv"}, {}]))
    return Table(names, rows, **how)


class Quoted(str):
    """A text that R writes in quotes, although it is a number."""


def table_pandas(r):
    """to_csv, often with its index and with numbers for names."""
    count = count_of(r)
    kind = r.choice(["named", "named", "index", "counted", "both"])
    names, rows = fill(r, r.choices(ANY, k=r.randint(2, 10)), count)
    if kind in ("counted", "both"):
        names, rows = fill(
            r, [r.choice([column_reals, column_shares, column_counts])] * r.randint(3, 12), count
        )
        names = [str(i) for i in range(len(names))]
    miss(r, rows, "")
    if kind in ("index", "both"):
        names, rows = ["", *names], [[str(i), *row] for i, row in enumerate(rows)]
    return Table(names, rows)


def table_sheet(r):
    """A spreadsheet's export: marks, semicolons, empty columns at the end."""
    names, rows = fill(r, r.choices(ANY, k=r.randint(2, 15)), count_of(r))
    miss(r, rows, "")
    names = [
        n if r.random() < 0.9 else n + r.choice([" (%)", "\n(total)", " 2019", ", net", " [kg]"])
        for n in names
    ]
    if r.random() < 0.1:
        names, rows = [*names, ""], [[*row, ""] for row in rows]
    how = r.choice([{}, {}, {"comma": ";"}, {"comma": "\t", "suffix": ".tsv"}])
    return Table(names, rows, feed="\r\n", mark=r.choice(["", "\ufeff"]), **how)


def table_sql(r):
    """A dump of a database."""
    makers = [column_ids, *r.choices(ANY, k=r.randint(1, 9))]
    names, rows = fill(r, makers, count_of(r))
    names = [n.lower().replace(" ", "_") for n in names]
    miss(r, rows, r.choice(["\\N", "NULL", ""]))
    how = r.choice(
        [{}, {"quotes": "all"}, {"quotes": "texts"}, {"comma": "\t", "suffix": ".tsv", "quotes": "none"}]
    )
    return Table(names, rows, **how)


def table_statistics(r):
    """Countries, and a column for each year, quarter, month or age."""
    count = r.choice([1, 3, 10, 30, 60])
    n = r.randint(3, 20)
    step = r.choice([1, 1, 5, 10])
    start = r.randint(1750, 2000)
    years = [start + i * step for i in range(n)]
    kind = r.choice(["years", "uneven", "uneven", "quarters", "ages", "months", "seasons", "long"])
    if kind == "uneven":
        years = sorted(r.sample(range(start, start + 5 * n), n))
    names = [str(y) for y in years]
    if kind == "quarters":
        names = [f"{2000 + i // 4}{r.choice(['Q', '-Q'])}{i % 4 + 1}" for i in range(n)]
    if kind == "ages":
        names = [f"{5 * i}-{5 * i + 4}" for i in range(n - 1)] + [f"{5 * n}+"]
    if kind == "months":
        names = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
    if kind == "seasons":
        names = [f"{y}-{(y + 1) % 100:02}" for y in years]
    value = r.choice([column_counts, column_reals, column_shares, column_percents, column_counts])(r)[0]
    keys = r.choice(
        [[column_countries], [column_countries, column_iso], [column_codes, column_cities], [column_iso]]
    )
    if kind == "long":
        keys, names = [column_countries, column_years, column_levels], ["Value", "Flag"][: r.randint(1, 2)]
    before, rows = fill(r, keys, count)
    for row in rows:
        row += [value(r, 0) for _ in names]
        if names[-1] == "Flag":
            row[-1] = r.choice(["", "", "e", "p"])
    miss(r, rows, r.choice(["", "..", ":", "-", "NA"]), len(before))
    return Table(before + names, rows, quotes=r.choice(["needed", "needed", "all", "texts"]))


def table_instrument(r):
    """Times and channels, or wavelengths above spectra."""
    count = r.choice([3, 20, 100, 1000])
    n = r.randint(1, 8)
    clock = r.choice([column_times, column_clocks, None, None])
    step = r.choice([0.01, 0.5, 1, 10])
    names, rows = fill(r, [clock] if clock else [], count)
    if not clock:
        names, rows = [r.choice(["Time (s)", "t", "Time", "Seconds", "X"])], [
            [f"{i * step:.6g}"] for i in range(count)
        ]
    value = r.choice([column_reals, column_powers, column_shares, column_smalls])(r)[0]
    rows = [row + [value(r, i) for _ in range(n)] for i, row in enumerate(rows)]
    unit = r.choice([" (V)", "", " [mA]", "_C"])
    names += [f"{r.choice(['CH', 'ch', 'Sensor ', 'T', 'Probe'])}{i + 1}{unit}" for i in range(n)]
    if r.random() < 0.25:
        n = r.randint(5, 40)
        start, step = r.choice([(350, 1), (400, 2.5), (1000, -4), (850.5, 0.5)])
        names = ["sample", *[f"{start + i * step:g}" for i in range(n)]]
        level = numbers(lambda r: r.random(), 4)
        rows = [[f"S{i}", *[level(r, 0) for _ in range(n)]] for i in range(count)]
    return Table(names, rows, feed=r.choice(["\n", "\r\n"]))


def table_learning(r):
    """Matrices of numbers with a class, before or after."""
    count = r.choice([5, 20, 100])
    n = r.randint(3, 30)
    value = r.choice([column_smalls, column_reals, column_shares])(r)[0]
    classes = r.choice([["0", "1"], [str(i) for i in range(10)], *SPECIES])
    rows = [[value(r, 0) for _ in range(n)] + [r.choice(classes)] for _ in range(count)]
    names = [r.choice(["x{}", "pixel{}", "feature_{}", "V{}", "f{}"]).format(i) for i in range(n)] + [
        "label"
    ]
    if r.random() < 0.2:
        names = [*[f"{r.choice('ABCD')}-{r.randint(1, 200)}.{i}.1" for i in range(n)], "y"]
    if r.random() < 0.1:
        names = [f"-{100 + i}.{r.randint(1, 9)}.1" for i in range(n)] + ["y"]
    return Table(names, rows)


def table_texts(r):
    """Texts alone."""
    makers = [
        column_first,
        column_last,
        column_cities,
        column_countries,
        column_levels,
        column_species,
        column_words,
    ]
    makers += [column_sentences, column_emails, column_urls, column_codes, column_iso, column_people]
    names, rows = fill(r, r.sample(makers, r.randint(2, 5)), r.choice([10, 30, 100, 300]))
    return Table(names, rows, quotes=r.choice(["needed", "all"]))


def table_one(r):
    """One column."""
    make = r.choice(
        [column_reals, column_ages, column_dates, column_codes, column_emails, column_zips, column_levels]
    )
    names, rows = fill(r, [make], r.choice([5, 20, 100]))
    return Table(names, rows, quotes=r.choice(["needed", "texts"]))


MAKERS = [
    table_r, table_r, table_pandas, table_pandas, table_sheet, table_sheet, table_sql, table_statistics,
    table_statistics, table_instrument, table_learning, table_texts, table_one,
]  # fmt: skip


def make_table(number, seed):
    """The table of a number, whether it has a header, and who would write it."""
    r = random.Random(f"{seed} {number}")
    make = MAKERS[number // 2 % len(MAKERS)]
    table = make(r)
    header = number % 2 == 0
    return table.text(header), table.suffix, header, make.__name__[6:]


# ---- who reads them ----


def ask_sheaf(folder, names):
    """For each file whether the first line has names, and how sure that is."""
    out = {}
    for begin in range(0, len(names), 100):
        words = [SHEAF, "info", "--json", "--index", "never", *names[begin : begin + 100]]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
        for line in map(json.loads, done.stdout.splitlines()):
            out[line["file"]] = line["header"]
    return [out.get(name) for name in names]


def same_otherwise(folder, names):
    """The files of which a pipe, or several threads, make something else."""
    out = []
    for name in names:
        how = [SHEAF, "info", "--json", "--from", Path(name).suffix[1:], "--index", "never"]
        told = []
        for more in ([name], ["--threads", "4", name], ["-"]):
            data = (folder / name).read_bytes() if more == ["-"] else None
            done = subprocess.run(
                how + more, cwd=folder, capture_output=True, input=data, timeout=60, check=False
            )
            told.append(json.loads(done.stdout)["header"] if done.stdout else done.stderr)
        out += [] if told[0] == told[1] == told[2] else [name]
    return out


def ask_duckdb(folder, names):
    import duckdb

    out = []
    for name in names:
        try:
            found = duckdb.execute("select HasHeader from sniff_csv(?)", [str(folder / name)]).fetchone()
            out.append(found[0])
        except duckdb.Error:
            out.append(None)
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=4000 if ALL else 520)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--duckdb", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as memory:
        folder = Path(memory)
        tables = [make_table(i, arguments.seed) for i in range(arguments.count)]
        names = [f"{i}{suffix}" for i, (_, suffix, _, _) in enumerate(tables)]
        for name, (text, *_) in zip(names, tables):
            (folder / name).write_text(text, encoding="utf-8", newline="")
        found = ask_sheaf(folder, names)
        differ = same_otherwise(folder, names[:26])
        others = ask_duckdb(folder, names) if arguments.duckdb else None
    unread = [name for name, f in zip(names, found) if not f]
    tap.point(not unread, "every table is read", unread)
    found = [f or {"names": None, "confidence": 0, "reason": ""} for f in found]
    tap.point(not differ, "a pipe and several threads change nothing", differ)
    wrong = [i for i, (table, f) in enumerate(zip(tables, found)) if table[2] != f["names"]]
    unsure = sum(f["confidence"] < 0.9 for f in found)
    with_header = sum(header for _, _, header, _ in tables)
    lost = sum(tables[i][2] for i in wrong)
    invented = len(wrong) - lost
    limits = with_header * MOST_LOST / 1000, (len(tables) - with_header) * MOST_INVENTED / 1000
    why = f"{lost} headers taken for values, {invented} values taken for a header, of {len(tables)}"
    print(f"# {why}; {unsure} unsure")
    for i in wrong if arguments.show else []:
        sure = found[i]
        print(f"# {names[i]} ({tables[i][3]}): {sure['reason']}, {sure['confidence']}")
        print("".join(f"#     {line[:150]}\n" for line in tables[i][0].splitlines()[:4]), end="")
    tap.point(lost <= limits[0], "headers are found", why)
    tap.point(invented <= limits[1], "values are found", why)
    tap.point(
        sum(found[i]["confidence"] < 0.9 for i in wrong) * 2 >= len(wrong),
        "half of what is wrong is said to be unsure",
    )
    if others:
        told = Counter((table[2], other) for table, other in zip(tables, others))
        print(f"# DuckDB: {dict(told)}")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
