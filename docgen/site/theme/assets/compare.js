/* The page Compare versions: two versions of a message side by side; compare-releases.js has two releases. */
(function () {
  "use strict";

  const { element, link, load, messages, offer, named, rowOf, ranges } = wirebookPublished;
  const MARKS = { added: "+ added", removed: "\u2212 removed", changed: "\u2260 changed" };

  function badge(mark) {
    return mark ? element("span", { class: "wb-b wb-" + (mark === "changed" ? "key" : mark) }, MARKS[mark]) : "";
  }
  function side(field) {
    if (!field) return ["\u2013"];
    const parts = [field.type + (field.element ? " of " + field.element : "")];
    if (field.nullable) parts.push("nullable");
    if (field.tag !== null) parts.push("tag " + field.tag);
    if (!field.fields && !field.element) parts.push("default " + wirebookDiff.shown(field.default));
    return [parts.join(", ")];
  }

  function versions() {
    const form = document.getElementById("wb-versions"), status = document.getElementById("wb-versions-status"), out = document.getElementById("wb-versions-result");
    const { api, from, to, differing } = form.elements, list = messages();
    let turn = 0;
    offer(api, list);
    form.hidden = false;

    function say(text, parts) {
      status.textContent = text;
      out.replaceChildren(...parts);
    }
    function numbers(doc) { return doc.versions.map(function (each) { return each.version; }); }
    function fill(doc, first, second) {
      [[from, first], [to, second]].forEach(function ([select, wanted]) {
        select.replaceChildren(...doc.versions.map(function (each) {
          return new Option(each.version + (each.state === "current" ? "" : " (" + each.state + ")"), each.version);
        }));
        select.value = wanted;
      });
    }
    async function choose(slug, first, second) {
      const mine = ++turn;
      api.value = slug;
      if (!slug) return say("", []);
      try {
        const doc = await load("api/" + slug + ".json");
        if (mine !== turn) return;
        const all = numbers(doc), newest = doc.newest_stable === null ? all[0] : doc.newest_stable;
        const before = all.filter(function (each) { return each < newest; }).sort(function (a, b) { return b - a; })[0];
        const wanted = [first === null ? (before === undefined ? newest : before) : first, second === null ? newest : second];
        const lost = wanted.filter(function (each) { return !all.map(String).includes(String(each)); });
        fill(doc, wanted[0], wanted[1]);
        if (!lost.length) return show(doc);
        say(doc.api + " has no version " + lost.map(function (each) { return String(each).slice(0, 20); }).join(" and no version ") + " here; it has " + ranges(all) + ".", []);
      } catch (error) {
        if (mine === turn) say(error.message, []);
      }
    }
    function show(doc) {
      const first = Number(from.value), second = Number(to.value), there = list.find(function (each) { return each.slug === doc.slug; });
      history.replaceState(null, "", "#" + new URLSearchParams({ api: doc.slug, from: first, to: second }));
      const parts = [], words = [];
      doc.messages.forEach(function (message) {
        const old = message.versions[first], fresh = message.versions[second];
        if (!old && !fresh) return;
        const title = { request: "Request", response: "Response" }[message.type] || message.name;
        if (!old || !fresh) {
          words.push(title.toLowerCase() + ": only in version " + (old ? first : second));
          return;
        }
        const found = wirebookDiff.compare(old.layout, fresh.layout, wirebookDiff.formerOf(message)), changes = found.changes.map(wirebookDiff.words);
        words.push(title.toLowerCase() + ": " + (changes.length ? changes.length + (changes.length === 1 ? " change" : " changes") : "the same schema"));
        parts.push(element("h3", {}, title));
        parts.push(changes.length ? element("ul", { class: "wb-diff" }, ...changes.map(function (text) { return element("li", {}, text); })) : element("p", {}, "The same schema in both versions."));
        parts.push(table(title, found.rows, first, second, there, message.type));
      });
      say(doc.api + " from version " + first + " to " + second + ", " + words.join("; ") + ".", parts);
      hide();
    }
    function table(title, rows, first, second, there, type) {
      const label = title + ", version " + first + " and version " + second, body = element("tbody");
      rows.forEach(function (row) {
        const field = row.new || row.old, at = rowOf(there, type, row.new ? second : first, field.path);
        const told = row.old && row.new ? row.changes.map(wirebookDiff.words).join("; ") : "";
        body.append(element("tr", { class: "d" + Math.min(row.depth, 8), "data-mark": row.mark },
          element("th", { scope: "row" }, link(at, { class: "wb-a" }, field.name)), element("td", { "data-is": "v" + first + ":" }, ...side(row.old)),
          element("td", { "data-is": "v" + second + ":" }, ...side(row.new)), element("td", { class: "wb-long" }, badge(row.mark), told ? " " + told : "")));
      });
      if (!rows.length) body.append(element("tr", {}, element("td", { colspan: 4 }, "No fields.")));
      const head = ["Field", "Version " + first, "Version " + second, "Change"].map(function (text) { return element("th", { scope: "col" }, text); });
      return element("div", { class: "wb-scroll wb-box", tabindex: "0", role: "region", "aria-label": label },
        element("table", { class: "wb-table wb-cards wb-beside" }, element("caption", {}, label), element("thead", {}, element("tr", {}, ...head)), body));
    }
    function hide() {
      out.querySelectorAll("tr[data-mark]").forEach(function (row) { row.hidden = differing.checked && !row.dataset.mark; });
    }
    api.addEventListener("change", function () { choose(api.value, null, null); });
    [from, to].forEach(function (select) { select.addEventListener("change", function () { choose(api.value, from.value, to.value); }); });
    differing.addEventListener("change", hide);
    form.addEventListener("submit", function (event) { event.preventDefault(); });

    return function (fragment) {
      const wanted = fragment.get("api"), found = named(list, wanted);
      if (found) return choose(found.slug, fragment.get("from"), fragment.get("to"));
      say("There is no API or message \u201c" + wanted.slice(0, 60) + "\u201d here.", []);
    };
  }

  function start() {
    if (!document.getElementById("wb-versions")) return;
    const ofVersions = versions(), ofReleases = wirebookReleases.start(badge);
    function follow() {
      const fragment = new URLSearchParams(location.hash.slice(1));
      if (fragment.has("api")) ofVersions(fragment);
      else if (ofReleases && (fragment.has("from") || fragment.has("to"))) ofReleases(fragment);
    }
    window.addEventListener("hashchange", follow);
    follow();
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
