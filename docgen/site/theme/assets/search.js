/* The search: answers that follow from a query as a whole ("Fetch 2.8", "key 18"), then names in it, then its words by MiniSearch, best
   first, from search-data.js. It needs no document, so that tests call what readers use; docgen/pages/search.py writes the index. */
var wirebookSearch = (function () {
  "use strict";

  const GROUPS = {
    answer: "Answer", api: "APIs", version: "Versions", error: "Error codes", field: "Fields", value: "Values of fields", kip: "KIPs", issue: "Issues",
    release: "Releases", level: "Protocol levels", message: "Other messages", type: "Types", page: "Pages",
  };
  const LIFT = { api: 60, error: 50, kip: 45, page: 40, release: 40, type: 30, version: 5, field: 20, level: 20, message: 15, issue: 10, value: 5 };
  const LONGEST = 200, LONGEST_TRACE = 10000, WORDS = 40, FEW = 6, LONG = 8, MANY = 10;
  /* Words that name nothing, and such words of questions. */
  const STOP = new Set(("a added adds an and any are as at be been brought but by can cannot could did do does doesn don for from has have having how i if in into is isn it its me my of on one or our please should so some such " +
    "than that the their them then there these they this those to too use used uses using was we were what when where which while who why will with without won would you your").split(" "));
  const IDLE = new Set(("api apis broker brokers change changed changes client clients default deprecated header headers in kafka key latest mean meaning means must new newest null nullable release releases removed request response retriable " +
    "serve served serves since speak speaks support supported supports type version versions").split(" "));
  const COMPARING = new Set("against between compare compared comparing comparison diff differ difference differences differs migrate migrating new old upgrade upgrading versus vs".split(" "));
  const OF_BYTES = new Set("byte bytes dump encoded encoding example examples hex hexdump sample wire".split(" "));
  const OF_PEERS = /^(brokers?|clients?|compat\w*|java|servers?|talk|work|works|working)$/i;
  /* Names of clients, with what the page of negotiation calls them. */
  const CLIENTS = new Map("librdkafka rdkafka=librdkafka confluent=librdkafka confluent-kafka=librdkafka sarama kafka-python kafkajs aiokafka franz=franz-go franz-go java".split(" ").map(function (pair) { return [pair.split("=")[0], pair.split("=").pop()]; }));
  const NUMBER = /^v?\d{1,5}$/i, RELEASE = /^v?\d+\.\d[\w.-]*$/i;

  const STOPPED = new Set([...STOP].map(stem));

  /* A name without case and joints: TopicId and topic_id are one. A minus before a number stays. */
  function squash(text) { return text.toLowerCase().replace(/(^|[\s(_])-(?=\d)/g, "$1~").replace(/[^\p{L}\p{N}~]/gu, ""); }
  function stem(word) { return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word; }
  /* The words of a text, also of names in it: "NotLeader" and "NOT_LEADER" are two. */
  function words(text) {
    const parts = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/([A-Z])([A-Z][a-z])/g, "$1 $2").toLowerCase();
    return (parts.match(/(?:kip|kafka)-\d+|[\p{L}\p{N}]+/gu) || []).map(stem);
  }
  /* The words that tell something. */
  function telling(text) { return words(text).filter(function (word) { return !STOPPED.has(word); }); }
  function anchor(text) { return text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "") || "x"; }
  function span(numbers) {
    return numbers.length < 2 || numbers[numbers.length - 1] - numbers[0] + 1 !== numbers.length ? numbers.join(", ") : numbers[0] + "-" + numbers[numbers.length - 1];
  }

  /* --- the index, ready to be searched --- */

  function prepared(data) {
    const index = { data: data, entries: [], exact: new Map(), byName: new Map(), byKey: new Map(), byField: new Map(), places: new Map(), seen: new Map(), apiAt: new Map() };
    const documents = [];
    function put(kind, title, detail, page, place, weight, names, text, context) {
      const entry = { kind: kind, title: title, detail: detail, page: data.pages[page], place: place, weight: weight, names: names.map(squash) };
      index.entries.push(entry);
      entry.names.forEach(function (name) { if (name) index.exact.set(name, (index.exact.get(name) || []).concat(entry)); });
      (names.length ? names : [""]).forEach(function (name, at) { documents.push({ id: documents.length, entry: entry, name: name, size: words(name).length, own: telling(name), context: context || "", text: at ? "" : text || "" }); });
      if (kind !== "field" && !index.places.has(entry.page + "#" + place)) index.places.set(entry.page + "#" + place, entry);
      return entry;
    }
    data.apis.forEach(function (api, number) {
      const isApi = api.kind === "api";
      api.weight = api.removed ? 0 : isApi ? Math.max(5, 40 - 0.37 * api.key) : api.kind === "header" ? 45 : 5;
      api.newest = api.shown === null ? api.versions[0] : api.shown;
      api.numbers = api.versions.slice().sort(function (a, b) { return a - b; });
      api.entry = put(isApi ? "api" : "message", api.name, [isApi && api.key >= 0 ? "API key " + api.key : api.kind, api.removed ? "removed" : "versions " + (api.range || span(api.numbers)), api.about].filter(Boolean).join(" \u00b7 "),
        api.page, "", api.weight, [api.name].concat(api.names), api.text);
      if (isApi && api.key >= 0) index.byKey.set(api.key, api);
      index.apiAt.set(api.page, api);
      [api.name].concat(api.names).forEach(function (name) {
        const sides = isApi && !/(request|response|exception)$/i.test(name) && !/\./.test(name) ? ["", "request", "response"] : [""];
        sides.forEach(function (side) { if (!index.byName.has(squash(name + side))) index.byName.set(squash(name + side), api); });
      });
    });
    data.fields.forEach(function (row) {
      const api = data.apis[row[0]], side = ["request", "response", ""][row[1]], path = row[2], tag = row.length > 6 ? row[6] : null, own = path.slice(path.lastIndexOf(".") + 1);
      const facts = [(api.name + " " + side).trim(), row[4], "versions " + row[5]].concat(tag === null ? [] : "tag " + tag);
      const names = [own].concat(path === own ? [] : path, tag === null ? [] : "tag-" + tag, row.slice(7));
      const entry = put("field", path, facts.join(" \u00b7 "), api.page, "", api.weight - 2 * (path.split(".").length - 1) - row[1], names, "", api.name + " " + side);
      entry.row = row;
      Object.assign(entry, fieldAt(api, row, row[3]));
      if (!index.byField.has(squash(own))) index.byField.set(squash(own), { name: own, apis: new Set() });
      index.byField.get(squash(own)).apis.add(row[0]);
    });
    Object.keys(data.entries).forEach(function (kind) {
      data.entries[kind].forEach(function (row) {
        const names = row.length > 6 ? row.slice(6) : [row[0]];
        const entry = put(kind, row[0], row[3], row[1], row[2], row[4], names, row[5]);
        if (kind === "version") Object.assign(entry, versionAt(index.apiAt.get(row[1]), row[2].slice(1)));
      });
    });
    data.releases.forEach(function (row) { put("release", "Release " + row[0], "What changed, and which versions it has", row[1], "", 0, [row[0]]); });
    index.documents = documents;
    index.mini = new MiniSearch({
      fields: ["name", "context", "text"], storeFields: [],
      tokenize: function (text, field) { return field === "text" ? text.split(" ") : field ? words(text).concat(squash(text)) : [text]; },
      processTerm: function (term, field) {
        if (field && term) index.seen.set(term, (index.seen.get(term) || 0) + 1);
        return term || null;
      },
    });
    index.mini.addAll(documents);
    return index;
  }
  /* Where a version is: each of an API has a page below that of the API, those of other messages are on one page. */
  function versionAt(api, version) {
    return api.kind === "api" ? { page: api.entry.page.replace(/(index\.html)?$/, "v" + version + "/$1"), place: "" } : { page: api.entry.page, place: "v" + version };
  }
  /* Where a field is in a version: the newest version is on the page of the API, too. */
  function fieldAt(api, row, version) {
    const place = "v" + version + ["-", "-response-", "-"][row[1]] + anchor(row[2]);
    return { page: version === api.newest ? api.entry.page : versionAt(api, version).page, place: place };
  }
  /* How much a word tells: the fewer names and texts have it, the more. */
  function rarity(index, word) { return Math.log(2 + index.documents.length / (1 + (index.seen.get(word) || 0))) * (IDLE.has(word) ? 0.3 : 1); }
  function answer(title, detail, page, place, score) { return { kind: "answer", title: title, detail: detail, page: page, place: place, score: score }; }
  function scored(entry, score) { return Object.assign({}, entry, { score: score }); }

  /* A line of a log without the names of clients, addresses, methods and loggers: they may be those of an API or a number. */
  function cleaned(line) {
    return line.replace(/^kafka\.\(\*\w+\)\.\w+:|(?<=\S\s+)\((?:org|io|kafka)\.[\w.$]+\)\s*$|\[[A-Z]\w* (?:\w*Id|id|name)=[^\]]*\]:?|\[thrd:[^\]]*\]:?|rdkafka#[\w-]+\||\b\w*(?:clientId|groupId|transactionalId|instanceId)=[^\s,)}\]]+/g, " ")
      .replace(/(?:\b\w+:\/\/|ipv[46]#)?(?:[\w.-]+\/)?(?:[\w-]+(?:\.[\w-]+)+|localhost|(?<![\w.])[a-z][\w-]*):\d{4,5}\b(?:\/\w+)?(?: \(id: -?\d+ rack: \w+\))?/gi, " ");
  }

  /* --- what follows from the query as a whole --- */

  function tokensOf(query) {
    const made = [];
    query.slice(0, LONGEST).replace(/\b(v?\d{1,2})(?:-|\.\.+|\u2013|->|\u2192)(v?\d{1,2})(?=\s|$)/g, "$1 $2").split(/[\s,;:/()[\]{}"'`=?!|<>]+/).filter(Boolean).slice(0, WORDS).forEach(function (token) {
      const last = made[made.length - 1] || "", hex = /^0x[0-9a-f]{1,4}$/i.test(token) ? parseInt(token, 16) : null;
      if (/^\d+$/.test(token) && /^(tag|kip|kafka)$/i.test(last) && !(/^kafka$/i.test(last) && token.length < 3)) made[made.length - 1] = last + "-" + token;
      else made.push(hex === null ? token : String(hex > 0x7fff ? hex - 0x10000 : hex));
    });
    return made;
  }
  function releasesOf(index, token) {
    const wanted = token.toLowerCase().replace(/^v(?=\d)/, ""), found = [];
    if (RELEASE.test(wanted)) index.data.releases.forEach(function (row, number) {
      const name = row[0].toLowerCase();
      if (name === wanted || name + ".0" === wanted || name.startsWith(wanted + ".") || name.startsWith(wanted + "-")) found.push(number);
    });
    return found;
  }
  /* The API that a query names, and the other words: {api, rest}, or null. */
  function named(index, tokens) {
    let header = null;
    for (let length = Math.min(tokens.length, 5); length; length--) {
      for (let from = 0; from + length <= tokens.length; from++) {
        if (/^[a-z_]+(\.[a-z_]+)+$/.test(tokens[from])) continue;
        const name = squash(tokens.slice(from, from + length).join("")), rest = tokens.slice(0, from).concat(tokens.slice(from + length));
        const parts = length === 1 && name.match(/^(.*?[a-z])v?(\d+)$/), api = index.byName.get(name) || (parts && index.byName.get(parts[1]));
        if (!api) continue;
        const found = { api: api, rest: index.byName.has(name) ? rest : rest.concat(parts[2]) };
        if (api.kind !== "header") return found;
        /* "request header Produce 9" is about Produce. */
        header = header || found;
      }
    }
    return header;
  }
  function inReleases(index, api, token, releases, score) {
    const served = releases.map(function (at) { return (api.served.find(function (run) { return run[0] <= at && at <= run[1]; }) || [0, 0, ""])[2]; });
    const same = served.every(function (text) { return text === served[0]; });
    return (same ? [0] : releases.map(function (_, place) { return place; })).map(function (place) {
      const parts = served[place].split("; "), name = same ? token : index.data.releases[releases[place]][0];
      const title = api.name + " in " + name + ": " + (parts[0] ? (/^\d+$/.test(parts[0]) ? "version " : "versions ") + parts[0] : "not served");
      return answer(title, parts.slice(1).join("; ") || "The history of " + api.name, api.entry.page, "versions", score - place);
    });
  }
  function versionOf(index, api, version, score) {
    const place = index.places.get(api.entry.page + "#v" + version);
    if (!api.versions.includes(version)) return [answer(api.name + " has no version " + version, "Its versions are " + (api.range || span(api.numbers)), api.entry.page, "", score)];
    return [Object.assign({ kind: "version", title: api.name + " version " + version, detail: place ? place.detail : "", score: score }, versionAt(api, version))];
  }
  /* "3.9 vs 4.0", "2.4 broker with 4.0 client", "librdkafka 2.1 kafka 4.0": two releases, or a client and a broker. */
  function peers(index, tokens) {
    const releases = [];
    let client = null, role = null, asked = false;
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at].toLowerCase(), there = releasesOf(index, token), next = tokens[at + 1] || "";
      if (CLIENTS.has(token) && (token !== "java" || /^v?\d/.test(next))) {
        client = { id: CLIENTS.get(token), version: /^v?\d/.test(next) ? tokens[++at].replace(/^v/i, "") : "" };
      } else if (there.length) {
        const rows = index.data.releases, plain = token.replace(/^v/, ""), exact = there.find(function (each) { return rows[each][0] === plain || rows[each][0] === plain + ".0"; });
        releases.push({ name: rows[exact === undefined ? there[0] : exact][0], at: at });
      } else if (client && /^\d$/.test(token)) releases.push({ name: token + ".0", at: at });
      else if (/^(clients?|brokers?|servers?)$/.test(token)) role = role || { at: at, client: token[0] === "c" };
      else if (!IDLE.has(token) && !STOP.has(token) && !COMPARING.has(token) && !OF_PEERS.test(token)) return [];
      asked = asked || OF_PEERS.test(token);
    }
    const pages = index.places, home = pages.get("negotiate/#"), found = [];
    if (client && home) {
      const known = client.id === "java" ? (client.version ? "java-" + client.version.split(".").slice(0, 2).join(".") : "") : client.id + (client.version && "-" + client.version), broker = releases.length ? releases[0].name : "";
      const place = [known && "client=" + known, broker && "broker=" + broker].filter(Boolean).join("&");
      if (broker || client.version) found.push(answer(client.id + (client.version ? " " + client.version : "") + (broker ? " with broker " + broker : " with a broker"), home.title, "negotiate/", place, 3200));
      return found;
    }
    if (releases.length !== 2 || releases[0].name === releases[1].name) return found;
    const [first, second] = releases;
    if (asked && home) {
      const ofFirst = role && (role.at < first.at || role.at < second.at), from = !role || role.client === Boolean(ofFirst) ? first.name : second.name, to = from === first.name ? second.name : first.name;
      const short = function (name) { return name.split(".").slice(0, 2).join("."); };
      found.push(answer("Java client " + short(from) + " with broker " + short(to), home.title, "negotiate/", "client=java-" + short(from) + "&broker=" + short(to), 3200));
    }
    if (pages.has("compare/#")) found.push(answer("Compare " + first.name + " with " + second.name, "APIs and versions added, changed and removed", "compare/", "from=" + first.name + "&to=" + second.name, 3100));
    return found;
  }
  /* "upgrade from 2.8 to 4.1": the way there, unless it names what else is upgraded. */
  function upgrade(index, tokens) {
    const guide = index.places.get("upgrade/#"), has = function (pattern) { return tokens.some(function (token) { return pattern.test(token); }); };
    const asked = has(/^(upgrad|updat|migrat)/i) && tokens.some(function (token) { return releasesOf(index, token).length; });
    return guide && asked && !has(/metadata|feature|zookeeper|kraft|client/i) ? [scored(guide, 3300)] : [];
  }
  /* Bytes in hexadecimal, from those of a header up to those of a link, for the decoder. */
  function inHex(index, query) {
    const digits = query.replace(/0x|\\x|[\s:,]/gi, "").toLowerCase();
    if (!/^([0-9a-f]{2}){8,1000}$/.test(digits) || !/^00|[a-f]/.test(digits) || !index.places.has("decode/#")) return [];
    return [answer("Decode these bytes", digits.length / 2 + " bytes", "decode/", "hex=" + digits, 3200)];
  }
  /* "18", "key 18", "error 35", "tag 0", "TopicId". */
  function numbers(index, tokens) {
    const found = [], asked = tokens.map(function (token) { return token.toLowerCase(); }).filter(function (token) { return !STOP.has(token) && !/^mean/.test(token); }).join(" ");
    const key = asked.match(/^(?:(?:api ?)?key[ #]?)?(\d{1,5})$/), code = asked.match(/^(?:(?:error|err|code|error[_ ]?code)[ #]?)?(-?\d{1,5})(?: retriable)?$/);
    if (key && index.byKey.has(Number(key[1]))) found.push(scored(index.byKey.get(Number(key[1])).entry, 2500));
    if (code) {
      const known = index.entries.find(function (entry) { return entry.kind === "error" && entry.title.endsWith("(" + code[1] + ")"); }), bare = /^-?\d+$/.test(asked);
      /* Error codes are met in logs; the keys of old APIs are as well known. */
      if (known) found.push(scored(known, !bare ? 2600 : Number(code[1]) > 50 ? 2550 : 2400));
      else if (!bare && index.places.has("errors/#")) found.push(answer("There is no error code " + code[1], "All error codes", "errors/", "", 2600));
    }
    if (/^tags?(-\d+)?$/.test(asked) && index.places.has("tags/#")) found.push(scored(index.places.get("tags/#"), 2000));
    /* A field of many APIs: the row that lists them. A single word is rather the name of something else. */
    const uses = tokens.length === 1 && !tokens[0].includes(".") && index.byField.get(squash(tokens[0]));
    if (uses && uses.apis.size >= MANY && words(uses.name).length > 1 && index.places.has("fields/#")) {
      found.push(answer("APIs with " + uses.name, "Requests and responses with the field: versions and releases", "fields/", anchor(uses.name), 2150));
    }
    const kept = tokens.filter(function (token) { return !STOP.has(token.toLowerCase()) && !IDLE.has(token.toLowerCase()); });
    kept.forEach(function (token) {
      releasesOf(index, token).slice(-6).reverse().forEach(function (at, place) {
        const name = index.data.releases[at][0], exact = name === token || name === token + ".0";
        found.push({ kind: "release", title: "Release " + name, detail: "What changed, and which versions are served", page: index.data.pages[index.data.releases[at][1]], place: "", score: (kept.length === 1 ? 2300 : kept.length > LONG ? 100 : 1200) + (exact ? 50 : -place) });
      });
    });
    return found;
  }
  /* "Fetch 12", "Fetch 2.8", "Fetch hex", "Metadata 9 12", "errors of Produce", "ListOffsets -2". */
  function ofApi(index, about) {
    const api = about.api, page = api.entry.page, found = [], rest = about.rest.filter(function (token) { const low = token.toLowerCase(); return !STOP.has(low) && !IDLE.has(low) && !COMPARING.has(low); });
    const bytes = rest.some(function (token) { return OF_BYTES.has(token.toLowerCase()); }), bare = rest.filter(function (token) { return !OF_BYTES.has(token.toLowerCase()); });
    const versions = bare.filter(function (token) { return NUMBER.test(token); }).map(function (token) { return Number(token.replace(/^v/i, "")); });
    const others = bare.filter(function (token) { return !NUMBER.test(token) && !/^(fields?|schema|structure)$/i.test(token); }), line = others.join(" ");
    others.forEach(function (token) {
      const there = releasesOf(index, token);
      if (there.length) found.push(...inReleases(index, api, token, there, about.rest.length < LONG ? 3000 : 1000));
    });
    if (versions.length === 2 && !others.length) {
      const [from, to] = versions.slice().sort(function (a, b) { return a - b; });
      if (api.versions.includes(from) && api.versions.includes(to) && index.places.has("compare/#")) {
        found.push(answer("Compare " + api.name + " " + from + " with " + to, "What differs in the request and the response", "compare/", "api=" + api.slug + "&from=" + from + "&to=" + to, 2950));
      }
      found.push(...versionOf(index, api, to, 2900), ...versionOf(index, api, from, 2890));
    } else if (versions.length === 1) {
      found.push(...versionOf(index, api, versions[0], !others.length ? 2900 : about.rest.length < FEW ? 1000 : 100));
    } else if (bytes && !others.length && api.numbers.length) {
      found.push(scored(versionOf(index, api, api.numbers[api.numbers.length - 1], 0)[0], 2750));
    }
    if (/^errors?( codes?)?$/i.test(line) && api.errors) found.push(answer("Errors of " + api.name, "Cause and action for each error code", page, "errors", 2800));
    if (!rest.length) found.push(scored(api.entry, 2700));
    const joined = squash(rest.join(" "));
    index.entries.forEach(function (entry) {
      if (!rest.length || (entry.page !== page && (!entry.row || index.data.apis[entry.row[0]] !== api))) return;
      if (entry.kind === "value" && (entry.names.includes(joined) || (/^-\d+$/.test(rest[0]) && rest.length === 1 && entry.title.includes(" " + rest[0] + ":")))) found.push(scored(entry, 2960));
      else if (entry.kind === "field" && others.length && (entry.names.includes(squash(line)) || (/^tag-/.test(line) && entry.names.includes(squash(line))))) {
        const inVersion = versions.length && holds(entry.row[5], versions[0]);
        found.push(Object.assign(scored(entry, 2650 + entry.weight / 10 + (inVersion ? 50 : 0)), inVersion ? fieldAt(api, entry.row, versions[0]) : {}));
      }
    });
    return found;
  }
  function holds(versions, number) {
    return versions.split(",").some(function (part) {
      const ends = part.trim().replace("+", "").split("-").map(Number);
      return ends[0] <= number && (part.endsWith("+") || number <= (ends.length > 1 ? ends[1] : ends[0]));
    });
  }

  /* --- names in what programs write --- */

  /* A class of Java or another language as a name: without its package, "Err" before it and "Error" after it. */
  function variants(name) {
    const bare = name.replace(/^RD_KAFKA_RESP_ERR_+/, "").replace(/^(Err|handle)(?=[A-Z])/, "").replace(/(Request|Response)Data$/, "$1"), plain = bare.replace(/(Exception|Error|Code)$/, "");
    return [name, bare, plain + "Exception", plain].map(squash);
  }
  /* What a stack trace or a log names: the last one is the cause. Words in lower case are sentences. */
  function traced(index, query) {
    const found = [], names = query.slice(0, LONGEST_TRACE).match(/[A-Za-z_][\w.$]*/g) || [];
    if (names.length > 1 || /[^\w\s]/.test(query)) names.forEach(function (path) {
      path.split(/[.$]/).forEach(function (name) {
        if (name.length < 5 || !/[a-z][A-Z]|[A-Z]_[A-Z]/.test(name)) return;
        const api = index.byName.get(squash(name)), entry = api ? api.entry : variants(name).map(function (each) { return best(index.exact.get(each)); }).find(Boolean) || begun(index, name);
        if (entry && entry.kind !== "kip") found.push(scored(entry, ({ error: 2750, field: 640 }[entry.kind] || 850) + Math.min(found.length, 40)));
      });
    });
    return found;
  }
  /* The error whose name begins so: "NOT_LEADER". */
  function begun(index, name) {
    return name.includes("_") && index.entries.find(function (entry) { return entry.kind === "error" && entry.names.some(function (each) { return each.startsWith(squash(name)); }); });
  }
  /* Names of several words that are in a sentence: as they are, the fixed part of what a program writes, or one by one, the more of
     the sentence the better. */
  function phrases(index, query, lift) {
    const all = telling(query.slice(0, LONGEST_TRACE)), line = " " + all.join(" ") + " ", has = new Set(all), found = [];
    const total = [...has].reduce(function (sum, word) { return sum + rarity(index, word); }, 0) || 1;
    if (all.length > 2 && /\s/.test(query.trim())) index.documents.forEach(function (item) {
      const isError = item.entry.kind === "error";
      if (!(isError || (item.entry.kind === "page" && item.entry.weight > 49)) || item.own.length < 2 || !/[ _]/.test(item.name) || !item.own.every(function (word) { return has.has(word); })) return;
      const part = item.own.reduce(function (sum, word) { return sum + rarity(index, word); }, 0) / total;
      if (item.size > 2 && all.length >= FEW - 1 && line.includes(" " + item.own.join(" ") + " ")) found.push(scored(item.entry, 2800 + item.own.length + lift));
      else if (item.entry.weight > 51 && item.size === 2 && line.includes(" " + item.own.join(" ") + " ")) found.push(scored(item.entry, 645));
      else if (isError ? part > 0.4 || item.own.length > 3 : item.own.length > 2) found.push(scored(item.entry, 650 + 190 * Math.min(1, part)));
    });
    return found;
  }
  /* What clients write before an error of the broker: the words after it are those of an error, if enough of them are. */
  function ofBroker(index, query) {
    const parts = query.match(/(?:\b(?:broker|kafka server|server error|failed):\s+|"error"\s?:\s?")([^"]{4,200})/i);
    if (!parts) return [];
    return phrases(index, parts[1], 0).concat(byWords(index, tokensOf(parts[1]))).filter(function (entry) { return entry.kind === "error" && entry.score > 250; }).map(function (entry) { return scored(entry, 2820 + entry.score / 100); });
  }
  /* Of things with one name: an API or an error before a field. */
  function best(entries) { return entries && entries.slice().sort(function (a, b) { return LIFT[b.kind] + b.weight - LIFT[a.kind] - a.weight; })[0]; }
  /* apiKey=FETCH, apiVersion=12; errorCode=27. */
  function logged(index, query) {
    const code = query.match(/\berror_?code\W{0,3}(-?\d{1,5})\b/i), key = query.match(/\bapi(?:[ _]?key)?[=:]\s?(\w+)/i) || query.match(/\S\s.*\bapi[ _]key (\d{1,3})\b/i);
    const version = query.match(/\b(?:api_?)?version\W{0,3}(\d{1,5})\b/i), api = key && index.byKey.get(Number(key[1]));
    return code ? "error " + code[1] : key ? (api ? api.name : key[1]) + (version ? " " + version[1] : "") : query;
  }

  /* --- by words --- */

  /* Entries by the words of a query: how much of it, and how much of a name, they are. */
  function byWords(index, tokens) {
    const line = tokens.join(" "), asked = [...new Set(telling(line))], terms = asked.length ? asked : words(line), joined = squash(line), last = terms[terms.length - 1];
    if (!joined) return [];
    const all = terms.includes(joined) || terms.length > FEW ? terms : terms.concat(joined);
    const results = index.mini.search({ combineWith: "OR", queries: all.map(function (term) {
      const isKnown = index.seen.has(term), isName = term === joined && terms.length > 1, isNumber = /^\d+$/.test(term);
      return { queries: [term], prefix: term.length > 1 && (term === last || isName || !isKnown) && !isNumber, fuzzy: !isKnown && !isNumber && term.length > 2 && terms.length <= FEW && (term.length < 4 ? 1 : 2), boostTerm: function () { return isName ? 2 : 1; } };
    }), boost: { name: 3, context: 1, text: 0.6 }, weights: { fuzzy: 0.4, prefix: 0.6 } });
    const total = terms.reduce(function (sum, word) { return sum + rarity(index, word) * (index.seen.has(word) ? 1 : 0.6); }, 0) || 1;
    return results.map(function (result) { return ranked(index, result, terms, joined, total); });
  }
  function ranked(index, result, terms, joined, total) {
    const item = index.documents[result.id], entry = item.entry, whole = result.queryTerms.includes(joined) && joined !== terms[0];
    const matched = new Set(Object.keys(result.match).filter(function (term) { return result.match[term].includes("name"); }));
    const asked = whole ? 1 : Math.min(1, terms.reduce(function (sum, word) { return sum + (result.queryTerms.includes(word) ? rarity(index, word) * (index.seen.has(word) ? 1 : 0.6) : 0); }, 0) / total);
    const size = item.own.reduce(function (sum, word) { return sum + rarity(index, word); }, 0) || 1;
    const isApi = entry.kind === "api" && matched.size > 0;
    const part = isApi && terms.length < 2 ? 1 : matched.has(squash(item.name)) ? 1 : item.own.reduce(function (sum, word) { return sum + (matched.has(word) ? rarity(index, word) : 0); }, 0) / size;
    let score = 500 * Math.pow(asked, 1.5) * (0.3 + 0.7 * part);
    if (part > 0.99 && item.own.length > 1) score = Math.max(score, 300 * asked + 30 * Math.min(item.own.length, 6));
    return scored(entry, score + (LIFT[entry.kind] + entry.weight) * Math.min(1, asked) * (0.2 + 0.8 * part) + Math.min(20, result.score / 10));
  }

  /* --- answers --- */

  /* {items: the answers, best first, as {kind, title, detail, url, score}; cut: whether the query is too long to be searched whole}. */
  function search(index, query) {
    const whole = query.normalize("NFKC"), hex = inHex(index, whole), text = cleaned(whole), request = logged(index, text), tokens = tokensOf(request);
    /* What happened is more than in which request. */
    const found = hex.concat(traced(index, text), phrases(index, text, request === text ? 0 : 200), ofBroker(index, text), answers(index, tokens)).sort(byScore);
    return { items: distinct(found), cut: whole.trim().length > LONGEST && !hex.length };
  }
  function byScore(a, b) { return b.score - a.score || a.title.length - b.title.length || (a.title < b.title ? -1 : 1); }
  function answers(index, tokens) {
    if (!tokens.length) return [];
    const about = named(index, tokens), kept = tokens.filter(function (token) { return !STOP.has(token.toLowerCase()); }), own = kept.length ? kept : tokens;
    const names = own.length === 1 ? variants(own[0]) : [squash(own.join(" ")), squash(tokens.join(" "))];
    const exact = names.flatMap(function (name, at) {
      return (index.exact.get(name) || []).map(function (entry) { return scored(entry, (entry.kind === "value" && !/\d/.test(name) ? 600 : 2000) - 20 * at + LIFT[entry.kind] + entry.weight + (entry.row && entry.row.length > 7 ? 10 : 0)); });
    });
    /* "delegation token" asks for CreateDelegationToken and others. */
    const joined = squash(own.join(" "));
    index.data.apis.forEach(function (api) {
      const name = squash(api.name);
      if (joined.length > 2 && api.kind === "api" && name !== joined && (name.endsWith(joined) || name.endsWith(joined + "s"))) exact.push(scored(api.entry, 740 + api.weight));
    });
    return upgrade(index, about ? [] : tokens).concat(peers(index, tokens), numbers(index, tokens), about ? ofApi(index, about) : [], exact, byWords(index, own));
  }
  function distinct(found) {
    const seen = new Set();
    return found.filter(function (item) {
      item.url = item.page + (item.place ? "#" + item.place : "");
      if (seen.has(item.url)) return false;
      return seen.add(item.url);
    }).slice(0, 200);
  }
  /* The answers by kind: the kind with the best answer first. */
  function grouped(found) {
    const groups = new Map();
    found.forEach(function (item) {
      if (!groups.has(item.kind)) groups.set(item.kind, []);
      groups.get(item.kind).push(item);
    });
    return [...groups].map(function (pair) { return { kind: pair[0], title: GROUPS[pair[0]] || pair[0], items: pair[1] }; });
  }

  return { prepared, search, grouped };
})();
if (typeof module !== "undefined") module.exports = wirebookSearch;
