package checkpoints

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	floats := func(v ...float64) saving { return whole("float64", 8, littleEndian(t, v)) }
	large := make([]byte, 3<<20)
	changed := bytes.Clone(large)
	changed[1<<20], changed[1<<20-1], changed[3<<20-1] = 1, 1, 1
	for name, c := range map[string]struct {
		a, b saving
		want string // the text of the array
	}{
		"equal":       {floats(1, 2), floats(1, 2), "equal, 2 elements of type float64"},
		"differ":      {floats(1, 2, 3), floats(1, 2.5, 2), "3 elements of type float64, of which 2 differ (2 bytes); the first is [1]: 2 and 2.5; the largest difference is 1"},
		"NaN":         {floats(1, math.NaN(), math.Inf(1)), floats(1, 7, math.Inf(-1)), "the first is [1]: NaN and 7; 2 are infinite or not numbers"},
		"-0":          {floats(0), floats(math.Copysign(0, -1)), "of which 1 differ (1 bytes); the first is [0]: 0 and -0; the largest difference is 0"},
		"complex":     {whole("complex64", 8, littleEndian(t, []complex64{0})), whole("complex64", 8, littleEndian(t, []complex64{3 + 4i})), "[0]: (0+0i) and (3+4i); the largest difference is 5"},
		"integers":    {whole("int16", 2, littleEndian(t, []int16{1, -2})), whole("int16", 2, littleEndian(t, []int16{1, -3})), "of which 1 differ (1 bytes); the first is [1]: -2 and -3"},
		"arrays":      {whole("[2]uint8", 2, []byte{1, 2, 3, 4}), whole("[2]uint8", 2, []byte{1, 2, 0, 0}), "2 elements of type [2]uint8, of which 1 differ (2 bytes); the first is [1][0]: 3 and 0"},
		"structs":     {whole("p.Point", 4, []byte{1, 2, 3, 4, 5, 6, 7, 8}), whole("p.Point", 4, []byte{1, 2, 3, 4, 5, 6, 0, 0}), "of which 1 differ (2 bytes); the first is [1], byte 2: 0708 and 0000"},
		"kinds":       {floats(1), floats(1, 2), "1 elements of type float64 and 2 elements of type float64"},
		"pages":       {whole("uint8", 1, large), whole("uint8", 1, changed), "of which 3 differ (3 bytes); the first is [1048575]: 0 and 1"},
		"never saved": {saving{kind: "9 elements of type uint8", element: 1, bytes: 9}, whole("uint8", 1, make([]byte, 9)), "equal"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := compare(t.Context(), newJob(t).save(t, "0", c.a), newJob(t).save(t, "0", c.b))
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Arrays[0].text(); !strings.Contains(got, c.want) {
				t.Errorf("%s; want %s", got, c.want)
			}
			if d.Equal != strings.HasPrefix(c.want, "equal") {
				t.Errorf("equal is %v", d.Equal)
			}
			if _, err := json.Marshal(d); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDiffOthers: the state, and arrays that one checkpoint has.
func TestDiffOthers(t *testing.T) {
	one := whole("uint8", 1, []byte{1})
	a, b := newJob(t).save(t, `{"i":1}`, one), newJob(t).save(t, `{"i": 1}`, one, one)
	d, err := compare(t.Context(), a, b)
	if err != nil || !d.State || d.Equal || len(d.Arrays) != 2 || d.Arrays[1].Result != onlyB {
		t.Errorf("%+v, error %v", d, err)
	}
	d, err = compare(t.Context(), b, a)
	if err != nil || len(d.Arrays) != 2 || d.Arrays[1].Result != onlyA {
		t.Errorf("%+v, error %v", d, err)
	}
	d, err = compare(t.Context(), a, newJob(t).save(t, "2", one))
	if err != nil || d.State || d.Equal {
		t.Errorf("%+v, error %v", d, err)
	}
	if text := d.text([2]choice{{dir: "x"}, {"y", 7, true}}); !strings.Contains(text, "the state differs") || !strings.Contains(text, "y:7") {
		t.Error(text)
	}
}

// TestDiffRandom compares with a comparison of all bytes, whatever the pieces are.
func TestDiffRandom(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	j := newJob(t)
	for range 50 {
		const element = 8
		length := element * (1 + random.IntN(40))
		var all [2][]byte
		var arrays [2]saving
		for i := range arrays {
			all[i] = make([]byte, length)
			arrays[i] = whole("float64", element, make([]byte, length))
			arrays[i].pieces, arrays[i].version = map[int][]byte{}, random.Uint64()
			for from := random.IntN(20); from < length; from += random.IntN(60) {
				end := min(length, from+1+random.IntN(30))
				for at := from; at < end; at++ {
					all[i][at] = byte(random.IntN(2))
				}
				arrays[i].pieces[from] = bytes.Clone(all[i][from:end])
				from = end
			}
		}
		elements, count, last := 0, 0, -1
		for at := range all[0] {
			if all[0][at] != all[1][at] {
				count++
				if at/element != last {
					last = at / element
					elements++
				}
			}
		}
		d, err := compare(t.Context(), j.save(t, "0", arrays[0]), j.save(t, "0", arrays[1]))
		if err != nil || d.Arrays[0].Bytes != count || d.Arrays[0].Elements != elements {
			t.Fatalf("seed %d: %+v, error %v; want %d bytes of %d elements", seed, d.Arrays[0], err, count, elements)
		}
	}
}
