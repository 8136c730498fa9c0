/* The page Decode bytes: what is chosen and pasted, the header that says which message it is, and what fits where the choice does not. */
(function () {
  "use strict";

  const { element, link, place, load, messages, offer, named, noMessage, nearestNumber, rowOf, anchor, ranges } = wirebookPublished;
  const SPANS = 10000, IN_LINK = 1000, HELD = 100000, TRIED = 65536, LENGTHS = 50;

  function start() {
    const form = document.getElementById("wb-decode"), status = document.getElementById("wb-decode-status"), out = document.getElementById("wb-decode-result");
    if (!form) return;
    const { api, version, message, frame, header, hex, example } = form.elements, list = messages();
    let turn = 0, timer = 0, held = null, instead = null, isNew = false, headers = { frame_length: 0, request: [], response: [], others: {}, fields: {} };
    offer(api, list);
    form.hidden = false;

    function item() { return list.find(function (each) { return each.slug === api.value; }); }
    function document_(slug) { return load("api/" + slug + ".json"); }
    function numbers(doc) { return doc.versions.map(function (each) { return each.version; }); }
    function messageOf(doc, side) {
      return doc.messages.find(function (each) { return each.type === side || each.name === side; });
    }
    function layoutOf(doc, side, number) {
      const found = messageOf(doc, side);
      return found && found.versions[number] ? found.versions[number].layout : null;
    }
    function headerOf(layout) {
      const known = layout.type === "request" || layout.type === "response" ? headers[layout.type] : headers.others[layout.type];
      if (layout.header_version === null || !known) return null;
      return known.find(function (each) { return each.version === layout.header_version; }) || null;
    }

    /* --- the choice: the selects, and the address that holds it --- */

    function fill(doc, wanted, side) {
      version.replaceChildren(...doc.versions.map(function (each) {
        return new Option(each.version + (each.state === "current" ? "" : " (" + each.state + ")"), each.version);
      }));
      message.replaceChildren(...doc.messages.map(function (each) {
        return new Option(each.type === "request" || each.type === "response" ? each.type : each.name, each.type === "request" || each.type === "response" ? each.type : each.name);
      }));
      const newest = doc.newest_stable === null ? doc.versions[0].version : doc.newest_stable;
      version.value = numbers(doc).includes(wanted) ? wanted : newest;
      if (side && messageOf(doc, side)) message.value = side;
      message.closest("label").hidden = doc.messages.length < 2;
      const framed = doc.messages.some(function (each) { return Object.values(each.versions).some(function (one) { return headerOf(one.layout); }); });
      header.closest("label").hidden = header.disabled = !framed;
      if (frame) frame.disabled = doc.kind !== "api" && !headers.others[doc.kind];
      header.closest("fieldset").hidden = header.disabled && (!frame || frame.disabled);
    }
    function framing() {
      return { length: frame && frame.checked && !frame.disabled ? headers.frame_length : 0, header: header.checked && !header.disabled };
    }
    function keep(bytes) {
      const fragment = new URLSearchParams({ api: api.value, version: version.value, message: message.value }), how = framing();
      fragment.set("with", [how.length && "length", how.header && "header"].filter(Boolean).join(" "));
      if (bytes && bytes.length && bytes.length <= IN_LINK) fragment.set("hex", wirebookCodec.hex(bytes));
      history.replaceState(null, "", "#" + fragment);
    }
    async function follow() {
      const fragment = new URLSearchParams(location.hash.slice(1)), wanted = fragment.get("api");
      const found = wanted === null ? null : named(list, wanted);
      if (found) api.value = found.slug;
      if (fragment.has("with")) {
        const how = fragment.get("with").split(/[ ,]/);
        if (frame) frame.checked = how.includes("length");
        header.checked = how.includes("header");
      }
      if (fragment.has("hex")) {
        held = null;
        hex.value = fragment.get("hex");
      }
      const problem = wanted !== null && !found ? noApi(wanted) : null;
      await choose(fragment.has("version") ? fragment.get("version") : null, fragment.get("message"), problem);
    }
    async function choose(wanted, side, problem) {
      const mine = ++turn;
      try {
        headers = await load("headers.json");
        const doc = await document_(api.value);
        if (mine !== turn) return;
        const number = wanted !== null && /^\d{1,5}$/.test(wanted) ? Number(wanted) : null;
        fill(doc, number, side);
        if (!problem && wanted !== null && !numbers(doc).includes(number)) {
          const near = nearestNumber(numbers(doc), number === null ? 1e6 : number);
          version.value = near;
          problem = noVersion(doc, wanted, near);
        }
        if (problem) say(problem.text, [problem.more]);
        else run();
      } catch (error) {
        if (mine === turn) say(error.message, []);
      }
    }
    function noApi(wanted) {
      const { text, near } = noMessage(list, wanted);
      return { text: text, more: near ? offerOf("Choose " + near.name, function () { api.value = near.slug; choose(null, null); }) : "" };
    }
    function noVersion(doc, wanted, near) {
      return { text: doc.api + " has no version " + String(wanted).slice(0, 20) + " here; it has " + ranges(numbers(doc)) + ". Nearest is " + near + ".", more: offerOf("Use version " + near, function () { choose(String(near), message.value); }) };
    }
    function offerOf(text, act) {
      const button = element("button", { type: "button" }, text);
      button.addEventListener("click", act);
      return element("p", { class: "wb-form" }, button);
    }
    function say(text, parts, wrong) {
      status.textContent = text;
      status.classList.toggle("wb-wrong", Boolean(wrong));
      out.replaceChildren(...parts);
    }

    /* --- one message --- */

    function tagsOf(doc, side) {
      let known = null;
      function collect(path, fields) {
        if (!known.has(path)) known.set(path, new Map());
        fields.forEach(function (field) {
          if (field.tag !== null) known.get(path).set(field.tag, field.name);
          if (field.fields) collect(field.path, field.fields);
        });
      }
      return function (path, tag) {
        if (!known) {
          known = new Map();
          Object.values(messageOf(doc, side).versions).forEach(function (each) { collect("", each.layout.fields); });
        }
        return known.has(path) && known.get(path).get(tag) || null;
      };
    }
    /* The message as one choice has it: {found, about}, or {problem} where there is no such version or header. */
    function attempt(doc, side, number, how, bytes, most) {
      const body = layoutOf(doc, side, number);
      if (!body) return { problem: doc.api + " has no " + side + " of version " + number + "." };
      const head = how.header ? headerOf(body) : null;
      if (how.header && !head) return { problem: "The schema of the header of " + body.message + " is not known here." };
      return { found: wirebookCodec.open(bytes, how.length, head, body, most, tagsOf(doc, side)), head: head, body: body };
    }
    /* The message that the header of a request names: {doc, number}, or {problem}; null where it names none. */
    async function addressed(bytes, how) {
      const named_ = [], KEY = headers.fields.api_key, VERSION = headers.fields.api_version;
      headers.request.forEach(function (layout) {
        const spans = wirebookCodec.open(bytes.subarray(how.length), 0, null, layout, 100, null).parts[0].spans, values = {};
        spans.forEach(function (span) { if (span.kind === "value") values[span.path] = span; });
        if (values[KEY] && values[VERSION]) named_.push({ header: layout.version, key: values[KEY].value, version: values[VERSION].value, at: how.length + values[VERSION].start, keyAt: how.length + values[KEY].start });
      });
      for (const each of named_) {
        const entry = list.find(function (one) { return one.key === each.key; }), doc = entry && await document_(entry.slug);
        const layout = doc && layoutOf(doc, "request", each.version);
        if (layout && layout.header_version === each.header) return { doc: doc, number: each.version };
      }
      if (!named_.length) return null;
      const first = named_[0], entry = list.find(function (one) { return one.key === first.key; });
      if (!entry) return { problem: "byte " + first.keyAt + ": header." + KEY + ": no API here has the key " + first.key + "." };
      const doc = await document_(entry.slug), all = numbers(doc);
      if (instead && instead.slug === entry.slug && instead.named === first.version) return { doc: doc, number: instead.version };
      const near = nearestNumber(all, first.version);
      return {
        problem: "byte " + first.at + ": header." + VERSION + ": " + doc.api + " has no version " + first.version + " here; it has " + ranges(all) + ". Nearest is " + near + ".",
        more: offerOf("Read it as version " + near, function () { instead = { slug: entry.slug, named: first.version, version: near }; run(); }),
      };
    }

    /* Whether new bytes are a request without the length that is chosen: read with it, they have not even a header. */
    async function lacksLength(bytes, how) {
      if (lengthOf(bytes) === bytes.length - how.length) return false;
      const plain = await addressed(bytes, { length: 0, header: true });
      if (!plain || !plain.doc) return false;
      const framed = await addressed(bytes, how);
      if (!framed || !framed.doc) return true;
      const { found } = attempt(framed.doc, "request", framed.number, how, bytes, SPANS);
      return !found || found.errors.some(function (error) { return error.path.startsWith("header."); });
    }

    async function run() {
      const mine = ++turn, text = held === null ? hex.value : held, isPasted = isNew;
      isNew = false;
      let bytes;
      hex.setAttribute("aria-invalid", "false");
      try {
        const read = wirebookHex.read(text);
        bytes = read.bytes;
        const doc = await document_(api.value), side = message.value;
        let how = framing(), cut = "";
        if (isPasted && how.length && how.header && side === "request" && await lacksLength(bytes, how)) {
          if (mine !== turn) return;
          frame.checked = false;
          cut = "The first " + how.length + " bytes are not the length of the rest, so the bytes are read without a length.";
          how = framing();
        }
        if (mine !== turn) return;
        if (!bytes.length && (how.length || how.header || text === "")) {
          keep(null);
          return say("", []);
        }
        let chosen = { doc: doc, number: Number(version.value) }, byHeader = false, other = "";
        if (how.header && side === "request") {
          const found = await addressed(bytes, how);
          if (mine !== turn) return;
          if (found && found.problem) {
            keep(bytes);
            const fits = await fitting(chosen, side, how, bytes);
            if (mine !== turn) return;
            return say(found.problem, [found.more || "", fits, beforeBody(chosen, side, how, bytes)], true);
          }
          if (found) {
            byHeader = true;
            if (found.doc !== doc || found.number !== chosen.number) {
              other = "The header names " + found.doc.api + " version " + found.number + "; the form had " + doc.api + " version " + chosen.number + ".";
            }
            chosen = found;
          }
        }
        const made = attempt(chosen.doc, side, chosen.number, how, bytes, SPANS);
        if (byHeader && made.found && !made.found.errors.length && (chosen.doc !== doc || String(chosen.number) !== version.value)) {
          /* What does not fit may be no header at all, so the choice stays then. */
          api.value = chosen.doc.slug;
          fill(chosen.doc, chosen.number, side);
        }
        keep(bytes);
        if (made.problem) return say(made.problem, [], true);
        await show(made, chosen, side, how, bytes, byHeader, [cut, other, read.note].filter(Boolean).join(" "), mine);
      } catch (error) {
        if (mine !== turn) return;
        hex.setAttribute("aria-invalid", String(error instanceof wirebookHex.HexError));
        say(String(error instanceof wirebookHex.HexError ? error : error.message), [], true);
      }
    }
    /* The length and the header of a message that the header names wrongly: what can be read of it. */
    function beforeBody(chosen, side, how, bytes) {
      const made = attempt(chosen.doc, side, chosen.number, how, bytes, SPANS);
      if (!made.found) return "";
      const parts = made.found.parts.filter(function (part) { return part.name !== "body"; });
      const spans = parts.flatMap(function (part) { return part.spans; }), words = about(made, chosen, side, "Header");
      if (!spans.length) return "";
      words.layouts = words.layouts.filter(function (each) { return each.name !== "body"; });
      return wirebookDecoded.section(bytes, Object.assign({}, made.found, { parts: parts, end: spans[spans.length - 1].end, value: undefined, all: true }), words);
    }
    async function show(made, chosen, side, how, bytes, byHeader, note, mine) {
      const { found, head, body } = made, title = body.message + " version " + body.version;
      const around = [how.length && "length", head && "header v" + head.version].filter(Boolean).join(" and ");
      const words = title + (around ? " with its " + around : "") + (byHeader ? ", as the header says" : "");
      const size = wirebookCodec.someBytes(bytes.length);
      const text = found.errors.length ? found.errors.map(String).join("; ") + "." : size + ", all read: " + words + ".";
      const section = wirebookDecoded.section(bytes, found, about(made, chosen, side, title));
      const parts = [element("p", { class: "wb-frame" }, found.errors.length ? size + " as " + words + ". " : "", ...links(chosen, body), note ? " " + note : ""), section];
      say(text, parts, found.errors.length > 0);
      if (!found.errors.length) return;
      const selected = { doc: await document_(api.value), number: Number(version.value) };
      const others = await fitting(selected, side, how, bytes);
      if (mine === turn) section.before(corrected(chosen, side, how, bytes), others);
    }
    function inPairs(digits) { return digits.replace(/(.{2})(?=.)/g, "$1 "); }
    /* A compact length or count is written plus 1. Where this is missing once, or everywhere, all bytes fit with it. */
    function corrected(chosen, side, how, bytes) {
      if (bytes.length > TRIED) return "";
      function open(given) { return attempt(chosen.doc, side, chosen.number, how, given, SPANS).found; }
      function compact(given) {
        return open(given).parts.flatMap(function (part) { return part.spans; }).filter(function (span) {
          return ["length", "count", "null"].includes(span.kind) && span.type === "UNSIGNED_VARINT" && bytes[span.start] < 127;
        }).slice(0, LENGTHS);
      }
      function plus(given, spans) {
        const next = given.slice();
        spans.forEach(function (span) { next[span.start] += 1; });
        return next;
      }
      function fits(given) { return !open(given).errors.length; }
      const one = compact(bytes).reverse().find(function (span) { return fits(plus(bytes, [span])); });
      let all = one ? plus(bytes, [one]) : bytes, changed = one ? [one] : [];
      if (!one) {
        for (let spans = compact(all); changed.length < spans.length; spans = compact(all)) {
          changed.push(spans[changed.length]);
          all = plus(all, changed.slice(-1));
        }
        if (!changed.length || !fits(all)) return "";
      }
      const places = changed.map(function (span) { return "byte " + span.start + " (" + span.path + ") is " + wirebookCodec.hex([all[span.start]]) + ", not " + wirebookCodec.hex([bytes[span.start]]); });
      const button = element("button", { type: "button" }, "Read the corrected bytes");
      button.addEventListener("click", function () {
        held = null;
        hex.value = inPairs(wirebookCodec.hex(all));
        run();
        status.scrollIntoView({ block: "nearest" });
      });
      const text = "All bytes fit if " + places.join(", and ") + ": a flexible version writes compact lengths and counts plus 1.";
      return element("div", { class: "wb-form wb-fits" }, element("p", {}, text), button);
    }
    function links(chosen, body) {
      const there = list.find(function (each) { return each.slug === chosen.doc.slug; });
      if (!there || !there.href) return [];
      return [link(there.href + "#v" + body.version, {}, "Fields and lifecycle of version " + body.version), "."];
    }
    function about(made, chosen, side, title) {
      const there = list.find(function (each) { return each.slug === chosen.doc.slug; });
      const heads = list.find(function (each) { return made.head && each.name === made.head.message; });
      const types = place("types"), layouts = [{ name: "body", title: title, layout: made.body }];
      if (made.head) layouts.unshift({ name: "header", title: made.head.message.replace(/Header$/, " header") + " v" + made.head.version, layout: made.head });
      return {
        title: title, layouts: layouts,
        type: function (name) { return types && types + "#" + anchor(name); },
        row: function (part, path) {
          if (part === "body") return rowOf(there && there.href, side, made.body.version, path);
          return part === "header" && heads ? rowOf(heads.href, "", made.head.version, path) : part === "header" ? place("headers") : null;
        },
      };
    }

    function lengthOf(bytes) {
      return bytes.subarray(0, headers.frame_length).reduce(function (size, byte) { return size * 256 + byte; }, 0);
    }
    /* What would fit all bytes: the same message in another frame, the other side, another version. */
    async function fitting(chosen, side, how, bytes) {
      if (bytes.length > TRIED) return "";
      const tries = [], doc = chosen.doc, sides = doc.messages.map(function (each) { return each.type === "request" || each.type === "response" ? each.type : each.name; });
      sides.sort(function (a, b) { return Number(b === side) - Number(a === side); });
      for (const other of sides) {
        for (const size of frame && !frame.disabled ? [how.length, how.length ? 0 : headers.frame_length] : [0]) {
          for (const head of header.disabled ? [false] : [how.header, !how.header]) {
            const around = { length: size, header: head };
            if (head && other === "request") {
              const found = await addressed(bytes, around);
              if (found && found.doc) tries.push([found.doc, other, found.number, around]);
            } else {
              const near = numbers(doc).sort(function (a, b) { return Math.abs(a - chosen.number) - Math.abs(b - chosen.number); });
              near.forEach(function (number) { tries.push([doc, other, number, around]); });
            }
          }
        }
      }
      const fits = tries.filter(function (one) {
        const made = attempt(...one, bytes, SPANS);
        return made.found && !made.found.errors.length;
      }).slice(0, 4);
      /* One wrong byte must not hide that there is a length, or none. */
      const isFramed = headers.frame_length > 0 && bytes.length > headers.frame_length && lengthOf(bytes) === bytes.length - headers.frame_length;
      const unframed = fits.length ? [] : tries.filter(function (one) { return one[1] === "request" && one[3].header && one[3].length !== how.length && one[3].length > 0 === isFramed; }).slice(0, 1);
      const offers = fits.length ? fits : unframed;
      if (!offers.length) return "";
      const heading = fits.length ? "All bytes fit with another choice:" : isFramed ? "The first bytes are the length of the rest:" : "The first bytes are not the length of the rest:";
      return element("div", { class: "wb-form wb-fits" }, element("p", {}, heading), ...offers.map(function (one) {
        const [other, kind, number, around] = one, layout = layoutOf(other, kind, number);
        const words = [around.length ? "with length" : frame ? "without length" : "", around.header ? "with header" : layout.header_version === null ? "" : "without header"].filter(Boolean);
        const button = element("button", { type: "button" }, layout.message + " version " + number + (words.length ? ", " + words.join(", ") : ""));
        button.addEventListener("click", function () {
          api.value = other.slug;
          fill(other, number, kind);
          if (frame) frame.checked = Boolean(around.length);
          header.checked = around.header;
          run();
          status.scrollIntoView({ block: "nearest" });
        });
        return button;
      }));
    }

    /* A test vector of the version, with what is chosen to be before it. */
    async function insert() {
      const doc = await document_(api.value), how = framing(), there = item();
      const given = await load(new URL("vectors.json", there.href || new URL("../api/" + doc.slug + "/", place("data"))).href);
      const kind = messageOf(doc, message.value).name;
      const fit = given.vectors.filter(function (each) { return each.message === kind && each.version === Number(version.value); });
      const vector = fit.find(function (each) { return each.case === "tagged"; }) || fit.find(function (each) { return each.case === "filled"; }) || fit[0];
      if (!vector) return say("There is no example of this version.", []);
      const rest = (how.header && vector.header || "") + vector.body;
      const before = how.length ? (rest.length / 2).toString(16).padStart(2 * how.length, "0") : "";
      held = null;
      hex.value = inPairs(before + rest);
      run();
    }

    /* Bytes that are typed come one by one, and are not complete before the last one. */
    function isTyped(event) {
      return (event.data || "").length === 1 || /^(delete|history|insertLineBreak|insertParagraph)/.test(event.inputType);
    }
    function again(event) {
      isNew = isNew || !isTyped(event);
      clearTimeout(timer);
      timer = setTimeout(run, 150);
    }
    /* What is too long to be shown in the field is held beside it. */
    function hold(event, given) {
      const text = given ? given.getData("text") : "";
      if (text.length <= HELD) return;
      event.preventDefault();
      held = text;
      isNew = true;
      hex.value = "";
      hex.placeholder = text.length.toLocaleString("en") + " characters are pasted; they are too many to be shown here.";
      run();
    }
    hex.addEventListener("paste", function (event) { hold(event, event.clipboardData); });
    hex.addEventListener("drop", function (event) { hold(event, event.dataTransfer); });
    hex.addEventListener("input", function (event) { held = null; again(event); });
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    api.addEventListener("change", function () { choose(null, message.value); });
    [version, message, frame, header].filter(Boolean).forEach(function (each) { each.addEventListener("change", run); });
    example.addEventListener("click", function () { insert().catch(function (error) { say(error.message, [], true); }); });
    form.addEventListener("reset", function () {
      held = null;
      instead = null;
      setTimeout(function () { choose(null, null); });
    });
    window.addEventListener("hashchange", follow);
    follow();
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
