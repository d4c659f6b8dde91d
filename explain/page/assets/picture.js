// The picture: zoom, the chosen pixel, samples, and the outline of a primitive.

const canvas = $('picture');
const paint = canvas.getContext('2d');
const image = new Image();
const view = { scale: 1, x: 0, y: 0, width: 1, height: 1 }; // CSS pixels a pixel; where pixel 0, 0 is
const pixelsFrom = 10; // from this scale on, pixels have outlines
const samplesFrom = 44; // and samples
const mostScale = 512;

// The standard locations of samples, where no explanation tells better.
const locations = {
  1: [[8, 8]],
  2: [[12, 12], [4, 4]],
  4: [[6, 2], [14, 6], [2, 10], [10, 14]],
  8: [[9, 5], [7, 11], [13, 9], [5, 3], [3, 13], [1, 7], [11, 15], [15, 1]],
  16: [[9, 9], [7, 5], [5, 10], [12, 7], [3, 6], [10, 13], [13, 11], [11, 3], [6, 14], [8, 1], [4, 2], [2, 12], [0, 8], [15, 4], [14, 15], [1, 0]],
};

const samplePlaces = x => {
  for (const e of x ? ofSamples(x) : []) {
    for (const v of list(e.events)) {
      for (const f of list(v.draw && v.draw.fragments)) {
        if (f.coverage && list(f.coverage.samples).length) return f.coverage.samples.map(p => [p.x, p.y]);
      }
    }
  }
  const any = x ? ofSamples(x)[0] : data.explanations[0];
  const count = any ? any.target.samples : 1;
  return (locations[count] || []).map(p => [p[0] / 16, p[1] / 16]);
};

let waiting = false;
const redraw = () => {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    draw();
  });
};

const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const resize = () => {
  const box = $('stage').getBoundingClientRect();
  const ratio = window.devicePixelRatio || 1;
  const fitted = view.width <= 1 || isFitted(); // a picture that is seen whole stays so
  view.x += (box.width - view.width) / 2; // what was in the middle stays there
  view.y += (box.height - view.height) / 2;
  view.width = Math.max(1, box.width);
  view.height = Math.max(1, box.height);
  canvas.width = Math.round(view.width * ratio);
  canvas.height = Math.round(view.height * ratio);
  if (fitted) fit();
  redraw();
};

const fitScale = () => {
  const scale = Math.min(view.width / data.width, view.height / data.height);
  return scale > 1 ? Math.min(Math.floor(scale * 4) / 4, 64) : scale;
};

const isFitted = () =>
  view.scale === fitScale() && view.x === view.width / 2 - (data.width / 2) * view.scale && view.y === view.height / 2 - (data.height / 2) * view.scale;

const fit = () => {
  view.scale = fitScale();
  center(data.width / 2, data.height / 2);
};

const center = (x, y) => {
  view.x = view.width / 2 - x * view.scale;
  view.y = view.height / 2 - y * view.scale;
  redraw();
};

// zoomAt changes the scale; the point of the picture under (px, py) stays there.
const zoomAt = (factor, px, py) => {
  const least = Math.min(0.05, view.width / data.width / 2);
  const scale = Math.min(mostScale, Math.max(least, view.scale * factor));
  view.x = px - ((px - view.x) * scale) / view.scale;
  view.y = py - ((py - view.y) * scale) / view.scale;
  view.scale = scale;
  redraw();
};

// zoomBy zooms about the chosen pixel, or the middle where that is out of sight.
const zoomBy = factor => {
  const x = view.x + (state.x + 0.5) * view.scale;
  const y = view.y + (state.y + 0.5) * view.scale;
  const seen = x >= 0 && y >= 0 && x <= view.width && y <= view.height;
  zoomAt(factor, seen ? x : view.width / 2, seen ? y : view.height / 2);
};

const zoomToPixel = () => {
  view.scale = Math.min(mostScale, Math.max(96, Math.min(view.width, view.height) / 3));
  center(state.x + 0.5, state.y + 0.5);
};

// reveal moves the picture as little as brings the chosen pixel into sight.
const reveal = () => {
  const into = (at, size) => (at < 0 ? Math.min(24, size / 4) - at : at + view.scale > size ? size - Math.min(24, size / 4) - at - view.scale : 0);
  view.x += into(view.x + state.x * view.scale, view.width);
  view.y += into(view.y + state.y * view.scale, view.height);
  redraw();
};

