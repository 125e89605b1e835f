package guard

import (
	"fmt"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/fagus/source"
)

// Fault says in words what an access to addr of the running goroutine did wrong, and
// where. It is called in a deferred function while the panic is being recovered; ok
// is false if addr is in no array.
func (g *Guard) Fault(addr uintptr) (words string, ok bool) {
	for _, a := range g.arrays {
		if off := addr - a.start(); off < uintptr(len(a.view)) {
			v := instruction()
			if a.pages[int(off)/g.pageBytes].now == readable {
				v = writing
			}
			does := [...]string{touching: "touches", reading: "reads", writing: "writes"}[v]
			return fmt.Sprintf("%s: %s %s", source.Here(), does, g.mistake(a, int(off), v)), true
		}
	}
	return "", false
}

// mistake says which element byte off of a is in, what guards it, what is wrong with
// the access, and what would make it right.
func (g *Guard) mistake(a *array, off int, v verb) string {
	element := fmt.Sprintf("%s[%d]", a.name, off/a.element)
	id, guarded := g.space.GuardOf(a.base + consistency.Addr(off))
	if !guarded {
		return element + ", which no sync variable guards; bind it to one, or keep what is not shared in a slice of your own"
	}
	known := &g.vars[id]
	element = fmt.Sprintf("%s, which sync variable %q guards", element, known.Name)
	switch known.hold {
	case shared:
		return element + " and this rank holds shared; want it fagus.Exclusive"
	case exclusive:
		return element + ", outside of what Writing has declared; declare it, too"
	}
	released := ""
	if known.released != nil {
		released = fmt.Sprintf(" (it was released at %s)", source.Line(source.Frames(known.released)))
	}
	mend := "put fagus.Want(it, fagus.Shared) into a set and Acquire that before; to write as well, want it fagus.Exclusive"
	if v == writing {
		mend = "put fagus.Want(it, fagus.Exclusive) into a set and Acquire that before"
	}
	return fmt.Sprintf("%s, without holding it%s; %s", element, released, mend)
}
