#version 450
#extension GL_EXT_fragment_shading_rate : require
#extension GL_EXT_fragment_invocation_density : require
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
void main() {
	a = vec4(gl_ShadingRateEXT, gl_FragSizeEXT, gl_FragInvocationCountEXT);
	b = vec4(gl_FragCoord.xy, 0, 1);
}
