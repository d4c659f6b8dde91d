// Makes vectors.json with meshoptimizer's own encoder and decoder:
//
//	npm install meshoptimizer@1.3.0 && node vectors.mjs > vectors.json
import { MeshoptEncoder as enc, MeshoptDecoder as dec } from 'meshoptimizer';

await enc.ready;
await dec.ready;

let seed = 1;
const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
const bytes = a => new Uint8Array(a.buffer, a.byteOffset, a.byteLength);
const out = [];

function add(name, source, count, stride, mode, filter = 'NONE', version = 0, level = 2) {
	// Level 3 tries every mode and rotation of version 1.
	const encoded = mode === 'ATTRIBUTES' ? enc.encodeVertexBufferLevel(source, count, stride, level, version) : enc.encodeGltfBuffer(source, count, stride, mode);
	const decoded = new Uint8Array(count * stride);
	dec.decodeGltfBuffer(decoded, count, stride, encoded, mode, filter);
	const b64 = b => Buffer.from(b).toString('base64');
	out.push({ name: `${name}/v${version}${level === 3 ? '/level 3' : ''}`, mode, filter, count, stride, encoded: b64(encoded), decoded: b64(decoded) });
}

function attributes(name, source, count, stride, filter) {
	for (const version of [0, 1]) add(name, source, count, stride, 'ATTRIBUTES', filter, version);
}

// Bytes of every kind: still, counting, steps of a few bits, noise.
for (const [count, stride] of [[1, 4], [17, 8], [270, 8], [20, 64], [33, 256]]) {
	const a = new Uint8Array(count * stride);
	for (let i = 0; i < count; i++) {
		for (let k = 0; k < stride; k++) {
			a[i * stride + k] = [7, i, (random() * 3) | 0, (random() * 11) | 0, random() * 256, i % 16 ? 0 : random() * 256, i % 9 ? 3 : 200][(k + (k >> 3)) % 7];
		}
	}
	attributes(`bytes ${count}x${stride}`, a, count, stride);
}
// 16- and 32-bit values that move smoothly: version 1 has deltas of 2 bytes and by exclusive or.
const shorts = new Uint16Array(4 * 130), floats = new Float32Array(3 * 130), noise = new Float32Array(4 * 40);
for (let i = 0; i < 130; i++) {
	for (let k = 0; k < 4; k++) shorts[4 * i + k] = 32768 + 20000 * Math.sin(i / (20 + k)) + 50 * random();
	for (let k = 0; k < 3; k++) floats[3 * i + k] = Math.cos(i / 31) * (k + 1);
}
for (let i = 0; i < noise.length; i++) noise[i] = (random() * 2 - 1) * (i % 4 ? 1 : 1e-3);
// Values of a few bits that are not at a byte's border: deltas by exclusive or, turned.
const steps = new Uint32Array(130).map((_, i) => (random() < 0.5 ? 0x000000ff : 0x000043bc) ^ (i % 7 ? 0 : 0x00600000));
for (const [name, a, stride] of [['steps', steps, 4], ['shorts', shorts, 8], ['floats', floats, 12]]) {
	add(name, bytes(a), 130, stride, 'ATTRIBUTES', 'NONE', 1, 3);
}
attributes('shorts', bytes(shorts), 130, 8);
attributes('floats', bytes(floats), 130, 12);

const count = 40;
const unit = new Float32Array(4 * count);
for (let i = 0; i < count; i++) {
	const v = [0, 1, 2, 3].map(() => random() * 2 - 1), l = Math.hypot(v[0], v[1], v[2]);
	v.forEach((x, k) => (unit[4 * i + k] = k < 3 ? x / l : Math.sign(x)));
}
unit.set([1, 0, 0, 1, 0, -1, 0, 1, 0, 0, -1, -1]);
for (const [stride, bits] of [[4, 8], [4, 6], [8, 16], [8, 12]]) {
	attributes(`octahedral ${stride} ${bits}`, enc.encodeFilterOct(unit, count, stride, bits), count, stride, 'OCTAHEDRAL');
}
const quats = new Float32Array(4 * count);
for (let i = 0; i < count; i++) {
	const v = [0, 1, 2, 3].map(() => random() * 2 - 1), l = Math.hypot(...v);
	v.forEach((x, k) => (quats[4 * i + k] = x / l));
}
quats.set([0, 0, 0, 1, 1, 0, 0, 0]);
for (const bits of [16, 10]) {
	attributes(`quaternion ${bits}`, enc.encodeFilterQuat(quats, count, 8, bits), count, 8, 'QUATERNION');
}
for (const [bits, mode] of [[24, 'Separate'], [12, 'SharedVector'], [15, 'SharedComponent']]) {
	attributes(`exponential ${bits} ${mode}`, enc.encodeFilterExp(noise, count, 16, bits, mode), count, 16, 'EXPONENTIAL');
}
const colors = new Float32Array(4 * count).map(() => random());
colors.set([0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1]);
for (const [stride, bits] of [[4, 8], [4, 5], [8, 16], [8, 11]]) {
	attributes(`color ${stride} ${bits}`, enc.encodeFilterColor(colors, count, stride, bits), count, stride, 'COLOR');
}

// A grid in its own order, the same shuffled, and a soup.
function triangles(name, list) {
	add(`${name} 32`, bytes(new Uint32Array(list)), list.length, 4, 'TRIANGLES');
	add(`${name} 16`, bytes(new Uint16Array(list)), list.length, 2, 'TRIANGLES');
}
const grid = [], n = 12;
for (let y = 0; y < n; y++) {
	for (let x = 0; x < n; x++) {
		const a = y * (n + 1) + x, b = a + 1, c = a + n + 1, d = c + 1;
		grid.push(a, c, b, b, c, d);
	}
}
triangles('grid', grid);
triangles('grid reversed', [...grid].reverse());
triangles('soup', Array.from({ length: 150 }, () => (random() * 1000) | 0));
const strip = Array.from({ length: 20 }, (_, i) => (i % 2 ? [i + 1, i, i + 2] : [i, i + 1, i + 2])).flat();
triangles('restart', [...strip, ...strip]);
triangles('single', [2, 0, 1]);

const sequence = Array.from({ length: 200 }, (_, i) => (i % 2 ? 5000 + i : i >> 1));
sequence.push(0, 65535, 3, 4, 3);
add('sequence 32', bytes(new Uint32Array(sequence)), sequence.length, 4, 'INDICES');
add('sequence 16', bytes(new Uint16Array(sequence)), sequence.length, 2, 'INDICES');
add('far 32', bytes(new Uint32Array([0, 0x3fffffff, 7, 0x20000000])), 4, 4, 'INDICES');

console.log('[\n' + out.map(v => JSON.stringify(v)).join(',\n') + '\n]');
