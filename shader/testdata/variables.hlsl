cbuffer P : register(b0) { float scale; float2 bias; };
RWStructuredBuffer<float> o : register(u1);
struct S { float a; float2 b; };
float twice(float v) {
  float w = v + v;
  return w;
}
[numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  uint i = id.x;
  float sum = float(i) * scale;
  sum = sum + bias.y;
  for (uint k = 0; k < 3; k++) {
    sum += twice(float(k));
  }
  S s;
  s.a = sum;
  s.b = float2(1, sum * 2);
  float2 done = float2(sum, s.b.y);
  o[i] = done.x;
}
