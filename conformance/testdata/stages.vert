#version 450
// Vertices on a spiral, from their number alone.
layout(location = 0) out vec4 color;
void main() {
	float t = float(gl_VertexIndex) * 0.7;
	float r = 0.1 + 0.9 * fract(float(gl_VertexIndex) * 0.381966);
	gl_Position = vec4(r * cos(t), r * sin(t), 0.5, 1.0);
	color = vec4(fract(t), r, fract(3.0 * t), 1.0);
}
