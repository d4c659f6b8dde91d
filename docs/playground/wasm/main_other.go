//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "this program is for the playground's page: go run ./docs/playground/build")
	os.Exit(1)
}
