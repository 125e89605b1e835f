package syncvar_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/syncvar"
)

func ids(first, stride syncvar.ID, count int) (set []syncvar.ID) {
	for i := range count {
		set = append(set, first+stride*syncvar.ID(i))
	}
	return set
}

func roundTrip(t *testing.T, l syncvar.List) []byte {
	t.Helper()
	b := syncvar.AppendList(nil, &l)
	got, err := syncvar.DecodeList(b)
	if err != nil {
		t.Fatalf("DecodeList of the encoded list %+v: %v", l, err)
	}
	if !reflect.DeepEqual(got, l) {
		t.Fatalf("round trip of\n%+v is\n%+v", l, got)
	}
	return b
}

func TestListRoundTrip(t *testing.T) {
	for _, l := range []syncvar.List{
		{Call: syncvar.Acquire},
		{Call: syncvar.Barrier, Phase: 1 << 62, Since: 1, Declared: 1 << 31},
		{Call: syncvar.Update, Phase: 1 << 40, Since: 1<<40 - 3, Declared: 7, Digest: 1 << 63},
		{Call: syncvar.End, Declared: syncvar.MaxID, Clean: []syncvar.ID{0, syncvar.MaxID - 1}},
		{Call: syncvar.Reduce, Phase: 3, Since: 3, Declared: 2, Clean: []syncvar.ID{1}, Word: 1<<63 | 7},
		{Call: syncvar.Reduce},
		{Call: syncvar.Acquire, Fenced: true, Declared: 3, Shared: []syncvar.ID{2}},
		{Call: syncvar.End, Fenced: true},
		{Call: syncvar.Acquire, Declared: 9, Awaits: []syncvar.ID{8}, Clean: []syncvar.ID{8}},
		{Call: syncvar.Acquire, Declared: 11, Shared: []syncvar.ID{0, 1, 2, 5, 9, 10}, Exclusive: []syncvar.ID{3}},
	} {
		roundTrip(t, l)
	}
	const seed = 1
	random := rand.New(rand.NewPCG(seed, 0))
	for range 500 {
		set := func() (s []syncvar.ID) {
			id := syncvar.ID(0)
			for range random.IntN(40) {
				id += 1 + syncvar.ID(random.IntN(3)*random.IntN(1000))
				s = append(s, id)
			}
			return s
		}
		l := syncvar.List{Call: syncvar.Acquire, Phase: random.Uint64N(1 << 50), Declared: syncvar.MaxID, Shared: set(), Clean: set()}
		for _, id := range set() {
			if !slices.Contains(l.Shared, id) {
				l.Exclusive = append(l.Exclusive, id)
			}
		}
		roundTrip(t, l)
	}
}

// TestCyclicRowsAreShort checks that a list with many cyclic rows fits one slot.
func TestCyclicRowsAreShort(t *testing.T) {
	l := syncvar.List{Call: syncvar.Acquire, Phase: 3, Since: 3, Declared: 4099, Shared: ids(1, 4, 1024), Exclusive: ids(2, 4, 1024)}
	if b := roundTrip(t, l); len(b) > 40 {
		t.Errorf("2048 cyclic rows take %d bytes", len(b))
	}
	l.Shared, l.Exclusive = ids(1, 1, 1), nil
	one := roundTrip(t, l)
	l.Shared = ids(1, 100, 2)
	if b := roundTrip(t, l); len(b) != len(one) {
		t.Errorf("a run of two IDs takes %d bytes, one ID %d", len(b), len(one))
	}
}

