/* Before the first paint of a page with fields: structs are folded if the reader chose so, and the box of a version that the
   address names is open when it is parsed, so that nothing moves afterwards. Not deferred; fields.js and wirebook.js do the rest. */
(function () {
  "use strict";
  try {
    if (localStorage.getItem("wirebook.fold") === "yes") document.documentElement.classList.add("wb-folding");
  } catch (forbidden) { /* Without a storage, every struct is open. */ }
  var id = location.hash.slice(1), seen = new MutationObserver(look);
  try { id = decodeURIComponent(id); } catch (bad) { /* a lone % is a % */ }
  /* Boxes that readers open and close for all pages at once. */
  var kept = [];
  function keep() {
    document.querySelectorAll("details[data-keep]").forEach(function (box) {
      if (kept.indexOf(box) >= 0) return;
      kept.push(box);
      try { if (localStorage.getItem("wirebook." + box.dataset.keep) === "no") box.open = false; } catch (forbidden) { /* All are open. */ }
      box.addEventListener("toggle", function () {
        try { localStorage.setItem("wirebook." + box.dataset.keep, box.open ? "yes" : "no"); } catch (forbidden) { /* It lasts as long as the page. */ }
      });
    });
  }
  function look() {
    keep();
    var target = id && document.getElementById(id);
    for (var at = target; at; at = at.parentElement) {
      if (at.tagName === "DETAILS") at.open = true;
    }
  }
  seen.observe(document.documentElement, { childList: true, subtree: true });
  document.addEventListener("DOMContentLoaded", function () { look(); seen.disconnect(); });
})();
