// The HAL of github.com/gogpu/wgpu on Pumice. A module of its own, so that who uses Pumice alone does not
// depend on what this does.
module github.com/pumice-gpu/pumice/webgpu

go 1.26.0

require (
	github.com/gogpu/gputypes v0.5.0
	github.com/gogpu/wgpu v0.30.0
	github.com/pumice-gpu/pumice v0.0.0-00010101000000-000000000000
)

require (
	github.com/go-webgpu/goffi v0.5.3 // indirect
	github.com/go-webgpu/webgpu v0.5.2 // indirect
	github.com/gogpu/naga v0.17.15 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/tetratelabs/wazero v1.12.0 // indirect
	golang.org/x/image v0.47.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/pumice-gpu/pumice => ../
