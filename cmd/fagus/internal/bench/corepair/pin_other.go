//go:build !linux

package corepair

import "errors"

var errNotHere = errors.New("corepair: needs Linux")

// Pin binds the calling thread to one processor. On this system it returns an error.
func Pin(int) error { return errNotHere }

// Allowed returns the processors that this process may use. On this system it returns an error.
func Allowed() ([]int, error) { return nil, errNotHere }
