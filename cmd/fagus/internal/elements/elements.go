package elements

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/cmplx"
	"regexp"
	"strconv"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
)

// Number is a type of numbers in Go. Arrays have them as little-endian machines have in memory.
type Number struct {
	Name  string // of the type, with its size
	Bytes int
	Field string // of Matrix Market
}

func numbers() []Number {
	return []Number{
		{"bool", 1, "integer"},
		{"int8", 1, "integer"}, {"int16", 2, "integer"}, {"int32", 4, "integer"}, {"int64", 8, "integer"},
		{"uint8", 1, "integer"}, {"uint16", 2, "integer"}, {"uint32", 4, "integer"}, {"uint64", 8, "integer"},
		{"float32", 4, "real"}, {"float64", 8, "real"},
		{"complex64", 8, "complex"}, {"complex128", 16, "complex"},
	}
}

// mostDims is how many dimensions the type of an element may have: NumPy permits one more.
const mostDims = 31

// Elements describes the elements of an array: numbers, or arrays of numbers.
type Elements struct {
	Number
	Count  int   // of elements
	Dims   []int // of the type of an element: [3][2]bool has 3 and 2
	Inside int   // numbers in an element
}

// kindText has the number of elements, the lengths of arrays, and the type of numbers, which is in
// parentheses after a type with another name.
var kindText = regexp.MustCompile(`^([0-9]+) (?:private )?elements of type (?:[^()]+ \()?((?:\[[0-9]+\])*)([^()]+)\)?$`)

// Of returns what the elements of an array are, of which each has some bytes, and all have a total.
// kind is that of fagus.SavedArray. The error says why they are no numbers.
func Of(kind string, element, total int) (Elements, error) {
	m := kindText.FindStringSubmatch(kind)
	if m == nil || element < 1 {
		return Elements{}, fmt.Errorf("%s: its kind is unknown", base.Printable(kind))
	}
	e := Elements{Count: total / element, Inside: 1}
	for _, dim := range strings.FieldsFunc(m[2], func(r rune) bool { return r == '[' || r == ']' }) {
		d, err := strconv.Atoi(dim)
		if err != nil || d < 1 || d > element/e.Inside || len(e.Dims) == mostDims {
			return Elements{}, fmt.Errorf("%s: they have %d bytes", base.Printable(kind), element)
		}
		e.Dims = append(e.Dims, d)
		e.Inside *= d
	}
	name, bytes := m[3], element/e.Inside
	if name == "int" || name == "uint" {
		name += strconv.Itoa(8 * bytes)
	}
	for _, n := range numbers() {
		if n.Name != name {
			continue
		}
		if e.Number = n; n.Bytes*e.Inside != element || m[1] != strconv.Itoa(e.Count) {
			return Elements{}, fmt.Errorf("%s: they have %d bytes, and the array %d", base.Printable(kind), element, total)
		}
		return e, nil
	}
	return Elements{}, fmt.Errorf("they are of type %s: want numbers, bool, or arrays of them", base.Short(m[2]+m[3], 60))
}

// Text returns a number of b.
func (n Number) Text(b []byte) string {
	switch n.Name {
	case "complex64", "complex128":
		return strconv.FormatComplex(n.Complex(b), 'g', -1, 8*n.Bytes)
	case "float32", "float64":
		return strconv.FormatFloat(real(n.Complex(b)), 'g', -1, 8*n.Bytes)
	case "bool":
		return strconv.Itoa(int(b[0]))
	}
	if strings.HasPrefix(n.Name, "u") {
		return strconv.FormatUint(n.bits(b), 10)
	}
	return strconv.FormatInt(n.signed(b), 10)
}

// Integer returns an integer or bool, rounded.
func (n Number) Integer(b []byte) float64 {
	if strings.HasPrefix(n.Name, "i") {
		return float64(n.signed(b))
	}
	return float64(n.bits(b))
}

// signed returns a signed integer.
func (n Number) signed(b []byte) int64 {
	unused := 64 - 8*n.Bytes
	return int64(n.bits(b)<<unused) >> unused
}

// bits returns the bits of an integer or of a floating-point number.
func (n Number) bits(b []byte) uint64 {
	var whole [8]byte
	copy(whole[:], b[:min(n.Bytes, 8)])
	return binary.LittleEndian.Uint64(whole[:])
}

// Complex returns a real or complex floating-point number.
func (n Number) Complex(b []byte) complex128 {
	float32At := func(i int) float64 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[i:])))
	}
	float64At := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b[i:])) }
	switch n.Name {
	case "float32":
		return complex(float32At(0), 0)
	case "float64":
		return complex(float64At(0), 0)
	case "complex64":
		return complex(float32At(0), float32At(4))
	}
	return complex(float64At(0), float64At(8))
}

// Floating reports whether numbers have a distance.
func (n Number) Floating() bool { return n.Field == "real" || n.Field == "complex" }

// Distance returns the absolute difference of two floating-point numbers, which may be infinite or
// not a number.
func (n Number) Distance(a, b []byte) float64 { return cmplx.Abs(n.Complex(a) - n.Complex(b)) }

// Index returns the place of a number in its array: [7], or [7][2][0] in an array of arrays.
func (e *Elements) Index(number int) string {
	text := ""
	for i := len(e.Dims) - 1; i >= 0; i-- {
		text = fmt.Sprintf("[%d]%s", number%e.Dims[i], text)
		number /= e.Dims[i]
	}
	return fmt.Sprintf("[%d]%s", number, text)
}

// Values returns the numbers of an element as text.
func (e *Elements) Values(b []byte) string {
	var all []string
	for at := 0; at+e.Bytes <= len(b); at += e.Bytes {
		all = append(all, e.Text(b[at:at+e.Bytes]))
	}
	return strings.Join(all, " ")
}
