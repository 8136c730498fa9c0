/* specs/wire/ the other way: a value as JSON to its bytes, by the layouts of the published JSON; and the page Encode messages. */
(function () {
  "use strict";

  const MAX_STRING = 32767, UNKNOWN = "@unknownTaggedFields", RESERVED = 2147483647;
  const INTEGERS = { INT8: [1, true], INT16: [2, true], UINT16: [2, false], INT32: [4, true], UINT32: [4, false], INT64: [8, true] };
  const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, HEX = /^(?:[0-9a-f]{2})*$/i;

  class EncodeError extends Error {
    constructor(message, path) {
      super(message);
      this.path = path || "";
    }
    below(name) {
      this.path = this.path ? name + (this.path.startsWith("[") ? "" : ".") + this.path : name;
      return this;
    }
    toString() { return (this.path ? this.path + ": " : "") + this.message; }
  }
  function within(name, write) {
    try {
      write();
    } catch (error) {
      throw error instanceof EncodeError ? error.below(name) : error;
    }
  }
  function shown(value) {
    if (Array.isArray(value)) return "a list";
    if (value !== null && typeof value === "object") return "an object";
    return typeof value === "string" ? JSON.stringify(value.slice(0, 41)) : String(value).slice(0, 40);
  }
  function expected(what, value, nullable) {
    if (value === null) return new EncodeError(what + " is expected; it is not nullable in this version");
    return new EncodeError(what + (nullable ? " or null" : "") + " is expected, not " + shown(value));
  }

  /* --- a message --- */

  class Writer {
    constructor() { this.bytes = []; }
    unsigned(value) {
      while (value > 0x7f) {
        this.bytes.push(value % 128 + 128);
        value = Math.floor(value / 128);
      }
      this.bytes.push(value);
    }
    integer(value, size) {
      for (let left = BigInt(size - 1); left >= 0n; left--) this.bytes.push(Number(BigInt.asUintN(64, BigInt(value)) >> 8n * left & 0xffn));
    }
    append(bytes) { for (const byte of bytes) this.bytes.push(byte); }
    length(type, length) {
      if (type.startsWith("COMPACT_")) this.unsigned(length === null ? 0 : length + 1);
      else this.integer(length === null ? -1 : length, type.endsWith("STRING") ? 2 : 4);
    }

    struct(fields, flexible, value) {
      if (value === null || typeof value !== "object" || Array.isArray(value)) throw expected("an object", value, false);
      const names = new Set(fields.map(function (field) { return field.name; }));
      Object.keys(value).forEach(function (name) {
        if (!names.has(name) && !(flexible && name === UNKNOWN)) throw new EncodeError("this version has no such field").below(name);
      });
      fields.filter(function (field) { return field.tag === null; }).forEach((field) => {
        within(field.name, () => { this.field(field, flexible, Object.hasOwn(value, field.name) ? value[field.name] : usual(field)); });
      });
      if (flexible) this.section(fields, value);
    }
    field(field, flexible, value) {
      if (field.element) return this.array(field, flexible, value);
      if (!field.fields) return this.scalar(field.type, field.nullable, value);
      if (field.nullable) {
        if (value === null) return this.bytes.push(field.tag === null ? 0xff : 0);
        this.bytes.push(1);
      }
      this.struct(field.fields, flexible, value);
    }
    array(field, flexible, value) {
      if (value === null && field.nullable) return this.length(field.type, null);
      if (!Array.isArray(value)) throw expected("a list", value, field.nullable);
      this.length(field.type, value.length);
      value.forEach((item, place) => {
        within("[" + place + "]", () => {
          if (field.fields) this.struct(field.fields, flexible, item);
          else this.scalar(field.element, false, item);
        });
      });
    }
    scalar(type, nullable, value) {
      if (type === "BOOLEAN") {
        if (typeof value !== "boolean") throw expected("true or false", value, false);
        return this.bytes.push(value ? 1 : 0);
      }
      if (type in INTEGERS) return this.whole(type, value);
      if (type === "UUID") {
        if (typeof value !== "string" || !UUID.test(value)) throw expected("a uuid as 8-4-4-4-12 hex digits", value, false);
        return this.append(bytesOf(value.replace(/-/g, "")));
      }
      if (type === "FLOAT64") return this.float(value);
      if (value === null && nullable) return this.length(type, null);
      if (type.endsWith("STRING")) return this.string(type, nullable, value);
      if (typeof value !== "string" || !HEX.test(value)) throw expected("bytes in hex", value, nullable);
      this.length(type, value.length / 2);
      this.append(bytesOf(value));
    }
    whole(type, value) {
      const [size, signed] = INTEGERS[type], bits = BigInt(8 * size);
      if (typeof value !== "bigint" && !Number.isInteger(value)) throw expected("a whole number", value, false);
      const lowest = signed ? -(1n << bits - 1n) : 0n, highest = (1n << (signed ? bits - 1n : bits)) - 1n, number = BigInt(value);
      if (number < lowest || number > highest) throw new EncodeError(shown(value) + " does not fit " + type + " (" + lowest + " to " + highest + ")");
      this.integer(number, size);
    }
    float(value) {
      const number = ["NaN", "Infinity", "-Infinity"].includes(value) ? Number(value) : typeof value === "bigint" ? Number(value) : value;
      if (typeof number !== "number") throw expected("a number", value, false);
      const made = new Uint8Array(8);
      new DataView(made.buffer).setFloat64(0, number);
      this.append(made);
    }
    string(type, nullable, value) {
      if (typeof value !== "string") throw expected("a string", value, nullable);
      if (/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(value)) throw new EncodeError("this string has half of a surrogate pair, which UTF-8 cannot encode");
      const text = new TextEncoder().encode(value);
      if (text.length > MAX_STRING) throw new EncodeError("a string of " + text.length + " bytes; the limit is " + MAX_STRING);
      this.length(type, text.length);
      this.append(text);
    }
    /* The tagged section of a struct (KIP-482): what has its default is left out. */
    section(fields, value) {
      const known = fields.filter(function (field) { return field.tag !== null; }), written = [];
      known.forEach(function (field) {
        if (!Object.hasOwn(value, field.name) || value[field.name] === null && field.default === null) return;
        const made = new Writer(), default_ = new Writer();
        within(field.name, function () { made.field(field, true, value[field.name]); });
        try {
          default_.field(field, true, usual(field));
        } catch (error) {
          default_.bytes = null; /* a default that the type does not allow is equal to no value */
        }
        if (!default_.bytes || made.bytes.join() !== default_.bytes.join()) written.push([field.tag, made.bytes]);
      });
      if (Object.hasOwn(value, UNKNOWN)) within(UNKNOWN, function () { written.push(...unknown(value[UNKNOWN], known)); });
      written.sort(function (a, b) { return a[0] - b[0]; });
      this.unsigned(written.length);
      written.forEach(([tag, content]) => {
        this.unsigned(tag);
        this.unsigned(content.length);
        this.append(content);
      });
    }
  }
  function unknown(given, known) {
    if (!Array.isArray(given)) throw expected("a list", given, false);
    const seen = new Set(known.map(function (field) { return field.tag; }));
    return given.map(function (entry, place) {
      let made = null;
      within("[" + place + "]", function () {
        if (entry === null || typeof entry !== "object" || Object.keys(entry).sort().join() !== "data,tag") throw new EncodeError("an object with \"tag\" and \"data\" is expected");
        if (!Number.isInteger(entry.tag) || entry.tag < 0 || entry.tag > 0xffffffff) throw new EncodeError(shown(entry.tag) + " is not a tag").below("tag");
        if (entry.tag === RESERVED) throw new EncodeError(entry.tag + " cannot be written: Java's generated classes reserve it").below("tag");
        if (typeof entry.data !== "string" || !HEX.test(entry.data)) throw expected("bytes in hex", entry.data, false).below("data");
        if (seen.has(entry.tag)) throw new EncodeError("tag " + entry.tag + " is not unknown, or appears twice");
        seen.add(entry.tag);
        made = [entry.tag, bytesOf(entry.data)];
      });
      return made;
    });
  }
  /* The default of a field; published.js keeps one of 64 bits as digits. */
  function usual(field) { return typeof field.default === "string" && field.type in INTEGERS ? BigInt(field.default) : field.default; }
  function bytesOf(hex) { return (hex.match(/../g) || []).map(function (pair) { return parseInt(pair, 16); }); }

  /* The bytes of a value by a layout. Raises an EncodeError that names the field. */
  function encode(layout, value) {
    const writer = new Writer();
    writer.struct(layout.fields, layout.flexible, value);
    return Uint8Array.from(writer.bytes);
  }
  /* JSON with whole numbers of more digits than a number of JavaScript keeps: these are BigInts. Raises a SyntaxError. */
  function parse(text) {
    const MARK = "\u0000whole:";
    const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;
    const marked = text.replace(TOKEN, function (token) { return /^-?\d{16,}$/.test(token) ? JSON.stringify(MARK + token) : token; });
    return JSON.parse(marked, function (_, value) { return typeof value === "string" && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value; });
  }

  /* --- what a reader begins with, and what programs take --- */

  /* A value with every field that has no tag: defaults, and one element in each array of structs. */
  function template(fields) {
    const made = {};
    fields.forEach(function (field) {
      if (field.tag === null) made[field.name] = fresh(field, false);
    });
    return made;
  }
  /* What a field begins with; not null if the value is `filled`. */
  function fresh(field, filled) {
    if (field.fields) return field.element ? [template(field.fields)] : field.nullable && !filled ? null : template(field.fields);
    if (field.element) return [];
    if (field.default === null || field.default === undefined) return field.nullable && !filled ? null : ZERO[field.type] ?? (INTEGERS[field.type] ? 0 : "");
    return usual(field);
  }
  const ZERO = { BOOLEAN: false, FLOAT64: 0, UUID: "00000000-0000-0000-0000-000000000000" };
  function lines(items, width) {
    const rows = [];
    for (let at = 0; at < items.length; at += width) rows.push("    " + items.slice(at, at + width).join(", ") + ",");
    return rows.join("\n");
  }
  const LANGUAGES = {
    Python: function (bytes, hex) { return "data = bytes.fromhex(\n" + (hex.match(/.{1,64}/g) || [""]).map(function (part) { return "    \"" + part + "\""; }).join("\n") + "\n)"; },
    Go: function (bytes) { return "data := []byte{\n" + lines(hexes(bytes), 12) + "\n}"; },
    Java: function (bytes) { return "byte[] data = {\n" + lines(hexes(bytes).map(function (text, at) { return bytes[at] > 127 ? "(byte) " + text : text; }), 8) + "\n};"; },
    Rust: function (bytes) { return "let data: [u8; " + bytes.length + "] = [\n" + lines(hexes(bytes), 12) + "\n];"; },
    C: function (bytes) { return "const unsigned char data[" + (bytes.length || 1) + "] = {\n" + lines(bytes.length ? hexes(bytes) : ["0"], 12) + "\n};"; },
  };
  function hexes(bytes) { return Array.from(bytes, function (byte) { return "0x" + byte.toString(16).padStart(2, "0"); }); }
  function literals(bytes) {
    const hex = hexes(bytes).map(function (text) { return text.slice(2); }).join("");
    return Object.keys(LANGUAGES).map(function (name) { return { name: name, text: LANGUAGES[name](bytes, hex) }; });
  }

  window.wirebookEncode = { encode: encode, parse: parse, template: template, literals: literals, EncodeError: EncodeError };

  /* --- the page --- */

  function start() {
    const form = document.getElementById("wb-encode"), status = document.getElementById("wb-encode-status"), out = document.getElementById("wb-encode-result");
    if (!form) return;
    const { element, load, messages, offer, named, place } = wirebookPublished, { api, version, message, frame, header, value, view } = form.elements, list = messages();
    const fields = document.getElementById("wb-encode-fields"), json = value.closest("p");
    let turn = 0, headers = null, doc = null;
    offer(api, list);

    function say(text, parts, wrong) {
      status.textContent = text;
      status.classList.toggle("wb-wrong", Boolean(wrong));
      out.replaceChildren(...parts);
    }
    function sideOf(each) { return each.type === "request" || each.type === "response" ? each.type : each.name; }
    function layout() {
      const chosen = doc.messages.find(function (each) { return sideOf(each) === message.value; });
      return chosen && chosen.versions[version.value] ? chosen.versions[version.value].layout : null;
    }
    function headerOf(body) {
      const known = headers[body.type] || headers.others[body.type];
      return body.header_version === null || !known ? null : known.find(function (each) { return each.version === body.header_version; }) || null;
    }
    function fill(wanted, side) {
      version.replaceChildren(...doc.versions.map(function (each) { return new Option(each.version + (each.state === "current" ? "" : " (" + each.state + ")"), each.version); }));
      message.replaceChildren(...doc.messages.map(function (each) { return new Option(sideOf(each), sideOf(each)); }));
      version.value = doc.newest_stable === null ? doc.versions[0].version : doc.newest_stable;
      if (doc.versions.some(function (each) { return String(each.version) === wanted; })) version.value = wanted;
      if (side && doc.messages.some(function (each) { return sideOf(each) === side; })) message.value = side;
    }
    async function choose(wanted, side, text) {
      const mine = ++turn;
      try {
        headers = await load("headers.json");
        const loaded = await load("api/" + api.value + ".json");
        if (mine !== turn) return;
        doc = loaded;
        fill(wanted, side);
        renew(text);
      } catch (error) {
        if (mine === turn) say(error.message, [], true);
      }
    }
    function renew(text) {
      const body = layout();
      if (!body) return say(doc.api + " has no " + message.value + " of version " + version.value + ".", [], true);
      value.value = text || wirebookCodec.json(template(body.fields), "");
      show();
    }
    /* The value as a form or as JSON; JSON that the encoder refuses, or that is long, has no form. */
    function show() {
      const body = layout();
      let given = null, why = "";
      if (body && view.value === "form") {
        try {
          given = parse(value.value);
          encode(body, given);
          if (wirebookForm.size(given) > wirebookForm.MOST) why = "The value is too long for a form: edit it as JSON.";
        } catch (error) {
          if (!(error instanceof EncodeError || error instanceof SyntaxError)) throw error;
          why = "Correct the JSON to edit it as a form. " + wrong(error);
        }
      }
      if (why) view.value = "json";
      fields.hidden = view.value !== "form";
      json.hidden = !fields.hidden;
      fields.replaceChildren();
      if (!fields.hidden && given) {
        wirebookForm.draw(fields, given, {
          layout: body, element: element, fresh: fresh,
          changed: function () {
            value.value = wirebookCodec.json(given, "");
            run();
          },
        });
      }
      run();
      if (why) say(why, [], true);
    }
    function wrong(error) { return error instanceof SyntaxError ? "This is not valid JSON: " + error.message : String(error); }
    function headed(body, head) {
      const roles = headers.fields, values = { [roles.api_key]: body.api_key, [roles.api_version]: body.version, [roles.correlation_id]: 1, [roles.client_id]: "my-client" };
      Object.keys(values).forEach(function (name) { if (!head.fields.some(function (field) { return field.name === name; })) delete values[name]; });
      return encode(head, values);
    }
    function run() {
      const body = doc && layout();
      if (!body) return;
      value.setAttribute("aria-invalid", "false");
      wirebookForm.mark(fields, "", status);
      const fragment = { api: api.value, version: version.value, message: message.value };
      if (value.value.length <= 2000) fragment.value = value.value;
      history.replaceState(null, "", "#" + new URLSearchParams(fragment));
      try {
        let bytes = encode(body, parse(value.value));
        const head = header.checked ? headerOf(body) : null, size = frame && frame.checked ? headers.frame_length : 0;
        if (head) bytes = Uint8Array.from([...headed(body, head), ...bytes]);
        if (size) {
          const before = new Writer();
          before.integer(bytes.length, size);
          bytes = Uint8Array.from([...before.bytes, ...bytes]);
        }
        report(bytes, body, head, size);
      } catch (error) {
        if (!(error instanceof EncodeError || error instanceof SyntaxError)) throw error;
        value.setAttribute("aria-invalid", "true");
        wirebookForm.mark(fields, error.path, status);
        say(wrong(error), [], true);
      }
    }
    function report(bytes, body, head, size) {
      const hex = wirebookCodec.hex(bytes), decoder = place("decode"), parts = [["Hex", hex.match(/.{1,64}/g) || []]].map(function (pair) { return { name: pair[0], text: pair[1].join("\n") }; });
      const how = [size && "length", head && "header"].filter(Boolean).join(" ");
      const shown_ = parts.concat(literals(bytes)).flatMap(function (each) {
        return [element("h3", {}, each.name), element("pre", { tabindex: "0", "aria-label": each.name }, element("code", {}, each.text))];
      });
      if (decoder && bytes.length <= 1000) {
        const link = decoder + "#" + new URLSearchParams({ api: api.value, version: version.value, message: message.value, with: how, hex: hex });
        shown_.unshift(element("p", {}, element("a", { href: link }, "Which field each byte is")));
      }
      say(body.message + " version " + body.version + ": " + bytes.length + (bytes.length === 1 ? " byte" : " bytes") + (how ? ", with its " + how.replace(" ", " and ") : "") + ".", shown_);
    }
    async function follow() {
      const fragment = new URLSearchParams(location.hash.slice(1)), wanted = fragment.get("api"), found = wanted === null ? null : named(list, wanted);
      if (found) api.value = found.slug;
      await choose(fragment.get("version"), fragment.get("message"), fragment.get("value"));
      if (wanted !== null && !found) say("There is no API or message \u201c" + wanted.slice(0, 60) + "\u201d here.", [], true);
    }
    api.addEventListener("change", function () { choose(null, message.value); });
    [version, message].forEach(function (select) { select.addEventListener("change", function () { renew(); }); });
    [value, header, frame].forEach(function (input) { if (input) input.addEventListener("input", run); });
    form.querySelectorAll("[name=view]").forEach(function (each) { each.addEventListener("change", show); });
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    form.addEventListener("reset", function () { setTimeout(renew); });
    addEventListener("hashchange", follow);
    follow();
  }
  if (typeof document === "undefined") return;
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
