/* Joins bytes, rows, grammar and fields: elements that belong together have the same data-f; a range and its row share an id. */
(function () {
  "use strict";

  function join(section) {
    var shown = [], focused = null;
    function part(node) {
      var found = node && node.closest && node.closest("[data-f]");
      return found && section.contains(found) ? found : null;
    }
    function mark(node, name) {
      node.classList.add(name);
      shown.push(node);
    }
    function show(from) {
      shown.forEach(function (node) { node.classList.remove("wb-in", "wb-on"); });
      shown = [];
      if (!from) return;
      section.querySelectorAll('[data-f="' + from.dataset.f + '"]').forEach(function (node) { mark(node, "wb-in"); });
      var id = from.hash ? from.hash.slice(1) : from.id, row = id && document.getElementById(id);
      if (!row) return;
      mark(row, "wb-on");
      section.querySelectorAll('.wb-run a[href="#' + id + '"]').forEach(function (node) { mark(node, "wb-on"); });
    }
    section.addEventListener("mouseover", function (event) {
      var found = part(event.target);
      if (found) show(found);
    });
    section.addEventListener("mouseleave", function () { show(focused); });
    section.addEventListener("focusin", function (event) {
      focused = part(event.target);
      show(focused);
    });
    section.addEventListener("focusout", function () { focused = null; show(null); });
    section.querySelectorAll(".wb-run, .wb-bytes").forEach(rove);
  }

  /* One stop for the Tab key in each block; from there the arrow keys step, Home and End go to its ends. */
  function rove(block) {
    var items = Array.prototype.slice.call(block.querySelectorAll("[data-f]"));
    var steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };
    items.forEach(function (item, place) { item.tabIndex = place ? -1 : 0; });
    block.addEventListener("keydown", function (event) {
      var here = items.indexOf(event.target), step = steps[event.key];
      if (here < 0 || !step || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      items[here].tabIndex = -1;
      var next = items[Math.max(0, Math.min(items.length - 1, here + step))];
      next.tabIndex = 0;
      next.focus();
    });
  }

  window.wirebookBytes = { join: join };
  document.querySelectorAll(".wb-wire").forEach(join);
})();
