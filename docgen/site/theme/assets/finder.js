/* The typed search on a page: a dialog with a combobox, opened by /, k, Ctrl+K or the search field of the theme. */
(function () {
  "use strict";

  const HERE = document.currentScript.src;
  const RESULTS = "wb-find-results";
  let index = null, root = null, fulltext = "", loading = false, inTheme = false;
  let dialog, input, list, status, opened = new Set(), chosen = -1, options = [];

  /* Called by search-data.js. */
  function taken(data) {
    index = wirebookSearch.prepared(data);
    root = new URL(data.up, HERE);
    fulltext = data.fulltext;
    dialog.dataset.ready = "";
    show();
  }
  /* Scripts work where a site is opened as files, and fetch does not. */
  function load() {
    if (loading) return;
    loading = true;
    ["search.js", "search-data.js"].forEach(function (name) {
      const script = document.createElement("script");
      script.src = new URL(name, HERE).href;
      script.async = false;
      script.onerror = function () { loading = false; status.textContent = "The index of the search cannot be loaded."; };
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
    /* A byte page is below the page of its API, which has a name of its own in sites without directory URLs. */
    const below = url.replace(/index\.html(v\d+\/)/, "$1index.html");
    const made = new URL(below, root);
    if (location.protocol === "file:" && made.pathname.endsWith("/")) made.pathname += "index.html";
    return made.href;
  }

  function build() {
    input = element("input", {
      type: "text", role: "combobox", "aria-label": "Search", "aria-expanded": "false", "aria-controls": RESULTS, "aria-autocomplete": "list",
      autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: "API, key, version, field, error, KIP, release: Fetch 2.8",
    });
    list = element("div", { id: RESULTS, role: "listbox", "aria-label": "Answers" });
    status = element("p", { role: "status", class: "wb-find-status" });
    const close = element("button", { type: "button", class: "wb-find-close", "aria-label": "Close" }, "Esc");
    const keys = element("p", { class: "wb-find-keys", "aria-hidden": "true" },
      element("kbd", {}, "\u2191"), element("kbd", {}, "\u2193"), " choose ", element("kbd", {}, "Enter"), " open ", element("kbd", {}, "Esc"), " close");
    dialog = element("dialog", { class: "wb-find", "aria-label": "Search" }, element("div", { class: "wb-find-bar" }, input, close), list, element("div", { class: "wb-find-foot" }, status, keys));
    document.body.append(dialog);
    input.addEventListener("input", function () { opened = new Set(); load(); show(); });
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

  function open(query) {
    if (!dialog) build();
    if (dialog.open) return;
    dialog.showModal();
    if (query) input.value = query;
    input.select();
    load();
    show();
  }

  function show() {
    if (!dialog || !dialog.open) return;
    options = [];
    chosen = -1;
    list.textContent = "";
    const query = input.value;
    input.removeAttribute("aria-activedescendant");
    if (!query.trim()) { status.textContent = ""; input.setAttribute("aria-expanded", "false"); return; }
    if (!index) { status.textContent = "Loading the index\u2026"; return; }
    const found = wirebookSearch.answers(index, query);
    wirebookSearch.grouped(found).forEach(function (group) {
      const head = element("div", { class: "wb-find-kind", id: "wb-find-" + group.kind, role: "presentation" }, group.title);
      const box = element("div", { role: "group", "aria-labelledby": head.id }, head);
      const most = opened.has(group.kind) ? wirebookSearch.AT_ONCE : wirebookSearch.SHOWN;
      group.items.slice(0, most).forEach((item) => box.append(row(item.title, item.detail, address(item.url))));
      if (group.items.length > wirebookSearch.SHOWN && !opened.has(group.kind)) {
        const more = row("Show more of " + group.items.length, "", "");
        more.dataset.more = group.kind;
        box.append(more);
      }
      list.append(box);
    });
    if (fulltext) {
      const last = row("Search the full text for \u201c" + query.trim().slice(0, 60) + "\u201d", "", fulltext === "material" ? "" : address(fulltext) + "?q=" + encodeURIComponent(query.slice(0, 200)));
      last.dataset.text = "yes";
      list.append(element("div", { role: "group", "aria-label": "Full text" }, last));
    }
    input.setAttribute("aria-expanded", String(options.length > 0));
    status.textContent = found.length ? found.length + (found.length === 1 ? " answer" : " answers") : "Nothing has this name.";
    choose(0);
    list.scrollTop = 0;
  }
  function row(title, detail, href) {
    const made = element(href ? "a" : "div", { role: "option", id: "wb-find-" + options.length + "-option", "aria-selected": "false", tabindex: "-1" }, element("span", {}, title));
    if (href) made.href = href;
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
    if (option.dataset.more) {
      const at = options.indexOf(option);
      opened.add(option.dataset.more);
      show();
      choose(at);
      return;
    }
    const query = input.value;
    dialog.close();
    if (option.href) location.assign(option.href);
    else themeSearch(query);
  }
  function keyInField(event) {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step) {
      event.preventDefault();
      if (Math.abs(step) === 1) choose(chosen + step);
      else choose(Math.max(0, Math.min(options.length - 1, chosen + step)));
    } else if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      if (options[chosen] && (event.ctrlKey || event.metaKey) && options[chosen].href) window.open(options[chosen].href, "_blank", "noopener");
      else if (options[chosen]) take(options[chosen]);
    }
  }

  /* --- how it is opened --- */

  const theirs = document.querySelector("[data-md-component='search-query']");
  /* The full text of Material has its own field and results, below our dialog. */
  function themeSearch(query) {
    inTheme = true;
    theirs.value = query;
    theirs.focus();
    theirs.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
  }
  if (theirs) {
    const unnamed = theirs.closest("[role=dialog]:not([aria-label])");
    if (unnamed) unnamed.setAttribute("aria-label", "Search");
    window.addEventListener("focus", function (event) {
      if (event.target !== theirs || inTheme) return;
      event.stopImmediatePropagation();
      theirs.blur();
      open("");
    }, true);
    theirs.addEventListener("blur", function () { inTheme = false; });
    document.querySelectorAll("label[for=__search].md-header__button").forEach(function (label) {
      label.addEventListener("click", function (event) { event.preventDefault(); open(""); });
    });
  } else {
    const page = document.querySelector(".wb-page");
    const button = element("button", { type: "button", class: "wb-find-open" }, "Search the protocol ", element("kbd", {}, "/"));
    button.addEventListener("click", () => open(""));
    if (page) page.prepend(button);
  }
  /* On home pages: without scripts it leads to the list of all APIs. */
  document.querySelectorAll("a.wb-ask").forEach(function (link) {
    link.setAttribute("role", "button");
    link.addEventListener("click", function (event) { event.preventDefault(); open(""); });
    link.addEventListener("keydown", function (event) {
      if (event.key === " ") { event.preventDefault(); open(""); }
    });
  });
  window.addEventListener("keydown", function (event) {
    const at = event.target;
    const control = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k";
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && (event.key === "/" || event.key === "k");
    const typing = at.isContentEditable || /^(input|textarea|select)$/i.test(at.tagName || "");
    if (!control && (!plain || typing)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    open("");
  }, true);
  window.wirebookFinder = {
    open, take: taken,
    grouped: (query) => wirebookSearch.grouped(wirebookSearch.answers(index, query)),
  };
})();
