#version 460
// All derivative functions. The value is the square of the pixel's number: 0 1 / 4 9. Coarse ones may take any row or column; here the first.
//! color 0 f32 1 4 5 1 1 8 9 1 5 4 9 1 5 8 13 1
//! color 1 f32 1 4 5 0 1 8 9 0 5 4 9 0 5 8 13 0
//! color 2 f32 1 4 5 0 1 4 5 0 1 4 5 0 1 4 5 0
layout(location = 0) in vec2 pixel;
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
layout(location = 2) out vec4 c;
void main() {
	float n = floor(pixel.x) + 2 * floor(pixel.y);
	float v = n * n;
	b = vec4(dFdxFine(v), dFdyFine(v), fwidthFine(v), 0);
	c = vec4(dFdxCoarse(v), dFdyCoarse(v), fwidthCoarse(v), 0);
	a = vec4(dFdx(v), dFdy(v), fwidth(v), 1);
}
