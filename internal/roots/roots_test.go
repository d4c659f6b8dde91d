package roots

import (
	"context"
	"slices"
	"testing"
)

func TestInside_Command(t *testing.T) {
	in := Inside{Root: "/r", Mounts: []Mount{{From: "/a b", To: "/src", ReadOnly: true}, {From: "/c", To: "/cache"}}, User: "nobody", Env: []string{"A=1"}}
	cmd := in.Command(context.Background(), "go", "test", "./...")
	at := slices.Index(cmd.Args, "inside")
	want := []string{"inside", "/r", "", "nobody", "2", "/a b", "/src", "ro", "/c", "/cache", "rw", "go", "test", "./..."}
	if at < 0 || !slices.Equal(cmd.Args[at:], want) || !slices.Equal(cmd.Env, in.Env) {
		t.Errorf("%q with %q", cmd.Args, cmd.Env)
	}
}
