#version 460
#extension GL_NV_shader_texture_footprint : require
// The footprint of a sample from an image of one level: one level, the first.
//! image 0 2 2 rgba32f f32 1*16
//! sampler 0 linear
//! color 0 f32 1 0 1 1 1 0 1 1 1 0 1 1 1 0 1 1
layout(binding = 0) uniform sampler2D s;
layout(location = 0) in vec2 pixel;
layout(location = 0) out vec4 c;
void main() {
	gl_TextureFootprint2DNV f;
	bool one = textureFootprintNV(s, pixel * 0.5, 1, false, f);
	c = vec4(one, f.lod, 1, 1);
}
