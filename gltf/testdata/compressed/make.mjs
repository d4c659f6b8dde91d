// Makes the models of this folder: one with a skin, morph targets, instances, variants
// and animations, as it is and as independent encoders compress it.
//
//	npm install @gltf-transform/core@4.5.1 @gltf-transform/extensions@4.5.1 \
//		@gltf-transform/functions@4.5.1 draco3dgltf@1.5.7 meshoptimizer@1.3.0 gltfpack@1.3.0
//	node make.mjs
import { Document, NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS, EXTMeshGPUInstancing, KHRMaterialsVariants, KHRNodeVisibility } from '@gltf-transform/extensions';
import { cloneDocument, draco, meshopt } from '@gltf-transform/functions';
import draco3d from 'draco3dgltf';
import { MeshoptDecoder, MeshoptEncoder } from 'meshoptimizer';
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

await MeshoptEncoder.ready;
await MeshoptDecoder.ready;
const io = new NodeIO().registerExtensions(ALL_EXTENSIONS).registerDependencies({
	'draco3d.encoder': await draco3d.createEncoderModule(),
	'draco3d.decoder': await draco3d.createDecoderModule(),
	'meshopt.encoder': MeshoptEncoder,
	'meshopt.decoder': MeshoptDecoder,
});

const doc = new Document();
const buffer = doc.createBuffer();
const accessor = (type, array, normalized = false) => doc.createAccessor().setType(type).setArray(array).setNormalized(normalized).setBuffer(buffer);
const material = (name, color) => doc.createMaterial(name).setBaseColorFactor(color).setMetallicFactor(0);
const scene = doc.createScene();

// sheet returns a bent sheet of n × n squares.
function sheet(n, skinned) {
	const a = { position: [], normal: [], uv: [], color: [], joints: [], weights: [], index: [] };
	for (let y = 0; y <= n; y++) {
		for (let x = 0; x <= n; x++) {
			const u = x / n, v = y / n, t = (u - 0.5) * 2;
			a.position.push(Math.sin(t), v * 1.5, Math.cos(t) - 1);
			a.normal.push(Math.sin(t), 0, Math.cos(t));
			a.uv.push(u, 1 - v);
			a.color.push(255 - x * 30, 255 - y * 30, 200, 255);
			a.joints.push(0, 1, 0, 0);
			a.weights.push(1 - v, v, 0, 0);
			if (x < n && y < n) {
				const i = y * (n + 1) + x;
				a.index.push(i, i + 1, i + n + 2, i, i + n + 2, i + n + 1);
			}
		}
	}
	const p = doc.createPrimitive().setIndices(accessor('SCALAR', new Uint16Array(a.index)))
		.setAttribute('POSITION', accessor('VEC3', new Float32Array(a.position)))
		.setAttribute('NORMAL', accessor('VEC3', new Float32Array(a.normal)))
		.setAttribute('TEXCOORD_0', accessor('VEC2', new Float32Array(a.uv)))
		.setAttribute('COLOR_0', accessor('VEC4', new Uint8Array(a.color), true));
	if (skinned) {
		p.setAttribute('JOINTS_0', accessor('VEC4', new Uint8Array(a.joints)));
		p.setAttribute('WEIGHTS_0', accessor('VEC4', new Float32Array(a.weights)));
	}
	return p;
}

// A sheet that bends about its second joint.
const root = doc.createNode('joint 0').setTranslation([-1.5, 0, 0]);
const joint = doc.createNode('joint 1').setTranslation([0, 0.75, 0]);
root.addChild(joint);
const inverse = y => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -y, 0, 1];
const skin = doc.createSkin('skin').addJoint(root).addJoint(joint)
	.setInverseBindMatrices(accessor('MAT4', new Float32Array([...inverse(0), ...inverse(0.75)])));
const skinned = doc.createMesh('skinned').addPrimitive(sheet(6, true).setMaterial(material('grey', [0.8, 0.8, 0.8, 1])));
scene.addChild(root).addChild(doc.createNode('skinned').setMesh(skinned).setSkin(skin));

// A sheet with a morph target.
const morphed = sheet(4, false).setMaterial(material('green', [0.2, 0.8, 0.2, 1]));
const moves = new Float32Array(3 * 25).map((_, i) => (i % 3 === 2 ? 0.5 * Math.cos(i) : 0));
morphed.addTarget(doc.createPrimitiveTarget().setAttribute('POSITION', accessor('VEC3', moves)));
const flag = doc.createNode('morphed').setTranslation([1.5, 0, 0]).setMesh(doc.createMesh('morphed').addPrimitive(morphed).setWeights([0.25]));
scene.addChild(flag);

// Small sheets, instanced, whose colour is a variant's.
const instancing = doc.createExtension(EXTMeshGPUInstancing), variants = doc.createExtension(KHRMaterialsVariants);
const small = sheet(2, false).setMaterial(material('white', [1, 1, 1, 1]));
small.setExtension('KHR_materials_variants', variants.createMappingList()
	.addMapping(variants.createMapping().setMaterial(material('red', [1, 0, 0, 1])).addVariant(variants.createVariant('warm')))
	.addMapping(variants.createMapping().setMaterial(material('blue', [0, 0, 1, 1])).addVariant(variants.createVariant('cold'))));
