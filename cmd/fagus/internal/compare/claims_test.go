package compare

import (
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/contest"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/program/repeat"
)

// made is an invented result of one version with one size. Times are in milliseconds.
type made struct {
	version                                  string
	n                                        int
	total, compute, acquire, release, update int64
	spread, sent                             int64
}

func (m made) result() compared {
	ms := func(v int64) repeat.Sample {
		return repeat.Sample{Median: v * 1e6, Min: (v - m.spread) * 1e6, Max: (v + m.spread) * 1e6}
	}
	sent := uint64(m.sent)
	return compared{Version: m.version, N: m.n, ReleaseMessages: &sent, TimeNs: map[string]repeat.Sample{
		"total": ms(m.total), "compute": ms(m.compute), "acquire": ms(m.acquire), "release": ms(m.release), "update": ms(m.update),
	}}
}

// comparisonOf returns a comparison of three versions with roles and one version without a role.
func comparisonOf(results ...made) *comparison {
	c := &comparison{Setting: contest.Setting{App: ofThePaper, Nodes: 2}, Versions: []comparedVersion{
		{Name: "ours", Role: contest.RolePhase}, {Name: "other"}, {Name: "base", Role: contest.RoleThreaded}, {Name: "polls", Role: contest.RolePolling},
	}}
	for _, m := range results {
		c.Results = append(c.Results, m.result())
		c.Sizes = append(c.Sizes, m.n)
	}
	slices.Sort(c.Sizes)
	c.Sizes = slices.Compact(c.Sizes)
	return c
}

// asInThePaper returns invented results that support all six claims.
func asInThePaper() []made {
	return []made{
		{version: "ours", n: 512, total: 100, compute: 80, acquire: 11, release: 0, update: 5},
		{version: "other", n: 512, total: 1},
		{version: "base", n: 512, total: 102, compute: 80, acquire: 10, release: 1, update: 8, sent: 9},
		{version: "ours", n: 1024, total: 800, compute: 640, acquire: 44, release: 0, update: 20},
		{version: "base", n: 1024, total: 900, compute: 640, acquire: 40, release: 2, update: 40, sent: 18},
		{version: "polls", n: 1024, total: 1500, compute: 1300, acquire: 40, release: 2, update: 40},
	}
}

