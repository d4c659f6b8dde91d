#version 450
#extension GL_ARB_fragment_shader_interlock : require
layout(pixel_interlock_ordered) in;
layout(location = 0) flat in uint instance;
layout(set = 0, binding = 0, r32ui) uniform coherent uimage2D image;
layout(location = 0) out uvec4 color;
void main() {
	ivec2 at = ivec2(gl_FragCoord.xy);
	beginInvocationInterlockARB();
	uint v = imageLoad(image, at).x * 3u + instance;
	imageStore(image, at, uvec4(v));
	endInvocationInterlockARB();
	color = uvec4(v, 0u, 0u, 0u);
}
