//go:build !linux

package corepair

import "errors"

var errNotHere = errors.New("corepair: needs Linux")

// Pin keeps the calling thread on one processor; here it cannot.
func Pin(int) error { return errNotHere }

// Allowed are the processors that this process may use; here nobody knows.
func Allowed() ([]int, error) { return nil, errNotHere }
