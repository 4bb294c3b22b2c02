"""Runs: read_run() walks the header and gives a function that decodes. man/mbt-format.5: RUNS."""

import importlib
import struct

from sections import U64, Bytes, NotRead, need

WHOLE, FLOAT, STRING = "whole numbers", "floats", "strings"
NAMES = {9: "pco", 37: "ppmd"}


def signed64(value):
    value &= U64
    return value - (1 << 64) if value >> 63 else value


def read_run(header, body, kind, n, depth=0):
    need(depth < 8, "runs are nested too deep")
    encoding = header.byte()
    reader, kinds = RUNS.get(encoding, (None, ()))
    if not reader:
        raise NotRead(f"encoding {encoding} is not read here")
    need(kind in kinds, f"encoding {encoding} is not for {kind}")
    return reader(header, body, kind, n, lambda kind, n: read_run(header, body, kind, n, depth + 1))


def counted(header, n):
    count = header.number()
    need(count <= n, "a part has more values than the run")
    return count


def constant(header, _body, _kind, n, _part):
    value = header.signed()
    return lambda: [value] * n


def sequence(header, _body, _kind, n, _part):
    base, step = header.signed(), header.signed()
    return lambda: [signed64(base + i * step) for i in range(n)]


def bit_packed(header, body, _kind, n, _part):
    base, width = header.signed(), header.byte()
    buffer = body.buffer(header, (n * width + 7) // 8)

    def decode():
        data = buffer()
        need(width <= 64 and len(data) == (n * width + 7) // 8, "packed bits of another length")
        values = []
        for group in range(0, n, 8):  # eight values are `width` bytes
            bits = int.from_bytes(data[group // 8 * width :][:width], "little")
            for i in range(min(8, n - group)):
                values.append(signed64(base + (bits >> i * width & ((1 << width) - 1))))
        return values

    return decode


def planes(data, n, count):
    need(len(data) == n * count, "byte planes of another length")
    return [int.from_bytes(data[i::n], "little") for i in range(n)]


def byte_planes(header, body, _kind, n, _part):
    base, count = header.signed(), header.byte()
    need(1 <= count <= 8, "numbers of more than eight bytes")
    buffer = body.buffer(header, n * count)
    return lambda: [signed64(base + value) for value in planes(buffer(), n, count)]


def delta(header, _body, _kind, n, part):
    first = header.signed()
    need(n > 0, "delta without values")
    differences = part(WHOLE, n - 1)

    def decode():
        values = [first]
        for difference in differences():
            values.append(signed64(values[-1] + difference))
        return values

    return decode


def run_length(header, _body, kind, n, part):
    count = counted(header, n)
    values, lengths = part(kind, count), part(WHOLE, count)

    def decode():
        lens = lengths()
        need(all(length >= 1 for length in lens) and sum(lens) == n, "runs are not the column")
        return [value for value, length in zip(values(), lens) for _ in range(length)]

    return decode


def dictionary(header, _body, kind, n, part):
    count = counted(header, n)
    entries, codes = part(kind, count), part(WHOLE, n)

    def decode():
        known = entries()
        places = codes()
        need(all(0 <= place < count for place in places), "a code is beyond the dictionary")
        return [known[place] for place in places]

    return decode


def patch(values, positions, exceptions):
    need(all(a < b for a, b in zip([-1, *positions], [*positions, len(values)])), "positions")
    for position, exception in zip(positions, exceptions):
        values[position] = exception
    return values


def sparse(header, _body, _kind, n, part):
    value = header.signed()
    count = counted(header, n)
    positions, exceptions = part(WHOLE, count), part(WHOLE, count)
    return lambda: patch([value] * n, positions(), exceptions())


def interleaved(header, _body, kind, n, part):
    ways = header.byte()
    need(2 <= ways <= 16 and n % ways == 0, "ways do not divide the run")
    parts = [part(kind, n // ways) for _ in range(ways)]
    return lambda: [value for row in zip(*(way() for way in parts)) for value in row]


def multiple(header, _body, _kind, n, part):
    unit = header.number()
    need(unit > 0, "multiples of 0")
    quotients, remainders = part(WHOLE, n), part(WHOLE, n)
    return lambda: [signed64(unit * q + r) for q, r in zip(quotients(), remainders())]


def doubles(bits):
    return [struct.unpack("<d", struct.pack("<Q", word & U64))[0] for word in bits]


def bits_of(double):
    return struct.unpack("<q", struct.pack("<d", double))[0]


def plain(_header, body, _kind, n, _part):
    buffer = body.buffer(_header, 8 * n)

    def decode():
        data = buffer()
        need(len(data) == 8 * n, "floats of another length")
        return list(struct.unpack(f"<{n}d", data))

    return decode


def float_planes(header, body, _kind, n, _part):
    buffer = body.buffer(header, 8 * n)
    return lambda: doubles(planes(buffer(), n, 8))


def power(header):
    exponent = header.byte()
    need(exponent <= 22, "an exponent over 22")
    return 10.0**exponent


def decimal(header, _body, _kind, n, part):
    ten = power(header)
    count = counted(header, n)
    mantissas, positions, exceptions = part(WHOLE, n), part(WHOLE, count), part(FLOAT, count)
    return lambda: patch([float(m) / ten for m in mantissas()], positions(), exceptions())


def near_decimal(header, _body, _kind, n, part):
    ten = power(header)
    mantissas, steps = part(WHOLE, n), part(WHOLE, n)
    return lambda: doubles(bits_of(float(m) / ten) + s for m, s in zip(mantissas(), steps()))


def scientific(header, _body, _kind, n, part):
    digits = header.byte()
    need(1 <= digits <= 15, "mantissas of another number of digits")
    count = counted(header, n)
    mantissas, exponents = part(WHOLE, n), part(WHOLE, n)
    positions, exceptions = part(WHOLE, count), part(FLOAT, count)

    def decode():
        powers = exponents()
        need(all(-400 <= power <= 400 for power in powers), "a decimal exponent beyond 400")
        values = [float(f"{m}e{power + 1 - digits}") for m, power in zip(mantissas(), powers)]
        return patch(values, positions(), exceptions())

    return decode


def bits(_header, _body, _kind, n, part):
    words = part(WHOLE, n)
    return lambda: doubles(words())


def cut(data, lengths):
    need(all(length >= 0 for length in lengths) and sum(lengths) == len(data), "lengths of strings")
    strings, at = [], 0
    for length in lengths:
        strings.append(data[at : at + length])
        at += length
    return strings


def strings_bytes(header, body, _kind, n, part):
    buffer = body.buffer(header)
    lengths = part(WHOLE, n)
    return lambda: cut(buffer(), lengths())


def fsst(header, body, _kind, n, part):
    table_len = header.number()
    buffer = body.buffer(header)
    lengths = part(WHOLE, n)

    def decode():
        table, codes = Bytes(buffer()[:table_len]), Bytes(buffer()[table_len:])
        symbols = []
        while table.at < len(table.data):
            symbols.append(table.take(table.byte()))
        need(len(symbols) <= 255 and all(1 <= len(s) <= 8 for s in symbols), "symbols")
        out = bytearray()
        while codes.at < len(codes.data):
            code = codes.byte()
            need(code == 255 or code < len(symbols), "a code without symbol")
            out += codes.take(1) if code == 255 else symbols[code]
        return cut(bytes(out), lengths())

    return decode


def template(header, _body, _kind, n, part):
    fields = header.number()
    literals = [header.string() for _ in range(fields + 1)]
    spellings = [header.byte() for _ in range(fields)]
    parts = [part(STRING if spelling == 255 else WHOLE, n) for spelling in spellings]

    def spelled(spelling, values):
        if spelling == 255:
            return values
        need(all(value >= 0 for value in values), "a negative number in a template")
        return [b"%0*d" % (spelling, value) for value in values]

    def decode():
        strings = [literals[0]] * n
        for spelling, values, literal in zip(spellings, parts, literals[1:]):
            texts = spelled(spelling, values())
            strings = [string + text + literal for string, text in zip(strings, texts)]
        return strings

    return decode


def hexadecimal(header, _body, _kind, n, part):
    case = header.byte()
    strings = part(STRING, n)
    digits = {0: bytes.hex, 1: lambda string: string.hex().upper()}[case]
    return lambda: [digits(string).encode() for string in strings()]


def patched(header, _body, _kind, n, part):
    count = counted(header, n)
    positions, exceptions = part(WHOLE, count), part(STRING, count)
    rest = part(STRING, n - count)

    def decode():
        others, places = iter(rest()), positions()
        strings = [None] * n
        patch(strings, places, exceptions())
        odd = set(places)
        return [strings[row] if row in odd else next(others) for row in range(n)]

    return decode


def numerals(header, _body, _kind, n, part):
    forms = [(header.byte(), header.number()) for _ in range(header.byte())]
    need(forms and all(form < 64 and form % 32 <= 18 for form, _ in forms), "forms of numbers")
    need(all(count < 1 << 31 for _, count in forms), "more numbers than text can have")
    skeletons, series = part(STRING, n), [part(WHOLE, count) for _, count in forms]

    def printed(form, number):
        places = form % 32
        digits = b"%0*d" % (places + 1, abs(number))
        whole, fraction = digits[: len(digits) - places], digits[len(digits) - places :]
        if form >= 32:
            fraction = fraction.rstrip(b"0")
        return b"-" * (number < 0) + whole + b"." * bool(fraction) + fraction

    def decode():
        numbers = [iter([printed(form, x) for x in xs()]) for (form, _), xs in zip(forms, series)]
        strings = []
        for skeleton in skeletons():
            text, turn = bytearray(), 0
            for byte in skeleton:
                if byte > 1:
                    text.append(byte)
                    continue
                if byte == 0:
                    number = next(numbers[turn], None)
                    need(number is not None, "more places than numbers")
                    text += number
                turn = (turn + 1) % len(forms)
            strings.append(bytes(text))
        need(all(next(rest, None) is None for rest in numbers), "more numbers than places")
        return strings

    return decode


DIGITS = [
    bytes(range(256)),
    b"0123456789abcdef",
    b"0123456789ABCDEF",
    b"0123456789ABCDEFGHJKMNPQRSTVWXYZ",
    b"0123456789abcdefghjkmnpqrstvwxyz",
]


def bit_fields(header, _body, _kind, n, part):
    code = header.byte()
    need(code < len(DIGITS), "digits of an unknown kind")
    digits = DIGITS[code]
    count = header.byte()
    need(count > 0, "no pieces")
    pieces, fields = [], []
    for _ in range(count):
        size, is_text = divmod(header.byte(), 2)
        most = len(digits) ** size if size else 0
        need(size > 0 and (is_text or most <= 1 << 64), "a piece of no or too many digits")
        pieces.append(header.take(size) if is_text else (size, most))
    for piece in pieces:
        fields.append(None if isinstance(piece, bytes) else part(WHOLE, n))

    def printed(number, size, most):
        number &= U64
        need(number < most, "a number of too many digits")
        places = []
        for _ in range(size):
            number, digit = divmod(number, len(digits))
            places.append(digits[digit])
        return bytes(reversed(places))

    def decode():
        columns = []
        for piece, field in zip(pieces, fields):
            columns.append([printed(x, *piece) for x in field()] if field else [piece] * n)
        return [b"".join(row) for row in zip(*columns)]

    return decode


def package(name, encoding):
    """A package for an encoding that would take too long to write here. Raises NotRead if it is missing."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise NotRead(f"encoding {encoding} ({NAMES[encoding]}) is not read here") from None


def pco(header, body, kind, n, _part):
    buffer = body.buffer(header)

    def decode():
        numbers = package("pcodec.standalone", 9).simple_decompress(buffer())
        need(numbers.dtype == ("f8" if kind == FLOAT else "i8"), "pco of another type")
        need(len(numbers) == n, "pco of another length")
        return numbers.tolist()

    return decode


def ppmd(header, body, _kind, n, _part):
    order, memory, end = header.take(3)
    size = header.number()
    need(2 <= order <= 64 and 12 <= memory <= 26, "a model that PPMd does not have")
    buffer = body.buffer(header)

    def decode():
        decoder = package("pyppmd", 37).Ppmd7Decoder(order, 1 << memory)
        text = decoder.decode(buffer(), size)
        need(len(text) == size, "ppmd of another length")
        strings = text.split(bytes([end]))
        need(strings.pop() == b"" and len(strings) == n, "ppmd of other strings")
        return strings

    return decode


RUNS = {
    1: (constant, (WHOLE,)),
    2: (sequence, (WHOLE,)),
    3: (bit_packed, (WHOLE,)),
    4: (byte_planes, (WHOLE,)),
    5: (delta, (WHOLE,)),
    6: (run_length, (WHOLE, FLOAT, STRING)),
    7: (dictionary, (WHOLE, FLOAT, STRING)),
    8: (sparse, (WHOLE,)),
    9: (pco, (WHOLE, FLOAT)),
    10: (interleaved, (WHOLE, FLOAT)),
    11: (multiple, (WHOLE,)),
    16: (plain, (FLOAT,)),
    17: (float_planes, (FLOAT,)),
    18: (decimal, (FLOAT,)),
    19: (bits, (FLOAT,)),
    20: (near_decimal, (FLOAT,)),
    21: (scientific, (FLOAT,)),
    32: (strings_bytes, (STRING,)),
    33: (fsst, (STRING,)),
    34: (template, (STRING,)),
    35: (hexadecimal, (STRING,)),
    36: (patched, (STRING,)),
    37: (ppmd, (STRING,)),
    38: (numerals, (STRING,)),
    39: (bit_fields, (STRING,)),
}
