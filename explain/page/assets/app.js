// What is chosen, and what the page shows of it.

const data = JSON.parse($('data').textContent);
const explained = new Map(); // "x,y" of the picture to the explanations of the pixel
const all = new Map(); // a target's name to its explanation
// chosen is the pixel, shown the explanation on the right: one of the pixel, or of where its value came from.
// trail are the explanations that were walked through to it, each with the value that was read there.
const state = { x: 0, y: 0, shown: null, primitive: null, trail: [] };
const key = () => state.x + ',' + state.y;
const nameOf = t => JSON.stringify([t.image, t.level, t.layer, t.x, t.y, t.sample]);

// way is the button that leads to the history of a texel, as it was when it held a value: to what is known of it, or
// to what the server answers; null: there is no way.
const way = (t, held) => {
  const known = all.get(nameOf(t));
  if (!known && !(data.serve && data.follow && /#\d+/.test(t.image || ''))) return null;
  return h('button', { type: 'button', onclick: () => (known ? walk(known, held) : follow(t, held)) }, 'Its history');
};

// walk goes on to the history of a texel that the one shown leads to.
const walk = (e, held) => {
  const been = state.trail.length ? state.trail : [{ shown: state.shown, held: null }];
  const at = been.findIndex(s => s.shown === e);
  state.trail = at >= 0 ? been.slice(0, at + 1) : [...been, { shown: e, held }];
  show1(e);
};

// show1 shows an explanation of another image than the picture.
const show1 = e => {
  state.shown = e;
  state.primitive = null;
  show();
  readout();
  redraw();
  $('explanation').scrollTop = 0;
  $('explanation').focus();
  reveal();
};

// trail is the way that the value has come, which can be gone back.
const trail = here => {
  const way = state.trail.some(s => s.shown === state.shown) ? state.trail : [{ shown: here[0], held: null }, { shown: state.shown, held: null }];
  const held = way.find(s => s.shown === state.shown).held;
  const last = list(state.shown.events).findLast(v => v.outcome === 'wrote' && (!held || told(v.after) === told(held)));
  return [
    h('nav', { class: 'trail', 'aria-label': 'Where the value came from' }, h('ol', {}, way.map((s, i) => {
      const t = s.shown.target;
      const name = `${t.x}, ${t.y} of ${t.image || 'the image'}`;
      return h('li', {}, s.shown === state.shown ? h('b', { 'aria-current': 'step' }, name)
        : h('button', { type: 'button', onclick: () => (i === 0 ? pick(s.shown) : show1(s.shown)) }, name));
    }))),
    h('p', { class: 'faint' }, 'The value of the pixel came from here. ', h('button', { type: 'button', onclick: () => pick(here[0]) }, 'Back to the pixel')),
    held ? h('p', {}, 'It held ', value(held), ' when it was read', last ? [', which ', h('b', {}, last.where), ' had left'] : null, '.') : null];
};

// follow asks for the history of a texel; of one that nothing in the frame wrote from the first frame on.
const follow = async (t, held) => {
  cancel();
  const controller = (asking.controller = new AbortController());
  const at = state.shown;
  $('explanation').prepend(h('p', { class: 'waiting', role: 'status' }, h('span', { class: 'spinner', 'aria-hidden': 'true' }), 'It is drawn again, and the texel watched …'));
  let error = '';
  let found = null;
  try {
    for (const early of ['', '1']) {
      const query = new URLSearchParams({ image: t.image, level: t.level, layer: t.layer, x: t.x, y: t.y, sample: t.sample, early });
      const answer = await fetch('follow?' + query, { signal: controller.signal, cache: 'no-store' });
      const got = await answer.json();
      if (got.error) throw new Error(got.error);
      Object.assign(data.rules, got.rules);
      for (const e of list(got.explanations)) all.set(nameOf(e.target), e);
      found = list(got.explanations)[0] || found;
      if (found && list(found.events).some(v => v.outcome === 'wrote')) break;
    }
    if (found) all.set(nameOf(t), found);
    else error = 'No explanation of this texel came back.';
  } catch (e) {
    if (controller.signal.aborted) return;
    error = e instanceof TypeError || e instanceof SyntaxError ? 'pumice explain does not answer; has it ended?' : e.message;
  }
  if (asking.controller !== controller) return;
  asking.controller = null;
  if (state.shown !== at) return;
  if (found) walk(found, held);
  else {
    show();
    $('explanation').prepend(h('p', { class: 'problem', role: 'alert' }, error));
  }
};

// learn takes explanations in. Those of images as large as the picture are of its
// pixels; others, from which a pixel was copied, are reached through their events.
const learn = es => {
  const ofPicture = t => t.width === data.width && t.height === data.height;
  const any = es.some(e => ofPicture(e.target));
  for (const e of es) {
    const name = nameOf(e.target);
    if (!any || ofPicture(e.target)) {
      const k = e.target.x + ',' + e.target.y;
      const others = (explained.get(k) || []).filter(o => nameOf(o.target) !== name);
      explained.set(k, [...others, e].sort((a, b) => (a.target.image === b.target.image ? a.target.sample - b.target.sample : 0)));
    }
    all.set(name, e);
  }
};

// ofSamples are a pixel's explanations in the image that has most samples.
const ofSamples = here => {
  const most = Math.max(...here.map(e => e.target.samples));
  return here.filter(e => e.target.samples === most);
};

// decided is what a pixel's value comes from, through resolves, copies and blits, as far as it is explained.
const decided = here => {
  let e = here[0];
  for (let hops = 0; hops < 8; hops++) { // as many as there could be; images that are copied to and fro have no end
    const last = list(e.events).findLast(v => v.outcome === 'wrote');
    const next = last && last.from && all.get(nameOf(last.from));
    if (!next) break;
    e = next;
  }
  return e;
};

// choose makes a pixel the chosen one, and asks for it if it is not explained and can
// be, in so many milliseconds: at once where it was clicked, later where keys run over it.
const choose = (x, y, sample, delay) => {
  const moved = x !== state.x || y !== state.y;
  state.x = x;
  state.y = y;
  const here = explained.get(key());
  state.trail = [];
  if (moved) {
    state.primitive = null;
    cancel();
  }
  if (moved || !here || sample >= 0) state.shown = here ? ofSamples(here).find(e => e.target.sample === sample) || decided(here) : null;
  state.shown = state.shown || (here ? decided(here) : null);
  if (!here && data.serve && Number.isFinite(delay)) ask(delay);
  show();
  readout();
  redraw();
  try {
    window.history.replaceState(null, '', `#${x},${y}` + (state.shown ? `,${state.shown.target.sample}` : ''));
  } catch { /* a page without an address */ }
};

const readout = () => {
  const e = state.shown;
  const c = shown(state.x, state.y);
  $('readout').replaceChildren(h('b', {}, `${state.x}, ${state.y}`), c ? value({ color: c, text: c.endsWith('ff') ? c.slice(0, 7) : `alpha ${parseInt(c.slice(7), 16)}/255` }) : '',
    e && e.target.samples > 1 ? h('span', {}, `sample ${e.target.sample}: `, value(e.after)) : e ? value(e.after) : h('span', { class: 'faint' }, data.serve ? '' : 'no history in this report'));
  $('x').value = state.x;
  $('y').value = state.y;
  for (const b of $('explained').children) b.setAttribute('aria-pressed', String(b.dataset.key === key()));
};

const chips = () => {
  $('explained').replaceChildren(...[...explained].map(([k, es]) => {
    const { x, y } = es[0].target;
    return h('button', { type: 'button', 'data-key': k, 'aria-pressed': String(k === key()), onclick: () => go(x, y) }, es.map(e => swatch(e.after)), `${x}, ${y}`);
  }));
  $('explained-title').hidden = explained.size === 0;
};

const go = (x, y) => {
  choose(x, y, -1, 0);
  reveal();
};

// show fills the right side.
const show = () => {
  const e = state.shown;
  $('explanation').replaceChildren(...(e ? explanation(e, explained.get(key()) || [e]) : nothing()).flat(Infinity).filter(Boolean));
};

const explanation = (e, here) => {
  const t = e.target;
  const facts = [t.format, `${t.width} × ${t.height}`, t.samples > 1 ? `${t.samples} samples` : null, t.level ? `level ${t.level}` : null, t.layer ? `layer ${t.layer}` : null].filter(Boolean).join(' · ');
  return [
    h('h2', {}, `Pixel ${t.x}, ${t.y}`, h('span', { class: 'faint' }, ' of '), t.image || 'the image'),
    h('p', { class: 'faint facts' }, facts),
    here.length > 1 || t.samples > 1 ? h('div', { class: 'tabs', role: 'group', 'aria-label': 'Samples' }, here.map(o => h('button', { type: 'button', 'aria-pressed': String(o === e), onclick: () => pick(o) }, swatch(o.after), tabName(o, here)))) : null,
    here.includes(e) ? null : trail(here),
    h('div', { class: 'final' },
      h('div', { class: 'was' }, swatch(e.before, 'large'), h('div', {}, h('small', {}, 'before'), h('span', { class: 'figure' }, told(e.before) || '–'), bits(e.before))),
      h('span', { class: 'arrow', 'aria-hidden': 'true' }, '→'),
      h('div', { class: 'is' }, swatch(e.after, 'huge'), h('div', {}, h('small', {}, 'value'), h('span', { class: 'figure', id: 'after' }, told(e.after) || '–'), bits(e.after)))),
    list(e.stored).length ? h('p', { class: 'faint' }, 'Decoded from ', list(e.stored).map((x, i) => [i ? '; ' : '', list(e.stored).length > 1 ? `plane ${x.plane}, texel ` : 'block ', `${x.x}, ${x.y} at byte ${x.offset}: `, h('code', { class: 'bits' }, '0x' + x.bits)])) : null,
    list(e.verdict).length ? h('div', { class: 'verdict', role: 'note', 'aria-label': 'What matters most' }, e.verdict.map(l => h('p', {}, l)), list(e.hints).filter(x => x.tried).map(x => h('p', {}, swatch(x.tried.after), ' ', x.tried.says))) : null,
    history(e),
  ];
};

const tabName = (e, here) => {
  const one = here.every(o => o.target.image === e.target.image);
  return [one ? '' : e.target.image, one || e.target.samples > 1 ? `sample ${e.target.sample}` : ''].filter(Boolean).join(' ');
};

// pick shows one of the explanations of the pixel, or one that they lead to; the focus
// stays on the buttons above.
const pick = e => {
  const inside = document.activeElement && document.activeElement.closest('.tabs');
  state.shown = e;
  state.primitive = null;
  choose(state.x, state.y, -1, Infinity);
  const pressed = document.querySelector('.tabs [aria-pressed=true]');
  if (inside && pressed) pressed.focus();
};

const nothing = () => [
  h('h2', {}, `Pixel ${state.x}, ${state.y}`),
  asking.error ? h('p', { class: 'problem', role: 'alert' }, asking.error) : null,
  asking.controller || asking.timer
    ? h('p', { class: 'waiting', role: 'status' }, h('span', { class: 'spinner', 'aria-hidden': 'true' }), 'The picture is drawn again, and this pixel watched …')
    : data.serve
      ? h('p', { class: 'asking' }, h('button', { type: 'button', onclick: () => ask(0) }, 'Explain this pixel'), ' or click another one in the picture.')
      : h('p', {}, 'This report holds no history of this pixel', explained.size ? '; pixels that it explains have a yellow frame.' : '.', ' ', h('code', {}, `pumice explain --pixel ${state.x},${state.y}`), ' makes one, and ', h('code', {}, '--serve'), ' explains any pixel that is clicked.'),
];

// One question at a time is under way; a new one ends it.
const asking = { timer: 0, controller: null, error: '' };

const cancel = () => {
  clearTimeout(asking.timer);
  if (asking.controller) asking.controller.abort();
  asking.timer = 0;
  asking.controller = null;
  asking.error = '';
};

const ask = delay => {
  cancel();
  const { x, y } = state;
  asking.timer = setTimeout(async () => {
    asking.timer = 0;
    const controller = (asking.controller = new AbortController());
    let error = '';
    try {
      const answer = await fetch(`explain?x=${x}&y=${y}`, { signal: controller.signal, cache: 'no-store' });
      const got = await answer.json();
      if (got.error) throw new Error(got.error);
      Object.assign(data.rules, got.rules);
      learn(list(got.explanations));
      if (!explained.has(x + ',' + y)) error = 'No explanation of this pixel came back.';
      chips();
    } catch (e) {
      if (controller.signal.aborted) return;
      error = e instanceof TypeError || e instanceof SyntaxError ? 'pumice explain does not answer; has it ended?' : e.message;
    }
    if (asking.controller !== controller) return;
    asking.controller = null;
    asking.error = error;
    arrived(x, y);
  }, delay);
  show();
};

// arrived shows what came for a pixel if that is still the chosen one.
const arrived = (x, y) => {
  if (state.x !== x || state.y !== y) return;
  const here = explained.get(key());
  state.shown = here ? decided(here) : null;
  show();
  readout();
  redraw();
};

const next = by => {
  const keys = [...explained.keys()];
  if (keys.length === 0) return;
  const at = keys.indexOf(key());
  const to = at < 0 ? (by > 0 ? 0 : keys.length - 1) : (at + by + keys.length) % keys.length;
  go(...keys[to].split(',').map(Number));
};

const nextSample = by => {
  const here = explained.get(key());
  if (!here) return;
  const at = here.indexOf(state.shown);
  pick(here[(at + by + here.length) % here.length]);
};

const keys = {
  '+': () => zoomBy(1.5), '=': () => zoomBy(1.5), '-': () => zoomBy(1 / 1.5), 0: fit, 1: zoomToPixel,
  n: () => next(1), p: () => next(-1), ']': () => nextSample(1), '[': () => nextSample(-1), '?': () => $('help').showModal(),
};

const themes = ['auto', 'light', 'dark'];
const theme = name => {
  document.documentElement.dataset.theme = name;
  $('theme').textContent = 'Theme: ' + name;
  redraw();
};

const start = () => {
  document.title = seen(data.title ? data.title + ': ' : '') + 'why has this pixel this value?';
  $('title').textContent = seen(data.title);
  for (const e of list(data.followed)) all.set(nameOf(e.target), e);
  learn(list(data.explanations));
  chips();
  $('x').max = data.width - 1;
  $('y').max = data.height - 1;
  $('go').addEventListener('submit', e => {
    e.preventDefault();
    go(Number($('x').value), Number($('y').value));
  });
  $('zoom-in').addEventListener('click', () => zoomBy(1.5));
  $('zoom-out').addEventListener('click', () => zoomBy(1 / 1.5));
  $('zoom-fit').addEventListener('click', fit);
  $('zoom-pixel').addEventListener('click', zoomToPixel);
  $('help-open').addEventListener('click', () => $('help').showModal());
  $('theme').addEventListener('click', () => theme(themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % themes.length]));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  document.addEventListener('keydown', e => {
    if (e.ctrlKey || e.altKey || e.metaKey || e.target.closest('input, dialog') || !Object.hasOwn(keys, e.key)) return;
    e.preventDefault();
    keys[e.key]();
  });
  theme('auto');
  listen();
  resize();
  const [x, y, sample] = (location.hash.match(/\d+/g) || []).map(Number);
  if (x < data.width && y < data.height) choose(x, y, sample ?? -1, 0);
  else if (explained.size) choose(...[...explained.keys()][0].split(',').map(Number), -1, 0);
  else choose(Math.floor(data.width / 2), Math.floor(data.height / 2), -1, Infinity);
};

start();
