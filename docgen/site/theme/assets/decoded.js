/* A decoded message as the page shows it: the bytes, and for each range of them its field, its value and what that means; bytes.js joins them. */
(function () {
  "use strict";

  const { element, link, breakable } = wirebookPublished, { hex, someBytes, json, nameOf } = wirebookCodec;
  const LONGEST = 16, BLOCK = 8192, ROWS = 500, VALUE = 100000, NAME = 200;
  const WORDS = {
    length: "length, ", count: "count, ", null: "null, ", marker: "present, ", "tag-count": "number of tagged fields", tag: "tag",
    "tag-size": "size of the tagged field", unknown: "an unknown tag", value: "", rest: "not read",
  };

  function what(span) { return WORDS[span.kind] + (WORDS[span.kind].endsWith(", ") || span.kind === "value" ? span.type : ""); }
  function pair(byte) { return hex([byte]); }
  function small(...parts) { return element("small", {}, ...parts); }
  function value(span, bytes) {
    if (span.kind === "null") return ["null"];
    if (span.kind === "marker") return [];
    if (span.kind === "rest") return [small(someBytes(bytes.length))];
    if ((span.kind === "length" || span.kind === "count") && span.type === "UNSIGNED_VARINT") return [span.value + " ", small("written as " + (span.value + 1))];
    if (span.kind === "unknown" || /(BYTES|RECORDS)$/.test(span.type)) {
      const plain = bytes.length && bytes.length <= 80 && bytes.every(function (byte) { return byte >= 0x20 && byte < 0x7f; });
      return [plain ? "\"" + String.fromCharCode.apply(null, bytes) + "\" " : "", small(someBytes(bytes.length))];
    }
    const text = span.records && span.type === "UINT32" ? "0x" + span.value.toString(16).padStart(8, "0") : json(span.value);
    return [text.length <= 200 ? text : text.slice(0, 196) + " \u2026"];
  }
  /* The field of a layout at a path; null where there is none. */
  function fieldAt(layout, path) {
    for (let fields = layout ? layout.fields : null; fields;) {
      const found = fields.find(function (field) { return field.path === path || (field.fields && path.startsWith(field.path + ".")); });
      if (!found || found.path === path) return found || null;
      fields = found.fields;
    }
    return null;
  }
  /* What a value means: its name, what to do about an error, and, once for each field, the field itself. */
  function meaning(span, part, about, seen) {
    const field = fieldAt(about.layouts[part.name], span.field), made = [];
    if (span.note) made.push(element("small", span.wrong ? { class: "wb-wrong" } : {}, span.note));
    if (span.kind !== "value" || span.records) return made;
    const name = field && field.values ? nameOf(field.values, span.value, span.type) : "";
    if (name) made.push(small(name.slice(0, NAME)));
    const error = /ErrorCode$/.test(span.field) && span.type === "INT16" ? about.error(span.value) : null;
    if (error) made.push(link(error.href, {}, error.name), ...(error.text ? [small(error.text)] : []));
    const key = part.name + " " + span.field;
    if (field && field.about && !seen.has(key)) made.push(small((/^.*?[.](?=\s|$)/.exec(field.about) || [field.about])[0]));
    seen.add(key);
    return made;
  }

  /* Short names for fields, the same wherever a field is shown. */
  function keys() {
    const known = new Map();
    return function (part, span) {
      const name = part.name + " " + span.field + (span.section ? "/" : "");
      if (!known.has(name)) known.set(name, "k" + known.size);
      return known.get(name);
    };
  }

  /* `found` is what wirebookCodec.open gives, its parts with `bytes` of their own where they are not those of the message; `about` is
     {id, title, layouts by part, error(code), row(part, path)}. */
  function section(bytes, found, about, rows) {
    const key = keys(), seen = new Set(), parts = found.parts.slice();
    if (found.end < bytes.length) parts.push({ name: "rest", title: "Not read", spans: [{ start: found.end, end: bytes.length, path: "", field: "", kind: "rest", type: "", value: null }] });
    const box = element("section", { class: "wb-wire wb-decoded", "aria-label": "Bytes of " + about.title }), all = parts.reduce(function (sum, part) { return sum + part.spans.length; }, 0);
    let left = rows, number = 0;
    parts.forEach(function (part) { part.first = number; number += part.spans.length; });
    [null].concat(parts.filter(function (part) { return part.bytes; })).forEach(function (own) {
      const here = own ? [own] : parts.filter(function (part) { return !part.bytes; });
      if (own) box.append(element("h3", {}, own.title));
      box.append(block(own ? own.bytes : bytes, here, key, about, left), table(own ? own.bytes : bytes, here, key, about, seen, left));
      left = Math.max(0, left - here.reduce(function (sum, part) { return sum + part.spans.length; }, 0));
    });
    if (all > rows) {
      const more = element("button", { type: "button", class: "wb-more-rows" }, "Show more of " + all + (found.all ? "" : " and more") + " ranges");
      more.addEventListener("click", function () {
        const next = section(bytes, found, about, rows * 4), at = next.querySelector("#" + about.id + "-" + rows);
        box.replaceWith(next);
        if (at) at.focus();
      });
      box.append(element("p", { class: "wb-form" }, more));
    } else if (!found.all) box.append(element("p", {}, "The first " + all + " ranges are listed. All others are checked, too."));
    if (found.value !== undefined) box.append(whole(found.value));
    wirebookBytes.join(box);
    return box;
  }

  function block(bytes, parts, key, about, most) {
    const run = element("span", { class: "wb-run" });
    let end = 0, left = most;
    parts.forEach(function (part) {
      part.spans.slice(0, Math.max(left, 0)).forEach(function (span, at) {
        if (span.start >= BLOCK || span.end === span.start) return;
        const until = Math.min(span.end, BLOCK), plain = span.kind === "value" || span.kind === "unknown" || span.kind === "rest";
        const text = Array.from(bytes.subarray(span.start, until), pair).join(" ") + (until < span.end ? " \u2026" : "");
        run.append(element("a", { href: "#" + about.id + "-" + (part.first + at), "data-f": key(part, span), class: "wb-p-" + part.name + (plain ? "" : " wb-s") }, text), " ");
        end = until;
      });
      left -= part.spans.length;
    });
    if (!end) return "";
    const made = element("div", { class: "wb-hex" });
    [16, 8].forEach(function (width) {
      const places = [];
      for (let place = 0; place < end; place += width) places.push(place.toString(16).padStart(4, "0"));
      made.append(element("span", { class: "wb-at wb-by" + width, "aria-hidden": "true" }, places.join("\n")));
    });
    made.append(run);
    run.addEventListener("click", function (event) { if (event.target.closest("a")) event.preventDefault(); });
    return made;
  }
  function table(bytes, parts, key, about, seen, most) {
    const made = element("table", { class: "wb-table wb-bytes wb-rows" }, element("caption", {}, about.title));
    made.append(element("thead", {}, element("tr", {}, ...["Bytes", "Field", "Value"].map(function (title) { return element("th", { scope: "col" }, title); }))));
    let left = most;
    parts.forEach(function (part) {
      if (left <= 0) return;
      const body = element("tbody", {}, element("tr", { class: "wb-part" }, element("th", { colspan: 3, scope: "rowgroup" }, part.title)));
      if (!part.spans.length) body.append(element("tr", {}, element("td", { colspan: 3 }, "No bytes.")));
      let above = "";
      part.spans.slice(0, left).forEach(function (span, at) {
        const parent = span.path.includes(".") ? span.path.slice(0, span.path.lastIndexOf(".")) : "";
        if (parent !== above) body.append(element("tr", { class: "wb-struct" }, element("th", { colspan: 3 }, ...breakable(parent || part.title))));
        above = parent;
        const here = bytes.subarray(span.start, span.end), cut = Array.from(here.subarray(0, LONGEST), pair).join(" ") + (here.length > LONGEST ? " \u2026" : "");
        const rest = meaning(span, part, about, seen).flatMap(function (each) { return [" ", each]; });
        body.append(element("tr", { id: about.id + "-" + (part.first + at), "data-f": key(part, span) },
          element("td", {}, small(String(span.start)), " ", element("code", {}, cut)), element("td", {}, named(part, span, about), " ", small(what(span))),
          element("td", {}, ...value(span, here), ...rest)));
      });
      left -= part.spans.length;
      made.append(body);
    });
    return made;
  }
  /* The name of a range in its struct, which leads to the row of its field on the page of the API. */
  function named(part, span, about) {
    if (span.kind === "rest") return "";
    if (span.section) return element("em", {}, "tagged fields" + (span.path ? " of " + span.path.slice(span.path.lastIndexOf(".") + 1) : ""));
    return link(about.row(part.name, span), { class: "wb-a", title: span.path }, ...breakable(span.path.slice(span.path.lastIndexOf(".") + 1)));
  }
  function whole(found) {
    const text = json(found, ""), shown = text.length > VALUE ? text.slice(0, VALUE) + "\n\u2026" : text;
    const pre = element("pre", { class: "wb-bnf", tabindex: "0", "aria-label": "The value as JSON" }, element("code", {}, shown));
    return element("details", { class: "wb-plain" }, element("summary", {}, "The value as JSON"), pre);
  }

  window.wirebookDecoded = { section: function (bytes, found, about) { return section(bytes, found, about, ROWS); } };
})();
