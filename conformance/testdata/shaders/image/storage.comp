#version 460
// Storage images: loads, stores, atomics, sizes; texels outside read zero and are not written.
//! image 0 2 2 r32ui u32 1 2 3 4
//! imageout 0 2 2 r32ui u32 11 5 255 4
//! image 1 2 2 rgba32f f32 0*16
//! imageout 1 2 2 rgba32f f32 1 2 3 4 0 0 0 0 0 0 0 0 5 6 7 8
//! out 2 u32 2 2 4 0 1 2 3
layout(local_size_x = 1) in;
layout(binding = 0, r32ui) uniform uimage2D u;
layout(binding = 1, rgba32f) uniform image2D f;
layout(std430, binding = 2) writeonly buffer O { uint o[]; };
void main() {
	o[0] = imageSize(u).x;
	o[1] = imageSize(u).y;
	o[2] = imageLoad(u, ivec2(1, 1)).x;
	o[3] = imageLoad(u, ivec2(2, 0)).x;
	o[4] = imageAtomicAdd(u, ivec2(0, 0), 10);
	o[5] = imageAtomicMax(u, ivec2(1, 0), 5);
	o[6] = imageAtomicExchange(u, ivec2(0, 1), 255);
	imageStore(f, ivec2(0, 0), vec4(1, 2, 3, 4));
	imageStore(f, ivec2(1, 1), vec4(5, 6, 7, 8));
	imageStore(f, ivec2(-1, 1), vec4(9));
}
