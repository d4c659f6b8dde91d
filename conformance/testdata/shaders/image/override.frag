#version 460
#extension GL_NV_sample_mask_override_coverage : require
// A mask of samples in place of the coverage: all of the one there is.
//! color 0 f32 1*16
layout(location = 0) out vec4 c;
layout(override_coverage) out int gl_SampleMask[];
void main() {
	gl_SampleMask[0] = 1;
	c = vec4(1);
}
