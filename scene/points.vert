#version 460
// Vertices in pixels of the framebuffer, with depth, w and a colour.
layout(push_constant) uniform P { vec2 size; float pointSize; uint number; } p;
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 color;
layout(location = 0) out vec4 smoothly;
layout(location = 1) out vec4 linearly;
layout(location = 2) out vec4 flatly;
void main() {
	gl_Position = vec4((2 * at.xy / p.size - 1) * at.w, at.z * at.w, at.w);
	gl_PointSize = p.pointSize;
	smoothly = linearly = flatly = color;
}
