// The page: what is to be drawn, and what is asked of the worker for it. One job runs at
// a time. What the picture wants is a list of ever finer steps; moving throws it away.
'use strict';
(() => {
const $ = id => document.getElementById(id);
const canvas = $('canvas'), context = canvas.getContext('2d', {willReadFrequently: true});
const background = '#d9dee4'; // of the built-in scene, and a plain one for models

// ---- the worker

const worker = new Worker('worker.js');
let running = null; // {resolve, reject} of the job that runs
let dead = false;
function job(kind, request, files) {
  return new Promise((resolve, reject) => {
    running = {resolve, reject};
    worker.postMessage({kind, request, files});
  });
}
worker.onmessage = ({data}) => {
  if (data.progress) return showProgress(data.progress.done, data.progress.all);
  if (data.fatal) { dead = true; return fail(data.fatal); }
  if (data.started) return started(data.started);
  if (!running) return;
  const {resolve, reject} = running;
  running = null;
  data.error ? reject(data.error) : resolve(data);
};
worker.onerror = event => { dead = true; fail(event.message || 'The worker cannot be started; the page has to come from a server.'); };

// ---- one wish at a time

let wish = 0;         // the number of what is wanted now
let working = false;  // something runs
let waiting = null;   // what runs next
// want runs steps, functions that give promises, unless something else is wanted before.
function want(steps) {
  wish++;
  document.documentElement.dataset.state = 'busy';
  waiting = {number: wish, steps};
  if (running) worker.postMessage({cancel: true});
  if (!working) work();
}
async function work() {
  working = true;
  while (waiting && !dead) {
    const now = waiting;
    waiting = null;
    try {
      for (const step of now.steps) {
        if (now.number !== wish) break;
        await step();
      }
    } catch (error) {
      if (error.name !== 'cancelled') fail(error.message || String(error));
    }
    if (now.number === wish) document.documentElement.dataset.state = 'done';
  }
  working = false;
}

function fail(message) { say(''); $('error').textContent = message; $('error').hidden = false; document.documentElement.dataset.state = 'done'; setBar(0); }
function clearError() { $('error').hidden = true; }
function say(text) { $('status').textContent = text; }
function setBar(part) { $('bar').firstElementChild.style.width = 100 * part + '%'; }
function showProgress(done, all) {
  setBar(done / all);
  say(`Loading: ${(done / 1e6).toFixed(1)} of ${(all / 1e6).toFixed(1)} MB`);
}

function show(picture) {
  canvas.width = picture.width;
  canvas.height = picture.height;
  context.putImageData(new ImageData(picture.data, picture.width, picture.height), 0, 0);
  if (document.documentElement.dataset.first === undefined) document.documentElement.dataset.first = Math.round(performance.now());
}

// ---- the model

const view = {yaw: 0, pitch: 0, zoom: 1, camera: 1, animation: 0, time: 0, background};
let rest = {...view};
let model = null;
// The steps from coarse to fine: a part of the full width, and samples a pixel.
const ladder = [[1 / 4, 1], [1 / 2, 1], [1, 1], [1, 4]];
const took = ladder.map(() => 0); // milliseconds, of this model
const smooth = 120; // milliseconds that a picture may take while the model moves

function extent(part) {
  const box = canvas.getBoundingClientRect();
  const full = Math.min(Number($('quality').value), Math.max(64, Math.round(box.width * devicePixelRatio)));
  const width = Math.max(16, Math.round(full * part));
  return {width, height: Math.round(width * 3 / 4)};
}
function drawStep(i) {
  return async () => {
    const [part, samples] = ladder[i], size = extent(part), start = performance.now();
    setBar((i + 0.5) / ladder.length);
    const {picture} = await job('render', {...view, ...size, samples});
    took[i] = performance.now() - start;
    show(picture);
    $('elsewhere').hidden = view.camera === 0;
    $('command').replaceChildren(...commandLine(size, samples).flatMap(word => [Object.assign(document.createElement('span'), {textContent: word}), ' ']));
    setBar(i + 1 < ladder.length ? (i + 1) / ladder.length : 0);
    say(`${size.width} × ${size.height} pixels, ${samples === 1 ? '1 sample' : samples + ' samples'} a pixel, ${(took[i] / 1000).toFixed(2)} s`);
  };
}
// commandLine draws the same picture of a camera of the file elsewhere: words that stay
// together in a line.
function commandLine(size, samples) {
  const words = ['pumice render', model.builtin ? '' : model.name, '-o picture.png', `--width ${size.width}`, `--height ${size.height}`, `--samples ${samples}`, `--camera ${view.camera - 1}`,
    view.animation > 0 ? `--animation ${view.animation - 1}` : '', view.animation > 0 ? `--time ${view.time}` : '', `--background '${view.background}'`];
  return words.filter(Boolean);
}
const pause = milliseconds => () => new Promise(resolve => setTimeout(resolve, milliseconds));

// draw wants the model from coarse to fine. While it moves, it begins with the finest
// step that is quick enough, and waits for rest before those that are not.
function draw(moving) {
  clearError();
  let first = 0;
  if (moving) while (first + 1 < ladder.length && took[first + 1] > 0 && took[first + 1] < smooth) first++;
  const steps = ladder.map((_, i) => drawStep(i)).slice(first);
  if (moving) steps.splice(1, 0, pause(250));
  want(steps);
}

// orbit leaves the document's camera, from where the picture is framed anew.
function orbit(yaw, pitch, zoom) {
  if (view.camera > 0) Object.assign(view, {camera: 0, yaw: 13, pitch: 14, zoom: 1}); // as the teapot's camera
  const short = x => Math.round(x * 100) / 100;
  view.yaw = short((view.yaw + yaw) % 360);
  view.pitch = short(Math.max(-89, Math.min(89, view.pitch + pitch)));
  view.zoom = short(Math.max(0.05, Math.min(100, view.zoom * zoom)));
  $('camera').value = '0';
  draw(true);
}

const pointers = new Map();
canvas.addEventListener('pointerdown', e => {
  if (tab === 'sample') return choose(e);
  if (tab !== 'model') return;
  canvas.setPointerCapture(e.pointerId);
  pointers.set(e.pointerId, [e.clientX, e.clientY]);
});
canvas.addEventListener('pointermove', e => {
  const from = pointers.get(e.pointerId);
  if (!from) return;
  const dx = e.clientX - from[0], dy = e.clientY - from[1];
  if (!dx && !dy) return;
  const distance = () => { const [a, b] = [...pointers.values()]; return Math.hypot(a[0] - b[0], a[1] - b[1]) || 1; };
  if (pointers.size === 2) {
    const before = distance();
    pointers.set(e.pointerId, [e.clientX, e.clientY]);
    orbit(0, 0, distance() / before);
  } else if (pointers.size === 1) {
    pointers.set(e.pointerId, [e.clientX, e.clientY]);
    orbit(-dx * 0.4, dy * 0.4, 1);
  }
});
for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, e => pointers.delete(e.pointerId));
canvas.addEventListener('wheel', e => { if (tab === 'model') { e.preventDefault(); orbit(0, 0, Math.exp(-Math.sign(e.deltaY) * 0.12)); } }, {passive: false});
canvas.addEventListener('keydown', e => {
  const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[e.key];
  if (tab === 'sample' && step) {
    e.preventDefault();
    point = point.map((x, i) => x + step[i] * 2 / samplesExtent);
    return want([explainPoint]);
  }
  if (tab !== 'model' || e.ctrlKey || e.metaKey || e.altKey) return;
  const move = {ArrowLeft: [-10, 0, 1], ArrowRight: [10, 0, 1], ArrowUp: [0, 10, 1], ArrowDown: [0, -10, 1], '+': [0, 0, 1.2], '=': [0, 0, 1.2], '-': [0, 0, 1 / 1.2]}[e.key];
  if (move) orbit(...move);
  else if (e.key === 'Home') { Object.assign(view, rest); $('camera').value = view.camera; draw(false); }
  else return;
  e.preventDefault();
});

function options(select, texts, first) {
  select.replaceChildren(...texts.map((text, i) => new Option(text, i + first)));
}
function newModel(m) {
  model = m;
  took.fill(0);
  $('name').textContent = m.builtin ? 'Teapot' : m.name;
  $('facts').textContent = `${m.vertices.toLocaleString('en')} vertices`;
  options($('camera'), ['around the model', ...Array.from({length: m.cameras}, (_, i) => `camera ${i + 1} of the file`)], 0);
  $('cameras').hidden = m.cameras === 0;
  options($('animation'), ['none', ...m.animations], 0);
  $('animations').hidden = m.animations.length === 0;
  $('warnings').hidden = m.warnings.length === 0;
  $('warnings').querySelector('ul').replaceChildren(...m.warnings.map(w => Object.assign(document.createElement('li'), {textContent: w})));
  rest = {...view, yaw: 30, pitch: 15, zoom: 1, camera: m.builtin ? 1 : 0, animation: m.animations.length ? 1 : 0, time: 0};
  Object.assign(view, rest);
  $('camera').value = view.camera;
  $('animation').value = view.animation;
  $('time').value = 0;
  $('time-text').textContent = '0 s';
}
function started(m) { newModel(m); loaded = true; select(tab); }
let loaded = false;

$('camera').onchange = () => { view.camera = Number($('camera').value); draw(false); };
$('animation').onchange = () => { view.animation = Number($('animation').value); draw(false); };
$('time').oninput = () => { view.time = 10 * Number($('time').value); $('time-text').textContent = view.time.toFixed(1) + ' s'; draw(true); };
$('quality').onchange = () => draw(false);

// ---- files

async function open(list) {
  clearError();
  const files = {};
  for (const [path, file] of list) files[path] = new Uint8Array(await file.arrayBuffer());
  const names = Object.keys(files), is = pattern => names.filter(n => pattern.test(n));
  if (is(/\.(glb|gltf|obj|stl|ply)$/i).length) {
    select('model', false);
    want([async () => { say('Reading the model'); newModel((await job('load', {}, files)).result); }, ...ladder.map((_, i) => drawStep(i))]);
  } else if (is(/\.json$/i).length) {
    $('source').value = new TextDecoder().decode(files[is(/\.json$/i)[0]]);
    $('scene').value = '';
    select('raster', false);
    drawScene();
  } else if (names.length === 1) {
    select('sample', false);
    want([async () => newTexture((await job('texture', {}, files)).result), ...sampleSteps()]);
  } else fail('Want a .glb, .gltf, .obj, .stl or .ply model with its files, one scene, or one texture.');
}
$('files').onchange = () => { open([...$('files').files].map(f => [f.name, f])); $('files').value = ''; };

// inside lists the files of what was dropped, which may be folders.
async function inside(entry, path) {
  if (entry.isFile) return [[path + entry.name, await new Promise((yes, no) => entry.file(yes, no))]];
  const reader = entry.createReader(), all = [];
  for (;;) {
    const some = await new Promise((yes, no) => reader.readEntries(yes, no));
    if (!some.length) return all;
    for (const e of some) all.push(...await inside(e, path + entry.name + '/'));
  }
}
let over = 0;
addEventListener('dragenter', e => { e.preventDefault(); over++; document.body.classList.add('dropping'); });
addEventListener('dragleave', () => { if (--over <= 0) { over = 0; document.body.classList.remove('dropping'); } });
addEventListener('dragover', e => e.preventDefault());
addEventListener('drop', async e => {
  e.preventDefault();
  over = 0;
  document.body.classList.remove('dropping');
  const items = [...e.dataTransfer.items].filter(i => i.kind === 'file').map(i => [i.webkitGetAsEntry && i.webkitGetAsEntry(), i.getAsFile()]);
  try {
    const list = [];
    for (const [entry, file] of items) list.push(...entry ? await inside(entry, '') : [[file.name, file]]);
    if (list.length) await open(list);
  } catch (error) { fail(error.message); }
});

// ---- the rasterizer

let scenes = null;
async function openRaster() {
  if (!scenes) {
    scenes = await (await fetch('scenes.json')).json();
    $('scene').replaceChildren(...Object.keys(scenes).sort().map(n => new Option(scenes[n].title, n)));
    $('scene').value = '10-rates';
    useScene();
  }
  drawScene();
}
function useScene() { $('source').value = JSON.stringify(scenes[$('scene').value], null, 1).replace(/\n\s+(-?[\d.]+,?|\])(?=\n)/g, ' $1'); }
// zoomFor is how many pixels one of the scene's may have, so that the picture fits.
function zoomFor(text) {
  let size = [16, 16];
  try { size = JSON.parse(text).size; } catch { /* the worker tells what is wrong with it */ }
  const width = $('stage').getBoundingClientRect().width * devicePixelRatio;
  return Math.max(4, Math.min(64, Math.floor((width - 1) / Math.max(...size)) || 4, Math.floor(4096 / Math.max(...size)) || 4));
}
function drawScene() {
  clearError();
  want([async () => {
    const start = performance.now();
    const {result, picture} = await job('raster', {raster: zoomFor($('source').value)}, {scene: new TextEncoder().encode($('source').value)});
    show(picture);
    const [title, text, ...rules] = result.trimEnd().split('\n');
    $('explanation').textContent = `${title}. ${text}`;
    $('rules').replaceChildren(...rules.map(r => Object.assign(document.createElement('li'), {textContent: r.trim()})));
    say(`Drawn in ${((performance.now() - start) / 1000).toFixed(2)} s`);
  }]);
}
$('scene').onchange = () => { useScene(); drawScene(); };
$('draw').onclick = drawScene;

