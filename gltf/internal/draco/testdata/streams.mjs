// Makes streams.json with Draco's own encoder: a bent sheet with every attribute that
// glTF has, in both of Draco's methods.
//
//	npm install draco3dgltf@1.5.7 && node streams.mjs > streams.json
import draco3d from 'draco3dgltf';

const m = await draco3d.createEncoderModule();
const n = 6, points = (n + 1) * (n + 1);
const mesh = { indices: [], position: [], normal: [], uv: [], color: [], joints: [], weights: [] };
for (let y = 0; y <= n; y++) {
	for (let x = 0; x <= n; x++) {
		const u = x / n, v = y / n, a = (u - 0.5) * 2;
		mesh.position.push(Math.sin(a), v * 1.5, Math.cos(a));
		mesh.normal.push(Math.sin(a), 0, Math.cos(a));
		mesh.uv.push(u, 1 - v);
		mesh.color.push(x * 40, y * 40, 255 - x * y, 255);
		mesh.joints.push(x, y, 300, 0);
		mesh.weights.push(u, 1 - u, 0, 0);
		if (x < n && y < n) {
			const i = y * (n + 1) + x;
			mesh.indices.push(i, i + 1, i + n + 2, i, i + n + 2, i + n + 1);
		}
	}
}
const out = [];
for (const [name, method, speed] of [['sequential', m.MESH_SEQUENTIAL_ENCODING, 5], ['edgebreaker', m.MESH_EDGEBREAKER_ENCODING, 5], ['edgebreaker slow', m.MESH_EDGEBREAKER_ENCODING, 0]]) {
	const encoder = new m.Encoder(), builder = new m.MeshBuilder(), drc = new m.Mesh(), data = new m.DracoInt8Array();
	builder.AddFacesToMesh(drc, mesh.indices.length / 3, new Uint32Array(mesh.indices));
	const ids = {
		position: builder.AddFloatAttribute(drc, m.POSITION, points, 3, new Float32Array(mesh.position)),
		normal: builder.AddFloatAttribute(drc, m.NORMAL, points, 3, new Float32Array(mesh.normal)),
		uv: builder.AddFloatAttribute(drc, m.TEX_COORD, points, 2, new Float32Array(mesh.uv)),
		color: builder.AddUInt8Attribute(drc, m.COLOR, points, 4, new Uint8Array(mesh.color)),
		joints: builder.AddUInt16Attribute(drc, m.GENERIC, points, 4, new Uint16Array(mesh.joints)),
		weights: builder.AddFloatAttribute(drc, m.GENERIC, points, 4, new Float32Array(mesh.weights)),
	};
	encoder.SetSpeedOptions(speed, speed);
	encoder.SetAttributeQuantization(m.POSITION, 14);
	encoder.SetAttributeQuantization(m.NORMAL, 10);
	encoder.SetAttributeQuantization(m.TEX_COORD, 12);
	encoder.SetAttributeQuantization(m.GENERIC, 12);
	encoder.SetEncodingMethod(method);
	const size = encoder.EncodeMeshToDracoBuffer(drc, data), bytes = Buffer.alloc(size);
	for (let i = 0; i < size; i++) bytes[i] = data.GetValue(i);
	out.push({ name, stream: bytes.toString('base64'), ids });
}
for (const k in mesh) mesh[k] = mesh[k].map(v => Math.fround(v));
console.log(JSON.stringify({ mesh, streams: out }, null, '\t').replace(/\n\t\t\t+|,\n\t\t\t?(?=-?[\d])/g, m => (m[0] === ',' ? ', ' : ' ')));
