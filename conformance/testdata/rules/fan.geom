#version 450
// Each triangle as a strip of its own vertices, in reverse.
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 2) in vec4 flatly[];
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
layout(location = 2) flat out vec4 c;
layout(location = 3) out vec4 d;
layout(location = 5) flat out ivec4 e;
void main() {
	for (int i = 2; i >= 0; i--) {
		gl_Position = gl_in[i].gl_Position;
		a = b = c = d = flatly[i];
		e = ivec4(flatly[i]);
		EmitVertex();
	}
}
