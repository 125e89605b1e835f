package codec_test

import (
	"bytes"
	"encoding/gob"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/fagus-dsm/fagus/fagus/parts/codec"
)

type colour string

type tree struct {
	Name        string
	left, right *tree
}

// padded has unused bytes between its fields.
type padded struct {
	Small uint8
	X     float64
	On    bool
	_     int32
	Next  int64
}

type record struct {
	ID     int64
	Name   string
	tags   []colour
	Counts map[string][]int32
	Grid   [2][]padded
	Extra  *[3]string
	Empty  struct{}
	Set    map[colour]struct{}
	Flags  []bool
	Raw    []byte
	More   []record
}

// secret encodes itself: its fields alone would not do.
type secret struct{ run func() string }

func (s secret) MarshalBinary() ([]byte, error) {
	if s.run == nil {
		return nil, errors.New("nothing to run")
	}
	return []byte(s.run()), nil
}

func (s *secret) UnmarshalBinary(b []byte) error {
	if bytes.HasPrefix(b, []byte("bad")) {
		return errors.New("that is bad")
	}
	text := string(b)
	s.run = func() string { return text }
	return nil
}

// appender appends one byte, or breaks the rules.
type appender struct{ kept []int }

func (a *appender) AppendBinary(b []byte) ([]byte, error) {
	if len(a.kept) > 100 {
		return nil, nil
	}
	return append(b, byte(len(a.kept))), nil
}

func (a *appender) UnmarshalBinary(b []byte) error {
	if len(b) != 1 {
		return errors.New("that is not one byte")
	}
	if a.kept = nil; b[0] > 0 {
		a.kept = make([]int, b[0])
	}
	return nil
}

// embeds would lose More if it were encoded by the methods of time.Time.
type embeds struct {
	time.Time
	More string
}

// stamp has nothing but the time.
type stamp struct{ time.Time }

type shape interface{ Area() float64 }

type square struct{ Side float64 }

func (s square) Area() float64 { return s.Side * s.Side }

// same encodes and decodes values, and compares them.
func same[T any](t *testing.T, values ...T) {
	t.Helper()
	c, err := codec.Of[T]()
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for _, v := range values {
		begin := len(all)
		if all, err = c.Append(all, v); err != nil {
			t.Fatalf("%#v: %v", v, err)
		}
		again, err := c.Append([]byte("before"), v)
		if err != nil || !bytes.Equal(again[len("before"):], all[begin:]) {
			t.Errorf("%#v is %x, and %x (%v) when encoded again", v, all[begin:], again, err)
		}
		for cut := range all[begin:] {
			if got, _, err := c.Decode(all[begin : begin+cut]); err == nil && cut > 0 {
				// A shorter value must be a whole one.
				if short, err := c.Append(nil, got); err != nil || len(short) > cut {
					t.Errorf("%d of the bytes %x give %#v, %v", cut, all[begin:], got, err)
				}
			}
		}
	}
	for _, v := range values {
		var got T
		if got, all, err = c.Decode(all); err != nil || !reflect.DeepEqual(got, v) {
			t.Errorf("%#v becomes %#v, %v", v, got, err)
		}
	}
	if len(all) > 0 {
		t.Errorf("%d bytes are left", len(all))
	}
}

