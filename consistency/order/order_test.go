package order

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/syncvar"
)

// logsOf returns the logs of ranks that follow scripts, one script for each rank. A word of a
// script is a set: "x0,s1" holds variable 0 exclusively and 1 shared. A capital letter is an
// unordered tenure, with its version: "X0:3", or "X0:3-" if it changes nothing. "|" is a meeting.
func logsOf(t *testing.T, scripts ...string) (logs []Log) {
	t.Helper()
	for rank, script := range scripts {
		rec := NewRecorder()
		for at, word := range strings.Fields(script) {
			if word == "|" {
				rec.Met()
				continue
			}
			var tenures []Tenure
			var changed []syncvar.ID
			for part := range strings.SplitSeq(word, ",") {
				name, version, _ := strings.Cut(part, ":")
				tenure := Tenure{Var: syncvar.ID(name[1] - '0'), Exclusive: strings.ContainsAny(name, "xX"), Unordered: strings.ContainsAny(name, "SX")}
				kept, clean := strings.CutSuffix(version, "-")
				if kept != "" {
					if _, err := fmt.Sscan(kept, &tenure.Version); err != nil {
						t.Fatal(err)
					}
				}
				if tenure.Exclusive && !clean {
					changed = append(changed, tenure.Var)
				}
				tenures = append(tenures, tenure)
			}
			rec.Acquired(fmt.Sprintf("rank%d.go:%d", rank, at+1), tenures)
			rec.Released(changed)
		}
		logs = append(logs, rec.Log())
	}
	return logs
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		what    string
		scripts []string
		want    string // "" for no race, else the ranks, the access and the lines
	}{
		{"nothing", []string{"", ""}, ""},
		{"one rank", []string{"x0 x0 s0"}, ""},
		{"two read", []string{"s0 s0", "s0"}, ""},
		{"two variables", []string{"x0", "x1"}, ""},
		{"two write", []string{"x0", "x0"}, "0 exclusive rank0.go:1, 1 exclusive rank1.go:1"},
		{"one writes, one reads", []string{"s1 x0", "s0"}, "0 exclusive rank0.go:2, 1 shared rank1.go:1"},
		{"a meeting between", []string{"x0 |", "| s0"}, ""},
		{"a meeting too early", []string{"| x0", "| s0"}, "0 exclusive rank0.go:2, 1 shared rank1.go:2"},
		{"read, then written by another", []string{"x0 | x1 x0", "| s0 |"}, "0 exclusive rank0.go:4, 1 shared rank1.go:2"},
		{"life without a barrier", []string{"x0,s3 x2,s1", "x1,s2 x3,s0"}, "0 exclusive rank0.go:1, 1 shared rank1.go:2"},
		{"life with barriers", []string{"x0,s3 | x2,s1 |", "x1,s2 | x3,s0 |"}, ""},
		{"a lock", []string{"X0:1 X0:3", "X0:2 X0:4"}, ""},
		{"a lock, and one that forgets to say so", []string{"X0:1 X0:3", "x0"}, "0 exclusive rank0.go:1, 1 exclusive rank1.go:1"},
		{"a bound that any rank may read", []string{"X0:1", "S0:1", "S0:0"}, ""},
		{"a task passes through a queue", []string{"x1 X0:1", "X0:2 x1"}, ""},
		{"a task passes through a queue and a third rank", []string{"x1 X0:1", "X0:2 X2:1", "X2:2 s1"}, ""},
		{"a flag is seen", []string{"x1 X0:1", "S0:0 S0:1 s1"}, ""},
		{"a flag is not seen yet", []string{"x1 X0:1", "S0:0 s1"}, "0 exclusive rank0.go:1, 1 shared rank1.go:2"},
		{"the queue is taken from before the task is there", []string{"x1 X0:2", "X0:1 x1"}, "0 exclusive rank0.go:1, 1 exclusive rank1.go:2"},
		{"the task is prepared too late", []string{"X0:1 x1", "X0:2 x1"}, "0 exclusive rank0.go:2, 1 exclusive rank1.go:2"},
		{"a lock that changes nothing orders nothing", []string{"x1 X0:1-", "X0:2 x1"}, "0 exclusive rank0.go:1, 1 exclusive rank1.go:2"},
		{"in the same set as the lock", []string{"X0:1,x1", "X0:2,x1"}, ""},
		{"an ordered tenure gives no order", []string{"x1 x0", "s0 s1"}, "0 exclusive rank0.go:2, 1 shared rank1.go:1"},
		{"a change tells less than its reader knows", []string{"X3:1 x1 X0:1", "S3:1 X2:1", "S0:1 S2:1 x1"}, ""},
		{"a change tells more than its reader knows", []string{"X3:1 x1 X0:1", "S0:1 X2:1", "S3:1 S2:1 x1"}, ""},
		{"a change from before, and one from after", []string{"X3:1 x1 X0:1 x1", "S3:1 X2:1", "S0:1 S2:1 x1"}, "0 exclusive rank0.go:4, 2 exclusive rank2.go:3"},
		{"a damaged log", []string{"X0:2,X1:1", "X0:1,X1:2"}, ""},
	} {
		got := ""
		if race := Find(logsOf(t, c.scripts...)); race != nil {
			got = fmt.Sprintf("%d %v %s, %d %v %s", race.Ranks[0], race.Access[0], race.Lines[0], race.Ranks[1], race.Access[1], race.Lines[1])
		}
		if got != c.want {
			t.Errorf("%s: %q: found %q, want %q", c.what, c.scripts, got, c.want)
		}
	}
}

