#version 460
#extension GL_ARB_fragment_shader_interlock : require
// A section that one fragment of a pixel enters at a time.
//! image 0 2 2 r32ui u32 1 2 3 4
//! imageout 0 2 2 r32ui u32 11 12 13 14
//! color 0 f32 1*16
layout(pixel_interlock_ordered) in;
layout(binding = 0, r32ui) coherent uniform uimage2D m;
layout(location = 0) out vec4 c;
void main() {
	ivec2 at = ivec2(gl_FragCoord.xy);
	beginInvocationInterlockARB();
	imageStore(m, at, imageLoad(m, at) + 10);
	endInvocationInterlockARB();
	c = vec4(1);
}
