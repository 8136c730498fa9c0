/* The page Compare versions: two versions of a message, and two releases, side by side. */
(function () {
  "use strict";

  const { element, link, badge, table, speaker, place, load, messages, offer, named, releaseOf, versionPage, rowOf, anchor, ranges } = wirebookPublished;
  const MARKS = { added: "+ added", removed: "\u2212 removed", changed: "\u2260 changed" };

  function marked(mark) { return mark ? badge(mark === "changed" ? "key" : mark, MARKS[mark]) : ""; }
  function quoted(text) { return "\u201c" + text.slice(0, 60) + "\u201d"; }

  /* --- two versions of a message --- */

  function side(field) {
    if (!field) return ["\u2013"];
    const parts = [field.type + (field.element ? " of " + field.element : "")];
    if (field.nullable) parts.push("nullable");
    if (field.tag !== null) parts.push("tag " + field.tag);
    if (!field.fields && !field.element) parts.push("default " + wirebookDiff.shown(field.default));
    return [parts.join(", ")];
  }
  function versions(list) {
    const form = document.getElementById("wb-versions"), say = speaker("versions"), { api, from, to, differing } = form.elements;
    const sentences = JSON.parse(document.getElementById("wb-versions-result").dataset.sentences);
    let turn = 0;
    offer(api, list);
    form.hidden = false;

    async function choose(slug, first, second) {
      const mine = ++turn;
      api.value = slug;
      if (!slug) return say("");
      try {
        const doc = await load("api/" + slug + ".json");
        if (mine !== turn) return;
        const all = doc.versions.map(function (each) { return each.version; }), newest = doc.newest_stable === null ? all[0] : doc.newest_stable;
        const before = Math.max(...all.filter(function (each) { return each < newest; })), older = Number.isFinite(before) ? before : newest;
        const wanted = [first === null ? older : first, second === null ? newest : second], lost = wanted.filter(function (each) { return !all.map(String).includes(String(each)); });
        [from, to].forEach(function (select, at) {
          select.replaceChildren(...doc.versions.map(function (each) { return new Option(each.version + (each.state === "current" ? "" : " (" + each.state + ")"), each.version); }));
          select.value = wanted[at];
        });
        if (!lost.length) return show(doc);
        say(doc.api + " has no version " + lost.map(function (each) { return String(each).slice(0, 20); }).join(" and no version ") + " here; it has " + ranges(all) + ".");
      } catch (error) {
        if (mine === turn) say(error.message);
      }
    }
    function show(doc) {
      const first = Number(from.value), second = Number(to.value), there = list.find(function (each) { return each.slug === doc.slug; }), parts = [], words = [];
      history.replaceState(null, "", "#" + new URLSearchParams({ api: doc.slug, from: first, to: second }));
      doc.messages.forEach(function (message) {
        const old = message.versions[first], fresh = message.versions[second], title = { request: "Request", response: "Response" }[message.type] || message.name;
        if (!old && !fresh) return;
        if (!old || !fresh) return words.push(title.toLowerCase() + ": only in version " + (old ? first : second));
        const found = wirebookDiff.compare(old.layout, fresh.layout, wirebookDiff.formerOf(message)), changes = found.changes.map(sentence);
        words.push(title.toLowerCase() + ": " + (changes.length ? changes.length + (changes.length === 1 ? " change" : " changes") : "the same schema"));
        parts.push(element("h3", {}, title));
        parts.push(changes.length ? element("ul", { class: "wb-diff" }, ...changes.map(function (text) { return element("li", {}, text); })) : element("p", {}, "The same schema in both versions."));
        const rows = found.rows.map(function (row) { return fields(row, first, second, there, message.type); });
        parts.push(table(title + ", version " + first + " and version " + second, "wb-cards wb-beside", ["Field", "Version " + first, "Version " + second, "Change"], rows.length ? rows : [element("tr", {}, element("td", { colspan: 4 }, "No fields."))]));
      });
      say(doc.api + " from version " + first + " to " + second + ", " + words.join("; ") + ".", parts);
      hide();
    }
    function sentence(change) { return wirebookDiff.words(change, sentences); }
    function fields(row, first, second, there, type) {
      const field = row.new || row.old, at = rowOf(there, type, row.new ? second : first, field.path), changes = row.old && row.new ? row.changes.map(sentence).join("; ") : "";
      return element("tr", { class: "d" + Math.min(row.depth, 8), "data-mark": row.mark },
        element("th", { scope: "row" }, link(at, { class: "wb-a" }, field.name)), element("td", { "data-is": "v" + first + ":" }, ...side(row.old)),
        element("td", { "data-is": "v" + second + ":" }, ...side(row.new)), element("td", { class: "wb-long" }, marked(row.mark), changes ? " " + changes : ""));
    }
    function hide() {
      document.querySelectorAll("#wb-versions-result tr[data-mark]").forEach(function (row) { row.hidden = differing.checked && !row.dataset.mark; });
    }
    api.addEventListener("change", function () { choose(api.value, null, null); });
    [from, to].forEach(function (select) { select.addEventListener("change", function () { choose(api.value, from.value, to.value); }); });
    differing.addEventListener("change", hide);
    form.addEventListener("submit", function (event) { event.preventDefault(); });

    return function (fragment) {
      const found = named(list, fragment.get("api"));
      if (found) choose(found.slug, fragment.get("from"), fragment.get("to"));
      else say("There is no API or message " + quoted(fragment.get("api")) + " here.");
    };
  }

  /* --- two releases --- */

  function numbers(text) {
    return !text || text === "none" ? [] : text.split(",").flatMap(function (part) {
      const [low, high = low] = part.split("-").map(Number);
      return Array.from({ length: high - low + 1 }, function (_, at) { return low + at; });
    });
  }
  function without(list, others) { return list.filter(function (each) { return !others.includes(each); }); }
  /* What differs: {rows, added, removed}; a row is {slug, mark, before, after, added, removed, deprecated, back}. */
  function compare(snapshots, first, second) {
    const by = new Map(snapshots.map(function (each) { return [each.name, each]; })), old = by.get(first), fresh = by.get(second), rows = [];
    new Set(Object.keys(old.apis).concat(Object.keys(fresh.apis))).forEach(function (slug) {
      const was = old.apis[slug], is = fresh.apis[slug], before = numbers(was && was.served), after = numbers(is && is.served), marked = was ? was.deprecated : [], now = is ? is.deprecated : [];
      const both = function (list) { return list.filter(function (each) { return after.includes(each); }); };
      const row = { slug: slug, before: before, after: after, added: without(after, before), removed: without(before, after), deprecated: both(without(now, marked)), back: both(without(marked, now)) };
      row.mark = !before.length ? "added" : !after.length ? "removed" : "changed";
      if (row.added.length || row.removed.length || row.deprecated.length || row.back.length) rows.push(row);
    });
    const known = codes(by, first), then = codes(by, second);
    return {
      rows: rows,
      added: [...then.values()].filter(function (each) { return !known.has(each.name); }),
      removed: [...known.values()].filter(function (each) { return !then.has(each.name); }),
    };
  }
  /* The error codes of a release: those that it or one before it on its branch is the first to have. */
  function codes(by, name) {
    const found = new Map();
    for (let at = by.get(name); at; at = by.get(at.predecessor)) at.errors.forEach(function (each) { found.set(each.name, each); });
    return found;
  }
  /* What differs in a sentence: of APIs, of other messages (whose title is `others`), and of error codes if the protocol lists any. */
  function summary(found, apis, rest, others, withErrors) {
    const count = function (mark) { return apis.filter(function (row) { return row.mark === mark; }).length; }, parts = [];
    if (!apis.length && !rest.length && !found.added.length && !found.removed.length) return "nothing in the protocol changed.";
    parts.push(count("added") + " APIs added, " + count("removed") + " removed, " + count("changed") + " with other versions");
    if (rest.length) parts.push(others.charAt(0).toLowerCase() + others.slice(1) + ": " + rest.length + " changed");
    if (withErrors) parts.push(found.added.length + " error codes added" + (found.removed.length ? ", " + found.removed.length + " removed" : ""));
    return parts.join("; ") + ".";
  }
  /* The releases of a line that serve some APIs otherwise than its first one, as snapshots of their own. */
  function patched(snapshots) {
    return snapshots.concat([...document.querySelectorAll("[data-release][data-of]")].map(function (item) {
      const base = snapshots.find(function (each) { return each.name === item.dataset.of; }), apis = Object.assign({}, base.apis);
      Object.entries(JSON.parse(item.dataset.served)).forEach(function ([slug, served]) { apis[slug] = Object.assign({}, apis[slug], { served: served }); });
      return Object.assign({}, base, { name: item.dataset.release, apis: apis, predecessor: base.name, errors: [] });
    }));
  }
  function releases(list) {
    const form = document.getElementById("wb-releases");
    if (!form) return null;
    const say = speaker("releases"), { word, others: title, errors } = document.getElementById("wb-releases-status").dataset, { from, to } = form.elements;
    const pages = new Map([...document.querySelectorAll("[data-release]")].map(function (item) { return [item.dataset.release, item.href || null]; })), names = [...pages.keys()];
    const item = new Map(list.map(function (each) { return [each.slug, each]; }));
    let turn = 0;
    [from, to].forEach(function (select) { select.append(...names.map(function (name) { return new Option(name, name); })); });
    form.hidden = false;

    async function show() {
      const mine = ++turn;
      if (!from.value || !to.value) return say(from.value || to.value ? "Choose the other " + word + "." : "");
      try {
        const data = await load("snapshots.json");
        if (mine !== turn) return;
        history.replaceState(null, "", "#" + new URLSearchParams({ from: from.value, to: to.value }));
        report(compare(patched(data.snapshots), from.value, to.value), from.value, to.value);
      } catch (error) {
        if (mine === turn) say(error.message);
      }
    }
    function report(found, first, second) {
      const rows = found.rows.filter(function (row) { return item.has(row.slug); }).sort(function (a, b) { return (item.get(a.slug).key || 0) - (item.get(b.slug).key || 0) || a.slug.localeCompare(b.slug); });
      const apis = rows.filter(function (row) { return item.get(row.slug).key !== null; }), rest = rows.filter(function (row) { return item.get(row.slug).key === null; });
      const parts = [element("p", {}, link(pages.get(first), {}, word + " " + first), ", ", link(pages.get(second), {}, word + " " + second))];
      const shown = function (name, some) { return table(name + " of " + first + " and " + second, "wb-cards", [name, first, second, "Change"], some.map(function (row) { return line(row, first, second); })); };
      if (apis.length) parts.push(shown("APIs", apis));
      if (found.added.length || found.removed.length) {
        parts.push(element("h3", {}, "Error codes"), element("ul", { class: "wb-columns" }, ...found.added.map(function (each) { return code(each, "added"); }), ...found.removed.map(function (each) { return code(each, "removed"); })));
      }
      if (rest.length) parts.push(element("details", { class: "wb-others" }, element("summary", {}, title + ": " + rest.length + " changed"), shown(title, rest)));
      say("From " + first + " to " + second + ": " + summary(found, apis, rest, title, errors !== undefined), parts);
    }
    function code(each, mark) {
      return element("li", {}, marked(mark), " ", link(place("errors") && place("errors") + "#" + anchor(each.name), {}, each.name), " (" + each.code + ")");
    }
    function line(row, first, second) {
      const each = item.get(row.slug), words = [marked(row.mark), " "], both = row.before.length && row.after.length ? [Math.max(...row.before), Math.max(...row.after)] : null;
      [["adds", row.added], ["removes", row.removed], ["deprecates", row.deprecated], ["no longer deprecates", row.back]].forEach(function ([verb, some]) {
        if (some.length) words.push(words.length > 2 ? "; " : "", verb + " ", ...linked(some, each));
      });
      if (both && both[0] !== both[1]) words.push(". ", element("a", { href: "#" + new URLSearchParams({ api: row.slug, from: both[0], to: both[1] }) }, "Schemas of " + both.join(" and ")));
      return element("tr", { "data-mark": row.mark }, element("th", { scope: "row" }, link(each.href, {}, each.name), each.key === null ? "" : " (" + each.key + ")"),
        element("td", { class: "wb-whole", "data-is": first + ":" }, ranges(row.before) || "\u2013"), element("td", { class: "wb-whole", "data-is": second + ":" }, ranges(row.after) || "\u2013"), element("td", { class: "wb-long" }, ...words));
    }
    /* Each run of versions leads to its first version. */
    function linked(some, each) {
      return ranges(some).split(", ").flatMap(function (part, at) { return [at ? ", " : "", link(versionPage(each, part.split("\u2013")[0]), {}, part)]; });
    }
    [from, to].forEach(function (select) { select.addEventListener("change", show); });
    form.addEventListener("submit", function (event) { event.preventDefault(); });

    return function (fragment) {
      const wanted = [fragment.get("from"), fragment.get("to")], lost = wanted.filter(function (name) { return name !== null && !releaseOf(names, name); });
      [from.value, to.value] = wanted.map(function (name) { return name === null ? "" : releaseOf(names, name) || ""; });
      form.scrollIntoView({ block: "nearest" });
      if (!lost.length) return show();
      say("There is no " + word + " " + lost.map(quoted).join(" or ") + " here.");
    };
  }

  function start() {
    if (!document.getElementById("wb-versions")) return;
    const list = messages(), ofVersions = versions(list), ofReleases = releases(list);
    function follow() {
      const fragment = new URLSearchParams(location.hash.slice(1));
      if (fragment.has("api")) ofVersions(fragment);
      else if (ofReleases && (fragment.has("from") || fragment.has("to"))) ofReleases(fragment);
    }
    window.addEventListener("hashchange", follow);
    follow();
  }

  window.wirebookReleases = { compare: compare, summary: summary };
  if (typeof document !== "undefined") start();
})();
