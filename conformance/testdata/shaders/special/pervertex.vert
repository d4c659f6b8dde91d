#version 450
// A triangle over the picture whose vertices have structs of seven words.
struct Corner { uint index; vec3 data[2]; };
layout(location = 0) flat out Corner corner;
void main() {
	corner.index = gl_VertexIndex;
	float n = float(gl_VertexIndex + 1);
	corner.data = vec3[2](vec3(n, 2 * n, 3 * n), vec3(4 * n, 5 * n, 6 * n));
	gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1);
}
