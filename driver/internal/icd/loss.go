package icd

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
)

// DefaultSubmitTimeout is how long a submission may run where nobody says anything
// else: so long that no work does that somebody waits for, on however slow a machine,
// and short enough for a program that hangs to end in the same night.
const DefaultSubmitTimeout = time.Hour

// SubmitTimeoutOf is the Config.SubmitTimeout that a user has written: seconds, or a
// duration with its unit such as 90s or 10m; 0 means any time, and what is neither
// means the default.
func SubmitTimeoutOf(setting string) time.Duration {
	d, err := time.ParseDuration(setting)
	if seconds, e := strconv.ParseFloat(setting, 64); e == nil && seconds >= 0 {
		d, err = time.Duration(min(seconds, math.MaxInt64/2e9)*1e9), nil
	}
	switch {
	case err != nil || d < 0:
		return 0
	case d == 0:
		return -1
	}
	return d
}

// lose marks the device lost after work that went wrong, as err says: the commands
// after it are not what the application meant. A device that goes away is lost
// without an error.
//
// VK_ERROR_DEVICE_LOST tells a program that nothing is in use any more, whatever it
// has waited for, so it is told when nothing runs: other queues' work is cancelled, and
// waited for. Of several that fail together the first has the word, and the others
// return when it is lost.
//
// devsandqueues-lost-device
func (d *Device) lose(err error) {
	d.loss.Do(func() {
		if err != nil && d.driver.cfg.Log != nil {
			_, _ = fmt.Fprintf(d.driver.cfg.Log, "pumice: the device is lost: %v\n", err)
		}
		d.core.Abandon()
		d.lost.Store(true)
		d.board.Lost.Store(1)
		d.sync.broadcast()
	})
}

// tellsLoss says that VK_ERROR_DEVICE_LOST is a return code of the command. Others that
// fail because the device is lost return VK_ERROR_UNKNOWN, which is one of all.
//
// devsandqueues-lost-device
func tellsLoss(op abi.Op) bool {
	switch op {
	case abi.OpCreateDevice, abi.OpQueueSubmit, abi.OpQueueSubmit2, abi.OpQueueWaitIdle, abi.OpDeviceWaitIdle, abi.OpQueueBindSparse,
		abi.OpGetFenceStatus, abi.OpWaitForFences, abi.OpGetSemaphoreCounterValue, abi.OpWaitSemaphores, abi.OpGetEventStatus, abi.OpGetQueryPoolResults,
		abi.OpCreateSwapchainKHR, abi.OpCreateSharedSwapchainsKHR, abi.OpAcquireNextImageKHR, abi.OpAcquireNextImage2KHR, abi.OpQueuePresentKHR,
		abi.OpWaitForPresentKHR, abi.OpWaitForPresent2KHR, abi.OpGetSwapchainCounterEXT, abi.OpGetSwapchainStatusKHR,
		abi.OpGetRefreshCycleDurationGOOGLE, abi.OpGetPastPresentationTimingGOOGLE, abi.OpGetPastPresentationTimingEXT:
		return true
	}
	return false
}
