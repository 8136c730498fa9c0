/* A decoded message as the pages of bytes show theirs: the bytes, what each range is, and the fields; bytes.js joins them. */
(function () {
  "use strict";

  const { element, link } = wirebookPublished, { hex, someBytes, json, nameOf } = wirebookCodec;
  const LONGEST = 16, BLOCK = 8192, ROWS = 500, VALUE = 100000, VALUE_NAME = 200;
  const WORDS = {
    length: "length, ", count: "count, ", null: "null, ", marker: "present, ", "tag-count": "number of tagged fields", tag: "tag",
    "tag-size": "size of the tagged field", unknown: "an unknown tag", value: "", rest: "not read",
  };

  function what(span) { return WORDS[span.kind] + (WORDS[span.kind].endsWith(", ") || span.kind === "value" ? span.type : ""); }
  function cut(bytes) { return Array.from(bytes.subarray(0, LONGEST), pair).join(" ") + (bytes.length > LONGEST ? " \u2026" : ""); }
  function pair(byte) { return hex([byte]); }
  function small(text) { return element("small", {}, text); }
  function value(span, bytes) {
    if (span.kind === "null") return ["null"];
    if (span.kind === "marker") return [];
    if (span.kind === "rest") return [small(someBytes(bytes.length))];
    if ((span.kind === "length" || span.kind === "count") && span.type === "UNSIGNED_VARINT") return [span.value + " ", small("written as " + (span.value + 1))];
    if (span.kind === "unknown" || /(BYTES|RECORDS)$/.test(span.type)) {
      const plain = bytes.length <= LONGEST && bytes.every(function (byte) { return byte >= 0x20 && byte < 0x7f; });
      return [small(someBytes(bytes.length) + (plain && bytes.length ? ", \"" + String.fromCharCode.apply(null, bytes) + "\"" : ""))];
    }
    const text = json(span.value);
    return [text.length <= 80 ? text : text.slice(0, 76) + " \u2026"];
  }

  /* The values or flags that the layout of a part lists for the field at a path; null where it lists none. */
  function listedAt(each, about) {
    const part = about.layouts.find(function (one) { return one.name === each.part; });
    function below(fields) {
      for (const field of fields) {
        if (field.path === each.span.field) return field.values || null;
        if (field.fields && each.span.field.startsWith(field.path + ".")) return below(field.fields);
      }
      return null;
    }
    return part && each.span.kind === "value" ? below(part.layout.fields) : null;
  }
  function withName(each, about, shown) {
    const listed = listedAt(each, about), name = listed ? nameOf(listed, each.span.value, each.span.type) : "";
    return name ? [...shown, " ", small(name.slice(0, VALUE_NAME))] : shown;
  }

  /* Short names for fields, the same wherever a field is shown. */
  function keys() {
    const known = new Map();
    return function (part, field) {
      const name = part + "\u0000" + field;
      if (!known.has(name)) known.set(name, "k" + known.size);
      return known.get(name);
    };
  }

  /* `found` is what wirebookCodec.open gives; `about` has the links and layouts of the message. Shows `rows` ranges. */
  function section(bytes, found, about, rows) {
    const key = keys(), spans = [];
    found.parts.forEach(function (part) {
      spans.push({ title: part.title, empty: !part.spans.length });
      part.spans.forEach(function (span) { spans.push({ part: part.name, span: span }); });
    });
    if (found.end < bytes.length) {
      spans.push({ title: "Not read" }, { part: "rest", span: { start: found.end, end: bytes.length, path: "", field: "", kind: "rest", type: "", value: null } });
    }
    const ranges = spans.filter(function (each) { return each.span; }), shown = spans.slice(0, rows);
    const box = element("section", { class: "wb-wire wb-decoded", "aria-label": "Decoded bytes" });
    const side = element("div", { class: "wb-side" }, meanings(about, key));
    const main = element("div", { class: "wb-shown" }, block(bytes, shown, key), table(bytes, shown, key, about));
    if (spans.length > rows) {
      const more = element("button", { type: "button", class: "wb-more-rows" }, "Show more of " + ranges.length + (found.all ? "" : " and more") + " ranges");
      more.addEventListener("click", function () {
        const next = section(bytes, found, about, rows * 4);
        box.replaceWith(next);
        const at = next.querySelector("#wb-range-" + shown.filter(function (each) { return each.span; }).length);
        if (at) at.focus();
      });
      main.append(element("p", { class: "wb-form" }, more));
    } else if (!found.all) main.append(element("p", {}, "The first " + ranges.length + " ranges are listed. All others are checked, too."));
    if (found.value !== undefined) main.append(whole(found.value));
    box.append(element("div", { class: "wb-columns2" }, main, side));
    wirebookBytes.join(box);
    return box;
  }
  function keyOf(key, each) { return key(each.part, each.span.field + (each.span.section ? "/" : "")); }

  function block(bytes, spans, key) {
    const run = element("span", { class: "wb-run" });
    let number = 0, end = 0;
    spans.forEach(function (each) {
      if (!each.span) return;
      const place = number++, span = each.span;
      if (span.start >= BLOCK || span.end === span.start) return;
      const until = Math.min(span.end, BLOCK), plain = span.kind === "value" || span.kind === "unknown" || span.kind === "rest";
      const text = Array.from(bytes.subarray(span.start, until), pair).join(" ") + (until < span.end ? " \u2026" : "");
      run.append(element("a", { href: "#wb-range-" + place, "data-f": keyOf(key, each), class: "wb-p-" + each.part + (plain ? "" : " wb-s") }, text), " ");
      end = until;
    });
    const made = element("div", { class: "wb-hex" });
    [16, 8].forEach(function (width) {
      const places = [];
      for (let place = 0; place < end; place += width) places.push(place.toString(16).padStart(4, "0"));
      made.append(element("span", { class: "wb-at wb-by" + width, "aria-hidden": "true" }, places.join("\n")));
    });
    made.append(run);
    run.addEventListener("click", function (event) { if (event.target.closest("a")) event.preventDefault(); });
    return end ? made : "";
  }

  function table(bytes, spans, key, about) {
    const made = element("table", { class: "wb-table wb-bytes" }, element("caption", {}, about.title));
    made.append(element("thead", {}, head(["At", "Bytes", "Field", "What it is", "Value"])));
    let body = null, number = 0;
    spans.forEach(function (each) {
      if (!each.span) {
        made.append(body = element("tbody", {}, element("tr", { class: "wb-part" }, element("th", { colspan: 5, scope: "rowgroup" }, each.title))));
        if (each.empty) body.append(element("tr", {}, element("td", { colspan: 5 }, "No bytes.")));
        return;
      }
      const span = each.span, here = bytes.subarray(span.start, span.end), attributes = { id: "wb-range-" + number++, "data-f": keyOf(key, each) };
      body.append(element("tr", attributes, element("td", {}, String(span.start)), element("td", {}, element("code", {}, cut(here))),
        element("td", {}, named(each, about)), element("td", {}, what(span)), element("td", {}, ...withName(each, about, value(span, here)))));
    });
    return scroll("wb-ranges", about.title, made);
  }
  function head(titles) {
    return element("tr", {}, ...titles.map(function (title) { return element("th", { scope: "col" }, title); }));
  }
  function scroll(name, label, table) {
    return element("div", { class: "wb-scroll " + name, tabindex: "0", role: "region", "aria-label": label }, table);
  }
  /* The path of a range, which leads to the row of its field on the page of the API. */
  function named(each, about) {
    const span = each.span;
    if (span.kind === "rest") return "";
    if (span.section) return element("em", {}, "tagged fields" + (span.path ? " of " + span.path : ""));
    return link(about.row(each.part, span.field), { class: "wb-a" }, ...breakable(span.path));
  }
  /* A name may break, but only between its words. */
  function breakable(name) {
    return name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[._])(?=.)/).flatMap(function (part, place) { return place ? [element("wbr"), part] : [part]; });
  }

  function meanings(about, key) {
    const body = element("tbody");
    about.layouts.forEach(function (each) {
      if (about.layouts.length > 1) body.append(element("tr", { class: "wb-part" }, element("th", { colspan: 3, scope: "rowgroup" }, each.title)));
      fields(body, each.layout.fields, each, 0, "", key, about);
    });
    const title = "Fields; each leads to its row on the page of the message";
    return scroll("wb-meanings wb-box", title, element("table", { class: "wb-table wb-cards" }, element("caption", {}, title), element("thead", {}, head(["Field", "Type", "Meaning"])), body));
  }
  function fields(body, list, each, depth, above, key, about) {
    const indent = "d" + Math.min(depth, 8), deeper = "d" + Math.min(depth + 1, 8);
    function row(field, name) {
      const title = element("th", {}, link(about.row(each.name, field.path), { class: "wb-a" }, ...breakable(field.name)));
      if (field.tag !== null) title.append(" ", small("tag " + field.tag));
      const type = [link(about.type(field.type), {}, field.type)];
      if (field.element) type.push(" of ", link(about.type(field.element), {}, field.element));
      body.append(element("tr", { class: name, "data-f": key(each.name, field.path) }, title, element("td", {}, ...type), element("td", {}, field.about || "")));
    }
    list.forEach(function (field) {
      if (field.tag !== null) return;
      row(field, indent);
      if (field.fields) fields(body, field.fields, each, depth + 1, field.path, key, about);
    });
    if (!each.layout.flexible) return;
    const tagged = list.filter(function (field) { return field.tag !== null; });
    const names = tagged.map(function (field) { return field.tag + " " + field.name; }).join(", ");
    body.append(element("tr", { class: "wb-tags " + indent, "data-f": key(each.name, above + "/") }, element("th", {}, "tagged fields"),
      element("td", {}, link(about.type("TAG_BUFFER"), {}, "TAG_BUFFER")), element("td", {}, tagged.length ? "Defined: " + names + "." : "None defined.")));
    tagged.forEach(function (field) {
      row(field, deeper);
      if (field.fields) fields(body, field.fields, each, depth + 2, field.path, key, about);
    });
  }

  function whole(found) {
    const text = json(found, ""), shown = text.length > VALUE ? text.slice(0, VALUE) + "\n\u2026" : text;
    const pre = element("pre", { class: "wb-bnf", tabindex: "0", "aria-label": "The value as JSON" }, element("code", {}, shown));
    return element("details", { class: "wb-plain" }, element("summary", {}, "The value as JSON"), pre);
  }

  window.wirebookDecoded = { section: function (bytes, found, about) { return section(bytes, found, about, ROWS); } };
})();
