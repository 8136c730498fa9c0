/* Bytes from what somebody pasted: plain hex in its many forms, or a dump with offsets and a column of text. */
(function () {
  "use strict";

  const MOST = 16 * 1024 * 1024;
  const OFFSET = /^\s*(?:\|(?=[0-9a-f]{8}\|))?(?:0x)?([0-9a-f]{4,16})(\||:?(?=\s|$))/i;
  const FRAME = /^\s*(\+[-+]{8,}\+|\|?(\s+[0-9a-f]){16}\s*\|)\s*$/i;

  class HexError extends Error {
    constructor(message, line, column) {
      super(message);
      this.line = line;
      this.column = column;
    }
    toString() { return "line " + this.line + ", column " + this.column + ": " + this.message; }
  }

  function digit(code) {
    if (code >= 48 && code <= 57) return code - 48;
    const low = code | 32;
    return low >= 97 && low <= 102 ? low - 87 : -1;
  }
  function shown(text, at) {
    const point = text.codePointAt(at), hex = point.toString(16).toUpperCase();
    return point <= 32 || (point >= 0x7f && point < 0xa1) || (point >= 0x2000 && point < 0x2070) ? "U+" + hex.padStart(4, "0") : "\"" + String.fromCodePoint(point) + "\"";
  }
  function count(number, word) { return number + " " + word + (number === 1 ? "" : "s"); }
  function tooLong() { return new HexError("this is more than " + MOST / 1024 / 1024 + " MiB; paste one message", 1, 1); }

  /* Plain hex: what may separate bytes, 0x and \x before them. A line may break within a byte. */
  function plain(text) {
    const made = new Uint8Array(Math.min(text.length >> 1, MOST) + 1);
    let length = 0, half = -1, line = 1, lineStart = 0, halfLine = 0, halfColumn = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at), value = digit(code);
      if (value >= 0) {
        if (half < 0) {
          half = value;
          halfLine = line;
          halfColumn = at - lineStart + 1;
        } else {
          if (length >= MOST) throw tooLong();
          made[length++] = half * 16 + value;
          half = -1;
        }
        continue;
      }
      if (code === 10 || code === 13) {
        if (code === 10 || text.charCodeAt(at + 1) !== 10) {
          line += 1;
          lineStart = at + 1;
        }
        continue;
      }
      const prefix = (code | 32) === 120;
      if (prefix && text[at - 1] === "0" && half === 0) half = -1;
      else if (prefix && text[at - 1] !== "\\") throw foreign(text, at, line, lineStart);
      else if (!prefix && !(code === 92 && (text.charCodeAt(at + 1) | 32) === 120) && !/[\s:,;_"'{}[\]()\-\ufeff\u200b]/.test(text[at])) {
        throw foreign(text, at, line, lineStart);
      }
      if (half >= 0) throw new HexError("this byte has one digit, and every byte has two", halfLine, halfColumn);
    }
    if (half >= 0) {
      throw new HexError("an odd number of digits (" + (2 * length + 1) + "): the last byte has one, and every byte has two", halfLine, halfColumn);
    }
    return made.slice(0, length);
  }
  function foreign(text, at, line, lineStart) { return new HexError(shown(text, at) + " is not a hex digit", line, at - lineStart + 1); }

  /* The bytes in a line of a dump from a column on, with what follows each number of them. */
  function cells(line, from) {
    const bytes = [], ends = [];
    for (let at = from; ;) {
      while (line[at] === " " || line[at] === "\t") at += 1;
      const high = digit(line.charCodeAt(at)), low = digit(line.charCodeAt(at + 1));
      if (!(high >= 0 && low >= 0)) return { bytes: bytes, ends: ends };
      bytes.push(high * 16 + low);
      at += 2;
      ends.push(at);
      /* What is longer than the words of any dump is text. */
      if (bytes.length >= 256) return { bytes: bytes, ends: ends };
    }
  }
  /* How many of the columns of a line are bytes, if no next line determines it. `end` is where those of the line before end, or 0. */
  function upTo(line, row, end) {
    const last = row.bytes.length;
    if (end) return row.ends.filter(function (each) { return each <= end; }).length;
    for (let many = 1; many <= last; many++) {
      const rest = line.slice(row.ends[many - 1]).replace(/\|?\s*$/, ""), text = asText(row.bytes.slice(0, many)).trimEnd();
      if (text && rest.endsWith(text) && /^\s+\|?\s*$/.test(rest.slice(0, rest.length - text.length))) return many;
    }
    for (let many = 1; many < last; many++) {
      /* The column of text is behind two spaces and holds more than bytes; hexdump -C has two spaces after eight. */
      const rest = line.slice(row.ends[many - 1]);
      if (/^\s{2,}\S/.test(rest) && /[^0-9a-f\s]/i.test(rest) && many !== 8) return many;
    }
    return last;
  }
  function asText(bytes) {
    return bytes.map(function (byte) { return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "."; }).join("");
  }

  /* A dump, or null where the text is none: every line begins with the offset of its first byte. */
  function dump(text) {
    if (!OFFSET.test(text.slice(0, 2000).split(/\r\n?|\n/).find(function (line) { return line.trim() && !FRAME.test(line); }) || "")) return null;
    const lines = text.split(/\r\n?|\n/), rows = [];
    for (let number = 0; number < lines.length; number++) {
      const line = lines[number];
      if (!line.trim() || FRAME.test(line)) continue;
      if (line.trim() === "*" && rows.length) {
        rows[rows.length - 1].repeated = true;
        rows.push({ repeat: true, number: number });
        continue;
      }
      const found = OFFSET.exec(line);
      if (!found) return null;
      rows.push({ offset: parseInt(found[1], 16), digits: found[1].length, mark: found[2], from: found[0].length, line: line, number: number });
    }
    const starts = rows.filter(function (row) { return !row.repeat; });
    if (!certain(starts)) return null;
    if (starts.every(function (row) { return row.digits === 7; })) {
      throw new HexError("a dump with seven digits before each line has its bytes swapped or in octal; use hexdump -C or xxd", starts[0].number + 1, 1);
    }
    return joined(rows, starts);
  }
  /* Offsets that rise by what the lines hold, or one line that can be nothing but a line of a dump. */
  function certain(starts) {
    if (starts.length === 1) {
      const only = starts[0];
      return Boolean(only.mark) || (only.offset === 0 && apart(only));
    }
    return starts.length > 1 && starts.every(function (row, place) {
      const next = starts[place + 1];
      return (row.mark || row.digits > 5 || apart(row)) && (!next || next.offset > row.offset);
    }) && (starts[0].repeated || starts[1].offset - starts[0].offset <= 256);
  }
  function apart(row) { return /^\s{2,}[0-9a-f]{2}/i.test(row.line.slice(row.from)); }
  function joined(rows, starts) {
    const size = starts[starts.length - 1].offset - starts[0].offset + 256;
    if (size > MOST) throw tooLong();
    const made = new Uint8Array(size);
    let length = 0, before = null, end = 0;
    rows.forEach(function (row, place) {
      const next = rows.slice(place + 1, place + 3).find(function (each) { return !each.repeat; });
      if (row.repeat) {
        const end = next ? next.offset - starts[0].offset : length;
        for (let step = 0; before && length < end; step++) made[length++] = before[step % before.length];
        return;
      }
      const found = cells(row.line, row.from), following = rows[place + 1];
      let many = next && following && !following.repeat ? next.offset - row.offset : -1;
      if (many < 0) many = following && before ? before.length : upTo(row.line, found, end);
      if (many > found.bytes.length) {
        const at = found.ends.length ? found.ends[found.ends.length - 1] : row.from;
        const message = "the line has " + count(found.bytes.length, "byte") + ", but the next offset says " + many;
        throw new HexError(message, row.number + 1, at + 1);
      }
      before = found.bytes.slice(0, many);
      end = Math.max(end, found.ends[many - 1] || 0);
      made.set(before, length);
      length += many;
    });
    return { bytes: made.slice(0, length), lines: rows.length };
  }

  /* {bytes, note} of a text. Raises HexError with line and column. */
  function read(text) {
    if (text.length > 4 * MOST) throw tooLong();
    const found = dump(text);
    if (found) return { bytes: found.bytes, note: "Read as a dump: the offsets and the text beside the bytes of " + count(found.lines, "line") + " are left out." };
    return { bytes: plain(text), note: "" };
  }

  window.wirebookHex = { read: read, HexError: HexError };
})();
