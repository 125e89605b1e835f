package guard

import (
	"fmt"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/fagus/internal/source"
)

// Fault describes a faulting access to addr by the running goroutine: the source line, the
// element, what is wrong, and the remedy. It must be called in a deferred function that
// recovers the panic. ok is false if addr lies in no array.
func (g *Guard) Fault(addr uintptr) (text string, ok bool) {
	for _, a := range g.areas() {
		if off := addr - a.start(); off < uintptr(len(a.view)) {
			v := instruction()
			if a.pages[int(off)/g.pageBytes].now == readable {
				v = writing
			}
			return g.report(a.array, a.first+consistency.Addr(off), v), true
		}
	}
	return "", false
}

// areas returns all mappings that the program uses.
func (g *Guard) areas() (all []*area) {
	for _, a := range g.arrays {
		all = append(all, &a.area)
	}
	for i := range g.vars {
		all = append(all, g.vars[i].windows...)
	}
	return all
}

// report describes a forbidden access of the program to the byte at an address.
func (g *Guard) report(a *array, at consistency.Addr, v verb) string {
	does := [...]string{touching: "touches", reading: "reads", writing: "writes"}[v]
	return fmt.Sprintf("%s: %s %s", source.Here(), does, g.mistake(a, int(at-a.first), v))
}

// mistake describes a forbidden access to the byte at offset off of array a: the element, the
// variable that guards it, what is wrong, and the remedy.
func (g *Guard) mistake(a *array, off int, v verb) string {
	element := fmt.Sprintf("%s[%d]", a.name, off/a.element)
	id, guarded := g.space.GuardOf(a.first + consistency.Addr(off))
	if !guarded {
		return element + ", which no sync variable guards; bind it to one, or keep data that are not shared in an ordinary slice"
	}
	known := &g.vars[id]
	element = fmt.Sprintf("%s, which sync variable %q guards", element, known.Name)
	switch known.hold {
	case shared:
		return element + " and this rank holds shared; acquire it with fagus.Exclusive"
	case exclusive:
		return element + ", outside the ranges declared by Writing; declare it, too"
	}
	released := ""
	if known.released != nil {
		released = fmt.Sprintf(" (it was released at %s)", source.Line(source.Frames(known.released)))
	}
	remedy := "acquire it first: put fagus.Want(v, fagus.Shared) into the set, or fagus.Exclusive to write as well"
	if known.released != nil {
		remedy += "; where an old value will do until all ranks meet, call Update: it refreshes what this rank has acquired before"
	}
	if v == writing {
		remedy = "acquire it first: put fagus.Want(v, fagus.Exclusive) into the set"
	}
	return fmt.Sprintf("%s, without holding it%s; %s", element, released, remedy)
}
