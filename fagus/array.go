package fagus

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/fagus-dsm/fagus/consistency"
)

// Array is a shared array of elements of type T. It has the same address in the global address
// space on every rank. Each rank works on its own copy; with PlaceShared, all ranks work on one
// copy. An Array belongs to the rank whose NewArray call returned it.
type Array[T any] struct {
	elements
	data []T
}

// elements is what an array is whatever the type of its elements: so their type brings little code
// of its own into a program.
type elements struct {
	node   *Node
	name   string
	base   consistency.Addr
	length int
	size   int // of an element, in bytes
	// whole is set when the program uses Slice, for Config.Check; nil if it is off.
	whole *atomic.Bool
}

// NewArray makes a shared array with the given number of elements, all zero. NewArray is
// collective: every rank makes the same arrays, with the same names and lengths, in the same
// order. If the ranks disagree, their next call of Acquire, Update, Barrier or Reduce fails.
//
// T is a boolean or number type, or an array or struct type made of such types. T must not contain
// pointers, because the array lies outside the Go heap: List, Table and Gather of package parts are
// for strings, slices and maps. The length is at least 1. The memory of
// the array is unmapped when the rank's program returns.
//
// NewArray returns an error if T or the length is unsuitable, the name is in use, memory is
// exhausted, or the run has failed.
func NewArray[T any](n *Node, name string, length int) (*Array[T], error) {
	e, mem, err := newElements(n, name, (*T)(nil), length)
	if err != nil {
		return nil, err
	}
	return &Array[T]{e, unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(mem))), length)}, nil
}

// newElements makes an array of what of points to, and returns the memory of its elements. Package
// reflect is not in what is compiled for each type.
func newElements(n *Node, name string, of any, length int) (e elements, view []byte, err error) {
	t := reflect.TypeOf(of).Elem()
	if err := n.alive("NewArray"); err != nil {
		return e, nil, err
	}
	if err := checkElement(t); err != nil {
		return e, nil, n.problem("NewArray %q: elements of type %v: %w", name, t, err)
	}
	size := int(t.Size())
	if length < 1 || size > 0 && length > min(consistency.MaxAddr, math.MaxInt)/size {
		return e, nil, n.problem("NewArray %q: %d elements of %d bytes: want at least one element, and all within the address space (a product that overflows may be negative)",
			name, length, size)
	}
	what := fmt.Sprintf("%d elements of type %s", length, typeText(t))
	n.declared.intend(n, fmt.Sprintf("array %q, %s", name, what))
	mem, all, err := n.mapArray(length * size)
	if err = n.declared.unequal(n, err); err != nil {
		if different := (*consistency.Difference)(nil); errors.As(err, &different) {
			return e, nil, n.problem("NewArray: %w", err)
		}
		return e, nil, n.problem("NewArray %q: no memory for %d elements of %d bytes: %w", name, length, size, err)
	}
	var base consistency.Addr
	err = n.declare(func() (err error) {
		base, err = n.space.AddRegion(name, what, size, mem.Own)
		if err == nil && all != nil {
			n.space.SetViews(base, all)
		}
		return err
	})
	if err != nil {
		return e, nil, n.problem("NewArray: %w", err)
	}
	n.arrays++
	return elements{n, name, base, length, size, n.guard.Add(mem, name, base, size)}, mem.View, nil
}

// checkElement returns an error if t is no valid type of elements, which lie outside the Go heap.
func checkElement(t reflect.Type) error {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return nil
	case reflect.Array:
		if t.Len() > 0 {
			return checkElement(t.Elem())
		}
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if err := checkElement(f.Type); err != nil {
				return fmt.Errorf("field %s: %w", f.Name, err)
			}
		}
		if t.Size() > 0 {
			return nil
		}
	case reflect.String, reflect.Slice, reflect.Map, reflect.Pointer, reflect.Interface:
		return fmt.Errorf("a %v cannot be shared: use numbers, and arrays and structs of them, or what takes values of any size: parts.List (in shared memory), parts.Table (by key), parts.Gather, parts.Broadcast (copies for all ranks)", t.Kind())
	default:
		return fmt.Errorf("a %v cannot be shared: use numbers, and arrays and structs of them", t.Kind())
	}
	return fmt.Errorf("values of size 0 cannot be shared")
}

// typeText returns a type, and the numbers that it consists of if they have another name, such as
// "main.Kelvin (float64)", so that who reads a checkpoint knows them.
func typeText(t reflect.Type) string {
	if numbers := numbersText(t); numbers != "" && numbers != t.String() {
		return fmt.Sprintf("%v (%s)", t, numbers)
	}
	return t.String()
}

// numbersText returns the number type that is below a type of elements, or "" if it is a struct.
func numbersText(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct:
		return ""
	case reflect.Array:
		if inside := numbersText(t.Elem()); inside != "" {
			return fmt.Sprintf("[%d]%s", t.Len(), inside)
		}
		return ""
	}
	return t.Kind().String()
}

// Name returns the name that was passed to NewArray.
func (a *elements) Name() string { return a.name }

// Len returns the number of elements.
func (a *elements) Len() int { return a.length }

// Slice returns this rank's copy of the whole array. All calls return the same slice. Part returns
// some of its elements.
//
// An element is current while the rank holds the variable that guards the element. The rank may
// change the element only while it holds that variable exclusively. Nothing prevents other
// accesses: such a read may return an old value, and such a write is lost or overwritten.
// Config.Check reports both. When the rank's program returns, the memory of the slice is unmapped.
func (a *Array[T]) Slice() []T {
	if a.whole != nil && !a.whole.Load() {
		a.whole.Store(true)
	}
	return a.data
}

// Range returns the elements with the indexes lo to hi-1. If the Range is empty or exceeds the
// array, the call of Bind, Acquire or Wrote that uses it returns an error.
func (a *elements) Range(lo, hi int) Range {
	if lo < 0 || hi > a.length || lo >= hi {
		return Range{err: fmt.Errorf("range [%d, %d) of array %q: want a non-empty range within its %d elements",
			lo, hi, a.name, a.length)}
	}
	return Range{node: a.node, bytes: a.bytes(lo, hi)}
}

// All returns the Range of all elements.
func (a *elements) All() Range { return a.Range(0, a.length) }

func (a *elements) bytes(lo, hi int) consistency.Range {
	return consistency.Range{Lo: a.base + consistency.Addr(lo*a.size), Hi: a.base + consistency.Addr(hi*a.size)}
}

// Range is a sequence of consecutive elements of one array. Array.Range and Array.All make Ranges.
// A Range belongs to the rank of its array.
type Range struct {
	node  *Node
	bytes consistency.Range
	err   error // why the range is invalid; nil if it is valid
}
