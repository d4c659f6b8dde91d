#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) uniform P { float scale; vec2 bias; } p;
layout(set = 0, binding = 1) buffer O { float o[]; };
struct S { float a; vec2 b; };
float twice(float v) {
  float w = v + v;
  return w;
}
void main() {
  uint i = gl_GlobalInvocationID.x;
  float sum = float(i) * p.scale;
  sum = sum + p.bias.y;
  for (uint k = 0u; k < 3u; k++) {
    sum += twice(float(k));
  }
  S s = S(sum, vec2(1, 2));
  s.b.y = sum * 2;
  vec2 done = vec2(sum, s.b.y);
  o[i] = done.x;
}
