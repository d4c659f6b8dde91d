@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;

// How many steps of Collatz's sequence lead from a number to one.
@compute @workgroup_size(64)
fn steps(@builtin(global_invocation_id) id: vec3<u32>) {
    var n = numbers[id.x];
    var count = 0u;
    while (n != 1u) {
        if (n % 2u == 0u) {
            n = n / 2u;
        } else {
            n = 3u * n + 1u;
        }
        count = count + 1u;
    }
    numbers[id.x] = count;
}

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) color: vec3<f32>,
}

// Half of the picture, left of and below its diagonal: red, green and blue where its corners are.
@vertex
fn corner(@builtin(vertex_index) i: u32) -> Corner {
    var c: Corner;
    c.position = vec4<f32>(select(-1.0, 1.0, i == 1u), select(-1.0, 1.0, i == 2u), 0.0, 1.0);
    c.color = vec3<f32>(select(0.0, 1.0, i == 0u), select(0.0, 1.0, i == 1u), select(0.0, 1.0, i == 2u));
    return c;
}

@fragment
fn color(c: Corner) -> @location(0) vec4<f32> {
    return vec4<f32>(c.color, 1.0);
}