func TestValues(t *testing.T) {
	gob.Register(square{})
	same(t, 0, 1, -1, math.MaxInt)
	same(t, "", "a", strings.Repeat("long ", 1000))
	same(t, true, false)
	same(t, []string(nil), []string{}, []string{"", "x"})
	same(t, [][]byte{nil, {}, {1, 2}}, nil)
	same(t, map[string]int(nil), map[string]int{}, map[string]int{"a": 1, "b": -1, "": 7})
	same(t, map[[2]int8]map[bool]string{{1, 2}: {true: "x"}, {}: nil})
	same(t, map[struct{}]struct{}{}, map[struct{}]struct{}{{}: {}})
	same(t, []struct{}{{}, {}}, nil)
	same(t, [][0]string{{}, {}}, nil)
	same(t, [3]padded{{Small: 1, X: 2, On: true}, {Next: 5}})
	same(t, struct{ _, _ int32 }{})
	same(t, []struct{ _ int32 }{{}, {}, {}})
	same(t, complex(1, -2))
	same(t, record{}, record{ID: 1, Name: "x", tags: []colour{"red", ""}, Counts: map[string][]int32{"a": {1}, "b": nil},
		Grid: [2][]padded{{{X: 1}}, nil}, Extra: &[3]string{"", "y"}, Set: map[colour]struct{}{"c": {}}, Flags: []bool{true, false},
		Raw: []byte{1}, More: []record{{Name: "inner"}, {}}})
	same(t, &tree{"root", &tree{Name: "left"}, &tree{"right", nil, &tree{}}}, nil)
	same(t, *big.NewInt(-1 << 40))
	same(t, []*big.Int{big.NewInt(3), nil, new(big.Int).Lsh(big.NewInt(1), 3000)})
	same(t, map[netip.Addr]string{netip.MustParseAddr("10.0.0.1"): "a", netip.MustParseAddr("::1"): "b"})
	same(t, time.Unix(1, 2).UTC())
	same(t, embeds{time.Unix(1, 0).UTC(), "kept"})
	same(t, []stamp{{time.Unix(1, 0).UTC()}})
	same[any](t, nil, 1, "x", square{2})
	same(t, []shape{square{1}, nil, square{3}})
	same(t, appender{}, appender{make([]int, 3)})
	same(t, []appender{{make([]int, 1)}})
}

// TestMaps: equal maps have equal bytes, whatever the order in which they were made.
func TestMaps(t *testing.T) {
	c, err := codec.Of[map[string]int]()
	if err != nil {
		t.Fatal(err)
	}
	var want []byte
	for round := range 20 {
		m := map[string]int{}
		for _, i := range rand.Perm(50) {
			m[strings.Repeat("k", i)] = i
		}
		b, err := c.Append(nil, m)
		if round == 0 {
			want = b
		}
		if err != nil || !bytes.Equal(b, want) {
			t.Fatalf("%x, %v, want %x", b, err, want)
		}
	}
}

// TestRandom round-trips random values of a type with most kinds.
func TestRandom(t *testing.T) {
	type inner struct {
		S []string
		M map[uint16]map[string]float64
		P *struct {
			A [2]bool
			B []complex64
		}
		F float32
	}
	c, err := codec.Of[[]inner]()
	if err != nil {
		t.Fatal(err)
	}
	if err := quick.Check(func(v []inner) bool {
		b, err := c.Append(nil, v)
		if err != nil {
			return false
		}
		got, err := c.DecodeAll(b)
		return err == nil && reflect.DeepEqual(got, v)
	}, nil); err != nil {
		t.Error(err)
	}
}

func TestUnencodable(t *testing.T) {
	refuse := func(err error, want ...string) {
		t.Helper()
		for _, text := range want {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("the error is %v, want %q in it", err, text)
			}
		}
	}
	_, err := codec.Of[struct{ Jobs []struct{ Do func() } }]()
	refuse(err, "codec: values of type struct", "field Jobs: elements: field Do: a func cannot be encoded", "MarshalBinary")
	_, err = codec.Of[map[string]chan int]()
	refuse(err, "values: a chan cannot be encoded")
	_, err = codec.Of[uintptr]()
	refuse(err, "a uintptr cannot be encoded")
	_, err = codec.Of[map[any]int]()
	refuse(err, "keys: an interface cannot be part of a key")
	_, err = codec.Of[map[*int]int]()
	refuse(err, "keys: a pointer cannot be part of a key")
	_, err = codec.Key[struct{ P *int }]()
	refuse(err, "field P: a pointer cannot be part of a key")
	_, err = codec.Key[any]()
	refuse(err, "an interface cannot be part of a key")

	self := &tree{Name: "self"}
	self.left = self
	trees, err := codec.Of[*tree]()
	if err != nil {
		t.Fatal(err)
	}
	b, err := trees.Append([]byte("kept"), self)
	refuse(err, "nested more than 10000 deep")
	if string(b) != "kept" {
		t.Errorf("%q is left of the buffer", b)
	}
	deep := bytes.Repeat([]byte{1, 0}, 20000)
	_, _, err = trees.Decode(deep)
	refuse(err, "nested more than 10000 deep")

	secrets, err := codec.Of[[]secret]()
	if err != nil {
		t.Fatal(err)
	}
	_, err = secrets.Append(nil, []secret{{}})
	refuse(err, "codec_test.secret: nothing to run")
	b, _ = secrets.Append(nil, []secret{{func() string { return "bad one" }}})
	_, err = secrets.DecodeAll(b)
	refuse(err, "codec_test.secret: that is bad")
	appenders, err := codec.Of[appender]()
	if err != nil {
		t.Fatal(err)
	}
	_, err = appenders.Append(nil, appender{make([]int, 101)})
	refuse(err, "its method has returned 0 bytes")
	type unknown struct{ X int }
	anything, err := codec.Of[any]()
	if err != nil {
		t.Fatal(err)
	}
	_, err = anything.Append(nil, unknown{})
	refuse(err, "type not registered", "gob.Register makes a type known")
}

