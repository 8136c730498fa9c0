/* The typed search: things of the protocol by name, best match first, from search-data.js, which is loaded when the
   search is first opened. `answers` needs no document, so that tests call what readers use. */
var wirebookSearch = (function () {
  "use strict";

  const GROUPS = {
    answer: "Answer", api: "APIs", version: "Versions", error: "Error codes", field: "Fields", value: "Values of fields", kip: "KIPs", issue: "Issues",
    release: "Releases", level: "Protocol levels", message: "Records and other data", type: "Types", page: "Pages", rule: "Rules",
  };
  const LIFT = { api: 60, error: 50, kip: 45, page: 40, release: 40, type: 30, version: 25, field: 20, level: 20, rule: 20, message: 15, issue: 10, value: 5 };
  const LONGEST = 200, SHOWN = 6, AT_ONCE = 60;
  /* Words of a question that name nothing. */
  const IDLE = new Set(("a added an and any api are at broker brokers by can change changed changes default deprecated did do does for from has have header headers how in is it " +
    "kafka key latest mean meaning means must new newest null nullable of on or please release releases removed request response retriable serve served serves since speak speaks support supported supports the to type version versions " +
    "was what when which who why with").split(" "));
  const STOP = new Set("a added adds an and are at brought by did do does for from has how in is it of on or the to was what when which who why with".split(" "));

  /* A name without case and joints: TopicId and topic_id are one. A minus before a number stays. */
  function squash(text) {
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
    const entries = [], byName = new Map(), byKey = new Map();
    function put(kind, title, detail, page, place, names, context, weight) {
      const entry = {
        kind, title, detail, page, place, weight, names: names.map(squash), context: context.map((word) => squash(word)),
        words: new Set([].concat(...names.map(humps))),
      };
      entry.near = new Set([].concat(...context.map(humps)));
      entries.push(entry);
      return entry;
    }
    data.apis.forEach(function (api, number) {
      const isApi = "key" in api, keyed = isApi && api.key >= 0;
      api.weight = api.gone ? 0 : isApi ? Math.max(5, 40 - api.key / 2) : api.kind === "header" ? 45 : 5;
      api.numbers = api.versions.map((version) => version[0]).sort((a, b) => a - b);
      const facts = [keyed ? "API key " + api.key : api.kind || "", api.gone ? "removed" : "versions " + span(api.numbers), api.about];
      const entry = put(isApi ? "api" : "message", api.name, facts.filter(Boolean).join(" \u00b7 "), api.page, "", [api.name].concat(api.names), [], api.weight);
      /* "delegation token" asks for CreateDelegationToken and others rather than for a value of this name. */
      if (isApi) entry.ends = new Set(humps(api.name).map((_, at, all) => all.slice(at).join("")).slice(1, -1));
      if (keyed) byKey.set(api.key, number);
      [api.name].concat(api.names).forEach(function (name) {
        if (!byName.has(squash(name))) byName.set(squash(name), number);
      });
    });
    data.fields.forEach(function (row) {
      const api = data.apis[row[0]], path = row[2], side = ["request", "response", ""][row[1]], tag = row.length > 6 ? row[6] : null;
      const message = side ? api.name + side : api.name;
      const facts = [api.name + (side && " " + side), row[4], "versions " + row[5].replace(/-/g, "\u2013")].concat(tag === null ? [] : "tag " + tag);
      const own = [path.slice(path.lastIndexOf(".") + 1), path].concat(tag === null ? [] : "tag-" + tag);
      const entry = put("field", path, facts.join(" \u00b7 "), api.page, "", own, [api.name, message, side].concat(api.names), api.weight - 2 * (path.split(".").length - 1));
      entry.row = row;
      entry.place = fieldPlace(row, row[3]);
    });
    data.snapshots.forEach(function (row) {
      put("release", data.word + " " + row[0], "What changed, and what its brokers serve", row[1], "", [], [], 0).raw = row[0].toLowerCase();
    });
    data.things.forEach(function (row) {
      const entry = put(row[0], row[1], row[4], row[2], row[3], row[5].length ? row[5] : [row[1]], [], row[6]);
      if (row[0] === "value" && entry.names.length > 2) entry.bare = entry.names[2];
      if (row[0] === "level") { entry.raw = row[1].toLowerCase(); entry.names = []; }
      if (/^(kip|issue|page)$/.test(row[0])) humps(row[1] + " " + row[4]).forEach((word) => entry.near.add(word));
    });
    return { data, entries, byName, byKey };
  }
  function fieldPlace(row, version) { return "v" + version + ["-", "-response-", "-"][row[1]] + anchor(row[2]); }

  /* --- what a query asks for --- */

  function tokensOf(query) {
    const tokens = query.slice(0, LONGEST).normalize("NFKC").split(/[\s,;:/()[\]{}"'`=?!]+/).filter(Boolean).slice(0, 12);
    /* "tag 1" and "version 3" are one word each. */
    const made = [];
    tokens.forEach(function (token) {
      const last = made[made.length - 1];
      if (/^\d+$/.test(token) && /^(tag|kip|kafka)$/i.test(last || "")) made[made.length - 1] = last + "-" + token;
      else made.push(token);
    });
    return made;
  }
  function snapshotsOf(index, token) {
    const wanted = token.toLowerCase();
    if (!/^\d+\.\d/.test(wanted)) return [];
    const found = [];
    index.data.snapshots.forEach(function (row, number) {
      const name = row[0].toLowerCase();
      if (name === wanted || row[2].toLowerCase() === wanted || name.startsWith(wanted + ".") || name.startsWith(wanted + "-")) found.push(number);
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
    /* Of the levels of one release, the last is what its brokers have. */
    const shown = snapshots.some((at) => rows[at][2] && rows[at][2] !== rows[at][0]) ? snapshots.slice(-1) : snapshots;
    const served = shown.map(function (at) {
      const run = api.served.find((item) => item[0] <= at && at <= item[1]);
      return run ? run[2] : "";
    });
    const same = served.every((words) => words === served[0]);
    return (same ? [0] : shown.map((_, place) => place)).map(function (place) {
      const name = same ? token : rows[shown[place]][0], words = served[place];
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
        kind: "answer", title: api.name + " has no version " + version, detail: "Its versions are " + span(api.numbers), page: api.page, place: "", score: score,
      }];
    }
    const title = api.name + " version " + version;
    return [
      { kind: "version", title: title, detail: found[1], page: api.page, place: "v" + version, score: score },
      { kind: "version", title: title + " in bytes", detail: "Hex, grammar and fields", page: api.page + "v" + version + "/", place: "", score: score - 1 },
    ];
  }

  /* What follows from the query as a whole. */
  function direct(index, tokens) {
    const found = [], words = tokens.join(" ").toLowerCase().trim();
    const number = (words.match(/^(?:(?:api )?key[ #]?)?(\d{1,5})$/) || [])[1];
    if (number !== undefined && index.byKey.has(Number(number))) {
      const api = index.data.apis[index.byKey.get(Number(number))];
      found.push({ kind: "api", title: api.name, detail: "API key " + api.key + " \u00b7 " + (api.gone ? "removed" : "versions " + span(api.numbers)) + " \u00b7 " + api.about, page: api.page, place: "", score: 2500 });
    }
    const code = (words.match(/^(?:(?:error|err|code|error code)[ #]?)?(-?\d{1,5})$/) || [])[1];
    if (code !== undefined) {
      const name = squash("error " + code);
      index.entries.filter((entry) => entry.kind === "error" && entry.names.includes(name)).forEach(function (entry) {
        found.push(Object.assign({}, entry, { score: /^-?\d/.test(words) ? 2400 : 2600 }));
      });
    }
    if (/^tags?(-\d+)?$/.test(words)) {
      index.entries.filter((entry) => entry.kind === "page" && entry.title === "Tags").forEach((entry) => found.push(Object.assign({}, entry, { score: 2000 })));
    }
    const kept = tokens.filter((token) => !IDLE.has(token.toLowerCase()));
    kept.forEach(function (token) {
      const there = snapshotsOf(index, token);
      there.slice(-6).reverse().forEach(function (at, place) {
        const row = index.data.snapshots[at], name = row[0].toLowerCase();
        /* The first release of a line is the one that changed the protocol. */
        const exact = name === token.toLowerCase() || name === token.toLowerCase() + ".0";
        found.push({ kind: "release", title: index.data.word + " " + row[0], detail: "What changed, and which versions are served", page: row[1], place: "", score: (kept.length === 1 ? 2300 : 1200) + (exact ? 50 : -place) });
      });
    });
    let about = null;
    named(index, tokens).forEach(function (pair, place) {
      const rest = pair[1].filter((token) => !IDLE.has(token.toLowerCase()));
      const versions = rest.map((token) => (token.match(/^v?(\d{1,5})$/i) || [])[1]).filter((item) => item !== undefined).map(Number);
      const api = index.data.apis[pair[0]];
      if (pair[2]) about = { api: pair[0], version: versions.length ? versions[0] : null, rest: rest.filter((token) => !/^v?\d{1,5}$/i.test(token)) };
      rest.forEach(function (token) {
        const there = snapshotsOf(index, token);
        if (there.length) found.push(...inReleases(index, pair[0], token, there).map((item) => Object.assign(item, { score: item.score - 100 * place })));
      });
      if (versions.length === 2 && rest.length === 2) {
        const ends = versions.slice().sort((a, b) => a - b);
        if (ends.every((version) => api.numbers.includes(version))) {
          found.push({ kind: "answer", title: "Compare " + api.name + " " + ends[0] + " with " + ends[1], detail: "What differs in the request and the response", page: api.page + "?compare=" + ends.join("-"), place: "versions", score: 2950 - 100 * place });
        }
        ends.reverse().forEach((version, at) => found.push(...versionOf(index, pair[0], version, 2900 - 100 * place - 10 * at).slice(0, 1)));
      }
      if (versions.length === 1 && rest.length === 1) found.push(...versionOf(index, pair[0], versions[0], 2900 - 100 * place));
      if (pair[2] && api.errors && rest.length === 1 && /^errors?$/i.test(rest[0])) {
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
    for (const name of entry.names) {
      if (name === joined) return name === entry.bare ? 620 : 900;
      if (joined.length < 2) continue;
      if (name.startsWith(joined)) best = Math.max(best, 700 - Math.min(60, 2 * (name.length - joined.length)));
      else if (joined.length > 2 && best < 300 && name.includes(joined)) best = 300;
    }
    if (best <= 300 && entry.ends && entry.ends.has(joined)) return 640;
    if (best <= 300 && joined.length > 1) {
      for (const word of entry.words) {
        if (word === joined) return Math.max(best, 560);
        if (word.startsWith(joined)) best = Math.max(best, 460);
      }
    }
    return best;
  }
  function byWord(entry, word) {
    if (entry.names.includes(word)) return 1;
    if (entry.words.has(word)) return 0.8;
    if (entry.context.includes(word)) return 0.8;
    if (entry.near.has(word)) return 0.6;
    if (word.length < 2) return 0;
    if (entry.names.some((name) => name.startsWith(word))) return 0.6;
    for (const own of entry.words) if (own.startsWith(word)) return 0.5;
    if (word.length < 3) return 0;
    if (entry.context.some((name) => name.startsWith(word))) return 0.3;
    return entry.names.some((name) => name.includes(word)) ? 0.3 : 0;
  }
  function scored(entry, joined, words) {
    let score = byNames(entry, joined);
    if (words.length > 1 && score < 560) {
      let sum = 0, missed = 0, own = false;
      for (const word of words) {
        const match = byWord(entry, word);
        if (match) sum += match; else missed++;
        own = own || (match > 0 && (entry.words.has(word) || entry.names.some((name) => name.includes(word))));
      }
      if (own && missed <= (words.length - 1) / 2 && missed < words.length - (entry.kind === "field" ? 1 : 0)) {
        score = Math.max(score, 250 + 200 * (sum / words.length) - 120 * missed);
      }
    }
    return score;
  }

  /* The answers to a query, best first: {kind, title, detail, url, score}. */
  function answers(index, query) {
    const tokens = tokensOf(query);
    if (!tokens.length) return [];
    const [found, about] = direct(index, tokens);
    let kept = tokens.filter((token) => !STOP.has(token.toLowerCase()));
    if (!kept.length) kept = tokens;
    const joined = squash(kept.join(" ")), words = kept.map(squash).filter(Boolean);
    const lower = kept.join(" ").toLowerCase();
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
        if (score > 0) found.push({ kind: entry.kind, title: entry.title, detail: entry.detail, page: entry.page, place: place, score: score + LIFT[entry.kind] + entry.weight });
      }
    }
    found.sort((a, b) => b.score - a.score || a.title.length - b.title.length || (a.title < b.title ? -1 : 1));
    const seen = new Set();
    return found.filter(function (item) {
      item.url = item.page + (item.place ? "#" + item.place : "");
      const key = item.kind + " " + item.title + " " + item.url;
      return !seen.has(key) && seen.add(key);
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

  return { prepared, answers, grouped, SHOWN, AT_ONCE };
})();
if (typeof module !== "undefined") module.exports = wirebookSearch;
