/* Small helps on top of pages that work without it: open what is linked to, filter tables, step through versions. */
(function () {
  "use strict";

  function reveal() {
    var id = decodeURIComponent(location.hash.slice(1));
    var target = id && document.getElementById(id);
    if (!target) return;
    for (var at = target; at; at = at.parentElement) {
      if (at.tagName === "DETAILS") at.open = true;
    }
    target.scrollIntoView();
    mark(id);
    if (target.matches(".wb-fields tr:not(.wb-tags)")) offer(target);
  }

  /* Say in the bar which version one looks at. */
  function mark(id) {
    var version = (id.match(/^v\d+/) || [])[0];
    document.querySelectorAll(".wb-bar a").forEach(function (link) {
      if (link.getAttribute("href") !== "#" + version) link.removeAttribute("aria-current");
      else {
        link.setAttribute("aria-current", "true");
        link.parentElement.scrollLeft = link.offsetLeft - link.parentElement.clientWidth / 2;
      }
    });
  }

  function depth(row) { return Number((row.className.match(/\bd(\d)\b/) || [0, 0])[1]); }

  /* The dotted path of a field: the names of the rows around it. A row "tagged fields" is no struct. */
  function path(row) {
    var names = [], limit = depth(row) + 1;
    for (var at = row; at && limit > 0; at = at.previousElementSibling) {
      if (depth(at) >= limit) continue;
      limit = depth(at);
      if (!at.classList.contains("wb-tags")) names.unshift(at.cells[0].firstChild.textContent.trim());
    }
    return names.join(".");
  }

  function offer(row) {
    document.querySelectorAll(".wb-copy").forEach(function (old) { old.previousSibling.remove(); old.remove(); });
    if (!navigator.clipboard) return;
    var button = document.createElement("button");
    button.type = "button";
    button.className = "wb-copy";
    button.textContent = "copy path";
    button.addEventListener("click", function (event) {
      event.stopPropagation();
      navigator.clipboard.writeText(path(row)).then(function () { button.textContent = "copied"; });
    });
    row.cells[0].append(" ", button);
  }

  /* The name of a field is the way to its anchor, in tables that do without links too. */
  function pick(event) {
    var head = event.target.closest && event.target.closest(".wb-fields tr[id] > th");
    if (head && !event.target.closest("a, button")) location.hash = "#" + head.parentElement.id;
  }

  function filters() {
    document.querySelectorAll("input.wb-filter").forEach(function (input) {
      var rows = document.querySelectorAll("#" + input.dataset.table + " tbody tr");
      input.addEventListener("input", function () {
        var wanted = input.value.trim().toLowerCase();
        rows.forEach(function (row) {
          row.hidden = row.textContent.toLowerCase().indexOf(wanted) < 0;
        });
      });
    });
  }

  function keys(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^(input|textarea|select)$/i.test(event.target.tagName)) return;
    var step = event.key === "[" ? -1 : event.key === "]" ? 1 : 0;
    if (!step) return;
    var versions = Array.prototype.map.call(document.querySelectorAll(".wb-version h2[id]"), function (heading) {
      return heading.id;
    });
    if (!versions.length) return;
    versions.sort(function (a, b) { return parseInt(a.slice(1), 10) - parseInt(b.slice(1), 10); });
    var here = versions.indexOf((location.hash.match(/^#(v\d+)/) || [])[1]);
    var next = versions[here < 0 ? versions.length - 1 : Math.min(versions.length - 1, Math.max(0, here + step))];
    location.hash = "#" + next;
    event.preventDefault();
  }

  document.addEventListener("DOMContentLoaded", function () { filters(); reveal(); });
  window.addEventListener("hashchange", reveal);
  document.addEventListener("keydown", keys);
  document.addEventListener("click", pick);
})();