const place = [], turn = [], size = [];
for (let i = 0; i < 5; i++) {
	place.push(i * 0.6 - 1.2, -1, 0.1 * i);
	turn.push(0, Math.sin(i * 0.3), 0, Math.cos(i * 0.3));
	size.push(0.25, 0.25 + 0.05 * i, 0.25);
}
const many = doc.createNode('instances').setMesh(doc.createMesh('small').addPrimitive(small));
many.setExtension('EXT_mesh_gpu_instancing', instancing.createInstancedMesh()
	.setAttribute('TRANSLATION', accessor('VEC3', new Float32Array(place)))
	.setAttribute('ROTATION', accessor('VEC4', new Float32Array(turn)))
	.setAttribute('SCALE', accessor('VEC3', new Float32Array(size))));
scene.addChild(many);

// A node that is not seen.
doc.createExtension(KHRNodeVisibility);
const hidden = doc.createNode('hidden').setMesh(many.getMesh());
hidden.setExtension('KHR_node_visibility', doc.createExtension(KHRNodeVisibility).createVisibility().setVisible(false));
scene.addChild(hidden);

const times = accessor('SCALAR', new Float32Array([0, 1, 2]));
const animation = doc.createAnimation('move');
function animate(node, path, output) {
	const sampler = doc.createAnimationSampler().setInput(times).setOutput(output);
	animation.addSampler(sampler).addChannel(doc.createAnimationChannel().setTargetNode(node).setTargetPath(path).setSampler(sampler));
}
animate(joint, 'rotation', accessor('VEC4', new Float32Array([0, 0, 0, 1, Math.SQRT1_2, 0, 0, Math.SQRT1_2, 0, 0, 0, 1])));
animate(root, 'translation', accessor('VEC3', new Float32Array([-1.5, 0, 0, -1.5, 0.3, 0, -1.5, 0, 0])));
animate(flag, 'weights', accessor('SCALAR', new Float32Array([0, 1, 0.5])));

await io.write('plain.glb', doc);
async function compress(name, ...transforms) {
	const copy = cloneDocument(doc);
	await copy.transform(...transforms);
	await io.write(name, copy);
}
await compress('draco-edgebreaker.glb', draco({ method: 'edgebreaker' }));
await compress('draco-sequential.glb', draco({ method: 'sequential' }));
await compress('meshopt-ext.glb', meshopt({ encoder: MeshoptEncoder, level: 'high' }));
await compress('meshopt-ext-medium.glb', meshopt({ encoder: MeshoptEncoder, level: 'medium' }));

// The same streams in KHR_meshopt_compression's newer version.
const glb = readFileSync('meshopt-ext.glb'), size0 = glb.readUInt32LE(12);
const json = JSON.parse(glb.subarray(20, 20 + size0)), bin = glb.subarray(28 + size0);
const [from, to] = ['EXT_meshopt_compression', 'KHR_meshopt_compression'];
const parts = [];
let length = 0;
const append = b => {
	const at = length, padded = Buffer.alloc((b.length + 3) & ~3);
	padded.set(b);
	parts.push(padded);
	length += padded.length;
	return at;
};
for (const v of json.bufferViews) {
	const x = v.extensions?.[from];
	if (!x) {
		if (v.buffer === 0) v.byteOffset = append(bin.subarray(v.byteOffset ?? 0, (v.byteOffset ?? 0) + v.byteLength));
		continue;
	}
	const raw = new Uint8Array(x.count * x.byteStride), at = x.byteOffset ?? 0;
	MeshoptDecoder.decodeGltfBuffer(raw, x.count, x.byteStride, bin.subarray(at, at + x.byteLength), x.mode);
	const encoded = MeshoptEncoder.encodeGltfBuffer(raw, x.count, x.byteStride, x.mode, x.mode === 'ATTRIBUTES' ? 1 : undefined);
	v.extensions = { [to]: { ...x, byteOffset: append(encoded), byteLength: encoded.length } };
}
for (const b of json.buffers) if (b.extensions?.[from]) b.extensions = { [to]: b.extensions[from] };
for (const key of ['extensionsUsed', 'extensionsRequired']) json[key] = json[key].map(n => (n === from ? to : n));
json.buffers[0].byteLength = length;
let text = JSON.stringify(json);
while (Buffer.byteLength(text) % 4) text += ' ';
const head = Buffer.alloc(20), mid = Buffer.alloc(8), t = Buffer.from(text);
head.write('glTF');
[2, 28 + t.length + length, t.length, 0x4e4f534a].forEach((n, i) => head.writeUInt32LE(n, 4 + 4 * i));
[length, 0x004e4942].forEach((n, i) => mid.writeUInt32LE(n, 4 * i));
writeFileSync('meshopt-khr.glb', Buffer.concat([head, t, mid, ...parts]));

// gltfpack knows no KHR_node_visibility; it filters colours, which glTF Transform does not.
const seen = cloneDocument(doc);
seen.getRoot().listNodes().find(n => n.getName() === 'hidden').dispose();
await io.write('seen.glb', seen);
execFileSync('npx', ['gltfpack', '-i', 'seen.glb', '-o', 'gltfpack-khr.glb', '-cc', '-ce', 'khr', '-km', '-kv', '-mi', '-vp', '16', '-vn', '12', '-vt', '14']);
rmSync('seen.glb');
