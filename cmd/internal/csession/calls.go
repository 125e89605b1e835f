package csession

// Calls is the interface of a Session and of a Client.
type Calls interface {
	Rank() int
	Size() int
	Alloc(name string, bytes int) (array int, err error)
	Memory(array int) []byte
	Bind(name string, spans ...Span) (variable int, err error)
	NewSet() (number int, err error)
	Add(number, variable int, access Access) error
	AddUnordered(number, variable int, access Access) error
	Clear(number int) error
	Acquire(number int) error
	Release(number int) error
	Wrote(spans ...Span) error
	Update() error
	Barrier() error
	Fence() error
	ReduceInt(op Op, x int64) (all int64, err error)
	ReduceFloat(op Op, x float64) (all float64, err error)
	Spend(ns int64) error
	End() error
}

var (
	_ Calls = (*Session)(nil)
	_ Calls = (*Client)(nil)
)
