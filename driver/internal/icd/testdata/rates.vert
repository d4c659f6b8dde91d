#version 450
#extension GL_EXT_fragment_shading_rate : require
// A triangle over everything, whose rate is the instance's number.
void main() {
	gl_Position = vec4(gl_VertexIndex == 2 ? 3 : -1, gl_VertexIndex == 1 ? 3 : -1, 0.5, 1);
	gl_PrimitiveShadingRateEXT = gl_InstanceIndex;
}
