// The command _doc writes docs/features.md from the driver's tables.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"

	"github.com/pumice-gpu/pumice/driver/internal/icd"
)

func main() {
	out := flag.String("out", "", "the file to write")
	flag.Parse()
	var b bytes.Buffer
	err := icd.Document(&b)
	if err == nil {
		err = os.WriteFile(*out, b.Bytes(), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "driver/internal/icd/_doc:", err)
		os.Exit(1)
	}
}
