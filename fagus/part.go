package fagus

import (
	"fmt"
	"slices"
	"unsafe"
)

// Part returns the elements lo to hi-1 of Slice. What is written there about its elements holds.
// Part panics if the elements are not within the array.
//
// Config.Check tells variables apart only if they guard different pages, or if the program uses
// Parts: accesses through a Part of elements that one variable guards are allowed while the rank
// holds this variable, whatever else is on the page. Rebind ends that for the Parts of before.
//
//	top := a.Part(0, columns) // the first row
func (a *Array[T]) Part(lo, hi int) []T {
	part := a.data[lo:hi:hi]
	if a.whole == nil || lo == hi {
		return part
	}
	mem := a.node.guard.Part(a.bytes(lo, hi))
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(mem))), hi-lo)
}

// Copy returns a copy of all elements, for results that are needed when the program has returned.
// An element is current under the conditions that Slice states.
func (a *Array[T]) Copy() []T {
	a.beforeCopy()
	return slices.Clone(a.data)
}

// beforeCopy panics if Config.Check forbids to read the array.
func (a *elements) beforeCopy() {
	if a.whole == nil {
		return
	}
	if text, ok := a.node.guard.Forbidden(a.bytes(0, a.length)); ok {
		panic(forbidden(text))
	}
}

// forbidden is a panic of the program: an access that Config.Check forbids, and that raised no
// fault.
type forbidden string

func (f forbidden) Error() string { return fmt.Sprintf("fagus: %s", string(f)) }
