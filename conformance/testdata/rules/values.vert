#version 450
// A value a vertex, for fragment shaders to interpolate as they like.
layout(constant_id = 0) const float size = 1.0;
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 value;
layout(location = 0) out vec4 smoothly;
layout(location = 1) out vec4 linearly;
layout(location = 2) out vec4 flatly;
layout(location = 3) out vec4 atCentroid;
layout(location = 4) out vec4 atSample;
layout(location = 5) out ivec4 number;
void main() {
	gl_Position = position;
	gl_PointSize = size;
	smoothly = linearly = flatly = atCentroid = atSample = value;
	number = ivec4(value);
}
