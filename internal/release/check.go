package main

import (
	"context"
	"errors"
)

func checkInstalled(ctx context.Context, version string) error { return errors.New("todo") }
