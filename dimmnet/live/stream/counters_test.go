package stream

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// tally adds up notices.
type tally struct {
	recorder
	times uint64
}

func (e *tally) notified(times uint32) { e.times += uint64(times) }

// TestManyNotices sends more notices than fit one frame.
func TestManyNotices(t *testing.T) {
	const want = 3<<32 + 7
	from := newEnd(nil)
	from.out.notices = want - 1
	from.out.notify()
	to, sum := newEnd(from.out.stream.(*tape).out), new(tally)
	to.in.events = sum
	if err := to.receive(); err != nil || sum.times != want {
		t.Errorf("%d notices arrive, want %d: %v", sum.times, uint64(want), err)
	}
}

// TestFrameNumbersWrap passes frames with numbers before and after 2^32, including frames of a
// large piece. Frame number 2^32, which is sent as 0, is refused if it comes too early.
func TestFrameNumbersWrap(t *testing.T) {
	const first = 1<<32 - 4
	from := newEnd(nil)
	from.out.number, from.out.onSent = first, func() {}
	for i := range dimmnet.Offset(6) {
		from.out.post(store, word, i*word, []byte{byte(i + 1), 0, 0, 0, 0, 0, 0, 0})
		from.out.sendZeroCopy(noise(40))
		from.out.sendZeroCopy(noise(40_000))
		from.out.flush()
	}
	to := newEnd(from.out.stream.(*tape).out)
	to.in.number = first
	for range 5 {
		to.in.addReceive(make([]byte, 40))
		to.in.addReceive(make([]byte, 40_000))
	}
	if err := to.receive(); err != nil || to.in.number != first+18-1<<32 || len(to.in.receives) > 0 {
		t.Errorf("the next frame has number %d, %d receives are open: %v", to.in.number, len(to.in.receives), err)
	}
	for i := range dimmnet.Offset(6) {
		if got := to.nic.LLCM.Load(i * word); got != uint64(i+1) {
			t.Errorf("word %d is %d", i, got)
		}
	}
	to = newEnd(new(frames).add(goodbye, 0, 0, nil).b)
	to.in.number = first
	if err := to.receive(); err == nil || !strings.Contains(err.Error(), "frame number 0, want 4294967292") {
		t.Errorf("frame 0 instead of frame %d: %v", uint32(first), err)
	}
}

// TestLargeOffsets checks frames and requests that end at, or beyond, the end of a memory of almost
// 4 GiB. There, the sum of an offset and a length does not fit 32 bits.
func TestLargeOffsets(t *testing.T) {
	const llcm, end = 1 << 17, 1<<32 - 4096
	limits := dimmnet.Limits{Store: word, Block: 4096, RDMA: end - llcm, LLCM: llcm, Bulk: end - llcm}
	for _, c := range []struct {
		off dimmnet.Offset
		n   int
		ok  bool
	}{
		{end - 8, 8, true}, {end - 8, 16, false}, {end, 8, false}, {1<<32 - 8, 8, false}, {1<<32 - 8, 16, false},
		{end - 4096, 4096, true}, {end - 4096, 8192, false}, {1<<32 - 4096, 8192, false}, {1<<31 - 8, 16, true},
		{end - pieceBytes, pieceBytes, true}, {end - pieceBytes + 8, pieceBytes, false}, {llcm - 8, 16, false},
	} {
		for _, k := range []kind{push, pulled} {
			h := header{kind: k, arg: 1, n: c.n, off: c.off}
			if _, err := decode(h.append(nil, SumAll), &limits, SumAll); (err == nil) != c.ok {
				t.Errorf("%v of %d bytes at offset %d: %v", k, c.n, c.off, err)
			}
		}
	}
	for _, c := range []struct {
		from, to dimmnet.Offset
		n        int
		ok       bool
	}{
		{llcm, llcm, end - llcm, true}, {llcm, llcm, end - llcm + 8, false}, {llcm + 8, llcm, end - llcm, false}, {llcm, llcm + 8, end - llcm, false},
		{llcm, llcm, 1<<32 - 1, false}, {end - 8, end - 8, 8, true}, {1<<32 - 8, llcm, 16, false}, {llcm, 1<<32 - 8, 16, false},
	} {
		r, err := decodeRequest(request{c.to, c.n}.append(nil), c.from, &limits)
		if (err == nil) != c.ok || r.n != c.n || r.to != c.to {
			t.Errorf("pull of %d bytes from %d to %d: %+v, %v", c.n, c.from, c.to, r, err)
		}
	}
}