func TestDecodeListRefuses(t *testing.T) {
	good := syncvar.AppendList(nil, &syncvar.List{Call: syncvar.Acquire, Phase: 2, Since: 1, Declared: 9, Shared: ids(0, 2, 5)})
	both := syncvar.List{Call: syncvar.Acquire, Declared: 9, Shared: ids(0, 2, 3), Exclusive: ids(1, 3, 2)}
	with := func(i int, v byte) []byte {
		b := append([]byte(nil), good...)
		b[i] = v
		return b
	}
	head := good[:12]
	barrier := syncvar.List{Call: syncvar.Barrier, Declared: 9, Exclusive: ids(0, 1, 1)}
	reduce := syncvar.List{Call: syncvar.Reduce, Declared: 9, Shared: ids(0, 1, 1)}
	word := syncvar.List{Call: syncvar.Reduce, Declared: 9, Word: 5}
	late := syncvar.List{Call: syncvar.Acquire, Phase: 1<<62 + 1, Since: 1<<62 + 1}
	many := syncvar.List{Call: syncvar.Acquire, Declared: 1<<31 + 1}
	tests := map[string][]byte{
		"ends early":                                     nil,
		"unknown call 0":                                 with(0, 0),
		"call 7":                                         with(0, byte(syncvar.Fence)+1),
		"call 9":                                         with(0, 9),
		"age 7, the limit is 2":                          with(2, 7),
		"Update that wants":                              with(0, byte(syncvar.Update)),
		"Barrier that wants":                             syncvar.AppendList(nil, &barrier),
		"Reduce that wants":                              syncvar.AppendList(nil, &reduce),
		"list: 1 bytes follow its end":                   append(syncvar.AppendList(nil, &word), 0),
		"the phase 4611686018427387905, the l":           syncvar.AppendList(nil, &late),
		"the declarations 2147483649, the lim":           syncvar.AppendList(nil, &many),
		"variable 8, but its rank has made only 8":       with(3, 8),
		"variable 4 is wanted both shared and exclusive": syncvar.AppendList(nil, &both),
		"bytes follow":                                   append(append([]byte(nil), good...), 0),
		"run of 1 IDs, 0 apart":                          append(append([]byte(nil), head...), 1, 0, 0, 1, 0, 0),
		"run of 0 IDs, 1 apart":                          append(append([]byte(nil), head...), 1, 0, 1, 0, 0, 0),
		"shared ID 1048576, the limit":                   append(append([]byte(nil), head...), 1, 0x80, 0x80, 0x40, 1, 1, 0, 0),
		"shared ID 2097150":                              append(append([]byte(nil), head...), 1, 0, 2, 0x80, 0x80, 0x40, 0, 0),
		"shared runs 2097151, the limit":                 append(append([]byte(nil), head...), 0xff, 0xff, 0x7f),
		"shared gap 268435455, the limit":                append(append([]byte(nil), head...), 1, 0xff, 0xff, 0xff, 0x7f),
		"list of 8388609 bytes, the limit is ":           make([]byte, syncvar.MaxListBytes+1),
	}
	for want, b := range tests {
		if _, err := syncvar.DecodeList(b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("DecodeList: error %v, want %q", err, want)
		}
	}
	if _, err := syncvar.DecodeList(make([]byte, syncvar.MaxListBytes)); err == nil || !strings.Contains(err.Error(), "call 0") {
		t.Errorf("a list of the largest size: error %v", err)
	}
	for _, whole := range [][]byte{good, syncvar.AppendList(nil, &word)} {
		for n := range whole {
			if _, err := syncvar.DecodeList(whole[:n]); err == nil {
				t.Errorf("the first %d of %d bytes of a list are decoded without an error", n, len(whole))
			}
		}
	}
}

func FuzzList(f *testing.F) {
	f.Add([]byte{})
	f.Add(syncvar.AppendList(nil, &syncvar.List{Call: syncvar.Acquire, Phase: 9, Since: 3, Declared: 99, Shared: ids(0, 3, 9), Exclusive: ids(1, 1, 2), Clean: ids(7, 1, 1)}))
	f.Add(syncvar.AppendList(nil, &syncvar.List{Call: syncvar.End}))
	f.Add(syncvar.AppendList(nil, &syncvar.List{Call: syncvar.Reduce, Word: 1 << 40}))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := syncvar.DecodeList(b)
		if err != nil {
			return
		}
		for _, set := range [][]syncvar.ID{l.Shared, l.Exclusive, l.Clean} {
			for i, id := range set {
				if id >= syncvar.MaxID || i > 0 && set[i-1] >= id {
					t.Fatalf("the IDs of set %v are not increasing or exceed the limit", set)
				}
			}
		}
		roundTrip(t, l)
	})
}

// TestOlderListsKeepTheirBytes checks that only the list of a Reduce has a word.
func TestOlderListsKeepTheirBytes(t *testing.T) {
	for call := syncvar.Acquire; call <= syncvar.Reduce; call++ {
		l := syncvar.List{Call: call, Phase: 7, Since: 5, Declared: 9, Digest: 0x0102030405060708, Clean: ids(3, 1, 1)}
		want := []byte{byte(call), 7, 2, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 1, 3, 1, 1}
		if call == syncvar.Reduce {
			l.Word = 0xf1f2f3f4f5f6f7f8
			want = append(want, 0xf8, 0xf7, 0xf6, 0xf5, 0xf4, 0xf3, 0xf2, 0xf1)
		}
		if got := syncvar.AppendList(nil, &l); !bytes.Equal(got, want) {
			t.Errorf("a list of %v is encoded as %x, want %x", call, got, want)
		}
	}
}

// TestNames checks the names of Access and Call in reports.
func TestNames(t *testing.T) {
	var got []string
	for m := range syncvar.Exclusive + 2 {
		got = append(got, m.String())
	}
	for c := range syncvar.Fence + 2 {
		got = append(got, c.String())
	}
	want := "access 0, shared, exclusive, access 3, call 0, Acquire, Update, Barrier, return, Reduce, Fence, call 7"
	if strings.Join(got, ", ") != want {
		t.Errorf("the names are %v, want %s", got, want)
	}
}
