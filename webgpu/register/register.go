// Package register makes Pumice the backend of github.com/gogpu/wgpu when it is imported, as packages of wgpu's
// own backends do. With one of those in the program as well, call webgpu.Register at its start instead.
package register

import "github.com/pumice-gpu/pumice/webgpu"

func init() { webgpu.Register(nil) } // wgpu's backends come by imports
