package imagefile_test

import (
	"os"
	"testing"

	"github.com/pumice-gpu/pumice/internal/assets"
)

// TestMain says in one line which tests were skipped for want of assets.
func TestMain(m *testing.M) { os.Exit(assets.Run(m)) }
