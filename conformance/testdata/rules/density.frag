#version 450
#extension GL_EXT_fragment_invocation_density : require
// Size, invocations and samples of a fragment, and how the mask changes beside it.
layout(location = 0) out vec4 color[2];
void main() {
	float mask = float(gl_SampleMaskIn[0]);
	color[0] = vec4(gl_FragSizeEXT, gl_FragInvocationCountEXT, mask);
	color[1] = vec4(dFdxFine(mask), dFdyFine(mask), float(gl_HelperInvocation), 1);
}
