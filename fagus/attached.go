package fagus

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/internal/source"
)

// Attached returns what a library keeps with n under key, which is a value of an unexported type of
// the library. At the first call for the key, Attached calls make and keeps its result.
//
// If the result has a method End() error, Fagus calls it when the program of the rank has returned
// without an error. End may make collective calls of n. If it has a method String() string, errors
// about ranks that make different calls contain what String returns when the call fails.
func (n *Node) Attached(key any, make func() any) any {
	for _, a := range n.attached {
		if a.key == key {
			return a.value
		}
	}
	value := make()
	n.attached = append(n.attached, attachment{key, value})
	return value
}

// attachment is a value of Attached.
type attachment struct{ key, value any }

// Common is like Attached, but all ranks get the same value, so that a library can let ranks that
// are goroutines work on the same memory. It returns nil if ranks are processes or simulated, or if
// the configuration decides what becomes of arrays: with a Placement other than PlaceAuto, and with
// Check, History, Record or Checkpoints. The ranks use the value at the same time. Its methods are
// not called.
func (n *Node) Common(key any, make func() any) any {
	if !n.goroutine {
		return nil
	}
	ds := n.declared
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if ds.common[key] == nil {
		ds.common[key] = make()
	}
	return ds.common[key]
}

// isGoroutine reports whether all ranks are goroutines of this process, in real time, and nothing
// but the program depends on where arrays are.
func isGoroutine(h dimmnet.Host, cfg Config) bool {
	s, able := h.(dimmnet.Sharer)
	return able && !s.Sharing() && cfg.Net.Clock() != dimmnet.Virtual &&
		cfg.Placement == PlaceAuto && cfg.Check == CheckOff && cfg.History == nil && cfg.Record == nil && cfg.Checkpoints == nil
}

// place returns the line of the program that is being executed, and what the libraries do there.
func (n *Node) place() string {
	var places []string
	if line := source.Here(); line != source.Unknown {
		places = append(places, line)
	}
	for _, a := range n.attached {
		if s, ok := a.value.(fmt.Stringer); ok {
			places = append(places, s.String())
		}
	}
	return strings.Join(places, " in ")
}

// endAttached calls the methods End of what is attached.
func (n *Node) endAttached() error {
	for _, a := range n.attached {
		if e, ok := a.value.(interface{ End() error }); ok {
			if err := e.End(); err != nil {
				return n.stick(err)
			}
		}
	}
	return nil
}

// Elements returns the first bytes of an array as a slice of elements of type T, so that a library
// can use the memory of one array for elements of several types. It returns an error if T is no
// type of elements (see NewArray), or if the array is too short. The rules for [Array.Slice] hold.
func Elements[T any](a *Array[byte], length int) ([]T, error) {
	var zero T
	if err := checkElement(reflect.TypeFor[T]()); err != nil {
		return nil, a.node.problem("Elements of %q: %w", a.name, err)
	}
	if size := int(unsafe.Sizeof(zero)); length < 0 || length > a.Len()/size {
		return nil, a.node.problem("Elements of %q: %d elements of %d bytes: want at most the %d bytes of the array", a.name, length, size, a.Len())
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(a.Slice()))), length), nil
}
