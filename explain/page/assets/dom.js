// What the other parts build on: elements, values, numbers. All text reaches the page
// through these functions, as text.

const SVG = 'http://www.w3.org/2000/svg';

// seen replaces what would not be seen but steer: control and format characters, the
// order of writing among them.
const seen = c => (typeof c === 'string' ? c.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, x => (x === '\n' || x === '\t' ? x : '\ufffd')) : c);

const add = (e, attributes, children) => {
  for (const [k, v] of Object.entries(attributes)) {
    if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
    else if (v === true) e.setAttribute(k, '');
    else if (v !== false && v !== null && v !== undefined) e.setAttribute(k, seen(v));
  }
  for (const c of children.flat(Infinity)) {
    if (c !== null && c !== undefined && c !== false && c !== '') e.append(seen(c));
  }
  return e;
};

// h and s make elements of HTML and SVG. Names of elements are literals everywhere.
const h = (name, attributes = {}, ...children) => add(document.createElement(name), attributes, children);
const s = (name, attributes = {}, ...children) => add(document.createElementNS(SVG, name), attributes, children);
const $ = id => document.getElementById(id);

const list = v => (Array.isArray(v) ? v : []);

// folded is <details> whose inside is made when it is opened for the first time.
const folded = (attributes, summary, inside) => {
  const { open, ...rest } = attributes;
  const d = h('details', rest, h('summary', {}, summary));
  let made = false;
  const make = () => {
    if (!made) {
      made = true;
      d.append(h('div', { class: 'inside' }, inside()));
    }
  };
  d.addEventListener('toggle', () => d.open && make());
  if (open) {
    make();
    d.open = true;
  }
  return d;
};

const color = v => (v && /^#[0-9a-f]{8}$/i.test(v.color || '') ? v.color : '');

// swatch is a patch of a value's colour; alpha shows the squares behind it.
const swatch = (v, size = '') => {
  const inner = h('i');
  const e = h('span', { class: ('swatch ' + size).trim(), 'aria-hidden': 'true' }, inner);
  if (color(v)) inner.style.backgroundColor = color(v);
  else e.classList.add('none');
  return e;
};

const told = v => (v ? v.text || v.bits || '' : '');
const has = v => Boolean(told(v));

// value shows a value: its colour and its text; its bits on hovering.
const value = (v, size = '') =>
  h('span', { class: 'value', title: v && v.bits ? 'bits 0x' + v.bits : null }, color(v) ? swatch(v, size) : null, h('span', { class: 'figure' }, told(v) || '–'));

// bits are shown in words.
const bits = v => (v && v.bits && v.text ? h('code', { class: 'bits' }, '0x' + (v.bits.replace(/[ ,]/g, '').match(/.{1,8}/g) || []).join(' ')) : null);

const same = (a, b) => told(a) === told(b) && (a && a.bits) === (b && b.bits);

// change is "before → after".
const change = (before, after) =>
  same(before, after)
    ? h('span', { class: 'change' }, value(after), h('span', { class: 'faint' }, ' as before'))
    : h('span', { class: 'change' }, value(before), h('span', { class: 'arrow', 'aria-label': 'becomes' }, '→'), value(after));

const named = values =>
  list(values).length === 0
    ? null
    : h('table', { class: 'named' }, h('tbody', {}, list(values).map(n => h('tr', {}, h('th', { scope: 'row' }, n.name), h('td', {}, h('div', { class: 'exact' }, value(n.value), bits(n.value)))))));

// number is a double as people read it.
const number = f => (typeof f === 'number' ? String(f) : '–');

// float is a binary32 number with as few digits as tell it from all others.
const float = f => {
  if (!Number.isFinite(f)) return number(f);
  for (let digits = 1; digits < 9; digits++) {
    const text = f.toPrecision(digits);
    if (Math.fround(Number(text)) === f) return String(Number(text));
  }
  return String(Number(f.toPrecision(9)));
};

// components takes a value apart. Numbers come from the bits where these are 32-bit
// words, one for each component of the text, so that products of them are exact.
const components = v => {
  if (!v || !v.text) return [];
  const parts = v.text.split(',').map(t => t.trim());
  const digits = (v.bits || '').replace(/[ ,]/g, '');
  const words = /^([0-9a-f]{8})+$/i.test(digits) && digits.length === 8 * parts.length ? digits.match(/.{8}/g) : null;
  const view = new DataView(new ArrayBuffer(4));
  return parts.map((text, i) => {
    if (!words) return { text, number: text === '' ? NaN : Math.fround(Number(text)) };
    view.setUint32(0, parseInt(words[i], 16));
    return { text, number: view.getFloat32(0) };
  });
};

const card = (title, ...children) => h('section', { class: 'card' }, h('h4', {}, title), children);
const wide = (title, ...children) => h('section', { class: 'card wide' }, h('h4', {}, title), children);

const outcomes = { wrote: '●', unchanged: '○', missed: '·' };
const badge = o => h('span', { class: 'badge ' + (outcomes[o] ? o : '') }, h('span', { 'aria-hidden': 'true' }, (outcomes[o] || '') + ' '), o);
const passes = ok => h('span', { class: ok ? 'pass' : 'fail' }, ok ? '✓ passes' : '✗ fails');
