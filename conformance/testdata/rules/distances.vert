#version 450
// Distances of both kinds, of which one is the value: clip distances by number from 0 on, cull distances from 8 on.
layout(constant_id = 1) const int clips = 1;
layout(constant_id = 2) const int culls = 1;
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 value;
layout(location = 0) out vec4 smoothly;
out float gl_ClipDistance[clips];
out float gl_CullDistance[culls];
void main() {
	gl_Position = position;
	smoothly = vec4(1);
	for (int i = 0; i < clips; i++)
		gl_ClipDistance[i] = i == int(value.x) ? value.y : 1;
	for (int i = 0; i < culls; i++)
		gl_CullDistance[i] = i == int(value.x) - 8 ? value.y : -1 + 2 * float(int(value.z) >> i & 1);
}
