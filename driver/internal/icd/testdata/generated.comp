#version 450
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint add = 0;
layout(push_constant) uniform Push { uvec2 value; uint sequence; } push;
layout(binding = 0) buffer Out { uint d[]; };
void main() {
	if (gl_WorkGroupID == uvec3(0))
		d[push.value.x] = push.value.y + push.sequence + 100 * add + 1000 * gl_NumWorkGroups.x * gl_NumWorkGroups.y * gl_NumWorkGroups.z;
}
