#version 450
#extension GL_NV_shader_texture_footprint : require
layout(set = 0, binding = 0) uniform sampler2D flat2;
layout(set = 0, binding = 1) uniform sampler3D volume;
layout(location = 0) in vec3 uv;
layout(location = 0) out uvec4 color;
void main() {
	gl_TextureFootprint2DNV a;
	gl_TextureFootprint3DNV b;
	bool one = textureFootprintNV(flat2, uv.xy, 3, false, a);
	bool two = textureFootprintLodNV(volume, uv, 1.0, 1, true, b);
	color = uvec4(a.anchor + a.offset + a.mask, a.lod + a.granularity, uint(one) + uint(two) + b.anchor.z + b.mask.y);
}
