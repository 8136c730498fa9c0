/* Tables of fields: structs that fold, paths to copy, and the bytes of a version beside its fields. */
(function () {
  "use strict";
  var KEY = "wirebook.fold", root = document.documentElement;

  function depth(row) { return Number((row.className.match(/\bd(\d)\b/) || [0, 0])[1]); }
  /* The rows of the struct of a row. */
  function inner(row) {
    var found = [], level = depth(row);
    for (var at = row.nextElementSibling; at && depth(at) > level; at = at.nextElementSibling) found.push(at);
    return found;
  }
  function button(name, text) {
    var made = document.createElement("button");
    made.type = "button";
    made.className = name;
    made.textContent = text;
    return made;
  }

  /* --- structs --- */

  function twist(row) { return row.querySelector(":scope > th > .wb-twist"); }
  /* A row is shown if every struct around it is open. */
  function refresh(table) {
    var closed = [];
    table.querySelectorAll("tbody tr").forEach(function (row) {
      var level = depth(row), knob = twist(row);
      while (closed.length && closed[closed.length - 1] >= level) closed.pop();
      row.hidden = closed.length > 0;
      if (knob && knob.getAttribute("aria-expanded") === "false") closed.push(level);
    });
  }
  function set(knob, open) {
    var row = knob.closest("tr"), count = knob.dataset.count;
    knob.setAttribute("aria-expanded", String(open));
    var words = row.cells[0].querySelector(".wb-folded");
    if (words) words.remove();
    if (open) return;
    words = document.createElement("span");
    words.className = "wb-folded";
    words.textContent = count + (count === "1" ? " field" : " fields");
    row.cells[0].append(words);
  }
  function structs() {
    document.querySelectorAll(".wb-fields").forEach(function (table) {
      table.querySelectorAll("tbody tr[id]:not(.wb-tags)").forEach(function (row) {
        var fields = inner(row).filter(function (each) { return !each.classList.contains("wb-tags"); });
        if (!fields.length) return;
        var knob = button("wb-twist", "");
        knob.dataset.count = fields.length;
        knob.setAttribute("aria-label", "Fields of " + row.cells[0].textContent.trim().split(/\s/)[0]);
        row.cells[0].prepend(knob);
        set(knob, !root.classList.contains("wb-folding"));
      });
      refresh(table);
    });
    root.classList.remove("wb-folding");
    show(location.hash);
  }
  /* Open what is around the row that an address leads to. */
  function show(hash) {
    var id = hash.slice(1), row;
    try { id = decodeURIComponent(id); } catch (bad) { /* a lone % is a % */ }
    row = id && document.getElementById(id);
    if (!row || !row.hidden || !row.closest(".wb-fields")) return;
    var limit = depth(row);
    for (var at = row.previousElementSibling; at && limit > 0; at = at.previousElementSibling) {
      if (depth(at) >= limit) continue;
      limit = depth(at);
      if (twist(at)) set(twist(at), true);
    }
    refresh(row.closest(".wb-fields"));
    row.scrollIntoView();
  }
  function all() {
    var knobs = document.querySelectorAll(".wb-twist"), line = document.querySelector(".wb-state");
    if (!knobs.length || !line) return;
    var fold = button("wb-fold", "");
    function name() {
      fold.textContent = document.querySelector('.wb-twist[aria-expanded="true"]') ? "Collapse all structs" : "Expand all structs";
    }
    fold.addEventListener("click", function () {
      var open = !document.querySelector('.wb-twist[aria-expanded="true"]');
      knobs.forEach(function (knob) { set(knob, open); });
      document.querySelectorAll(".wb-fields").forEach(refresh);
      try { localStorage.setItem(KEY, open ? "no" : "yes"); } catch (forbidden) { /* It lasts as long as the page. */ }
      name();
    });
    document.addEventListener("click", function (event) {
      var knob = event.target.closest && event.target.closest(".wb-twist");
      if (!knob) return;
      set(knob, knob.getAttribute("aria-expanded") === "false");
      refresh(knob.closest(".wb-fields"));
      name();
    });
    name();
    line.append(" ", fold);
  }

  /* --- the bytes of a version, beside its fields where there is room for both --- */

  var panel = null, from = null;
  function close() {
    if (!panel || !panel.open) return;
    panel.close();
    document.body.classList.remove("wb-with-bytes");
    if (from) from.focus();
  }
  function build() {
    panel = document.createElement("dialog");
    panel.className = "wb-beside";
    panel.setAttribute("aria-label", "Bytes");
    var bar = document.createElement("div"), link = document.createElement("a"), done = button("", "Close"), page = document.createElement("div");
    bar.className = "wb-beside-bar";
    link.textContent = "Open as a page";
    done.addEventListener("click", close);
    bar.append(link, done);
    page.className = "wb-beside-page wb-page";
    page.tabIndex = 0;
    page.setAttribute("role", "region");
    page.setAttribute("aria-label", "Bytes of the version");
    panel.append(bar, page);
    panel.addEventListener("keydown", function (event) { if (event.key === "Escape") { event.preventDefault(); close(); } });
    /* Not within the page, whose size others follow: what is fixed would be fixed to it. */
    document.querySelector(".wb-page").parentElement.append(panel);
  }
  /* Links of the fetched page begin where it is; ids get a prefix, since this page has some of the same. */
  function fitted(content, base) {
    content.querySelectorAll("script, .headerlink").forEach(function (each) { each.remove(); });
    content.querySelectorAll("[id]").forEach(function (each) { each.id = "beside-" + each.id; });
    content.querySelectorAll("[aria-labelledby]").forEach(function (each) {
      each.setAttribute("aria-labelledby", "beside-" + each.getAttribute("aria-labelledby"));
    });
    content.querySelectorAll(".wb-next a").forEach(function (link) {
      if (/\/v\d+\/(index\.html)?$/.test(link.getAttribute("href"))) link.classList.add("wb-bytes-of");
    });
    content.querySelectorAll("a[href]").forEach(function (link) {
      var href = link.getAttribute("href");
      if (href.startsWith("#")) link.setAttribute("href", "#beside-" + href.slice(1));
      else link.href = new URL(href, base).href;
    });
    return content.childNodes;
  }
  function beside(event) {
    var link = event.target.closest && event.target.closest("a.wb-bytes-of");
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (location.protocol === "file:" || !matchMedia("(min-width: 1200px)").matches) return;
    event.preventDefault();
    fetch(link.href).then(function (answer) {
      if (!answer.ok) throw new Error(String(answer.status));
      return answer.text();
    }).then(function (text) {
      var content = new DOMParser().parseFromString(text, "text/html").querySelector(".wb-page");
      if (!content) throw new Error("no page");
      if (!panel) build();
      if (!panel.contains(link)) from = link;
      panel.querySelector(".wb-beside-bar a").href = link.href;
      panel.querySelector(".wb-beside-page").replaceChildren.apply(panel.querySelector(".wb-beside-page"), fitted(content, link.href));
      panel.querySelector(".wb-beside-page").scrollTop = 0;
      document.body.classList.add("wb-with-bytes");
      if (!panel.open) panel.show();
      panel.querySelector(".wb-beside-bar button").focus();
      link.scrollIntoView({ block: "nearest" });
      if (window.wirebookBytes) window.wirebookBytes.joinWithin(panel);
      else {
        var script = document.createElement("script");
        script.src = new URL("bytes.js", here).href;
        document.head.append(script);
      }
    }).catch(function () { location.assign(link.href); });
  }

  /* --- the line of each field in the spec, from the link to the spec: an address in each row would be a twentieth of a page --- */

  function lines() {
    document.querySelectorAll(".wb-part").forEach(function (part) {
      var spec = part.querySelector(".wb-spec");
      if (spec) part.querySelectorAll("tr[data-l]").forEach(function (row) {
        var link = document.createElement("a");
        link.className = "wb-src";
        link.href = spec.href.replace(/#.*$/, "#L" + row.dataset.l);
        link.textContent = "line " + row.dataset.l;
        row.cells[row.cells.length - 1].append(" ", link);
      });
    });
  }

  var here = document.currentScript.src;
  function start() {
    structs();
    all();
    lines();
    root.classList.add("wb-listed");
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
  window.addEventListener("hashchange", function () { show(location.hash); });
  document.addEventListener("click", beside);
})();
