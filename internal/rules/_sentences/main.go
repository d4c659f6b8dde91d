// The command _sentences reads what is not in this repository, and tells where docs/rules
// does not have all of it:
//
//	go run ./internal/rules/_sentences -chapters FOLDER
//	go run ./internal/rules/_sentences -spec FOLDER
//
// Run it in the repository's root. Chapters of the specification are files NAME.txt: each
// sentence has a row in docs/rules/sentences-….md. One without is printed with its key:
// give it a row on the page, and the two a line in internal/rules/testdata/sentences.txt.
// The specification's sources (folders chapters and appendices, in AsciiDoc) have
// statements of valid usage: each has a row in docs/rules/valid-usage.md.
package main

import (
	"flag"
	"fmt"
	"log"

	"github.com/pumice-gpu/pumice/internal/rules"
)

func main() {
	log.SetFlags(0)
	chapters := flag.String("chapters", "", "the folder of the chapters, files NAME.txt")
	list := flag.Bool("list", false, "with -chapters: print all sentences with their keys and rows")
	spec := flag.String("spec", "", "the folder of the specification's sources")
	flag.Parse()
	if *chapters == "" && *spec == "" {
		flag.Usage()
		log.Fatal("neither -chapters nor -spec")
	}
	if *chapters != "" {
		checkSentences(*chapters, *list)
	}
	if *spec != "" {
		checkUsage(*spec)
	}
}

func checkUsage(spec string) {
	rows, files, err := rules.Usage("docs/rules/valid-usage.md")
	if err == nil {
		err = rules.CheckSpec(rows, files, spec)
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d statements of %d chapters\n", len(rows), len(files))
}

func checkSentences(chapters string, list bool) {
	text, err := rules.ReadChapters(chapters)
	if err != nil {
		log.Fatal(err)
	}
	rows, err := rules.SentenceRows("docs/rules")
	if err != nil {
		log.Fatal(err)
	}
	keys, err := rules.SentenceKeys("internal/rules/testdata/sentences.txt")
	if err != nil {
		log.Fatal(err)
	}
	if list {
		for _, s := range text {
			fmt.Printf("%s %s %s\n", s.Key, keys[s.Key], s.Text)
		}
	}
	if err := rules.CheckSentences(rows, keys); err != nil {
		log.Fatal(err)
	}
	if err := rules.CheckChapters(rows, keys, text); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d sentences, %d keys, %d rows\n", len(text), len(keys), len(rows))
}
