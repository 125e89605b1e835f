package region

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"
)

// InRows makes a shared array of the elements of the caller's rows, one row after the other, and
// sets *outer to this rank's copy as rows. All rows must have the same length. In all other
// respects it is like In: it is collective, the rows must not overlap each other or other slices,
// and errors are returned by Share.
func InRows[S ~[]R, R ~[]T, T any](p *Program, name string, outer *S) {
	given := *outer
	columns := Columns(given)
	var all []occupied
	for i, row := range given {
		if len(row) != columns {
			p.fail(fmt.Errorf("region: row %d of %s has %d elements and row 0 has %d: make all rows equally long", i, name, len(row), columns))
			break
		}
		e := occupiedBy(name, row)
		if p.store.at(e.from, e.to) != nil {
			p.fail(fmt.Errorf("region: row %d of %s is in a resident array: pass rows of your own", i, name))
			break
		}
		all = append(all, e)
	}
	p.occupy(all...)
	if p.store.common != nil {
		o := operand{name: name, length: len(given) * columns, same: len(p.arrays)}
		takeOver(&o, outer)
		p.arrays = append(p.arrays, o)
		return
	}
	var own S
	for _, row := range cut(add[T](p, operand{name: name}, len(given)*columns), len(given), columns) {
		own = append(own, row)
	}
	*outer = own
	last := &p.arrays[len(p.arrays)-1]
	last.copyIn = func() {
		for i, row := range given {
			copy(own[i], row)
		}
	}
	last.copyOut = func() {
		for i, row := range given {
			copy(row, own[i])
		}
	}
}

// MakeRows is like Make for a slice of slices with rows of equal length.
func MakeRows[T any](p *Program, name string, rows, columns int) [][]T {
	if rows < 0 || rows > 0 && columns < 0 {
		p.fail(fmt.Errorf("region: %d rows of %d elements in %s: the numbers must not be negative", rows, columns, name))
	}
	rows, columns = max(rows, 0), max(columns, 0)
	return cut(add[T](p, operand{name: name}, rows*columns), rows, columns)
}

// cut returns the rows of an array.
func cut[T any](flat []T, rows, columns int) (all [][]T) {
	for i := range rows {
		all = append(all, flat[i*columns:(i+1)*columns:(i+1)*columns])
	}
	return all
}

// Columns returns the length of the first row, or 0 if there is none.
func Columns[S ~[]R, R ~[]T, T any](rows S) int {
	if len(rows) == 0 {
		return 0
	}
	return len(rows[0])
}

// occupied is the memory of a caller's slice: addresses from the first element to behind the last.
type occupied struct {
	name     string
	from, to uintptr
}

func occupiedBy[S ~[]T, T any](name string, s S) occupied {
	var zero T
	from := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
	return occupied{name, from, from + uintptr(len(s))*unsafe.Sizeof(zero)}
}

// occupy records the memory of slices. It is an error if slices overlap.
func (p *Program) occupy(all ...occupied) {
	for _, e := range all {
		if e.from < e.to {
			p.outer = append(p.outer, e)
		}
	}
	slices.SortFunc(p.outer, func(a, b occupied) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(p.outer); i++ {
		if a, b := p.outer[i-1], p.outer[i]; a.to > b.from {
			p.fail(overlap(a.name, b.name))
		}
	}
}

// Exchanged says that the program exchanges two slices, whose lengths it takes to be equal. It is
// an error if they are not.
func Exchanged[S ~[]T, T any](p *Program, a, b S) {
	if len(a) != len(b) {
		p.fail(fmt.Errorf("region: slices of %d and %d elements are exchanged: make them equally long", len(a), len(b)))
	}
}

// ExchangedRows is Exchanged for slices of slices.
func ExchangedRows[S ~[]R, R ~[]T, T any](p *Program, a, b S) {
	if len(a) != len(b) || Columns(a) != Columns(b) {
		p.fail(fmt.Errorf("region: slices of %d x %d and %d x %d elements are exchanged: make them equally long", len(a), Columns(a), len(b), Columns(b)))
	}
}
