package phase_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/frametest"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// TestDamagedLists sends lists with one byte changed, and lists that are cut short.
func TestDamagedLists(t *testing.T) {
	var good []byte
	hostile(t, func(w *world, _ func(ringbuf.Header, []byte)) {
		good = syncvar.AppendList(nil, &syncvar.List{Call: syncvar.Acquire, Phase: 1, Since: 1, Declared: 3,
			Digest: w.ranks[1].space.Digest(3), Shared: []syncvar.ID{1}, Clean: []syncvar.ID{0}})
	})
	for damaged := range frametest.Every(good) {
		hostile(t, func(_ *world, put func(ringbuf.Header, []byte)) {
			put(ringbuf.Header{Kind: ringbuf.List, Sender: 1, Last: true, Phase: 1}, damaged)
		})
	}
}

// TestDamagedData sends data with one byte of the header changed: only the variable that is due
// may change.
func TestDamagedData(t *testing.T) {
	header := ringbuf.Header{Kind: ringbuf.Data, Sender: 1, Last: true, Phase: 1, Len: 8, Addr: 4096 + 150}
	w0, w1 := header.Encode()
	frame := make([]byte, 16)
	for i := range 8 {
		frame[i], frame[8+i] = byte(w0>>(8*i)), byte(w1>>(8*i))
	}
	for damaged := range frametest.Every(frame) {
		if len(damaged) < len(frame) {
			continue // a header is never cut short
		}
		var d0, d1 uint64
		for i := range 8 {
			d0, d1 = d0|uint64(damaged[i])<<(8*i), d1|uint64(damaged[8+i])<<(8*i)
		}
		h, err := ringbuf.Decode(d0, d1, 1, 4096)
		if err != nil {
			continue
		}
		mem := hostile(t, func(w *world, put func(ringbuf.Header, []byte)) {
			put(ringbuf.Header{Kind: ringbuf.List, Sender: 1, Last: true, Phase: 1},
				syncvar.AppendList(nil, &syncvar.List{Call: syncvar.Acquire, Phase: 1, Since: 1, Declared: 3, Digest: w.ranks[1].space.Digest(3)}))
			data := make([]byte, h.Len)
			for i := range data {
				data[i] = 0xee
			}
			put(h, data)
		})
		for i, b := range mem {
			if b == 0xee && (i < 100 || i >= 200) {
				t.Fatalf("%+v: byte %d was written, outside of the variable that is due", h, i)
			}
		}
	}
}

// TestDamagedMessages pushes messages with one byte changed, and posts notices with one byte
// changed.
func TestDamagedMessages(t *testing.T) {
	longtest.OneThread(t)
	message := []byte{2, 0, 0, 0, 0, 0, 0, 0, 0x94, 0x10, 0, 0, 0, 0, 1, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0xa0, 0x10, 0, 0, 0, 0, 0, 0, 1}
	const size = 56
	try := func(message []byte, notice func(uint64) uint64) {
		w := hostileMessage(t, func(m []byte) {
			for i := range m {
				m[i] = 0xee
			}
			copy(m, message)
		}, notice)
		for i, b := range w.ranks[0].mem {
			if b != 0 && (i < 100 || i >= 200) {
				t.Fatalf("message %x: byte %d was written, outside of the variable that is due", message, i)
			}
		}
	}
	ends := func(w uint64) uint64 { return w>>34<<34 | size | 3<<32 }
	number := 0
	for damaged := range frametest.Every(message) {
		if number++; number%longtest.Cases(1, 7) == 0 {
			try(damaged, ends)
		}
	}
	for i := range dimmnet.WordBytes {
		for v := range uint64(256) {
			try(message, func(w uint64) uint64 { return ends(w)&^(0xff<<(8*i)) | v<<(8*i) })
		}
	}
}

// TestDamagedBundles sends bundles with one byte changed over a tree.
func TestDamagedBundles(t *testing.T) {
	longtest.OneThread(t)
	number := 0
	for damaged := range frametest.Every(goodBundle(1, 9, 10, 11)) {
		if number++; number%longtest.Cases(1, 7) == 0 { // one of seven, others for each byte
			hostileBundle(t, 1, 0, damaged)
		}
	}
}
