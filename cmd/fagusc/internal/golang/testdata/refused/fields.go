package refused

import "sync"

// Grid is a struct with slices.
type Grid struct {
	N    int
	Data []int
	Tags []string
	Next *Grid
}

//fagus:parallel want g or a field of it is assigned
func Resized(g *Grid) {
	g.N = 3
	for i := range g.Data {
		g.Data[i] = g.N
	}
}

//fagus:parallel want g or a field of it is assigned
func Exchanged(g, h Grid) {
	g.Data, h.Data = h.Data, g.Data
	for i := range g.Data {
		g.Data[i] = i
	}
}

//fagus:parallel want len(g.Tags[i]) is not supported
func Tagged(g Grid) {
	for i := range g.Data {
		g.Data[i] = len(g.Tags[i])
	}
}

//fagus:parallel want g.Next.Data is not supported here
func (g *Grid) Linked() {
	for i := range g.Data {
		g.Data[i] = g.Next.Data[i]
	}
}

//fagus:parallel want g.Next.N is not supported here
func (g *Grid) Sized() {
	for i := 0; i < g.Next.N; i++ {
		g.Data[i] = i
	}
}

//fagus:parallel want g is not supported here
func (g *Grid) Guarded() {
	if g == nil {
		return
	}
	for i := range g.Data {
		g.Data[i] = i
	}
}

//fagus:parallel want the package already declares Grid.DoneOn
func (g *Grid) Done() {
	for i := range g.Data {
		g.Data[i] = i
	}
}

// DoneOn is in the way.
func (g *Grid) DoneOn() {}

//fagus:parallel want the struct l contains a lock
func (l *Locked) Fill() {
	for i := range l.Data {
		l.Data[i] = i
	}
}

// Locked contains a lock.
type Locked struct {
	mu   sync.Mutex
	Data []int
}

//fagus:parallel want generic functions are not supported
func (g *Of[T]) Fill() {
	for i := range g.Data {
		g.Data[i] = i
	}
}

// Of is a generic type.
type Of[T any] struct{ Data []int }

//fagus:parallel want parameter p: only numbers
func Number(a []int, p *int) {
	for i := range a {
		a[i] = *p
	}
}

//fagus:parallel want cap(g.Data) is not supported
func Room(g Grid) {
	for i := range g.Data {
		g.Data[i] = cap(g.Data)
	}
}

//fagus:parallel want g.Tags is assigned
func Table(g *Grid) {
	for i := range g.Data {
		g.Tags[i] = ""
	}
}
