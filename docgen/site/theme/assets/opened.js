/* What fields of type RECORDS hold: record batches, and the message sets before them, as spans like those of codec.js. */
(function () {
  "use strict";

  const CODECS = ["none", "gzip", "snappy", "lz4", "zstd"], MOST = 16 * 1024 * 1024;
  const HEADER = [["BaseOffset", 8], ["BatchLength", 4], ["PartitionLeaderEpoch", 4], ["Magic", 1], ["Crc", 4], ["Attributes", 2], ["LastOffsetDelta", 4], ["BaseTimestamp", 8], ["MaxTimestamp", 8], ["ProducerId", 8], ["ProducerEpoch", 2], ["BaseSequence", 4], ["RecordsCount", 4]];
  const SET = [["Offset", 8], ["MessageSize", 4], ["Crc", 4], ["Magic", 1], ["Attributes", 1]];

  function table(polynomial) {
    return Uint32Array.from({ length: 256 }, function (_, value) {
      for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
      return value >>> 0;
    });
  }
  const CASTAGNOLI = table(0x82f63b78), IEEE = table(0xedb88320);
  function crc(bytes, of) {
    let value = 0xffffffff;
    for (const byte of bytes) value = of[(value ^ byte) & 255] ^ (value >>> 8);
    return (value ^ 0xffffffff) >>> 0;
  }

  /* What is wrong in records. `isEnd` is whether only the last batch is cut, as that of a Fetch response may be. */
  class Cut extends Error {
    constructor(message, isEnd) { super(message); this.isEnd = Boolean(isEnd); }
  }
  class Reader {
    constructor(bytes, at, end, path, field) {
      Object.assign(this, { bytes: bytes, at: at, end: end, path: path, field: field, spans: [], view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) });
    }
    take(name, end, type, value, note, kind) {
      if (end > this.end) throw new Cut(name + " ends beyond the records");
      this.spans.push({ start: this.at, end: end, path: this.path + "." + name, field: this.field, kind: kind || "value", type: type, value: value, note: note || "", records: true, section: false });
      this.at = end;
      return value;
    }
    fixed(name, size, note) {
      if (this.at + size > this.end) throw new Cut(name + " is cut");
      const value = size === 8 ? this.view.getBigInt64(this.at) : size === 4 ? this.view.getInt32(this.at) : size === 2 ? this.view.getInt16(this.at) : this.view.getInt8(this.at);
      if (name === "Crc") return this.take(name, this.at + size, "UINT32", value >>> 0, note);
      return this.take(name, this.at + size, "INT" + 8 * size, value, note);
    }
    varint(name, type) {
      let value = 0n, shift = 0n, at = this.at;
      for (; ; at++, shift += 7n) {
        if (at >= this.end || shift > 63n) throw new Cut(name + " is no varint");
        value |= BigInt(this.bytes[at] & 127) << shift;
        if (this.bytes[at] < 128) break;
      }
      value = (value >> 1n) ^ -(value & 1n);
      return Number(this.take(name, at + 1, type || "VARINT", value));
    }
    /* A length or count; only that of a value that may be null may be -1. */
    size(name, least) {
      const size = this.varint(name);
      if (size < (least || 0)) throw new Cut(name + " is " + size);
      return size;
    }
    content(name, size) {
      if (size > 0) this.take(name, this.at + size, "BYTES", wirebookCodec.hex(this.bytes.subarray(this.at, this.at + size)));
    }
  }

  function attributes(value) {
    const words = [CODECS[value & 7] === undefined ? "compression " + (value & 7) : value & 7 ? CODECS[value & 7] : "not compressed", value & 8 ? "log append time" : "create time"];
    if (value & 16) words.push("transactional");
    if (value & 32) words.push("control batch");
    if (value & 64) words.push("has a delete horizon");
    return words.join(", ");
  }
  function date(milliseconds) {
    const number = Number(milliseconds);
    return number > 0 && number < 8.64e15 ? new Date(number).toISOString() : "";
  }
  function records(reader, count, control) {
    for (let number = 0; number < count; number++) {
      const path = reader.path;
      reader.path += ".Records[" + number + "]";
      const limit = reader.end, size = reader.size("Length"), end = reader.at + size;
      if (end > limit) throw new Cut("record " + number + " has " + size + " bytes, but " + (limit - reader.at) + " are here");
      reader.end = end;
      reader.fixed("Attributes", 1);
      reader.varint("TimestampDelta", "VARLONG");
      reader.varint("OffsetDelta");
      const key = reader.size("KeyLength", -1), keyAt = reader.at;
      reader.content("Key", key);
      if (control && key === 4) reader.spans[reader.spans.length - 1].note = ["abort marker", "commit marker"][reader.view.getInt16(keyAt + 2)] || "";
      reader.content("Value", reader.size("ValueLength", -1));
      const headers = reader.size("HeadersCount");
      for (let each = 0; each < headers; each++) {
        reader.content("Headers[" + each + "].Key", reader.size("Headers[" + each + "].KeyLength"));
        reader.content("Headers[" + each + "].Value", reader.size("Headers[" + each + "].ValueLength", -1));
      }
      if (reader.at !== end) throw new Cut("record " + number + " has " + size + " bytes, but its fields take " + (reader.at - end + size));
      reader.end = limit;
      reader.path = path;
    }
  }
  function timed(reader, name) {
    const value = reader.fixed(name, 8);
    reader.spans[reader.spans.length - 1].note = date(value);
  }
  function batch(reader) {
    const start = reader.at, length = reader.view.getInt32(start + 8), end = start + 12 + length, limit = reader.end;
    if (end > limit) throw new Cut("the batch has " + length + " bytes after its length, but " + (limit - start - 12) + " are here", true);
    reader.end = end;
    const values = {};
    HEADER.forEach(function (pair) {
      if (/Timestamp$/.test(pair[0])) return timed(reader, pair[0]);
      values[pair[0]] = reader.fixed(pair[0], pair[1]);
      const span = reader.spans[reader.spans.length - 1];
      if (pair[0] === "Attributes") span.note = attributes(values.Attributes);
      if (pair[0] === "Crc") checked(reader, "CRC-32C of the batch", crc(reader.bytes.subarray(start + 21, end), CASTAGNOLI), values.Crc);
    });
    const codec = values.Attributes & 7, packed = { path: reader.path, field: reader.field, count: values.RecordsCount, codec: CODECS[codec] || String(codec), control: Boolean(values.Attributes & 32) };
    if (codec) packed.bytes = reader.bytes.subarray(reader.at, end);
    if (codec) reader.take("Records", end, "BYTES", "", "compressed with " + packed.codec);
    else records(reader, values.RecordsCount, packed.control);
    if (reader.at < end) throw new Cut(wirebookCodec.someBytes(end - reader.at) + " after the last record");
    reader.end = limit;
    return codec ? packed : null;
  }
  function checked(reader, name, right, said) {
    const span = reader.spans[reader.spans.length - 1];
    span.wrong = right !== said;
    span.note = span.wrong ? "wrong: the " + name + " is 0x" + right.toString(16).padStart(8, "0") : "right";
  }
  function message(reader) {
    const start = reader.at, end = start + 12 + reader.view.getInt32(start + 8), limit = reader.end, values = {};
    if (end > limit) throw new Cut("the message is cut", true);
    reader.end = end;
    SET.forEach(function (pair) {
      values[pair[0]] = reader.fixed(pair[0], pair[1]);
      if (pair[0] === "Crc") checked(reader, "CRC-32 of the message", crc(reader.bytes.subarray(start + 16, end), IEEE), values.Crc);
    });
    if (values.Magic === 1) timed(reader, "Timestamp");
    const codec = values.Attributes & 7, packed = codec ? { path: reader.path, field: reader.field, codec: CODECS[codec] || String(codec), isSet: true } : null;
    reader.content("Key", reader.fixed("KeyLength", 4));
    const size = reader.fixed("ValueLength", 4);
    if (packed) packed.bytes = reader.bytes.subarray(reader.at, reader.at + Math.max(size, 0));
    reader.content("Value", size);
    if (packed && size > 0) reader.spans[reader.spans.length - 1].note = "compressed with " + packed.codec;
    reader.end = limit;
    return packed;
  }

  /* The spans of a range of records: {spans, packed: what is compressed, problem: what is wrong with the first that is not read, or "",
     isEnd: whether that is only that the last one is cut}. */
  function open(bytes, start, end, path, field) {
    const reader = new Reader(bytes, start, end, path, field), packed = [], problems = [];
    for (let number = 0; reader.at < end; number++) {
      const at = reader.at, before = reader.spans.length;
      reader.path = path + "[" + number + "]";
      try {
        if (end - at < 17) throw new Cut("a batch has at least 61 bytes", true);
        const magic = bytes[at + 16];
        if (magic > 2) throw new Cut("magic " + magic + " is no known format");
        const inner = magic === 2 ? batch(reader) : message(reader);
        if (inner) packed.push(inner);
      } catch (error) {
        if (!(error instanceof Cut)) throw error;
        problems.push(error);
        /* What follows a batch that is here as a whole is read. */
        const next = end - at < 17 ? end : at + 12 + reader.view.getInt32(at + 8);
        reader.end = end;
        reader.path = path + "[" + number + "]";
        const until = next >= reader.at && next > at && next < end ? next : end;
        if (reader.at < until) reader.take("Rest", until, "BYTES", "", "not read: " + error.message);
      }
      const crc = reader.spans.slice(before).find(function (span) { return span.wrong; });
      if (crc) problems.push(new Cut(crc.note));
    }
    const first = problems[0];
    return { spans: reader.spans, packed: packed, problem: first ? path + ": " + first.message + "." : "", isEnd: Boolean(first && first.isEnd) };
  }
  /* What is compressed, unpacked: {bytes, spans, problem}; only gzip can be unpacked by browsers. */
  async function unpacked(each) {
    if (each.codec !== "gzip" || typeof DecompressionStream === "undefined") return { problem: "The records of " + each.path + " are compressed with " + each.codec + ", which browsers cannot unpack; wirebook decode can." };
    const parts = [];
    let size = 0;
    try {
      const reader = new Blob([each.bytes]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        parts.push(next.value);
        size += next.value.length;
        if (size > MOST) return { problem: "The records of " + each.path + " have more than 16 MiB when they are unpacked." };
      }
    } catch (error) {
      return { problem: "The records of " + each.path + " are not gzip, although the attributes say so." };
    }
    const bytes = new Uint8Array(size);
    let at = 0;
    parts.forEach(function (part) { bytes.set(part, at); at += part.length; });
    if (each.isSet) return Object.assign({ bytes: bytes }, open(bytes, 0, size, each.path + ".Value", each.field));
    const reader = new Reader(bytes, 0, size, each.path, each.field);
    let problem = "";
    try {
      records(reader, each.count, each.control);
    } catch (error) {
      if (!(error instanceof Cut)) throw error;
      problem = each.path + ": " + error.message + ".";
    }
    if (reader.at < size) reader.take("Rest", size, "BYTES", "", "not read");
    return { bytes: bytes, spans: reader.spans, problem: problem };
  }

  window.wirebookRecords = { open: open, unpacked: unpacked, crc32c: function (bytes) { return crc(bytes, CASTAGNOLI); } };
})();
