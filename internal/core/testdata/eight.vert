#version 450
// A triangle over the whole picture, with outputs at locations 0 to 7 for any fragment
// shader.
layout(location = 0) out vec4 values[8];
void main() {
	vec2 at = vec2(gl_VertexIndex % 3 == 1 ? 3 : -1, gl_VertexIndex % 3 == 2 ? 3 : -1);
	for (int i = 0; i < 8; i++)
		values[i] = vec4(at, i, 1);
	gl_Position = vec4(at, 0, 1);
	gl_PointSize = 3;
}
