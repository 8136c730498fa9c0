/* What pages that work from the published JSON share: loading it, the links of the page, and the nearest names for missing ones. */
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

  function distance(a, b) {
    let row = Array.from({ length: b.length + 1 }, function (_, place) { return place; });
    for (let i = 1; i <= a.length; i++) {
      const next = [i];
      for (let j = 1; j <= b.length; j++) next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      row = next;
    }
    return row[b.length];
  }
  /* The one of some names that a text is nearest to; null where it shares less than half of its letters with each. */
  function nearestName(names, text) {
    const wanted = String(text).slice(0, 60).toLowerCase();
    let best = null, least = Infinity;
    names.forEach(function (name) {
      const far = distance(name.toLowerCase(), wanted);
      if (far < least) { least = far; best = name; }
    });
    return best !== null && least <= Math.max(best.length, wanted.length) / 2 ? best : null;
  }
  /* For a link to a message that the page does not list: a sentence, and the message that it may mean, else null. */
  function noMessage(list, wanted) {
    const name = nearestName(list.map(function (item) { return item.name; }), wanted), near = name === null ? null : named(list, name);
    return { text: "There is no API or message \u201c" + wanted.slice(0, 60) + "\u201d here." + (near ? " Nearest is " + near.name + "." : ""), near: near };
  }
  function nearestNumber(numbers, wanted) {
    return numbers.slice().sort(function (a, b) { return Math.abs(a - wanted) - Math.abs(b - wanted) || b - a; })[0];
  }
  /* The nearest of releases in their order: the newest that is not above, else the oldest; the newest of all for what is no number. */
  function nearestRelease(names, text) {
    const parts = function (name) { return (name.match(/\d+/g) || []).map(Number); };
    const wanted = parts(String(text).slice(0, 60));
    if (!wanted.length) return names[names.length - 1];
    const patches = names.filter(function (name) { return name.startsWith(text + "."); });
    if (patches.length) return patches[patches.length - 1];
    const below = names.filter(function (name) { return order(parts(name), wanted) <= 0; });
    return below.sort(function (a, b) { return order(parts(b), parts(a)); })[0] || names[0];
  }
  /* The release that a text means, as sites differ: "4.0" and "4.0.0" are one, and a level such as "4.0-IV3" is of its release; else null. */
  function releaseOf(names, text) {
    const line = String(text).replace(/^v(?=\d)/i, "").replace(/-IV\d+$/i, "");
    return [text, line, line + ".0", line.replace(/\.0$/, "")].find(function (name) { return names.includes(name); }) || null;
  }
  function order(a, b) {
    for (let place = 0; place < Math.max(a.length, b.length); place++) {
      const step = (a[place] || 0) - (b[place] || 0);
      if (step) return step;
    }
    return 0;
  }

  /* A path of a field as part of an id: docgen/render/kit/links.py. */
  function anchor(text) { return text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "") || "x"; }
  function rowOf(href, side, version, path) {
    return href && href.includes("#") ? href : href && href + "#v" + version + (side === "response" ? "-response" : "") + "-" + anchor(path);
  }
  /* Versions as ranges: 0–3, 7. */
  function ranges(numbers) {
    const parts = [];
    numbers.slice().sort(function (a, b) { return a - b; }).forEach(function (number) {
      const last = parts[parts.length - 1];
      if (last && last[1] === number - 1) last[1] = number;
      else parts.push([number, number]);
    });
    return parts.map(function (part) { return part[0] === part[1] ? String(part[0]) : part[0] + "-" + part[1]; }).join(", ");
  }

  window.wirebookPublished = {
    element: element, link: link, place: place, load: load, messages: messages, offer: offer, named: named,
    nearestName: nearestName, noMessage: noMessage, nearestNumber: nearestNumber, nearestRelease: nearestRelease, releaseOf: releaseOf, rowOf: rowOf, anchor: anchor, ranges: ranges,
  };
})();
