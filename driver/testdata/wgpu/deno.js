// Does on Deno's WebGPU what package task says, with the shader and the file that the command line names.
const [shaderFile, outFile] = Deno.args;
const numbers = 256, size = 64;
const adapter = await navigator.gpu.requestAdapter();
const device = await adapter.requestDevice();
device.addEventListener("uncapturederror", (e) => {
  console.error(e.error.message);
  Deno.exit(1);
});
const module = device.createShaderModule({ code: await Deno.readTextFile(shaderFile) });
const encoder = device.createCommandEncoder();
const readable = (bytes) => device.createBuffer({ size: bytes, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
const read = async (buffer) => {
  await buffer.mapAsync(GPUMapMode.READ);
  return new Uint8Array(buffer.getMappedRange());
};

const values = device.createBuffer({ size: numbers * 4, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
device.queue.writeBuffer(values, 0, Uint32Array.from({ length: numbers }, (_, i) => i + 1));
const steps = device.createComputePipeline({ layout: "auto", compute: { module, entryPoint: "steps" } });
const compute = encoder.beginComputePass();
compute.setPipeline(steps);
compute.setBindGroup(0, device.createBindGroup({ layout: steps.getBindGroupLayout(0), entries: [{ binding: 0, resource: { buffer: values } }] }));
compute.dispatchWorkgroups(numbers / 64);
compute.end();
const computed = readable(numbers * 4);
encoder.copyBufferToBuffer(values, 0, computed, 0, numbers * 4);

const format = "rgba8unorm";
const texture = device.createTexture({ size: [size, size], format, usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC });
const pass = encoder.beginRenderPass({
  colorAttachments: [{ view: texture.createView(), loadOp: "clear", storeOp: "store", clearValue: [0, 0, 0.2, 1] }],
});
pass.setPipeline(device.createRenderPipeline({
  layout: "auto",
  vertex: { module, entryPoint: "corner" },
  fragment: { module, entryPoint: "color", targets: [{ format }] },
}));
pass.draw(3);
pass.end();
const picture = readable(size * size * 4);
encoder.copyTextureToBuffer({ texture }, { buffer: picture, bytesPerRow: size * 4 }, [size, size]);
device.queue.submit([encoder.finish()]);

const out = new Uint8Array(numbers * 4 + size * size * 4);
out.set(await read(computed));
out.set(await read(picture), numbers * 4);
await Deno.writeFile(outFile, out);
console.log("adapter:", adapter.info.description || adapter.info.device);