// TestNextStep: a rank sees a change of one step of another rank, and then a change of its next
// step. Then it knows everything before the second one. A rank that acquires a set while it holds
// another one has such steps.
func TestNextStep(t *testing.T) {
	for _, seen := range []syncvar.Version{0, 1} { // of variable 2
		var logs []Log
		for rank, sets := range [][][]Tenure{
			{{{Var: 0, Exclusive: true, Unordered: true, Version: 1}}, {{Var: 2, Exclusive: true, Unordered: true, Version: 1}, {Var: 1, Exclusive: true}}},
			{{{Var: 0, Unordered: true, Version: 1}}, {{Var: 2, Unordered: true, Version: seen}}, {{Var: 1, Exclusive: true}}},
		} {
			rec := NewRecorder()
			for i, set := range sets {
				rec.Acquired(fmt.Sprint("line ", i+1), set)
			}
			rec.Released([]syncvar.ID{0, 2}[:2-2*rank]) // rank 1 changes nothing
			logs = append(logs, rec.Log())
		}
		if of := logs[0].Tenures; of[1].Step != of[0].Step+1 {
			t.Fatalf("the sets are steps %d and %d: want one after the other", of[0].Step, of[1].Step)
		}
		if race := Find(logs); (race == nil) != (seen == 1) {
			t.Errorf("rank 1 sees version %d of the second change: race %v", seen, race)
		}
	}
}

// TestEarliestMeeting: Find returns a race between the earliest meetings, whichever rank's log
// comes first.
func TestEarliestMeeting(t *testing.T) {
	for _, scripts := range [][]string{
		{"| | x0", "x0 | x0 |", "x0 | x0 | x0"},
		{"x0 | x0 |", "| | x0", "x0 | x0 | x0"},
		{"x0 | x0 | x0", "x0 | x0 |", "| | x0"},
		{"x0 | x0 | x0", "| x0 | x0", "x0 | | x0"},
	} {
		race := Find(logsOf(t, scripts...))
		if race == nil || !strings.HasSuffix(race.Lines[0], ".go:1") || !strings.HasSuffix(race.Lines[1], ".go:1") {
			t.Errorf("%q: %+v, want one of the first lines", scripts, race)
		}
	}
}

// simulation runs random ranks, one set at a time, and keeps for each set the sets before it, by
// the rules of the package.
type simulation struct {
	*rand.Rand
	ranks    []*simRank
	versions []syncvar.Version
	changes  []int // by variable: the last set with an unordered tenure that changed it; -1: none
	sets     []simSet
}

type simRank struct {
	*Recorder
	before map[int]bool // the sets before the next one
}

type simSet struct {
	rank    int
	tenures []Tenure
	before  map[int]bool
}

// TestFindIsExact compares Find with all pairs of tenures of random runs.
func TestFindIsExact(t *testing.T) {
	races := 0
	const runs = 3000
	for seed := range uint64(runs) {
		s := simulation{Rand: rand.New(rand.NewPCG(seed, 1)), versions: make([]syncvar.Version, 3), changes: []int{-1, -1, -1}}
		for range 2 + s.IntN(3) {
			s.ranks = append(s.ranks, &simRank{NewRecorder(), make(map[int]bool)})
		}
		ordered := s.IntN(8) // of 8 tenures
		for range s.IntN(14) {
			if s.IntN(6) == 0 {
				s.meet()
			} else {
				s.hold(s.IntN(len(s.ranks)), ordered)
			}
		}
		var logs []Log
		for _, r := range s.ranks {
			logs = append(logs, r.Log())
		}
		race, want := Find(logs), s.races()
		if (race != nil) != want {
			t.Fatalf("seed %d: found %v, want %v in %+v", seed, race, want, logs)
		}
		if want {
			races++
		}
	}
	if races < runs/10 || races > runs*9/10 {
		t.Errorf("%d of %d runs have races: want some, not all", races, runs)
	}
}

