#version 460
// Geometric functions on numbers whose results are exact.
//! in 0 f32 3 4 0 0 3 0
//! out 1 f32 5 5 0 1 0 1 0 -1 0 12 0.5 0.5
layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) writeonly buffer O { float o[]; };
void main() {
	vec3 v = vec3(a[0], a[1], a[2]);
	vec3 w = vec3(a[3], a[4], a[5]);
	o[0] = length(v);
	o[1] = distance(v, vec3(0));
	vec3 n = normalize(w);
	o[2] = n.x;
	o[3] = n.y;
	o[4] = n.z;
	vec3 r = reflect(vec3(0, -1, 0), n);
	o[5] = r.y;
	o[6] = r.x;
	vec3 f = faceforward(n, n, n);
	o[7] = f.y;
	o[8] = refract(vec3(0, -1, 0), n, 1.0).x;
	o[9] = -cross(v, w - vec3(0, 6, 0)).z + 3 - 0 * r.x;
	o[10] = mix(0.0, 1.0, 0.5);
	o[11] = smoothstep(0.0, 2.0, 1.0);
}
