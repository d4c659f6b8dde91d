// The command _gen writes docs/validation.md:
//
//	go run ./_gen -out ../../docs/validation.md
package main

import (
	"flag"
	"log"
	"os"

	"github.com/pumice-gpu/pumice/conformance/told"
)

func main() {
	log.SetFlags(0)
	out := flag.String("out", "", "the page to write")
	flag.Parse()
	if err := os.WriteFile(*out, []byte(told.Page()), 0o644); err != nil {
		log.Fatal(err)
	}
}
