package wordcount

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Count says how often a word occurs.
type Count = parts.Entry[string, int64]

// wordTime is roughly what a word costs on a Pentium III at 950 MHz: its letters, a hash, and a
// place in a map, which is usually not in the cache.
const wordTime = 400 * fagus.Nanosecond

// textParts is the number of parts of the text between which checkpoints are possible.
const textParts = 16

// pollWords is the number of words between two checks of Node.Err.
const pollWords = 1 << 12

// Run counts. Every rank calls it with the same Config. The operations of the result are words.
func Run(n *fagus.Node, cfg Config) (verify.Result, error) {
	if err := cfg.Validate(); err != nil {
		return verify.Result{}, err
	}
	table, err := parts.NewTable(n, "words", strings.Compare, func(a, b int64) int64 { return a + b })
	if err != nil {
		return verify.Result{}, err
	}
	text := cfg.block(n.Nodes(), n.Rank())
	n.Resume()
	var r verify.Result
	if r.Time, err = parts.Timed(n, func() error {
		for part, end := range n.Rounds(textParts) {
			if end-part < textParts { // one part at a time
				text = (&Config{Text: cfg.block(textParts, part)}).block(n.Nodes(), n.Rank())
			}
			if err := cfg.add(n, table, text); err != nil {
				return err
			}
		}
		return table.Merge()
	}); err != nil {
		return r, err
	}
	all, err := table.Collect(0)
	if err == nil && n.Rank() == 0 {
		cfg.report(&r, all)
		r.Operations *= verify.Left(n, textParts)
	}
	return r, err
}

// add adds the words of this rank's block to the table.
func (c *Config) add(n *fagus.Node, table *parts.Table[string, int64], text []byte) error {
	count := 0
	did := func(words int) error {
		n.Spend(fagus.Time(words) * wordTime)
		c.Advance(words)
		return n.Err()
	}
	for word := range words(text) {
		table.Add(word, 1)
		if count++; count%pollWords == 0 {
			if err := did(pollWords); err != nil {
				return err
			}
		}
	}
	return did(count % pollWords)
}

// report adds to r the most frequent words, and the verification of all counts.
func (c *Config) report(r *verify.Result, all []Count) {
	c.Plant(func() { all[len(all)-1].Value++ })
	want := c.sequential()
	wrong, sum, words := 0, int64(0), int64(0)
	for i, count := range all {
		sum += count.Value
		if i < len(want) && count != want[i] {
			wrong++
		}
	}
	for _, count := range want {
		words += count.Value
	}
	r.Operations = float64(words)
	r.Checks = []verify.Check{
		{Name: "different words", Got: float64(len(all)), Want: float64(len(want))},
		{Name: "words", Got: float64(sum), Want: float64(words)},
		{Name: "words with wrong counts", Got: float64(wrong)},
	}
	hash := fnv.New64a()
	for _, count := range all {
		_, _ = fmt.Fprintln(hash, count.Key, count.Value) // a hash never fails
	}
	r.Lines = []string{fmt.Sprintf("%d words, %d different, counts %016x", sum, len(all), hash.Sum64())}
	often := slices.Clone(all)
	slices.SortFunc(often, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), strings.Compare(a.Key, b.Key))
	})
	for _, count := range often[:min(c.Top, len(often))] {
		r.Lines = append(r.Lines, fmt.Sprintf("%8d %s", count.Value, count.Key))
	}
}

// sequential counts the words of the whole text, without a map.
func (c *Config) sequential() (counts []Count) {
	all := slices.Sorted(words(c.block(1, 0)))
	for i, word := range all {
		if i == 0 || word != all[i-1] {
			counts = append(counts, Count{Key: word})
		}
		counts[len(counts)-1].Value++
	}
	return counts
}
