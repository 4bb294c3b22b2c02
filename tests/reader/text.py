"""How values print in JSON. man/mbt-format.5: METADATA, TEXT FORMS."""

import json
import struct

from sections import NotRead

MONTHS = "January February March April May June July August September October November December"
DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday"
FORMS = {  # exponent below, from; sign; digits of the exponent; point in whole numbers
    "": (-5, 16, "+", 1, ".0"),
    "javascript": (-6, 21, "+", 1, ""),
    "python": (-4, 16, "+", 2, ".0"),
    "rust": (-4, 16, "", 1, ".0"),
    "ryu": (-5, 16, "", 1, ".0"),
    "go": (-4, 21, "+", 2, ""),
    "plain": (-9999, 9999, "", 1, ""),
}


def shortest_single(value):
    for digits in range(1, 18):
        text = f"{value:.{digits}g}"
        if struct.pack("<f", float(text)) == struct.pack("<f", value):
            return text
    return repr(value)


def float_text(value, form, code):
    if value != value or value in (float("inf"), -float("inf")):
        return '"NaN"' if value != value else '"Infinity"' if value > 0 else '"-Infinity"'
    below, from_, plus, exponent_digits, point = FORMS[form]
    spelled = repr(value) if code == "<d" else shortest_single(value)
    sign = "-" if spelled[0] == "-" else ""
    number, _, exponent = spelled.lstrip("-").partition("e")
    whole, _, fraction = number.partition(".")
    digits = (whole + fraction).lstrip("0")
    leading = len(whole + fraction) - len(digits)
    power = len(whole) - 1 - leading + int(exponent or 0)
    digits = digits.rstrip("0")
    if not digits:
        return f"{sign}0{point}"
    if power < below or power >= from_:
        mantissa = digits[0] + ("." + digits[1:] if digits[1:] else "")
        mark = "-" if power < 0 else plus
        return f"{sign}{mantissa}e{mark}{abs(power):0{exponent_digits}d}"
    if power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{digits}"
    if len(digits) > power + 1:
        return f"{sign}{digits[: power + 1]}.{digits[power + 1 :]}"
    return f"{sign}{digits.ljust(power + 1, '0')}{point}"


