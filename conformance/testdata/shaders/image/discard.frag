#version 460
#extension GL_EXT_demote_to_helper_invocation : require
// Terminated and demoted fragments write nothing, and those demoted still give derivatives.
//! color 0 f32 0 0 0 0 1 2 1 1 0 0 0 0 3 2 1 1
layout(location = 0) in vec2 pixel;
layout(location = 0) out vec4 c;
void main() {
	float n = floor(pixel.x) + 2 * floor(pixel.y);
	if (n == 2)
		demote;
	float y = dFdyFine(n), x = dFdxFine(n);
	if (n == 0)
		discard;
	c = vec4(n, y, x, helperInvocationEXT() ? 0 : 1);
}
