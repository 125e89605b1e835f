package parts

import (
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts/codec"
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
	name    string
	keys    codec.Codec[K] // its bytes decide which rank has a key
	key     []byte         // the bytes of one key
	values  *values[Entry[K, V]]
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
// K is a type of strings, numbers and booleans, or an array or struct of such types. V is any type
// that package codec encodes: also a slice, a map, or a struct with them. compare orders keys, and
// returns 0 only for equal keys. Values of a key are combined Merge by Merge, in a Merge in the
// order of the ranks, and for one rank in the order in which it adds them. combine may change and
// return its first argument.
func NewTable[K comparable, V any](n *fagus.Node, name string, compare func(a, b K) int, combine func(a, b V) V) (*Table[K, V], error) {
	t := &Table[K, V]{node: n, name: name, compare: compare, combine: combine, added: map[K]V{}, merged: map[K]V{}}
	var err error
	if t.keys, err = codec.Key[K](); err != nil {
		return nil, fmt.Errorf("parts: table %q: keys: %w", name, err)
	}
	if t.values, err = valuesOf[Entry[K, V]](n, 0); err != nil {
		return nil, fmt.Errorf("parts: table %q: %w", name, err)
	}
	t.keep(name)
	return t, nil
}

// keep adds the table to checkpoints. In a run that resumes, ranks have other keys.
func (t *Table[K, V]) keep(name string) {
	save := func(entries *map[K]V) func() []byte {
		return func() []byte {
			b, _ := t.values.codec.Append(nil, t.sorted(*entries)) // without bytes, load fails
			return b
		}
	}
	load := func(to map[K]V) func([]byte) error {
		return func(b []byte) error {
			entries, err := t.values.codec.DecodeAll(b)
			for _, e := range entries {
				t.put(to, e)
			}
			return err
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
		r, err := t.owner(e.Key)
		if err != nil {
			return err
		}
		to[r] = append(to[r], e)
	}
	clear(entries)
	from, err := t.values.exchange(to)
	if err != nil {
		return fmt.Errorf("parts: table %q: %w", t.name, err)
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
	from, err := t.values.gather(t.Mine(), wanted)
	if err != nil || !wanted {
		return nil, err
	}
	all := slices.Concat(from...)
	slices.SortFunc(all, t.order)
	return all, nil
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
func (t *Table[K, V]) owner(key K) (rank int, err error) {
	b, err := t.keys.Append(t.key[:0], key)
	if err != nil {
		return 0, fmt.Errorf("parts: table %q: %w", t.name, err)
	}
	if t.key = b; !t.keys.Exact() {
		if moved, err := t.keys.DecodeAll(b); err != nil || moved != key {
			return 0, fmt.Errorf("parts: table %q: the key %v becomes %v on another rank, which is not equal (%v): use a number or a string that stands for it", t.name, key, moved, err)
		}
	}
	hash := fnv.New64a()
	_, _ = hash.Write(b) // a hash never fails
	return int(hash.Sum64() % uint64(t.node.Nodes())), nil
}
