/* Joins bytes, rows, grammar and fields on pages that show bytes; and the calculator of the page Bytes. */
(function () {
  "use strict";

  /* --- elements that belong together have the same data-f; a range and its row also share an id --- */

  function join(section) {
    var bar = document.createElement("p"), shown = [], focused = null;
    bar.className = "wb-told";
    bar.setAttribute("role", "status");
    bar.hidden = true;
    section.append(bar);

    function part(node) {
      var found = node && node.closest && node.closest("[data-f]");
      return found && section.contains(found) ? found : null;
    }
    function clear() {
      shown.forEach(function (node) { node.classList.remove("wb-in", "wb-on"); });
      shown = [];
      bar.hidden = true;
    }
    function mark(node, name) {
      node.classList.add(name);
      shown.push(node);
    }
    function show(from) {
      clear();
      if (!from) return;
      section.querySelectorAll('[data-f="' + from.dataset.f + '"]').forEach(function (node) { mark(node, "wb-in"); });
      var id = from.hash ? from.hash.slice(1) : from.id, row = id && document.getElementById(id);
      if (row) {
        mark(row, "wb-on");
        section.querySelectorAll('.wb-run a[href="#' + id + '"]').forEach(function (node) { mark(node, "wb-on"); });
      }
      shown.forEach(function (node) { reveal(node, from); });
      tell(from, row);
    }
    /* Bring it into view in the box it scrolls in; the page itself stays where it is. */
    function reveal(node, from) {
      var box = node.closest(".wb-meanings, .wb-ranges, pre.wb-bnf code");
      if (!box || box.contains(from) || (box.matches(".wb-ranges") && !node.classList.contains("wb-on"))) return;
      var at = node.getBoundingClientRect(), around = box.getBoundingClientRect();
      if (at.top < around.top + 40 || at.bottom > around.bottom) {
        box.scrollTop += at.top - around.top - box.clientHeight / 2;
      }
    }
    function tell(from, row) {
      var words = [], field = section.querySelector('.wb-meanings tr[data-f="' + from.dataset.f + '"]');
      if (row) {
        var cells = row.cells;
        words = ["at " + cells[0].textContent.trim(), cells[1].textContent.trim(), cells[2].textContent.trim(),
          cells[3].textContent.trim(), cells[4].textContent.trim()];
      } else if (field) {
        words = [field.cells[0].textContent.trim(), field.cells[1].textContent.trim()];
      }
      if (field && field.cells[2].textContent.trim()) words.push(field.cells[2].textContent.trim());
      bar.textContent = words.filter(Boolean).join(" · ");
      bar.hidden = !bar.textContent;
    }

    section.addEventListener("mouseover", function (event) {
      var found = part(event.target);
      if (found) show(found);
    });
    section.addEventListener("mouseleave", function () { show(focused); });
    section.addEventListener("focusin", function (event) {
      focused = part(event.target);
      show(focused);
    });
    section.addEventListener("focusout", function () { focused = null; clear(); });
    section.querySelectorAll(".wb-run, .wb-bytes, .wb-meanings table, pre.wb-bnf code").forEach(rove);
  }

  /* One stop for the Tab key in each block; from there the arrow keys step, Home and End go to its ends. */
  function rove(block) {
    var items = Array.prototype.slice.call(block.querySelectorAll("[data-f]"));
    items.forEach(function (item, place) { item.tabIndex = place ? -1 : 0; });
    block.addEventListener("focusin", function (event) {
      if (items.indexOf(event.target) < 0) return;
      items.forEach(function (item) { item.tabIndex = item === event.target ? 0 : -1; });
    });
    block.addEventListener("keydown", function (event) {
      var here = items.indexOf(event.target), next = null;
      if (here < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "ArrowRight") next = here + 1;
      else if (event.key === "ArrowLeft") next = here - 1;
      else if (event.key === "ArrowDown") next = line(items, here, 1);
      else if (event.key === "ArrowUp") next = line(items, here, -1);
      else if (event.key === "Home") next = 0;
      else if (event.key === "End") next = items.length - 1;
      else if (event.key === "Escape") event.target.blur();
      if (next === null) return;
      event.preventDefault();
      items[Math.max(0, Math.min(items.length - 1, next))].focus();
    });
  }
  /* The item on the next or last line that stands nearest below or above. */
  function line(items, here, step) {
    var from = items[here].getClientRects()[0], best = null, least = Infinity;
    for (var at = here + step; items[at]; at += step) {
      var rect = items[at].getClientRects()[0];
      if (Math.abs(rect.top - from.top) < 4) continue;
      var far = Math.abs(rect.left - from.left) + 1000 * Math.round(Math.abs(rect.top - from.top) / 4);
      if (far < least) { least = far; best = at; }
      else if (best !== null) break;
    }
    return best === null ? here : best;
  }

  /* --- the calculator: a value to bytes and back, by the rules of specs/wire/ --- */

  var UNSIGNED = 4294967295n, MOST = 32767;
  var KINDS = {
    unsigned: { low: 0n, high: UNSIGNED, bytes: 5, name: "an unsigned varint" },
    zigzag: { low: -2147483648n, high: 2147483647n, bytes: 5, name: "a zig-zag varint of 32 bits" },
    zigzag64: { low: -9223372036854775808n, high: 9223372036854775807n, bytes: 10, name: "a zig-zag varint of 64 bits" }
  };

  function varint(value) {
    var made = [];
    for (; value > 127n; value >>= 7n) made.push(Number(value & 127n) | 128);
    return made.concat(Number(value));
  }
  function zigzag(value) { return value < 0n ? -2n * value - 1n : 2n * value; }
  function back(value) { return value & 1n ? -(value >> 1n) - 1n : value >> 1n; }
  function hex(bytes) {
    return Array.prototype.map.call(bytes, function (byte) { return (byte < 16 ? "0" : "") + byte.toString(16); }).join(" ");
  }
  function count(number, word) { return number + " " + word + (number === 1 ? "" : "s"); }

  function number(kind, text) {
    var rules = KINDS[kind], wanted = text.trim().replace(/^\u2212/, "-");
    if (!wanted) throw new Error("write a whole number");
    if (!/^-?\d{1,40}$/.test(wanted)) throw new Error("\"" + text.trim().slice(0, 40) + "\" is not a whole number");
    var value = BigInt(wanted);
    if (value < rules.low || value > rules.high) {
      throw new Error(wanted + " does not fit: " + rules.name + " holds " + rules.low + " to " + rules.high);
    }
    return value;
  }
  /* The bytes of a value: a text of digits, or a string, or null. */
  function write(kind, value) {
    if (kind !== "string") {
      var given = number(kind, String(value)), raw = kind === "unsigned" ? given : zigzag(given);
      return { bytes: varint(raw), raw: raw };
    }
    if (value === null) return { bytes: [0], raw: 0n };
    if (/[\ud800-\udbff](?![\udc00-\udfff])|(^|[^\ud800-\udbff])[\udc00-\udfff]/.test(value)) {
      throw new Error("the text contains half a character, which UTF-8 cannot encode");
    }
    var text = new TextEncoder().encode(value);
    if (text.length > MOST) throw new Error("the text has " + text.length + " bytes; a string holds at most " + MOST);
    var length = BigInt(text.length + 1);
    return { bytes: varint(length).concat(Array.from(text)), raw: length };
  }
  function digits(text) {
    var wanted = text.replace(/0x/gi, "").replace(/[\s,:]+/g, "");
    if (!wanted) throw new Error("write bytes in hex, such as ac 02");
    var bad = /[^0-9a-f]/i.exec(wanted);
    if (bad) throw new Error("\"" + bad[0] + "\" is not a hex digit: 0 to 9 and a to f, two for each byte");
    if (wanted.length % 2) throw new Error("the last byte has only one digit: every byte has two");
    return wanted.match(/../g).map(function (pair) { return parseInt(pair, 16); });
  }
  /* An unsigned varint at the start of bytes, and how many bytes it has. */
  function leading(bytes, most) {
    var value = 0n, bits = most === 5 ? 32n : 64n;
    for (var at = 0; at < most; at++) {
      if (at >= bytes.length) {
        throw new Error(at ? "the varint does not end: byte " + at + " announces another one" : "there are no bytes");
      }
      value |= BigInt(bytes[at] & 127) << BigInt(7 * at);
      if (bytes[at] < 128) {
        if (value >> bits) throw new Error("the varint is larger than " + bits + " bits hold");
        return { value: value, size: at + 1 };
      }
    }
    throw new Error("the varint is too long: byte " + most + " must be its last");
  }
  /* The value of bytes in hex: a text of digits, or a string, or null; all bytes must be used. */
  function read(kind, text) {
    var bytes = digits(text), first = leading(bytes, kind === "zigzag64" ? 10 : 5), end = first.size;
    var found = { raw: first.value, long: first.size > varint(first.value).length, bytes: bytes, value: null };
    if (kind !== "string") found.value = String(kind === "unsigned" ? first.value : back(first.value));
    else if (first.value > 0n) {
      var length = Number(first.value) - 1, there = bytes.length - end;
      if (length > MOST) throw new Error("the length is " + length + " bytes; a string holds at most " + MOST);
      if (length > there) throw new Error("the length is " + count(length, "byte") + ", but " + there + (there === 1 ? " follows" : " follow"));
      try {
        found.value = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(new Uint8Array(bytes.slice(end, end + length)));
      } catch (error) {
        throw new Error("the bytes of the text are not UTF-8");
      }
      end += length;
    }
    if (end < bytes.length) throw new Error("it ends after " + count(end, "byte") + ", but " + count(bytes.length - end, "byte") + " more " + (bytes.length - end === 1 ? "follows" : "follow"));
    return found;
  }
  function binary(number, width) {
    var text = number.toString(2);
    return "0".repeat(Math.max(0, width - text.length)) + text;
  }
  function steps(kind, raw, value, long) {
    var words = [], bytes = varint(raw);
    if (kind.indexOf("zigzag") === 0) words.push(value + " becomes " + raw + " by zig-zag");
    if (kind === "string") words.push(value === null ? "null is length 0" : "the length " + (raw - 1n) + " is written as " + raw);
    words.push("in groups of 7 bits, the lowest first, with a 1 before all but the last: " + bytes.map(function (byte) {
      return (byte >> 7) + "·" + binary(byte & 127, 7);
    }).join(" "));
    if (long) words.push("longer than necessary, but accepted");
    return sentence(words.join("; "));
  }

  function sentence(text) { return text.charAt(0).toUpperCase() + text.slice(1) + "."; }

  function calculator(form) {
    var kind = form.elements.kind, value = form.elements.value, bytes = form.elements.hex, none = form.elements.none;
    var told = form.querySelector("[role=status]"), last = "value";
    function run() {
      var string = kind.value === "string", wrong = "";
      none.closest("label").hidden = !string;
      value.disabled = string && none.checked && last === "value";
      value.setAttribute("aria-invalid", "false");
      bytes.setAttribute("aria-invalid", "false");
      try {
        if (last === "value") {
          var given = string && none.checked ? null : value.value, made = write(kind.value, given);
          bytes.value = hex(made.bytes);
          told.textContent = steps(kind.value, made.raw, given, false);
        } else {
          var found = read(kind.value, bytes.value);
          none.checked = string && found.value === null;
          value.disabled = none.checked;
          value.value = found.value === null ? "" : found.value;
          told.textContent = steps(kind.value, found.raw, found.value, found.long);
        }
      } catch (error) {
        wrong = error.message;
        told.textContent = sentence(wrong);
        form.elements[last === "value" ? "value" : "hex"].setAttribute("aria-invalid", "true");
        if (last === "value") bytes.value = "";
        else value.value = "";
      }
      told.classList.toggle("wb-wrong", Boolean(wrong));
    }
    kind.addEventListener("change", function () {
      last = "value";
      value.value = kind.value === "string" ? "hello" : kind.value === "unsigned" ? "300" : "-3";
      none.checked = false;
      run();
    });
    value.addEventListener("input", function () { last = "value"; run(); });
    none.addEventListener("change", function () { last = "value"; run(); });
    bytes.addEventListener("input", function () { last = "hex"; run(); });
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    form.hidden = false;
    run();
  }

  window.wirebookBytes = {
    join: join,
    write: function (kind, value) { return hex(write(kind, value).bytes); },
    read: function (kind, text) { return read(kind, text).value; },
    joinWithin: function (part) { part.querySelectorAll(".wb-wire").forEach(join); }
  };
  document.querySelectorAll(".wb-wire").forEach(join);
  document.querySelectorAll("form.wb-calculator").forEach(calculator);
})();
