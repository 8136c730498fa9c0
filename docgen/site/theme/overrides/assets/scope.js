// What Material's scripts keep in the browser, by the root of the site. A file of its own, in place of an inline script
// of the theme, so that the site's Content-Security-Policy needs no exception.
var __md_scope = new URL("..", document.currentScript.src);
function __md_hash(text) {
  return [...text].reduce((hash, character) => (hash << 5) - hash + character.charCodeAt(0), 0);
}
function __md_get(name, storage = localStorage, scope = __md_scope) {
  return JSON.parse(storage.getItem(scope.pathname + "." + name));
}
function __md_set(name, value, storage = localStorage, scope = __md_scope) {
  try {
    storage.setItem(scope.pathname + "." + name, JSON.stringify(value));
  } catch {
    // A full or forbidden storage: the choice lasts as long as the page.
  }
}
