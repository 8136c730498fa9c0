/* The tab Encode of the page Decode: a value in JSON to bytes, by the layout of a version; the inverse of codec.js. */
(function () {
  "use strict";

  const UNKNOWN = "@unknownTaggedFields", MAX_STRING = 32767;
  const SIZES = { INT8: 1, INT16: 2, UINT16: 2, INT32: 4, UINT32: 4, INT64: 8 };

  function fail(path, message) { throw new Error((path ? path + ": " : "") + message); }
  function varint(bytes, value) {
    for (; value > 127; value = Math.floor(value / 128)) bytes.push(value % 128 + 128);
    bytes.push(value);
  }
  function fixed(bytes, value, size) { for (let place = size - 1; place >= 0; place--) bytes.push(Number(value >> BigInt(8 * place) & 255n)); }
  function number(bytes, type, value, path) {
    const size = SIZES[type], unsigned = type.startsWith("U");
    let whole;
    try { whole = BigInt(value); } catch (error) { whole = null; }
    if (whole === null || typeof value === "boolean" || value === "" || Array.isArray(value)) fail(path, JSON.stringify(value) + " is no whole number");
    if (unsigned ? whole !== BigInt.asUintN(8 * size, whole) : whole !== BigInt.asIntN(8 * size, whole)) fail(path, value + " is not in the range of " + type);
    fixed(bytes, whole, size);
  }
  function length(bytes, type, count) {
    if (type.startsWith("COMPACT_")) varint(bytes, count === null ? 0 : count + 1);
    else fixed(bytes, BigInt(count === null ? -1 : count), type.endsWith("STRING") ? 2 : 4);
  }
  function ofHex(text, path) {
    if (typeof text !== "string" || !/^([0-9a-f]{2})*$/i.test(text)) fail(path, "bytes are written as pairs of hex digits");
    return (text.match(/../g) || []).map(function (pair) { return parseInt(pair, 16); });
  }
  function scalar(bytes, type, nullable, value, path) {
    if (type in SIZES) return number(bytes, type, value, path);
    if (type === "BOOLEAN") return typeof value === "boolean" ? bytes.push(value ? 1 : 0) : fail(path, JSON.stringify(value) + " is neither true nor false");
    if (type === "UUID") {
      if (typeof value !== "string" || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) fail(path, JSON.stringify(value) + " is no UUID");
      return bytes.push(...ofHex(value.replace(/-/g, ""), path));
    }
    if (type === "FLOAT64") {
      const view = new DataView(new ArrayBuffer(8));
      view.setFloat64(0, Number(value));
      return bytes.push(...new Uint8Array(view.buffer));
    }
    if (value === null) return nullable ? length(bytes, type, null) : fail(path, "may not be null in this version");
    if (type.endsWith("STRING") && typeof value !== "string") fail(path, JSON.stringify(value) + " is no string");
    const content = type.endsWith("STRING") ? new TextEncoder().encode(value) : ofHex(value, path);
    if (type.endsWith("STRING") && content.length > MAX_STRING) fail(path, "a string has at most " + MAX_STRING + " bytes");
    length(bytes, type, content.length);
    for (const byte of content) bytes.push(byte);
  }
  function field(bytes, each, flexible, value, path) {
    if (each.element) {
      if (value === null) return each.nullable ? length(bytes, each.type, null) : fail(path, "may not be null in this version");
      if (!Array.isArray(value)) fail(path, "is a list");
      length(bytes, each.type, value.length);
      return value.forEach(function (item, place) {
        if (each.fields) struct(bytes, each.fields, flexible, item, path + "[" + place + "]");
        else scalar(bytes, each.element, false, item, path + "[" + place + "]");
      });
    }
    if (!each.fields) return scalar(bytes, each.type, each.nullable, value, path);
    if (each.nullable) {
      if (each.tag !== null) varint(bytes, value === null ? 0 : 1);
      else bytes.push(value === null ? 255 : 1);
    }
    if (value !== null) struct(bytes, each.fields, flexible, value, path);
    else if (!each.nullable) fail(path, "may not be null in this version");
  }
  function struct(bytes, fields, flexible, value, path) {
    if (value === null || typeof value !== "object" || Array.isArray(value)) fail(path, "is an object with the names of the fields");
    const strange = Object.keys(value).find(function (name) { return name !== UNKNOWN && !fields.some(function (each) { return each.name === name; }); });
    if (strange !== undefined) fail(path, "there is no field \u201c" + strange.slice(0, 60) + "\u201d in this version");
    const tagged = [];
    fields.forEach(function (each) {
      const given = each.name in value ? value[each.name] : initial(each), at = path ? path + "." + each.name : each.name;
      if (each.tag === null) return field(bytes, each, flexible, given, at);
      if (JSON.stringify(given) === JSON.stringify(initial(each))) return;
      const inner = [];
      field(inner, each, true, given, at);
      tagged.push({ tag: each.tag, bytes: inner });
    });
    if (!flexible) return;
    (value[UNKNOWN] || []).forEach(function (each) { tagged.push({ tag: each.tag, bytes: ofHex(each.data, path) }); });
    varint(bytes, tagged.length);
    tagged.sort(function (a, b) { return a.tag - b.tag; }).forEach(function (each) {
      varint(bytes, each.tag);
      varint(bytes, each.bytes.length);
      for (const byte of each.bytes) bytes.push(byte);
    });
  }
  /* The value of a field that is not given. */
  function initial(each) {
    if (each.element) return each.nullable && each.default === null ? null : [];
    if (each.fields) return each.nullable && each.default === null ? null : defaults(each.fields);
    return each.default === undefined ? null : each.default;
  }
  function defaults(fields) {
    return Object.fromEntries(fields.map(function (each) { return [each.name, initial(each)]; }));
  }
  /* The same with one element in each list, so that all names are there. */
  function template(fields) {
    return Object.fromEntries(fields.filter(function (each) { return each.tag === null; }).map(function (each) {
      return [each.name, each.element && each.fields ? [template(each.fields)] : each.fields && !each.nullable ? template(each.fields) : initial(each)];
    }));
  }
  /* A value of a layout as bytes. Raises an Error with the path of what is wrong. */
  function encode(layout, value) {
    const bytes = [];
    struct(bytes, layout.fields, layout.flexible, value, "");
    return bytes;
  }
  /* JSON whose whole numbers of more than 15 digits are kept as they are written. */
  function parsed(text) { return JSON.parse(text.replace(/("(?:[^"\\]|\\.)*")|(-?\d{16,})(?=\s*[,}\]])/g, function (all, string) { return string || "\"" + all + "\""; })); }

  window.wirebookEncode = { encode: encode, parsed: parsed };

  function start() {
    const form = document.getElementById("wb-encode"), tabs = document.querySelectorAll("[role=tab]"), out = document.getElementById("wb-encode-result"), status = document.getElementById("wb-encode-status");
    if (!form) return;
    const { load, messages, offer, named } = wirebookPublished, { api, version, message, value, open } = form.elements, list = messages();
    let doc = null, headers = null, made = "";
    offer(api, list);
    tabs[0].parentElement.hidden = false;

    function choose(tab) {
      tabs.forEach(function (each) {
        each.setAttribute("aria-selected", String(each === tab));
        each.tabIndex = each === tab ? 0 : -1;
        document.getElementById(each.getAttribute("aria-controls")).hidden = each !== tab;
      });
      if (tab === tabs[1] && !doc) pick().catch(say);
    }
    function say(error) {
      status.textContent = error instanceof SyntaxError ? "This is not valid JSON: " + error.message : error.message;
      out.textContent = made = "";
      open.disabled = true;
    }
    function layouts() {
      const own = doc.messages.find(function (each) { return each.name === message.value; }), body = own && own.versions[version.value] ? own.versions[version.value].layout : null;
      const known = body && headers[body.type], head = known && body.header_version !== null ? known.find(function (each) { return each.version === body.header_version; }) : null;
      return { body: body, head: head };
    }
    async function pick() {
      [doc, headers] = await Promise.all([load("api/" + api.value + ".json"), load("headers.json")]);
      version.replaceChildren(...doc.versions.map(function (each) { return new Option(each.version + (each.state === "current" ? "" : " (" + each.state + ")"), each.version); }));
      version.value = doc.newest_stable === null ? doc.versions[0].version : doc.newest_stable;
      message.replaceChildren(...doc.messages.map(function (each) { return new Option(each.name, each.name); }));
      fill();
    }
    function fill() {
      const { body, head } = layouts();
      if (!body) return say(new Error("There is no such message in this version."));
      const first = head ? template(head.fields) : null, names = headers.fields;
      if (first && names.api_key in first) Object.assign(first, { [names.api_key]: doc.api_key, [names.api_version]: Number(version.value) });
      value.value = wirebookCodec.json(first ? { header: first, body: template(body.fields) } : template(body.fields), "");
      run();
    }
    function run() {
      try {
        const { body, head } = layouts(), given = parsed(value.value);
        const bytes = head ? encode(head, given.header).concat(encode(body, given.body)) : encode(body, given), size = head ? headers.frame_length : 0, before = [];
        fixed(before, BigInt(bytes.length), size);
        made = wirebookCodec.hex(before.concat(bytes));
        status.textContent = wirebookCodec.someBytes(made.length / 2) + (head ? ", with length and header." : ".");
        out.textContent = made.replace(/(.{2})(?=.)/g, "$1 ");
        open.disabled = false;
      } catch (error) {
        say(error);
      }
    }
    tabs.forEach(function (tab, place) {
      tab.addEventListener("click", function () { choose(tab); });
      tab.addEventListener("keydown", function (event) {
        if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
        choose(tabs[1 - place]);
        tabs[1 - place].focus();
      });
    });
    api.addEventListener("change", function () { pick().catch(say); });
    [version, message].forEach(function (each) { each.addEventListener("change", fill); });
    value.addEventListener("input", run);
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    open.addEventListener("click", function () {
      choose(tabs[0]);
      location.hash = "#hex=" + made;
    });
    const wanted = new URLSearchParams(location.hash.slice(1)).get("encode"), found = wanted && named(list, wanted);
    if (found) api.value = found.slug;
    choose(tabs[wanted === null ? 0 : 1]);
  }
  if (typeof document !== "undefined") start();
})();