func (s *simulation) meet() {
	for _, r := range s.ranks {
		r.Met()
		for i := range s.sets {
			r.before[i] = true
		}
	}
}

// hold lets a rank acquire and release a random set. ordered of 8 tenures are ordered.
func (s *simulation) hold(rank, ordered int) {
	r, set := s.ranks[rank], simSet{rank: rank}
	var changed []syncvar.ID
	for id := range s.versions {
		if s.IntN(3) > 0 {
			continue
		}
		t := Tenure{Var: syncvar.ID(id), Exclusive: s.IntN(2) == 0, Unordered: s.IntN(8) >= ordered}
		if t.Exclusive {
			s.versions[id]++
			if s.IntN(4) > 0 {
				changed = append(changed, t.Var)
			}
		}
		t.Version = s.versions[id]
		if c := s.changes[id]; t.Unordered && c >= 0 {
			r.before[c] = true
			maps.Copy(r.before, s.sets[c].before)
		}
		set.tenures = append(set.tenures, t)
	}
	set.before = maps.Clone(r.before)
	r.before[len(s.sets)] = true
	for _, t := range set.tenures {
		if t.Unordered && slices.Contains(changed, t.Var) {
			s.changes[t.Var] = len(s.sets)
		}
	}
	s.sets = append(s.sets, set)
	r.Acquired(fmt.Sprint("line ", s.IntN(3)), set.tenures)
	r.Released(changed)
}

// races reports whether any two tenures conflict without an order.
func (s *simulation) races() bool {
	for j, b := range s.sets {
		for i, a := range s.sets[:j] {
			if a.rank != b.rank && !b.before[i] && conflict(a.tenures, b.tenures) {
				return true
			}
		}
	}
	return false
}

func conflict(a, b []Tenure) bool {
	for _, x := range a {
		for _, y := range b {
			if x.Var == y.Var && (x.Exclusive || y.Exclusive) && !(x.Unordered && y.Unordered) {
				return true
			}
		}
	}
	return false
}

// TestValidate: a log that no Recorder can make is refused, and one that a Recorder made is not.
func TestValidate(t *testing.T) {
	good := func() Log { return logsOf(t, "x0 | X1:1 s0")[0] }
	if l := good(); l.Validate(2) != nil || l.Validate(1) == nil {
		t.Errorf("%+v: %v with 2 variables, %v with 1; want only the second to fail", l, l.Validate(2), l.Validate(1))
	}
	for what, damage := range map[string]func(r *Record){
		"line":    func(r *Record) { r.Line = 9 },
		"no line": func(r *Record) { r.Line = -1 },
		"meeting": func(r *Record) { r.Meeting = -1 },
		"step":    func(r *Record) { r.Step = -1 },
	} {
		l := good()
		damage(&l.Tenures[1])
		if err := l.Validate(2); err == nil {
			t.Errorf("a wrong %s is not found", what)
		}
	}
}

// TestFull: Find looks only at meetings before which all logs are complete.
func TestFull(t *testing.T) {
	for _, c := range []struct {
		before    int // tenures before the meeting
		exclusive int // which of them is exclusive; -1: none
		want      bool
	}{{Most - 1, -1, true}, {Most, -1, false}, {Most, 7, true}} {
		var logs []Log
		for rank := range 2 {
			rec := NewRecorder()
			all := make([]Tenure, c.before)
			for i := range all {
				all[i] = Tenure{Var: syncvar.ID(i), Exclusive: i == c.exclusive}
			}
			rec.Acquired("main.go:1", all)
			rec.Released(nil)
			rec.Met()
			rec.Acquired("main.go:2", []Tenure{{Exclusive: rank == 0}})
			logs = append(logs, rec.Log())
		}
		if race := Find(logs); (race != nil) != c.want {
			t.Errorf("after %d tenures, of which number %d is exclusive, Find returns %v; want a race: %v", c.before, c.exclusive, race, c.want)
		}
	}
}
