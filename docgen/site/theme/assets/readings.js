/* What bytes may be: the frames of a stream, and the messages that each can be read as, the likeliest first. */
(function () {
  "use strict";

  const SPANS = 3000, MOST_FRAMES = 300, LARGE = 4 * 1024 * 1024, MOST_LENGTH = 100 * 1024 * 1024;
  const PREFIX = { message: "Version", type: "header", version: 0, flexible: false, header_version: null, fields: [{ name: "Version", path: "Version", type: "INT16", nullable: false, tag: null, element: null, fields: null }] };

  /* --- what is known: data/layouts.json and data/headers.json --- */

  function known(layouts, headers) {
    const all = { headers: headers, messages: layouts.messages, embedded: layouts.embedded, requests: new Map(), responses: [], others: [] };
    layouts.messages.forEach(function (message) {
      message.layouts = new Map(Object.keys(message.versions).map(function (number) {
        const version = message.versions[number];
        return [Number(number), { message: message.name, type: message.type, version: Number(number), flexible: version.flexible, header_version: version.header_version === undefined ? null : version.header_version, fields: filled(version.fields, "") }];
      }));
      if (message.type === "request") all.requests.set(message.api_key, message);
      else (message.type === "response" ? all.responses : all.others).push(message);
    });
    return all;
  }
  /* Fields with the keys that the file leaves out where they have nothing to say. */
  function filled(fields, above) {
    return fields.map(function (field) {
      const path = above + field.name;
      return { name: field.name, path: path, type: field.type, nullable: Boolean(field.nullable), tag: field.tag === undefined ? null : field.tag, element: field.element || null, fields: field.fields ? filled(field.fields, path + ".") : null };
    });
  }
  function headerOf(all, layout) {
    const list = all.headers[layout.type];
    return layout.header_version === null || !list ? null : list.find(function (each) { return each.version === layout.header_version; }) || null;
  }

  /* --- frames --- */

  function lengthAt(bytes, at, size) {
    let value = 0;
    for (let place = at; place < at + size; place++) value = value * 256 + bytes[place];
    return value;
  }
  /* The frames of a stream: [{bytes, framed, short}], where `short` is how many bytes the last one lacks. A stream without lengths is one
     message. What was captured from a connection begins with a length. */
  function frames(all, bytes, isCaptured) {
    const size = all.headers.frame_length, found = [];
    if (!size) return [unframed(bytes)];
    for (let at = 0; at < bytes.length && found.length < MOST_FRAMES;) {
      const left = bytes.length - at - size, length = left >= 0 ? lengthAt(bytes, at, size) : -1;
      if (length < 4 || length > 0x7fffffff || (length > left && !(isCaptured && length <= MOST_LENGTH) && !likely(all, bytes, at + size, found.length))) {
        /* What does not begin with a length is one message, or a rest behind others. */
        found.push(unframed(bytes.subarray(at)));
        break;
      }
      found.push({ bytes: bytes.subarray(at, at + size + Math.min(length, left)), framed: true, short: Math.max(0, length - left) });
      at += size + length;
    }
    return found;
  }
  /* The frames of captured streams. What follows a gap may begin within the frame that was cut before it. */
  function captured(all, streams, gaps) {
    return streams.reduce(function (found, bytes, place) {
      const before = found[found.length - 1], rest = gaps[place] > 0 && before ? Math.max(0, before.short - gaps[place]) : 0;
      return found.concat(frames(all, bytes.subarray(rest), true));
    }, []);
  }
  /* Whether a request begins here, or the frames before were whole: then a length that is too large is that of a cut frame. */
  function likely(all, bytes, at, before) {
    if (before) return true;
    const message = at + 4 <= bytes.length ? all.requests.get(lengthAt(bytes, at, 2)) : null;
    return Boolean(message && message.layouts.has(lengthAt(bytes, at + 2, 2)));
  }

  /* --- readings --- */

  function tagsOf(message) {
    let tags = null;
    function collect(path, fields) {
      if (!tags.has(path)) tags.set(path, new Map());
      fields.forEach(function (field) {
        if (field.tag !== null) tags.get(path).set(field.tag, field.name);
        if (field.fields) collect(field.path, field.fields);
      });
    }
    return function (path, tag) {
      if (!tags) {
        tags = new Map();
        message.layouts.forEach(function (layout) { collect("", layout.fields); });
      }
      return (tags.has(path) && tags.get(path).get(tag)) || null;
    };
  }
  function attempt(all, message, layout, head, frame, most) {
    const found = wirebookCodec.open(frame.bytes, frame.framed ? all.headers.frame_length : 0, head, layout, most || SPANS, tagsOf(message));
    if (frame.short) found.errors = found.errors.filter(function (error) { return error.path || error.offset; });
    const lacking = found.errors.length === 1 ? found.errors[0].missing : 0;
    return {
      message: message, layout: layout, head: head, found: found, fits: !found.errors.length && !frame.short,
      /* Whether only the end of the message is missing. */
      reaches: lacking > 0 && lacking <= (frame.framed ? frame.short : LARGE),
    };
  }
  function fieldOf(reading, name) {
    const part = reading.found.parts.find(function (each) { return each.name === "header"; });
    const span = part && part.spans.find(function (each) { return each.path === name && each.kind === "value"; });
    return span ? span.value : null;
  }
  /* A request by the key and the version in its header: null where they name nothing; `problem` where the version is unknown. */
  function request(all, frame) {
    const start = frame.framed ? all.headers.frame_length : 0;
    if (frame.bytes.length < start + 4) return null;
    const message = all.requests.get(lengthAt(frame.bytes, start, 2)), number = lengthAt(frame.bytes, start + 2, 2);
    if (!message) return null;
    const layout = message.layouts.get(number), head = layout && headerOf(all, layout);
    return layout && head ? attempt(all, message, layout, head, frame) : { message: message, number: number };
  }

  /* How likely values are what they are called: higher is likelier. */
  function plausible(reading, codes) {
    /* Clients send the old APIs most; the others have high keys. */
    let score = 3 - Math.min(reading.message.api_key === undefined ? 60 : reading.message.api_key, 60) / 20;
    reading.found.parts.forEach(function (part) {
      part.spans.forEach(function (span) {
        const name = span.field.slice(span.field.lastIndexOf(".") + 1), value = span.value;
        if (span.kind === "unknown") score -= 6;
        else if (span.kind === "null") score -= 0.2;
        else if (span.kind === "count" && value > 0) score += 1;
        if (span.kind !== "value") return;
        if (span.type.endsWith("STRING")) score += text(value, name);
        else if (span.type.endsWith("RECORDS")) score += value.length >= 34 && Number.parseInt(value.slice(32, 34), 16) < 3 ? 12 : -8;
        else if (/ErrorCode$/.test(name)) score += value === 0 ? 2 : codes.has(value) ? 1 : -8;
        else if (name === "Port") score += value > 0 && value < 65536 ? 2 : value === 0 || value === -1 ? 0 : -3;
        else if (/Ms$/.test(name)) score += value >= -1 && value < 86400000 ? 0.5 : -1;
        else if (/(Id|Index|Epoch|Leader|Nodes|Replicas|Generation)$/.test(name) && span.type !== "UUID") score += value >= -1 && value < 100000 ? 0.5 : -0.5;
      });
    });
    return score;
  }
  function text(value, name) {
    if (!value.length) return -0.1;
    const odd = (value.match(/[\u0000-\u001f\u007f-\u009f]/g) || []).length;
    return Math.min(8, 1 + value.length / 4) - 5 * odd + (/^[\w.\-:/ ]+$/.test(value) ? 1 : 0) + (/Host$/.test(name) && /\./.test(value) ? 1 : 0);
  }

  /* Every message that a frame can be, best first: {message, layout, head, found, fits, reaches, score}; if none fits, those that fit up
     to where the frame is cut. What a request answers, and what a reader has chosen (`wanted`: {slug, version, type}), comes first.
     `codes` are the error codes that are known. */
  function readings(all, frame, asked, wanted, codes, isOnly) {
    const own = request(all, frame), whole = frame.short ? [] : candidates(all, frame, asked, wanted, codes, isOnly, "fits", own);
    function isWanted(each) { return Boolean(wanted) && each.message.slug === wanted.slug; }
    if (whole.length && (!wanted || frame.framed || whole.some(isWanted))) return whole;
    const cut = frame.short || !frame.framed ? candidates(all, frame, asked, wanted, codes, false, "reaches", own) : [];
    if (whole.length) return cut.filter(isWanted).concat(whole);
    if (cut.length) return cut;
    /* What begins like a request, or answers one, is shown up to its error. */
    if (own && own.layout) return [Object.assign(own, { score: -100 })];
    if (asked) return answersTo(all, frame, asked, null).slice(0, 1);
    return own ? [own] : [];
  }
  /* The readings that have the property `far`: "fits" or "reaches". */
  function candidates(all, frame, asked, wanted, codes, isOnly, far, own) {
    const made = [];
    /* The correlation id of a response, if it is small, looks like key 0 with a version. */
    if (own && own[far]) made.push(Object.assign(own, { score: (own.message.api_key ? 60 : 10) + plausible(own, codes) }));
    if (asked) answersTo(all, frame, asked, far).forEach(function (each) { made.push(Object.assign(each, { score: 200 + plausible(each, codes), answers: asked })); });
    /* A request whose key, version and bytes all fit is hardly anything else, unless it has little more than a header. */
    const isCertain = made.some(function (each) { return each.score >= 200 || (each.fits && each.message.api_key && frame.bytes.length > 24); });
    if (!isCertain || wanted) {
      /* A response of megabytes is tried as what a reader has chosen only. */
      const some = frame.bytes.length > LARGE ? all.responses.filter(function (each) { return wanted && each.slug === wanted.slug; }) : all.responses;
      some.forEach(function (message) { collect(made, all, frame, message, codes, headerOf, 0, far); });
      if (!made.length && isOnly && frame.bytes.length <= LARGE) {
        all.requests.forEach(function (message) { collect(made, all, frame, message, codes, bare, -40, far); });
        all.responses.forEach(function (message) { collect(made, all, frame, message, codes, bare, -30, far); });
        if (!frame.framed) all.others.forEach(function (message) { collect(made, all, frame, message, codes, prefix, -50, far); });
      }
    }
    if (wanted) made.forEach(function (each) {
      if (each.message.slug !== wanted.slug) return;
      each.score += 300 + (each.layout.version === wanted.version ? 30 : 0) + (each.message.type === wanted.type || each.message.name === wanted.type ? 10 : 0);
    });
    return made.sort(function (a, b) { return b.score - a.score || b.layout.version - a.layout.version || (a.message.name < b.message.name ? -1 : 1); });
  }
  function bare() { return null; }
  function prefix() { return PREFIX; }
  function collect(made, all, frame, message, codes, header, prior, far) {
    message.layouts.forEach(function (layout) {
      const head = header(all, layout);
      if (header === headerOf && !head) return;
      const reading = attempt(all, message, layout, head, frame);
      if (!reading[far] || (header === prefix && fieldOf(reading, "Version") !== layout.version)) return;
      made.push(Object.assign(reading, { score: prior + plausible(reading, codes) }));
    });
  }
  /* The response to a request: of its version, or, where that is not served, of version 0. `far` is null for any reading. */
  function answersTo(all, frame, asked, far) {
    const message = all.responses.find(function (each) { return each.slug === asked.message.slug; }), found = [];
    if (!message) return found;
    [asked.layout.version, 0].forEach(function (number) {
      const layout = message.layouts.get(number), head = layout && headerOf(all, layout);
      if (!found.length && head) {
        const reading = attempt(all, message, layout, head, frame);
        if (!far || reading[far]) found.push(reading);
      }
    });
    return found;
  }

  /* The frames of streams with their readings: [{frame, readings, correlation}]. What begins with the ID of a response may look like
     a length: if the frames do not read all bytes, each stream is one message without a length, whole or else cut. */
  function read(all, streams, gaps, wanted, codes) {
    const list = gaps ? captured(all, streams, gaps) : streams.flatMap(function (bytes) { return frames(all, bytes); });
    const framed = inFrames(all, list.slice(0, MOST_FRAMES), wanted, codes, true);
    const isRight = gaps || framed.every(fitting) || (framed.length === 1 && framed[0].frame.framed && !framed[0].frame.short);
    if (isRight || !all.headers.frame_length) return framed;
    const whole = inFrames(all, streams.map(unframed), wanted, codes, false);
    if (whole.every(fitting)) return whole;
    const last = framed[framed.length - 1], right = framed.filter(fitting).reduce(function (sum, each) { return sum + each.frame.bytes.length; }, 0);
    const isCutAtTheEnd = right && framed.slice(0, -1).every(fitting) && last.frame.short <= LARGE && last.readings.some(function (each) { return each.reaches; });
    if (streams.length > 1 || isCutAtTheEnd || right * 2 > streams[0].length) return framed;
    /* A frame that is cut has a length that is too large. */
    const bytes = streams[0], size = all.headers.frame_length, short = bytes.length > size ? lengthAt(bytes, 0, size) - (bytes.length - size) : 0;
    const cut = short > 0 && short <= LARGE ? inFrames(all, [{ bytes: bytes, framed: true, short: short }], wanted, codes, false) : framed;
    return [cut, whole, framed].find(function (each) { return each[0].readings.length && each[0].readings[0].reaches; }) || framed;
  }
  function unframed(bytes) { return { bytes: bytes, framed: false, short: 0 }; }
  function fitting(each) { return Boolean(each.readings.length && each.readings[0].fits); }
  /* A response is read by the request with its correlation id that no response has answered yet. `canBeBare` is whether one frame may
     be a message without a header. */
  function inFrames(all, found, wanted, codes, canBeBare) {
    const list = found.map(function (frame) { return { frame: frame, own: request(all, frame) }; });
    const waiting = new Map(), answered = new Set(), ID = all.headers.fields.correlation_id, several = list.length > 1;
    if (several) list.forEach(function (each) {
      if (!each.own || !each.own.fits) return;
      const id = fieldOf(each.own, ID);
      if (!waiting.has(id)) waiting.set(id, []);
      waiting.get(id).push(each.own);
    });
    return list.map(function (each) {
      const start = each.frame.framed ? all.headers.frame_length : 0, id = each.frame.bytes.length >= start + 4 ? lengthAt(each.frame.bytes, start, 4) | 0 : null;
      const queue = (waiting.get(id) || []).filter(function (one) { return one !== each.own && !answered.has(one); });
      const asked = queue.length ? queue[0] : null, found = readings(all, each.frame, asked, wanted, codes, canBeBare && !several);
      if (found.length && found[0].answers) answered.add(found[0].answers);
      return { frame: each.frame, readings: found, correlation: found.length && found[0].head ? fieldOf(found[0], ID) : null };
    });
  }
  /* The best of what a text may be: {notation, frames}. More bytes in frames that are read is better, and then what came first. */
  function best(all, choices, wanted, codes) {
    const tried = choices.map(function (choice) {
      const found = read(all, choice.streams.filter(function (each) { return each.length; }), choice.gaps, wanted, codes);
      const right = found.filter(fitting), some = found.filter(function (each) { return each.readings.length && each.readings[0].reaches; });
      return { notation: choice.notation, frames: found, score: found.length ? right.reduce(function (sum, each) { return sum + Math.max(0.1, each.readings[0].score); }, 0) / found.length + (100 * right.length + some.length) / found.length : -1 };
    });
    return tried.reduce(function (before, each) { return each.score > before.score + 0.001 ? each : before; });
  }

  window.wirebookReadings = { known: known, best: best, attempt: attempt };
})();
