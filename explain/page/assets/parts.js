// The parts of a fragment's explanation, each a card.

// ruleText shows the few forms of Markdown that docs/rules has: paragraphs, lists,
// tables, code and bold words.
const inline = text =>
  text.split(/(\*\*[^*]+\*\*|`[^`]+`)/).map(p => (/^\*\*.+\*\*$/.test(p) ? h('b', {}, p.slice(2, -2)) : /^`.+`$/.test(p) ? h('code', {}, p.slice(1, -1)) : p));

const ruleText = text =>
  text.split(/\n{2,}/).map(block => {
    const lines = block.split('\n');
    if (lines[0].startsWith('```')) return h('pre', {}, lines.slice(1).filter(l => l !== '```').join('\n'));
    if (lines[0].startsWith('|')) {
      const rows = lines.filter(l => !/^\|[-:| ]+\|$/.test(l)).map(l => l.replace(/^\||\|$/g, '').split('|'));
      return h('table', {}, rows.map((r, i) => h('tr', {}, r.map(c => h(i ? 'td' : 'th', {}, inline(c.trim()))))));
    }
    if (/^[-*] /.test(lines[0])) return h('ul', {}, block.split(/\n(?=[-*] )/).map(l => h('li', {}, inline(l.slice(2).replace(/\n/g, ' ')))));
    return h('p', {}, inline(block.replace(/\n/g, ' ')));
  });

// rule is a rule's number and title, which unfold its text.
const rule = step => {
  const name = [step.rule, step.title].filter(Boolean).join(' ');
  const known = Object.hasOwn(data.rules, step.rule) ? data.rules[step.rule] : null;
  if (!known) return [h('span', { class: 'rule' }, name), null];
  const text = h('div', { class: 'rule-text', hidden: true });
  const button = h('button', {
    class: 'rule', type: 'button', 'aria-expanded': 'false',
    onclick: () => {
      if (!text.hasChildNodes()) text.append(...ruleText(known.text).flat());
      text.hidden = !text.hidden;
      button.setAttribute('aria-expanded', String(!text.hidden));
    },
  }, name);
  return [button, text];
};

const steps = all =>
  list(all).length === 0
    ? null
    : h('ol', { class: 'steps' }, all.map(t => {
        const [button, text] = t.rule ? rule(t) : [null, null];
        return h('li', { class: t.failed ? 'failed' : '' },
          h('span', { class: 'mark', 'aria-label': t.failed ? 'ended here' : null }, t.failed ? '✗' : '✓'),
          h('div', {}, button, button ? ' ' : null, h('span', {}, t.text), named(t.values), text));
      }));

const sampleMark = p => (p.covered && p.left ? ['full', 'covered'] : p.covered ? ['lost', 'covered, then lost'] : ['', 'not covered']);

// closed tells whether edges go round.
const closed = edges => edges.length > 2 && edges.every((e, i) => e.x1 === edges[(i + 1) % edges.length].x0 && e.y1 === edges[(i + 1) % edges.length].y0);

// coverage draws the pixel with the edges that cross it and its samples.
const coverage = (c, target) => {
  const unit = 200;
  const edges = list(c.edges);
  const at = (x, y) => [(x - target.x) * unit, (y - target.y) * unit];
  const grid = s('g', { class: 'grid' });
  for (let i = 1; i < 16; i++) {
    const p = (i * unit) / 16;
    grid.append(s('line', { x1: p, y1: 0, x2: p, y2: unit }), s('line', { x1: 0, y1: p, x2: unit, y2: p }));
  }
  const lines = edges.map((e, i) => {
    const [x1, y1] = at(e.x0, e.y0);
    const [x2, y2] = at(e.x1, e.y1);
    return s('line', { class: 'edge edge' + (i % 4), x1, y1, x2, y2 });
  });
  const dots = list(c.samples).map((p, i) => {
    const [mark, what] = sampleMark(p);
    const [x, y] = [p.x * unit, p.y * unit];
    return s('g', { class: 'sample ' + mark }, s('title', {}, `sample ${i} at ${p.x}, ${p.y}: ${what}`),
      i === target.sample ? s('circle', { class: 'target', cx: x, cy: y, r: 13 }) : null,
      s('circle', { class: 'dot', cx: x, cy: y, r: 7 }),
      mark === 'lost' ? s('path', { class: 'half', d: `M ${x} ${y - 7} A 7 7 0 0 0 ${x} ${y + 7} Z` }) : null,
      s('text', { x: x + 13, y: y - 8 }, String(i)));
  });
  const margin = 30;
  const drawing = s('svg', { class: 'coverage', viewBox: `${-margin} ${-margin} ${unit + 2 * margin} ${unit + 2 * margin}`, role: 'img', 'aria-label': list(c.samples).map((p, i) => `sample ${i}: ${sampleMark(p)[1]}`).join('; ') },
    closed(edges) ? s('polygon', { class: 'area', points: edges.map(e => at(e.x0, e.y0).join(',')).join(' ') }) : null,
    s('rect', { class: 'pixel', x: 0, y: 0, width: unit, height: unit }), grid, lines, dots);
  const light = (i, on) => () => lines[i].classList.toggle('lit', on);
  return wide('Coverage of the pixel',
    h('div', { class: 'pair' }, drawing, h('div', { class: 'rest' }, h('ul', { class: 'samples' }, list(c.samples).map((p, i) => {
        const [mark, what] = sampleMark(p);
        return h('li', { class: i === target.sample ? 'chosen' : '' }, h('span', { class: 'dot ' + mark, 'aria-hidden': 'true' }), `sample ${i}`, h('span', { class: 'faint' }, ` ${p.x}, ${p.y} `), what);
      })),
    edges.length === 0 ? null : h('div', { class: 'scroll', tabindex: '0' }, h('table', { class: 'figures' },
      h('thead', {}, h('tr', {}, ['edge, in pixels', `sample ${target.sample} is`, 'value, 1/65536 pixel²'].map(t => h('th', { scope: 'col' }, t)))),
      h('tbody', {}, edges.map((e, i) => h('tr', { onmouseenter: light(i, true), onmouseleave: light(i, false) },
        h('th', { scope: 'row' }, h('span', { class: 'key edge' + (i % 4), 'aria-hidden': 'true' }), `${number(e.x0)}, ${number(e.y0)} → ${number(e.x1)}, ${number(e.y1)}`),
        h('td', {}, h('span', { class: e.inside ? 'pass' : 'fail' }, e.inside ? 'inside' : 'outside'), e.value === 0 ? ` on the edge: top-left rule says ${e.tie ? 'in' : 'out'}` : ''),
        h('td', { class: 'r' }, number(e.value))))))))));
};

// primitive draws the primitive where it is in the picture, with its vertices.
const primitive = (p, target) => {
  const vertices = list(p.vertices);
  const windows = vertices.filter(v => v.window).map(v => v.window);
  let drawing = null;
  if (windows.length > 0) {
    const xs = windows.map(w => w[0]).concat(0, target.width);
    const ys = windows.map(w => w[1]).concat(0, target.height);
    // What is far outside of the picture is cut off: the picture stays to be seen.
    const [x0, x1] = [Math.max(Math.min(...xs), -target.width), Math.min(Math.max(...xs), 2 * target.width)];
    const [y0, y1] = [Math.max(Math.min(...ys), -target.height), Math.min(Math.max(...ys), 2 * target.height)];
    const m = Math.max(x1 - x0, y1 - y0) * 0.06;
    const r = Math.max(x1 - x0, y1 - y0) / 60;
    drawing = s('svg', { class: 'primitive', viewBox: `${x0 - m} ${y0 - m} ${x1 - x0 + 2 * m} ${y1 - y0 + 2 * m}`, role: 'img', 'aria-label': 'the primitive in the picture' },
      s('rect', { class: 'frame', x: 0, y: 0, width: target.width, height: target.height }),
      windows.length === vertices.length && windows.length > 1 ? s('polygon', { class: p.front ? 'front' : 'back', points: windows.map(w => w[0] + ',' + w[1]).join(' ') }) : null,
      vertices.map((v, i) => v.window && s('g', {}, s('circle', { class: 'vertex', cx: v.window[0], cy: v.window[1], r }),
        label(v.window, r, letter(i)))),
      s('circle', { class: 'here', cx: target.x + 0.5, cy: target.y + 0.5, r: r * 1.6 }));
  }
  const facts = [vertices.length === 3 ? (p.front ? 'front-facing' : 'back-facing') : null, vertices.length === 3 ? `area ${number(Math.abs(p.area) / 2)} pixels` : null,
    vertices.length > 1 ? `provoking vertex ${letter(p.provoking)}` : null].filter(Boolean).join(' · ');
  return wide(capital(primitiveName(p)), h('div', { class: 'pair' }, drawing, h('div', { class: 'rest' }, h('p', {}, facts),
    h('div', { class: 'scroll', tabindex: '0' }, h('table', { class: 'figures' },
      h('thead', {}, h('tr', {}, ['vertex', 'index', 'window x, y', 'depth', 'clip space x, y, z, w'].map(t => h('th', { scope: 'col' }, t)))),
      h('tbody', {}, vertices.map((v, i) => h('tr', {}, h('th', { scope: 'row' }, letter(i)), h('td', { class: 'r' }, v.index < 0 ? '?' : String(v.index)),
        h('td', {}, v.window ? `${number(v.window[0])}, ${number(v.window[1])}` : 'cut away'), h('td', {}, v.window ? number(v.window[2]) : '–'),
        h('td', { class: 'wrap' }, list(v.position).map(told).join(', '))))))))),
    vertices.some(v => list(v.inputs).length + list(v.outputs).length > 0)
      ? folded({ class: 'more' }, 'Inputs and outputs of the vertices', () => vertices.map((v, i) => [
          list(v.inputs).length ? [h('h5', {}, `${letter(i)} inputs`), named(v.inputs)] : null,
          list(v.outputs).length ? [h('h5', {}, `${letter(i)} outputs`), named(v.outputs)] : null]))
      : null);
};

// label writes a vertex's letter, in units of the picture.
const label = (at, r, text) => {
  const t = s('text', { x: at[0] + r * 1.5, y: at[1] + r * 3 }, text);
  t.style.fontSize = r * 4 + 'px';
  return t;
};

const letter = i => String.fromCharCode(65 + (i % 26));
const capital = t => t.charAt(0).toUpperCase() + t.slice(1);

const primitiveName = p => {
  const kind = { 1: 'point', 2: 'line', 3: 'triangle' }[list(p.vertices).length] || 'primitive';
  return [`${kind} ${p.id}`, ...['instance', 'view', 'layer', 'viewport'].filter(k => p[k]).map(k => `${k} ${p[k]}`)].join(', ');
};

const depth = d => {
  const [f, z] = [d.fragment, d.stored].map(v => (components(v)[0] || {}).number);
  const line = v => Math.max(0, Math.min(1, v)) * 200;
  const mark = (v, kind, y) => (Number.isFinite(v) ? s('path', { class: kind, d: `M ${line(v)} ${y} l -6 ${y < 14 ? -9 : 9} h 12 z` }) : null);
  return card('Depth', h('p', { class: 'equation' },
      h('span', { class: 'operand' }, value(d.fragment), h('small', {}, 'fragment ', bits(d.fragment))),
      d.op ? h('b', { class: 'op' }, d.op) : h('span', { class: 'op faint' }, 'no test'),
      h('span', { class: 'operand' }, value(d.stored), h('small', {}, 'stored ', bits(d.stored))),
      h('span', { class: 'operand' }, d.op ? passes(d.pass) : null, h('small', {}, d.written ? 'written' : 'not written'))),
    s('svg', { class: 'axis', viewBox: '-12 0 224 40', 'aria-hidden': 'true' }, s('line', { x1: 0, y1: 14, x2: 200, y2: 14 }), s('line', { x1: 0, y1: 10, x2: 0, y2: 18 }), s('line', { x1: 200, y1: 10, x2: 200, y2: 18 }),
      mark(f, 'fragment', 12), mark(z, 'stored', 16), s('text', { x: 0, y: 38 }, '0'), s('text', { x: 200, y: 38 }, '1')),
    h('p', { class: 'legend' }, h('span', { class: 'key fragment' }), 'fragment ', h('span', { class: 'key stored' }), 'stored',
      Number.isFinite(f) && Number.isFinite(z) ? ` · difference ${number(Number((f - z).toPrecision(6)))}` : ''));
};

const hex = n => '0x' + (n & 255).toString(16).padStart(2, '0');
// masked are a number's bits; those that the mask leaves out are faint.
const masked = (n, mask) => h('span', { class: 'binary' }, [7, 6, 5, 4, 3, 2, 1, 0].map(i => h('span', { class: (mask >> i) & 1 ? '' : 'out' }, String((n >> i) & 1))));

const stencil = t =>
  card(`Stencil, ${t.face} face`, h('table', { class: 'figures' }, h('tbody', {},
    [['reference', t.reference, t.compareMask], ['stored', t.stored, t.compareMask], ['after', t.after, t.writeMask]].map(([name, n, mask]) =>
      h('tr', {}, h('th', { scope: 'row' }, name), h('td', {}, hex(n)), h('td', {}, masked(n, mask)), h('td', { class: 'faint' }, (name === 'after' ? 'written ' : 'mask ') + hex(mask)))))),
    h('p', { class: 'equation' }, h('span', {}, hex(t.reference & t.compareMask)), h('b', { class: 'op' }, t.op), h('span', {}, hex(t.stored & t.compareMask)), passes(t.pass)),
    h('p', {}, h('b', {}, t.action), ` ${hex(t.stored)} → ${hex(t.after)}`));

const partOf = (names, i) => {
  const [first, second] = (names || '').split(',').map(t => t.trim());
  return i === 3 && second ? second : first;
};

// RAS-341 framebuffer-blendoperations: a component's arithmetic, with products in binary32 (RAS-338).
const arithmetic = (b, i) => {
  const [source, destination, sf, df] = [b.source, b.destination, b.sourceFactors, b.destinationFactors].map(v => components(v)[i] || { text: '–', number: NaN });
  const product = (a, f) => ({ formula: `${a.text} · ${f.text}`, result: Number.isNaN(a.number * f.number) ? '?' : float(Math.fround(a.number * f.number)) });
  const [p, q] = [product(source, sf), product(destination, df)];
  switch (partOf(b.op, i)) {
    case 'ADD': return [`${p.formula} + ${q.formula}`, `${p.result} + ${q.result}`];
    case 'SUBTRACT': return [`${p.formula} − ${q.formula}`, `${p.result} − ${q.result}`];
    case 'REVERSE_SUBTRACT': return [`${q.formula} − ${p.formula}`, `${q.result} − ${p.result}`];
    case 'MIN': return [`min(${source.text}, ${destination.text})`, ''];
    case 'MAX': return [`max(${source.text}, ${destination.text})`, ''];
    default: return [`${partOf(b.op, i)}(${source.text}, ${destination.text})`, ''];
  }
};

// both joins the names for colour and alpha where they are the same.
const both = names => {
  const [first, second] = (names || '').split(',').map(t => t.trim());
  return second && second !== first ? `${first}, alpha ${second}` : first;
};

const blend = b => {
  const tile = (v, name, sub) => (has(v) ? h('span', { class: 'tile' }, swatch(v, 'large'), h('b', {}, name), h('small', {}, sub || '')) : null);
  const sign = t => h('span', { class: 'sign', 'aria-hidden': 'true' }, t);
  const title = b.enabled ? `Blending: ${both(b.op)}` : b.op ? `Logical operation ${b.op}` : 'Write, without blending';
  const mask = b.mask || '';
  const results = components(b.result);
  const stored = components(b.stored);
  const rows = b.enabled ? results.slice(0, 4).map((r, i) => {
    const [formula, products] = arithmetic(b, i);
    const kept = !mask.includes('RGBA'[i]);
    return h('tr', { class: kept ? 'kept' : '' }, h('th', { scope: 'row' }, 'RGBA'[i]), h('td', {}, formula), h('td', {}, products ? '= ' + products : ''), h('td', {}, '= ' + r.text), h('td', {}, '→ ' + ((stored[i] || {}).text || '–'), kept ? ' kept: not in the mask' : ''));
  }) : [];
  return wide(title,
    h('p', { class: 'tiles' }, tile(b.source, 'source', b.sourceFactor && '· ' + both(b.sourceFactor)), b.enabled || b.op ? [sign('⊕'), tile(b.destination, 'destination', b.destinationFactor && '· ' + both(b.destinationFactor))] : null,
      sign('='), tile(b.result, 'result', 'before it is encoded'), sign('→'), tile(b.stored, 'stored', mask === 'RGBA' ? '' : `mask ${mask || 'none'}`)),
    rows.length ? h('div', { class: 'scroll', tabindex: '0' }, h('table', { class: 'figures arithmetic' }, h('tbody', {}, rows))) : null,
    named([['source', b.source], ['second source', b.second], ['destination', b.destination], ['source factors', b.sourceFactors], ['destination factors', b.destinationFactors], ['result', b.result], ['stored', b.stored]].filter(n => has(n[1])).map(([name, v]) => ({ name, value: v }))));
};

// texels lays an instruction's texels out as they lie in the image, by level and layer.
const texels = all => {
  const groups = new Map();
  for (const t of all) {
    const key = [`level ${t.level}`, t.layer ? `layer ${t.layer}` : '', t.z ? `z ${t.z}` : ''].filter(Boolean).join(', ');
    groups.set(key, [...(groups.get(key) || []), t]);
  }
  const sorted = ns => [...new Set(ns)].sort((a, b) => a - b);
  return [...groups].map(([key, ts]) => {
    const [xs, ys] = [sorted(ts.map(t => t.x)), sorted(ts.map(t => t.y))];
    if (xs.length > 16 || ys.length > 16) return null;
    return h('table', { class: 'texels' }, h('caption', {}, key),
      h('thead', {}, h('tr', {}, h('td', {}, 'y \\ x'), xs.map(x => h('th', { scope: 'col' }, String(x))))),
      h('tbody', {}, ys.map(y => h('tr', {}, h('th', { scope: 'row' }, String(y)), xs.map(x => {
        const here = ts.filter(t => t.x === x && t.y === y);
        return h('td', {}, here.map(t => h('span', { class: 'texel', title: told(t.value) }, swatch(t.value, 'large'), h('span', {}, '· ' + number(t.weight)))));
      })))));
  });
};

// texelOf is the target of a texel that an image instruction has read.
const texelOf = (m, t) => ({
  ...m.of, x: t.x, y: t.y, level: t.level, layer: t.layer + t.z, sample: t.sample || 0,
  width: Math.max(m.of.width >> t.level, 1), height: Math.max(m.of.height >> t.level, 1),
});

// mostOf leads to the texel that counts most.
const mostOf = m => {
  const most = m.texels.reduce((a, b) => (b.weight > a.weight ? b : a));
  const button = way(texelOf(m, most), most.value);
  return button ? h('p', { class: 'from' }, 'most of it from texel ', h('b', {}, `${most.x}, ${most.y}`), ` of ${m.of.image} `, button) : null;
};

const imageInstruction = m =>
  wide([m.instruction, m.line ? h('span', { class: 'faint' }, ' ' + m.line) : null], h('div', { class: 'halves' },
    h('div', {},
      list(m.texels).length ? h('div', { class: 'pair' }, texels(m.texels)) : null,
      h('p', { class: 'result' }, 'result ', value(m.result, 'large'), ' ', bits(m.result)),
      list(m.texels).length ? folded({ class: 'more' }, `${m.texels.length} texels with their weights`, () => h('table', { class: 'figures' },
        h('thead', {}, h('tr', {}, ['x', 'y', 'z', 'level', 'layer', 'weight', 'value', ''].map(t => h('th', { scope: 'col' }, t)))),
        h('tbody', {}, m.texels.map(t => h('tr', {}, [t.x, t.y, t.z, t.level, t.layer].map(n => h('td', { class: 'r' }, number(n))), h('td', { class: 'r' }, number(t.weight)), h('td', {}, value(t.value)), h('td', {}, m.of ? way(texelOf(m, t), t.value) : '')))))) : null,
      m.of && list(m.texels).length ? mostOf(m) : null),
    steps(m.steps)));
