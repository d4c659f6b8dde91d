#version 450
// Eight vertices on a picture of 16x8 texels, at middles of texels.
void main() {
	const vec2 at[8] = vec2[](vec2(1, 1), vec2(5, 6), vec2(9, 1), vec2(13, 6), vec2(2, 5), vec2(7, 3), vec2(12, 2), vec2(14, 4));
	gl_Position = vec4((at[gl_VertexIndex] + 0.5) / vec2(8, 4) - 1.0, 0, 1);
	gl_PointSize = 1;
}
