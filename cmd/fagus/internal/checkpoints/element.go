package checkpoints

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"regexp"
	"strconv"
	"strings"

	"github.com/fagus-dsm/fagus/fagus"
)

// number is a type of numbers in Go. Arrays have them as little-endian machines have in memory.
type number struct {
	name  string // of the type, with its size
	bytes int
	field string // of Matrix Market
}

func numbers() []number {
	return []number{
		{"bool", 1, "integer"},
		{"int8", 1, "integer"}, {"int16", 2, "integer"}, {"int32", 4, "integer"}, {"int64", 8, "integer"},
		{"uint8", 1, "integer"}, {"uint16", 2, "integer"}, {"uint32", 4, "integer"}, {"uint64", 8, "integer"},
		{"float32", 4, "real"}, {"float64", 8, "real"},
		{"complex64", 8, "complex"}, {"complex128", 16, "complex"},
	}
}

// mostDims is how many dimensions the type of an element may have: NumPy permits one more.
const mostDims = 31

// elements describes the elements of an array: numbers, or arrays of numbers.
type elements struct {
	number
	count  int   // of elements
	dims   []int // of the type of an element: [3][2]bool has 3 and 2
	inside int   // numbers in an element
}

// kindText has the number of elements, the lengths of arrays, and the type of numbers, which is in
// parentheses after a type with another name.
var kindText = regexp.MustCompile(`^([0-9]+) (?:private )?elements of type (?:[^()]+ \()?((?:\[[0-9]+\])*)([^()]+)\)?$`)

// elementsOf returns what the elements of an array are. The error says why they are no numbers.
func elementsOf(a fagus.SavedArray) (elements, error) {
	if a.Each() {
		return elements{}, errors.New("they are bytes that each rank has made for KeepEach: want numbers, bool, or arrays of them")
	}
	m := kindText.FindStringSubmatch(a.Kind)
	if m == nil {
		return elements{}, fmt.Errorf("%s: its kind is unknown", printable(a.Kind))
	}
	e := elements{count: a.Bytes / a.Element, inside: 1}
	for _, dim := range strings.FieldsFunc(m[2], func(r rune) bool { return r == '[' || r == ']' }) {
		d, err := strconv.Atoi(dim)
		if err != nil || d < 1 || d > a.Element/e.inside || len(e.dims) == mostDims {
			return elements{}, fmt.Errorf("%s: they have %d bytes", printable(a.Kind), a.Element)
		}
		e.dims = append(e.dims, d)
		e.inside *= d
	}
	name, bytes := m[3], a.Element/e.inside
	if name == "int" || name == "uint" {
		name += strconv.Itoa(8 * bytes)
	}
	for _, n := range numbers() {
		if n.name != name {
			continue
		}
		if e.number = n; n.bytes*e.inside != a.Element || m[1] != strconv.Itoa(e.count) {
			return elements{}, fmt.Errorf("%s: they have %d bytes, and the array %d", printable(a.Kind), a.Element, a.Bytes)
		}
		return e, nil
	}
	return elements{}, fmt.Errorf("they are of type %s: want numbers, bool, or arrays of them", short(m[2]+m[3], 60))
}

// text returns a number of b.
func (n number) text(b []byte) string {
	switch n.name {
	case "complex64", "complex128":
		return strconv.FormatComplex(n.complex(b), 'g', -1, 8*n.bytes)
	case "float32", "float64":
		return strconv.FormatFloat(real(n.complex(b)), 'g', -1, 8*n.bytes)
	case "bool":
		return strconv.Itoa(int(b[0]))
	}
	if strings.HasPrefix(n.name, "u") {
		return strconv.FormatUint(n.bits(b), 10)
	}
	unused := 64 - 8*n.bytes
	return strconv.FormatInt(int64(n.bits(b)<<unused)>>unused, 10)
}

// bits returns the bits of an integer or of a floating-point number.
func (n number) bits(b []byte) uint64 {
	var whole [8]byte
	copy(whole[:], b[:min(n.bytes, 8)])
	return binary.LittleEndian.Uint64(whole[:])
}

// complex returns a real or complex floating-point number.
func (n number) complex(b []byte) complex128 {
	float32At := func(i int) float64 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[i:])))
	}
	float64At := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b[i:])) }
	switch n.name {
	case "float32":
		return complex(float32At(0), 0)
	case "float64":
		return complex(float64At(0), 0)
	case "complex64":
		return complex(float32At(0), float32At(4))
	}
	return complex(float64At(0), float64At(8))
}

// distance returns the absolute difference of two floating-point numbers, which may be infinite or
// not a number.
func (n number) distance(a, b []byte) float64 { return cmplx.Abs(n.complex(a) - n.complex(b)) }

// index returns the place of a number in its array: [7], or [7][2][0] in an array of arrays.
func (e *elements) index(number int) string {
	text := ""
	for i := len(e.dims) - 1; i >= 0; i-- {
		text = fmt.Sprintf("[%d]%s", number%e.dims[i], text)
		number /= e.dims[i]
	}
	return fmt.Sprintf("[%d]%s", number, text)
}
