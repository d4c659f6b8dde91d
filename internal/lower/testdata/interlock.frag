#version 460
// Shaders that see what earlier fragments of their pixel have done.
#extension GL_ARB_fragment_shader_interlock : require
#extension GL_ARB_post_depth_coverage : require
layout(early_fragment_tests, post_depth_coverage) in;
layout(pixel_interlock_ordered) in;
layout(set = 0, binding = 0) buffer Count { uint count; };
layout(location = 0) out vec4 color;
void main() {
	beginInvocationInterlockARB();
	count += uint(gl_SampleMaskIn[0]);
	endInvocationInterlockARB();
	color = vec4(1);
}
