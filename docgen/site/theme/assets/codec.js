/* specs/codec.py in a browser: the bytes of a message to its value and to what each byte is, by a layout of the published JSON. */
(function () {
  "use strict";

  const MAX_STRING = 32767, MAX_ELEMENTS = 20000, LONGEST = 65536, UNKNOWN = "@unknownTaggedFields";
  const SIZES = { BOOLEAN: 1, INT8: 1, INT16: 2, UINT16: 2, INT32: 4, UINT32: 4, INT64: 8, FLOAT64: 8, UUID: 16 };
  const TEXT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  class WireError extends Error {
    constructor(message, offset, path) {
      super(message);
      this.offset = offset;
      this.path = path || "";
    }
    toString() { return "byte " + this.offset + ": " + (this.path ? this.path + ": " : "") + this.message; }
  }

  function someBytes(count) { return count === 1 ? "1 byte" : count + " bytes"; }
  function hex(bytes) {
    let made = "";
    for (const byte of bytes) made += (byte < 16 ? "0" : "") + byte.toString(16);
    return made;
  }
  /* What is longer than any text that is shown is cut. */
  function cut(bytes) { return bytes.length > LONGEST ? hex(bytes.subarray(0, LONGEST)) + "\u2026" : hex(bytes); }
  /* Where the first bytes are that are not UTF-8: as Python counts, from the start of the broken character. */
  function brokenText(bytes) {
    for (let at = 0; at < bytes.length;) {
      const first = bytes[at], more = first < 0x80 ? 0 : first < 0xc2 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : -1;
      if (more < 0) return at;
      for (let step = 1; step <= more; step++) {
        const low = step > 1 ? 0x80 : { 0xe0: 0xa0, 0xf0: 0x90 }[first] || 0x80, high = step > 1 ? 0xbf : { 0xed: 0x9f, 0xf4: 0x8f }[first] || 0xbf;
        if (!(bytes[at + step] >= low && bytes[at + step] <= high)) return at;
      }
      at += more + 1;
    }
    return bytes.length;
  }

  /* The fields of a struct that have no tag, and those that have one with their places, by tag: a spec may have thousands. */
  const SPLIT = new WeakMap();
  function split(fields) {
    let known = SPLIT.get(fields);
    if (known === undefined) {
      known = { untagged: fields.filter(function (each) { return each.tag === null; }), tagged: new Map() };
      fields.forEach(function (each, place) { if (each.tag !== null) known.tagged.set(each.tag, { field: each, place: place }); });
      SPLIT.set(fields, known);
    }
    return known;
  }

  /* Reads one message from `start`. A span is kept for each range of bytes, but at most `most` of them: what follows is only checked. */
  class Reader {
    constructor(bytes, start, most, foreign) {
      this.bytes = bytes;
      this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      this.at = start;
      this.names = [];
      this.spans = [];
      this.left = MAX_ELEMENTS + bytes.length;
      this.most = most;
      this.all = true;
      this.foreign = foreign || function () { return null; };
    }
    path() {
      return this.names.reduce(function (path, name) {
        return typeof name === "number" ? path + "[" + name + "]" : path ? path + "." + name : name;
      }, "");
    }
    fail(message, offset) { return new WireError(message, offset, this.path()); }
    /* `missing` is how many bytes more would mend it. */
    lacks(missing, message, offset) { return Object.assign(this.fail(message, offset), { missing: missing }); }
    short(at, needed) {
      const left = Math.max(this.bytes.length - at, 0);
      return this.lacks(needed - left, someBytes(needed) + " should be here, but " + (left || "none") + (left === 1 ? " is" : " are") + " left", at);
    }
    /* `section` is whether the bytes are of the tagged section of a struct, and of no known field. */
    take(end, field, kind, type, value, section) {
      if (this.all && this.spans.length >= this.most) this.all = false;
      if (this.all) this.spans.push({ start: this.at, end: end, path: this.path(), field: field, kind: kind, type: type, value: value, section: Boolean(section) });
      this.at = end;
    }
    /* An unsigned varint: [value, end]. */
    unsigned(at) {
      let value = 0, factor = 1;
      for (let place = at; place < at + 5; place++) {
        if (place >= this.bytes.length) throw this.lacks(1, "the bytes end within a varint", at);
        const byte = this.bytes[place];
        value += (byte & 0x7f) * factor;
        factor *= 128;
        if (byte >= 0x80) continue;
        if (value > 0xffffffff) throw this.fail("this varint has more than 32 bits", at);
        return [value, place + 1];
      }
      throw this.fail("this varint has more than 5 bytes", at);
    }
    /* The length or count of a type: [number or null, end, its type]. */
    length(type) {
      if (type.startsWith("COMPACT_")) {
        const [value, end] = this.unsigned(this.at);
        return [value ? value - 1 : null, end, "UNSIGNED_VARINT"];
      }
      const size = type.endsWith("STRING") ? 2 : 4;
      if (this.at + size > this.bytes.length) throw this.short(this.at, size);
      const length = size === 2 ? this.view.getInt16(this.at) : this.view.getInt32(this.at);
      if (length < -1) throw this.fail("a length of " + length + ": -1 (null) is the only negative length", this.at);
      return [length < 0 ? null : length, this.at + size, size === 2 ? "INT16" : "INT32"];
    }

    struct(fields, flexible, field) {
      const value = {};
      for (const each of split(fields).untagged) {
        this.names.push(each.name);
        const item = this.field(each, flexible);
        if (this.all) put(value, each.name, item);
        this.names.pop();
      }
      if (flexible && this.bytes[this.at] === 0) this.take(this.at + 1, field, "tag-count", "UNSIGNED_VARINT", 0, true);
      else if (flexible) this.section(fields, field, value);
      return value;
    }
    field(field, flexible) {
      if (field.element) return this.array(field, flexible);
      if (!field.fields) return this.scalar(field.type, field.nullable, field.path);
      if (field.nullable && !this.present(field, flexible)) return null;
      return this.struct(field.fields, flexible, field.path);
    }
    present(field, flexible) {
      let there, end = this.at + 1, type = "INT8";
      if (field.tag !== null) {
        const read = this.unsigned(this.at);
        there = Boolean(read[0]);
        end = read[1];
        type = "UNSIGNED_VARINT";
      } else {
        if (this.at >= this.bytes.length) throw this.short(this.at, 1);
        there = this.bytes[this.at] <= 0x7f;
      }
      this.take(end, field.path, there ? "marker" : "null", type, null);
      return there;
    }
    array(field, flexible) {
      const start = this.at, [count, end, form] = this.length(field.type);
      if (count === null) {
        if (!field.nullable) throw this.fail("null, but it is not nullable in this version", start);
        this.take(end, field.path, "null", form, null);
        return null;
      }
      this.take(end, field.path, "count", form, count);
      const items = [];
      for (let place = 0; place < count; place++) {
        this.names.push(place);
        if (field.fields && --this.left < 0) throw this.fail("there are too many elements before this one", this.at);
        const item = field.fields ? this.struct(field.fields, flexible, field.path) : this.scalar(field.element, false, field.path);
        if (this.all) items.push(item);
        this.names.pop();
      }
      return items;
    }
    scalar(type, nullable, field) {
      if (type in SIZES) {
        const size = SIZES[type];
        if (this.at + size > this.bytes.length) throw this.short(this.at, size);
        const value = this.fixed(type, this.at);
        this.take(this.at + size, field, "value", type, value);
        return value;
      }
      const text = type.endsWith("STRING"), start = this.at, [length, end, form] = this.length(type);
      if (length === null) {
        if (!nullable) throw this.fail("null, but it is not nullable in this version", start);
        this.take(end, field, "null", form, null);
        return null;
      }
      if (text && length > MAX_STRING) throw this.fail("a string of " + length + " bytes; the limit is " + MAX_STRING, start);
      if (end + length > this.bytes.length) throw this.short(end, length);
      const content = this.bytes.subarray(end, end + length);
      let value = "";
      if (!text) value = this.all ? cut(content) : "";
      else if (length) {
        try {
          value = TEXT.decode(content);
        } catch (bad) {
          throw this.fail("these bytes are not UTF-8", end + brokenText(content));
        }
      }
      this.take(end, field, "length", form, length);
      if (length) this.take(end + length, field, "value", type, value);
      return value;
    }
    fixed(type, at) {
      const view = this.view;
      switch (type) {
        case "BOOLEAN": return view.getUint8(at) !== 0;
        case "INT8": return view.getInt8(at);
        case "INT16": return view.getInt16(at);
        case "UINT16": return view.getUint16(at);
        case "INT32": return view.getInt32(at);
        case "UINT32": return view.getUint32(at);
        case "INT64": return view.getBigInt64(at);
        case "UUID": return hex(this.bytes.subarray(at, at + 16)).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
      }
      const number = view.getFloat64(at);
      return Number.isFinite(number) ? number : String(number);
    }
    /* The tagged section of a struct (KIP-482). */
    section(fields, field, value) {
      const [count, end] = this.unsigned(this.at);
      this.take(end, field, "tag-count", "UNSIGNED_VARINT", count, true);
      if (!count) return;
      const tagged = split(fields).tagged, seen = new Set(), values = [], unknown = [];
      for (let number = 0; number < count; number++) {
        const place = this.at, [tag, tagEnd] = this.unsigned(place);
        if (seen.has(tag)) throw this.fail("tag " + tag + " appears twice", place);
        seen.add(tag);
        const [size, sizeEnd] = this.unsigned(tagEnd), its = tagged.get(tag), known = its && its.field;
        const foreign = known ? null : this.foreign(field, tag);
        if (size > this.bytes.length - sizeEnd) {
          this.names.push(known ? known.name : "tag " + tag);
          throw this.short(sizeEnd, size);
        }
        if (foreign) throw this.fail("tag " + tag + " is " + foreign + ", which this version does not have", place);
        if (known) this.names.push(known.name);
        this.take(tagEnd, known ? known.path : field, "tag", "UNSIGNED_VARINT", tag, !known);
        this.take(sizeEnd, known ? known.path : field, "tag-size", "UNSIGNED_VARINT", size, !known);
        if (known) {
          values.push({ name: known.name, place: its.place, item: this.field(known, true) });
          if (this.at !== sizeEnd + size) {
            throw this.fail("the value takes " + someBytes(this.at - sizeEnd) + ", but its size is given as " + size, sizeEnd);
          }
          this.names.pop();
        } else {
          const content = this.all ? cut(this.bytes.subarray(this.at, this.at + size)) : "";
          if (size) this.take(this.at + size, field, "unknown", "BYTES", content, true);
          unknown.push({ tag: tag, data: content });
        }
      }
      values.sort(function (a, b) { return a.place - b.place; }).forEach(function (each) { put(value, each.name, each.item); });
      if (unknown.length) value[UNKNOWN] = unknown.sort(function (a, b) { return a.tag - b.tag; });
    }
  }
  /* A name of a spec may be one that objects already have, such as __proto__. */
  function put(value, name, item) {
    Object.defineProperty(value, name, { value: item, enumerable: true, configurable: true, writable: true });
  }

  /* What begins at `start`: its value, spans and end. After an error, `error` has it and the spans are those before it. */
  function decode(layout, bytes, start, most, foreign) {
    const reader = new Reader(bytes, start, most, foreign);
    try {
      const value = reader.struct(layout.fields, layout.flexible, "");
      return { value: reader.all ? value : undefined, spans: reader.spans, end: reader.at, all: reader.all, error: null };
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      return { value: undefined, spans: reader.spans, end: reader.at, all: reader.all, error: error };
    }
  }
  function leftOver(bytes, end) {
    const count = bytes.length - end;
    return new WireError("the message ends here, but " + someBytes(count) + (count === 1 ? " is" : " are") + " left over", end, "");
  }
  /* A frame's length, and what is wrong with it: as specs/envelope.py has it. */
  function frame(bytes, size) {
    if (bytes.length < size) {
      return { length: null, error: new WireError("a frame begins with a length of " + size + " bytes, but there are " + bytes.length, 0, "") };
    }
    let length = BigInt.asIntN(8 * size, BigInt("0x" + hex(bytes.subarray(0, size))));
    const left = bytes.length - size, isCut = length > BigInt(left), wrong = length !== BigInt(left);
    const follow = left === 1 ? "1 byte follows" : left + " bytes follow";
    length = size > 6 ? length : Number(length);
    return { length: length, error: wrong ? new WireError((isCut ? "the frame is cut: its" : "the frame") + " length is " + length + ", but " + follow + " it", 0, "") : null };
  }

  /* A whole message: {parts, errors, value, end, all}. `length` is the size of the length before it or 0, `header` a layout or null. */
  function open(bytes, length, header, body, most, foreign) {
    const made = { parts: [], errors: [], value: undefined, end: 0, all: true };
    let data = bytes;
    if (length) {
      const found = frame(bytes, length);
      if (found.error) made.errors.push(found.error);
      if (found.length === null) return made;
      const span = { start: 0, end: length, path: "length", field: "length", kind: "value", type: "INT" + 8 * length, value: found.length };
      made.parts.push({ name: "frame", title: "Frame", spans: [span] });
      made.end = length;
      if (found.length >= 0 && found.length < bytes.length - length) data = bytes.subarray(0, length + Number(found.length));
    }
    let value = null;
    for (const [name, layout] of [["header", header], ["body", body]]) {
      if (!layout) continue;
      const found = decode(layout, data, made.end, most - count(made), name === "body" ? foreign : null);
      const title = name === "body" ? (header ? "Body" : "Message") : layout.message.replace(/Header$/, " header") + " v" + layout.version;
      made.parts.push({ name: name, title: title, spans: found.spans });
      made.all = made.all && found.all;
      made.end = found.end;
      if (found.error) {
        if (header) found.error.path = found.error.path ? name + "." + found.error.path : name;
        made.errors.push(found.error);
        return made;
      }
      if (name === "header") value = { header: found.value };
      else value = value ? Object.assign(value, { body: found.value }) : found.value;
    }
    if (made.end < data.length) {
      made.errors.push(leftOver(data, made.end));
      if (header) made.errors[made.errors.length - 1].path = "body";
    } else if (made.all) made.value = value;
    return made;
  }
  function count(made) { return made.parts.reduce(function (sum, part) { return sum + part.spans.length; }, 0); }

  /* A value as JSON, exact: a BigInt is a number, as in `wirebook decode`. */
  function json(value, indent) {
    const pad = "\n" + (indent || "");
    if (typeof value === "bigint") return String(value);
    if (Object.is(value, -0)) return "-0.0";
    if (value === null || typeof value !== "object") return JSON.stringify(value);
    const deeper = indent === undefined ? undefined : indent + " ", gap = indent === undefined ? "" : pad + " ", close = indent === undefined ? "" : pad;
    if (Array.isArray(value)) return value.length ? "[" + value.map(function (item) { return gap + json(item, deeper); }).join(",") + close + "]" : "[]";
    const names = Object.keys(value), colon = indent === undefined ? ":" : ": ";
    if (!names.length) return "{}";
    return "{" + names.map(function (name) { return gap + JSON.stringify(name) + colon + json(value[name], deeper); }).join(",") + close + "}";
  }

  /* What a layout calls a number of a type, or the flags in it, as `wirebook decode --explain` does: "" for nothing. */
  function nameOf(listed, number, type) {
    if (!listed.some(function (each) { return each.bit !== undefined; })) {
      const same = listed.find(function (each) { return BigInt(each.value) === BigInt(number); });
      return same ? same.name : "";
    }
    const names = [], unknown = [], bits = Number(/\d+/.exec(type)[0]);
    for (let bit = 0; bit < bits; bit++) {
      if (!(BigInt(number) >> BigInt(bit) & 1n)) continue;
      const flag = listed.find(function (each) { return each.bit === bit; });
      if (flag) names.push(flag.name);
      else unknown.push(bit);
    }
    if (unknown.length) names.push("unknown bit" + (unknown.length > 1 ? "s " : " ") + unknown.join(", "));
    return names.join(", ");
  }

  window.wirebookCodec = { decode: decode, open: open, json: json, hex: hex, someBytes: someBytes, nameOf: nameOf };
})();
