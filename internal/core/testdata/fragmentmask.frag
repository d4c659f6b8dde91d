#version 450
#extension GL_AMD_shader_fragment_mask : require
layout(input_attachment_index = 0, set = 0, binding = 0) uniform usubpassInputMS before;
layout(set = 0, binding = 1) uniform usampler2DMS image;
layout(location = 0) out uvec4 color;
void main() {
	ivec2 at = ivec2(gl_FragCoord.xy);
	uint mask = fragmentMaskFetchAMD(before), other = fragmentMaskFetchAMD(image, at), n = 0u;
	for (int k = 3; k >= 0; k--)
		n = 10u * n + fragmentFetchAMD(before, mask >> (4 * k) & 15u).x;
	for (int k = 0; k < 4; k++)
		n = 10u * n + fragmentFetchAMD(image, at, other >> (4 * k) & 15u).x;
	color = uvec4(n, 0u, 0u, 0u);
}
