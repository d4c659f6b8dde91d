//go:build race

package main

// raceDetector: this program takes several times the memory and time of the command.
const raceDetector = true
