// Points of plots and cells of heat maps say their values: on hovering, on a tap, and by
// keyboard - Tab goes to a plot, the arrow keys from point to point.
(() => {
  const tip = document.createElement('div');
  tip.className = 'tip';
  tip.hidden = true;
  tip.setAttribute('aria-hidden', 'true'); // the mark itself has the text as its label
  document.body.append(tip);
  const marks = group => [...group.querySelectorAll(group.matches('svg *') ? ':scope > *' : '[data-says]')];
  // said turns the title of a mark, which browsers show by themselves, into its label.
  function said(mark) {
    const title = mark.querySelector(':scope > title');
    if (title) {
      mark.setAttribute('role', 'img');
      mark.setAttribute('aria-label', title.textContent);
      title.remove();
    }
    mark.removeAttribute('title');
    return mark.dataset.says || mark.getAttribute('aria-label');
  }
  function show(mark) {
    tip.textContent = said(mark);
    tip.hidden = false;
    const at = mark.getBoundingClientRect(), size = tip.getBoundingClientRect(), edge = 6;
    const wide = document.documentElement.clientWidth;
    let top = at.top - size.height - edge;
    if (top < edge) top = at.bottom + edge;
    tip.style.top = top + 'px';
    tip.style.left = Math.max(edge, Math.min(at.left + at.width / 2 - size.width / 2, wide - size.width - edge)) + 'px';
  }
  const hide = () => { tip.hidden = true; };
  const markOf = e => {
    const group = e.target.closest?.('.marks');
    return group && marks(group).find(m => m.contains(e.target));
  };
  for (const group of document.querySelectorAll('.marks')) {
    const first = marks(group)[0];
    if (!first) continue;
    said(first);
    first.setAttribute('tabindex', '0');
  }
  // under is the mark nearest to the pointer of those it is over: points may overlap.
  function under(e) {
    const hit = markOf(e);
    if (!hit?.matches('svg *')) return hit;
    const far = m => { const r = m.getBoundingClientRect(); return Math.hypot(r.left + r.width / 2 - e.clientX, r.top + r.height / 2 - e.clientY); };
    const all = document.elementsFromPoint(e.clientX, e.clientY).filter(m => m.parentElement === hit.parentElement);
    return all.sort((a, b) => b.matches('circle') - a.matches('circle') || far(a) - far(b))[0] || hit;
  }
  for (const kind of ['pointermove', 'pointerdown']) document.addEventListener(kind, e => {
    const mark = under(e);
    if (mark) show(mark); else if (!document.activeElement?.closest('.marks')) hide();
  });
  document.addEventListener('focusin', e => {
    const mark = markOf(e);
    if (mark) show(mark); else hide();
  });
  document.addEventListener('scroll', hide, {capture: true, passive: true});
  document.addEventListener('keydown', e => {
    if (e.key === 'Escape') return hide();
    const mark = markOf(e), group = mark?.closest('.marks');
    if (!group) return;
    const all = marks(group), at = all.indexOf(mark);
    const width = mark.matches('td') ? mark.parentElement.querySelectorAll('[data-says]').length : 1;
    const to = {ArrowRight: at + 1, ArrowLeft: at - 1, ArrowDown: at + width, ArrowUp: at - width, Home: 0, End: all.length - 1}[e.key];
    if (to === undefined) return;
    e.preventDefault();
    const next = all[to];
    if (!next) return;
    said(next);
    mark.setAttribute('tabindex', '-1');
    next.setAttribute('tabindex', '0');
    next.focus();
    show(next); // after the scrolling that focusing may have done
  });
})();
