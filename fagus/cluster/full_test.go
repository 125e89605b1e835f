package cluster

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestHelloFields: a hello is refused if it differs from the hello of rank 0, except in who sends
// it. The network may be unknown to either.
func TestHelloFields(t *testing.T) {
	own := newHello(Place{Size: 4, Job: "a", Epoch: 3}, 10, time.Second)
	own.Net = "tcp"
	sent := newHello(Place{Rank: 2, Size: 4, Job: "a", Epoch: 3}, 12, 2*time.Second)
	sent.Host, sent.Net = "h", "tcp"
	if err := sent.check(own); err != nil {
		t.Fatal(err)
	}
	free := map[string]bool{"Rank": true, "PID": true, "Host": true, "PatienceMS": true}
	kind := reflect.TypeFor[hello]()
	for i := range kind.NumField() {
		for _, by := range []int64{1, -1} {
			other := sent
			switch v := reflect.ValueOf(&other).Elem().Field(i); v.Kind() {
			case reflect.String:
				v.SetString(v.String() + "x")
			case reflect.Int, reflect.Int64:
				v.SetInt(v.Int() + by)
			default:
				t.Fatalf("the test does not know fields like %s", kind.Field(i).Name)
			}
			name := kind.Field(i).Name
			if err := other.check(own); (err == nil) != free[name] {
				t.Errorf("another %s: %v, want it refused: %t", name, err, !free[name])
			}
			m, err := other.message()
			if err != nil {
				t.Fatal(err)
			}
			if got, err := readHello(m.body); err != nil || got != other {
				t.Errorf("another %s: %+v arrives as %+v, %v", name, other, got, err)
			}
		}
	}
	for _, nets := range [][2]string{{"", "tcp"}, {"tcp", ""}, {"", ""}} {
		a, b := sent, own
		if a.Net, b.Net = nets[0], nets[1]; a.check(b) != nil {
			t.Errorf("networks %q: %v", nets, a.check(b))
		}
	}
	for rank := -1; rank <= 4; rank++ {
		other := sent
		if other.Rank = rank; (other.check(own) == nil) != (rank >= 0 && rank < 4) {
			t.Errorf("rank %d of 4: %v", rank, other.check(own))
		}
	}
	for ms, valid := range map[int64]bool{-1: false, 0: true, maxPatience.Milliseconds(): true, maxPatience.Milliseconds() + 1: false} {
		if _, err := readHello(fmt.Appendf(nil, `{"patience_ms":%d}`, ms)); (err == nil) != valid {
			t.Errorf("a patience of %d ms: %v", ms, err)
		}
	}
}

// TestMessageFields: a message of the largest sizes arrives as it is, and a header that says
// anything else of its body, or of files, is refused.
func TestMessageFields(t *testing.T) {
	for _, m := range []message{
		{kind: kinds - 1, rank: 1<<16 - 1, call: 1<<32 - 1, total: maxBlob, body: []byte{}},
		{kind: kindBlob, rank: 1, total: maxBlob, body: bytes.Repeat([]byte{3}, maxBody)},
		{kind: kindFiles, files: make([]*os.File, filesAMessage), body: []byte{1}},
		{kind: kindFiles, files: make([]*os.File, 1), body: []byte{}},
	} {
		packet := m.encode()
		got, files, err := decode(packet)
		if err != nil || files != len(m.files) || got.kind != m.kind || got.rank != m.rank || got.call != m.call || got.total != m.total || !bytes.Equal(got.body, m.body) {
			t.Errorf("%v: %v, %d files, %v", m.kind, got, files, err)
		}
		for _, at := range []int{12, 13, 14, 15} { // the size of the body
			for _, change := range []byte{1, 0x80} {
				wrong := bytes.Clone(packet)
				if wrong[at] ^= change; decodes(wrong) {
					t.Errorf("%v: a change of byte %d by %#x is accepted", m.kind, at, change)
				}
			}
		}
		if decodes(append(bytes.Clone(packet), 0)) || decodes(packet[:len(packet)-1]) {
			t.Errorf("%v: a packet that is longer or shorter by a byte is accepted", m.kind)
		}
	}
	for total, valid := range map[uint32]bool{maxBlob: true, maxBlob + 1: false, 1<<32 - 1: false} {
		m := message{kind: kindBlob, total: total, body: []byte{}}
		if decodes(m.encode()) != valid {
			t.Errorf("a blob of %d bytes: accepted %t", total, !valid)
		}
	}
}

func decodes(packet []byte) bool { _, _, err := decode(packet); return err == nil }

// TestShortestDeadline: of the patience of several processes, which come in any order, the shortest
// counts, and only until it is shortened again.
func TestShortestDeadline(t *testing.T) {
	for _, patience := range [][]time.Duration{{3, 2, 1}, {1, 2, 3}, {2, 1, 3}, {2, 2}, {3, 1, 2}} {
		m := new(member)
		m.rendezvous = newRendezvous(2)
		begun, least := time.Now(), patience[0]
		for _, p := range patience {
			least = min(least, p)
			m.tightenDeadline(p * time.Hour)
			late := m.rendezvous.deadline.Sub(begun)
			if spent := time.Since(begun); late < least*time.Hour || late > least*time.Hour+spent {
				t.Errorf("%v hours: after %v, all must join within %v", patience, p, late)
			}
		}
		m.rendezvous.timer.Stop()
	}
}

// TestSeenRanks: all ranks have been seen when each has, however often.
func TestSeenRanks(t *testing.T) {
	r := newRendezvous(4)
	for _, rank := range []int{2, 2, 0, -1, 4, 1, 1} {
		r.markSeen(rank)
	}
	select {
	case <-r.allSeen:
		t.Error("all are seen without rank 3")
	default:
	}
	r.markSeen(3)
	<-r.allSeen
	r.markSeen(3)
}

// TestLongLists: a list of ranks has at most a hundred parts.
func TestLongLists(t *testing.T) {
	for parts, whole := range map[int]bool{1: true, 99: true, 100: true, 101: false} {
		var ranks []int
		for i := range parts {
			ranks = append(ranks, 3*i, 3*i+1)
		}
		got := list(ranks)
		if strings.HasSuffix(got, ", ...") == whole || strings.Count(got, "-") != min(parts, 100) {
			t.Errorf("%d parts: %.60q ... %q", parts, got, got[max(0, len(got)-20):])
		}
	}
}

// TestBlobsOfAllSizes: shares of any size up to maxBlob come together, in messages of any size, one
// rank after another; a byte more than announced is refused.
func TestBlobsOfAllSizes(t *testing.T) {
	for _, n := range []int{0, 1, maxBody - 1, maxBody, maxBody + 1, maxBlob - 1, maxBlob} {
		a := assembler{first: 4, count: 2}
		for rank := 4; rank < 6; rank++ {
			rest := bytes.Repeat([]byte{byte(rank)}, n)
			for first := true; first || len(rest) > 0; first = false {
				k := min(len(rest), maxBody)
				m := message{kind: kindBlob, call: 1, rank: 4, total: uint32(n), body: rest[:k]}
				m.rank = 0
				m.rank += 4
				if rank == 5 {
					m.rank++
				}
				rest = rest[k:]
				b, err := a.add(m)
				if err != nil {
					t.Fatalf("%d bytes of rank %d, %d left: %v", n, rank, len(rest), err)
				}
				if done := rank == 5 && len(rest) == 0; (b != nil) != done {
					t.Fatalf("%d bytes of rank %d, %d left: whole %t", n, rank, len(rest), b != nil)
				}
			}
		}
	}
}
