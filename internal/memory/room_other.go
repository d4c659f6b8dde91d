//go:build !linux

package memory

type limits struct{}

// ReadLimits does nothing: Linux only has limits that matter here.
func ReadLimits() {}

func (*limits) room() (int64, bool) { return 0, false }

// adviseHuge does nothing: other systems choose the size of pages themselves.
func adviseHuge([]byte) {}