const draw = () => {
  const ratio = canvas.width / view.width;
  paint.setTransform(ratio, 0, 0, ratio, 0, 0);
  paint.fillStyle = getComputedStyle($('stage')).backgroundColor;
  paint.fillRect(0, 0, view.width, view.height);
  const w = data.width * view.scale;
  const t = data.height * view.scale;
  checker(view.x, view.y, w, t);
  paint.imageSmoothingEnabled = view.scale < 1;
  if (image.complete && image.naturalWidth) paint.drawImage(image, view.x, view.y, w, t);
  if (view.scale >= pixelsFrom) pixels();
  marks();
  outline();
  cross();
  $('zoom').textContent = (view.scale >= 10 ? view.scale.toFixed(0) : String(Number(view.scale.toPrecision(2)))) + '×';
};

// checker is what is seen through pixels that are not opaque.
const checker = (x, y, w, t) => {
  const size = 8;
  paint.save();
  paint.beginPath();
  paint.rect(x, y, w, t);
  paint.clip();
  paint.fillStyle = css('--check-a');
  paint.fillRect(x, y, w, t);
  paint.fillStyle = css('--check-b');
  const x0 = Math.max(0, Math.floor(-x / size));
  const y0 = Math.max(0, Math.floor(-y / size));
  for (let j = y0; y + j * size < Math.min(view.height, y + t); j++) {
    for (let i = x0 + ((x0 + j) & 1); x + i * size < Math.min(view.width, x + w); i += 2) paint.fillRect(x + i * size, y + j * size, size, size);
  }
  paint.restore();
};

// range is the range of pixels that the canvas shows.
const range = () => ({
  x0: Math.max(0, Math.floor(-view.x / view.scale)),
  y0: Math.max(0, Math.floor(-view.y / view.scale)),
  x1: Math.min(data.width, Math.ceil((view.width - view.x) / view.scale)),
  y1: Math.min(data.height, Math.ceil((view.height - view.y) / view.scale)),
});

const pixels = () => {
  const r = range();
  paint.beginPath();
  for (let x = r.x0; x <= r.x1; x++) {
    paint.moveTo(view.x + x * view.scale, view.y + r.y0 * view.scale);
    paint.lineTo(view.x + x * view.scale, view.y + r.y1 * view.scale);
  }
  for (let y = r.y0; y <= r.y1; y++) {
    paint.moveTo(view.x + r.x0 * view.scale, view.y + y * view.scale);
    paint.lineTo(view.x + r.x1 * view.scale, view.y + y * view.scale);
  }
  paint.lineWidth = 1;
  paint.strokeStyle = 'rgb(128 128 128 / 35%)';
  paint.stroke();
  if (view.scale < samplesFrom) return;
  for (let y = r.y0; y < r.y1; y++) {
    for (let x = r.x0; x < r.x1; x++) samples(x, y);
  }
};

// samples draws a pixel's samples: those that are explained in their colours.
const samples = (x, y) => {
  const here = explained.get(x + ',' + y);
  samplePlaces(here).forEach(([dx, dy], i) => {
    const e = here && ofSamples(here).find(k => k.target.sample === i);
    const px = view.x + (x + dx) * view.scale;
    const py = view.y + (y + dy) * view.scale;
    const radius = e ? Math.min(13, view.scale / 11) : 2;
    paint.beginPath();
    paint.arc(px, py, radius, 0, 2 * Math.PI);
    paint.fillStyle = e ? color(e.after) || '#808080' : 'rgb(0 0 0 / 70%)';
    paint.fill();
    if (!e) {
      paint.lineWidth = 1;
      paint.strokeStyle = 'rgb(255 255 255 / 70%)';
      paint.stroke();
      return;
    }
    const chosen = e && e === state.shown;
    for (const [width, stroke] of chosen ? [[5, '#000'], [2.5, '#fff']] : [[2.5, '#000'], [1, '#fff']]) {
      paint.lineWidth = width;
      paint.strokeStyle = stroke;
      paint.stroke();
    }
    if (view.scale > 90) {
      paint.font = '600 11px system-ui, sans-serif';
      paint.textAlign = dx > 0.7 ? 'right' : 'left';
      const tx = px + (dx > 0.7 ? -radius - 5 : radius + 5);
      paint.lineWidth = 3;
      paint.strokeStyle = '#000';
      paint.strokeText(String(i), tx, py + 4);
      paint.fillStyle = '#fff';
      paint.fillText(String(i), tx, py + 4);
    }
  });
};

const frame = (x, y, size, widths) => {
  for (const [width, stroke] of widths) {
    paint.lineWidth = width;
    paint.strokeStyle = stroke;
    paint.strokeRect(view.x + x, view.y + y, size, size);
  }
};

// marks are around the pixels that are explained.
const marks = () => {
  for (const [key] of explained) {
    const [x, y] = key.split(',').map(Number);
    const size = Math.max(view.scale, 5);
    const off = (view.scale - size) / 2;
    frame(x * view.scale + off, y * view.scale + off, size, [[3, '#000'], [1.5, '#ffd21f']]);
  }
};

