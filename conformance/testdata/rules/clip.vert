#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 value;
out gl_PerVertex {
	vec4 gl_Position;
	float gl_ClipDistance[2];
	float gl_CullDistance[1];
};
void main() {
	gl_Position = position;
	gl_ClipDistance[0] = value.x;
	gl_ClipDistance[1] = value.y;
	gl_CullDistance[0] = value.z;
}
