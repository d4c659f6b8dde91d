// Programs on WebGPU's interface that the driver's tests run. A module of its own, so that who uses this
// repository's does not depend on what these do.
module github.com/pumice-gpu/pumice/driver/testdata/wgpu

go 1.25.0

require (
	github.com/cogentcore/webgpu v0.23.0
	github.com/gogpu/gputypes v0.5.0
	github.com/gogpu/wgpu v0.30.0
)

require (
	github.com/go-webgpu/goffi v0.5.3 // indirect
	github.com/go-webgpu/webgpu v0.5.2 // indirect
	github.com/gogpu/naga v0.17.15 // indirect
)
