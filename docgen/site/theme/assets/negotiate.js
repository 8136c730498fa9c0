/* peers/negotiation.py, peers/ranges.py and peers/likeness.py in a browser, on the same JSON; and the form of the page Negotiate. */
(function () {
  "use strict";

  const HIGHEST = 32767, PASSED_OVER = ["refused", "avoid", "unstable"], MARKS = [...PASSED_OVER, "deprecated"];
  const STATES = { every: "with every broker", some: "with some brokers", none: "with no broker" };
  let data = { apis: {}, brokers: [], clients: [], marks: {}, reasons: {}, mark_words: {} };

  /* Ranges: [lowest, highest], or null for none. */

  function range(low, high) {
    if (low > HIGHEST || high > HIGHEST) throw new Error(`versions must be between 0 and ${HIGHEST}, not ${low} to ${high}`);
    if (high < low) throw new Error(`${low} to ${high} ends before it begins`);
    return [low, high];
  }
  function parse(text) {
    const trimmed = String(text).trim(), match = /^(\d{1,9})(?:(\+)|-(\d{1,9}))?$/.exec(trimmed);
    if (trimmed === "none") return null;
    if (!match) throw new Error(`"${text}" is no version range; write "none", "3", "0-4" or "5+"`);
    return range(+match[1], match[2] ? HIGHEST : +(match[3] || match[1]));
  }
  function shown(part) {
    if (!part) return "none";
    if (part[1] === HIGHEST) return `${part[0]}+`;
    return part[0] === part[1] ? String(part[0]) : `${part[0]}-${part[1]}`;
  }
  function common(a, b) {
    if (!a || !b || Math.max(a[0], b[0]) > Math.min(a[1], b[1])) return null;
    return [Math.max(a[0], b[0]), Math.min(a[1], b[1])];
  }
  const list = text => String(text).split(",").map(parse).filter(Boolean);
  const filled = (template, values) => template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const byKey = (a, b) => a - b;
  const keysOf = object => Object.keys(object || {}).map(Number).sort(byKey);
  const nameOf = item => item.name || `key ${item.key}`;

  /* Peers: what the JSON has, with its ranges read, and the mark of each version by key. */

  function prepared(side) {
    const versions = side.versions && Object.fromEntries(Object.entries(side.versions).map(([key, text]) => [key, parse(text)]));
    const marks = marksOf(versions || {}, side);
    if (side.documented) {
      for (const [key, known] of Object.entries(marksOf(versions || {}, data.marks))) marks[key] = { ...known, ...marks[key] };
    }
    return { name: side.name, versions, marks, names: side.names || {}, features: side.features || [] };
  }
  /* The worst mark counts. What is deprecated above a version that is not came along with a backport: it is to be avoided. */
  function marksOf(versions, marked) {
    const marks = {};
    for (const mark of [...MARKS].reverse()) {
      for (const [key, text] of Object.entries(marked[mark] || {})) {
        const served = versions[key], listed = list(text), own = marks[key] = marks[key] || {};
        let later = false;
        for (let version = served ? served[0] : 0; served && version <= served[1]; version++) {
          if (!listed.some(part => part[0] <= version && version <= part[1])) later = true;
          else own[version] = mark === "deprecated" && later ? "avoid" : mark;
        }
      }
    }
    return marks;
  }
  function named(key, peers) {
    const own = peers.find(peer => peer && peer.names[key]);
    return own ? own.names[key] : data.apis[key] || null;
  }

  /* One pair. */

  const chosen = (reason, version, passed, values) =>
    ({ version, reason, words: filled(data.reasons[reason], { version, ...values }), passed_over: passed });
  function choose(client, broker, key, need = [0, HIGHEST]) {
    const known = client && client.versions, served = broker.versions && broker.versions[key];
    const none = (reason, values) => chosen(reason, null, [], values);
    if (known && !known[key]) return none("not_spoken");
    if (!served) return none("not_served");
    const spoken = known ? common(known[key], need) : need;
    if (!spoken) return none("client_lacks", { needed: needed(need), there: shown(known[key]) });
    if (!common(need, served)) return none("broker_lacks", { needed: needed(need), there: shown(served) });
    const both = common(spoken, served);
    if (both) return highest(client, broker, key, both);
    return none(spoken[1] < served[0] ? "client_too_old" : "client_too_new", {
      client_lowest: spoken[0], client_highest: spoken[1], broker_lowest: served[0], broker_highest: served[1]
    });
  }
  function needed(need) {
    if (need[1] === HIGHEST) return `version ${need[0]} or later`;
    return need[0] === need[1] ? `version ${need[0]}` : `one of the versions ${shown(need)}`;
  }
  function highest(client, broker, key, both) {
    const marks = [broker, client].filter(Boolean).map(peer => peer.marks[key] || {}), passed = [];
    let old = null;
    for (let version = both[1]; version >= both[0]; version--) {
      const mark = MARKS.find(each => marks.some(own => own[version] === each));
      if (!mark) return chosen("used", version, passed);
      if (mark !== "deprecated") passed.push({ version, mark });
      else old = old || chosen(mark, version, [...passed]);
    }
    if (old) return old;
    const clauses = PASSED_OVER.map(mark => {
      const versions = passed.filter(item => item.mark === mark).map(item => item.version);
      return versions.length ? `${numbers(versions)} ${versions.length === 1 ? "is" : "are"} ${data.mark_words[mark]}` : "";
    });
    return chosen("only_marked", null, passed, { marks: clauses.filter(Boolean).join(", ") });
  }
  function numbers(versions) {
    const parts = [];
    for (const version of [...versions].sort(byKey)) {
      const last = parts[parts.length - 1];
      if (last && last[1] === version - 1) last[1] = version;
      else parts.push([version, version]);
    }
    return parts.map(shown).join(", ");
  }

  /* Everything: the form wirebook/negotiation/1. */

  function negotiate(clientJson, brokersJson) {
    const client = clientJson ? prepared(clientJson) : null, brokers = brokersJson.map(prepared);
    const keys = Object.assign({}, client && client.versions, ...brokers.map(broker => broker.versions));
    const apis = keysOf(keys).map(key => api(client, brokers, key));
    const counted = apis.filter(item => !(client && client.versions) || item.client !== null);
    return {
      schema: "wirebook/negotiation/1", client: clientJson || null, brokers: brokersJson, apis,
      features: (client ? client.features : []).map(item => feature(client, brokers, item)),
      summary: Object.fromEntries(Object.keys(STATES).map(state => [state, counted.filter(item => item.usable === state).length]))
    };
  }
  function stateOf(usable) {
    if (usable.length && usable.every(Boolean)) return "every";
    return usable.some(Boolean) ? "some" : "none";
  }
  function api(client, brokers, key) {
    const served = brokers.map(broker => broker.versions && broker.versions[key]);
    const across = brokers.length ? served.reduce(common, [0, HIGHEST]) : null;
    const spoken = client && client.versions && client.versions[key];
    const pairs = brokers.map((broker, place) =>
      ({ broker: broker.name, serves: served[place] ? shown(served[place]) : null, ...choose(client, broker, key) }));
    return {
      key, name: named(key, [...brokers, client]), client: spoken ? shown(spoken) : null, across: across && shown(across),
      version: forAll(client, brokers, key, across), pairs, usable: stateOf(pairs.map(pair => pair.version !== null))
    };
  }
  function forAll(client, brokers, key, across) {
    const shared = client && client.versions ? common(across, client.versions[key]) : across;
    let old = null;
    for (let version = shared ? shared[1] : -1; shared && version >= shared[0]; version--) {
      const choices = brokers.map(broker => choose(client, broker, key, [version, version]));
      if (choices.every(choice => choice.reason === "used")) return version;
      if (old === null && choices.every(choice => choice.version !== null)) old = version;
    }
    return old;
  }
  function feature(client, brokers, item) {
    const rows = brokers.map(broker => {
      const ways = item.any.map(way => {
        const needs = keysOf(way.needs).map(key => {
          const { version, reason, words } = choose(client, broker, key, parse(way.needs[key]));
          return { key, name: named(key, [broker, client]) || `key ${key}`, needs: way.needs[key], version, reason, words };
        });
        return { by: way.by || "", usable: needs.every(need => need.version !== null), needs };
      });
      const good = ways.filter(way => way.usable);
      return { broker: broker.name, usable: good.length > 0, words: (good.length ? good.slice(0, 1) : ways).map(wordsOf).join(". "), ways };
    });
    return { name: item.name, title: item.title || "", about: item.about || "", usable: stateOf(rows.map(row => row.usable)), brokers: rows };
  }
  function wordsOf(way) {
    const words = way.usable
      ? way.needs.map(need => `${need.name} ${need.version}`).join(", ")
      : way.needs.filter(need => need.version === null).map(need => `${need.name}: ${need.words}`).join("; ");
    return way.by ? `${way.by}: ${words}` : words;
  }

  /* The verdict of a pair in words, {text, fallback}; null if the ranges of either are unknown. */

  const MOST = 12;
  function verdict(result, place) {
    const broker = result.brokers[place], client = result.client;
    if (!client || !client.versions || !broker.versions) return null;
    const works = item => item.pairs[place].version !== null;
    const spoken = result.apis.filter(item => item.client !== null && !isBetween(item));
    const purposes = (data.purposes || []).filter(purpose => spoken.some(item => purpose.keys.includes(item.key)));
    const core = purposes.flatMap(purpose => purpose.keys);
    const isMet = purpose => spoken.filter(item => purpose.keys.includes(item.key)).every(works);
    const can = enumerated(purposes.filter(isMet).map(each => each.does));
    const cannot = enumerated(purposes.filter(each => !isMet(each)).map(each => each.cannot), "or");
    let text = `${client.name} works with ${described(broker)}: it ${can}`;
    if (!broker.asks) text = `${client.name} cannot ask ${described(broker)} for its versions, which have to be configured`;
    else if (!can) text = `${client.name} does not work with ${described(broker)}: it cannot ${cannot}`;
    else if (cannot) text = `${client.name} works only partly with ${described(broker)}: it ${can} but cannot ${cannot}`;
    const failing = spoken.filter(item => !works(item) && (cannot || !core.includes(item.key))).map(nameOf);
    const more = failing.length - MOST;
    if (failing.length) {
      text += `; ${failing.length === 1 ? "this request does" : "these requests do"} not work: ${failing.slice(0, MOST).join(", ")}`;
    }
    if (more > 0) text += ` and ${more} more`;
    return { text: `${text.replace(/^your /, "Your ")}.`, fallback: fallback(result, place) };
  }
  function described(broker) {
    const [release, how] = broker.name.split(" with ");
    return broker.kind === "file" ? `the broker ${broker.name}` : `a ${release} broker${how ? ` with ${how}` : ""}`;
  }
  /* How a client finds the version of ApiVersions itself: KIP-511. */
  function fallback(result, place) {
    const versions = result.apis.find(item => item.key === 18), broker = result.brokers[place];
    if (!versions || !versions.client || !broker.asks || !versions.pairs[place].serves) return "";
    const first = parse(versions.client)[1], served = parse(versions.pairs[place].serves)[1];
    if (first <= served) return "";
    const again = served >= 3 ? `${served}, the highest in that response` : "0, because brokers before 2.4 name no range in it";
    return `ApiVersions itself falls back: the client first sends version ${first}, the broker answers UNSUPPORTED_VERSION (35) ` +
      `in a response of version 0, and the client repeats the request in version ${again}.`;
  }
  function enumerated(words, last = "and") {
    return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words[words.length - 1]}`;
  }

  /* Ranges as people write them. */

  const ENTRY = /^([A-Za-z]\w*|\d{1,9}) ?(?:\((\d{1,9})\))? ?(?:[:=] ?)?(\d{1,9})(?: ?(?:-|–|to) ?(\d{1,9}))?(?: ?\[usable: [^\]]*\])?$/;
  const TRIPLE = /^\( ?((\d{1,9})) ?, ?(\d{1,9}) ?, ?(\d{1,9}) ?\)$/;
  const HEAD = /^([^\s,()]+?)(?:\s+\(id:[^)]*\))?\s*->\s*(?:\($)?/;
  const folded = name => name.replace(/_/g, "").toLowerCase();

  function keyOf(text) {
    if (/^\d{1,9}$/.test(text)) {
      if (+text > HIGHEST) throw new Error(`there is no API key ${text}`);
      return String(+text);
    }
    if (!Object.hasOwn(data.names, text.toLowerCase())) throw new Error(`there is no API "${text.slice(0, 60)}"; or use its API key`);
    return String(data.names[text.toLowerCase()]);
  }
  function put(versions, api, part) {
    const key = keyOf(String(api));
    if (key in versions) throw new Error(`${data.apis[key] || `key ${key}`} appears twice`);
    if (part) versions[key] = shown(part);
  }
  function read(text, name) {
    if (!/^\s*[{[]/.test(text)) return fromLines(text, name);
    const value = JSON.parse(text), several = value && Array.isArray(value.brokers);
    return several ? value.brokers.map((item, place) => sideOf(item, `${name}-${place}`)) : [sideOf(value, name)];
  }
  const side = (name, versions) => ({ name, kind: "file", from: "what was pasted", asks: true, versions });
  function fromLines(text, name) {
    const sides = [];
    function begin(label) {
      if (sides.some(each => each.name === label)) throw new Error(`${label} appears twice`);
      sides.push(side(label, {}));
    }
    for (const line of text.split(/\r?\n/)) {
      let rest = line.split("#")[0].trim();
      const head = HEAD.exec(rest);
      if (head) {
        begin(head[1]);
        rest = rest.slice(head[0].length);
      }
      for (const piece of rest.match(/\s*\([^(),]*,[^(),]*,[^()]*\)|[^,;]+/g) || []) {
        const entry = piece.trim().replace(/\s+/g, " "), match = TRIPLE.exec(entry) || ENTRY.exec(entry);
        if (!entry || entry === ")" || /^\w+\(\d+\):\s*UNSUPPORTED/.test(entry)) continue;
        if (!match) throw new Error(`"${entry.slice(0, 60)}" is not a range: write 0: 0-3, a line each`);
        if (!sides.length) begin(name);
        put(sides[sides.length - 1].versions, match[2] || match[1], range(+match[3], +(match[4] || match[3])));
      }
    }
    if (!sides.some(each => Object.keys(each.versions).length)) throw new Error("there are no ranges: write 0: 0-3, a line each");
    return sides;
  }
  function sideOf(value, name) {
    if (!value || (value.versions === undefined && value.features === undefined)) return side(name, ranges(value));
    if (!value.versions && !value.features) throw new Error("\"versions\" holds the ranges");
    const made = side(value.name || name, value.versions ? ranges(value.versions) : null);
    for (const mark of MARKS) {
      const marked = Object.entries(value[mark] || {}).map(([key, text]) => [keyOf(key), list(text).map(shown).join(", ")]);
      if (marked.length) made[mark] = Object.fromEntries(marked);
    }
    if (value.features) {
      made.features = Object.entries(value.features).map(([title, needs]) => ({ name: title, any: [{ needs: ranges(needs) }] }));
    }
    return made;
  }
  /* A range for each key, from an object, a list of triples, or the body of an ApiVersions response. */
  function ranges(value) {
    const versions = {};
    if (!value || typeof value !== "object") throw new Error("these are not ranges");
    const body = Object.keys(value).find(key => folded(key) === "apikeys");
    if (body) return ranges(value[body]);
    if (!Array.isArray(value)) {
      for (const [key, item] of Object.entries(value)) put(versions, key, Array.isArray(item) ? range(item[0], item[1]) : parse(item));
      return versions;
    }
    for (const item of value) {
      const fields = Object.fromEntries(Object.entries(item || {}).map(([key, each]) => [folded(key), each]));
      const triple = Array.isArray(item) ? item : [fields.apikey, fields.minversion, fields.maxversion];
      if (triple.length !== 3 || triple.includes(undefined)) throw new Error("an entry of the list is [key, lowest, highest]");
      put(versions, triple[0], range(triple[1], triple[2]));
    }
    return versions;
  }
  /* A broker that was pasted has the marks of all releases besides its own. */
  const documented = pasted => ({ ...pasted, documented: true });

  /* Which releases answer so, but only on the listener that most clients meet. */
  function likeness(pasted) {
    const here = pasted.versions, exact = [];
    let best = null;
    for (const broker of data.brokers.filter(each => each.asks).reverse()) {
      const keys = keysOf({ ...here, ...broker.versions }).filter(key => here[key] !== broker.versions[key]);
      if (!keys.length) exact.push(broker.name);
      const distance = keys.filter(key => here[key]).length * 100000 + keys.length;
      if (!best || distance < best.distance) best = { broker, keys, distance };
    }
    if (exact.length) return `${pasted.name} answers exactly as ${exact.join(" or ")}.`;
    const differences = best.keys.slice(0, 4).map(key => {
      const name = data.apis[key] || `key ${key}`, there = best.broker.versions[key];
      return here[key] ? `${name} ${here[key]}${there ? `, not ${there}` : " besides"}` : `no ${name}`;
    });
    const more = best.keys.length > 4 ? `; ${best.keys.length - 4} more` : "";
    return `${pasted.name} answers as no release does; nearest is ${best.broker.name}: ${differences.join("; ")}${more}.`;
  }

  window.wirebookNegotiation = { use: given => { data = given; }, negotiate, read, documented };

  /* The page. */

  /* Ranges as all pages write them: docgen/render/kit/dashes.py. */
  function dashed(text) {
    return text.replace(/(?<![\w./#+"'-])(?<!&#34;|&#39;|&quot;|&#x27;)(\d{1,5})-(\d{1,5})(?![\w/-]|\.\d)/g,
      (whole, low, high) => +low < +high ? `${low}\u2013${high}` : whole);
  }
  function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
    made.append(...children.flat().map(child => typeof child === "string" ? dashed(child) : child));
    return made;
  }
  const byId = (items, id) => items.find(item => item.id === id);
  const isBetween = item => (data.between || []).includes(item.key);

  function start() {
    const source = document.getElementById("wb-negotiation-data"), form = document.getElementById("wb-negotiate");
    if (!source || !form) return;
    data = { ...JSON.parse(source.textContent), ...JSON.parse(form.dataset.roles) };
    const out = document.getElementById("wb-negotiate-result"), status = document.getElementById("wb-negotiate-status");
    const { client, ranges: own, own: others } = form.elements;
    const boxes = [...form.querySelectorAll("input[name=broker]")];
    let missing = "";
    client.append(...data.clients.map(item => element("option", { value: item.id }, item.name)));

    function show() {
      const fragment = new URLSearchParams(location.hash.slice(1));
      missing = "";
      if (!["client", "broker", "own"].some(name => fragment.has(name))) return;
      const wanted = fragment.get("client") || "", releases = fragment.getAll("broker");
      client.value = wanted === "own" || byId(data.clients, wanted) ? wanted : "";
      own.value = fragment.get("ranges") || "";
      others.value = fragment.get("own") || "";
      if (others.value) others.closest("details").open = true;
      for (const box of boxes) box.checked = releases.includes(box.value);
      const lacking = releases.filter(name => !byId(data.brokers, name)).slice(0, 5).map(name => `release \u201c${name.slice(0, 20)}`);
      if (wanted !== client.value) lacking.unshift(`client \u201c${wanted.slice(0, 60)}`);
      missing = lacking.map(words => `There is no ${words}\u201d here. `).join("");
    }
    function keep() {
      const fragment = new URLSearchParams();
      if (client.value) fragment.set("client", client.value);
      if (client.value === "own" && own.value.trim()) fragment.set("ranges", own.value);
      for (const box of boxes) if (box.checked) fragment.append("broker", box.value);
      if (others.value.trim()) fragment.set("own", others.value);
      history.replaceState(null, "", `#${fragment}`);
    }
    function judge() {
      form.querySelector(".wb-own").hidden = client.value !== "own";
      try {
        const pasted = client.value === "own" && own.value.trim() ? read(own.value, "your client")[0] : null;
        const brokers = boxes.filter(box => box.checked).map(box => byId(data.brokers, box.value));
        if (others.value.trim()) brokers.push(...read(others.value, "yours").map(documented));
        if (!brokers.length) return say("Choose at least one broker.", []);
        const result = negotiate(pasted || byId(data.clients, client.value) || null, brokers);
        const verdicts = brokers.map((_, place) => verdict(result, place)).filter(Boolean);
        say(verdicts.length ? verdicts.map(each => each.text).join(" ") : sentence(result), report(result, verdicts));
      } catch (error) {
        say(error instanceof SyntaxError ? `This is not valid JSON: ${error.message}` : error.message, []);
      }
    }
    function say(text, parts) {
      status.textContent = missing + text;
      out.replaceChildren(...parts);
    }
    function change() {
      missing = "";
      keep();
      judge();
    }
    form.addEventListener("input", change);
    form.addEventListener("submit", event => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(change));
    window.addEventListener("hashchange", () => { show(); judge(); });
    show();
    judge();
  }

  /* The APIs of the client, or, without one, of the brokers. */
  const knows = result => Boolean(result.client && result.client.versions);
  const compared = result => result.apis.filter(item => !knows(result) || item.client !== null);
  function sentence(result) {
    const many = result.brokers.length > 1, apis = compared(result).filter(item => !isBetween(item));
    const counts = Object.keys(STATES).map(state => {
      const number = apis.filter(item => item.usable === state).length;
      return number && `${number} ${many ? STATES[state] : state === "none" ? "not usable" : "usable"}`;
    });
    const deaf = knows(result) ? [] : result.brokers.filter(broker => !broker.asks).map(broker => broker.name);
    return `Of the ${apis.length === 1 ? "1 API" : `${apis.length} APIs`} that ${knows(result) ? "this client sends" : "clients send"}: ` +
      `${counts.filter(Boolean).join(", ") || "none"}.` +
      (deaf.length ? ` ${deaf.join(" and ")} cannot be asked: the versions would have to be configured.` : "");
  }
  const badge = (kind, text) => element("span", { class: `wb-b wb-${kind}` }, text);
  function table(caption, head, rows) {
    const titles = element("tr", {}, head.map(title => element("th", { scope: "col" }, title)));
    return element("div", { class: "wb-scroll", tabindex: "0", role: "region", "aria-label": caption },
      element("table", { class: "wb-table wb-pairs" }, element("caption", {}, caption), element("thead", {}, titles), element("tbody", {}, rows)));
  }
  function cell(pair) {
    if (pair.version === null) return element("td", {}, badge("removed", "no"), " ", element("small", {}, pair.words));
    const badges = pair.reason === "deprecated" ? [badge("deprecated", "deprecated")] : [];
    badges.push(...pair.passed_over.slice(0, 3).map(item => badge("unstable", `${item.version} ${data.mark_words[item.mark]}`)));
    return element("td", {}, element("strong", {}, String(pair.version)), element("small", {}, ` of ${pair.serves}`), badges.flatMap(each => [" ", each]));
  }
  function featureRow(item) {
    const title = [item.title || item.name, ...(item.title ? [" ", element("small", {}, item.name)] : [])];
    const cells = item.brokers.map(row =>
      element("td", {}, badge(row.usable ? "added" : "removed", row.usable ? "yes" : "no"), " ", element("small", {}, row.words)));
    return element("tr", {}, element("th", { scope: "row" }, title), cells);
  }
  function apiTable(caption, result, apis) {
    const known = knows(result), many = result.brokers.length > 1, rank = Object.keys(STATES);
    const head = ["API", ...(known ? ["Client"] : []), ...result.brokers.map(broker => broker.name), ...(many ? ["One version for all"] : [])];
    const sorted = [...apis].sort((a, b) => rank.indexOf(b.usable) - rank.indexOf(a.usable) || a.key - b.key);
    return table(caption, head, sorted.map(item => element("tr", {},
      element("th", { scope: "row" }, item.name || "?", " ", element("small", {}, String(item.key))),
      known ? [element("td", {}, item.client)] : [], item.pairs.map(cell),
      many ? [element("td", {}, item.version === null ? "–" : String(item.version))] : [])));
  }
  function report(result, verdicts) {
    const known = knows(result), parts = [...new Set(verdicts.map(each => each.fallback).filter(Boolean))].map(text => element("p", {}, text));
    if (result.client && result.client.from) parts.push(element("p", {}, `${result.client.name}: ${result.client.from}`));
    parts.push(...result.brokers.filter(broker => broker.kind === "file" && broker.versions).map(broker => element("p", {}, likeness(broker))));
    if (result.features.length) {
      parts.push(table("Features", ["Feature", ...result.brokers.map(broker => broker.name)], result.features.map(featureRow)));
    }
    if (verdicts.length) parts.push(element("p", {}, sentence(result)));
    const clients = compared(result).filter(item => !isBetween(item)), nodes = compared(result).filter(isBetween);
    parts.push(apiTable(known ? "Client APIs, failures first" : "APIs that clients use, those that a broker lacks first", result, clients));
    if (nodes.length) {
      const about = `Not counted: ${nodes.length}${nodes.length === 1 ? " API" : " APIs"} that only brokers and controllers send`;
      parts.push(element("details", { class: "wb-plain" }, element("summary", {}, about), apiTable("Requests between brokers and controllers", result, nodes)));
    }
    const silent = result.apis.filter(item => known && item.client === null).map(nameOf);
    if (silent.length) parts.push(element("p", {}, `Served, but not supported by the client: ${silent.join(", ")}.`));
    return parts;
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
