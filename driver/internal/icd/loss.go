package icd

import "fmt"

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
		d.sync.broadcast()
	})
}
