package colony

import (
	"math/rand/v2"
	"testing"
)

func samples(n int) (list []Packet) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		list = append(list, Packet{
			To: Node(random.IntN(MaxNodes)), From: Node(random.IntN(MaxNodes)), Turn: uint8(random.IntN(turns)),
			Kind: Kind(1 + i%3), Address: random.Uint32N(NodeWords), Data: random.Uint32(),
		})
	}
	return list
}

func TestPacketFields(t *testing.T) {
	p := Packet{To: 0xa, From: 0x3, Turn: 0x5, Kind: KindRead, Address: 0x2_1234, Data: 0x89ab_cdef}
	want := Bits{0xa35<<20 | 0b10<<18 | 0x2_1234, 0x89ab_cdef, (0xa35<<20 | 0b10<<18 | 0x2_1234) ^ 0x89ab_cdef}
	if b := p.Encode(); b != want {
		t.Errorf("%+v is %08x, want %08x", p, b, want)
	}
	for _, p := range samples(300) {
		if b := p.Encode(); b.Decode() != p || b.Check() != 0 || b.Judge() != Accept {
			t.Errorf("%+v: %08x, decoded %+v, parity %08x", p, b, b.Decode(), b.Check())
		}
	}
}

// TestSingleErrors checks that parity detects every single error, and that the verdict depends
// on its column and on the kind of packet.
func TestSingleErrors(t *testing.T) {
	for _, p := range samples(60) {
		for bit := range PacketBits {
			b := p.Encode().Flip(bit)
			column := bit % 32
			if want := uint32(1) << (31 - column); b.Check() != want {
				t.Fatalf("%+v, bit %d: parity %08x, want %08x", p, bit, b.Check(), want)
			}
			want := Refuse
			if p.Kind == KindAnswer || column == 12 || column == 13 {
				want = Drop
			}
			if b.Judge() != want {
				t.Errorf("%+v, bit %d: verdict %d, want %d", p, bit, b.Judge(), want)
			}
		}
	}
}

// TestDoubleErrors checks that parity misses exactly the pairs of errors in one column: 3 for
// each of the 32 columns. A packet with such a pair is accepted, unless its type is invalid.
func TestDoubleErrors(t *testing.T) {
	for _, p := range samples(30) {
		missed := 0
		for i := range PacketBits {
			for j := range i {
				b := p.Encode().Flip(i).Flip(j)
				seen := b.Check() != 0
				if seen != (i%32 != j%32) {
					t.Fatalf("%+v, bits %d and %d: detected: %t", p, j, i, seen)
				}
				if seen != (b.Judge() != Accept) && Kind(b[0]>>kindShift&3) != 0 {
					t.Fatalf("%+v, bits %d and %d: detected: %t, verdict %d", p, j, i, seen, b.Judge())
				}
				if !seen {
					missed++
				}
			}
		}
		if missed != 3*32 {
			t.Errorf("%+v: %d double errors missed, want %d", p, missed, 3*32)
		}
	}
}

func FuzzPacket(f *testing.F) {
	b := Packet{To: 1, Turn: 2, Kind: KindWrite, Address: 3, Data: 4}.Encode()
	f.Add(b[0], b[1], b[2])
	f.Fuzz(func(t *testing.T, first, data, parity uint32) {
		b := Bits{first, data, parity}
		again := b.Decode().Encode()
		if again[0] != first || again[1] != data || again.Check() != 0 || (again == b) != (b.Check() == 0) {
			t.Errorf("%08x decodes to %+v, which is %08x", b, b.Decode(), again)
		}
	})
}

func TestAddr(t *testing.T) {
	a := At(3, 0x2_0001)
	if a.Node() != 3 || a.Word() != 0x2_0001 || a.String() != "3:20001" || At(3, NodeWords+7) != At(3, 7) {
		t.Errorf("address %v: node %d, word %#x", a, a.Node(), a.Word())
	}
}
