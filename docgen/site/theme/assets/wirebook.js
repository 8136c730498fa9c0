/* Small enhancements of pages that work without it: a release chosen once, filters, columns, what an address names, printing. */
(function () {
  "use strict";
  var KEY = "wirebook.release";

  function kept() {
    try { return localStorage.getItem(KEY) || ""; } catch (forbidden) { return ""; }
  }
  function keep(name) {
    try { localStorage.setItem(KEY, name); } catch (forbidden) { /* It lasts in the address. */ }
  }
  function fragment() {
    var id = location.hash.slice(1);
    try { return decodeURIComponent(id); } catch (bad) { return id; }
  }

  /* The release or client of the reader: an API that is opened from elsewhere opens at the version that it uses. */
  function choice() {
    var select = document.querySelector(".wb-choice");
    if (!select) return;
    var asked = new URLSearchParams(location.search).get("release"), name = asked === null ? kept() : asked;
    function go(option, replace) {
      var query = option.value ? "?release=" + encodeURIComponent(option.value) : "";
      var address = select.dataset.up + (option.value ? "v" + option.dataset.v + "/" : "") + query;
      if (replace) location.replace(address);
      else location.href = address;
    }
    select.value = name;
    if (select.selectedIndex < 0) select.value = "";
    select.addEventListener("change", function () {
      keep(select.value);
      go(select.selectedOptions[0]);
    });
    if (asked) keep(asked);
    var from = document.referrer.split(/[?#]/)[0], page = location.href.split(/[?#]/)[0];
    if (select.value && !select.dataset.up && !location.hash && from.indexOf(page) !== 0) go(select.selectedOptions[0], true);
  }

  /* What the address names: what is folded around it opens. Fields of another version than the newest are on its page. */
  function reveal() {
    var id = fragment(), target = id && document.getElementById(id);
    var old = document.querySelector(".wb-missing"), title = document.querySelector(".wb-page h1, #wb-content h1");
    if (old) old.remove();
    if (!id || id.indexOf("=") >= 0) return;
    if (!target) {
      var number = /^-?\d+$/.test(id) && document.querySelector('[id][data-number="' + id + '"]');
      if (number) return location.replace("#" + number.id);
      var version = (id.match(/^v\d+(?=-)/) || [])[0], page = version && document.querySelector('.wb-bar a[href="' + version + '/"]');
      if (page) return location.replace(page.href + "#" + id);
      if (!title) return;
      var line = document.createElement("p");
      line.className = "wb-missing wb-wrong";
      line.setAttribute("role", "status");
      line.textContent = "There is no \u201c" + id.slice(0, 60) + "\u201d on this page.";
      return title.after(line);
    }
    for (var at = target; at; at = at.parentElement) {
      if (at.tagName === "DETAILS") at.open = true;
    }
    target.querySelectorAll("details.wb-more").forEach(function (box) { box.open = true; });
    target.scrollIntoView();
  }

  /* Paper shows what is folded on the screen. */
  addEventListener("beforeprint", function () {
    document.querySelectorAll(".wb-page details:not([open])").forEach(function (box) { box.open = true; box.dataset.printed = ""; });
  });
  addEventListener("afterprint", function () {
    document.querySelectorAll("details[data-printed]").forEach(function (box) { box.open = false; delete box.dataset.printed; });
  });

  /* Marks what each cell of a row has, compared with the older one that is shown beside it, as docgen/pages/matrix.py does. */
  function compare(row) {
    var before = null;
    Array.from(row.cells).slice(1).reverse().forEach(function (cell) {
      if (cell.hidden) return;
      var now = numbers(cell.textContent.split("[")[0]), text = cell.firstChild;
      var isCut = Boolean(before) && before.some(function (each) { return now.indexOf(each) < 0; });
      cell.classList.toggle("none", !now.length);
      cell.classList.toggle("new", Boolean(before) && now.some(function (each) { return before.indexOf(each) < 0; }));
      cell.classList.toggle("cut", isCut);
      if (!now.length && (isCut || (text && text.nodeType === 3))) {
        if (!text || text.nodeType !== 3) cell.prepend(text = document.createTextNode(""));
        text.data = isCut ? "removed" : "";
      }
      before = now;
    });
  }
  /* The versions in "0-3, 5". */
  function numbers(text) {
    var found = [];
    (text.match(/\d+(-\d+)?/g) || []).forEach(function (range) {
      var ends = range.split("-").map(Number);
      for (var number = ends[0]; number <= ends[ends.length - 1]; number++) found.push(number);
    });
    return found;
  }

  /* The rows of a list with commas: by name, or with all words of a part. Of one text, those with all words, or with any if none has
     all. A number is the number of a row, such as an API key. */
  function matching(rows, text) {
    var parts = text.toLowerCase().split(",").filter(function (part) { return part.trim(); }), isList = text.indexOf(",") >= 0;
    function ofPart(part) {
      var words = part.trim().split(/\s+/), name = words.join("");
      var exact = rows.filter(function (row) { return isList && (row.querySelector("th a") || row.cells[0]).textContent.toLowerCase() === name; });
      return exact.length ? exact : rows.filter(function (row) { return words.every(function (word) { return has(row, word); }); });
    }
    function has(row, word) {
      if (row.dataset.number !== undefined && /^-?\d+$/.test(word)) return row.dataset.number === word;
      return row.textContent.toLowerCase().indexOf(word) >= 0;
    }
    var all = parts.flatMap(ofPart);
    return !parts.length ? rows : all.length ? all : text.toLowerCase().split(/[\s,]+/).filter(Boolean).flatMap(ofPart);
  }
  /* Above a table: a filter by text, one by what its rows are marked with (data-on has places in the list), and the columns to show.
     The address keeps them. */
  function filters() {
    document.querySelectorAll(".wb-filters").forEach(function (box) {
      var input = box.querySelector("input[type=search]"), select = box.querySelector("select"), told = box.querySelector("output");
      var table = document.getElementById(input.dataset.table), rows = Array.from(table.querySelectorAll("tbody tr"));
      var columns = box.querySelectorAll("input[name=column]");
      function show() {
        var found = matching(rows, input.value), place = select ? select.selectedIndex - 1 : -1, shown = 0;
        rows.forEach(function (row) {
          row.hidden = found.indexOf(row) < 0 || (place >= 0 && row.dataset.on.split(" ").indexOf(String(place)) < 0);
          if (!row.hidden) shown += 1;
        });
        told.textContent = shown < rows.length ? shown + " of " + rows.length : "";
        var some = box.querySelector("input[name=column]:checked");
        table.classList.toggle("wb-some", Boolean(some));
        columns.forEach(function (column, at) {
          table.querySelectorAll("tr > :nth-child(" + (at + 2) + ")").forEach(function (cell) { cell.hidden = Boolean(some) && !column.checked; });
        });
        if (columns.length) rows.forEach(compare);
      }
      function read() {
        if (location.hash.indexOf("=") >= 0) {
          var said = new URLSearchParams(location.hash.slice(1)), wanted = said.getAll("column");
          input.value = said.get("filter") || "";
          if (select) {
            select.value = said.get("listener") || "";
            if (select.selectedIndex < 0) select.value = "";
          }
          columns.forEach(function (column) { column.checked = wanted.indexOf(column.value) >= 0; });
        }
        show();
      }
      box.addEventListener("input", function () {
        var made = new URLSearchParams();
        [input, select].forEach(function (each) { if (each && each.value.trim()) made.set(each.name, each.value.trim()); });
        columns.forEach(function (column) { if (column.checked) made.append("column", column.value); });
        history.replaceState(null, "", location.href.split("#")[0] + (String(made) && "#" + made));
        show();
      });
      window.addEventListener("hashchange", read);
      read();
    });
  }

  /* The sidebar: the page that one is on is in view. */
  function sidebar() {
    var here = document.querySelector(".wb-nav-list [aria-current]"), box = here && here.closest(".md-sidebar__scrollwrap");
    if (box) box.scrollTop += here.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
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

  function start() { choice(); sidebar(); filters(); reveal(); }

  /* Material may replace the content without loading the page again (navigation.instant), and reports each one. */
  if (window.document$) window.document$.subscribe(start);
  else document.addEventListener("DOMContentLoaded", start);
  window.addEventListener("hashchange", reveal);
})();
