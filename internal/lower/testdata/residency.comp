#version 450
#extension GL_ARB_sparse_texture2 : require
// Each invocation but every third asks for a texel of its own row, and for four of two rows.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) uniform sampler2D image;
layout(set = 0, binding = 1) buffer Out { uint v[]; } outs;
void main() {
	uint i = gl_LocalInvocationIndex;
	if (i % 3 != 2) {
		vec4 t;
		int one = sparseTexelFetchARB(image, ivec2(5, i), 0, t);
		int four = sparseTextureGatherARB(image, vec2(0.5, (float(i) + 1.0) / 16.0), t);
		outs.v[i] = (sparseTexelsResidentARB(one) ? 1 : 0) + (sparseTexelsResidentARB(four) ? 2 : 0);
	}
}
