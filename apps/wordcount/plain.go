package wordcount

import (
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
)

// Plain counts without Fagus. cfg must be valid.
func Plain(cfg Config, timed verify.Timer) (r verify.Result) {
	text, counts := cfg.block(1, 0), map[string]int64{}
	r.Time = timed(func() {
		count := 0
		for word := range words(text) {
			counts[word]++
			count++
		}
		cfg.Advance(count)
	})
	var all []Count
	for word, count := range counts {
		all = append(all, Count{Key: word, Value: count})
	}
	slices.SortFunc(all, func(a, b Count) int { return strings.Compare(a.Key, b.Key) })
	cfg.report(&r, all)
	return r
}
