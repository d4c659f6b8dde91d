#version 450
// Numbers the invocations; helpers, were their atomics to count, would leave gaps.
layout(set = 0, binding = 0) buffer Counter { uint count; uint helpers; };
layout(location = 0) in vec4 smoothly;
layout(location = 0) out vec4 color[2];
void main() {
	uint n = atomicAdd(count, 1u);
	if (gl_HelperInvocation) atomicAdd(helpers, 1u);
	color[0] = vec4(n, gl_SampleMaskIn[0], dFdx(smoothly.x), 1);
	color[1] = gl_FragCoord;
}
