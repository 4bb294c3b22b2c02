"""A reader of MATHLDBT version 2, written from man/mbt-format.5 and nothing else.

It shows that the page is enough to write a reader, and gives a second opinion on what a file contains. It prints each
row as a JSON line, or with --text the text that the file was made from. It needs only Python's standard library and
`zstd -d`; for pco, ppmd and the usual hash of a text it uses the packages pcodec, pyppmd and xxhash, and exits with
status 3 if it needs one that is missing. With --skip it leaves out the columns that it cannot read, and names them on
stderr. Nothing here is fast.
"""

import struct
import sys
import zlib

from columns import Column, read_metadata, read_statistics, sized_column, skip_type
from json_text import PLAIN
from restore import encoded, restored
from sections import Body, Bytes, Damaged, DraftBuffers, NotRead, need, zstd_frame


def read_envelope(data):
    """Rows, metadata and columns of the envelope at the start of the data, and its length."""
    need(len(data) >= 28, "the head is cut short")
    version, minor, flags, header_len, body_len, crc = struct.unpack("<BBHIQI", data[8:28])
    if version != 2:
        raise NotRead(f"version {version} is not read here")
    body_at, end = 28 + header_len, 28 + header_len + body_len
    need(end <= len(data), "the envelope is cut short")
    stored = data[28:body_at]
    need(zlib.crc32(data[:24] + stored) == crc, "the header's checksum is wrong")
    if flags & 0x0FF8:
        raise NotRead(f"a feature of version {version}.{minor} is not read here")
    header = Bytes(stored)
    if flags & 1:
        size = header.number()
        header = Bytes(zstd_frame(stored[header.at :], size))
        need(len(header.data) == size, "the header has another length than it says")
    rows, metadata = header.number(), read_metadata(header)
    if flags & 4:
        count = header.number()
        sections = [read_section(header, count) for _ in range(header.number())]
        body = Body(sections, data[body_at:end])
        columns = [sized_column(header, body, rows, at) for at in range(count)]
    else:
        sections = [read_draft_section(header) for _ in range(header.number())]
        buffers = DraftBuffers(Body(sections, data[body_at:end]))
        columns = [Column(header, buffers, rows) for _ in range(header.number())]
    need(header.at == len(header.data), "the header has bytes after its last column")
    return rows, metadata, columns, end


def read_section(header, columns):
    codec, first = header.byte(), header.number()
    count = header.number() if codec & 128 else 1
    need(0 < count and first + count <= columns, "a section of a column that is not there")
    shares = [header.number() for _ in range(count)]
    codec &= 127
    stored_len = header.number() if codec else sum(shares)
    return codec, sum(shares), stored_len, header.u32(), first, shares


def read_draft_section(header):
    codec, plain_len = header.byte(), header.number()
    stored_len = header.number() if codec else plain_len
    return codec, plain_len, stored_len, header.u32(), 0, []


def print_rows(rows, columns, skip):
    kept, values = [], []
    for column in columns:
        try:
            values.append(column.decode(columns))
            kept.append(column)
        except NotRead as unread:
            if not skip:
                raise
            print(f"{column.name}: {unread}", file=sys.stderr)
    for row in range(rows):
        sys.stdout.buffer.write(encoded(PLAIN.row(kept, [column[row] for column in values])) + b"\n")


