#version 450
layout(location = 0) in vec2 position;
layout(location = 1) in vec2 texCoord;
layout(location = 0) out vec2 uv;
layout(set = 0, binding = 0) uniform Transform { vec4 scaleOffset; };
void main() {
    uv = texCoord;
    gl_Position = vec4(position * scaleOffset.xy + scaleOffset.zw, 0.5, 1.0);
}
