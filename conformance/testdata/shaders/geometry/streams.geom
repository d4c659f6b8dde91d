#version 460
// Only the vertices of stream 0 are drawn.
layout(triangles) in;
layout(points, max_vertices = 4) out;
layout(location = 0, stream = 0) out vec4 color;
layout(location = 1, stream = 1) out vec4 other;
void main() {
	gl_PointSize = 1;
	color = vec4(3);
	gl_Position = vec4(-0.5, -0.5, 0, 1);
	EmitStreamVertex(0);
	EndStreamPrimitive(0);
	other = vec4(4);
	EmitStreamVertex(1);
	EndStreamPrimitive(1);
}
