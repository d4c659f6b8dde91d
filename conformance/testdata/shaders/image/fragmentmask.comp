#version 460
#extension GL_AMD_shader_fragment_mask : require
// Colour fragments: each sample has its own, so the mask counts.
//! multisample 0 2 2 rgba8 4
//! sampler 0 linear
//! out 1 u32 0x3210 0 0 0 0
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler2DMS m;
layout(std430, binding = 1) writeonly buffer O { uint o[]; };
void main() {
	o[0] = fragmentMaskFetchAMD(m, ivec2(0)) & 0xFFFFu;
	for (uint k = 0; k < 4; k++)
		o[1 + k] = uint(fragmentFetchAMD(m, ivec2(1), k).x);
}
