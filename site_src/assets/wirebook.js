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
})();
