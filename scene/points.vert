#version 460
// Vertices in pixels of the framebuffer, with depth and w.
layout(push_constant) uniform P { vec2 size; float pointSize; uint number; } p;
layout(location = 0) in vec4 at;
void main() {
	gl_Position = vec4((2 * at.xy / p.size - 1) * at.w, at.z * at.w, at.w);
	gl_PointSize = p.pointSize;
}
