#version 450
// Covers the picture with one triangle. pixel is 0 at the upper left corner and
// grows by 1 a pixel of a target of 2 × 2 pixels.
layout(location = 0) out vec2 pixel;
void main() {
	vec2 at = vec2(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1);
	pixel = at + 1;
	gl_Position = vec4(at, 0, 1);
}