def read_index(nibble, payload):
    """What an index lists: length, rows and checksum of each frame, and length, tail, kind and hash of the text.

    None instead of frames if it is of a newer version, and instead of the text if it has none that is known.
    """
    need(len(payload) >= 18 and payload[:4] == payload[-4:] == b"MBTX", "an index without its magic")
    crc, length = struct.unpack("<II", payload[-12:-4])
    need(length == len(payload), "an index has another length than it says")
    need(zlib.crc32(payload[:-12]) == crc, "the checksum of an index is wrong")
    version, flags = payload[4], payload[5]
    need(nibble == (0xA if version > 3 else 0xD), "an index in another frame than that of an index")
    if version not in (3, 4):
        return None, None
    index = Bytes(payload[6:-12])
    if flags & 1:
        size = index.number()
        index = Bytes(zstd_frame(index.data[index.at :], size))
        need(len(index.data) == size, "an index has another length than it says")
    columns = index.number()
    for _ in range(columns):
        if version == 4:
            index.string()
        elif index.data[index.at] >= 254:
            index.byte()
        else:
            skip_type(index)
        index.text()
    frames = []
    for _ in range(index.number()):
        stored, _, rows, crc = index.number(), index.number(), index.number(), index.u32()
        frames.append((stored, rows, crc))
    if version == 3:
        return frames, None
    for _ in range(columns if flags & 2 else 0):
        for _ in frames if index.byte() else ():
            known = index.number()
            if known > 0 and (known - 1) % 2:
                read_statistics(index)
    if flags & 8:
        placed = 0
        for _ in frames:
            if index.number():
                index.number()
                placed += 1
        for _ in range(columns * placed):
            index.number()
    ending = None
    if flags & 4:
        length, tail, kind = index.number(), index.string(), index.byte()
        if kind > 1:
            return frames, None  # the length of a newer hash is not known
        ending = length, tail, kind, index.take((16, 32)[kind])
    for bit in (16, 32, 64, 128):
        if not flags & bit:
            continue
        string = Bytes(index.string())
        if bit == 32:
            keys = [string.number() for _ in range(columns)]
            need(max(keys, default=0) <= columns, "a column is grouped by one that is not there")
            need(string.at == len(string.data), "keys have bytes after their last")
    need(index.at == len(index.data), "an index has bytes after its last part")
    return frames, ending


def check_segment(frames, listed):
    """Compares the frames since the last index, each with its promise of an end, with an index."""
    need(len(frames) >= len(listed), "an index lists frames that are not there")
    first = len(frames) - len(listed)
    need(not any(promise for promise, _ in frames[:first]), "frames that no index lists")
    for (_, frame), entry in zip(frames[first:], listed):
        need(frame == entry, "a frame is not the one that its index lists")


def main(path, skip, as_text):
    with open(path, "rb") as file:
        data = file.read()
    at, frames, decoded, ending = 0, [], [], None
    while at < len(data):
        if data[at : at + 8] == b"MATHLDBT":
            rows, metadata, columns, size = read_envelope(data[at:])
            if not as_text:
                print_rows(rows, columns, skip)
            elif ending is not None:
                raise NotRead("there is more than one text")
            else:
                values = [column.decode(columns) for column in columns]
                decoded.append((rows, metadata, columns, values))
            flags, crc = data[at + 10], struct.unpack("<I", data[at + 24 : at + 28])[0]
            frames.append((flags & 2 != 0, (size, rows, crc)))
        elif data[at + 1 : at + 4] == b"\x2a\x4d\x18" and data[at] >> 4 == 5:
            size = 8 + struct.unpack("<I", data[at + 4 : at + 8])[0]
            payload = data[at + 8 : at + size]
            need(len(payload) == size - 8, "a skippable frame is cut short")
            if payload[:4] == b"MBTX" or payload[-4:] == b"MBTX":
                listed, ending = read_index(data[at] & 15, payload)
                if listed is not None:
                    check_segment(frames, listed)
                frames = []
        else:
            raise NotRead("this is no envelope and no skippable frame")
        at += size
    need(not any(promise for promise, _ in frames), "the stream stops without its end")
    if as_text:
        sys.stdout.buffer.write(restored(decoded, ending))


if __name__ == "__main__":
    paths = [arg for arg in sys.argv[1:] if not arg.startswith("--")]
    try:
        main(paths[0], "--skip" in sys.argv, "--text" in sys.argv)
    except Damaged as damage:
        sys.exit(f"damaged: {damage}")
    except NotRead as unread:
        print(unread, file=sys.stderr)
        sys.exit(3)
