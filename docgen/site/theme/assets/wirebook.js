/* Small enhancements of pages that work without it: open what is linked to, filter tables, step through versions. */
(function () {
  "use strict";

  var FIELD = ".wb-fields tbody tr[id]:not(.wb-tags)";

  function reveal() {
    var id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch (bad) { /* a lone % is a % */ }
    var target = id && document.getElementById(id);
    var numbered = !target && /^-?\d+$/.test(id) && document.querySelector('[data-number="' + id + '"]');
    if (numbered) return location.replace("#" + numbered.id);
    say(id && !target && id.indexOf("=") < 0 ? missing(id) : "");
    if (!target) return;
    for (var at = target; at; at = at.parentElement) {
      if (at.tagName === "DETAILS") at.open = true;
    }
    /* A row that folds what it lists opens when the address names it. */
    if (target.tagName === "TR") target.querySelectorAll("details.wb-more").forEach(function (box) { box.open = true; });
    target.scrollIntoView();
    mark(id);
    if (target.matches(FIELD)) offer(target);
  }

  /* An address of something that the page does not have: below its title, so that its beginning is not mistaken for the thing. */
  function say(words) {
    var old = document.querySelector(".wb-missing"), title = document.querySelector(".wb-page h1, #wb-content h1");
    if (old) old.remove();
    if (!words || !title) return;
    var line = document.createElement("p");
    line.className = "wb-missing wb-wrong";
    line.setAttribute("role", "status");
    line.textContent = words;
    title.after(line);
    scrollTo(0, 0);
  }
  function missing(id) {
    var version = (id.match(/^v(\d+)(?=-|$)/) || [])[1], numbers = versionsOf();
    if (version && numbers.length && numbers.indexOf(version) < 0) return noVersion([version], numbers);
    return "There is no \u201c" + id.slice(0, 60) + "\u201d on this page.";
  }
  function versionsOf() {
    return Array.prototype.map.call(document.querySelectorAll(".wb-bar a"), function (link) { return link.textContent; });
  }
  function noVersion(wanted, numbers) {
    var runs = [], title = document.querySelector(".wb-page h1").firstChild.textContent;
    numbers.map(Number).sort(function (a, b) { return a - b; }).forEach(function (number) {
      var last = runs[runs.length - 1];
      if (last && last[1] === number - 1) last[1] = number;
      else runs.push([number, number]);
    });
    return title + " has no version " + wanted.map(function (text) { return text.slice(0, 20); }).join(" and no version ") + "; it has " +
      runs.map(function (run) { return run[0] === run[1] ? run[0] : run[0] + "\u2013" + run[1]; }).join(", ") + ".";
  }

  /* Paper shows what is folded on the screen. */
  addEventListener("beforeprint", function () {
    document.querySelectorAll(".wb-page details:not([open])").forEach(function (box) { box.open = true; box.dataset.printed = ""; });
  });
  addEventListener("afterprint", function () {
    document.querySelectorAll("details[data-printed]").forEach(function (box) { box.open = false; delete box.dataset.printed; });
  });

  /* Show in the bar which version is in view. */
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
      if (!at.classList.contains("wb-tags")) names.unshift(name(at));
    }
    return names.join(".");
  }

  /* The name of a field: a link, or text after the button that folds a struct. */
  function name(row) {
    var link = row.cells[0].querySelector(".wb-a");
    if (link) return link.textContent.trim();
    return Array.prototype.filter.call(row.cells[0].childNodes, function (node) { return node.nodeType === 3; })[0].data.trim();
  }

  /* The path of the field that the address names is copied by a button or by the key c. */
  function copy(button, row) {
    navigator.clipboard.writeText(path(row)).then(function () { button.textContent = "copied"; });
  }
  function offer(row) {
    document.querySelectorAll(".wb-copy").forEach(function (old) { old.previousSibling.remove(); old.remove(); });
    if (!navigator.clipboard) return;
    var button = document.createElement("button");
    button.type = "button";
    button.className = "wb-copy";
    button.textContent = "copy path";
    button.title = "Key c";
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", function (event) {
      event.stopPropagation();
      copy(button, row);
    });
    row.cells[0].append(" ", button);
  }

  /* The name of a field leads to its anchor, also in tables without links. */
  function pick(event) {
    var head = event.target.closest && event.target.closest(".wb-fields tr[id] > th");
    if (head && !event.target.closest("a, button")) location.hash = "#" + head.parentElement.id;
  }

  /* Above a table: a filter by text, and one by what its rows are marked with (data-on has places in the list). The link keeps both. */
  function filters() {
    document.querySelectorAll(".wb-filters").forEach(function (box) {
      var input = box.querySelector("input"), select = box.querySelector("select"), told = box.querySelector("output");
      var rows = document.querySelectorAll("#" + input.dataset.table + " tbody tr");
      function show(unknown) {
        var wanted = input.value.trim().toLowerCase(), place = select ? select.selectedIndex - 1 : -1, shown = 0;
        rows.forEach(function (row) {
          row.hidden = row.textContent.toLowerCase().indexOf(wanted) < 0 || (place >= 0 && row.dataset.on.split(" ").indexOf(String(place)) < 0);
          if (!row.hidden) shown += 1;
        });
        told.textContent = (unknown ? "There is no listener \u201c" + unknown + "\u201d. " : "") + (shown < rows.length ? shown + " of " + rows.length : unknown ? "All are shown." : "");
      }
      function read() {
        if (location.hash.indexOf("=") < 0) return;
        var said = new URLSearchParams(location.hash.slice(1)), listener = said.get("listener") || "", known = !listener;
        input.value = said.get("filter") || "";
        if (select) {
          select.value = listener;
          known = select.selectedIndex >= 0;
          if (!known) select.value = "";
        }
        show(known ? "" : listener.slice(0, 60));
      }
      function write() {
        var made = new URLSearchParams();
        [input, select].forEach(function (each) { if (each && each.value.trim()) made.set(each.name, each.value.trim()); });
        history.replaceState(null, "", location.href.split("#")[0] + (String(made) && "#" + made));
        show("");
      }
      box.addEventListener("input", write);
      window.addEventListener("hashchange", read);
      read();
    });
  }

  /* The sidebar: the page that one is on is in view, and its list can be filtered. */
  function sidebar() {
    var list = document.querySelector(".wb-nav-list");
    if (!list) return;
    var here = list.querySelector("[aria-current]"), box = list.closest(".md-sidebar__scrollwrap");
    if (here && box) box.scrollTop += here.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
    var label = document.createElement("label"), input = document.createElement("input");
    label.className = "wb-nav-filter";
    input.type = "search";
    input.placeholder = "Filter by name or key";
    input.setAttribute("aria-label", "Filter the sidebar by name or API key");
    label.append(input);
    list.prepend(label);
    var boxes = Array.prototype.slice.call(list.querySelectorAll("details")), before = null;
    input.addEventListener("input", function () {
      var wanted = input.value.replace(/[\s_-]/g, "").toLowerCase();
      if (wanted && !before) before = boxes.map(function (each) { return each.open; });
      list.querySelectorAll("li").forEach(function (item) {
        if (item.querySelector("li")) return;
        item.hidden = Boolean(wanted) && item.textContent.replace(/\s/g, "").toLowerCase().indexOf(wanted) < 0 && String(item.value || "") !== wanted;
      });
      boxes.slice().reverse().forEach(function (each, place) {
        var some = each.querySelector("li:not([hidden]) > a");
        each.hidden = Boolean(wanted) && !some;
        if (wanted) each.open = Boolean(some);
        else if (before) each.open = before[boxes.length - 1 - place];
      });
      var apis = list.querySelector(".wb-nav-apis");
      if (apis) apis.hidden = Boolean(wanted) && !apis.querySelector("details:not([hidden])");
      if (!wanted) before = null;
    });
  }

  function keys(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^(input|textarea|select)$/i.test(event.target.tagName)) return;
    var offered = event.key === "c" && document.querySelector(".wb-copy");
    if (offered) return copy(offered, offered.closest("tr"));
    var step = event.key === "[" ? -1 : event.key === "]" ? 1 : 0;
    if (!step) return;
    var versions = Array.prototype.map.call(document.querySelectorAll(".wb-version > h2[id], .wb-version > summary > .wb-vh"), function (heading) {
      return heading.id;
    });
    if (!versions.length) return;
    versions.sort(function (a, b) { return parseInt(a.slice(1), 10) - parseInt(b.slice(1), 10); });
    var here = versions.indexOf((location.hash.match(/^#(v\d+)/) || [])[1]);
    var next = versions[here < 0 ? versions.length - 1 : Math.min(versions.length - 1, Math.max(0, here + step))];
    document.querySelectorAll("details.wb-version[open]").forEach(function (box) {
      if (!box.querySelector("#" + next)) box.open = false;
    });
    location.hash = "#" + next;
    event.preventDefault();
  }

  /* The theme readthedocs gives every table its own look (docutils); those of the reference have theirs. */
  document.querySelectorAll(".wb-page table.docutils").forEach(function (table) { table.classList.remove("docutils"); });

  /* Material puts a nav without a name into each block of code, and boxes that scroll, but not by keys, around tables. */
  function amend(box) {
    box.querySelectorAll("nav.md-code__nav").forEach(function (nav) { nav.setAttribute("role", "none"); });
    box.querySelectorAll(".md-typeset__scrollwrap").forEach(function (wrap) { wrap.tabIndex = 0; });
  }
  if (document.querySelector(".md-typeset :is(pre > code, table:not([class]))")) {
    new MutationObserver(function (changes) {
      changes.forEach(function (change) { amend(change.target.parentElement || change.target); });
    }).observe(document.querySelector(".md-typeset"), { childList: true, subtree: true });
  }

  function start() { sidebar(); filters(); reveal(); }

  /* Material may replace the content without loading the page again (navigation.instant), and reports each one. */
  if (window.document$) window.document$.subscribe(start);
  else document.addEventListener("DOMContentLoaded", start);
  window.addEventListener("hashchange", reveal);
  document.addEventListener("keydown", keys);
  document.addEventListener("click", pick);
})();
