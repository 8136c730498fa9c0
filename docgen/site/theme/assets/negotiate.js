/* peers/negotiation.py and peers/ranges.py in a browser, on the same JSON; and the form of the page Negotiate. */
(function () {
  "use strict";

  var HIGHEST = 32767, PASSED_OVER = ["refused", "avoid", "unstable"], MARKS = PASSED_OVER.concat("deprecated");
  var STATES = { every: "with every broker", some: "with some brokers", none: "with no broker" };
  var data = { apis: {}, brokers: [], clients: [], marks: {}, reasons: {}, mark_words: {} };

  /* --- ranges: [lowest, highest], or null for none --- */

  function range(low, high) {
    if (low > HIGHEST || high > HIGHEST) throw new Error("versions must be between 0 and " + HIGHEST + ", not " + low + " to " + high);
    if (high < low) throw new Error(low + " to " + high + " ends before it begins");
    return [low, high];
  }
  function parse(text) {
    var match = /^(\d{1,9})(?:(\+)|-(\d{1,9}))?$/.exec(String(text).trim());
    if (String(text).trim() === "none") return null;
    if (!match) throw new Error("\"" + text + "\" is no version range; write \"none\", \"3\", \"0-4\" or \"5+\"");
    return range(+match[1], match[2] ? HIGHEST : +(match[3] || match[1]));
  }
  function shown(part) {
    if (!part) return "none";
    if (part[1] === HIGHEST) return part[0] + "+";
    return part[0] === part[1] ? String(part[0]) : part[0] + "-" + part[1];
  }
  function common(a, b) {
    if (!a || !b || Math.max(a[0], b[0]) > Math.min(a[1], b[1])) return null;
    return [Math.max(a[0], b[0]), Math.min(a[1], b[1])];
  }
  function within(version, list) {
    return (list || []).some(function (part) { return part[0] <= version && version <= part[1]; });
  }
  function list(text) { return String(text).split(",").map(parse).filter(Boolean); }
  function numbers(versions) {
    var parts = [];
    versions.slice().sort(function (a, b) { return a - b; }).forEach(function (version) {
      var last = parts[parts.length - 1];
      if (last && last[1] === version - 1) last[1] = version;
      else parts.push([version, version]);
    });
    return parts.map(shown).join(", ");
  }
  function filled(template, values) {
    return template.replace(/\{(\w+)\}/g, function (_, name) { return values[name]; });
  }

  /* --- sides: what the JSON has, with its texts read --- */

  function prepared(side) {
    var made = { name: side.name, json: side, versions: null, features: side.features || [] };
    if (side.versions) {
      made.versions = {};
      Object.keys(side.versions).forEach(function (key) { made.versions[key] = parse(side.versions[key]); });
    }
    MARKS.forEach(function (mark) {
      made[mark] = {};
      Object.keys(side[mark] || {}).forEach(function (key) { made[mark][key] = list(side[mark][key]); });
    });
    return made;
  }
  function named(key, sides) {
    for (var i = 0; i < sides.length; i++) {
      var names = sides[i] && sides[i].json.names;
      if (names && names[key]) return names[key];
    }
    return data.apis[key] || null;
  }

  /* --- one pair --- */

  function choose(client, broker, key, need) {
    var known = client && client.versions, all = [0, HIGHEST], wanted = need || all;
    var served = broker.versions && broker.versions[key];
    if (known && !(key in known)) return none("not_spoken", {});
    if (!served) return none("not_served", {});
    var spoken = known ? common(known[key], wanted) : wanted;
    if (!spoken) return none("client_lacks", { needed: needed(wanted), there: shown(known[key]) });
    if (!common(wanted, served)) return none("broker_lacks", { needed: needed(wanted), there: shown(served) });
    var both = common(spoken, served);
    if (!both) {
      return none(spoken[1] < served[0] ? "client_too_old" : "client_too_new", {
        client_lowest: spoken[0], client_highest: spoken[1], broker_lowest: served[0], broker_highest: served[1]
      });
    }
    return highest(client, broker, key, both);
  }
  function none(reason, values) {
    return { version: null, reason: reason, words: filled(data.reasons[reason], values), passed_over: [] };
  }
  function needed(need) {
    if (need[1] === HIGHEST) return "version " + need[0] + " or later";
    return need[0] === need[1] ? "version " + need[0] : "one of the versions " + shown(need);
  }
  function highest(client, broker, key, both) {
    var sides = client ? [broker, client] : [broker], passed = [], old = null;
    function has(version, mark) {
      return sides.some(function (side) { return within(version, side[mark][key]); });
    }
    for (var version = both[1]; version >= both[0]; version--) {
      var mark = PASSED_OVER.filter(has.bind(null, version))[0];
      if (mark) passed.push({ version: version, mark: mark });
      else if (has(version, "deprecated")) old = old === null ? version : old;
      else return found(version, "used", passed);
    }
    if (old !== null) return found(old, "deprecated", passed.filter(function (item) { return item.version > old; }));
    var none_ = none("only_marked", { marks: told(passed) });
    none_.passed_over = passed;
    return none_;
  }
  function found(version, reason, passed) {
    return { version: version, reason: reason, words: filled(data.reasons[reason], { version: version }), passed_over: passed };
  }
  function told(passed) {
    return PASSED_OVER.map(function (mark) {
      var versions = passed.filter(function (item) { return item.mark === mark; }).map(function (item) { return item.version; });
      return versions.length ? numbers(versions) + (versions.length === 1 ? " is " : " are ") + data.mark_words[mark] : "";
    }).filter(Boolean).join(", ");
  }

  /* --- everything: the form wirebook/negotiation/1 --- */

  function negotiate(clientJson, brokersJson) {
    var client = clientJson ? prepared(clientJson) : null, brokers = brokersJson.map(prepared);
    var keys = {};
    brokers.concat(client || []).forEach(function (side) {
      Object.keys(side.versions || {}).forEach(function (key) { keys[key] = true; });
    });
    var known = client && client.versions;
    var apis = Object.keys(keys).map(Number).sort(function (a, b) { return a - b; }).map(function (key) {
      return api(client, brokers, key);
    });
    var counted = apis.filter(function (item) { return !known || item.client !== null; });
    var summary = {};
    Object.keys(STATES).forEach(function (state) {
      summary[state] = counted.filter(function (item) { return item.usable === state; }).length;
    });
    return {
      schema: "wirebook/negotiation/1", client: clientJson || null, brokers: brokersJson, apis: apis,
      features: (client ? client.features : []).map(function (item) { return feature(client, brokers, item); }),
      summary: summary
    };
  }
  function state(usable) {
    if (usable.length && usable.every(Boolean)) return "every";
    return usable.some(Boolean) ? "some" : "none";
  }
  function api(client, brokers, key) {
    var choices = brokers.map(function (broker) { return choose(client, broker, key); });
    var across = brokers.reduce(function (sofar, broker) { return common(sofar, broker.versions && broker.versions[key]); }, [0, HIGHEST]);
    var spoken = client && client.versions && client.versions[key];
    return {
      key: key, name: named(key, brokers.concat(client)), client: spoken ? shown(spoken) : null,
      usable: state(choices.map(function (choice) { return choice.version !== null; })),
      across: across && brokers.length ? shown(across) : null,
      version: brokers.length ? forAll(client, brokers, key, across) : null,
      pairs: choices.map(function (choice, place) {
        var served = brokers[place].versions && brokers[place].versions[key];
        return {
          broker: brokers[place].name, serves: served ? shown(served) : null, version: choice.version,
          reason: choice.reason, words: choice.words, passed_over: choice.passed_over
        };
      })
    };
  }
  function forAll(client, brokers, key, across) {
    var spoken = client && client.versions ? common(across, client.versions[key]) : across, old = null;
    for (var version = spoken ? spoken[1] : -1; spoken && version >= spoken[0]; version--) {
      var choices = brokers.map(function (broker) { return choose(client, broker, key, [version, version]); });
      if (choices.every(function (choice) { return choice.reason === "used"; })) return version;
      if (old === null && choices.every(function (choice) { return choice.version !== null; })) old = version;
    }
    return old;
  }
  function feature(client, brokers, item) {
    var rows = brokers.map(function (broker) {
      var ways = item.any.map(function (way) {
        var needs = Object.keys(way.needs).map(Number).sort(function (a, b) { return a - b; }).map(function (key) {
          var choice = choose(client, broker, key, parse(way.needs[key]));
          return {
            key: key, name: named(key, [broker, client]) || "key " + key, needs: way.needs[key],
            version: choice.version, reason: choice.reason, words: choice.words
          };
        });
        return { by: way.by || "", usable: needs.every(function (n) { return n.version !== null; }), needs: needs };
      });
      var good = ways.filter(function (way) { return way.usable; })[0];
      return { broker: broker.name, usable: Boolean(good), words: why(good, ways), ways: ways };
    });
    return {
      name: item.name, title: item.title || "", about: item.about || "",
      usable: state(rows.map(function (row) { return row.usable; })), brokers: rows
    };
  }
  function why(good, ways) {
    function lead(way, text) { return way.by ? way.by + ": " + text : text; }
    if (good) return lead(good, good.needs.map(function (n) { return n.name + " " + n.version; }).join(", "));
    return ways.map(function (way) {
      return lead(way, way.needs.filter(function (n) { return n.version === null; }).map(function (n) {
        return n.name + ": " + n.words;
      }).join("; "));
    }).join(". ");
  }

  /* --- the verdict of a pair, in words --- */

  var MOST = 12;

  /* {works, text, fallback}: what the client can do with one broker; null if the ranges of either are unknown. */
  function verdict(result, place) {
    var broker = result.brokers[place], client = result.client, between = data.between || [];
    if (!client || !client.versions || !broker.versions) return null;
    function works(item) { return item.pairs[place].version !== null; }
    var spoken = result.apis.filter(function (item) { return item.client !== null && between.indexOf(item.key) < 0; });
    var failing = spoken.filter(function (item) { return !works(item); }), core = [], can = [], cannot = [];
    (data.purposes || []).forEach(function (purpose) {
      var needed_ = spoken.filter(function (item) { return purpose.keys.indexOf(item.key) >= 0; });
      if (!needed_.length) return;
      core = core.concat(purpose.keys);
      (needed_.every(works) ? can : cannot).push(purpose);
    });
    var who = client.name + " works " + (cannot.length ? "only partly " : "") + "with " + described(broker) + ": it " + enumerated(can.map(function (each) { return each.does; }));
    if (!broker.asks) who = client.name + " cannot ask " + described(broker) + " for its versions, which have to be configured";
    else if (!can.length) who = client.name + " does not work with " + described(broker) + ": it cannot " + enumerated(cannot.map(function (each) { return each.cannot; }), "or");
    else if (cannot.length) who += " but cannot " + enumerated(cannot.map(function (each) { return each.cannot; }), "or");
    var rest = failing.filter(function (item) { return cannot.length || core.indexOf(item.key) < 0; }).map(function (item) { return item.name || "key " + item.key; });
    var more = rest.length - MOST, text = who;
    if (rest.length) text += "; " + (rest.length === 1 ? "this request does" : "these requests do") + " not work: " + rest.slice(0, MOST).join(", ") + (more > 0 ? " and " + more + " more" : "");
    return { works: can.length > 0 && !cannot.length, text: text.replace(/^your /, "Your ") + ".", fallback: fallback(result, place) };
  }
  function described(broker) {
    var parts = broker.name.split(" with ");
    return broker.kind === "file" ? "the broker " + broker.name : "a " + parts[0] + " broker" + (parts[1] ? " with " + parts[1] : "");
  }
  /* How a client finds the version of ApiVersions itself: KIP-511. */
  function fallback(result, place) {
    var api_ = result.apis.filter(function (item) { return item.key === 18; })[0], broker = result.brokers[place];
    if (!api_ || !api_.client || !broker.asks || !api_.pairs[place].serves) return "";
    var first = parse(api_.client)[1], served = parse(api_.pairs[place].serves)[1];
    if (first <= served) return "";
    return "ApiVersions itself falls back: the client first sends version " + first + ", the broker answers UNSUPPORTED_VERSION (35) in a response of version 0, and the client repeats the request in version " +
      (served >= 3 ? served + ", the highest in that response" : "0, because brokers before 2.4 name no range in it") + ".";
  }
  function enumerated(words, last) {
    if (words.length < 2) return words.join("");
    return words.slice(0, -1).join(", ") + " " + (last || "and") + " " + words[words.length - 1];
  }

  /* --- ranges as people write them --- */

  var ENTRY = /^([A-Za-z]\w*|\d{1,9})\s*(?:\((\d{1,9})\))?\s*(?::|=|\s)\s*(\d{1,9})(?:\s*(?:-|–|to)\s*(\d{1,9}))?(?:\s*\[usable: [^\]]*\])?$/;
  var TRIPLE = /^\(\s*(\d{1,9})\s*,\s*(\d{1,9})\s*,\s*(\d{1,9})\s*\)$/;
  var HEAD = /^([^\s,()]+?)(?:\s+\(id:[^)]*\))?\s*->\s*(?:\($)?/;

  function keyOf(text) {
    if (/^\d{1,9}$/.test(text)) {
      if (+text > HIGHEST) throw new Error("there is no API key " + text);
      return String(+text);
    }
    var key = Object.keys(data.names || {}).filter(function (name) { return name === text.toLowerCase(); }).map(function (name) { return data.names[name]; })[0];
    if (key === undefined) throw new Error("there is no API \"" + text.slice(0, 60) + "\"; or use its API key");
    return String(key);
  }
  function put(versions, key, part) {
    if (key in versions) throw new Error((data.apis[key] || "key " + key) + " appears twice");
    if (part) versions[key] = shown(part);
  }
  function read(text, name) {
    var sides = /^\s*[{[]/.test(text) ? fromJson(JSON.parse(text), name) : fromLines(text, name);
    return sides.map(settled);
  }
  function fromLines(text, name) {
    var sides = [], here = null;
    function begin(label) {
      if (sides.some(function (side) { return side.name === label; })) throw new Error(label + " appears twice");
      sides.push(here = { name: label, versions: {} });
    }
    text.split(/\r?\n/).forEach(function (line) {
      var rest = line.split("#")[0].trim(), head = HEAD.exec(rest);
      if (!rest || rest === ")") return;
      if (head) { begin(head[1]); rest = rest.slice(head[0].length); }
      (rest.match(/\s*\([^(),]*,[^(),]*,[^()]*\)|[^,;]+/g) || []).forEach(function (piece) {
        var entry = piece.trim().replace(/\s+/g, " "), match = TRIPLE.exec(entry), other = ENTRY.exec(entry);
        if (!entry || /^\w+\(\d+\):\s*UNSUPPORTED/.test(entry)) return;
        if (!here) begin(name);
        if (match) put(here.versions, keyOf(match[1]), range(+match[2], +match[3]));
        else if (other) put(here.versions, keyOf(other[2] || other[1]), range(+other[3], +(other[4] || other[3])));
        else throw new Error("\"" + entry.slice(0, 60) + "\" is not a range: write 0: 0-3, a line each");
      });
    });
    if (!sides.some(function (side) { return Object.keys(side.versions).length; })) throw new Error("there are no ranges: write 0: 0-3, a line each");
    return sides;
  }
  function fromJson(value, name) {
    if (value && Array.isArray(value.brokers)) {
      return value.brokers.map(function (item, place) { return sideOf(item, name + "-" + place); });
    }
    return [sideOf(value, name)];
  }
  function sideOf(value, name) {
    var inner = value && (value.versions !== undefined || value.features !== undefined);
    var side = { name: (inner && value.name) || name, versions: null };
    var written = inner ? value.versions : value;
    if (written) side.versions = ranges(written);
    else if (!inner || !value.features) throw new Error("\"versions\" holds the ranges");
    if (inner) {
      MARKS.forEach(function (mark) {
        Object.keys(value[mark] || {}).forEach(function (key) {
          (side[mark] = side[mark] || {})[keyOf(key)] = list(value[mark][key]).map(shown).join(", ");
        });
      });
      if (value.features) side.features = features(value.features);
    }
    return side;
  }
  function ranges(value) {
    var versions = {};
    function ends(item) {
      return Array.isArray(item) && item.length === 2 ? range(item[0], item[1]) : parse(item);
    }
    function entries(items) {
      items.forEach(function (item) {
        var fields = {};
        if (Array.isArray(item)) fields = { apikey: item[0], minversion: item[1], maxversion: item[2] };
        else Object.keys(item || {}).forEach(function (key) { fields[key.replace(/_/g, "").toLowerCase()] = item[key]; });
        if (fields.apikey === undefined || fields.minversion === undefined || fields.maxversion === undefined) throw new Error("an entry of the list is [key, lowest, highest]");
        put(versions, keyOf(String(fields.apikey)), range(fields.minversion, fields.maxversion));
      });
    }
    if (Array.isArray(value)) entries(value);
    else if (value && typeof value === "object") {
      var body = Object.keys(value).filter(function (key) { return key.replace(/_/g, "").toLowerCase() === "apikeys"; })[0];
      if (body && Array.isArray(value[body])) entries(value[body]);
      else Object.keys(value).forEach(function (key) { put(versions, keyOf(key), ends(value[key])); });
    } else throw new Error("these are not ranges");
    return versions;
  }
  function features(value) {
    function way(item) { return item.needs ? { by: item.by || "", needs: ranges(item.needs) } : { by: "", needs: ranges(item) }; }
    function ways(item) {
      var several = Array.isArray(item) && item.length && item.every(function (each) { return each && !Array.isArray(each) && typeof each === "object"; });
      return several ? item.map(way) : [{ by: "", needs: ranges(item) }];
    }
    if (Array.isArray(value)) {
      return value.map(function (item) { return { name: item.name, title: item.title || "", about: item.about || "", any: ways(item.any || item.needs) }; });
    }
    return Object.keys(value).map(function (name) { return { name: name, title: "", about: "", any: ways(value[name]) }; });
  }

  /* What is deprecated above a version that is not came along with a backport: it is not to be used. */
  function settled(side) {
    var made = { name: side.name, kind: "file", from: "what was pasted", asks: true, versions: side.versions };
    MARKS.forEach(function (mark) { if (side[mark]) made[mark] = Object.assign({}, side[mark]); });
    if (side.features) made.features = side.features;
    Object.keys(made.deprecated || {}).forEach(function (key) {
      var there = side.versions && side.versions[key] ? parse(side.versions[key]) : null, marked = list(made.deprecated[key]);
      var old = [], later = [];
      for (var version = there ? there[0] : 0; there && version <= there[1]; version++) {
        if (!within(version, marked)) continue;
        (version === there[0] + old.length ? old : later).push(version);
      }
      if (old.length) made.deprecated[key] = numbers(old); else delete made.deprecated[key];
      if (later.length) (made.avoid = made.avoid || {})[key] = [(made.avoid || {})[key], numbers(later)].filter(Boolean).join(", ");
    });
    return made;
  }

  /* A broker that somebody pasted has the marks of the newest documentation besides its own. */
  function documented(side) {
    var made = Object.assign({}, side);
    Object.keys(data.marks).forEach(function (mark) {
      made[mark] = Object.assign({}, side[mark]);
      Object.keys(data.marks[mark]).forEach(function (key) {
        if (!side.versions || !side.versions[key]) return;
        var there = parse(side.versions[key]), more = [];
        for (var version = there[0]; version <= there[1]; version++) if (within(version, list(data.marks[mark][key]))) more.push(version);
        var own = made[mark][key] ? [made[mark][key]] : [];
        if (more.length) made[mark][key] = own.concat(numbers(more)).join(", ");
      });
    });
    return Object.assign({}, settled(made), { from: side.from });
  }

  /* Which releases answer so: peers/likeness.py, but only for the listener that most clients meet. */
  function likeness(side) {
    var here = side.versions || {}, best = null, exact = [];
    data.brokers.slice().reverse().forEach(function (broker) {
      if (!broker.asks) return;
      var keys = Object.keys(Object.assign({}, here, broker.versions)).map(Number).sort(function (a, b) { return a - b; });
      var differences = keys.filter(function (key) { return here[key] !== broker.versions[key]; }).map(function (key) {
        var name = data.apis[key] || "key " + key;
        if (!here[key]) return "no " + name;
        return name + " " + here[key] + (broker.versions[key] ? ", not " + broker.versions[key] : " besides");
      });
      if (!differences.length) exact.push(broker.name);
      var listed = keys.filter(function (key) { return here[key] && here[key] !== broker.versions[key]; }).length;
      var distance = listed * 100000 + differences.length;
      if (!best || distance < best.distance) best = { release: broker.name, differences: differences, distance: distance };
    });
    if (best) delete best.distance;
    return { exact: exact, nearest: exact.length ? null : best };
  }
  function likenessWords(side) {
    var like = likeness(side);
    if (like.exact.length) return side.name + " answers exactly as " + like.exact.join(" or ") + ".";
    if (!like.nearest) return "";
    var more = like.nearest.differences.length - 4;
    return side.name + " answers as no release does; nearest is " + like.nearest.release + ": " +
      like.nearest.differences.slice(0, 4).join("; ") + (more > 0 ? "; " + more + " more" : "") + ".";
  }

  window.wirebookNegotiation = {
    dashed: dashed,
    use: function (given) { data = given; }, negotiate: negotiate, verdict: verdict, read: read, documented: documented, likeness: likeness
  };

  /* --- the page --- */

  /* Ranges as all pages write them: docgen/render/kit/dashes.py, with which a test compares this. */
  function dashed(text) {
    return text.replace(/(?<![\w./#+"'-])(?<!&#34;|&#39;|&quot;|&#x27;)(\d{1,5})-(\d{1,5})(?![\w/-]|\.\d)/g, function (whole, low, high) {
      return +low < +high ? low + "\u2013" + high : whole;
    });
  }
  function element(name, attributes, children) {
    var made = document.createElement(name);
    Object.keys(attributes || {}).forEach(function (key) { made.setAttribute(key, attributes[key]); });
    [].concat(children || []).forEach(function (child) { made.append(typeof child === "string" ? dashed(child) : child); });
    return made;
  }
  function byId(list_, id) { return list_.filter(function (item) { return item.id === id; })[0]; }

  function start() {
    var source = document.getElementById("wb-negotiation-data"), form = document.getElementById("wb-negotiate");
    if (!source || !form) return;
    data = Object.assign(JSON.parse(source.textContent), JSON.parse(form.dataset.roles));
    var out = document.getElementById("wb-negotiate-result"), status = document.getElementById("wb-negotiate-status");
    var client = form.elements.client, own = form.elements.ranges, others = form.elements.own, missing = "";
    data.clients.forEach(function (item) { client.append(element("option", { value: item.id }, item.name)); });

    function boxes() { return Array.prototype.slice.call(form.querySelectorAll("input[name=broker]")); }

    function show() {
      var fragment = new URLSearchParams(location.hash.slice(1));
      missing = "";
      if (!fragment.has("client") && !fragment.has("broker") && !fragment.has("own")) return;
      var named = fragment.get("client") || "";
      client.value = named === "own" || byId(data.clients, named) ? named : "";
      own.value = fragment.get("ranges") || "";
      others.value = fragment.get("own") || "";
      if (others.value) others.closest("details").open = true;
      var wanted = fragment.getAll("broker");
      boxes().forEach(function (box) { box.checked = wanted.indexOf(box.value) >= 0; });
      missing = (named === client.value ? [] : ["client \u201c" + named.slice(0, 60)]).concat(wanted.filter(function (name) {
        return !byId(data.brokers, name);
      }).slice(0, 5).map(function (name) { return "release \u201c" + name.slice(0, 20); })).map(function (words) { return "There is no " + words + "\u201d here. "; }).join("");
    }
    function keep() {
      var fragment = new URLSearchParams();
      if (client.value) fragment.set("client", client.value);
      if (client.value === "own" && own.value.trim()) fragment.set("ranges", own.value);
      boxes().forEach(function (box) { if (box.checked) fragment.append("broker", box.value); });
      if (others.value.trim()) fragment.set("own", others.value);
      history.replaceState(null, "", "#" + fragment.toString());
    }
    function judge() {
      form.querySelector(".wb-own").hidden = client.value !== "own";
      try {
        var speaking = client.value === "own" ? (own.value.trim() ? read(own.value, "your client")[0] : null) : byId(data.clients, client.value) || null;
        var brokers = boxes().filter(function (box) { return box.checked; }).map(function (box) { return byId(data.brokers, box.value); });
        if (others.value.trim()) brokers = brokers.concat(read(others.value, "yours").map(documented));
        if (!brokers.length) return say("Choose at least one broker.", []);
        var result = negotiate(speaking, brokers);
        var verdicts = brokers.map(function (_, place) { return verdict(result, place); }).filter(Boolean);
        say(verdicts.length ? verdicts.map(function (each) { return each.text; }).join(" ") : sentence(result), report(result, verdicts));
      } catch (error) {
        say(error instanceof SyntaxError ? "This is not valid JSON: " + error.message : error.message, []);
      }
    }
    function say(text, parts) { status.textContent = missing + text; out.replaceChildren.apply(out, parts); }

    form.addEventListener("input", function () { missing = ""; keep(); judge(); });
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    form.addEventListener("reset", function () { setTimeout(function () { missing = ""; keep(); judge(); }); });
    window.addEventListener("hashchange", function () { show(); judge(); });
    show();
    judge();
  }

  function isBetween(item) { return (data.between || []).indexOf(item.key) >= 0; }
  /* The APIs of the client, or, without one, of the brokers. */
  function compared(result) {
    var known = result.client && result.client.versions;
    return result.apis.filter(function (item) { return !known || item.client !== null; });
  }
  /* Those that a client sends: its verdict counts the same ones. */
  function sent(result) { return compared(result).filter(function (item) { return !isBetween(item); }); }
  function sentence(result) {
    var many = result.brokers.length > 1, known = result.client && result.client.versions, apis = sent(result);
    var counts = Object.keys(STATES).map(function (each) {
      return { state: each, count: apis.filter(function (item) { return item.usable === each; }).length };
    }).filter(function (each) { return each.count; }).map(function (each) {
      return each.count + " " + (many ? STATES[each.state] : each.state === "none" ? "not usable" : "usable");
    });
    var deaf = known ? [] : result.brokers.filter(function (broker) { return !broker.asks; }).map(function (broker) { return broker.name; });
    return "Of the " + (apis.length === 1 ? "1 API" : apis.length + " APIs") + " that " + (known ? "this client sends" : "clients send") + ": " + (counts.join(", ") || "none") + "." +
      (deaf.length ? " " + deaf.join(" and ") + " cannot be asked: the versions would have to be configured." : "");
  }
  function badge(kind, text) { return element("span", { "class": "wb-b wb-" + kind }, text); }
  function table(caption, head, rows) {
    var body = element("tbody", {}, rows);
    var titles = element("tr", {}, head.map(function (title) { return element("th", { scope: "col" }, title); }));
    return element("div", { "class": "wb-scroll", tabindex: "0", role: "region", "aria-label": caption },
      element("table", { "class": "wb-table wb-pairs" }, [element("caption", {}, caption), element("thead", {}, titles), body]));
  }
  function cell(pair) {
    var made = element("td");
    if (pair.version === null) made.append(badge("removed", "no"), " ", element("small", {}, pair.words));
    else {
      made.append(element("strong", {}, String(pair.version)), element("small", {}, " of " + pair.serves));
      if (pair.reason === "deprecated") made.append(" ", badge("deprecated", "deprecated"));
      pair.passed_over.slice(0, 3).forEach(function (item) {
        made.append(" ", badge("unstable", item.version + " " + data.mark_words[item.mark]));
      });
    }
    return made;
  }
  function report(result, verdicts) {
    var known = result.client && result.client.versions, many = result.brokers.length > 1, parts = [];
    verdicts.filter(function (each) { return each.fallback; }).forEach(function (each) {
      if (!parts.some(function (part) { return part.textContent === dashed(each.fallback); })) parts.push(element("p", {}, each.fallback));
    });
    var names = result.brokers.map(function (broker) { return broker.name; });
    if (result.client && result.client.from) parts.push(element("p", {}, result.client.name + ": " + result.client.from));
    result.brokers.filter(function (broker) { return broker.kind === "file" && broker.versions; }).forEach(function (broker) {
      parts.push(element("p", {}, likenessWords(broker)));
    });
    if (result.features.length) {
      parts.push(table("Features", ["Feature"].concat(names), result.features.map(function (item) {
        var title = element("th", { scope: "row" }, item.title || item.name);
        if (item.title) title.append(" ", element("small", {}, item.name));
        return element("tr", {}, [title].concat(item.brokers.map(function (row) {
          return element("td", {}, [badge(row.usable ? "added" : "removed", row.usable ? "yes" : "no"), " ", element("small", {}, row.words)]);
        })));
      })));
    }
    var rank = { none: 0, some: 1, every: 2 };
    function failuresFirst(a, b) { return rank[a.usable] - rank[b.usable] || a.key - b.key; }
    function apis(caption, some) {
      return table(caption, ["API"].concat(known ? ["Client"] : [], names, many ? ["One version for all"] : []), some.map(function (item) {
        var title = element("th", { scope: "row" }, [item.name || "?", " ", element("small", {}, String(item.key))]);
        return element("tr", {}, [title].concat(
          known ? [element("td", {}, item.client)] : [], item.pairs.map(cell),
          many ? [element("td", {}, item.version === null ? "–" : String(item.version))] : []));
      }));
    }
    var clients = sent(result).sort(failuresFirst);
    var nodes = compared(result).filter(isBetween).sort(failuresFirst);
    if (verdicts.length) parts.push(element("p", {}, sentence(result)));
    parts.push(apis(known ? "Client APIs, failures first" : "APIs that clients use, those that a broker lacks first", clients));
    if (nodes.length) {
      var about = "Not counted: " + nodes.length + (nodes.length === 1 ? " API" : " APIs") + " that only brokers and controllers send";
      parts.push(element("details", { "class": "wb-plain" }, [element("summary", {}, about), apis("Requests between brokers and controllers", nodes)]));
    }
    var silent = result.apis.filter(function (item) { return known && item.client === null; });
    if (silent.length) {
      parts.push(element("p", {}, "Served, but not supported by the client: " +
        silent.map(function (item) { return item.name || "key " + item.key; }).join(", ") + "."));
    }
    return parts;
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
