package shader_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/pumice-gpu/pumice/shader"
)

// common is the compiler that tests share, and the folder of its cache: to translate the compilers takes
// longer than all sources do.
var common struct {
	c      *shader.Compiler
	folder string
	fresh  atomic.Int64
}

func TestMain(m *testing.M) {
	base, err := os.MkdirTemp("", "shader-test-")
	if err != nil {
		log.Fatal(err)
	}
	_ = os.Setenv("XDG_CACHE_HOME", base) // so that examples share it, too
	common.folder = filepath.Join(base, "pumice", "shader")
	common.c = shader.NewCompiler(shader.Config{CacheDir: common.folder})
	code := m.Run()
	_ = common.c.Close()
	_ = os.RemoveAll(base)
	os.Exit(code)
}

func compiler(testing.TB) *shader.Compiler { return common.c }

func mustCompile(t testing.TB, source string, o shader.Options) []byte {
	t.Helper()
	code, err := compiler(t).Compile(context.Background(), source, o)
	if err != nil {
		var e *shader.Error
		if errors.As(err, &e) {
			t.Fatal(e.Detail())
		}
		t.Fatal(err)
	}
	return code
}

// fresh is a source that was never compiled before, and means what the given one does.
func fresh(source string) string { return fmt.Sprintf("%s\n// %d\n", source, common.fresh.Add(1)) }
