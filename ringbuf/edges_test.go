package ringbuf_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/ringbuf"
)

// TestLargestHeaders: a header with the largest value of each field arrives unchanged.
func TestLargestHeaders(t *testing.T) {
	h := ringbuf.Header{Kind: ringbuf.Locations, Last: true, Sender: dimmnet.MaxNodes - 1, Len: ringbuf.MaxSlotBytes, Phase: ringbuf.PhaseMask, Addr: 1<<48 - 1, Age: ringbuf.MaxAge}
	w0, w1 := h.Encode()
	if got, err := ringbuf.Decode(w0, w1, h.Sender, ringbuf.MaxSlotBytes); err != nil || got != h {
		t.Errorf("%+v arrives as %+v, %v", h, got, err)
	}
	for bit := range 64 { // each bit of each word has a meaning
		for word := range 2 {
			x := [2]uint64{w0, w1}
			x[word] ^= 1 << bit
			if got, err := ringbuf.Decode(x[0], x[1], h.Sender, ringbuf.MaxSlotBytes); err == nil && got == h {
				t.Errorf("bit %d of word %d means nothing", bit, word)
			}
		}
	}
	if _, err := ringbuf.Decode(w0, w1, h.Sender, ringbuf.MaxSlotBytes-1); err == nil {
		t.Error("more bytes than a slot has are accepted")
	}
}

// TestFullRing: as many messages of the largest size may be under way as there are slots, and not
// one more. When the oldest is read, another may go. There are more messages than a flag can
// count.
func TestFullRing(t *testing.T) {
	full, taken := make(chan int), make(chan int)
	err := inproc.New(inproc.Config{LLCM: 64 << 10}).Run(t.Context(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		layout, err := ringbuf.NewLayout(p.Limits(), 2)
		if err != nil {
			return err
		}
		data := func(i int) []byte { return bytes.Repeat([]byte{byte(i)}, layout.SlotBytes) }
		total := 600 * layout.Slots
		if p.Rank() == 0 {
			defer close(full)
			out, sent := ringbuf.NewSender(p, &layout, 1), 0
			for read := 0; read < total; read = <-taken {
				for ; out.Ready(); sent++ {
					out.Put(ringbuf.Header{Kind: ringbuf.Data, Len: layout.SlotBytes, Addr: uint64(sent)}, data(sent))
					if out.Step(); out.Busy() {
						return fmt.Errorf("message %d is not posted", sent)
					}
				}
				if sent-read != layout.Slots {
					return fmt.Errorf("%d messages are under way in %d slots", sent-read, layout.Slots)
				}
				full <- sent
			}
			return nil
		}
		in, buf := ringbuf.NewReceiver(p, &layout, 0), make([]byte, layout.SlotBytes)
		for read := 0; ; {
			if _, more := <-full; !more {
				return nil
			}
			for range 1 + read%layout.Slots { // one, some or all of them
				h, arrived, err := in.Poll()
				if err != nil || !arrived || h.Addr != uint64(read) || h.Len != layout.SlotBytes {
					return fmt.Errorf("message %d: %+v, %t, %v", read, h, arrived, err)
				}
				if in.Take(buf); !bytes.Equal(buf, data(read)) {
					return fmt.Errorf("message %d is damaged", read)
				}
				read++
			}
			taken <- read
		}
	})
	if err != nil {
		t.Error(err)
	}
}