// ---- the sampler

let texture = null;
const samplesExtent = 256;
function newTexture(t) {
  texture = t;
  $('texture').textContent = t.name;
  $('lod').max = t.levels - 1;
}
const sampler = () => ({filter: $('filter').value, wrap: $('wrap').value, lod: Number($('lod').value)});
let point = [0.3, 0.7];
const sampleSteps = () => [async () => {
  if (!texture) newTexture((await job('texture')).result);
}, async () => {
  const {picture} = await job('samples', {...sampler(), size: samplesExtent});
  show(picture);
  say(`${texture.width} × ${texture.height} texels, ${texture.levels} levels, ${texture.format}`);
}, explainPoint];
async function explainPoint() {
  const {result} = await job('explain', {...sampler(), at: point});
  const table = document.createElement('table');
  for (const s of result.steps) {
    table.insertRow().append(Object.assign(document.createElement('th'), {textContent: `${s.Rule} ${s.Title}`}));
    table.insertRow().insertCell().textContent = s.Text;
  }
  $('steps').replaceChildren(Object.assign(document.createElement('h3'), {textContent: `At ${result.at}: ${result.texel}`}), table);
}
function drawSamples() { clearError(); want(sampleSteps()); }
function choose(e) {
  const box = canvas.getBoundingClientRect();
  const part = (at, from, size) => -0.5 + 2 * (Math.floor((at - from) / size * samplesExtent) + 0.5) / samplesExtent;
  const side = Math.min(box.width, box.height); // object-fit: contain
  point = [part(e.clientX, box.left + (box.width - side) / 2, side), part(e.clientY, box.top + (box.height - side) / 2, side)];
  want([explainPoint]);
}
$('filter').onchange = $('wrap').onchange = drawSamples;
$('lod').oninput = () => { $('lod-text').textContent = $('lod').value; drawSamples(); };

