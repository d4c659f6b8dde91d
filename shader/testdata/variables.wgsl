struct S { a: f32, b: vec2f }
struct P { scale: f32, bias: vec2<f32> }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
fn twice(v: f32) -> f32 {
  let w = v + v;
  return w;
}
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  var sum = f32(i) * p.scale;
  sum = sum + p.bias.y;
  for (var k = 0u; k < 3u; k++) {
    sum += twice(f32(k));
  }
  var s = S(sum, vec2(1, 2));
  s.b.y = sum * 2;
  let done = vec2(sum, s.b.y);
  out[i] = done.x;
}
