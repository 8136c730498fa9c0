/* The value of a message as a form: an input for each field of its layout, by the names that errors of the encoder have. */
(function () {
  "use strict";

  /* A form of more inputs is slow, and nobody fills it in. */
  const MOST = 1500;
  const INTEGER = /INT\d+$/;

  /* The number of inputs of a value. */
  function size(value) {
    if (value === null || typeof value !== "object") return 1;
    return Object.values(value).reduce(function (sum, each) { return sum + size(each); }, 1);
  }
  function below(path, name) { return path ? path + (name.startsWith("[") ? "" : ".") + name : name; }
  function isStruct(field) { return Boolean(field.fields) && !field.element; }

  /* Draws the form of a value into a container. `options` has the layout, `fresh(field)` for the value that a field begins with,
     `element` to make elements, and `changed` to call after each change of the value, which is edited in place. */
  function draw(container, value, options) {
    const element = options.element, changed = options.changed;

    function again(path, name) {
      container.replaceChildren(...struct(options.layout.fields, value, ""));
      const found = Array.from(container.querySelectorAll("input, button")).find(function (each) { return each.dataset.at === path && (!name || each.name === name); });
      if (found) found.focus();
      changed();
    }
    function button(text, label, path, name, act) {
      const made = element("button", { type: "button", name: name, "aria-label": label, "data-at": path }, text);
      made.addEventListener("click", act);
      return made;
    }
    function check(text, label, path, name, on, act) {
      const made = element("input", { type: "checkbox", name: name, "data-at": path, "aria-label": label });
      made.checked = on;
      made.addEventListener("change", function () { act(made.checked); });
      return element("label", { class: "wb-switch" }, made, " " + text);
    }
    function typeOf(field) { return field.type + (field.element ? " of " + field.element : ""); }

    /* `holder[key]` is the value of the field. */
    function struct(fields, holder, path) {
      return fields.map(function (field) { return row(field, holder, field.name, below(path, field.name), field.name); });
    }
    function row(field, holder, key, path, name, ...more) {
      const isSent = Object.hasOwn(holder, key), switches = [];
      if (field.tag !== null) {
        switches.push(check("send", path + ": send", path, "send", isSent, function (on) {
          if (on) holder[key] = options.fresh(field, true);
          else delete holder[key];
          again(path, "send");
        }));
      }
      if (field.nullable && isSent) {
        switches.push(check("null", path + ": null", path, "null", holder[key] === null, function (on) {
          holder[key] = on ? null : options.fresh(field, true);
          again(path, "null");
        }));
      }
      const about = element("small", {}, (field.tag !== null ? "tag " + field.tag + ", " : "") + typeOf(field));
      const isThere = isSent && holder[key] !== null;
      if (!field.element && !isStruct(field)) {
        const parts = isThere ? [scalar(field.type, holder, key, path)] : [];
        return element("div", { class: "wb-entry" }, element("span", { class: "wb-name" }, name), ...parts, ...switches, about, ...more);
      }
      const inner = !isThere ? [] : field.element ? elements(field, holder[key], path) : struct(field.fields, holder[key], path);
      return element("fieldset", { "data-at": path }, element("legend", {}, name, " ", about), ...switches, ...more, ...inner);
    }
    function elements(field, list, path) {
      const one = Object.assign({}, field, { type: field.fields ? "STRUCT" : field.element, element: null, nullable: false, tag: null, default: null });
      const parts = list.map(function (_, at) {
        const place = below(path, "[" + at + "]");
        const remove = button("Remove", "Remove " + place, place, "remove", function () {
          list.splice(at, 1);
          again(path, "add");
        });
        return row(one, list, at, place, field.name + "[" + at + "]", remove);
      });
      parts.push(button("Add an element", "Add an element to " + path, path, "add", function () {
        list.push(options.fresh(one, true));
        again(below(path, "[" + (list.length - 1) + "]"));
      }));
      return parts;
    }
    function scalar(type, holder, key, path) {
      if (type === "BOOLEAN" && typeof holder[key] === "boolean") {
        return check(String(holder[key]), path, path, "value", holder[key], function (on) {
          holder[key] = on;
          again(path, "value");
        });
      }
      const made = element("input", { "data-at": path, "aria-label": path, spellcheck: "false", autocomplete: "off", autocapitalize: "off" });
      made.value = typeof holder[key] === "string" ? holder[key] : String(holder[key]);
      made.addEventListener("input", function () {
        holder[key] = read(type, made.value);
        changed();
      });
      return made;
    }
    container.replaceChildren(...struct(options.layout.fields, value, ""));
  }
  /* What a text in the input of a type is: where it is no number, the text, which the encoder reports. */
  function read(type, text) {
    const words = text.trim();
    if (INTEGER.test(type) && /^-?\d{1,40}$/.test(words)) return Number.isSafeInteger(Number(words)) ? Number(words) : BigInt(words);
    if (type === "FLOAT64" && words && !["NaN", "Infinity", "-Infinity"].includes(words) && !Number.isNaN(Number(words))) return Number(words);
    if (type === "BOOLEAN" && (words === "true" || words === "false")) return words === "true";
    return type.endsWith("STRING") ? text : words;
  }
  /* Marks the input of a field, by its path in an error; "" for none. */
  function mark(container, path, status) {
    container.querySelectorAll("[aria-invalid]").forEach(function (each) {
      each.removeAttribute("aria-invalid");
      each.removeAttribute("aria-describedby");
    });
    const found = path && Array.from(container.querySelectorAll("[data-at]")).find(function (each) { return each.dataset.at === path; });
    if (!found) return;
    found.setAttribute("aria-invalid", "true");
    found.setAttribute("aria-describedby", status.id);
  }

  window.wirebookForm = { MOST: MOST, size: size, draw: draw, mark: mark, read: read };
})();
