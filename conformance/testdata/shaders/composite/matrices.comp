#version 460
// Products of matrices and vectors, transposes, determinants, inverses, outer products.
//! in 0 f32 1 2 3 4
//! out 1 f32 7 15 5 11 1 3 2 2 7 15 10 22 2 4 6 8 1 2 2 4 -2 -2 1 1.5 -0.5 5
layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer A { float a[4]; };
layout(std430, binding = 1) writeonly buffer O { float o[]; };
uint at;
void put(vec2 v) {
	o[at++] = v.x;
	o[at++] = v.y;
}
void main() {
	mat2 m = mat2(a[0], a[2], a[1], a[3]); // columns (1, 3) and (2, 4)
	vec2 v = vec2(a[0], a[2]);
	at = 0;
	put(m * v);                        // 1+6, 3+12
	put(vec2(a[0], a[1]) * m + vec2(-2, 1)); // 7, 10
	mat2 t = transpose(m);
	put(t[0].xx * vec2(1, 3));
	put(t[0].yy);
	mat2 mm = m * m;
	put(mm[0]);
	put(mm[1]);
	mat2 d = m * 2.0;
	put(vec2(d[0].x, d[1].x));
	put(vec2(d[0].y, d[1].y));
	mat2 u = outerProduct(vec2(a[0], a[1]), vec2(a[0], a[1]));
	put(u[0]);
	put(u[1]);
	o[at++] = determinant(m);
	mat2 n = inverse(m);
	put(vec2(n[0].x, n[1].x));
	put(vec2(n[0].y, n[1].y));
	o[at++] = dot(vec2(1, 2), v - vec2(0, 1));
}
