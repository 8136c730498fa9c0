/* The search: things of the protocol by name, then those whose whole name is among the words of a query, then by misspelt
   names, then the places whose text has all words, then those that have the rarest of them; best first, from search-data.js, which is loaded when the search is first opened. `search` needs no document, so that tests call what
   readers use. docgen/render/search/ writes the index. */
var wirebookSearch = (function () {
  "use strict";

  const GROUPS = {
    answer: "Answer", api: "APIs", version: "Versions", error: "Error codes", field: "Fields", value: "Values of fields", kip: "KIPs", issue: "Issues",
    release: "Releases", level: "Protocol levels", message: "Other messages", type: "Types", page: "Pages", rule: "Rules", text: "In the text", some: "Some of the words",
  };
  const LIFT = { api: 60, error: 50, kip: 45, page: 40, release: 40, type: 30, version: 25, field: 20, level: 20, rule: 20, message: 15, issue: 10, value: 5, text: 0, some: 0 };
  const LONGEST = 200, LONGEST_TRACE = 10000, WORDS = 24, FEW = 6, MANY = 10, SHOWN = 6, AT_ONCE = 60;
  /* Scores: what the query names as a whole, a name without separators, a name that begins so, places in the text. */
  const EXACT = 900, ALIAS = 960, OWN = 60, BEGINS = 700, WORD_OF_API = 740, IN_TEXT = 160, SOME = 40, PARTLY = 100, WITHIN = 520, PHRASE = 2800;
  /* Words of a question that name nothing. */
  const IDLE = new Set(("a added an and any api apis are at broker brokers by can change changed changes client clients default deprecated did do does for from has have header headers how in is it " +
    "kafka key latest mean meaning means must new newest null nullable of on or please release releases removed request response retriable serve served serves since speak speaks support supported supports the to type version versions " +
    "was what when which who why with aiokafka confluent franz kafkajs librdkafka python rdkafka sarama").split(" "));
  /* Words between two versions or releases, and words that ask for bytes. */
  const COMPARING = new Set("against and between compare compared comparing comparison diff differ difference differences differs from migrate migrating new old one to upgrade upgrading versus vs with".split(" "));
  const OF_BYTES = new Set("byte bytes dump encoded encoding example examples hex hexdump sample wire".split(" "));
  const OF_SCHEMAS = /^(fields?|schema|structure)$/i;
  const OF_PEERS = /^(brokers?|clients?|compat\w*|java|servers?|talk|work|works|working)$/i;
  const ASKING = new Set("a does is mean meaning of please the what".split(" "));
  const STOP = new Set(("a added adds an and are at brought by can cannot could did do does doesn don for from has have how i if in is isn it me my of on or our should tell than that the their there they this to " +
    "use used using versus vs was we were what when where which who why will with without won would you your").split(" "));

  /* The digits of `found` in the index, as in words.py. */
  const DIGITS = Array.from({ length: 92 }, (_, at) => String.fromCharCode(33 + at)).filter((digit) => !/["\\]/.test(digit)).join("");
  /* A configuration key is found as a whole: "gzip" is not compression.gzip.level. */
  const CONFIG = /^[a-z_]+(\.[a-z_]+)+$/;
  const LAST = 60, MORE = 30;

  /* A name without case and joints: TopicId and topic_id are one. A minus before a number stays. */
  function squash(text) {
    if (/^[a-z0-9]+$/i.test(text)) return text.toLowerCase();
    return text.toLowerCase().replace(/(^|[\s(_])-(?=\d)/g, "$1~").replace(/[^\p{L}\p{N}~]/gu, "");
  }
  function humps(text) {
    return text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/([A-Z])([A-Z][a-z])/g, "$1 $2").toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  }
  function anchor(text) { return text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "") || "x"; }
  function span(numbers) {
    return numbers.length < 2 || numbers[numbers.length - 1] - numbers[0] + 1 !== numbers.length ? numbers.join(", ") : numbers[0] + "\u2013" + numbers[numbers.length - 1];
  }

  /* --- the index, ready to be searched --- */

  function prepared(data) {
    const entries = [], byName = new Map(), byKey = new Map(), exact = new Map(), places = new Map(), pages = data.pages;
    function put(kind, title, detail, page, place, names, about, weight) {
      const entry = {
        kind, title, detail, page, place, weight, called: names, keys: new Set(names.filter((name) => CONFIG.test(name)).map(squash)), own: squash(title), names: names.map(squash), words: new Set([].concat(...names.filter((name) => !CONFIG.test(name)).map(humps))),
        context: about ? about.names : [], near: about ? about.words : new Set(),
      };
      entries.push(entry);
      if (kind !== "field" && kind !== "value") entry.names.forEach((name) => { if (name && !exact.has(name)) exact.set(name, entry); });
      const address = page + "#" + place;
      if (kind !== "field" && !places.has(address)) places.set(address, entry);
      return entry;
    }
    data.apis.forEach(function (api, number) {
      const isApi = "key" in api, keyed = isApi && api.key >= 0;
      api.page = pages[api.page];
      api.weight = api.gone ? 0 : isApi ? Math.max(5, 40 - 0.37 * api.key) : api.kind === "header" ? 45 : 5;
      api.numbers = api.versions.map((version) => version[0]).sort((a, b) => a - b);
      const range = api.gone ? "removed" : "versions " + (api.range || span(api.numbers));
      api.facts = [keyed ? "API key " + api.key : api.kind || "", range, api.about].filter(Boolean).join(" \u00b7 ");
      const also = api.also || [], called = [api.name].concat(api.names, also);
      const entry = put(isApi ? "api" : "message", api.name, api.facts, api.page, "", called, null, api.weight);
      entry.api = number;
      /* "delegation token" asks for CreateDelegationToken and others rather than for a value of this name. */
      if (isApi) entry.ends = new Set(humps(api.name).map((_, at, all) => all.slice(at).join("")).slice(1, -1));
      if (keyed) byKey.set(api.key, number);
      called.forEach(function (name) {
        /* Old names of APIs had requests and responses, too. */
        const both = isApi && /^[a-z]+$/i.test(name) && !/(request|response|exception)$/i.test(name) ? ["", "request", "response"] : [""];
        both.forEach(function (side) {
          if (!byName.has(squash(name + side))) byName.set(squash(name + side), number);
          if (side && !exact.has(squash(name + side))) { exact.set(squash(name + side), entry); entry.names.push(squash(name + side)); }
        });
      });
      api.versions.forEach((version) => places.set(api.page + "#v" + version[0], { title: api.name + " " + version[0], detail: version[1] }));
    });
    const fields = unnested(data.fields), contexts = new Map(), byField = new Map();
    /* The fields of a message share what they are found with. */
    function contextOf(message, names) {
      if (!contexts.has(message)) contexts.set(message, { names: names.map(squash), words: new Set([].concat(...names.map(humps))) });
      return contexts.get(message);
    }
    fields.forEach(function (row) {
      const api = data.apis[row[0]], path = row[2], side = ["request", "response", ""][row[1]], tag = row.length > 6 ? row[6] : null;
      const message = side ? api.name + side : api.name;
      const facts = [api.name + (side && " " + side), row[4], "versions " + row[5].replace(/-/g, "\u2013")].concat(tag === null ? [] : "tag " + tag);
      const own = [path.slice(path.lastIndexOf(".") + 1), path].concat(tag === null ? [] : "tag-" + tag);
      const entry = put("field", path, facts.join(" \u00b7 "), api.page, "", own, contextOf(row[0] + side, [api.name, message, side].concat(api.names)), api.weight - 2 * (path.split(".").length - 1) - row[1]);
      entry.row = row;
      entry.place = fieldPlace(row, row[3]);
      if (!byField.has(squash(own[0]))) byField.set(squash(own[0]), { name: own[0], apis: new Set() });
      byField.get(squash(own[0])).apis.add(row[0]);
    });
    data.aliases.forEach(function (pair) {
      const entry = entries[data.apis.length + pair[0]], name = squash(pair[1]);
      entry.alias = (entry.alias || []).concat(name);
      entry.called = entry.called.concat(pair[1]);
      entry.names.push(name);
      exact.set(name, entry);
    });
    data.snapshots.forEach(function (row) {
      row[1] = pages[row[1]];
      put("release", "Release " + row[0], "What changed, and which versions it has", row[1], "", [], null, 0).raw = row[0].toLowerCase();
    });
    const numbered = [], headings = [];
    Object.keys(data.things).forEach(function (kind) {
      data.things[kind].forEach(function (row) {
        /* "KIP-516" at Fetch 13: titled when all places have their titles. */
        if (row.length === 5 && /^(KIP|KAFKA)-\d+$/.test(row[0])) numbered.push([kind, row]);
        else if (row[5] === 0) headings.push([kind, row]);
        else thing(kind, row, row[0], row[3], row.slice(5));
      });
    });
    function thing(kind, row, title, detail, called) {
      let names = called.length ? called : [row[0]];
      if (kind === "value") {
        /* "IsolationLevel 1: READ_COMMITTED" */
        const [, field, number, name] = title.match(/^(\S+) (-?\d+): (.*)$/s) || [title, title, "", title];
        names = [field + " " + number, field + " " + name].concat(/[_-]/.test(name) ? name : []);
      }
      const entry = put(kind, title, detail, pages[row[1]], row[2], names, null, row[4]);
      if (kind === "value" && entry.names.length > 2) entry.bare = entry.names[2];
      if (kind === "level") { entry.raw = row[0].toLowerCase(); entry.names = []; }
      if (/^(kip|issue|page)$/.test(kind)) humps(title + " " + detail).forEach((word) => entry.near.add(word));
    }
    headings.forEach(function (pair) {
      const row = pair[1], page = places.get(pages[row[1]] + "#");
      thing(pair[0], row, row[0], page ? page.title : "", [row[0], row[2]]);
    });
    numbered.forEach(function (pair) {
      const row = pair[1], place = places.get(pages[row[1]] + "#" + row[2]);
      thing(pair[0], row, row[0] + (place ? ": " + place.title : ""), row[3] === 0 ? (place ? place.detail : "") : row[3], []);
    });
    return { data, entries, byName, byKey, byField, exact, places, fields, common: new Set(data.common.split(" ")), vocabulary: null, text: null, inner: null, innerWords: null, names: null };
  }
  /* The rows [API, side, path, newest version, type, versions, tag] of fields; "2Name" is in the second struct of the path before. */
  function unnested(rows) {
    let message = [], path = [];
    return rows.map(function (row) {
      if (typeof row[0] === "number") { message = row.slice(0, 2); path = []; }
      const [text, ...facts] = typeof row[0] === "number" ? row.slice(2) : row, shared = parseInt(text, 10) || 0;
      path = path.slice(0, shared).concat(text.replace(/^\d+/, "").split("."));
      return [...message, path.join("."), ...facts];
    });
  }
  function fieldPlace(row, version) { return "v" + version + ["-", "-response-", "-"][row[1]] + anchor(row[2]); }

  /* --- what a query asks for --- */

  function tokensOf(query) {
    const tokens = query.slice(0, LONGEST).normalize("NFKC").replace(/\b(v?\d{1,2})(?:-|\.\.+|\u2013|->|\u2192)(v?\d{1,2})(?=\s|$)/g, "$1 $2").split(/[\s,;:/()[\]{}"'`=?!|<>]+/).filter(Boolean).slice(0, WORDS)
      .map((token) => /^0x[0-9a-f]{1,8}$/i.test(token) ? String(signed(parseInt(token, 16))) : token);
    /* "tag 1" and "version 3" are one word each. */
    const made = [];
    tokens.forEach(function (token) {
      const last = made[made.length - 1];
      if (/^\d+$/.test(token) && /^(tag|kip|kafka)$/i.test(last || "")) made[made.length - 1] = last + "-" + token;
      else made.push(token);
    });
    return made;
  }
  /* ff ff is -1: numbers of APIs, errors and versions are of two bytes. */
  function signed(number) { return number > 0x7fff && number <= 0xffff ? number - 0x10000 : number; }
  function snapshotsOf(index, token) {
    const wanted = token.toLowerCase();
    if (!/^\d+\.\d/.test(wanted)) return [];
    const found = [];
    index.data.snapshots.forEach(function (row, number) {
      const name = row[0].toLowerCase();
      if (name === wanted || name + ".0" === wanted || name.startsWith(wanted + ".") || name.startsWith(wanted + "-")) found.push(number);
    });
    return found;
  }
  /* The APIs that a query names, each with the words that are left: by whole names, or else by their beginning. */
  function named(index, tokens) {
    let header = null;
    for (let length = Math.min(tokens.length, 5); length; length--) {
      for (let from = 0; from + length <= tokens.length; from++) {
        const name = squash(tokens.slice(from, from + length).join(""));
        const rest = tokens.slice(0, from).concat(tokens.slice(from + length));
        const at = index.byName.get(name);
        /* "request header Produce 9" is about Produce. */
        if (at !== undefined && index.data.apis[at].kind === "header") header = header || [[at, rest, true]];
        else if (at !== undefined) return [[at, rest, true]];
        const parts = length === 1 && name.match(/^(.*?[a-z])v?(\d+)$/);
        if (parts && index.byName.has(parts[1])) return [[index.byName.get(parts[1]), rest.concat(parts[2]), true]];
      }
    }
    if (header) return header;
    const begun = squash(tokens[0] || "");
    if (begun.length < 3 || IDLE.has(begun)) return [];
    const found = index.data.apis.map((api, number) => [number, squash(api.name)]).filter((pair) => pair[1].startsWith(begun));
    found.sort((a, b) => index.data.apis[b[0]].weight - index.data.apis[a[0]].weight);
    return found.slice(0, 2).map((pair) => [pair[0], tokens.slice(1), false]);
  }

  function inReleases(index, number, token, snapshots) {
    const api = index.data.apis[number], rows = index.data.snapshots;
    const served = snapshots.map(function (at) {
      const run = api.served.find((item) => item[0] <= at && at <= item[1]);
      return run ? run[2] : "";
    });
    const same = served.every((words) => words === served[0]);
    return (same ? [0] : snapshots.map((_, place) => place)).map(function (place) {
      const name = same ? token : rows[snapshots[place]][0], words = served[place];
      const parts = words.split("; ");
      return {
        kind: "answer", title: api.name + " in " + name + ": " + (words ? (/^\d+$/.test(parts[0]) ? "version " : "versions ") + parts[0] : "not served"),
        detail: parts.slice(1).join("; ") || "The history of " + api.name, page: api.page, place: "versions", score: 3000 - place,
      };
    });
  }
  function versionOf(index, number, version, score) {
    const api = index.data.apis[number], found = api.versions.find((item) => item[0] === version);
    if (!found) {
      return [{
        kind: "answer", title: api.name + " has no version " + version, detail: "Its versions are " + (api.range || span(api.numbers)), page: api.page, place: "", score: score,
      }];
    }
    const title = api.name + " version " + version;
    return [
      { kind: "version", title: title, detail: found[1], page: api.page, place: "v" + version, score: score },
      { kind: "version", title: title + " in bytes", detail: "Hex, grammar and fields", page: api.page + "v" + version + "/", place: "", score: score - 1 },
    ];
  }

  /* "3.9 vs 4.0", "2.4 broker with 4.0 client": the pages that compare two releases, or a client and a broker. */
  function twoReleases(index, tokens) {
    const found = [], named = [], roles = [];
    for (const [at, token] of tokens.entries()) {
      const there = snapshotsOf(index, token.replace(/^v(?=\d)/i, ""));
      if (there.length) {
        const name = token.replace(/^v(?=\d)/i, "").toLowerCase(), names = there.map((place) => index.data.snapshots[place][0]);
        named.push({ at, name: names.find((each) => each === name || each === name + ".0") || names[0] });
      } else if (/^(clients?|brokers?|servers?)$/i.test(token)) roles.push({ at, client: /^c/i.test(token) });
      else if (!IDLE.has(token.toLowerCase()) && !STOP.has(token.toLowerCase()) && !COMPARING.has(token.toLowerCase()) && !OF_PEERS.test(token)) return found;
    }
    if (named.length !== 2 || named[0].name === named[1].name) return found;
    const [first, second] = named, peers = tokens.some((token) => OF_PEERS.test(token));
    if (peers && index.places.has("negotiate/#")) {
      /* Words before the releases or after them. */
      const before = roles.length && roles[0].at < first.at, role = roles[0];
      const ofFirst = role && (before || role.at < second.at);
      const client = !role || role.client === Boolean(ofFirst) ? first.name : second.name, broker = client === first.name ? second.name : first.name;
      const short = (name) => name.split(".").slice(0, 2).join(".");
      found.push({ kind: "answer", title: "Java client " + short(client) + " with broker " + short(broker), detail: index.places.get("negotiate/#").title, page: "negotiate/", place: "client=java-" + short(client) + "&broker=" + short(broker), score: 3200 });
    }
    if (index.places.has("compare/#")) {
      found.push({ kind: "answer", title: "Compare " + first.name + " with " + second.name, detail: "APIs and versions added, changed and removed", page: "compare/", place: "from=" + first.name + "&to=" + second.name, score: 3100 });
    }
    return found;
  }

  /* Bytes in hexadecimal, from those of a header up to those of a link, for the decoder: with their length, if they begin with it. */
  function inHex(index, query) {
    const digits = query.replace(/0x|\\x|[\s:,]/gi, "").toLowerCase();
    if (!/^([0-9a-f]{2}){8,1000}$/.test(digits) || !/^00|[a-f]/.test(digits) || !index.places.has("decode/#")) return [];
    const framed = parseInt(digits.slice(0, 8), 16) === digits.length / 2 - 4;
    return [{ kind: "answer", title: "Decode these bytes", detail: digits.length / 2 + " bytes, with " + (framed ? "length and header" : "a header"), page: "decode/", place: "with=" + (framed ? "length,header" : "header") + "&hex=" + digits, score: 3200 }];
  }
  /* What follows from the query as a whole. */
  function direct(index, tokens) {
    const found = [], words = (tokens.filter((token) => !ASKING.has(token.toLowerCase())).join(" ") || tokens.join(" ")).toLowerCase().trim();
    const number = (words.match(/^(?:(?:api ?)?key[ #]?)?(\d{1,5})$/) || [])[1];
    if (number !== undefined && index.byKey.has(Number(number))) {
      const api = index.data.apis[index.byKey.get(Number(number))];
      found.push({ kind: "api", title: api.name, detail: api.facts, page: api.page, place: "", score: 2500 });
    }
    const bare = tokens.filter((token) => !IDLE.has(token.toLowerCase())).join(" ").toLowerCase();
    const code = (words.match(/^(?:(?:error|err|code|error code)[ #]?)?(-?\d{1,5})$/) || bare.match(/^(?:error|err|error code)[ #]?(-?\d{1,5})$/) || [])[1];
    if (code !== undefined) {
      const name = squash("error " + code);
      const known = index.entries.filter((entry) => entry.kind === "error" && entry.names.includes(name));
      /* Error codes are met in logs; the keys of old APIs are as well known. */
      known.forEach((entry) => found.push(Object.assign({}, entry, { score: !/^-?\d/.test(words) ? 2600 : Number(code) > 50 ? 2550 : 2400 })));
      if (!known.length && !/^-?\d/.test(words) && index.places.has("errors/#")) {
        found.push({ kind: "answer", title: "There is no error code " + code, detail: "All error codes", page: "errors/", place: "", score: 2600 });
      }
    }
    if (/^tags?(-\d+)?$/.test(words)) {
      index.entries.filter((entry) => entry.kind === "page" && entry.title === "Tags").forEach((entry) => found.push(Object.assign({}, entry, { score: 2000 })));
    }
    /* A field of many APIs: the row that lists them. A single word is rather the name of something else. */
    const uses = tokens.length === 1 && !tokens[0].includes(".") && index.byField.get(squash(tokens[0]));
    if (uses && uses.apis.size >= MANY && humps(uses.name).length > 1 && index.places.has("fields/#")) {
      found.push({ kind: "answer", title: "APIs with " + uses.name, detail: "Requests and responses with the field: versions and releases", page: "fields/", place: anchor(uses.name), score: 1100 });
    }
    found.push(...twoReleases(index, tokens));
    const kept = tokens.filter((token) => !IDLE.has(token.toLowerCase()));
    kept.forEach(function (token) {
      const there = snapshotsOf(index, token);
      there.slice(-6).reverse().forEach(function (at, place) {
        const row = index.data.snapshots[at], name = row[0].toLowerCase();
        /* The first release of a line is the one that changed the protocol. */
        const exact = name === token.toLowerCase() || name === token.toLowerCase() + ".0";
        found.push({ kind: "release", title: "Release " + row[0], detail: "What changed, and which versions are served", page: row[1], place: "", score: (kept.length === 1 ? 2300 : 1200) + (exact ? 50 : -place) });
      });
    });
    let about = null;
    named(index, tokens).forEach(function (pair, place) {
      const numbered = pair[1].some((token) => /^v?\d/i.test(token));
      const informing = pair[1].filter((token) => !IDLE.has(token.toLowerCase()) && !(pair[2] && numbered && COMPARING.has(token.toLowerCase())));
      const inBytes = pair[2] && informing.some((token) => OF_BYTES.has(token.toLowerCase()));
      const bare = informing.filter((token) => !OF_BYTES.has(token.toLowerCase()));
      const rest = inBytes && bare.every((token) => /^v?\d{1,5}$/i.test(token)) ? bare : informing;
      const versions = rest.map((token) => (token.match(/^v?(\d{1,5})$/i) || [])[1]).filter((item) => item !== undefined).map(Number);
      const api = index.data.apis[pair[0]];
      if (pair[2]) about = { api: pair[0], version: versions.length ? versions[0] : null, rest: rest.filter((token) => !/^v?\d{1,5}$/i.test(token)) };
      rest.forEach(function (token) {
        const there = snapshotsOf(index, token);
        if (there.length) found.push(...inReleases(index, pair[0], token, there).map((item) => Object.assign(item, { score: item.score - 100 * place })));
      });
      if (versions.length === 2 && rest.length === 2) {
        const ends = versions.slice().sort((a, b) => a - b);
        if (ends.every((version) => api.numbers.includes(version)) && index.places.has("compare/#")) {
          const slug = api.page.match(/([^/]+)(\/|\.html|\/index\.html)$/)[1];
          found.push({ kind: "answer", title: "Compare " + api.name + " " + ends[0] + " with " + ends[1], detail: "What differs in the request and the response", page: "compare/", place: "api=" + slug + "&from=" + ends[0] + "&to=" + ends[1], score: 2950 - 100 * place });
        }
        ends.reverse().forEach((version, at) => found.push(...versionOf(index, pair[0], version, 2900 - 100 * place - 10 * at).slice(0, 1)));
      }
      if (versions.length === 1 && rest.every((token) => /^v?\d{1,5}$/i.test(token) || OF_SCHEMAS.test(token))) {
        const both = versionOf(index, pair[0], versions[0], 2900 - 100 * place);
        if (inBytes && both.length > 1) both[1].score += 2;
        found.push(...both);
      }
      /* "Fetch hex" */
      if (inBytes && !rest.length && api.numbers.length && index.places.has(api.page + "#v" + api.numbers[api.numbers.length - 1])) {
        found.push(Object.assign(versionOf(index, pair[0], api.numbers[api.numbers.length - 1], 2750).pop(), { score: 2750 }));
      }
      if (pair[2] && api.errors && /^errors?( codes?)?$/i.test(rest.join(" "))) {
        found.push({ kind: "answer", title: "Errors of " + api.name, detail: "Cause and action for each error code", page: api.page, place: "errors", score: 2800 });
      }
      if (pair[2] && api.tags && rest.length === 1 && /^tags?$/i.test(rest[0])) {
        found.push({ kind: "answer", title: "Tags of " + api.name, detail: "Each tag with its struct, its field and its versions", page: api.page, place: "tags", score: 2800 });
      }
      /* "latest version of Produce", "ListOffsets -2". */
      if (pair[2] && !rest.length && tokens.length > 1) {
        const own = index.entries.find((entry) => entry.page === api.page && !entry.place && entry.title === api.name);
        if (own) found.push(Object.assign({}, own, { score: 2700 }));
      }
      /* "produce acks 0": the value rather than the field in version 0. */
      if (pair[2] && rest.length > 1) {
        const joined = squash(rest.join(" "));
        index.entries.filter((entry) => entry.kind === "value" && entry.page === api.page && entry.names.includes(joined))
          .forEach((entry) => found.push(Object.assign({}, entry, { score: 2860 })));
      }
      if (pair[2] && rest.length === 1 && /^-\d+$/.test(rest[0])) {
        index.entries.filter((entry) => entry.kind === "value" && entry.page === api.page && entry.title.includes(" " + rest[0] + ":"))
          .forEach((entry) => found.push(Object.assign({}, entry, { score: 2850 })));
      }
    });
    return [found, about];
  }

  /* --- how well an entry answers --- */

  function byNames(entry, joined) {
    let best = 0;
    if (entry.alias && entry.alias.includes(joined)) return ALIAS;
    for (const name of entry.names) {
      if (name === joined) return name === entry.bare ? 620 : EXACT + (entry.kind === "message" && entry.own === joined ? OWN : 0);
      if (joined.length < 2) continue;
      if (name.startsWith(joined)) best = Math.max(best, BEGINS - Math.min(60, 2 * (name.length - joined.length)));
      else if (joined.length > 2 && best < 300 && !entry.keys.has(name) && name.includes(joined)) best = 300;
    }
    if (entry.ends && (entry.ends.has(joined) || entry.ends.has(joined + "s"))) return Math.max(best, WORD_OF_API);
    if (joined.length > 1) {
      for (const word of entry.words) {
        if (word === joined || word === joined + "s" || word + "s" === joined) return Math.max(best, entry.ends ? WORD_OF_API : 560);
        if (best < 460 && word.startsWith(joined)) best = 460;
      }
    }
    return best;
  }
  function byWord(entry, word) {
    if (entry.names.includes(word)) return 1;
    if (entry.words.has(word)) return 0.8;
    if (entry.context.includes(word)) return 0.8;
    if (entry.near.has(word) || entry.near.has(stem(word)) || entry.near.has(word + "s")) return 0.6;
    /* 12 is not 1206. */
    if (word.length < 2 || /^~?\d+$/.test(word)) return 0;
    if (entry.names.some((name) => name.startsWith(word))) return 0.6;
    for (const own of entry.words) if (own.startsWith(word)) return 0.5;
    if (word.length < 3) return 0;
    if (entry.context.some((name) => name.startsWith(word))) return 0.3;
    return entry.names.some((name) => name.includes(word)) ? 0.3 : 0;
  }
  function scored(entry, joined, words) {
    let score = byNames(entry, joined);
    if (words.length > 1 && words.length <= FEW && score < 560) {
      let sum = 0, missed = 0, own = false;
      for (const word of words) {
        const match = byWord(entry, word);
        if (match) sum += match; else missed++;
        own = own || (match > 0 && (entry.words.has(word) || entry.names.some((name) => name.includes(word))));
      }
      if (own && !missed) score = Math.max(score, (entry.title.startsWith("APIs: ") ? 100 : 250) + 200 * (sum / words.length));
      /* Some of the words are less than all of them in the text. */
      else if (own && missed <= (words.length - 1) / 2 && missed < words.length - (entry.kind === "field" ? 1 : 0)) {
        score = Math.max(score, PARTLY * (sum / words.length) - 40 * missed);
      }
    }
    return score;
  }

  /* --- names inside a query --- */

  /* How much a word tells: the fewer places have it, the more. The length of its postings stands for their number. */
  function rarity(index, term) {
    const digits = textOf(index).get(term);
    return Math.log(2 + 2 * index.data.places.length / (1 + (digits ? digits.length : 0)));
  }
  /* "deleted" and "deleting" ask for DeleteTopics. */
  function root(word) { return word.length > 5 ? word.replace(/(ing|ed|e)$/, "") : word.replace(/e$/, ""); }
  /* The names of things by their rarest word, each with its words. */
  function innerOf(index) {
    if (index.inner) return index.inner;
    const inner = new Map();
    index.entries.forEach(function (entry) {
      if (entry.raw || entry.kind === "value" || /^(KIP|KAFKA)-/.test(entry.title) && entry.weight < 50) return;
      const seen = new Set();
      entry.called.forEach(function (name) {
        const words = [...new Set(telling(index, name))];
        /* "Partition" and "Name" are fields of many messages, and "Description" is a heading of many pages. */
        if (!words.length || seen.has(words.join(" "))) return;
        if (words.length < 2 && (entry.kind === "field" || (entry.weight === 10 && rarity(index, words[0]) < 5))) return;
        seen.add(words.join(" "));
        const key = words.reduce((best, word) => rarity(index, word) > rarity(index, best) ? word : best);
        if (!inner.has(root(key))) inner.set(root(key), []);
        inner.get(root(key)).push([entry, words, name.includes(" ") ? humps(name).length : 1]);
      });
    });
    index.inner = inner;
    return inner;
  }
  /* The things that have a name whose words are all in the query, by how much of what the query tells they are. */
  function within(index, kept) {
    const asked = informing(index, kept), found = [];
    if (kept.length < 2) return found;
    /* Words that name nothing tell less. */
    const total = asked.concat(foreign(index, kept)).reduce((sum, word) => sum + rarity(index, word) * (IDLE.has(word) ? 0.3 : textOf(index).has(word) ? 1 : 0.5), 0) || 1;
    const has = new Set(asked.map(root)), inner = innerOf(index), line = " " + telling(index, kept.join(" ")).join(" ") + " ";
    function take(entry, part) {
      /* A group of APIs, and a field of many messages, are less of an answer. */
      const less = entry.kind === "field" ? 60 : entry.title.startsWith("APIs: ") ? 150 : 0;
      const score = WITHIN * part + (LIFT[entry.kind] + entry.weight) * Math.min(1, 1.2 * part) - less;
      found.push(Object.assign({}, entry, { score }));
    }
    has.forEach((key) => (inner.get(key) || []).forEach(function (pair) {
      const [entry, words, length] = pair;
      if (!words.every((word) => has.has(root(word)))) return;
      const part = Math.min(1, words.reduce((sum, word) => sum + rarity(index, word), 0) / total), inRow = line.includes(" " + words.join(" ") + " ");
      /* A sentence of a log has the fixed part of a message in a row. */
      if (inRow && words.length > 1 && length > 2 && entry.weight > 49 && kept.length >= FEW) found.push(Object.assign({}, entry, { score: PHRASE + words.length }));
      else take(entry, part * ((words.length > 1 && inRow) || /^(api|error)$/.test(entry.kind) ? 1 : 0.8));
    }));
    /* Names without joints ("leaderepoch"), and the beginnings of names with them ("NOT_LEADER"). */
    kept.forEach(function (token) {
      const name = squash(token), words = humps(token).map(stem);
      if (name.length < 4 || IDLE.has(name) || /^~?\d+$/.test(name)) return;
      const part = Math.min(1, words.reduce((sum, word) => sum + rarity(index, word), 0) / Math.max(total, 1)), own = namesOf(index).get(name) || [];
      own.slice(0, 4).forEach((entry) => { if (entry.kind !== "value" && (entry.kind !== "field" || !textOf(index).has(stem(name)))) take(entry, 0.9 * part); });
      if (!own.length && words.length > 1 && name.length > 5) {
        index.entries.filter((entry) => /^(error|api)$/.test(entry.kind) && entry.names.some((each) => each.startsWith(name))).slice(0, 3).forEach((entry) => take(entry, 0.9 * part));
      }
    });
    return found;
  }
  function namesOf(index) {
    if (!index.names) {
      index.names = new Map();
      index.entries.forEach((entry) => { if (!entry.raw) entry.names.forEach((name) => index.names.set(name, (index.names.get(name) || []).concat(entry))); });
    }
    return index.names;
  }
  /* The words of a text, without those that every page has. */
  function telling(index, text) { return humps(text).filter((word) => word.length > 1 && !STOP.has(word) && !index.common.has(word)).map(stem); }
  /* The words of a query that the index has. */
  function informing(index, kept) {
    const text = textOf(index), known = innerWords(index);
    return [...new Set(telling(index, kept.join(" ")))].filter((word) => !/^\d{1,3}$/.test(word) && (text.has(word) || known.has(root(word))));
  }
  /* The words of a query that are nowhere in the reference. */
  function foreign(index, kept) {
    const text = textOf(index), known = innerWords(index);
    return [...new Set(telling(index, kept.join(" ")))].filter((word) => word.length > 2 && !/\d/.test(word) && !IDLE.has(word) && !text.has(word) && !known.has(root(word)));
  }
  function innerWords(index) {
    if (!index.innerWords) index.innerWords = new Set([].concat(...index.entries.map((entry) => [...entry.words])).map(stem).map(root));
    return index.innerWords;
  }

  /* --- names in what programs write --- */

  /* A class of Java or another language as a name: without its package, "Err" before it and "Error" after it. */
  function variants(name) {
    const bare = name.replace(/^RD_KAFKA_RESP_ERR_+/, "").replace(/^(Err|handle)(?=[A-Z])/, "").replace(/(Request|Response)Data$/, "$1");
    const stem = bare.replace(/(Exception|Error|Code)$/, "");
    return [name, bare, stem + "Exception", stem].map(squash);
  }
  /* What a stack trace or a log names: the last one is the cause. Words in lower case are sentences. */
  function traced(index, query) {
    const found = [];
    const names = query.slice(0, LONGEST_TRACE).match(/[A-Za-z_][\w.$]*/g) || [];
    if (names.length < 2 && !/[.$]/.test(query)) return found;
    names.forEach(function (path) {
      path.split(/[.$]/).forEach(function (name) {
        if (name.length < 5 || !/[a-z][A-Z]|[A-Z]_[A-Z]/.test(name)) return;
        const entry = variants(name).map((variant) => index.exact.get(variant)).find(Boolean);
        if (entry && entry.kind !== "rule" && entry.kind !== "kip") found.push(entry);
      });
    });
    return found.map((entry, at) => Object.assign({}, entry, { score: (entry.kind === "error" ? 2750 : 850) + Math.min(at, 40) }));
  }
  /* apiKey=FETCH, apiVersion=12; errorCode=27. */
  function logged(index, query) {
    const code = query.match(/\berror_?code\W{0,3}(-?\d{1,5})\b/i);
    if (code) return "error " + code[1];
    const key = query.match(/\bapi(?:[ _]?key)?[=:]\s?(\w+)/i) || query.match(/\S\s.*\bapi[ _]key (\d{1,3})\b/i), version = query.match(/\b(?:api_?)?version\W{0,3}(\d{1,5})\b/i);
    if (!key) return query;
    const at = index.byKey.get(Number(key[1]));
    return (at === undefined ? key[1] : index.data.apis[at].name) + (version ? " " + version[1] : "");
  }

  /* --- misspelt words --- */

  /* The edit distance, with two letters exchanged as one edit; more than `most` is most + 1. */
  function distance(one, other, most) {
    if (Math.abs(one.length - other.length) > most) return most + 1;
    let before = [], last = Array.from({ length: other.length + 1 }, (_, at) => at);
    for (let row = 1; row <= one.length; row++) {
      const next = [row];
      let least = row;
      for (let at = 1; at <= other.length; at++) {
        const same = one[row - 1] === other[at - 1];
        let cost = Math.min(last[at] + 1, next[at - 1] + 1, last[at - 1] + (same ? 0 : 1));
        if (row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1]) cost = Math.min(cost, before[at - 2] + 1);
        next[at] = cost;
        least = Math.min(least, cost);
      }
      if (least > most) return most + 1;
      before = last;
      last = next;
    }
    return last[other.length];
  }
  /* Every name and every word of one, with what it weighs and how it is written. */
  function vocabularyOf(index) {
    if (index.vocabulary) return index.vocabulary;
    const words = new Map();
    index.entries.forEach(function (entry) {
      const weight = LIFT[entry.kind] + entry.weight;
      entry.names.forEach((name) => add(name, weight + 20));
      entry.words.forEach((word) => add(word, weight));
    });
    textOf(index).forEach((_, word) => { if (word.length > 4 && !/\d/.test(word)) add(word, 0); });
    function add(word, weight) {
      if (word.length > 1 && word.length <= 60 && weight > (words.get(word) || -1)) words.set(word, weight);
    }
    index.vocabulary = words;
    return words;
  }
  function isKnown(index, word) {
    const words = vocabularyOf(index), text = textOf(index);
    if (word.length < 3 || /^~?v?\d+$/.test(word) || /^(kip|kafka)\d+$/.test(word) || IDLE.has(word) || STOP.has(word) || words.has(word) || text.has(stem(word))) return true;
    for (const name of words.keys()) if (name.startsWith(word) || (word.length > 4 && name.includes(word))) return true;
    return false;
  }
  /* The words within two edits, one in a short word, nearest first. */
  function nearest(index, word, most) {
    const found = [], letters = sorted(word);
    vocabularyOf(index).forEach(function (weight, name) {
      const edits = distance(word, name, most);
      /* Exchanged letters are likelier than other ones, and a wrong first letter is unlikely. */
      if (edits <= most) found.push({ name, edits: edits + (name[0] === word[0] ? 0 : 0.5) - (sorted(name) === letters ? 0.25 : 0), weight });
    });
    return found.sort((a, b) => a.edits - b.edits || b.weight - a.weight || (a.name < b.name ? -1 : 1));
  }
  function sorted(word) { return [...word].sort().join(""); }
  function mostEdits(word) { return word.length < 5 ? 1 : 2; }
  /* The query with each unknown word replaced by the nearest known one; null if there is nothing to replace. */
  function corrected(index, tokens) {
    let changed = false;
    const better = tokens.map(function (token) {
      const word = squash(token);
      if (isKnown(index, word)) return token;
      const parts = humps(token), whole = parts.length > 1 && parts.every((part) => isKnown(index, part));
      const first = nearest(index, word, whole ? 1 : mostEdits(word))[0];
      /* Of three letters, one that is another makes another word. */
      const same = first && (sorted(word) === sorted(first.name) || (tokens.length > 1 && word[0] === first.name[0]));
      if (!first || (word.length === 3 && !same)) return token;
      /* Among other words, a short one with two edits is likelier a word that the reference does not have. */
      if (tokens.length > 1 && first.edits >= 1.5 && word.length < 7) return token;
      if (tokens.length > FEW && word.length < 6) return token;
      changed = true;
      return first.name;
    });
    return changed ? better.join(" ") : null;
  }
  /* Names like a query to which there is no answer. */
  function suggestions(index, query) {
    const tokens = tokensOf(query), joined = squash(tokens.join("")), most = Math.min(4, Math.max(2, Math.floor(joined.length / 3)));
    if (joined.length < 3 || joined.length > 40) return [];
    const seen = new Set();
    return nearest(index, joined, most).concat(...tokens.map((token) => nearest(index, squash(token), mostEdits(token)).slice(0, 3)))
      .map((near) => { const entry = index.exact.get(near.name); return entry ? entry.title.replace(/ \(-?\d+\)$/, "") : near.name; })
      .filter((name) => !seen.has(name) && seen.add(name)).slice(0, 3);
  }

  /* --- the full text --- */

  function stem(word) { return word.length > 2 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word; }
  /* The words of a text as words.py has them. */
  function terms(index, text) { return humps(text).filter((word) => word.length > 1 && !index.common.has(word)).map(stem); }
  function textOf(index) {
    if (!index.text) {
      const found = index.data.found.split(" ");
      index.text = new Map(index.data.words.split(" ").map((word, at) => [word, found[at]]));
    }
    return index.text;
  }
  function unpacked(digits) {
    const numbers = [];
    let last = -1, step = 0, unit = 1;
    for (const digit of digits) {
      const value = DIGITS.indexOf(digit);
      if (value >= LAST) { step += (value - LAST) * unit; unit *= MORE; continue; }
      numbers.push(last += step + value * unit);
      step = 0;
      unit = 1;
    }
    return numbers;
  }
  /* The places that have all words, of the last one its beginning; if there are none, those that have the rarest words. */
  function inText(index, tokens) {
    const text = textOf(index);
    const wanted = [...new Set([].concat(...tokens.map(function (token) {
      const at = index.byName.get(squash(token));
      return terms(index, at === undefined ? token : index.data.apis[at].name);
    })))];
    if (!wanted.length) return [];
    const having = wanted.map(function (term, at) {
      if (text.has(term)) return unpacked(text.get(term));
      const begun = [];
      if (at === wanted.length - 1 && term.length > 2) text.forEach((digits, word) => { if (word.startsWith(term)) begun.push(...unpacked(digits)); });
      return begun;
    });
    const weights = wanted.map((term, at) => having[at].length && !IDLE.has(term) ? rarity(index, term) : having[at].length ? 0.5 : 0);
    const total = weights.reduce((sum, weight) => sum + weight, 0), counts = new Map();
    having.forEach((places, at) => new Set(places).forEach((place) => counts.set(place, (counts.get(place) || 0) + weights[at])));
    const complete = having.every((places) => places.length);
    const all = complete ? [...counts].filter((pair) => pair[1] > total - 0.01) : [];
    if (all.length) return all.map((pair) => placed(index, pair[0], wanted, weights, "text", IN_TEXT)).filter(Boolean);
    if (wanted.length < 2 || !total) return [];
    return [...counts].filter((pair) => pair[1] >= total / 2).sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, AT_ONCE)
      .map((pair) => placed(index, pair[0], wanted, weights, "some", SOME + 80 * pair[1] / total)).filter(Boolean);
  }
  function placed(index, number, wanted, weights, kind, score) {
    const row = index.data.places[number];
    if (typeof row === "number") {
      const entry = index.entries[index.data.apis.length + row];
      return { kind, title: entry.title, detail: entry.detail, page: entry.page, place: entry.place, score: score - number / 1e4 };
    }
    if (!row.length) return null;
    const page = index.data.pages[row[0]], known = index.places.get(page + "#" + row[1]), home = index.places.get(page + "#");
    const title = row[2] || (known ? known.title : ""), own = new Set(terms(index, title + " " + (row[1] && home ? home.title : "")));
    if (!title) return null;
    const named = wanted.reduce((sum, term, at) => sum + (own.has(term) ? weights[at] : 0), 0) / (weights.reduce((sum, weight) => sum + weight, 0) || 1);
    const detail = known && known.detail ? known.detail : home && home.title !== title ? home.title : "";
    /* Rules and history explain less of the protocol than guides do. */
    const aside = /^(rules|appendix)\//.test(page) ? 25 : 0;
    return { kind, title, detail, page, place: row[1], score: score + 60 * named - aside - number / 1e4 };
  }

  /* --- answers --- */

  /* The answers to a query, best first: {kind, title, detail, url, score}. */
  function answers(index, query) { return search(index, query).items; }
  /* The answers, the query that was answered if it is another one, and names like it if there is no answer. */
  function search(index, query) {
    const asked = logged(index, query.normalize("NFKC"));
    const tokens = tokensOf(asked), cut = query.trim().length > LONGEST && !inHex(index, asked).length;
    let items = answered(index, asked, tokens), instead = null;
    if (!items.length || items[0].score < 640) {
      const better = corrected(index, tokens);
      if (better) {
        const others = answered(index, better, tokensOf(better));
        if (others.length && (!items.length || others[0].score + 150 > items[0].score)) { items = distinct(others.concat(items)); instead = better; }
      }
    }
    const words = tokens.filter((token) => !STOP.has(token.toLowerCase()));
    const missing = !instead && items.length && items[0].score < EXACT ? foreign(index, words).map((word) => words.find((token) => stem(squash(token)) === word) || word) : [];
    return { items, instead, cut, missing, suggestions: items.length ? [] : suggestions(index, query) };
  }
  function answered(index, query, tokens) {
    const traces = traced(index, query);
    if (!tokens.length) return distinct(traces);
    const [found, about] = direct(index, tokens);
    found.push(...traces, ...inHex(index, query));
    let kept = tokens.filter((token) => !STOP.has(token.toLowerCase()));
    if (!kept.length) kept = tokens;
    const joined = squash(kept.join(" ")), words = kept.map(squash).filter(Boolean);
    const lower = kept.join(" ").toLowerCase();
    /* NotLeaderForPartitionError; a name with one of the words that are not searched. */
    const called = (kept.length === 1 ? variants(kept[0]) : [joined]).concat(squash(tokens.join(" "))).map((name) => index.exact.get(name)).find(Boolean);
    const named = squash(kept.filter((token) => !ASKING.has(token.toLowerCase())).join(" "));
    if (named && named !== joined) (namesOf(index).get(named) || []).slice(0, 4).forEach((entry) => found.push(Object.assign({}, entry, { score: EXACT + LIFT[entry.kind] + entry.weight - 30 })));
    if (called && !called.names.includes(joined)) found.push(Object.assign({}, called, { score: EXACT + LIFT[called.kind] + called.weight }));
    const ofProposals = tokens.some((token) => /^kips?(-|$)/i.test(token));
    if (joined) {
      for (const entry of index.entries) {
        let score = 0, place = entry.place;
        if (entry.raw) score = entry.raw === lower ? 950 : entry.raw.startsWith(lower) && /^\d/.test(lower) ? 650 : 0;
        else score = scored(entry, joined, words);
        if (entry.row && about && entry.row[0] === about.api && about.rest.length) {
          /* "Metadata v1 Topics": the field where the query asks for it. */
          const inside = scored(entry, squash(about.rest.join(" ")), about.rest.map(squash).filter(Boolean));
          if (inside > 0) score = Math.max(score, inside + 300);
          if (score && about.version !== null && holds(entry.row[5], about.version)) place = fieldPlace(entry.row, about.version);
        }
        else if (score && about && entry.place && entry.page === index.data.apis[about.api].page) score += 150;
        /* The titles of proposals have the words of what they changed. */
        if (entry.kind === "kip" && score < 560 && !ofProposals) score = Math.max(Math.min(score, 1), score - 150);
        /* What has only some of the words does not gain by its kind. */
        if (score > 0) found.push({ kind: entry.kind, title: entry.title, detail: entry.detail, page: entry.page, place: place, score: score + (score > PARTLY ? LIFT[entry.kind] + entry.weight : 0) });
      }
      found.push(...within(index, kept), ...inText(index, kept));
    }
    return distinct(found.sort((a, b) => b.score - a.score || a.title.length - b.title.length || (a.title < b.title ? -1 : 1)));
  }
  /* Each once: a place answers by its name or by its text. */
  function distinct(found) {
    const seen = new Set(), addresses = new Set(), texts = new Set();
    return found.filter(function (item) {
      item.url = item.page + (item.place ? "#" + item.place : "");
      const key = item.kind + " " + item.title + " " + item.url;
      const inText = item.kind === "text" || item.kind === "some";
      if (seen.has(key) || texts.has(item.url) || ((inText || item.kind === "page") && addresses.has(item.url))) return false;
      seen.add(key);
      (inText ? texts : addresses).add(item.url);
      return true;
    });
  }
  function holds(versions, number) {
    return versions.split(",").some(function (part) {
      const ends = part.trim().replace("+", "").split("-").map(Number);
      return ends[0] <= number && (part.endsWith("+") || number <= (ends.length > 1 ? ends[1] : ends[0]));
    });
  }

  /* The answers by kind: the kind with the best answer first. */
  function grouped(found) {
    const groups = new Map();
    found.forEach(function (item) {
      if (!groups.has(item.kind)) groups.set(item.kind, []);
      groups.get(item.kind).push(item);
    });
    return [...groups].map(([kind, items]) => ({ kind, title: GROUPS[kind] || kind, items }));
  }

  return { prepared, search, answers, grouped, terms, distance, SHOWN, AT_ONCE };
})();
if (typeof module !== "undefined") module.exports = wirebookSearch;
