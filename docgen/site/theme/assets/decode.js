/* The page Decode: reads what is pasted, dropped or in the address, finds what each frame is, and shows it. */
(function () {
  "use strict";

  const { element, link, place, load, messages, offer, named, speaker, rowOf, versionPage, anchor } = wirebookPublished;
  const SPANS = 10000, IN_LINK = 1000, HELD = 100000, OFFERED = 8, OPENED = 3;

  /* The bytes that fields hold, as spans in place of theirs: records, and the messages that the profile names. Gives
     what is packed, and what is wrong with records; only those of a response may end within a batch. */
  function deepened(all, message, found, bytes) {
    const packed = [], problems = [];
    found.parts.forEach(function (part) {
      if (part.name !== "body") return;
      const values = new Map(part.spans.filter(function (span) { return span.kind === "value"; }).map(function (span) { return [span.path, span.value]; }));
      part.spans = part.spans.flatMap(function (span) {
        if (span.kind !== "value" || span.end === span.start) return [span];
        if (span.type.endsWith("RECORDS")) {
          const opened = wirebookRecords.open(bytes, span.start, span.end, span.path, span.field);
          packed.push(...opened.packed);
          if (opened.problem && !(opened.isEnd && message.type === "response")) problems.push(opened.problem);
          return opened.spans;
        }
        return span.type.endsWith("BYTES") ? inside(all, message, span, values, bytes) || [span] : [span];
      });
    });
    return { packed: packed, problems: problems };
  }
  function inside(all, message, span, values, bytes) {
    const each = all.embedded.find(function (one) {
      return one.carrier === message.name && one.path === span.field && Object.keys(one.when).every(function (name) { return nearest(span.path, name, values) === one.when[name]; });
    });
    const inner = each && all.others.find(function (one) { return one.name === each.message; });
    const number = inner && span.end - span.start > 2 ? bytes[span.start] * 256 + bytes[span.start + 1] : null, layout = number === null ? null : inner.layouts.get(number);
    if (!layout) return null;
    const found = wirebookCodec.decode(layout, bytes.subarray(0, span.end), span.start + 2, SPANS, null);
    if (found.error || found.end !== span.end) return null;
    const version = { start: span.start, end: span.start + 2, path: "Version", field: "", kind: "value", type: "INT16", value: number, section: false, note: inner.name };
    return [version].concat(found.spans).map(function (one) { return Object.assign({}, one, { path: (span.path + "." + one.path).replace(/\.$/, ""), field: span.field, note: one.note || "", inner: { slug: inner.slug, version: number, field: one.field } }); });
  }
  /* The value of a name in the struct of a path, or the nearest one around it. */
  function nearest(path, name, values) {
    for (let above = path; above;) {
      above = above.includes(".") ? above.slice(0, above.lastIndexOf(".")) : "";
      const found = values.get(above ? above + "." + name : name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  function start() {
    const form = document.getElementById("wb-decode");
    if (!form) return;
    const { api, hex, file, example } = form.elements, list = messages(), say = speaker("decode");
    let turn = 0, timer = 0, held = null, wanted = null;
    offer(api, list);
    form.hidden = false;

    async function known() {
      const [layouts, headers, table] = await Promise.all([load("layouts.json"), load("headers.json"), place("errors") ? load("errors.json") : { errors: [] }]);
      if (!known.all) known.all = Object.assign(wirebookReadings.known(layouts, headers), { errors: new Map(table.errors.map(function (each) { return [each.code, each]; })) });
      return known.all;
    }

    /* --- the address: what was chosen, and bytes that are not too long --- */

    function keep(bytes) {
      const fragment = new URLSearchParams();
      if (api.value) fragment.set("api", api.value);
      if (wanted && wanted.version !== null) fragment.set("version", wanted.version);
      if (wanted && wanted.type) fragment.set("message", wanted.type);
      if (bytes.length && bytes.length <= IN_LINK) fragment.set("hex", wirebookCodec.hex(bytes));
      history.replaceState(null, "", String(fragment) ? "#" + fragment : location.pathname + location.search);
    }
    function follow() {
      const fragment = new URLSearchParams(location.hash.slice(1)), name = fragment.get("api"), found = name === null ? null : named(list, name), number = fragment.get("version");
      wanted = found ? { slug: found.slug, version: /^\d{1,5}$/.test(number || "") ? Number(number) : null, type: fragment.get("message") } : null;
      api.value = found ? found.slug : "";
      if (fragment.has("hex")) {
        held = null;
        hex.value = fragment.get("hex");
      }
      if (name !== null && !found) say("There is no API or message \u201c" + name.slice(0, 60) + "\u201d here.", [], true);
      else run();
    }
    function choose(slug) {
      api.value = slug;
      wanted = slug ? { slug: slug, version: null, type: null } : null;
      run();
    }
    function button(text, act) {
      const made = element("button", { type: "button" }, text);
      made.addEventListener("click", act);
      return element("span", { class: "wb-form" }, made, " ");
    }

    /* --- one frame --- */

    function title(reading) {
      const layout = reading.layout, side = layout.type === "request" || layout.type === "response" ? reading.message.api + " " + layout.type : reading.message.name;
      return side + " version " + layout.version;
    }
    /* What a frame is, in a line. */
    function heading(each, number, several) {
      const best = each.readings[0], here = each.frame.bytes.length, size = each.frame.short ? here + " of " + (here + each.frame.short) + " bytes" : wirebookCodec.someBytes(here);
      const name = !best ? "Unknown" : !best.layout ? best.message.api + " request of an unknown version, " + best.number : (best.fits ? "" : "A guess: ") + title(best);
      return (several ? number + 1 + ". " : "") + [name, each.correlation === null ? "" : "correlation ID " + each.correlation, size].filter(Boolean).join(" \u00b7 ");
    }
    /* How sure it is, and what else fits. */
    function certainty(each, choose) {
      const best = each.readings[0], missing = each.frame.short;
      const cut = missing ? "The frame is cut: " + wirebookCodec.someBytes(missing) + " of it " + (missing === 1 ? "is" : "are") + " missing. " : "";
      if (!best) return [cut + "No message fits these bytes: neither a request with a known key and version, nor " + (each.frame.bytes.length > 4194304 ? "the chosen message, which has to be named for more than 4 MiB." : "any response.")];
      if (!best.layout) return [cut + "The key is that of " + best.message.api + ", which has no version " + best.number + " here; it has " + wirebookPublished.ranges([...best.message.layouts.keys()].sort(function (a, b) { return a - b; })) + "."];
      const others = each.readings.slice(1).filter(function (one) { return one.fits || one.reaches; });
      const wrong = best.fits ? "" : cut || "Not all bytes are read: " + best.found.errors.map(String).join("; ") + ". ";
      if (best.answers) return [wrong + "It answers the request with its correlation ID. "];
      if (!others.length && wrong) return [wrong];
      if (!others.length) return [best.layout.type === "request" && best.head ? "Its header names the API and the version, and all bytes fit. " : "Nothing else fits these bytes. "];
      const groups = new Map();
      others.forEach(function (one) {
        const name = title(one).replace(/ version \d+$/, "");
        groups.set(name, (groups.get(name) || []).concat(one));
      });
      const same = groups.get(title(best).replace(/ version \d+$/, "")) || [];
      groups.delete(title(best).replace(/ version \d+$/, ""));
      const buttons = [...groups].slice(0, OFFERED).map(function (pair) { return button(title(pair[1][0]), function () { choose(pair[1][0]); }); });
      const versions = same.map(function (one) { return button("version " + one.layout.version, function () { choose(one); }); });
      return [wrong ? wrong + "It is a guess. These fit as well, up to the cut or whole: " : best.layout.type === "response" ? "A response does not say what it is. These fit as well: " : "It is a guess. These fit as well: ", ...versions, ...buttons, groups.size > OFFERED ? "and " + (groups.size - OFFERED) + " more. " : ""];
    }
    async function shown(all, each, id) {
      const best = each.readings[0], bytes = each.frame.bytes, box = element("div", {});
      box.append(element("p", { class: "wb-form wb-fits" }, ...certainty(each, function (one) {
        each.readings = [one].concat(each.readings.filter(function (other) { return other !== one; }));
        shown(all, each, id).then(function (next) { box.replaceWith(next); });
      })));
      if (!best || !best.layout) {
        box.append(wirebookDecoded.section(bytes, { parts: [], end: 0, all: true, value: undefined }, { id: id, title: "unknown bytes", layouts: {}, error: function () { return null; }, row: function () { return null; } }));
        return box;
      }
      const doc = await load("api/" + best.message.slug + ".json").catch(function () { return null; });
      const own = doc && doc.messages.find(function (one) { return one.name === best.message.name; }), body = own && own.versions[best.layout.version] ? own.versions[best.layout.version].layout : best.layout;
      const { found } = wirebookReadings.attempt(all, best.message, body, best.head, each.frame, SPANS);
      const { packed, problems } = deepened(all, best.message, found, bytes);
      for (const one of packed) {
        const inner = await wirebookRecords.unpacked(one);
        if (inner.problem) problems.push(inner.problem);
        if (inner.bytes) found.parts.push({ name: "body", title: "Unpacked: " + one.path + ", " + wirebookCodec.someBytes(inner.bytes.length), bytes: inner.bytes, spans: inner.spans });
      }
      const entry = list.find(function (one) { return one.slug === best.message.slug; }), head = best.head, headPage = head && list.find(function (one) { return one.name === head.message; });
      const side = body.type === "request" || body.type === "response" ? body.type : "";
      box.append(element("p", { class: "wb-files" }, link(versionPage(entry, body.version), {}, "Fields and lifecycle of " + title(best)), ". ", ...problems.map(function (each) { return element("span", { class: "wb-wrong" }, each + " "); })));
      box.append(wirebookDecoded.section(bytes, found, {
        id: id, title: title(best), layouts: { body: body, header: head }, error: errorOf.bind(null, all, doc),
        row: function (part, span) {
          if (span.records) return place("batches");
          if (span.inner) {
            const page = list.find(function (one) { return one.slug === span.inner.slug; });
            return rowOf(page, "", span.inner.version, span.inner.field);
          }
          if (part === "body") return rowOf(entry, side, body.version, span.field);
          return part === "header" && headPage ? rowOf(headPage, "", head.version, span.field) : part === "header" ? place("headers") : null;
        },
      }));
      return box;
    }
    /* An error code: its name, and what to do, as the page of the API has it or else the list of errors. */
    function errorOf(all, doc, code) {
      const found = all.errors.get(code);
      if (!found) return code ? { name: "no known error", href: place("errors"), text: "" } : null;
      const here = doc && (doc.errors || []).find(function (each) { return each.name === found.name; });
      return { name: found.name, href: place("errors") && place("errors") + "#" + anchor(found.name), text: code ? (here ? here.cause + " " + here.action : found.about) : "" };
    }

    /* --- all that is given --- */

    async function run() {
      const mine = ++turn;
      hex.setAttribute("aria-invalid", "false");
      try {
        const choices = held instanceof Uint8Array ? wirebookNotation.readFile(held) : wirebookNotation.read(held === null ? hex.value : held);
        if (!choices.length || !choices[0].streams.some(function (each) { return each.length; })) {
          keep([]);
          return say("");
        }
        const all = await known();
        if (mine !== turn) return;
        const found = wirebookReadings.best(all, choices, wanted, new Set(all.errors.keys()));
        const secret = otherThan(found.frames[0].frame.bytes);
        if (secret) return say(secret, [], true);
        const bytes = found.frames.slice(0, IN_LINK).flatMap(function (each) { return [...each.frame.bytes.subarray(0, IN_LINK + 1)]; });
        keep(found.frames.length === 1 || found.frames.every(function (each) { return each.frame.framed; }) ? bytes : []);
        await show(all, found, mine);
      } catch (error) {
        if (mine !== turn) return;
        const isNotation = error instanceof wirebookNotation.NotationError;
        hex.setAttribute("aria-invalid", String(isNotation));
        say(isNotation ? String(error) : error.message, [], true);
      }
    }
    async function show(all, found, mine) {
      const several = found.frames.length > 1, right = found.frames.filter(function (each) { return each.readings.length && each.readings[0].fits; });
      const read = right.filter(function (each) { return !deepened(all, each.readings[0].message, each.readings[0].found, each.frame.bytes).problems.length; }).length;
      const parts = [];
      for (const [number, each] of found.frames.entries()) {
        const box = element("details", { class: "wb-frame-read" }, element("summary", {}, heading(each, number, several)));
        const fill = async function () { box.append(await shown(all, each, "wb-range" + (number ? "-" + number : ""))); };
        box.open = number < OPENED;
        if (box.open) await fill();
        else box.addEventListener("toggle", fill, { once: true });
        parts.push(box);
      }
      if (mine !== turn) return;
      const first = found.frames[0], words = several ? found.frames.length + " frames, " + (read === found.frames.length ? "all read" : read + " of them read") : heading(first, 0, false) + (read ? ", all read" : right.length ? ", but not all of its content can be read" : "");
      say("Read as " + found.notation + ": " + words + ".", parts, read < found.frames.length);
    }
    /* What is no message, but often found in the place of one: "" for anything else. */
    function otherThan(bytes) {
      if (bytes[0] >= 0x14 && bytes[0] <= 0x17 && bytes[1] === 3 && bytes[2] < 5) return "These bytes are TLS: what they carry is encrypted.";
      return /^(GET |POST|PUT |HTTP)/.test(String.fromCharCode(...bytes.subarray(0, 4))) ? "These bytes are HTTP." : "";
    }

    /* A test vector of the chosen message, or of the first one: a request with its length and header. */
    async function insert() {
      const all = await known(), slug = api.value || list[0].slug, there = list.find(function (each) { return each.slug === slug; });
      const given = await load(new URL("vectors.json", there.href || new URL("../api/" + slug + "/", place("data"))).href);
      const fit = given.vectors.filter(function (each) { return !wanted || wanted.version === null || each.version === wanted.version; });
      const vector = fit.find(function (each) { return each.case === "filled"; }) || fit[0];
      if (!vector) return say("There is no example of this version.", []);
      const rest = (vector.header || "") + vector.body, size = vector.header ? all.headers.frame_length : 0;
      held = null;
      hex.value = ((size ? (rest.length / 2).toString(16).padStart(2 * size, "0") : "") + rest).replace(/(.{2})(?=.)/g, "$1 ");
      run();
    }

    function again() {
      clearTimeout(timer);
      timer = setTimeout(run, 150);
    }
    async function take(given) {
      held = new Uint8Array(await given.arrayBuffer());
      hex.value = "";
      hex.placeholder = given.name + ", " + wirebookCodec.someBytes(held.length);
      run();
    }
    /* What is too long to be shown in the field is held beside it. */
    hex.addEventListener("paste", function (event) {
      const text = event.clipboardData ? event.clipboardData.getData("text") : "";
      if (text.length <= HELD) return;
      event.preventDefault();
      held = text;
      hex.value = "";
      hex.placeholder = text.length.toLocaleString("en") + " characters are pasted; they are too many to be shown here.";
      run();
    });
    ["dragover", "drop"].forEach(function (name) {
      form.addEventListener(name, function (event) {
        if (!event.dataTransfer || ![...event.dataTransfer.types].includes("Files")) return;
        event.preventDefault();
        if (name === "drop" && event.dataTransfer.files.length) take(event.dataTransfer.files[0]);
      });
    });
    file.addEventListener("change", function () { if (file.files.length) take(file.files[0]); });
    hex.addEventListener("input", function () { held = null; again(); });
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    api.addEventListener("change", function () { choose(api.value); });
    example.addEventListener("click", function () { insert().catch(function (error) { say(error.message, [], true); }); });
    form.addEventListener("reset", function () {
      held = null;
      wanted = null;
      setTimeout(run);
    });
    window.addEventListener("hashchange", follow);
    follow();
  }
  start();
})();
