#version 450
// An instruction for each shape of image, whose texels are 1000 + 100 layer (or face, or slice) + 10 y + x.
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Results { float r[]; };
layout(binding = 1) uniform sampler1D row;
layout(binding = 2) uniform sampler2DArray layers;
layout(binding = 3) uniform samplerCube cube;
layout(binding = 4) uniform samplerCubeArray cubes;
layout(binding = 5) uniform sampler3D volume;
layout(binding = 6, r32f) uniform imageCube face;
layout(binding = 7, r32f) uniform imageCubeArray faces;
layout(binding = 8, r32f) uniform image2DArray stored;
layout(binding = 9) uniform sampler2DMS samples;
layout(binding = 10, r32ui) uniform uimage2D natural;
layout(binding = 11, r32i) uniform iimage2D whole;
layout(binding = 12) uniform sampler2D plane;
layout(binding = 13, r32ui) uniform uimageCubeArray counted;
void main() {
	r[0] = textureLod(row, 0.6, 0).x;
	r[1] = textureLod(layers, vec3(0.75, 0.25, 2), 0).x;
	r[2] = textureLod(cube, vec3(0.5, -1, 0.5), 0).x;
	r[3] = textureLod(cubes, vec4(0.5, -0.5, 1, 1), 0).x;
	r[4] = textureLod(volume, vec3(0.75, 0.25, 0.75), 0).x;
	r[5] = imageLoad(face, ivec3(1, 0, 5)).x;
	r[6] = imageLoad(faces, ivec3(0, 1, 11)).x;
	imageStore(stored, ivec3(1, 1, 2), vec4(7));
	r[7] = imageLoad(stored, ivec3(1, 1, 2)).x + imageLoad(stored, ivec3(0, 1, 1)).x;
	r[8] = texelFetch(samples, ivec2(1, 0), 1).x;
	imageStore(natural, ivec2(1, 0), uvec4(0xFFFFFFFEu));
	r[9] = imageLoad(natural, ivec2(1, 0)).x == 0xFFFFFFFEu ? 1 : 0;
	imageStore(whole, ivec2(0, 1), ivec4(-7));
	r[10] = imageLoad(whole, ivec2(0, 1)).x;
	r[11] = textureProjLod(row, vec2(1.8, 2), 0).x;
	r[12] = textureProjLod(plane, vec3(1.5, 0.5, 2), 0).x;
	r[13] = textureProjLod(volume, vec4(1, 3, 1, 4), 0).x;
	r[14] = texelFetch(row, 3, 0).x;
	r[15] = texelFetch(layers, ivec3(0, 1, 1), 0).x;
	r[16] = texelFetch(volume, ivec3(1, 1, 0), 0).x;
	imageStore(face, ivec3(0, 1, 4), vec4(9));
	r[17] = imageLoad(face, ivec3(0, 1, 4)).x;
	imageStore(faces, ivec3(1, 1, 10), vec4(11));
	r[18] = imageLoad(faces, ivec3(1, 1, 10)).x;
	r[19] = uintBitsToFloat(imageAtomicExchange(counted, ivec3(1, 0, 7), floatBitsToUint(5.0)));
	r[20] = uintBitsToFloat(imageLoad(counted, ivec3(1, 0, 7)).x);
}
