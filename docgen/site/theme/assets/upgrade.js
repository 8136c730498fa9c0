/* On an upgrade guide: choose two versions, and see only the steps between them. The address keeps the choice. */
(function () {
  "use strict";

  function start() {
    var form = document.querySelector(".wb-steps-form");
    if (!form) return;
    var from = form.elements.from, to = form.elements.to, said = form.querySelector("output");
    var asked = (new URLSearchParams(location.search).get("steps") || "").split("-");
    [from, to].forEach(function (select, place) {
      var known = Array.prototype.some.call(select.options, function (option) { return option.value === asked[place]; });
      if (known) select.value = asked[place];
      select.addEventListener("change", function () { show(true); });
    });
    form.hidden = false;
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    show(false);

    function show(chosen) {
      var low = Number(from.value), high = Number(to.value), count = 0;
      document.querySelectorAll("[data-step]").forEach(function (part) {
        var step = Number(part.dataset.step);
        part.hidden = part.classList.contains("wb-first") ? from.selectedIndex !== 0 : step <= low || step > high;
        if (!part.hidden && part.classList.contains("wb-step")) count += 1;
      });
      said.textContent = count === 0 ? "Choose a newer version to go to." : count === 1 ? "1 step" : count + " steps";
      if (chosen) history.replaceState(null, "", "?steps=" + low + "-" + high + location.hash);
    }
  }

  /* A link to a step that the choice hides shows all steps again. */
  function reveal() {
    var step = document.getElementById(location.hash.slice(1)), box = step && step.closest(".wb-step");
    var form = document.querySelector(".wb-steps-form");
    if (!box || !box.hidden || !form) return;
    form.elements.from.selectedIndex = 0;
    form.elements.to.selectedIndex = form.elements.to.options.length - 1;
    form.elements.to.dispatchEvent(new Event("change"));
    step.scrollIntoView();
  }

  if (window.document$) window.document$.subscribe(start);
  else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
  window.addEventListener("hashchange", reveal);
})();
