package fagus

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"

	"github.com/fagus-dsm/fagus/consistency"
)

// Array is a shared array: at the same place of the global address space on
// every rank, with a copy in each rank's memory.
type Array[T any] struct {
	node *Node
	name string
	base consistency.Addr
	data []T
}

// NewArray makes an array of length elements, all zero. It is collective: every
// rank makes the same arrays in the same order. T is a number type, or an array
// or struct of such: it must hold no pointers, since it lives outside the Go
// heap. The memory ends when the rank's program returns.
func NewArray[T any](n *Node, name string, length int) (*Array[T], error) {
	if n.engine == nil {
		return nil, n.errorf("NewArray %q: the program of this rank has returned", name)
	}
	if err := n.Err(); err != nil {
		return nil, n.errorf("NewArray %q: %w", name, err)
	}
	t := reflect.TypeFor[T]()
	if err := checkElement(t); err != nil {
		return nil, n.errorf("NewArray %q: elements of type %v: %w", name, t, err)
	}
	size := int(t.Size())
	if length < 1 || size > 0 && length > min(consistency.MaxAddr, math.MaxInt)/size {
		return nil, n.errorf("NewArray %q: %d elements of %d bytes: there must be at least one, and they must fit the address space", name, length, size)
	}
	mem, all, err := n.mapArray(length * size)
	if err != nil {
		return nil, n.errorf("NewArray %q: no memory for %d elements of %d bytes: %w", name, length, size, err)
	}
	var base consistency.Addr
	err = n.engine.Declare(func() (err error) {
		base, err = n.space.AddRegion(name, fmt.Sprintf("%d elements of type %v", length, t), mem.Own)
		if err == nil && all != nil {
			n.space.SetViews(base, all)
		}
		return err
	})
	if err != nil {
		return nil, n.errorf("NewArray: %w", err)
	}
	n.arrays++
	n.check.array(mem, name, base, size)
	data := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(mem.View))), length)
	return &Array[T]{node: n, name: name, base: base, data: data}, nil
}

// checkElement reports a type that cannot live outside the Go heap.
func checkElement(t reflect.Type) error {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return nil
	case reflect.Array:
		if t.Len() == 0 {
			return fmt.Errorf("it has no size")
		}
		return checkElement(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if err := checkElement(f.Type); err != nil {
				return fmt.Errorf("field %s: %w", f.Name, err)
			}
		}
		if t.Size() == 0 {
			return fmt.Errorf("it has no size")
		}
		return nil
	}
	return fmt.Errorf("a %v cannot be shared: use numbers, and arrays and structs of them", t.Kind())
}

// Name is the name given to NewArray.
func (a *Array[T]) Name() string { return a.name }

// Len is the number of elements.
func (a *Array[T]) Len() int { return len(a.data) }

// Slice is this rank's copy of the whole array, a plain slice. Which of its
// elements are current, the tenures of their variables say; Config.Check ends a
// program that uses others. It ends with the
// rank's program: to use it later crashes the process.
func (a *Array[T]) Slice() []T { return a.data }

// Range is the elements lo up to but not including hi. A mistake is reported
// by the Bind, or the Acquire, that it is given to.
func (a *Array[T]) Range(lo, hi int) Range {
	if lo < 0 || hi > len(a.data) || lo >= hi {
		return Range{err: fmt.Errorf("range [%d, %d) of %q, which has %d elements: it must be inside and not empty", lo, hi, a.name, len(a.data))}
	}
	size := int(unsafe.Sizeof(a.data[0]))
	return Range{node: a.node, bytes: consistency.Range{
		Lo: a.base + consistency.Addr(lo*size),
		Hi: a.base + consistency.Addr(hi*size),
	}}
}

// All is the range of all elements.
func (a *Array[T]) All() Range { return a.Range(0, len(a.data)) }

// Range is a range of elements of an array.
type Range struct {
	node  *Node
	bytes consistency.Range
	err   error
}
