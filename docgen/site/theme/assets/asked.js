/* What is computed from the address has its room from the first paint, so that nothing moves when it is there. */
document.documentElement.dataset.asked = (location.hash.match(/^#(\w+)=/) || ["", ""])[1];
