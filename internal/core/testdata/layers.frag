#version 450
layout(set = 0, binding = 0, r32ui) uniform uimage2D image;
void main() {
	imageAtomicAdd(image, ivec2(gl_FragCoord.xy), 1u << 2 * gl_Layer);
}
