/* Tables of fields: structs that fold, and the lines of fields in specs. */
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

  function start() {
    structs();
    all();
    lines();
    root.classList.add("wb-listed");
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
  window.addEventListener("hashchange", function () { show(location.hash); });
})();
