/* The search on a page: a dialog with a combobox, opened by /, k, Ctrl+K or a button, never by the focus itself. What is searched is loaded when it is first opened. */
(function () {
  "use strict";

  const HERE = document.currentScript.src, RESULTS = "wb-find-results", SHOWN = 8;
  let index = null, root = null, loading = false, dialog, input, list, status, chosen = -1, options = [];

  /* Called by search-data.js. */
  function taken(data) {
    index = wirebookSearch.prepared(data);
    root = new URL(data.up, HERE);
    dialog.dataset.ready = "";
    show();
  }
  /* Scripts work where a site is opened as files, and fetch does not. */
  function load() {
    if (loading) return;
    loading = true;
    ["minisearch.js", "search.js", "search-data.js"].forEach(function (name) {
      const script = document.createElement("script");
      script.src = new URL(name, HERE).href;
      script.async = false;
      script.onerror = function () { loading = false; status.textContent = "The search index cannot be loaded. Type again to retry, or use the list of all APIs."; };
      document.head.append(script);
    });
  }
  function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    Object.keys(attributes).forEach((name) => made.setAttribute(name, attributes[name]));
    made.append(...children);
    return made;
  }
  function address(url) {
    const made = new URL(url, root);
    if (location.protocol === "file:" && made.pathname.endsWith("/")) made.pathname += "index.html";
    return made.href;
  }

  function build() {
    input = element("input", {
      type: "text", role: "combobox", "aria-label": "Search", "aria-expanded": "false", "aria-controls": RESULTS, "aria-autocomplete": "list",
      autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: "API, field, error or words", maxlength: "20000",
    });
    list = element("div", { id: RESULTS, role: "listbox", "aria-label": "Answers" });
    status = element("p", { role: "status", class: "wb-find-status" });
    const close = element("button", { type: "button", class: "wb-find-close", "aria-label": "Close" }, "Esc");
    const keys = element("p", { class: "wb-find-keys", "aria-hidden": "true" },
      element("kbd", {}, "\u2191"), element("kbd", {}, "\u2193"), " choose ", element("kbd", {}, "Enter"), " open ", element("kbd", {}, "Esc"), " close");
    dialog = element("dialog", { class: "wb-find", "aria-label": "Search" }, element("div", { class: "wb-find-bar" }, input, close), list, element("div", { class: "wb-find-foot" }, status, keys));
    document.body.append(dialog);
    input.addEventListener("input", function () { load(); show(); });
    input.addEventListener("keydown", keyInField);
    close.addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", function (event) { if (event.target === dialog) dialog.close(); });
    list.addEventListener("click", function (event) {
      const option = event.target.closest("[role=option]");
      if (!option || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      take(option);
    });
    /* The field keeps the focus, so that typing goes on. */
    list.addEventListener("mousedown", (event) => event.preventDefault());
  }
  function open() {
    if (!dialog) build();
    if (dialog.open) return;
    dialog.showModal();
    input.select();
    load();
    show();
  }

  function show() {
    if (!dialog || !dialog.open) return;
    options = [];
    chosen = -1;
    list.textContent = "";
    input.removeAttribute("aria-activedescendant");
    const query = input.value, found = index && query.trim() ? wirebookSearch.search(index, query) : null;
    if (found) {
      wirebookSearch.grouped(found.items).forEach(function (group) {
        list.append(box(group.kind, group.title, group.items.slice(0, SHOWN).map((item) => row(item.title, item.detail, address(item.url)))));
      });
    }
    input.setAttribute("aria-expanded", String(options.length > 0));
    status.textContent = found ? summary(found, query) : query.trim() ? "Loading the index\u2026" : "";
    choose(0);
    list.scrollTop = 0;
  }
  function box(kind, title, rows) {
    const id = "wb-find-" + kind;
    return element("div", { role: "group", "aria-labelledby": id }, element("div", { class: "wb-find-kind", id: id, role: "presentation" }, title), ...rows);
  }
  /* How many answers, and what a reader can do where there are none. */
  function summary(found, query) {
    const count = found.items.length, cut = found.cut ? " Only the first 200 characters and the names in the rest are searched." : "";
    if (count) return count + (count === 1 ? " result." : " results.") + cut;
    return "Nothing matches." + (/\p{L}/u.test(query) && !/[a-z]/i.test(query) ? " The reference is in English." : " Try fewer words, or the name of an API, a field or an error.") + cut;
  }
  function row(title, detail, href) {
    const made = element("a", { href: href, role: "option", id: "wb-find-" + options.length + "-option", "aria-selected": "false", tabindex: "-1" }, element("span", {}, title));
    if (detail) made.append(" ", element("small", {}, detail));
    options.push(made);
    return made;
  }
  function choose(number) {
    if (!options.length) return;
    if (options[chosen]) options[chosen].setAttribute("aria-selected", "false");
    chosen = (number + options.length) % options.length;
    options[chosen].setAttribute("aria-selected", "true");
    options[chosen].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", options[chosen].id);
  }
  function take(option) {
    dialog.close();
    location.assign(option.href);
  }
  function keyInField(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step && (event.key !== "Enter" || event.isComposing)) return;
    event.preventDefault();
    if (step) choose(chosen + step);
    else if (options[chosen] && (event.ctrlKey || event.metaKey)) window.open(options[chosen].href, "_blank", "noopener");
    else if (options[chosen]) take(options[chosen]);
  }

  /* --- how it is opened --- */

  /* Enter, the space bar and the down arrow open the search as a click does. A theme's handlers do not see these keys. */
  function opens(target) {
    target.setAttribute("aria-haspopup", "dialog");
    target.addEventListener("click", function (event) { event.preventDefault(); open(); });
    target.addEventListener("keydown", function (event) {
      if (event.key !== "Enter" && event.key !== " " && event.key !== "ArrowDown") return;
      event.preventDefault();
      event.stopImmediatePropagation();
      open();
    });
  }
  const button = document.querySelector(".wb-search");
  if (button) opens(button);
  else {
    const own = element("button", { type: "button", class: "wb-find-open" }, "Search the protocol ", element("kbd", {}, "/")), page = document.querySelector(".wb-page");
    opens(own);
    /* A home page has its own. */
    if (page && !document.querySelector("a.wb-ask")) page.prepend(own);
  }
  /* On home pages: without scripts it leads to the list of all APIs. */
  document.querySelectorAll("a.wb-ask").forEach(function (link) {
    link.setAttribute("role", "button");
    opens(link);
  });
  window.addEventListener("keydown", function (event) {
    const at = event.target, typing = at.isContentEditable || /^(input|textarea|select)$/i.test(at.tagName || ""), bare = !event.ctrlKey && !event.metaKey && !event.altKey;
    const control = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k";
    if (!control && (!bare || typing || (event.key !== "/" && event.key !== "k"))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    open();
  }, true);
  window.wirebookFinder = { take: taken, grouped: (query) => wirebookSearch.grouped(wirebookSearch.search(index, query).items) };
})();
