"""How single values are written. man/mbt-format.5: TEXT FORMS.

Bytes that are not UTF-8 are surrogates in text, as with Python's `surrogateescape`.
"""

import copy
import re
import struct

from sections import NotRead

MONTHS = "January February March April May June July August September October November December"
DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday"
JSON_WORDS = ("NaN", "Infinity", "-Infinity")
C_WORDS, SHORT_WORDS = ("nan", "inf", "-inf"), ("NaN", "inf", "-inf")
FORMS = {  # exponent below, from; sign; digits of the exponent; point in whole numbers; words; digits
    "": (-5, 16, "+", 1, ".0", JSON_WORDS, None),
    "javascript": (-6, 21, "+", 1, "", JSON_WORDS, None),
    "python": (-4, 16, "+", 2, ".0", C_WORDS, None),
    "rust": (-4, 16, "", 1, ".0", SHORT_WORDS, None),
    "ryu": (-5, 16, "", 1, ".0", SHORT_WORDS, None),
    "go": (-4, 21, "+", 2, "", ("NaN", "+Inf", "-Inf"), None),
    "plain": (-9999, 9999, "", 1, "", SHORT_WORDS, None),
    "%g": (-4, 6, "+", 2, "", C_WORDS, 6),
    "%.15g": (-4, 15, "+", 2, "", C_WORDS, 15),
    "%.16g": (-4, 16, "+", 2, "", C_WORDS, 16),
    "%.17g": (-4, 17, "+", 2, "", C_WORDS, 17),
    "jsoncpp": (-4, 17, "+", 2, ".0", JSON_WORDS, 17),
}


def shortest_single(value):
    for digits in range(1, 18):
        text = f"{value:.{digits}g}"
        if struct.pack("<f", float(text)) == struct.pack("<f", value):
            return text
    return repr(value)


def float_text(value, form, code):
    """The text of a float, and whether it is a word."""
    if re.fullmatch(r"%[.]\d+[eE]", form):
        text = form % value
        return text, not text[-1].isdigit()
    if form not in FORMS:
        raise NotRead(f"the form {form} is not read here")
    below, from_, plus, exponent_digits, point, words, rounded = FORMS[form]
    if value != value or value in (float("inf"), -float("inf")):
        return words[0 if value != value else 1 if value > 0 else 2], True
    if rounded:
        spelled = f"{value:.{rounded - 1}e}"
    else:
        spelled = repr(value) if code == "<d" else shortest_single(value)
    sign = "-" if spelled[0] == "-" else ""
    number, _, exponent = spelled.lstrip("-").partition("e")
    whole, _, fraction = number.partition(".")
    digits = (whole + fraction).lstrip("0")
    leading = len(whole + fraction) - len(digits)
    power = len(whole) - 1 - leading + int(exponent or 0)
    digits = digits.rstrip("0")
    if not digits:
        return f"{sign}0{point}", False
    if power < below or power >= from_:
        mantissa = digits[0] + ("." + digits[1:] if digits[1:] else "")
        mark = "-" if power < 0 else plus
        return f"{sign}{mantissa}e{mark}{abs(power):0{exponent_digits}d}", False
    if power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{digits}", False
    if len(digits) > power + 1:
        return f"{sign}{digits[: power + 1]}.{digits[power + 1 :]}", False
    return f"{sign}{digits.ljust(power + 1, '0')}{point}", False


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
        for step in range(1, digits + 1):
            exact = [n for n in range(step, digits + 1, step) if nanos % 10 ** (9 - n) == 0]
            text = "." + f"{nanos:09}"[: exact[0]] if nanos and exact else ""
            fields[f".{step}-{digits}f"] = text
    out, at = "", 0
    while at < len(pattern):
        if pattern[at] != "%":
            out, at = out + pattern[at], at + 1
            continue
        sizes = [size for size in (5, 3, 2, 1) if pattern[at + 1 : at + 1 + size] in fields]
        if not sizes:
            raise NotRead(f"the form {pattern} is not read here")
        out, at = out + fields[pattern[at + 1 : at + 1 + sizes[0]]], at + 1 + sizes[0]
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


def months_text(months):
    return f"{'-' if months < 0 else ''}P{abs(months)}M"


def is_json(column):
    return column.metadata.get("ARROW:extension:name") == "arrow.json"


def replace_form(column, form):
    other = copy.copy(column)
    other.metadata = {**column.metadata, "mbt.form": form}
    return other


def leaf_text(column, value):
    """The text of a value that is not null and not nested, and whether it is a string in JSON."""
    kind, form = column.type, column.metadata.get("mbt.form")
    if "mbt.type" in column.metadata:
        held = column.metadata["mbt.type"]
        if held == "bool":
            return str(value), False
        return value.decode("utf-8", "surrogateescape"), held == "utf8"
    if form and form.startswith(","):
        plain, is_string = leaf_text(replace_form(column, form[1:]), value)
        return plain.translate(str.maketrans(".,", ",.")), is_string
    if kind == 1:
        words = (form or "true/false").split("/")
        return words[0 if value else 1], bool(form)
    if 2 <= kind <= 9:
        return (f"{value:0{int(form[2:-1])}d}", True) if form else (str(value), False)
    if kind in (10, 11, 12):
        return float_text(value, form or "", "<d" if kind == 12 else "<f")
    if kind in (13, 14, 15):
        return digits_text(value, column.scale), False
    if kind in (16, 17):
        days, millis = (value, 0) if kind == 16 else divmod(value, 86_400_000)
        plain = "%Y-%m-%d" if not millis else "%Y-%m-%dT%H:%M:%S%.f"
        return time_text(form or plain, days, millis * 10**6, 0), True
    if 18 <= kind <= 21:
        per_second = 1000**column.unit
        pattern = form or default_pattern(column)
        offset = offset_of(column.zone) if "z" in pattern else 0
        days, rest = divmod(value + offset * per_second, 86_400 * per_second)
        return time_text(pattern, days, rest * 10**9 // per_second, offset), True
    if kind == 22:
        whole, rest = divmod(abs(value), 1000**column.unit)
        nanos = rest * 10**9 // 1000**column.unit
        fraction = f".{nanos:09}".rstrip("0") if nanos else ""
        return f"{'-' if value < 0 else ''}PT{whole}{fraction}S", True
    if kind == 23:
        return months_text(value), True
    if kind in (32, 33, 34):
        return value, True
    if kind == 38 and column.size == 16:
        text = value.hex()
        text = "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
        return (text.upper() if form == "upper" else text), True
    if kind in (35, 36, 37, 38):
        return value.hex(), True
    raise NotRead(f"type {kind} has no text here")
