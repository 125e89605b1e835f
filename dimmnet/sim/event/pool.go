package event

// Pool holds what events refer to: values in one slice, addressed by number. It reuses the numbers
// of freed values.
type Pool[T any] struct {
	all    []T
	unused []int32
}

// Put adds x and returns its number.
func (p *Pool[T]) Put(x T) (ref int32) {
	if n := len(p.unused); n > 0 {
		ref = p.unused[n-1]
		p.unused = p.unused[:n-1]
		p.all[ref] = x
		return ref
	}
	p.all = append(p.all, x)
	return int32(len(p.all) - 1)
}

// At returns a pointer that is valid until the next Put.
func (p *Pool[T]) At(ref int32) *T { return &p.all[ref] }

// Free removes the value with this number.
func (p *Pool[T]) Free(ref int32) { p.unused = append(p.unused, ref) }

// InUse returns the number of values.
func (p *Pool[T]) InUse() int { return len(p.all) - len(p.unused) }
