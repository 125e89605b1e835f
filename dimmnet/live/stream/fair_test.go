package stream

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// flood is a Stream on which more Stores have arrived than readsBefore Reads return.
type flood struct {
	tape
	sent        frames
	readsBefore int // the number of Reads until the stream is empty
}

// Read fills p whole, as the stream of a peer that sends faster than this rank reads.
func (f *flood) Read(p []byte) (int, error) {
	if f.readsBefore == 0 {
		return 0, nil
	}
	f.readsBefore--
	for f.sent.b = f.in; len(f.sent.b) < len(p); {
		f.sent.add(store, word, 0, binary.LittleEndian.AppendUint64(nil, uint64(f.sent.number)+1))
	}
	f.in = f.sent.b
	return f.tape.Read(p)
}

// TestQuietPeer checks that a peer that always has more to read does not take the turns of others.
// The Store of a quiet peer lands while the other peer's stream is far from empty.
func TestQuietPeer(t *testing.T) {
	const most = 1000
	busy := &flood{readsBefore: most}
	quiet := &tape{in: new(frames).add(store, word, 8, binary.LittleEndian.AppendUint64(nil, 7)).b}
	l := &Links{Streams: []Stream{nil, busy, quiet}, Near: make([]bool, 3), Poll: &pipePoll{bell: make(bell, 1)}}
	cfg := Config{Network: "tapes", Limits: dimmnet.Limits{LLCM: 64, Block: 64}}
	n := newNode(&run{cfg: cfg, load: newLoad(), start: time.Now()}, 0, l)
	defer n.close()
	for round := 1; round <= 3; round++ {
		n.progress()
		if n.fault.err != nil {
			t.Fatal(n.fault.err)
		}
		if n.LLCM.Load(0) == 0 || n.LLCM.Load(8) != 7 {
			t.Errorf("round %d: the peers have stored %d and %d, want a number and 7", round, n.LLCM.Load(0), n.LLCM.Load(8))
		}
		if read := most - busy.readsBefore; read > round*readsAtOnce {
			t.Errorf("round %d: the busy peer has been read %d times, want at most %d a round", round, read, readsAtOnce)
		}
	}
}
