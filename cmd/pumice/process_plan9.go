package main

import "os"

// keepPipeErrors does nothing: a pipe without a reader ends no process here.
func keepPipeErrors() {}

// brokenPipe is false: such errors have no number.
func brokenPipe(error) bool { return false }

// signalNumber is 0: notes are text.
func signalNumber(os.Signal) int { return 0 }

// endedBy is 0: notes are text.
func endedBy(*os.ProcessState) int { return 0 }
