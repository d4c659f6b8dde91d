#version 450
// Every location has a colour of its own.
layout(location = 2) flat in vec4 flatly;
layout(location = 0) out vec4 color[16];
void main() {
	for (int i = 0; i < 16; i++) color[i] = flatly + float(i);
}
