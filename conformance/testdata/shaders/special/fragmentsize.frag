#version 450
// Without a shading rate image fragments are of one pixel and have one invocation.
//! size 1 1
//! color 0 f32 1 1 1 8
#extension GL_NV_shading_rate_image : require
layout(location = 0) out vec4 color;
void main() {
	color = vec4(gl_FragmentSizeNV, gl_InvocationsPerPixelNV, 8);
}
