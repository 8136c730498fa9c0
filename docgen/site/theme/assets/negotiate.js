/* The page of clients and brokers: peers/negotiation.py in a browser, on the same JSON (data/negotiation.json). */
(function () {
  "use strict";

  const { element, breakable, badge, table, speaker } = wirebookPublished;
  const HIGHEST = 32767, MARKS = ["refused", "avoid", "unstable"], MOST = 12;
  let data = { apis: {}, names: {}, brokers: [], clients: [], marks: {}, reasons: {}, mark_words: {}, purposes: [], between: [], stated: [] };

  /* --- ranges: [lowest, highest] --- */

  function parse(text) {
    const found = /^(\d{1,5})(?:(\+)|-(\d{1,5}))?$/.exec(text), made = found && [Number(found[1]), found[2] ? HIGHEST : Number(found[3] || found[1])];
    return made && made[0] <= made[1] ? made : null;
  }
  function common(a, b) {
    const low = Math.max(a[0], b[0]), high = Math.min(a[1], b[1]);
    return low <= high ? [low, high] : null;
  }
  function has(side, mark, key, version) {
    return String((side[mark] || {})[key] || "").split(", ").some(function (part) { const range = parse(part); return range && range[0] <= version && version <= range[1]; });
  }

  /* --- one pair --- */

  function filled(reason, values) { return data.reasons[reason].replace(/\{(\w+)\}/g, function (_, name) { return values[name]; }); }
  function none(reason, values) { return { version: null, reason: reason, words: filled(reason, values || {}), passed_over: [] }; }
  /* What a client (or null, for any) and a broker use of an API: {version, reason, words, passed_over}. */
  function choose(client, broker, key) {
    const known = client && client.versions, served = parse((broker.versions || {})[key] || "");
    if (known && !(key in known)) return none("not_spoken");
    if (!served) return none("not_served");
    const spoken = known ? parse(known[key]) : [0, HIGHEST], both = common(spoken, served);
    if (!both) return none(spoken[1] < served[0] ? "client_too_old" : "client_too_new", { client_lowest: spoken[0], client_highest: spoken[1], broker_lowest: served[0], broker_highest: served[1] });
    const sides = client ? [broker, client] : [broker], passed = [];
    let old = null;
    for (let version = both[1]; version >= both[0]; version--) {
      const mark = MARKS.find(function (each) { return sides.some(function (side) { return has(side, each, key, version); }); });
      if (mark) passed.push({ version: version, mark: mark });
      else if (sides.some(function (side) { return has(side, "deprecated", key, version); })) old = old === null ? version : old;
      else return { version: version, reason: "used", words: filled("used", { version: version }), passed_over: passed };
    }
    if (old !== null) return { version: old, reason: "deprecated", words: filled("deprecated", { version: old }), passed_over: passed.filter(function (each) { return each.version > old; }) };
    const marks = passed.map(function (each) { return each.version + " is " + data.mark_words[each.mark]; }).join(", ");
    return Object.assign(none("only_marked", { marks: marks }), { passed_over: passed });
  }
  /* Every API of a client and a broker: [{key, name, client, serves, version, …}]. */
  function negotiate(client, broker) {
    const keys = new Set(Object.keys(broker.versions || {}).concat(Object.keys((client && client.versions) || {})).map(Number));
    return [...keys].sort(function (a, b) { return a - b; }).map(function (key) {
      return Object.assign({ key: key, name: data.apis[key] || "key " + key, client: (client && client.versions && client.versions[key]) || null, serves: (broker.versions || {})[key] || null }, choose(client, broker, key));
    });
  }

  /* --- the verdict --- */

  function enumerated(words, last) { return words.length < 2 ? words.join("") : words.slice(0, -1).join(", ") + " " + (last || "and") + " " + words[words.length - 1]; }
  /* {state: "yes", "partly", "no" or "unknown", text}: what a client can do with a broker, as far as the ranges and Kafka's own table say. */
  function verdict(client, broker) {
    if (!client.versions || !broker.versions) return { state: "unknown", text: "The versions of " + (client.versions ? broker.name : client.name) + " are not known here." };
    const sent = negotiate(client, broker).filter(function (each) { return each.client !== null && !data.between.includes(each.key); }), failing = sent.filter(function (each) { return each.version === null; });
    const names = function (some) { return enumerated(some.slice(0, MOST).map(function (each) { return each.name; })) + (some.length > MOST ? " and " + (some.length - MOST) + " more" : ""); }, shared = sent.filter(function (each) { return each.version !== null; });
    const purposes = data.purposes.filter(function (purpose) { return purpose.keys.every(function (key) { return sent.some(function (each) { return key === each.key; }); }); });
    const cannot = purposes.filter(function (purpose) { return failing.some(function (each) { return purpose.keys.includes(each.key); }); }), can = purposes.filter(function (purpose) { return !cannot.includes(purpose); });
    const with_ = broker.own ? broker.name : "a " + broker.name + " broker", stated = data.stated.find(function (each) { return each.clients.includes(client.id) && each.brokers.includes(broker.id); });
    if (!broker.asks) return { state: "unknown", text: client.name + " cannot ask " + with_ + " for its versions, which have to be configured." };
    let state = !cannot.length ? "yes" : can.length ? "partly" : "no", text = client.name;
    /* Ranges of a few APIs say nothing of what the client is for. */
    if (!purposes.length) return { state: !failing.length ? "yes" : shared.length ? "partly" : "no", text: text + (shared.length ? " has a common version with " + with_ + " of " + names(shared) : " has no common version with " + with_) + (failing.length && shared.length ? ", but not of " + names(failing) : "") + "." };
    if (state === "yes" && stated && stated.state === "no") text = stated.words + "; still, " + text + " shares a version of everything that it needs with " + with_ + ", and may work";
    else if (state === "no") text += " does not work with " + with_ + ": it cannot " + enumerated(cannot.map(function (each) { return each.cannot; }), "or");
    else text += " works " + (cannot.length ? "only partly " : "") + "with " + with_ + ": it " + enumerated(can.map(function (each) { return each.does; })) + (cannot.length ? " but cannot " + enumerated(cannot.map(function (each) { return each.cannot; }), "or") : "") + (stated ? (cannot.length ? "; " : "; but ") + stated.words : "");
    if (stated) state = stated.state === "no" || state === "no" ? "no" : "partly";
    if (failing.length) text += "; not common: " + names(failing);
    return { state: state, text: text + "." };
  }

  /* --- ranges as people write them --- */

  /* Sides of a text: a range on each line, the output of kafka-broker-api-versions.sh, or "NAME -> key: range, …". Raises an Error. */
  function read(text, name) {
    const sides = [];
    let here = null;
    function begin(label) { sides.push(here = Object.assign({ id: "", own: true, name: label, asks: true, versions: {} }, data.marks)); }
    text.split(/\r?\n/).forEach(function (line) {
      let rest = line.split("#")[0].trim();
      const head = /^([^,()]+?)(?:\s+\(id:[^)]*\))?\s*->\s*(?:\($)?/.exec(rest);
      if (head) { begin(head[1].slice(0, 60)); rest = rest.slice(head[0].length); }
      if (!rest || rest === ")") return;
      (rest.match(/\s*\([^()]*,[^()]*,[^()]*\)|[^,;]+/g) || []).map(function (piece) { return piece.trim(); }).filter(Boolean).forEach(function (piece) {
        if (/UNSUPPORTED$/.test(piece)) return;
        const triple = /^\((\d+)\s*,\s*(\d+)\s*,\s*(\d+)\)$/.exec(piece), entry = /^([A-Za-z]\w*|\d{1,5})\s*(?:\((\d{1,5})\))?\s*[:=\s]\s*(\d{1,5})(?:\s*(?:-|\u2013|to)\s*(\d{1,5}))?(?:\s*\[usable: [^\]]*\])?$/.exec(piece);
        const key = triple ? triple[1] : entry && (entry[2] || (/^\d/.test(entry[1]) ? entry[1] : data.names[entry[1].toLowerCase()])), range = triple ? triple[2] + "-" + triple[3] : entry && entry[3] + "-" + (entry[4] || entry[3]);
        if (entry && key === undefined) throw new Error("There is no API \u201c" + entry[1].slice(0, 60) + "\u201d; use its key.");
        if (key === null || !parse(range)) throw new Error("\u201c" + piece.slice(0, 60) + "\u201d is not a range: write Fetch: 4-11, a line each.");
        if (!here) begin(name);
        here.versions[Number(key)] = range.replace(/^(\d+)-\1$/, "$1");
      });
    });
    const empty = sides.find(function (side) { return !Object.keys(side.versions).length; });
    if (empty) throw new Error("\u201c" + empty.name + "\u201d has no range yet: write Fetch: 4-11 below it.");
    return sides;
  }

  window.wirebookNegotiation = { use: function (given) { data = Object.assign({}, data, given); }, negotiate: negotiate, verdict: verdict, read: read };

  /* --- the page --- */

  const BADGES = { yes: "added", partly: "deprecated", no: "removed", unknown: "unstable" };
  function start() {
    const source = document.getElementById("wb-negotiation-data"), form = document.getElementById("wb-negotiate");
    if (!source || !form) return;
    data = Object.assign(data, JSON.parse(source.textContent), JSON.parse(form.dataset.roles));
    const say = speaker("negotiate"), chips = form.querySelector(".wb-clients");
    data.clients.forEach(function (each) { chips.append(element("label", {}, element("input", { type: "checkbox", name: "client", value: each.id }), " " + each.name), " "); });

    function boxes(name) { return [...form.querySelectorAll("input[name=" + name + "]")]; }
    function chosen(name, list, own, title) {
      const picked = boxes(name).filter(function (box) { return box.checked; }).map(function (box) { return list.find(function (each) { return each.id === box.value; }); });
      return picked.concat(own.value.trim() ? read(own.value, title) : []);
    }
    function follow() {
      const fragment = new URLSearchParams(location.hash.slice(1)), lost = [];
      [["client", "ranges"], ["broker", "own"]].forEach(function ([name, own]) {
        const wanted = fragment.getAll(name);
        boxes(name).forEach(function (box) { box.checked = wanted.some(function (each) { return isNamed(box, each); }); });
        lost.push(...wanted.filter(function (each) { return !boxes(name).some(function (box) { return isNamed(box, each); }); }).slice(0, 5).map(function (each) { return name + " \u201c" + each.slice(0, 40) + "\u201d" + otherRelease(each); }));
        form.elements[own].value = fragment.get(own) || "";
        if (fragment.get(own)) form.elements[own].closest("details").open = true;
      });
      if ([...fragment.keys()].some(function (name) { return ["client", "broker", "ranges", "own"].includes(name); })) document.getElementById("wb-negotiate-status").scrollIntoView();
      judge(lost.length ? "The versions of " + enumerated(lost) + " are not known here. " : "");
    }
    /* Whether an address means a box: by its ID, or by a client and its release. */
    function isNamed(box, wanted) {
      const client = data.clients.find(function (each) { return box.name === "client" && each.id === box.value; });
      if (box.value === wanted || boxes(box.name).some(function (each) { return each.value === wanted; })) return box.value === wanted;
      return Boolean(client) && (client.name.toLowerCase().replace(/ /g, "-") + ".").startsWith(wanted + ".");
    }
    /* The release of a client that is known in place of another one. */
    function otherRelease(wanted) {
      const found = data.clients.find(function (each) { return wanted.startsWith(each.id + "-"); });
      return found ? ", unlike those of " + found.name + "," : "";
    }
    function keep() {
      const fragment = new URLSearchParams();
      ["client", "broker"].forEach(function (name) { boxes(name).forEach(function (box) { if (box.checked) fragment.append(name, box.value); }); });
      ["ranges", "own"].forEach(function (name) { if (form.elements[name].value.trim()) fragment.set(name, form.elements[name].value); });
      history.replaceState(null, "", String(fragment) ? "#" + fragment : location.pathname + location.search);
    }
    function judge(missing) {
      try {
        const clients = chosen("client", data.clients, form.elements.ranges, "your client"), brokers = chosen("broker", data.brokers, form.elements.own, "your broker");
        if (!brokers.length) return say(missing + "Choose at least one broker.");
        if (!clients.length) return say(missing + "For any client:", [details(null, brokers)]);
        const verdicts = clients.map(function (client) { return brokers.map(function (broker) { return verdict(client, broker); }); }), all = verdicts.flat();
        const parts = clients.map(function (client) { return details(client, brokers); });
        parts.forEach(function (part) { part.open = parts.length < 2; });
        if (all.length === 1) return say(missing + all[0].text, parts);
        const counts = ["yes", "partly", "no", "unknown"].map(function (state) { return [state, all.filter(function (each) { return each.state === state; }).length]; }).filter(function (pair) { return pair[1]; });
        const grid = table("Which client works with which broker", "wb-pairs", ["Client"].concat(brokers.map(function (each) { return each.name; })), clients.map(function (client, row) {
          return element("tr", {}, element("th", { scope: "row" }, client.name), ...verdicts[row].map(function (each) { return element("td", {}, badge(BADGES[each.state], each.state), " ", element("small", {}, each.text)); }));
        }));
        say(missing + "Of " + all.length + " pairs: " + counts.map(function (pair) { return pair[1] + " " + pair[0]; }).join(", ") + ".", [grid].concat(parts));
      } catch (error) {
        say(error.message);
      }
    }
    /* Every API of a client with each broker, failures first; what only brokers and controllers send is apart. */
    function details(client, brokers) {
      const results = brokers.map(function (broker) { return new Map(negotiate(client, broker).map(function (each) { return [each.key, each]; })); });
      const keys = [...new Set(results.flatMap(function (each) { return [...each.keys()]; }))].filter(function (key) { return !client || !client.versions || key in client.versions; }).sort(function (a, b) { return a - b; });
      function failures(key) { return results.filter(function (each) { return !each.has(key) || each.get(key).version === null; }).length; }
      function rows(some) {
        return some.sort(function (a, b) { return failures(b) - failures(a) || a - b; }).map(function (key) {
          return element("tr", {}, element("th", { scope: "row" }, ...breakable(data.apis[key] || "?"), " ", element("small", {}, String(key))), ...(client && client.versions ? [element("td", {}, client.versions[key])] : []), ...results.map(function (each) { return cell(each.get(key)); }));
        });
      }
      const head = ["API"].concat(client && client.versions ? ["Client"] : [], brokers.map(function (each) { return each.name; })), nodes = keys.filter(function (key) { return data.between.includes(key); });
      const box = element("details", { class: "wb-plain" }, element("summary", {}, (client ? "APIs of " + client.name : "APIs") + ", failures first"), table("APIs" + (client ? " of " + client.name : ""), "wb-pairs", head, rows(keys.filter(function (key) { return !nodes.includes(key); }))));
      if (client && client.from) box.append(element("p", {}, client.from));
      if (nodes.length) box.append(element("details", { class: "wb-plain" }, element("summary", {}, nodes.length + " APIs that only brokers and controllers send"), table("Between brokers and controllers", "wb-pairs", head, rows(nodes))));
      box.open = true;
      return box;
    }
    function cell(each) {
      if (!each || each.version === null) return element("td", {}, badge("removed", "no"), " ", element("small", {}, each ? each.words : data.reasons.not_served));
      const made = element("td", {}, element("strong", {}, String(each.version)), element("small", {}, " of " + each.serves));
      if (each.reason === "deprecated") made.append(" ", badge("deprecated", "deprecated"));
      each.passed_over.slice(0, 3).forEach(function (item) { made.append(" ", badge("unstable", item.version + " " + data.mark_words[item.mark])); });
      return made;
    }

    form.addEventListener("input", function () { keep(); judge(""); });
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    form.addEventListener("reset", function () { setTimeout(function () { keep(); judge(""); }); });
    window.addEventListener("hashchange", follow);
    follow();
  }
  start();
})();