// ---- tabs and theme

let tab = 'model';
function select(name, redraw = true) {
  tab = name;
  canvas.dataset.tab = name;
  for (const button of document.querySelectorAll('[role=tab]')) {
    const on = button.dataset.tab === name;
    button.setAttribute('aria-selected', on);
    button.tabIndex = on ? 0 : -1;
    $('panel-' + button.dataset.tab).hidden = !on;
  }
  if (!redraw || !loaded) return;
  clearError();
  if (name === 'model') draw(false);
  else if (name === 'raster') openRaster().catch(error => fail(error.message));
  else drawSamples();
}
for (const button of document.querySelectorAll('[role=tab]')) {
  button.onclick = () => select(button.dataset.tab);
  button.onkeydown = e => {
    const all = [...document.querySelectorAll('[role=tab]')], step = {ArrowRight: 1, ArrowLeft: -1}[e.key];
    if (!step) return;
    const next = all[(all.indexOf(button) + step + all.length) % all.length];
    next.focus();
    select(next.dataset.tab);
  };
}
canvas.dataset.tab = tab;
$('theme').onclick = () => {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches, now = document.documentElement.dataset.theme || (dark ? 'dark' : 'light');
  document.documentElement.dataset.theme = now === 'dark' ? 'light' : 'dark';
};
})();
