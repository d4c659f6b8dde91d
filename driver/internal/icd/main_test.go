package icd

import (
	"fmt"
	"os"
	"strconv"
	"testing"
)

// TestMain: what C and Go share lies as on 64-bit systems, the only ones that the driver is for.
func TestMain(m *testing.M) {
	if strconv.IntSize < 64 {
		fmt.Println("skipped: structs of C with addresses of 64 bits")
		return
	}
	os.Exit(m.Run())
}
