#version 450
#extension GL_ARB_shader_stencil_export : require
// One component of colour, depth, and the reference of the stencil test.
layout(location = 2) flat in vec4 flatly;
layout(location = 0) out float color;
void main() {
	color = flatly.x;
	gl_FragDepth = flatly.y;
	gl_FragStencilRefARB = int(flatly.z);
}
