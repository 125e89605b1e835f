package parts

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"reflect"
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
)

// Entry is a key of a Table with its value.
type Entry[K comparable, V any] struct {
	Key   K
	Value V
}

// Table maps keys to values that all ranks combine: it counts words, makes histograms, or groups
// records. Each rank adds entries to a private map; Merge moves every entry to the rank that has
// the key, and combines values there.
type Table[K comparable, V any] struct {
	node    *fagus.Node
	compare func(a, b K) int
	combine func(a, b V) V
	carrier carrier[K, V]
	added   map[K]V // by this rank since the last Merge
	merged  map[K]V // of the keys that this rank has
}

// NewTable makes an empty table. It is collective.
//
//	add := func(a, b int64) int64 { return a + b }
//	words, err := parts.NewTable(n, "words", strings.Compare, add)
//	for _, word := range strings.Fields(text) { // of this rank
//		words.Add(word, 1)
//	}
//	err = words.Merge()
//	all, err := words.Collect(0) // at rank 0
//
// K is a string type, or a type that NewArray accepts, for example an integer, or a struct of
// integers; strings may have any length. V is a type that NewArray accepts. compare orders keys,
// and returns 0 only for equal keys. Values of a key are combined Merge by Merge, in a Merge in
// the order of the ranks, and for one rank in the order in which it adds them.
func NewTable[K comparable, V any](n *fagus.Node, name string, compare func(a, b K) int, combine func(a, b V) V) (*Table[K, V], error) {
	t := &Table[K, V]{node: n, compare: compare, combine: combine, added: map[K]V{}, merged: map[K]V{}}
	var err error
	if reflect.TypeFor[K]().Kind() == reflect.String {
		t.carrier, err = newCarrierOf(n, name, packText[K, V], unpackText[K, V])
	} else {
		pack := func(to []Entry[K, V], e Entry[K, V]) []Entry[K, V] { return append(to, e) }
		t.carrier, err = newCarrierOf(n, name, pack, slices.Clone[[]Entry[K, V]])
	}
	if err != nil {
		return nil, err
	}
	t.keep(name)
	return t, nil
}

// keep adds the table to checkpoints. In a run that resumes, ranks have other keys.
func (t *Table[K, V]) keep(name string) {
	save := func(entries *map[K]V) func() []byte {
		return func() []byte { return t.carrier.encode(t.sorted(*entries)) }
	}
	load := func(to map[K]V) func([]byte) error {
		return func(b []byte) error {
			for _, e := range t.carrier.decode(b) {
				t.put(to, e)
			}
			return nil
		}
	}
	merged := map[K]V{} // as saved
	fagus.KeepEach(t.node, name+".merged", save(&t.merged), load(merged))
	fagus.KeepEach(t.node, name+".added", save(&t.added), load(t.added))
	t.node.OnResume(func() { _ = t.merge(merged) }) // an error sticks
}

// Add combines the value of a key with a further one. It does not communicate: the value becomes
// known to other ranks in Merge.
func (t *Table[K, V]) Add(key K, value V) { t.put(t.added, Entry[K, V]{key, value}) }

func (t *Table[K, V]) put(to map[K]V, e Entry[K, V]) {
	if old, ok := to[e.Key]; ok {
		e.Value = t.combine(old, e.Value)
	}
	to[e.Key] = e.Value
}

// Merge moves the entries that ranks have added since the last Merge to the ranks that have the
// keys. Each rank has about as many keys. Merge is collective, and the rank must hold no variable.
// The table has room for all entries: it makes larger arrays when necessary. In phase mode Merge
// takes three phases.
func (t *Table[K, V]) Merge() error { return t.merge(t.added) }

// merge is Merge for the given entries, which it clears.
func (t *Table[K, V]) merge(entries map[K]V) error {
	to := make([][]Entry[K, V], t.node.Nodes())
	for _, e := range t.sorted(entries) {
		r := owner(e.Key, len(to))
		to[r] = append(to[r], e)
	}
	clear(entries)
	from, err := t.carrier.exchange(to)
	if err != nil {
		return err
	}
	for _, entries := range from {
		for _, e := range entries {
			t.put(t.merged, e)
		}
	}
	return nil
}

// Mine returns the merged entries of this rank, in the order of their keys.
func (t *Table[K, V]) Mine() []Entry[K, V] { return t.sorted(t.merged) }

// Collect returns the merged entries of all ranks, in the order of their keys, at the given ranks,
// and nil at others. Without an argument it returns them at all ranks. Collect is collective, and
// the rank must hold no variable. In phase mode it takes three phases.
func (t *Table[K, V]) Collect(at ...int) ([]Entry[K, V], error) {
	wanted := len(at) == 0 || slices.Contains(at, t.node.Rank())
	all, err := t.carrier.gather(t.Mine(), wanted)
	slices.SortFunc(all, t.order)
	return all, err
}

func (t *Table[K, V]) order(a, b Entry[K, V]) int { return t.compare(a.Key, b.Key) }

func (t *Table[K, V]) sorted(entries map[K]V) []Entry[K, V] {
	all := make([]Entry[K, V], 0, len(entries))
	for k, v := range entries {
		all = append(all, Entry[K, V]{k, v})
	}
	slices.SortFunc(all, t.order)
	return all
}

// owner returns the rank that has a key. It is the same on all ranks.
func owner[K comparable](key K, ranks int) int {
	hash := fnv.New64a()
	_, _ = hash.Write(appendKey(nil, reflect.ValueOf(key))) // a hash never fails
	return int(hash.Sum64() % uint64(ranks))
}

// appendKey appends the bytes of a key, without unused bytes between fields. Equal keys have equal
// bytes.
func appendKey(b []byte, v reflect.Value) []byte {
	word := func(x uint64) []byte { return binary.LittleEndian.AppendUint64(b, x) }
	number := func(x float64) uint64 { return math.Float64bits(x + 0) } // -0 + 0 is 0
	switch {
	case v.Kind() == reflect.String:
		b = append(b, v.String()...)
	case v.Kind() == reflect.Bool && v.Bool():
		b = word(1)
	case v.Kind() == reflect.Bool:
		b = word(0)
	case v.CanInt():
		b = word(uint64(v.Int()))
	case v.CanUint():
		b = word(v.Uint())
	case v.CanFloat():
		b = word(number(v.Float()))
	case v.CanComplex():
		b = word(number(real(v.Complex())))
		b = word(number(imag(v.Complex())))
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			b = appendKey(b, v.Index(i))
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			b = appendKey(b, v.Field(i))
		}
	default:
		panic(fmt.Sprintf("parts: a table with keys of type %v", v.Type())) // NewArray rejects it
	}
	return b
}
