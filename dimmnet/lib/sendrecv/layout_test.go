package sendrecv

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

func dimmnet1() dimmnet.Limits {
	return dimmnet.Limits{Store: 8, Block: 464, RDMA: 1 << 20, LLCM: 128 << 10, Bulk: 256 << 20}
}

// TestAreasDoNotOverlap marks every byte of the areas of some nodes.
func TestAreasDoNotOverlap(t *testing.T) {
	limits := dimmnet1()
	limits.Bulk = 2 << 20
	for _, nodes := range []int{1, 2, 3, 5, 64, 265} {
		for _, cfg := range []Config{{}, {LLCM: 8, Bulk: 4104, BOTF: 100}} {
			botf := cfg.BOTF
			if botf == 0 {
				botf = limits.Block
			}
			l, err := newLayout(limits, nodes, cfg, botf)
			if err != nil {
				t.Fatal(err)
			}
			for _, owner := range []dimmnet.Rank{0, dimmnet.Rank(nodes / 2), dimmnet.Rank(nodes - 1)} {
				painted := make([]bool, limits.LLCM+limits.Bulk)
				paint := func(off dimmnet.Offset, n int) {
					for i := int(off); i < int(off)+n; i++ {
						if painted[i] {
							t.Fatalf("%d nodes, %+v: byte %d is used twice", nodes, l, i)
						}
						painted[i] = true
					}
				}
				paint(0, int(cfg.LLCM))
				paint(dimmnet.Offset(limits.LLCM), int(cfg.Bulk))
				paint(l.done(), wordBytes)
				for peer := range dimmnet.Rank(nodes) {
					if peer == owner {
						continue
					}
					for number := range uint8(2) {
						paint(l.flag(owner, peer, number), wordBytes)
						paint(l.rounds(owner, peer, number), wordBytes)
					}
					paint(l.land(owner, peer), l.stride())
					paint(l.area(owner, peer), l.areaBytes())
					if end := int(l.land(owner, peer)) + l.stride(); end > limits.LLCM {
						t.Fatalf("%d nodes, %+v: a landing area ends at %d", nodes, l, end)
					}
				}
			}
		}
	}
}

func TestAreasShrink(t *testing.T) {
	for _, c := range []struct {
		nodes, botf, bulk int
		landing, buffers  int
	}{
		{2, 464, 256 << 20, 464, 256},
		{257, 464, 256 << 20, 464, 256},
		{258, 464, 256 << 20, 464, 255},
		{265, 464, 2 << 20, 464, 1},
		{4096, 0, 256 << 20, 0, 16},
		{2, 100, 4096, 100, 1},
		{2, 1 << 20, 1 << 20, 282 * 464, 256},
		{64, 4096, 256 << 20, 4 * 464, 256},
	} {
		limits := dimmnet1()
		limits.Bulk = c.bulk
		l, err := newLayout(limits, c.nodes, Config{}, c.botf)
		if err != nil || l.landing != c.landing || l.buffers != c.buffers {
			t.Errorf("%+v: %+v, error %v", c, l, err)
		}
	}
}

// TestLandingFits: a landing area that just fits is not cut down to whole blocks.
func TestLandingFits(t *testing.T) {
	const landing = 1000 // more than two blocks of 464 bytes
	limits := dimmnet1()
	for spare, want := range map[int]int{0: landing, -wordBytes: 2 * 464} {
		limits.LLCM = wordBytes + flagBytes + landing + spare
		if l, err := newLayout(limits, 2, Config{}, landing); err != nil || l.landing != want {
			t.Errorf("%d bytes of LLCM: a landing area of %d bytes, error %v; want %d", limits.LLCM, l.landing, err, want)
		}
	}
}

// TestSmallestPort: blocks and RDMA of one byte suffice.
func TestSmallestPort(t *testing.T) {
	for _, change := range []func(l *dimmnet.Limits, n int){
		func(l *dimmnet.Limits, n int) { l.Block = n },
		func(l *dimmnet.Limits, n int) { l.RDMA = n },
		func(l *dimmnet.Limits, n int) { l.Store = wordBytes - 1 + n },
		func(l *dimmnet.Limits, n int) { l.Bulk = bufferBytes - 1 + n },
	} {
		for n, valid := range map[int]bool{1: true, 0: false} {
			p := &fakePort{limits: dimmnet1(), nodes: 2}
			change(&p.limits, n)
			if _, err := New(p, Config{}); (err == nil) != valid {
				t.Errorf("%+v: %v; want it valid: %t", p.limits, err, valid)
			}
		}
	}
}

func TestWhatDoesNotFit(t *testing.T) {
	for _, c := range []struct {
		nodes int
		cfg   Config
		bulk  int
		want  string
	}{
		{266, Config{}, 256 << 20, "266 nodes do not fit: 131072 bytes of LLCM"},
		{266, Config{BOTF: 1 << 20}, 256 << 20, "266 nodes do not fit: 131072 bytes of LLCM"},
		{4097, Config{BOTF: -1}, 256 << 20, "4097 nodes do not fit: 131072 bytes of LLCM"},
		{2, Config{LLCM: 128 << 10}, 1 << 20, "2 nodes do not fit: 131072 bytes of LLCM from offset 131072"},
		{3, Config{}, 8191, "3 nodes do not fit: 8191 bytes of bulk memory"},
		{2, Config{Bulk: 8}, 4096, "2 nodes do not fit: 4096 bytes of bulk memory from offset 8"},
		{2, Config{LLCM: 4}, 4096, "want multiples of 8"},
		{2, Config{Bulk: 1}, 8192, "want multiples of 8"},
		{2, Config{}, 0, "the port lacks"},
	} {
		p := &fakePort{limits: dimmnet1(), nodes: c.nodes}
		p.limits.Bulk = c.bulk
		if _, err := New(p, c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d nodes, %+v, bulk %d: error %v, want %q", c.nodes, c.cfg, c.bulk, err, c.want)
		}
	}
}
