// Shaders: the source with the values that its lines had, and the instructions.

const quad = i => {
  const q = list(i.quad);
  if (q.length === 0) return null;
  return h('table', { class: 'quad', 'aria-label': 'values of the quad' }, h('tbody', {}, [0, 2].map(y => h('tr', {}, [0, 1].map(x => h('td', {}, value(q[y + x])))))));
};

const instructions = all =>
  h('div', { class: 'scroll', tabindex: '0' }, h('table', { class: 'instructions' },
    h('tbody', {}, all.map(i => h('tr', {}, h('td', {}, h('code', {}, i.text)), h('td', {}, i.name ? h('b', {}, i.name) : ''), h('td', {}, has(i.value) ? [value(i.value), ' ', bits(i.value)] : '', has(i.stores) ? [' leaves ', value(i.stores)] : ''), h('td', {}, quad(i)))))));

// lastValues are what a line gave variables, or else its named values; of one that was computed again the last.
const lastValues = ran => {
  const last = new Map();
  for (const i of ran) {
    if (i.assigns) last.set(i.assigns.name, i.assigns.value);
  }
  for (const i of last.size ? [] : ran) {
    if (has(i.value) && i.name) last.set(i.name, i.value);
  }
  if (last.size === 0 && ran.length && has(ran[ran.length - 1].value)) last.set('', ran[ran.length - 1].value);
  return [...last].map(([name, v]) => h('span', { class: 'ran' }, name ? h('b', {}, name) : null, name ? ' = ' : '', value(v)));
};

// variables are those that the function has which runs at a step, as explain.Shader.Variables tells them.
const variables = (all, step) => {
  const calls = [];
  for (const i of all.slice(0, step + 1)) {
    const depth = i.depth || 0;
    calls.length = Math.min(calls.length, depth + 1);
    while (calls.length <= depth) calls.push(new Map());
    if (!i.assigns) continue;
    const known = calls[depth];
    for (const name of [...known.keys()]) {
      if (name.startsWith(i.assigns.name + '.') || name.startsWith(i.assigns.name + '[')) known.delete(name);
    }
    known.set(i.assigns.name, i.assigns.value);
  }
  return [...(calls[calls.length - 1] || [])].map(([name, v]) => ({ name, value: v }));
};

// lineBody is what a line did: its instructions, and the variables after it.
const lineBody = (shader, ran) => {
  const all = list(shader.steps);
  const known = variables(all, all.indexOf(ran[ran.length - 1]));
  return [
    known.length ? h('div', { class: 'variables' }, h('h5', {}, 'Variables after this line'), named(known)) : null,
    instructions(ran)];
};

const sourceFile = (shader, source) => {
  const lines = new Map();
  for (const i of list(shader.steps)) {
    if (i.file === source.file && i.line > 0) lines.set(i.line, [...(lines.get(i.line) || []), i]);
  }
  if (lines.size === 0) return null;
  const rows = source.text.replace(/\n$/, '').split('\n').map((text, n) => {
    const ran = lines.get(n + 1);
    const code = [h('span', { class: 'line' }, String(n + 1)), h('code', {}, text.replace(/\t/g, '    ') || ' ')];
    return h('li', {}, ran ? folded({}, [code, h('span', { class: 'values' }, lastValues(ran))], () => lineBody(shader, ran)) : h('div', { class: 'idle' }, code));
  });
  return [h('h5', {}, source.file), h('ol', { class: 'source' }, rows)];
};

// shaderBody is the source and the instructions; sources may be those of another invocation.
const shaderBody = (x, sources) => {
  const files = list(sources).map(f => sourceFile(x, f)).filter(Boolean);
  return [
    x.missing ? h('p', {}, x.missing) : null,
    files.length ? h('p', { class: 'faint' }, 'Lines that ran have a mark and their values; open one to see its instructions.') : null, files,
    list(x.images).map(imageInstruction),
    list(x.steps).length ? folded({ class: 'more', open: files.length === 0 }, `All ${list(x.steps).length} instructions`, () => instructions(list(x.steps))) : null,
    x.dropped ? h('p', { class: 'faint' }, `${x.dropped} more instructions were left out`) : null];
};

const shader = x => wide([`${capital(x.stage)} shader `, h('span', { class: 'faint' }, [x.name, x.invocation].filter(Boolean).join(', '))], shaderBody(x, x.sources));

// stages are the invocations that the primitive came from, each folded.
const stages = all =>
  wide('Stages before the fragment shader', all.map(x => {
    const made = list(x.vertices).map(letter).join(', ');
    const sources = (all.find(o => o.stage === x.stage && list(o.sources).length) || {}).sources;
    return folded({ class: 'more' }, [h('b', {}, `${capital(x.stage)} shader`), ' ', x.invocation, made ? h('span', { class: 'faint' }, ` of ${made}`) : null], () => shaderBody(x, sources));
  }));
