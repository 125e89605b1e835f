package radix

import (
	"slices"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// key returns key number i of a seed: 32 bits of SplitMix64. Any rank can generate any key.
func key(seed uint64, i int) uint32 {
	return uint32(verify.Mix(seed+(uint64(i)+1)*0x9e3779b97f4a7c15) >> 32)
}

type summary struct {
	Count, Sum, Hash uint64
	First, Last      uint32 // valid if Count is not 0
	Wrong            int64  // keys that are less than their predecessor
}

func (s *summary) add(k uint32) {
	switch {
	case s.Count == 0:
		s.First = k
	case k < s.Last:
		s.Wrong++
	}
	s.Last = k
	s.Count++
	s.Sum += uint64(k)
	s.Hash ^= verify.Mix(uint64(k))
}

func summaryOf(keys []uint32) (s summary) {
	for _, k := range keys {
		s.add(k)
	}
	return s
}

// verify returns at rank 0 the number of errors found. All ranks call it.
func (s *sorter) verify() (wrong int, err error) {
	all, err := parts.NewVectors[summary](s.node, "summaries", 1)
	if err != nil {
		return 0, err
	}
	var judge func([][]summary)
	if s.node.Rank() == 0 {
		judge = func(ranks [][]summary) { wrong = s.judge(slices.Concat(ranks...)) }
	}
	err = all.Gather([]summary{summaryOf(s.mine)}, judge)
	return wrong, err
}

// judge compares the summaries of all ranks with the keys of the seed.
func (c *Config) judge(ranks []summary) (wrong int) {
	var got, want summary
	for _, r := range ranks {
		if r.Count > 0 && got.Count > 0 && r.First < got.Last {
			wrong++
		}
		if r.Count > 0 {
			got.Last = r.Last
		}
		got.Count += r.Count
		got.Sum += r.Sum
		got.Hash ^= r.Hash
		wrong += int(r.Wrong)
	}
	for i := range c.Keys {
		want.add(key(c.Seed, i))
	}
	for _, same := range []bool{got.Count == want.Count, got.Sum == want.Sum, got.Hash == want.Hash} {
		if !same {
			wrong++
		}
	}
	return wrong
}
