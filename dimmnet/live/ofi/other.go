//go:build !(ofi && linux && cgo)

package ofi

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// Supported returns nil if this program can use the network: built with libfabric, on Linux.
func Supported() error { return ErrUnavailable }

// Providers returns what this host offers, best first: all, or those with the given name.
func Providers(string) ([]Provider, error) { return nil, ErrUnavailable }

// Refused returns the providers of this host that this package cannot use, and what they lack.
func Refused() ([]Refusal, error) { return nil, ErrUnavailable }

// Version returns the version of libfabric, such as "1.17".
func Version() string { return "" }

func prepare(*Config, bool) (stream.Join, error) { return nil, fmt.Errorf("ofi: %w", ErrUnavailable) }
