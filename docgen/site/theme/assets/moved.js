// A page that has moved: go to the new address, with the anchor.
const link = document.querySelector("a");
location.replace(location.hash ? link.href.split("#")[0] + location.hash : link.href);
