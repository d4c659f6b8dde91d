#version 460
// Specialization constants and operations on them.
//! spec 1 u32 5
//! spec 2 i32 -3
//! spec 3 f32 1.5
//! spec 4 bool true
//! out 0 i32 5 -3 2 1 8 -15 1 3 9
layout(local_size_x = 1) in;
layout(constant_id = 1) const uint u = 1;
layout(constant_id = 2) const int s = 1;
layout(constant_id = 3) const float f = 1;
layout(constant_id = 4) const bool b = false;
layout(constant_id = 5) const int kept = 9;
const ivec2 both = ivec2(s, kept);
layout(std430, binding = 0) writeonly buffer O { int o[]; };
void main() {
	o[0] = int(u);
	o[1] = s;
	o[2] = int(f * 1.5);
	o[3] = int(b);
	o[4] = int(u) - s;
	o[5] = int(u) * s;
	o[6] = u > 4 ? 1 : 0;
	int list[u - 2];
	o[7] = int(list.length());
	o[8] = both.y;
}
