#version 450
// A patch of three points; the triangle covers the target.
void main() {
	int i = gl_VertexIndex;
	gl_Position = vec4(i == 1 ? 3 : -1, i == 2 ? 3 : -1, 0, 1);
}
