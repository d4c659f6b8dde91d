package icd

import (
	"errors"

	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// result turns an error of core into what an entry point returns. A broken rule,
// which leaves Vulkan everything open, is VK_ERROR_VALIDATION_FAILED.
func result(err error) vk.Result {
	var own vk.Result
	switch {
	case err == nil:
		return vk.Success
	case errors.As(err, &own):
		return own
	case errors.Is(err, core.ErrDeviceLost):
		return vk.ErrorDeviceLost
	case errors.Is(err, core.ErrOutOfMemory):
		return vk.ErrorOutOfDeviceMemory
	case errors.Is(err, core.ErrTooManyObjects):
		return vk.ErrorTooManyObjects
	case errors.Is(err, core.ErrAddressTaken):
		return vk.ErrorInvalidOpaqueCaptureAddress
	case errors.Is(err, core.ErrHandle):
		return vk.ErrorInvalidExternalHandle
	case errors.Is(err, core.ErrUnsupported):
		return vk.ErrorFeatureNotPresent
	}
	return vk.ErrorValidationFailed
}

// created finishes a vkCreate* of a non-dispatchable object: the handle goes
// to *out, VK_NULL_HANDLE on failure.
func created[H ~uint64, T any](pool *Pool[T], out *H, v *T, err error) vk.Result {
	*out = 0
	if err != nil {
		return result(err)
	}
	h := pool.Put(v)
	if h == 0 {
		return vk.ErrorTooManyObjects
	}
	*out = H(h)
	return vk.Success
}