func TestClaims(t *testing.T) {
	all := []string{claimEqual, claimAhead, claimAcquire, claimRelease, claimUpdate, claimPolling}
	for name, tt := range map[string]struct {
		change  func(list []made)
		claim   string
		want    verdict
		numbers string // a part of the claim's text
	}{
		"equal":            {nil, claimEqual, supported, "ours against base: n = 512: 100.000 ms against 102.000 ms (-2.0 %, -2.000 ms)"},
		"ahead":            {nil, claimAhead, supported, "-100.000 ms); at n = 1024 they differ most in update: 20.000 ms less"},
		"ahead by as much": {func(l []made) { l[3].total = 898 }, claimAhead, notSupported, "-2.000 ms); n = 1024: 898.000 ms against 900.000 ms (-0.22 %, -2.000 ms)"},
		"equal in spread":  {func(l []made) { l[0].spread = 10 }, claimEqual, withinSpread, "±10 %"},
		"unequal for sure": {func(l []made) { l[0].total, l[0].spread = 120, 5 }, claimEqual, notSupported, "±4 %"},
		"base takes none":  {func(l []made) { l[2].total = 0 }, claimEqual, notSupported, "100.000 ms against 0;"},
		"growth in spread": {func(l []made) { l[0].spread, l[3].total, l[3].spread = 4, 880, 15 }, claimAhead, withinSpread, "-20.000 ms)"},
		"acquire":          {nil, claimAcquire, supported, "n = 1024: 44.000 ms against 40.000 ms (+10.0 %, +4.000 ms)"},
		"release":          {nil, claimRelease, supported, "messages at the most: 0 against 18"},
		"update":           {nil, claimUpdate, supported, "-3.000 ms); n = 1024:"},
		"polling":          {nil, claimPolling, supported, "a rate of 49 %"},
		"far behind":       {func(l []made) { l[0].total = 120 }, claimEqual, notSupported, "+17.6 %"},
		"far ahead":        {func(l []made) { l[0].total = 90 }, claimEqual, notSupported, "-11.8 %"},
		"lead shrinks":     {func(l []made) { l[3].total = 899 }, claimAhead, notSupported, "-0.11 %"},
		"behind":           {func(l []made) { l[0].total, l[3].total = 1500, 901 }, claimAhead, notSupported, "+0.11 %"},
		"lead in spread":   {func(l []made) { l[3].spread = 120 }, claimAhead, withinSpread, "±15 %"},
		"acquire faster":   {func(l []made) { l[3].acquire = 39 }, claimAcquire, notSupported, "-2.5 %"},
		"acquire far off":  {func(l []made) { l[3].acquire = 60 }, claimAcquire, notSupported, "+50.0 %"},
		"acquire unsure":   {func(l []made) { l[2].spread = 2 }, claimAcquire, withinSpread, "±20 %"},
		"release sends":    {func(l []made) { l[3].sent = 1 }, claimRelease, notSupported, "1 against 18"},
		"release slower":   {func(l []made) { l[0].release = 3 }, claimRelease, notSupported, "3.000 ms against 1.000 ms"},
		"release the same": {func(l []made) { l[2].release = 0 }, claimRelease, notSupported, "n = 512: 0 against 0;"},
		"update slower":    {func(l []made) { l[0].update = 9 }, claimUpdate, notSupported, "+12.5 %"},
		"update no growth": {func(l []made) { l[3].update = 37 }, claimUpdate, notSupported, "-7.5 %"},
		"polling unsure":   {func(l []made) { l[5].spread = 400 }, claimPolling, withinSpread, "a rate of 49 %"},
		"slight, or not":   {func(l []made) { l[3].acquire, l[3].spread = 49, 3 }, claimAcquire, withinSpread, "±6 %"},
		"polling is free":  {func(l []made) { l[5].compute = 650 }, claimPolling, notSupported, "a rate of 98 %"},
		"polling is dear":  {func(l []made) { l[5].compute = 6400 }, claimPolling, notSupported, "a rate of 10 %"},
		"nothing computed": {func(l []made) { l[5].compute = 0 }, claimPolling, notSupported, "no compute time"},
	} {
		list := asInThePaper()
		if tt.change != nil {
			tt.change(list)
		}
		var names []string
		for _, got := range claims(comparisonOf(list...)) {
			names = append(names, got.Claim)
			if got.Claim == tt.claim && (got.Verdict != tt.want || !strings.Contains(got.Numbers, tt.numbers)) {
				t.Errorf("%s: %s, %s; want %s with %q", name, got.Verdict, got.Numbers, tt.want, tt.numbers)
			}
		}
		if !slices.Equal(names, all) {
			t.Errorf("%s: claims %q, want %q", name, names, all)
		}
	}
}

// TestClaimsThatCanBeJudged: without some versions or sizes, fewer claims are judged. One run by
// the wall clock settles none.
func TestClaimsThatCanBeJudged(t *testing.T) {
	paper := asInThePaper()
	for name, tt := range map[string]struct {
		results []made
		want    []string
	}{
		"nothing":         {nil, nil},
		"no other":        {[]made{paper[0], paper[1], paper[3]}, nil},
		"no phases":       {[]made{paper[2], paper[4], paper[5]}, nil},
		"one size":        {[]made{paper[0], paper[2]}, []string{claimAcquire, claimRelease}},
		"different sizes": {[]made{paper[0], paper[4]}, nil},
		"polling alone":   {[]made{paper[3], paper[5]}, []string{claimPolling}},
		"two sizes":       {paper[:5], []string{claimEqual, claimAhead, claimAcquire, claimRelease, claimUpdate}},
	} {
		got := claims(comparisonOf(tt.results...))
		var names []string
		for _, c := range got {
			if c.Verdict != notJudged {
				names = append(names, c.Claim)
			}
		}
		if got == nil || !slices.Equal(names, tt.want) || len(got) != 0 && len(got) != 6 {
			t.Errorf("%s: judged of %d claims %q, want %q; and none or all in a list that is not nil", name, len(got), names, tt.want)
		}
	}
	once := comparisonOf(paper...)
	once.Clock, once.Repeat = dimmnet.Wall, 1
	for _, c := range claims(once) {
		if c.Verdict != oneRun || c.Depends != "" {
			t.Errorf("one run by the wall clock: %s: %s, depends on %q", c.Claim, c.Verdict, c.Depends)
		}
	}
	alone := comparisonOf(paper...)
	alone.Nodes = 1
	if got := claims(alone); got == nil || len(got) > 0 {
		t.Errorf("one node: claims %v, want an empty list", got)
	}
}
