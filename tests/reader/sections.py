"""Bytes of a header, and sections of a body. man/mbt-format.5: HEADER."""

import struct
import subprocess
import zlib

U64 = (1 << 64) - 1


class Damaged(Exception):
    """The file violates the format."""


class NotRead(Exception):
    """The file may be intact, but contains something that this reader does not support."""


def need(condition, what):
    if not condition:
        raise Damaged(what)


def lz4_block(data, size):
    out, at = bytearray(), 0
    while True:
        token, at = data[at], at + 1
        literals = token >> 4
        if literals == 15:
            while True:
                more, at = data[at], at + 1
                literals += more
                if more < 255:
                    break
        need(at + literals <= len(data), "lz4 literals are cut short")
        out += data[at : at + literals]
        at += literals
        if at == len(data):
            break
        offset, at = data[at] | data[at + 1] << 8, at + 2
        length = token & 15
        if length == 15:
            while True:
                more, at = data[at], at + 1
                length += more
                if more < 255:
                    break
        need(0 < offset <= len(out) and len(out) < size, "an lz4 offset is out of range")
        for _ in range(length + 4):
            out.append(out[-offset])
    return bytes(out)


def zstd_frame(data, _size):
    done = subprocess.run(["zstd", "-d", "-c"], input=data, capture_output=True, check=False)
    need(done.returncode == 0, "a zstd frame cannot be read: " + done.stderr.decode())
    return done.stdout


CODECS = {0: lambda data, _size: data, 1: lz4_block, 2: zstd_frame}


class Bytes:
    """Bytes with a cursor."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        need(self.at + count <= len(self.data), "the header is cut short")
        self.at += count
        return self.data[self.at - count : self.at]

    def byte(self):
        return self.take(1)[0]

    def u32(self):
        return struct.unpack("<I", self.take(4))[0]

    def number(self):
        value = 0
        for group in range(10):
            byte = self.byte()
            value |= (byte & 0x7F) << 7 * group
            if byte < 0x80:
                need(value <= U64, "a number of more than 64 bits")
                return value
        raise Damaged("a number of more than ten bytes")

    def wide(self):
        value, shift = 0, 0
        while shift < 133:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                need(value < 1 << 128, "a number of more than 128 bits")
                return value >> 1 ^ -(value & 1)
        raise Damaged("a number of more than 19 bytes")

    def signed(self):
        folded = self.number()
        return folded >> 1 ^ -(folded & 1)

    def string(self):
        return self.take(self.number())

    def text(self):
        return self.string().decode()


class Body:
    """The sections of a body, opened when they are needed.

    A section is its codec, plain length, stored length and checksum, and, except in drafts of the
    format, its first column with the bytes of that column and those after it.
    """

    def __init__(self, sections, data):
        self.sections, self.plain, self.starts, start = sections, {}, [], 0
        for _, _, stored, crc, _, _ in sections:
            self.starts.append(start)
            need(zlib.crc32(data[start : start + stored]) == crc, "a section's checksum is wrong")
            start += stored
        need(start == len(data), "the sections are not the body")
        self.data = data

    def open(self, section):
        if section not in self.plain:
            codec, plain, stored = self.sections[section][:3]
            if codec not in CODECS:
                raise NotRead(f"codec {codec} is not read here")
            start = self.starts[section]
            data = CODECS[codec](self.data[start : start + stored], plain)
            need(len(data) == plain, "a section has another length than it says")
            self.plain[section] = data
        return self.plain[section]

    def slice(self, section, start, size):
        """A function that gives some bytes of a section."""
        return lambda: self.open(section)[start : start + size]


class DraftBuffers:
    """Buffers of drafts of the format: each names its section."""

    has_lengths = False

    def __init__(self, body):
        self.body, self.cursors = body, [0] * len(body.sections)

    def buffer(self, header, _implied=None):
        """A function that gives the buffer that the header describes next."""
        size = header.number()
        if size == 0:
            return lambda: b""
        section = header.number()
        need(section < len(self.cursors), "there is no such section")
        start = self.cursors[section]
        self.cursors[section] += size
        need(start + size <= self.body.sections[section][1], "a buffer goes over its section's end")
        return self.body.slice(section, start, size)


class Buffers:
    """The buffers of one column, in its parts of sections."""

    has_lengths = True

    def __init__(self, body, column):
        self.body, self.parts = body, []
        for section, (*_, first, shares) in enumerate(body.sections):
            at = column - first
            if 0 <= at < len(shares) and shares[at]:
                self.parts.append([section, sum(shares[:at]), shares[at]])

    def buffer(self, header, implied=None):
        """A function that gives the buffer that the header describes next."""
        size = header.number() if implied is None else implied
        if size == 0:
            return lambda: b""
        at = 0 if len(self.parts) == 1 else header.number()
        need(at < len(self.parts), "there is no such part")
        section, start, left = part = self.parts[at]
        need(size <= left, "a buffer goes over the end of its part")
        part[1:] = start + size, left - size
        return self.body.slice(section, start, size)

    def end(self):
        need(not any(left for _, _, left in self.parts), "bytes of a section are in no buffer")