func TestDamaged(t *testing.T) {
	refuse := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q in it", err, want)
		}
	}
	text, _ := codec.Of[string]()
	_, rest, err := text.Decode([]byte{200, 1, 'x'})
	refuse(err, "codec: 3 bytes with a value of type string: a length of 200, with 3 bytes left")
	if len(rest) != 3 {
		t.Errorf("%d bytes are left, want all", len(rest))
	}
	_, err = text.DecodeAll([]byte{1, 'x', 'y'})
	refuse(err, "1 bytes after a value of type string: want none")
	numbers, _ := codec.Of[[]int64]()
	_, _, err = numbers.Decode([]byte{255, 255, 255, 255, 255, 255, 255, 255, 127})
	refuse(err, "with 9 bytes left: want at most 2")
	large, _ := codec.Of[[]struct {
		_ [1 << 20]byte
		S string
	}]()
	_, _, err = large.Decode(append([]byte{100}, make([]byte, 50)...))
	refuse(err, "with 51 bytes left")
	_, _, err = large.Decode(append([]byte{10}, 1, 'a', 1, 'b', 1, 'c', 200, 0, 0, 0, 0, 0))
	refuse(err, "with 6 bytes left")
	flags, _ := codec.Of[bool]()
	_, _, err = flags.Decode([]byte{2})
	refuse(err, "a boolean is 2")
	sets, _ := codec.Of[map[byte]bool]()
	_, _, err = sets.Decode([]byte{3, 1, 1, 1, 0})
	refuse(err, "2 entries, of which 1 have the same key")
}

// TestKeys: equal keys have equal bytes.
func TestKeys(t *testing.T) {
	type key struct {
		S    string
		X    float64
		C    [2]complex64
		Pad  int8
		Last float32
	}
	c, err := codec.Key[key]()
	if err != nil {
		t.Fatal(err)
	}
	zero := math.Copysign(0, -1)
	a := key{"s", 0, [2]complex64{1, complex(0, float32(zero))}, 1, float32(zero)}
	b := key{"s", zero, [2]complex64{complex(1, float32(zero)), 0}, 1, 0}
	x, _ := c.Append(nil, a)
	y, _ := c.Append(nil, b)
	if a != b || !bytes.Equal(x, y) {
		t.Errorf("%v is %x, and %v is %x", a, x, b, y)
	}
	if times, err := codec.Key[time.Time](); err != nil || times.Exact() || !c.Exact() {
		t.Error("a time counts as exact, or a struct of numbers does not", err)
	}
}

func TestFlat(t *testing.T) {
	flat := func(is, want bool) {
		t.Helper()
		if is != want {
			t.Errorf("flat is %v, want %v", is, want)
		}
	}
	of := func(flat bool, err error) bool { return flat && err == nil }
	flat(of(isFlat[padded]()), true)
	flat(of(isFlat[[3]int]()), true)
	flat(of(isFlat[[0]int]()), false)
	flat(of(isFlat[struct{}]()), false)
	flat(of(isFlat[struct {
		_ struct{}
		X int
	}]()), false)
	flat(of(isFlat[[]int]()), false)
	flat(of(isFlat[string]()), false)
}

func isFlat[T any]() (bool, error) {
	c, err := codec.Of[T]()
	return err == nil && c.Flat(), err
}
