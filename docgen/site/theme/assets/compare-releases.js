/* Two releases side by side: APIs added and removed, versions that changed, new error codes. */
(function () {
  "use strict";

  const { element, link, place, load, messages, releaseOf, versionPage, anchor, ranges } = wirebookPublished;

  function numbers(text) {
    if (!text || text === "none") return [];
    return text.split(",").flatMap(function (part) {
      const [low, high] = part.split("-").map(Number), found = [];
      for (let version = low; version <= (high === undefined ? low : high); version++) found.push(version);
      return found;
    });
  }
  function without(list, others) { return list.filter(function (each) { return !others.includes(each); }); }

  /* What differs: {rows, added, removed}; a row is {slug, mark, before, after, added, removed, deprecated, back}. */
  function compare(snapshots, first, second) {
    const by = new Map(snapshots.map(function (each) { return [each.name, each]; })), old = by.get(first), fresh = by.get(second), rows = [];
    new Set(Object.keys(old.apis).concat(Object.keys(fresh.apis))).forEach(function (slug) {
      const was = old.apis[slug], is = fresh.apis[slug], before = numbers(was && was.served), after = numbers(is && is.served);
      const marked = was ? was.deprecated : [], now = is ? is.deprecated : [];
      const row = {
        slug: slug, before: before, after: after, added: without(after, before), removed: without(before, after),
        deprecated: without(now, marked).filter(function (each) { return after.includes(each); }), back: without(marked, now).filter(function (each) { return after.includes(each); }),
      };
      if (!row.added.length && !row.removed.length && !row.deprecated.length && !row.back.length) return;
      row.mark = !before.length ? "added" : !after.length ? "removed" : "changed";
      rows.push(row);
    });
    const known = codes(by, first), then = codes(by, second);
    return {
      rows: rows,
      added: Array.from(then.values()).filter(function (each) { return !known.has(each.name); }),
      removed: Array.from(known.values()).filter(function (each) { return !then.has(each.name); }),
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

  function start(badge) {
    const form = document.getElementById("wb-releases");
    if (!form) return null;
    const status = document.getElementById("wb-releases-status"), out = document.getElementById("wb-releases-result"), word = status.dataset.word, title = status.dataset.others;
    const { from, to } = form.elements, list = messages();
    const pages = new Map(Array.prototype.map.call(document.querySelectorAll("[data-release]"), function (item) { return [item.dataset.release, item.href || null]; }));
    const names = Array.from(pages.keys());
    /* Why versions were removed: {slug, versions, title, href} of each. */
    const reasons = Array.prototype.map.call(document.querySelectorAll("data[data-removed]"), function (item) {
      const entry = item.parentElement;
      return { slug: item.value, versions: numbers(item.dataset.removed), title: entry.dataset.title, href: entry.querySelector("a").href };
    });
    [from, to].forEach(function (select) { select.append(...names.map(function (name) { return new Option(name, name); })); });
    form.hidden = false;
    let turn = 0;

    function say(text, parts) {
      status.textContent = text;
      out.replaceChildren(...parts);
    }
    async function show() {
      const mine = ++turn;
      if (!from.value || !to.value) return say(from.value || to.value ? "Choose the other " + word + "." : "", []);
      try {
        const data = await load("snapshots.json");
        if (mine !== turn) return;
        history.replaceState(null, "", "#" + new URLSearchParams({ from: from.value, to: to.value }));
        report(compare(data.snapshots, from.value, to.value), from.value, to.value);
      } catch (error) {
        if (mine === turn) say(error.message, []);
      }
    }
    function report(found, first, second) {
      const order = new Map(list.map(function (each, at) { return [each.slug, at]; }));
      const rows = found.rows.filter(function (row) { return order.has(row.slug); });
      rows.sort(function (a, b) { return (list[order.get(a.slug)].key === null) - (list[order.get(b.slug)].key === null) || (list[order.get(a.slug)].key || 0) - (list[order.get(b.slug)].key || 0) || a.slug.localeCompare(b.slug); });
      const apis = rows.filter(function (row) { return list[order.get(row.slug)].key !== null; }), others = rows.filter(function (row) { return list[order.get(row.slug)].key === null; });
      const parts = [element("p", {}, link(pages.get(first), {}, word + " " + first), ", ", link(pages.get(second), {}, word + " " + second))];
      if (apis.length) parts.push(table("APIs", apis, first, second, order));
      if (found.added.length || found.removed.length) {
        parts.push(element("h3", {}, "Error codes"), element("ul", { class: "wb-columns" }, ...found.added.map(function (each) { return code(each, "added"); }), ...found.removed.map(function (each) { return code(each, "removed"); })));
      }
      if (others.length) parts.push(element("details", { class: "wb-others" }, element("summary", {}, title + ": " + others.length + " changed"), table(title, others, first, second, order)));
      say("From " + first + " to " + second + ": " + summary(found, apis, others, title, "errors" in status.dataset), parts);
    }
    function code(each, mark) {
      const errors = place("errors");
      return element("li", {}, badge(mark), " ", link(errors && errors + "#" + anchor(each.name), {}, each.name), " (" + each.code + ")");
    }
    function table(title, rows, first, second, order) {
      const body = element("tbody");
      rows.forEach(function (row) {
        const item = list[order.get(row.slug)], words = [badge(row.mark), " "];
        [["adds", row.added], ["removes", row.removed], ["deprecates", row.deprecated], ["no longer deprecates", row.back]].forEach(function ([verb, versions]) {
          if (versions.length) words.push(words.length > 2 ? "; " : "", verb + " ", ...linked(versions, item), ...(verb === "removes" ? why(row.slug, versions) : []));
        });
        const both = row.before.length && row.after.length ? [Math.max(...row.before), Math.max(...row.after)] : null;
        if (both && both[0] !== both[1]) words.push(". ", element("a", { href: "#" + new URLSearchParams({ api: row.slug, from: both[0], to: both[1] }) }, "Schemas of " + both.join(" and ")));
        body.append(element("tr", { "data-mark": row.mark }, element("th", { scope: "row" }, link(item.href, {}, item.name), item.key === null ? "" : " (" + item.key + ")"),
          element("td", { class: "wb-whole", "data-is": first + ":" }, ranges(row.before) || "\u2013"), element("td", { class: "wb-whole", "data-is": second + ":" }, ranges(row.after) || "\u2013"), element("td", { class: "wb-long" }, ...words)));
      });
      const head = [title, first, second, "Change"].map(function (text) { return element("th", { scope: "col" }, text); });
      return element("div", { class: "wb-scroll wb-box", tabindex: "0", role: "region", "aria-label": title },
        element("table", { class: "wb-table wb-cards" }, element("caption", {}, title + " of " + first + " and " + second), element("thead", {}, element("tr", {}, ...head)), body));
    }
    /* The reasons for which versions of a message were removed. */
    function why(slug, versions) {
      const found = reasons.filter(function (each) { return each.slug === slug && each.versions.some(function (version) { return versions.includes(version); }); });
      return found.flatMap(function (each) { return [" (", link(each.href, {}, each.title), ")"]; });
    }
    /* Each run of versions leads to its first version on the page of the API. */
    function linked(versions, item) {
      return ranges(versions).split(", ").flatMap(function (part, at) {
        const low = part.split("-")[0];
        return [at ? ", " : "", link(versionPage(item, low), {}, part)];
      });
    }
    [from, to].forEach(function (select) { select.addEventListener("change", show); });
    form.addEventListener("submit", function (event) { event.preventDefault(); });

    return function (fragment) {
      const wanted = [fragment.get("from"), fragment.get("to")], lost = wanted.filter(function (name) { return name !== null && !releaseOf(names, name); });
      [from.value, to.value] = wanted.map(function (name) { return name === null ? "" : releaseOf(names, name) || ""; });
      form.scrollIntoView({ block: "nearest" });
      if (!lost.length) return show();
      say("There is no " + word + " " + lost.map(function (name) { return "\u201c" + name.slice(0, 40) + "\u201d"; }).join(" or ") + " here.", []);
    };
  }

  window.wirebookReleases = { start: start, compare: compare, summary: summary };
})();
