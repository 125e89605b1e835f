package mpi

import (
	"strings"
	"testing"
)

// from names the send of a message: its rank and line.
type from struct{ rank, line int }

// made returns an observation of p in which every line has returned and the receives in got have
// got the messages given there.
func made(p *program, got map[from]from) *observation {
	o := &observation{outcomes: make([][]outcome, p.nodes)}
	for rank, lines := range p.lines {
		for i, l := range lines {
			x := outcome{started: true, returned: true}
			if m, ok := got[from{rank, i}]; ok {
				sent := p.lines[m.rank][m.line]
				x.done, x.p = true, p.content(m.rank, m.line)
				x.status = Status{Source: indexIn(commRanks(p.nodes, m.rank, l.comm), m.rank), Tag: sent.tag, Count: sent.n}
			}
			o.outcomes[rank] = append(o.outcomes[rank], x)
		}
	}
	return o
}

// unfinished records that a rank reached a line and stayed there.
func (o *observation) unfinished(rank, line int) *observation {
	o.deadlock = true
	for i := line; i < len(o.outcomes[rank]); i++ {
		o.outcomes[rank][i].returned = false
		o.outcomes[rank][i].started = i == line
	}
	return o
}

func tell(peer, tag, n int) line { return line{verb: sends, peer: peer, tag: tag, n: n} }
func hear(peer, tag int) line    { return line{verb: receives, peer: peer, tag: tag, n: 100} }

// TestOracle checks that the oracle accepts right observations and rejects wrong ones.
func TestOracle(t *testing.T) {
	const eager, longer = 8, 80 // bytes
	at := func(rank, line int) from { return from{rank, line} }
	write := func(lines ...[]line) *program {
		return &program{seed: 1, nodes: len(lines), opts: Options{Eager: 40}, lines: lines}
	}
	pair := write([]line{hear(1, AnyTag), hear(1, AnyTag)}, []line{tell(0, 0, eager), tell(0, 1, eager)})
	twins := write([]line{hear(1, 0), hear(1, 0)}, []line{tell(0, 0, eager), tell(0, 0, eager)})
	three := write([]line{hear(AnySource, 0), hear(AnySource, 0)}, []line{tell(0, 0, eager)}, []line{tell(0, 0, eager)})
	relay := write([]line{hear(AnySource, 0), tell(2, 0, eager), hear(AnySource, 0)}, []line{tell(0, 0, eager)},
		[]line{hear(0, 0), tell(0, 0, eager)})
	async := line{verb: receives, peer: AnySource, tag: AnyTag, n: 100, async: true}
	posted := write([]line{async, hear(1, 1), {verb: waits, on: []int{0}}}, []line{tell(0, 1, eager), tell(0, 1, eager)})
	long := write([]line{{verb: barriers}}, []line{tell(0, 0, longer), {verb: barriers}})
	barrier := write([]line{{verb: barriers}, hear(1, 0)}, []line{tell(0, 0, longer), {verb: barriers}})
	for _, c := range []struct {
		name string
		p    *program
		o    *observation
		want string // the error, or nothing
	}{
		{"in order", pair, made(pair, map[from]from{at(0, 0): at(1, 0), at(0, 1): at(1, 1)}), ""},
		{"overtaken", pair, made(pair, map[from]from{at(0, 0): at(1, 1), at(0, 1): at(1, 0)}), "no order of arrivals"},
		{"overtaken with one tag", twins, made(twins, map[from]from{at(0, 0): at(1, 1), at(0, 1): at(1, 0)}), "of message"},
		{"received twice", pair, made(pair, map[from]from{at(0, 0): at(1, 0), at(0, 1): at(1, 0)}), "was not sent"},
		{"not received", pair, made(pair, map[from]from{at(0, 0): at(1, 0)}), "without a message"},
		{"two senders", three, made(three, map[from]from{at(0, 0): at(1, 0), at(0, 1): at(2, 0)}), ""},
		{"two senders in the other order", three, made(three, map[from]from{at(0, 0): at(2, 0), at(0, 1): at(1, 0)}), ""},
		{"a relay", relay, made(relay, map[from]from{at(0, 0): at(1, 0), at(2, 0): at(0, 1), at(0, 2): at(2, 1)}), ""},
		{"an answer before its question", relay, made(relay, map[from]from{at(0, 0): at(2, 1), at(2, 0): at(0, 1), at(0, 2): at(1, 0)}), "no order of arrivals"},
		{"the later of two posted", posted, made(posted, map[from]from{at(0, 0): at(1, 1), at(0, 1): at(1, 0)}), "of message"},
		{"the earlier of two posted", posted, made(posted, map[from]from{at(0, 0): at(1, 0), at(0, 1): at(1, 1)}), ""},
		{"a rendezvous alone", long, made(long, nil), "without a receiver"},
		{"a rendezvous waits", long, made(long, nil).unfinished(1, 0).unfinished(0, 0), ""},
		{"a barrier of one", long, made(long, nil).unfinished(1, 0), "rank 1 has not entered it"},
		{"a rendezvous before its receive", barrier, made(barrier, map[from]from{at(0, 1): at(1, 0)}), "no order of arrivals"},
		{"a receive that could continue", twins, made(twins, map[from]from{at(0, 0): at(1, 0)}).unfinished(0, 1), "still waits, but could have received"},
		{"a send that could continue", twins, made(twins, map[from]from{at(0, 0): at(1, 0)}).unfinished(1, 1).unfinished(0, 1), "still waits, but could have received"},
		{"a send that need not wait", three, made(three, map[from]from{at(0, 0): at(1, 0)}).unfinished(0, 1).unfinished(2, 0), "still waits, but could have received"},
	} {
		err := c.p.judge(c.o)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	changed := made(pair, map[from]from{at(0, 0): at(1, 0), at(0, 1): at(1, 1)})
	changed.outcomes[0][1].p[3]++
	if err := pair.judge(changed); err == nil {
		t.Error("the oracle accepts a changed byte")
	}
}