def civil(days):
    """Year, month and day (Howard Hinnant, chrono-Compatible Low-Level Date Algorithms)."""
    days += 719468
    era, day = divmod(days, 146097)
    year = (day - day // 1460 + day // 36524 - day // 146096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    day -= (153 * month + 2) // 5 - 1
    month += 3 if month < 10 else -9
    return year + 400 * era + (month <= 2), month, day


def time_text(pattern, days, nanos, offset):
    year, month, day = civil(days)
    seconds, nanos = divmod(nanos, 10**9)
    hour, minute, second = seconds // 3600, seconds // 60 % 60, seconds % 60
    sign, minutes = "-" if offset < 0 else "+", abs(offset) // 60
    zone = f"{sign}{minutes // 60:02}", f"{minutes % 60:02}"
    three = 3 if nanos % 10**6 == 0 else 6 if nanos % 1000 == 0 else 9
    month_name, day_name = MONTHS.split()[month - 1], DAYS.split()[(days + 4) % 7]
    fields = {
        "Y": f"{year:04}" if 0 <= year <= 9999 else f"{year:+07}",
        "b": month_name[:3],
        "B": month_name,
        "a": day_name[:3],
        "A": day_name,
        "p": "AM" if hour < 12 else "PM",
        "z": "".join(zone),
        ":z": ":".join(zone),
        "#z": zone[0],
        ".f": "." + f"{nanos:09}"[:three] if nanos else "",
        "%": "%",
    }
    numbers = {"m": month, "d": day, "H": hour, "I": (hour + 11) % 12 + 1}
    for letter, value in {**numbers, "M": minute, "S": second}.items():
        fields[letter], fields["-" + letter] = f"{value:02}", str(value)
    for digits in range(1, 10):
        fields[f"{digits}f"] = f"{nanos:09}"[:digits]
        fields[f".{digits}f"] = "." + f"{nanos:09}"[:digits]
    out, at = "", 0
    while at < len(pattern):
        if pattern[at] != "%":
            out, at = out + pattern[at], at + 1
            continue
        size = next(size for size in (3, 2, 1) if pattern[at + 1 : at + 1 + size] in fields)
        out, at = out + fields[pattern[at + 1 : at + 1 + size]], at + 1 + size
    return out


def default_pattern(column):
    fraction = "" if column.unit == 0 else "%.f"
    if column.type in (18, 19):
        return "%H:%M:%S" + fraction
    if column.type == 21:
        return "%Y-%m-%dT%H:%M:%S%.fZ"
    return "%Y-%m-%dT%H:%M:%S" + fraction


def offset_of(zone):
    if not zone or zone[0] not in "+-":
        return 0
    seconds = int(zone[1:3]) * 3600 + int(zone[-2:] if len(zone) > 3 else 0) * 60
    return -seconds if zone[0] == "-" else seconds


def digits_text(mantissa, scale):
    if scale <= 0:
        return str(mantissa) + "0" * (-scale if mantissa else 0)
    digits = str(abs(mantissa)).rjust(scale + 1, "0")
    return f"{'-' if mantissa < 0 else ''}{digits[:-scale]}.{digits[-scale:]}"


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def value_text(column, value):
    """The JSON of a value of a column."""
    kind, form = column.type, column.metadata.get("mbt.form")
    if column.type == 53:
        column, kind = column.children[0], column.children[0].type
    if value is None:
        return "null"
    if kind == 1:
        return "true" if value else "false"
    if 2 <= kind <= 9:
        if not form:
            return str(value)
        width = int(form[2:-1])
        return quoted(f"{value:0{width}d}")
    if kind in (10, 11, 12):
        return float_text(value, form or "", "<d" if kind == 12 else "<f")
    if kind in (13, 14, 15):
        return digits_text(value, column.scale)
    if kind in (16, 17):
        days, millis = (value, 0) if kind == 16 else divmod(value, 86_400_000)
        plain = "%Y-%m-%d" if kind == 16 or column.whole_days else "%Y-%m-%dT%H:%M:%S%.f"
        return quoted(time_text(form or plain, days, millis * 10**6, 0))
    if 18 <= kind <= 21:
        per_second = 1000**column.unit
        pattern = form or default_pattern(column)
        offset = offset_of(column.zone) if "z" in pattern else 0
        days, rest = divmod(value + offset * per_second, 86_400 * per_second)
        return quoted(time_text(pattern, days, rest * 10**9 // per_second, offset))
    if kind == 22:
        whole, rest = divmod(abs(value), 1000**column.unit)
        nanos = rest * 10**9 // 1000**column.unit
        fraction = f".{nanos:09}".rstrip("0") if nanos else ""
        return quoted(f"{'-' if value < 0 else ''}PT{whole}{fraction}S")
    if kind in (32, 33, 34):
        return value if column.metadata.get("ARROW:extension:name") == "arrow.json" else quoted(value)
    if kind == 38 and column.size == 16:
        text = value.hex()
        text = "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
        return quoted(text.upper() if form == "upper" else text)
    if kind in (35, 36, 37, 38):
        return quoted(value.hex())
    if kind == 48 and column.metadata.get("mbt.variant") == "true":
        kinds = zip(column.children, value)
        return next((value_text(child, v) for child, v in kinds if v is not None), "null")
    if kind == 48:
        return object_text(column.children, value)
    if kind in (49, 50, 51):
        return "[" + ",".join(value_text(column.children[0], item) for item in value) + "]"
    if kind == 52:
        key, item = column.children[0].children
        texts = ((value_text(key, k), value_text(item, v)) for k, v in value)
        return "{" + ",".join(f"{k if k[0] == chr(34) else quoted(k)}:{v}" for k, v in texts) + "}"
    raise NotRead(f"type {kind} has no text here")


def is_hidden(column):
    return column.metadata.get("mbt.role") in ("absent", "patch")


def object_text(columns, values, is_row=False):
    """The JSON of a row: columns that show, members that are there."""
    members, shown = [], 0
    for at, (column, value) in enumerate(zip(columns, values)):
        if is_hidden(column):
            continue
        shown += 1
        if value is None:
            hidden = at + 1 < len(columns) and is_hidden(columns[at + 1])
            if values[at + 1] if hidden else column.metadata.get("mbt.gap") == "absent":
                continue
        name = column.name
        if is_row and not name and column.metadata.get("mbt.role") != "key":
            name = f"column_{shown}"
        members.append(f"{quoted(name)}:{value_text(column, value)}")
    return "{" + ",".join(members) + "}"
