// The history of a sample, from the first event to the last.

// stoppedNext is what would stop a primitive next, which something else stopped first.
const stoppedNext = f => {
  const s = list(f.stopped)[1];
  return s && !s.perhaps ? `, and then: ${s.text}` : '';
};

const fragment = (f, e, open) =>
  folded({ class: 'fragment ' + f.outcome, open }, [badge(f.outcome), h('b', {}, primitiveName(f.primitive)), f.outcome === 'wrote' ? change(f.before, f.after) : null, f.reason ? h('span', { class: 'reason' }, f.reason + stoppedNext(f)) : null], () => [
    h('div', { class: 'cards' },
      list(f.steps).length ? wide('What happened', f.width > 1 || f.height > 1 ? h('p', {}, `A fragment of ${f.width} × ${f.height} pixels`) : null, steps(f.steps)) : null,
      f.coverage ? coverage(f.coverage, e.target) : null,
      primitive(f.primitive, e.target),
      list(f.stages).length ? stages(f.stages) : null,
      f.depth ? depth(f.depth) : null,
      f.stencil ? stencil(f.stencil) : null,
      list(f.inputs).length ? card('Inputs of the shader', named(f.inputs)) : null,
      list(f.outputs).length ? card('Outputs of the shader', named(f.outputs)) : null,
      f.blend ? blend(f.blend) : null,
      list(f.images).map(imageInstruction),
      f.shader ? shader(f.shader) : null)]);

// from tells where a value was copied from, with the way there where that is explained.
const from = t =>
  h('p', { class: 'from' }, 'from ', h('b', {}, t.image), ` ${t.format}, pixel ${t.x}, ${t.y}, sample ${t.sample}, level ${t.level}, layer ${t.layer} `,
    way(t, null));

const inside = (v, e, open) => {
  const fragments = list(v.draw && v.draw.fragments);
  const best = fragments.findLastIndex(f => f.outcome === 'wrote');
  return [
    list(v.labels).length ? h('p', { class: 'labels' }, v.labels.map(l => h('span', {}, l))) : null,
    v.from ? from(v.from) : null,
    steps(v.steps),
    v.shader ? shader(v.shader) : null,
    v.draw ? h('p', { class: 'faint' }, `Primitives: ${v.draw.primitives}, of which ${v.draw.elsewhere} are nowhere near the pixel`) : null,
    v.draw && list(v.draw.state).length ? folded({ class: 'more' }, 'State of the pipeline', () => named(v.draw.state)) : null,
    fragments.map((f, i) => {
      const d = fragment(f, e, open && (i === best || fragments.length === 1));
      d.addEventListener('toggle', () => outlineOf(d.open ? f.primitive : null));
      return d;
    }),
  ];
};

const event = (v, e, open) => {
  const dot = h('span', { class: 'when' }, swatch(v.after));
  const line = [badge(v.outcome), h('b', { class: 'where' }, v.where), v.outcome === 'wrote' ? change(v.before, v.after) : null, v.reason ? h('span', { class: 'reason' }, v.reason) : null];
  const more = list(v.labels).length || v.from || list(v.steps).length || v.draw;
  return h('li', { class: 'event ' + v.outcome }, dot, more ? folded({ open }, line, () => inside(v, e, open)) : h('div', { class: 'flat' }, line));
};

// manyMissed is how many events in a row that passed the sample by are still listed.
const manyMissed = 3;

const history = e => {
  const events = list(e.events);
  const last = events.findLastIndex(v => v.outcome === 'wrote');
  const plain = v => v.outcome === 'missed' && list(v.draw && v.draw.fragments).length === 0;
  const items = [];
  for (let i = 0; i < events.length;) {
    let run = 0;
    while (i + run < events.length && plain(events[i + run])) run++;
    if (run > manyMissed) {
      const some = events.slice(i, i + run);
      items.push(h('li', { class: 'event missed' }, h('span', { class: 'when' }), folded({}, [badge('missed'), h('b', { class: 'where' }, `${run} events`), h('span', { class: 'reason' }, `${some[0].where} to ${some[run - 1].where}`)], () => h('ol', { class: 'history' }, some.map(v => event(v, e, false))))));
      i += run;
      continue;
    }
    items.push(event(events[i], e, i === last));
    i++;
  }
  return [h('h3', {}, 'History'), items.length ? h('ol', { class: 'history' }, items) : h('p', {}, 'Nothing touched it.'),
    e.dropped ? h('p', { class: 'faint' }, `${e.dropped} more events and fragments were left out.`) : null];
};

const outlineOf = p => {
  state.primitive = p;
  redraw();
};
