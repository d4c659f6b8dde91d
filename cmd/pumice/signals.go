package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// signalError is the cause of a context that a signal has ended.
type signalError struct{ os.Signal }

func (s signalError) Error() string {
	if s.Signal == os.Interrupt {
		return "interrupted"
	}
	return s.String()
}

// number is what shells add to 128 for the exit code.
func (s signalError) number() int { return signalNumber(s.Signal) }

// untilSignal returns a context that ends with ^C or the request to terminate.
func untilSignal(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			cancel(signalError{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(context.Canceled)
	}
}
