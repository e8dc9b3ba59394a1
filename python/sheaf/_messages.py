# SPDX-License-Identifier: MIT
"""The structure of messages: patterns for their parts. Imported when an error occurs."""
from __future__ import annotations

import re

MESSAGE = re.compile(
    r"(?:(?P<place>.*?): )?expected (?P<expected>.*), found (?P<found>.*?)(?:; (?P<consequence>[^;]*))?",
    re.DOTALL)
SYSTEM = re.compile(
    r"(?:(?P<place>.*?): )?expected (?P<expected>.*?)(?P<found>); the system says: (?P<consequence>.*)",
    re.DOTALL)
LINE = re.compile(
    r"(?P<file>.*?):(?P<line>\d+)(?::(?P<column>\d+))?(?: \(byte (?P<byte>\d+)\))?(?:: (?P<deeper>.*))?",
    re.DOTALL)
FILE = re.compile(r"(?P<file>.*?)(?: \(byte (?P<byte>\d+)\))?(?:: (?P<deeper>(?:chunk|\w+) [\d\"].*))?",
                  re.DOTALL)
DEEPER = re.compile(r'(\w+) (?:"((?:[^"])*)"|(\d+))')
OPTION = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*)(?P<value> [\w.,/:]*\w)?")
