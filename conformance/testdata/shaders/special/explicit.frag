#version 450
// An input as each vertex has it, and interpolated by hand with both kinds of
// barycentric coordinates.
//! size 2 1
//! color 0 f32 0 8 2 15 0 8 2 15
#extension GL_AMD_shader_explicit_vertex_parameter : require
layout(location = 0) __explicitInterpAMD in vec2 a;
layout(location = 1) in float smoothed;
layout(location = 2) noperspective in float straight;
layout(location = 0) out vec4 color;
float by(vec2 ij) {
	return interpolateAtVertexAMD(a, 0).y * (1 - ij.x - ij.y) + interpolateAtVertexAMD(a, 1).y * ij.x + interpolateAtVertexAMD(a, 2).y * ij.y;
}
void main() {
	bvec4 same = bvec4(
		abs(by(gl_BaryCoordSmoothAMD) - smoothed) < 1e-5,
		abs(by(gl_BaryCoordNoPerspAMD) - straight) < 1e-5,
		distance(gl_BaryCoordSmoothCentroidAMD, gl_BaryCoordSmoothAMD) + distance(gl_BaryCoordNoPerspCentroidAMD, gl_BaryCoordNoPerspAMD) < 1e-5,
		distance(gl_BaryCoordPullModelAMD, vec3(gl_FragCoord.w, 1 / gl_BaryCoordSmoothAMD)) < 1e-4);
	color = vec4(interpolateAtVertexAMD(a, 0).x, interpolateAtVertexAMD(a, 1).y, interpolateAtVertexAMD(a, 2).x, dot(vec4(same), vec4(1, 2, 4, 8)));
}
