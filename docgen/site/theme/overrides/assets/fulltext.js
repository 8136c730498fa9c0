/* In place of the worker of Material's search: the index is read when the full text is searched first, not on every page, where
   preparing it takes half a second of a processor. The address of Material's own worker, from this script, is behind the #. */
(function () {
  "use strict";
  const SETUP = 0, READY = 1, QUERY = 2, RESULT = 3;
  let query = "", theirs = null;

  /* Material's handler of messages, which returns a promise, with the index set up. */
  async function loaded() {
    const answer = await fetch(new URL("../search/search_index.json", location));
    if (!answer.ok) throw new Error(String(answer.status));
    const index = await answer.json();
    let handler = null;
    self.addEventListener = function (_, listener) { handler = listener; };
    importScripts(new URL(location.hash.slice(1), location));
    delete self.addEventListener;
    await handler({ data: { type: SETUP, data: Object.assign({ options: { suggest: true } }, index) } });
    return handler;
  }

  self.onmessage = async function (event) {
    if (event.data.type !== QUERY) return;
    query = event.data.data;
    const asked = query;
    if (theirs || query.trim()) {
      try {
        theirs = theirs || loaded();
        const handler = await theirs;
        /* Of what was typed meanwhile, the last is answered. */
        if (asked === query) await handler(event);
        return;
      } catch (error) {
        theirs = null;
        console.warn("The index of the full text cannot be loaded.", error);
      }
    }
    self.postMessage({ type: RESULT, data: { items: [] } });
  };
  self.postMessage({ type: READY });
})();
