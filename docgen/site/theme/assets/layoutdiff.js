/* rules/diff/layouts.py in a browser: what differs between two layouts of one message, and the fields of both side by side. */
(function () {
  "use strict";

  const WITH_LENGTH = ["STRING", "BYTES", "RECORDS", "ARRAY"];

  function shown(value) {
    if (value === null || typeof value === "boolean") return String(value);
    if (value === "") return "the empty string";
    if (Array.isArray(value)) return value.length ? JSON.stringify(value) : "no elements";
    if (typeof value === "object") return Object.keys(value).length ? JSON.stringify(value) : "the defaults of its fields";
    return String(value);
  }
  /* A change as a sentence; the page has the `sentences` of rules/diff/layouts.py. */
  function words(change, sentences) {
    return sentences[change.kind].replace(/\{(\w+)\}/g, function (_, name) { return name === "path" ? change.path : shown(change[name]); });
  }
  function same(a, b) { return JSON.stringify(a) === JSON.stringify(b); }

  /* Which field of a struct is which: by name, then by a name that the catalog knows a field by (`former`: path to former paths). */
  function matched(old, fresh, former) {
    const partner = new Map(), taken = new Set();
    [function (a, b) { return a.name === b.name; }, function (a, b) { return known(former, b.path, a.path) || known(former, a.path, b.path); }].forEach(function (alike) {
      fresh.forEach(function (field) {
        if (partner.has(field)) return;
        const found = old.find(function (each) { return !taken.has(each) && alike(each, field); });
        if (!found) return;
        partner.set(field, found);
        taken.add(found);
      });
    });
    const pairs = fresh.map(function (field) { return [partner.get(field) || null, field]; });
    old.forEach(function (field, place) {
      if (taken.has(field)) return;
      /* What is removed is listed behind the field that it was behind. */
      const before = place ? pairs.findIndex(function (pair) { return pair[0] === old[place - 1]; }) : -1;
      pairs.splice(before + 1, 0, [field, null]);
    });
    return pairs;
  }
  function known(former, path, other) { return (former.get(path) || []).includes(other); }

  /* The fewest fields whose move explains the new order. */
  function moved(pairs, old) {
    const placed = pairs.filter(function (pair) { return pair[0] && pair[1] && pair[0].tag === null && pair[1].tag === null; });
    /* rules/match.py, longest_run: patience sorting. */
    const tops = [], last = [], before = [], stayed = new Set();
    placed.forEach(function (pair, at) {
      const place = old.indexOf(pair[0]), above = tops.findIndex(function (top) { return top >= place; }), pile = above < 0 ? tops.length : above;
      before.push(pile ? last[pile - 1] : -1);
      tops[pile] = place;
      last[pile] = at;
    });
    for (let at = last.length ? last[last.length - 1] : -1; at >= 0; at = before[at]) stayed.add(at);
    return new Set(placed.filter(function (_, at) { return !stayed.has(at); }).map(function (pair) { return pair[1]; }));
  }

  function kind(field) { return field.tag === null ? field.spec_type : field.spec_type + ", tag " + field.tag; }
  function plain(type) { return type.replace(/NULLABLE_/g, ""); }
  function ofPair(before, after, sameLengths) {
    const found = [], path = after.path;
    function note(name, old, fresh, where) { found.push({ kind: name, path: where || path, old: old === undefined ? null : old, new: fresh === undefined ? null : fresh }); }
    if (before.name !== after.name) note("field-renamed", before.name, after.name, before.path);
    const structs = before.fields && after.fields && Boolean(before.element) === Boolean(after.element);
    const alike = before.spec_type === after.spec_type || structs, was = plain(before.type), is = plain(after.type);
    if (!alike) note("type-changed", before.spec_type, after.spec_type);
    else if (sameLengths && was !== is) note("length-changed", was, is);
    else if (!sameLengths && was === is && WITH_LENGTH.includes(is)) note("length-kept", was, is);
    if (before.nullable !== after.nullable) note(after.nullable ? "became-nullable" : "became-not-nullable");
    if (before.tag === null && after.tag !== null) note("became-tagged", null, after.tag);
    else if (before.tag !== null && after.tag === null) note("became-untagged", before.tag, null);
    else if (before.tag !== after.tag) note("tag-changed", before.tag, after.tag);
    if (alike && !same(before.default, after.default)) note("default-changed", before.default, after.default);
    return found;
  }

  /* {changes, rows}: every change, and a row for each field of either side: {depth, mark, old, new, changes}. */
  function compare(old, fresh, former) {
    const changes = [], rows = [], sameLengths = old.flexible === fresh.flexible;
    if (!sameLengths) changes.push({ kind: fresh.flexible ? "became-flexible" : "became-inflexible", path: "" });
    if (old.header_version !== fresh.header_version) changes.push({ kind: "header-version", path: "", old: old.header_version, new: fresh.header_version });
    function level(before, after, depth, told) {
      const pairs = matched(before, after, former), away = moved(pairs, before);
      pairs.forEach(function ([was, is]) {
        const here = [];
        if (!was) here.push({ kind: "field-added", path: is.path, old: null, new: kind(is) });
        else if (!is) here.push({ kind: "field-removed", path: was.path, old: kind(was), new: null });
        else {
          if (away.has(is)) here.push({ kind: "field-moved", path: is.path, old: before.indexOf(was) + 1, new: after.indexOf(is) + 1 });
          here.push(...ofPair(was, is, sameLengths));
        }
        if (told) changes.push(...here);
        rows.push({ depth: depth, mark: !was ? "added" : !is ? "removed" : here.length ? "changed" : "", old: was, new: is, changes: here });
        level(was && was.fields || [], is && is.fields || [], depth + 1, told && Boolean(was && is));
      });
    }
    level(old.fields, fresh.fields, 0, true);
    return { changes: changes, rows: rows };
  }
  /* The former paths of the fields of a message of the published JSON. */
  function formerOf(message) {
    return new Map(message.fields.map(function (field) { return [field.path, field.former_names]; }));
  }

  window.wirebookDiff = { compare: compare, words: words, formerOf: formerOf, shown: shown };
})();
