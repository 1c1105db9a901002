'use strict';
// Tables are sorted by a click on a heading: ascending, descending, as they were.
(() => {
  const prefixes = {p: 1e-12, n: 1e-9, u: 1e-6, 'µ': 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18,
    Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50};
  // number reads what a cell begins with: 21.2 ms, 80 GiB, +3.1 %. Units have a letter
  // after their prefix, so that m alone is metres and min is minutes nowhere here.
  function number(text) {
    const m = /^\s*([-+]?[\d.]+(?:e[-+]?\d+)?)(?:\s*(Ki|Mi|Gi|Ti|Pi|[pnuµmkMGTPE])(?=[A-Za-z]))?/.exec(text);
    return m ? Number(m[1]) * (m[2] ? prefixes[m[2]] : 1) : NaN;
  }
  function order(a, b) {
    if (a.empty || b.empty) return a.empty - b.empty; // what is not known comes last either way
    if (!Number.isNaN(a.number) && !Number.isNaN(b.number)) return a.sign * (a.number - b.number);
    return a.sign * a.text.localeCompare(b.text, 'en', {numeric: true});
  }
  function sort(button) {
    const head = button.parentElement, row = head.parentElement, body = head.closest('table').tBodies[0];
    const next = {ascending: 'descending', descending: 'none'}[head.getAttribute('aria-sort')] || 'ascending';
    for (const h of row.cells) h.setAttribute('aria-sort', 'none');
    head.setAttribute('aria-sort', next);
    const rows = [...body.rows];
    rows.forEach((r, i) => { r.dataset.at ??= i; });
    if (next === 'none') rows.sort((a, b) => a.dataset.at - b.dataset.at);
    else {
      const sign = next === 'ascending' ? 1 : -1;
      const keys = new Map(rows.map(r => {
        const text = r.cells[head.cellIndex]?.textContent.trim() ?? '';
        return [r, {text, number: number(text), empty: text === '' || text === '-', sign}];
      }));
      rows.sort((a, b) => order(keys.get(a), keys.get(b)) || a.dataset.at - b.dataset.at);
    }
    body.append(...rows);
  }
  for (const head of document.querySelectorAll('thead th')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'sort';
    button.title = 'Sort';
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute('aria-sort', 'none');
  }
  document.addEventListener('click', e => {
    const button = e.target.closest?.('.sort');
    if (button) sort(button);
  });
})();
