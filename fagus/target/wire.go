package target

// verb is a call that travels.
type verb uint8

const (
	verbHello verb = iota // the first: its answer has rank and size
	verbAlloc
	verbBind
	verbNewSet
	verbAsk
	verbClear
	verbAcquire
	verbRelease
	verbWrote
	verbUpdate
	verbBarrier
	verbReduceInt
	verbReduceFloat
	verbSpend
	verbEnd
)

// question is a call on its way to where the Node is.
type question struct {
	Verb    verb
	Name    string
	Numbers [3]int64
	Float   float64
	Spans   []Span
	Data    []byte // with a release: what the rank has in the exclusive variables, one after another
}

// answer is what it returns.
type answer struct {
	Code    Code
	Text    string
	Numbers [2]int64
	Float   float64
	Data    []byte // of an acquire: what was acquired; of an update: all that the rank has had
}
