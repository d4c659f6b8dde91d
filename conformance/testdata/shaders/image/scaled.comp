#version 460
#extension GL_EXT_shader_image_load_formatted : require
// Storage images of scaled formats, which have no name in a shader: floats, rounded to the nearest, ties to even, and clamped.
//! image 0 3 1 rgba8uscaled u8 7 8 9 255 1 2 3 4 0 0 0 0
//! imageout 0 3 1 rgba8uscaled u8 2 4 255 0 255 9 8 7 0 0 0 0
//! image 1 2 1 r16sscaled i16 -300 32767
//! imageout 1 2 1 r16sscaled i16 -2 -32768
//! out 2 f32 7 8 9 255 -300 0 0 1 32767
layout(local_size_x = 1) in;
layout(binding = 0) uniform image2D u;
layout(binding = 1) uniform image2D s;
layout(std430, binding = 2) buffer O { vec4 o[2]; float last; };
void main() {
	o[0] = imageLoad(u, ivec2(0, 0));
	o[1] = imageLoad(s, ivec2(0, 0));
	last = imageLoad(s, ivec2(1, 0)).x;
	imageStore(u, ivec2(0, 0), vec4(2.5, 3.5, 300, -1));
	imageStore(u, ivec2(1, 0), o[0].abgr);
	imageStore(u, ivec2(3, 0), vec4(9));
	imageStore(s, ivec2(0, 0), vec4(-1.5));
	imageStore(s, ivec2(1, 0), vec4(-1e9));
}
