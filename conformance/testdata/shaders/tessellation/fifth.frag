#version 450
//! size 2 2
//! color 0 u32 5 4321 5 50 5 4321 5 50 5 4321 5 50 5 4321 5 50
layout(location = 0) flat in uvec4 seen;
layout(location = 0) out uvec4 color;
void main() {
	color = seen;
}
