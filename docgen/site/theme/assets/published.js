/* What pages that work from the published JSON share: loading it, the links of the page, and its messages. */
(function () {
  "use strict";

  const loaded = new Map();

  function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    Object.keys(attributes || {}).forEach(function (name) {
      if (attributes[name] !== null && attributes[name] !== undefined) made.setAttribute(name, attributes[name]);
    });
    made.append(...children);
    return made;
  }
  /* A link where there is an address, else its text: somebody else's site may lack a page. */
  function link(href, attributes, ...children) {
    return href ? element("a", Object.assign({ href: href }, attributes), ...children) : element("span", attributes, ...children);
  }
  /* A name may break, but only between its words. */
  function breakable(name) {
    return name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[._])(?=.)/).flatMap(function (part, place) { return place ? [element("wbr"), part] : [part]; });
  }
  function badge(kind, text) { return element("span", { class: "wb-b wb-" + kind }, text); }
  /* A table in a box that scrolls. */
  function table(caption, kind, head, rows) {
    const titles = element("tr", {}, ...head.map(function (title) { return element("th", { scope: "col" }, title); }));
    return element("div", { class: "wb-scroll wb-box", tabindex: "0", role: "region", "aria-label": caption },
      element("table", { class: "wb-table " + kind }, element("caption", {}, caption), element("thead", {}, titles), element("tbody", {}, ...rows)));
  }
  /* What a part of the page says, and shows below. */
  function speaker(part) {
    const status = document.getElementById("wb-" + part + "-status"), out = document.getElementById("wb-" + part + "-result");
    return function (text, parts, wrong) {
      status.textContent = text;
      status.classList.toggle("wb-wrong", Boolean(wrong));
      out.replaceChildren(...(parts || []));
    };
  }
  /* The address of a link that the page names by data-wb; null where the site has no such page. */
  function place(name) {
    const found = document.querySelector("[data-wb=\"" + name + "\"]");
    return found && found.href ? found.href : null;
  }

  /* JSON beside data/index.json. Raises an Error with a sentence. */
  function load(path) {
    if (!loaded.has(path)) {
      const wanted = fetched(new URL(path, place("data")), path);
      loaded.set(path, wanted);
      wanted.catch(function () { loaded.delete(path); });
    }
    return loaded.get(path);
  }
  async function fetched(url, path) {
    if (url.protocol === "file:") {
      throw new Error("Browsers do not let a page that is opened as a file load the data of the site. Serve its folder (python3 -m http.server) and open it from there.");
    }
    let answer;
    try {
      answer = await fetch(url);
    } catch (error) {
      throw new Error(path + " cannot be loaded. Try again when there is a connection.");
    }
    if (!answer.ok) throw new Error(path + " cannot be loaded: the server answered " + answer.status + ".");
    /* A default of 64 bits is not a number of JavaScript: its digits are kept as text. */
    return JSON.parse((await answer.text()).replace(/("default"\s*:\s*)(-?\d{16,})(?=\s*[,}])/g, "$1\"$2\""));
  }

  /* The messages that the page lists: [{slug, name, key, href, title}]. */
  function messages() {
    return Array.prototype.map.call(document.querySelectorAll("[data-slug]"), function (item) {
      const key = item.dataset.key, list = item.closest("[data-title]");
      return { slug: item.dataset.slug, name: item.textContent, key: key === undefined ? null : Number(key), href: item.href || null, title: list ? list.dataset.title : "" };
    });
  }
  /* An option for each message, by the headings of the list. */
  function offer(select, list) {
    let group = null;
    list.forEach(function (item) {
      if (!group || group.label !== item.title) select.append(group = element("optgroup", { label: item.title }));
      group.append(new Option(item.key === null ? item.name : item.name + " (" + item.key + ")", item.slug));
    });
  }
  /* The message that a link names by slug, name or key; null where there is none. */
  function named(list, text) {
    const plain = String(text).toLowerCase().replace(/[^a-z0-9]/g, "");
    return list.find(function (item) { return item.slug === text; }) ||
      list.find(function (item) { return /^\d+$/.test(text) && item.key === Number(text); }) ||
      list.find(function (item) { return item.name.toLowerCase().replace(/[^a-z0-9]/g, "") === plain; }) || null;
  }

  /* The release that a text means, as sites differ: "4.0" and "4.0.0" are one, and a level such as "4.0-IV3" is of its release; else null. */
  function releaseOf(names, text) {
    const line = String(text).replace(/^v(?=\d)/i, "").replace(/-IV\d+$/i, "");
    /* A release that serves what the first one of its line does is there under that. */
    return [text, line, line + ".0", line.replace(/\.0$/, ""), line.replace(/^(\d+\.\d+)\.\d+$/, "$1")].find(function (name) { return names.includes(name); }) || null;
  }

  /* A path of a field as part of an id: docgen/pages/links.py. */
  function anchor(text) { return text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "") || "x"; }
  /* The page of a version: each of an API has one below that of the API, those of other messages are on one page. */
  function versionPage(item, version) {
    return !item || !item.href ? null : item.key === null ? item.href + "#v" + version : item.href.replace(/(index\.html)?$/, "v" + version + "/$1");
  }
  /* The row of a field in a version of a message that the page lists. */
  function rowOf(item, side, version, path) {
    if (!item || !item.href || item.href.includes("#")) return item && item.href;
    return versionPage(item, version).replace(/#.*/, "") + "#v" + version + (side === "response" ? "-response" : "") + "-" + anchor(path);
  }
  /* Versions as ranges: 0–3, 7. */
  function ranges(numbers) {
    const parts = [];
    numbers.slice().sort(function (a, b) { return a - b; }).forEach(function (number) {
      const last = parts[parts.length - 1];
      if (last && last[1] === number - 1) last[1] = number;
      else parts.push([number, number]);
    });
    return parts.map(function (part) { return part[0] === part[1] ? String(part[0]) : part[0] + "\u2013" + part[1]; }).join(", ");
  }

  window.wirebookPublished = { element, link, breakable, badge, table, speaker, place, load, messages, offer, named, releaseOf, versionPage, rowOf, anchor, ranges };
})();
