// Command build makes the folder of the playground, for any server of static files, and
// can serve it on this machine itself:
//
//	go run ./docs/playground/build -o FOLDER [-serve 127.0.0.1:8000]
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"

	"github.com/pumice-gpu/pumice/docs/playground"
)

func main() {
	log.SetFlags(0)
	dir := flag.String("o", "", "the folder to write; it is made where it is missing")
	address := flag.String("serve", "", "serve the folder at this address, such as 127.0.0.1:8000, until interrupted")
	flag.Parse()
	if *dir == "" || flag.NArg() > 0 {
		log.Fatal("name the folder: -o FOLDER")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := playground.Build(ctx, *dir); err != nil {
		log.Fatal(err)
	}
	if *address == "" {
		return
	}
	server := &http.Server{Addr: *address, Handler: http.FileServer(http.Dir(*dir))}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	fmt.Printf("http://%s/\n", *address)
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		log.Fatal(err)
	}
}
