#version 450
#extension GL_EXT_demote_to_helper_invocation : require
#extension GL_EXT_terminate_invocation : require
// The fragments of odd columns go; the others take derivatives across them.
layout(constant_id = 1) const int how = 0;
layout(set = 0, binding = 0) buffer Counter { uint count; };
layout(location = 0) in vec4 smoothly;
layout(location = 0) out vec4 color[2];
void main() {
	bool odd = (int(gl_FragCoord.x) & 1) == 1;
	if (odd) {
		if (how == 0) demote;
		if (how == 1) terminateInvocation;
		if (how == 2) discard;
	}
	atomicAdd(count, 1u);
	color[0] = vec4(how == 1 ? 0.0 : dFdx(smoothly.x), helperInvocationEXT(), 0, 1);
	color[1] = vec4(1);
}
