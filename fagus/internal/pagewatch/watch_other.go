//go:build !linux || !(amd64 || arm64)

package pagewatch

import "errors"

// Watch finds which pages of memory were written. On this system it cannot.
type Watch struct{}

// New returns a Watch.
func New() *Watch { return &Watch{} }

// Open returns an error: pages cannot be watched on this system.
func (w *Watch) Open() error {
	return errors.New("pagewatch: only Linux on amd64 and arm64 reports which pages were written")
}

// Forget returns the error of Open.
func (w *Watch) Forget([]byte) error { return w.Open() }

// Written returns the error of Open.
func (w *Watch) Written([]byte, func(lo, hi int)) error { return w.Open() }

// Close does nothing.
func (w *Watch) Close() error { return nil }
