/* Bytes from what somebody has: hex in its many forms, dumps, captured packets, base64, literals of programming languages, files. */
(function () {
  "use strict";

  const MOST = 16 * 1024 * 1024, PARTS = 100;
  const OFFSET = /^\s*(?:\|(?=[0-9a-f]{8}\|))?(?:0x)?([0-9a-f]{4,16})(\||:?(?=\s|$))/i;
  const RULER = /^\s*(\+[-+]{8,}\+|\|?(\s+[0-9a-f]){16}\s*\|)\s*$/i;
  /* What tcpdump and Wireshark write before the bytes of a packet. */
  const HEADER = /\bIP6?\b|length \d|^Frame/;
  const ESCAPES = { n: 10, r: 13, t: 9, 0: 0, a: 7, b: 8, f: 12, v: 11, e: 27, "\\": 92, "\"": 34, "'": 39 };

  class NotationError extends Error {
    constructor(message, line, column) { Object.assign(super(message), { line, column }); }
    toString() { return "line " + this.line + ", column " + this.column + ": " + this.message; }
  }

  function digit(code) {
    const low = code | 32;
    return code >= 48 && code <= 57 ? code - 48 : low >= 97 && low <= 102 ? low - 87 : -1;
  }
  function shown(text, at) {
    const point = text.codePointAt(at), hex = point.toString(16).toUpperCase();
    return point <= 32 || (point >= 0x7f && point < 0xa1) || (point >= 0x2000 && point < 0x2070) ? "U+" + hex.padStart(4, "0") : "\"" + String.fromCodePoint(point) + "\"";
  }
  function count(number, word) { return number + " " + word + (number === 1 ? "" : "s"); }
  function tooLong() { return new NotationError("this is more than " + MOST / 1024 / 1024 + " MiB; paste less", 1, 1); }
  function failAt(text, at, message) {
    const before = text.slice(0, at).split(/\r\n?|\n/);
    return new NotationError(message, before.length, before[before.length - 1].length + 1);
  }

  /* Plain hex: what may separate bytes, 0x and \x before them. A line may break within a byte. */
  function plain(text) {
    const made = new Uint8Array(Math.min(text.length >> 1, MOST) + 1);
    let length = 0, half = -1, halfAt = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at), value = digit(code);
      if (value >= 0 && half < 0) {
        half = value;
        halfAt = at;
      } else if (value >= 0) {
        if (length >= MOST) throw tooLong();
        made[length++] = half * 16 + value;
        half = -1;
      } else if (code !== 10 && code !== 13) {
        const prefix = (code | 32) === 120;
        if (prefix && text[at - 1] === "0" && half === 0) half = -1;
        else if (prefix ? text[at - 1] !== "\\" : !(code === 92 && (text.charCodeAt(at + 1) | 32) === 120) && !/[\s:,;_"'{}[\]()\-\ufeff\u200b]/.test(text[at])) {
          throw failAt(text, at, shown(text, at) + " is not a hex digit");
        }
        if (half >= 0) throw failAt(text, halfAt, "this byte has one digit, and every byte has two");
      }
    }
    if (half >= 0) throw failAt(text, halfAt, "an odd number of digits (" + (2 * length + 1) + "): the last byte has one, and every byte has two");
    return made.slice(0, length);
  }

  /* --- dumps --- */

  /* The bytes in a line of a dump from a column on, with what follows each number of them. */
  function cells(line, from) {
    const bytes = [], ends = [];
    for (let at = from; ;) {
      while (line[at] === " " || line[at] === "\t") at += 1;
      const high = digit(line.charCodeAt(at)), low = digit(line.charCodeAt(at + 1));
      /* What is longer than the words of any dump is text. */
      if (!(high >= 0 && low >= 0) || bytes.length >= 256) return { bytes: bytes, ends: ends };
      bytes.push(high * 16 + low);
      at += 2;
      ends.push(at);
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
  /* A dump as its bytes, or null where the text is none: every line begins with the offset of its first byte. */
  function dump(lines, first) {
    if (!OFFSET.test(lines.find(function (line) { return line.trim() && !RULER.test(line); }) || "")) return null;
    const rows = [];
    for (let number = 0; number < lines.length; number++) {
      const line = lines[number];
      if (!line.trim() || RULER.test(line)) continue;
      if (line.trim() === "*" && rows.length) {
        rows[rows.length - 1].repeated = true;
        rows.push({ repeat: true, number: first + number });
        continue;
      }
      const found = OFFSET.exec(line);
      if (!found) return null;
      rows.push({ offset: parseInt(found[1], 16), digits: found[1].length, mark: found[2], from: found[0].length, line: line, number: first + number });
    }
    const starts = rows.filter(function (row) { return !row.repeat; });
    if (!certain(starts)) return null;
    if (starts.every(function (row) { return row.digits === 7; })) {
      throw new NotationError("a dump with seven digits before each line has its bytes swapped or in octal; use hexdump -C or xxd", starts[0].number + 1, 1);
    }
    return joined(rows, starts);
  }
  /* Offsets that rise by what the lines hold, or one line that can be nothing but a line of a dump. */
  function certain(starts) {
    if (starts.length === 1) return Boolean(starts[0].mark) || (starts[0].offset === 0 && apart(starts[0]));
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
        const until = next ? next.offset - starts[0].offset : length;
        for (let step = 0; before && length < until; step++) made[length++] = before[step % before.length];
        return;
      }
      const found = cells(row.line, row.from), following = rows[place + 1];
      let many = next && following && !following.repeat ? next.offset - row.offset : -1;
      if (many < 0) many = following && before ? before.length : upTo(row.line, found, end);
      if (many > found.bytes.length) {
        const at = found.ends.length ? found.ends[found.ends.length - 1] : row.from;
        throw new NotationError("the line has " + count(found.bytes.length, "byte") + ", but the next offset says " + many, row.number + 1, at + 1);
      }
      before = found.bytes.slice(0, many);
      end = Math.max(end, found.ends[many - 1] || 0);
      made.set(before, length);
      length += many;
    });
    return made.slice(0, length);
  }
  /* Dumps one after the other, such as the packets of tcpdump -X, each with or without a line of words before it; null for no dump. */
  function dumps(text) {
    const lines = text.split(/\r\n?|\n/), parts = [];
    let words = false, start = -1, last = -1;
    for (let at = 0; at <= lines.length; at++) {
      const line = lines[at], found = line === undefined ? null : OFFSET.exec(line), isRow = found && (found[2] || found[1].length > 5 || /^\s{2,}[0-9a-f]{2}/i.test(line.slice(found[0].length)));
      const isDump = line !== undefined && (isRow || RULER.test(line) || line.trim() === "*"), offset = isRow ? parseInt(found[1], 16) : -1;
      if (start >= 0 && (!isDump || (isRow && offset <= last && offset === 0))) {
        if (line === undefined || line.trim() || isDump) {
          parts.push({ from: start, to: at });
          start = last = -1;
        }
      }
      if (isDump && start < 0) start = at;
      if (isRow) last = offset;
      if (line !== undefined && line.trim() && !isDump) words = true;
    }
    if (!parts.length) return null;
    const made = parts.map(function (part) { return dump(lines.slice(part.from, part.to), part.from); });
    const others = lines.filter(function (line, at) { return !HEADER.test(line) && !parts.some(function (part) { return part.from <= at && at < part.to; }); });
    const rest = inParts(others.join("\n").split(/\n\s*\n/), "part");
    if (made.some(function (each) { return each === null; }) || (words && !rest && parts.length === 1 && !HEADER.test(text))) return null;
    return { parts: made, lines: lines.filter(function (line) { return line.trim() && !(rest && others.includes(line)); }).length, words: words, rest: rest };
  }

  /* --- packets --- */

  /* What TCP carries in a packet that begins with IP, or with a link layer before it, as far as it was captured; null for anything else. */
  function payload(bytes) {
    for (const start of [0, 14, 16, 4, 18, 20]) {
      const version = bytes[start] >> 4, view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      if (start + 40 > bytes.length || (version !== 4 && version !== 6)) continue;
      const size = version === 4 ? 4 * (bytes[start] & 15) : 40, whole = version === 4 ? view.getUint16(start + 2) : view.getUint16(start + 4) + 40;
      if (size < 20 || bytes[start + (version === 4 ? 9 : 6)] !== 6 || whole < size + 20) continue;
      const tcp = start + size, data = tcp + 4 * (bytes[tcp + 12] >> 4);
      if (data < tcp + 20 || data > start + whole || data > bytes.length || (start + whole > bytes.length && !isHeader(bytes, start, size))) continue;
      const addresses = version === 4 ? [bytes.subarray(start + 12, start + 16), bytes.subarray(start + 16, start + 20)] : [bytes.subarray(start + 8, start + 24), bytes.subarray(start + 24, start + 40)];
      return { flow: addresses.join(">") + ":" + view.getUint16(tcp) + ">" + view.getUint16(tcp + 2), sequence: view.getUint32(tcp + 4), length: start + whole - data, bytes: bytes.subarray(data, start + whole) };
    }
    return null;
  }
  /* Whether a header of IP begins here, for sure: the checksum of version 4 is right, or left to the network card. */
  function isHeader(bytes, start, size) {
    if (bytes[start] >> 4 === 6) return bytes[start] === 0x60;
    let sum = 0;
    for (let at = start; at < start + size; at += 2) sum += bytes[at] * 256 + bytes[at + 1];
    return bytes[start + 10] + bytes[start + 11] === 0 || sum % 0xffff === 0;
  }
  /* The streams of packets, each from one side of a connection, without what was sent again. What is missing, because a packet was cut
     or not captured, ends one and begins another: `gap` is how many bytes, -1 before the first. */
  function streams(packets) {
    const flows = new Map();
    packets.forEach(function (packet) {
      if (!packet.bytes.length) return;
      if (!flows.has(packet.flow)) flows.set(packet.flow, []);
      const flow = flows.get(packet.flow);
      if (!flow.some(function (each) { return each.sequence === packet.sequence; })) flow.push(packet);
    });
    return [...flows.values()].flatMap(function (flow) {
      const first = flow[0].sequence, made = [];
      flow.sort(function (a, b) { return ((a.sequence - first) | 0) - ((b.sequence - first) | 0); });
      flow.forEach(function (packet, place) {
        const before = flow[place - 1], gap = before ? (packet.sequence - before.sequence - before.bytes.length) | 0 : -1;
        if (gap === 0) made[made.length - 1].parts.push(packet.bytes);
        else made.push({ gap: gap, parts: [packet.bytes] });
      });
      return made.map(function (each) { return { gap: each.gap, bytes: concatenated(each.parts) }; });
    });
  }
  function concatenated(parts) {
    const made = new Uint8Array(parts.reduce(function (sum, part) { return sum + part.length; }, 0));
    let at = 0;
    parts.forEach(function (part) { made.set(part, at); at += part.length; });
    return made;
  }
  /* Packets as one more choice, if each is one; null otherwise. `isCut` is whether one was captured in part. */
  function ofPackets(notation, parts) {
    const packets = parts.map(payload);
    if (!parts.length || !packets.every(Boolean)) return null;
    const found = streams(packets), isCut = packets.some(function (each) { return each.bytes.length < each.length; });
    return { notation: notation, streams: found.map(function (each) { return each.bytes; }), gaps: found.map(function (each) { return each.gap; }), isCut: isCut };
  }

  /* --- literals --- */

  /* Lists such as [0, 18], []byte{0x0, 18}, vec![0u8, 18], {(byte) -1, 0}, without what is around them, or numbers alone; else null. */
  function numbers(text) {
    const bare = text.replace(/\/\/.*|\/\*[^]*?\*\/|#(?!\[).*|\(byte\)/gi, " "), within = bare.matchAll(/[[{(]([^[\]{}()]*)[\]})]/g);
    const lists = [...within].map(function (each) { return octets(each[1]); }).filter(function (each) { return each && each.length > 1; });
    return lists.length ? concatenated(lists) : octets(bare);
  }
  function octets(text) {
    const tokens = text.split(/[\s,;[\](){}]+/).filter(Boolean), values = tokens.map(function (token) {
      const found = /^(-?(?:0x[0-9a-f]{1,2}|0b[01]{1,8}|0|[1-9]\d{0,2}))(?:_?[iu]8)?$/i.exec(token);
      return found ? Number(found[1]) : NaN;
    });
    return tokens.length && values.every(function (value) { return value >= -128 && value <= 255; }) ? Uint8Array.from(values) : null;
  }
  /* Strings with escapes, such as b'\x00\x12abc' and "\0\u{12}": all of them, one after the other; null where the text is something else. */
  function strings(text) {
    const quoted = /(?:\b(?:rb|br|b|c|B)?)?(["'])((?:\\[\s\S]|(?!\1)[^\\])*)\1/g, found = [...text.matchAll(quoted)], rest = text.replace(quoted, " "), made = [];
    const bodies = found.length ? found.map(function (each) { return each[2]; }) : [text.trim()];
    if (found.length ? /\\|0x|[^\x00-\x7f]/.test(rest) : !/\\x[0-9a-f]{2}/i.test(text)) return null;
    if (!bodies.some(function (each) { return /\\/.test(each); })) return null;
    for (const body of bodies) {
      for (const part of body.matchAll(/\\x([0-9a-f]{2})|\\u\{([0-9a-f]+)\}|\\u([0-9a-f]{4})|\\([0-3][0-7]{2})|\\\r?\n\s*|\\([\s\S])|([\s\S])/giu)) {
        if (part[1] !== undefined) made.push(parseInt(part[1], 16));
        else if (part[4] !== undefined) made.push(parseInt(part[4], 8));
        else if (part[5] !== undefined) {
          if (!(part[5] in ESCAPES)) return null;
          made.push(ESCAPES[part[5]]);
        } else if (part[2] || part[3] || part[6]) made.push(...new TextEncoder().encode(part[6] || String.fromCodePoint(parseInt(part[2] || part[3], 16))));
      }
    }
    return Uint8Array.from(made);
  }
  function base64(text) {
    const lines = text.replace(/^data:[^,]*,/, "").split(/\s+/), bare = lines.join("").replace(/-/g, "+").replace(/_/g, "/");
    /* Lines of base64 are of one length, but for the last. */
    if (lines.slice(0, -1).some(function (line) { return line.length < 16 || line.length !== lines[0].length; })) return null;
    if (bare.length < 8 || !/^[A-Za-z0-9+/]+={0,2}$/.test(bare) || bare.replace(/=+$/, "").length % 4 === 1) return null;
    return Uint8Array.from(atob(bare.replace(/=+$/, "")), function (char) { return char.charCodeAt(0); });
  }

  /* Bytes in several notations, one after the other; null where a part is none. */
  function inParts(texts, name) {
    const parts = texts.map(function (text) { return text.trim(); }).filter(Boolean);
    if (!parts.length || parts.length > PARTS) return null;
    const found = parts.map(function (part) { return alone(part).choices[0]; });
    if (!found.every(Boolean)) return null;
    const names = [...new Set(found.map(function (each) { return each.notation; }))].join(" and ");
    return { notation: names + " on " + count(parts.length, name), streams: found.flatMap(function (each) { return each.streams; }) };
  }
  /* What a text may be, the likeliest first: [{notation, streams: [bytes]}]. Raises NotationError with line and column if it is nothing. */
  function read(text) {
    if (text.length > 4 * MOST) throw tooLong();
    const found = dumps(text), made = [];
    if (found) {
      const lines = count(found.lines, "line"), packets = ofPackets("packets of TCP in " + lines + " of a dump", found.parts);
      if (packets) made.push(packets);
      if (!packets || !packets.isCut) made.push({ notation: "a dump of " + lines, streams: found.parts });
      if (found.rest) made.forEach(function (each) { Object.assign(each, { notation: each.notation + ", and " + found.rest.notation, streams: each.streams.concat(found.rest.streams), gaps: each.gaps && each.gaps.concat(found.rest.streams.map(function () { return -1; })) }); });
      return made;
    }
    const paragraphs = text.trim().split(/\n\s*\n/), lines = text.trim().split(/\s*(?:\r\n?|\n)\s*/);
    const parts = (paragraphs.length > 1 && inParts(paragraphs, "part")) || (lines.length > 1 && inParts(lines, "line"));
    const { choices, failure } = alone(text);
    if (!choices.length && !parts && text.trim()) throw failure;
    /* What has fewer bytes than all parts leaves one out. */
    return parts ? choices.filter(function (each) { return size(each) >= size(parts); }).concat(parts) : choices;
  }
  function size(choice) { return concatenated(choice.streams).length; }
  /* What a text in one notation may be, if it is no dump, and else why not. */
  function alone(given) {
    const calls = [...given.matchAll(/(?:hex|decode)\w*!?\s*\(\s*["']([^"']*)["']/gi)].map(function (call) { return call[1]; });
    const text = calls.length ? calls.join(" ") : given, made = [], trimmed = text.trim();
    function add(notation, bytes) { if (bytes) made.push({ notation: notation, streams: [bytes] }); }
    let failure = null;
    try {
      add("hex", plain(text));
    } catch (error) {
      if (!(error instanceof NotationError)) throw error;
      failure = error;
    }
    if (made.length) {
      const packets = ofPackets("a packet of TCP in hex", [made[0].streams[0]]);
      if (packets && packets.isCut) return { choices: [packets], failure: null };
      if (packets) made.unshift(packets);
    }
    if (/\\/.test(trimmed)) add("a string with escapes", strings(trimmed));
    add("numbers", numbers(trimmed));
    if (failure || /[g-z+/=]/i.test(trimmed)) add("base64", base64(trimmed));
    return { choices: made, failure: failure };
  }
  /* The same of the bytes of a file, which may hold text. */
  function readFile(bytes) {
    if (bytes.length > 4 * MOST) throw tooLong();
    const whole = [{ notation: "a file", streams: [bytes] }];
    if (!bytes.every(function (byte) { return byte === 9 || byte === 10 || byte === 13 || (byte >= 32 && byte < 127); })) return whole;
    try {
      return read(new TextDecoder().decode(bytes)).concat(whole);
    } catch (error) {
      return whole;
    }
  }

  window.wirebookNotation = { read: read, readFile: readFile, plain: plain, NotationError: NotationError };
})();