const cross = () => {
  const size = Math.max(view.scale, 7);
  const off = (view.scale - size) / 2;
  const x = state.x * view.scale + off;
  const y = state.y * view.scale + off;
  frame(x, y, size, [[5, '#000'], [2.5, '#fff']]);
  if (view.scale > 24) return;
  const cx = view.x + x + size / 2;
  const cy = view.y + y + size / 2;
  paint.beginPath();
  for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
    paint.moveTo(cx + dx * (size / 2 + 4), cy + dy * (size / 2 + 4));
    paint.lineTo(cx + dx * (size / 2 + 14), cy + dy * (size / 2 + 14));
  }
  for (const [width, stroke] of [[4, '#000'], [2, '#fff']]) {
    paint.lineWidth = width;
    paint.strokeStyle = stroke;
    paint.stroke();
  }
};

// outline draws the primitive of the fragment that was opened last.
const outline = () => {
  const vertices = state.primitive ? list(state.primitive.vertices) : [];
  if (vertices.length === 0 || vertices.some(v => !v.window)) return;
  paint.beginPath();
  vertices.forEach((v, i) => {
    const x = view.x + v.window[0] * view.scale;
    const y = view.y + v.window[1] * view.scale;
    if (vertices.length === 1) paint.arc(x, y, 5, 0, 2 * Math.PI);
    else if (i === 0) paint.moveTo(x, y);
    else paint.lineTo(x, y);
  });
  paint.closePath();
  for (const [width, stroke] of [[4, 'rgb(0 0 0 / 70%)'], [1.75, '#4fd8ff']]) {
    paint.lineWidth = width;
    paint.strokeStyle = stroke;
    paint.stroke();
  }
};

// place is the pixel at a point of the canvas, and the sample that is near it, if that
// can be told.
const place = (px, py) => {
  const fx = (px - view.x) / view.scale;
  const fy = (py - view.y) / view.scale;
  const at = { x: Math.floor(fx), y: Math.floor(fy), sample: -1 };
  if (view.scale >= samplesFrom) {
    let best = 14 / view.scale;
    samplePlaces(explained.get(at.x + ',' + at.y)).forEach(([dx, dy], i) => {
      const d = Math.hypot(fx - at.x - dx, fy - at.y - dy);
      if (d < best) {
        best = d;
        at.sample = i;
      }
    });
  }
  return at;
};

const listen = () => {
  let held = null;
  const at = e => {
    const box = canvas.getBoundingClientRect();
    return [e.clientX - box.left, e.clientY - box.top];
  };
  canvas.addEventListener('wheel', e => {
    e.preventDefault();
    const lines = e.deltaMode === 1 ? 16 : 1;
    zoomAt(Math.exp(-Math.max(-120, Math.min(120, e.deltaY * lines)) * 0.004), ...at(e));
  }, { passive: false });
  canvas.addEventListener('pointerdown', e => {
    if (e.button !== 0) return;
    canvas.setPointerCapture(e.pointerId);
    held = { from: at(e), x: view.x, y: view.y, moved: false };
  });
  canvas.addEventListener('pointermove', e => {
    if (!held) return;
    const [x, y] = at(e);
    held.moved = held.moved || Math.hypot(x - held.from[0], y - held.from[1]) > 4;
    if (!held.moved) return;
    view.x = held.x + x - held.from[0];
    view.y = held.y + y - held.from[1];
    redraw();
  });
  canvas.addEventListener('pointerup', e => {
    const click = held && !held.moved;
    held = null;
    if (!click) return;
    const p = place(...at(e));
    if (p.x >= 0 && p.y >= 0 && p.x < data.width && p.y < data.height) choose(p.x, p.y, p.sample, 0);
  });
  canvas.addEventListener('pointercancel', () => (held = null));
  canvas.addEventListener('keydown', e => {
    const step = e.shiftKey ? 10 : 1;
    const [dx, dy] = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[e.key] || [];
    if (dx === undefined || e.ctrlKey || e.altKey || e.metaKey) return;
    e.preventDefault();
    choose(Math.max(0, Math.min(data.width - 1, state.x + dx)), Math.max(0, Math.min(data.height - 1, state.y + dy)), -1, 400);
    reveal();
  });
  new ResizeObserver(resize).observe($('stage'));
  image.addEventListener('load', () => {
    readout();
    redraw();
  });
  image.src = data.picture;
};

// shown is the colour of the picture at a pixel, as the screen has it.
const probe = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
const shown = (x, y) => {
  if (!image.complete || !image.naturalWidth) return null;
  probe.canvas.width = probe.canvas.height = 1;
  probe.drawImage(image, -x, -y);
  const d = probe.getImageData(0, 0, 1, 1).data;
  return '#' + [...d].map(b => b.toString(16).padStart(2, '0')).join('');
};
