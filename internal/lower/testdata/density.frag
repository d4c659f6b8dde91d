#version 460
// What density maps tell fragments.
#extension GL_EXT_fragment_invocation_density : require
layout(location = 0) out vec4 color;
void main() {
	color = vec4(gl_FragSizeEXT, gl_FragInvocationCountEXT, 1);
}
