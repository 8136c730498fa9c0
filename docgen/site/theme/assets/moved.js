// A page that has moved: go to the new address, with the anchor.
location.replace(document.querySelector("a").href + location.hash);
