#version 460
// A strip of two triangles, one for each column. The tables of drawn strips number the vertices of what is emitted.
layout(triangles) in;
layout(triangle_strip, max_vertices = 4) out;
layout(location = 0) out float value;
void vertex(float v, vec2 at) {
	value = v;
	gl_Position = vec4(at, 0, 1) * (1 + v);
	EmitVertex();
}
void main() {
	vertex(0, vec2(-3, 0));
	vertex(1, vec2(0.2, -4));
	vertex(2, vec2(-0.2, 4));
	vertex(3, vec2(3, 0));
	EndPrimitive();
}
