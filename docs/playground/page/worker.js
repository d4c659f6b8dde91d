// The worker: it fetches the program and its data, starts it, and hands on what the page
// asks for. The page sends one job at a time, and may cancel it.
'use strict';
importScripts('wasm_exec.js');

const fetched = new Map(); // bytes of the files so far, and what is to come
function progress(name, bytes, total) {
  fetched.set(name, [bytes, total]);
  let done = 0, all = 0;
  for (const [d, t] of fetched.values()) { done += d; all += t; }
  postMessage({progress: {done, all}});
}

// unpacked is a file's stream, unpacked; its progress is told as it comes in.
async function unpacked(name) {
  const answer = await fetch(name);
  if (!answer.ok) throw new Error(`${name}: the server says ${answer.status} ${answer.statusText}`);
  const total = Number(answer.headers.get('Content-Length')) || 0;
  let bytes = 0;
  const count = new TransformStream({transform(chunk, to) { bytes += chunk.length; progress(name, bytes, Math.max(bytes, total)); to.enqueue(chunk); }});
  return answer.body.pipeThrough(count).pipeThrough(new DecompressionStream('gzip'));
}
const bytesOf = async name => new Uint8Array(await new Response(await unpacked(name)).arrayBuffer());

function call(kind, request, files) {
  return new Promise((resolve, reject) => pumiceCall(kind, JSON.stringify(request), files, (error, result, picture) => {
    if (error) reject(Object.assign(new Error(error.message), {name: error.name}));
    else resolve({result, picture});
  }));
}

async function start() {
  const go = new Go();
  const ready = new Promise(resolve => { self.pumiceReady = resolve; });
  const data = [bytesOf('light.bin'), bytesOf('teapot.bin')];
  const engine = new Response(await unpacked('engine.bin'), {headers: {'Content-Type': 'application/wasm'}});
  const {instance} = await WebAssembly.instantiateStreaming(engine, go.importObject);
  go.run(instance).then(() => postMessage({fatal: 'The program has ended, probably for want of memory; load the page again.'}));
  await ready;
  const [light, teapot] = await Promise.all(data);
  await call('open', {}, {light});
  const {result} = await call('teapot', {}, {teapot});
  postMessage({started: result});
}
start().catch(error => postMessage({fatal: error.message}));

onmessage = async ({data}) => {
  if (data.cancel) return pumiceCancel();
  try {
    const {result, picture} = await call(data.kind, data.request || {}, data.files || {});
    postMessage({id: data.id, result, picture}, picture ? [picture.data.buffer] : []);
  } catch (error) {
    postMessage({id: data.id, error: {name: error.name, message: error.message}});
  }
};
