/* Joins bytes, rows, grammar and fields on pages that show bytes. */
(function () {
  "use strict";

  /* --- elements that belong together have the same data-f; a range and its row also share an id --- */

  function join(section) {
    var bar = document.createElement("p"), shown = [], focused = null;
    bar.className = "wb-told";
    bar.setAttribute("role", "status");
    bar.hidden = true;
    section.append(bar);

    function part(node) {
      var found = node && node.closest && node.closest("[data-f]");
      return found && section.contains(found) ? found : null;
    }
    function clear() {
      shown.forEach(function (node) { node.classList.remove("wb-in", "wb-on"); });
      shown = [];
      bar.hidden = true;
    }
    function mark(node, name) {
      node.classList.add(name);
      shown.push(node);
    }
    function show(from) {
      clear();
      if (!from) return;
      section.querySelectorAll('[data-f="' + from.dataset.f + '"]').forEach(function (node) { mark(node, "wb-in"); });
      var id = from.hash ? from.hash.slice(1) : from.id, row = id && document.getElementById(id);
      if (row) {
        mark(row, "wb-on");
        section.querySelectorAll('.wb-run a[href="#' + id + '"]').forEach(function (node) { mark(node, "wb-on"); });
      }
      shown.forEach(function (node) { reveal(node, from); });
      tell(from, row);
    }
    /* Bring it into view in the box it scrolls in; the page itself stays where it is. */
    function reveal(node, from) {
      var box = node.closest(".wb-meanings, .wb-ranges, pre.wb-bnf code");
      if (!box || box.contains(from) || (box.matches(".wb-ranges") && !node.classList.contains("wb-on"))) return;
      var at = node.getBoundingClientRect(), around = box.getBoundingClientRect();
      if (at.top < around.top + 40 || at.bottom > around.bottom) {
        box.scrollTop += at.top - around.top - box.clientHeight / 2;
      }
    }
    function tell(from, row) {
      var words = [], field = section.querySelector('.wb-meanings tr[data-f="' + from.dataset.f + '"]');
      if (row) {
        words = Array.prototype.map.call(row.cells, function (cell) { return cell.textContent.trim(); });
        if (words.length > 3) words[0] = "at " + words[0];
      } else if (field) {
        words = [field.cells[0].textContent.trim(), field.cells[1].textContent.trim()];
      }
      if (field && field.cells[2].textContent.trim()) words.push(field.cells[2].textContent.trim());
      bar.textContent = words.filter(Boolean).join(" · ");
      bar.hidden = !bar.textContent;
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
    section.addEventListener("focusout", function () { focused = null; clear(); });
    section.querySelectorAll(".wb-run, .wb-bytes, .wb-meanings table, pre.wb-bnf code").forEach(rove);
  }

  /* One stop for the Tab key in each block; from there the arrow keys step, Home and End go to its ends. */
  function rove(block) {
    var items = Array.prototype.slice.call(block.querySelectorAll("[data-f]"));
    items.forEach(function (item, place) { item.tabIndex = place ? -1 : 0; });
    block.addEventListener("focusin", function (event) {
      if (items.indexOf(event.target) < 0) return;
      items.forEach(function (item) { item.tabIndex = item === event.target ? 0 : -1; });
    });
    block.addEventListener("keydown", function (event) {
      var here = items.indexOf(event.target), next = null;
      if (here < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "ArrowRight") next = here + 1;
      else if (event.key === "ArrowLeft") next = here - 1;
      else if (event.key === "ArrowDown") next = line(items, here, 1);
      else if (event.key === "ArrowUp") next = line(items, here, -1);
      else if (event.key === "Home") next = 0;
      else if (event.key === "End") next = items.length - 1;
      else if (event.key === "Escape") event.target.blur();
      if (next === null) return;
      event.preventDefault();
      items[Math.max(0, Math.min(items.length - 1, next))].focus();
    });
  }
  /* The item on the next or last line that stands nearest below or above. */
  function line(items, here, step) {
    var from = items[here].getClientRects()[0], best = null, least = Infinity;
    for (var at = here + step; items[at]; at += step) {
      var rect = items[at].getClientRects()[0];
      if (Math.abs(rect.top - from.top) < 4) continue;
      var far = Math.abs(rect.left - from.left) + 1000 * Math.round(Math.abs(rect.top - from.top) / 4);
      if (far < least) { least = far; best = at; }
      else if (best !== null) break;
    }
    return best === null ? here : best;
  }

  window.wirebookBytes = { join: join };
  document.querySelectorAll(".wb-wire").forEach(join);
})();
