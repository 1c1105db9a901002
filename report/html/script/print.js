// Paper cannot be unfolded: what is folded is opened for printing.
(() => {
  let opened = [];
  addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll('details:not([open])')];
    for (const d of opened) d.open = true;
  });
  addEventListener('afterprint', () => { for (const d of opened) d.open = false; });
})();
