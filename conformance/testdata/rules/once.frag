#version 450
// What a fragment is shaded with, without anything that asks for sample shading.
layout(set = 0, binding = 0) buffer Counter { uint count; };
layout(location = 0) out vec4 color[2];
void main() {
	color[0] = vec4(atomicAdd(count, 1u), gl_SampleMaskIn[0], 0, 1);
	color[1] = gl_FragCoord;
}
