package npy

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Type is the type of an element.
type Type struct {
	Kind  byte // 'b' bool, 'i' int, 'u' uint, 'f' float, 'c' complex
	Bytes int
	Big   bool // big-endian; false if Bytes is 1
}

// TypeOf returns the type of elements in the memory of this machine.
func TypeOf(t reflect.Type) (Type, error) {
	e := Type{Bytes: int(t.Size()), Big: nativeBig() && t.Size() > 1}
	switch k := t.Kind(); {
	case k == reflect.Bool:
		e.Kind = 'b'
	case k >= reflect.Int && k <= reflect.Int64:
		e.Kind = 'i'
	case k >= reflect.Uint && k <= reflect.Uint64:
		e.Kind = 'u'
	case k == reflect.Float32 || k == reflect.Float64:
		e.Kind = 'f'
	case k == reflect.Complex64 || k == reflect.Complex128:
		e.Kind = 'c'
	default:
		return e, fmt.Errorf("npy: elements of type %v: want numbers or booleans", t)
	}
	return e, nil
}

// String returns the type as NumPy writes it, such as <f8.
func (t Type) String() string {
	order := "<"
	switch {
	case t.Bytes == 1:
		order = "|"
	case t.Big:
		order = ">"
	}
	return fmt.Sprintf("%s%c%d", order, t.Kind, t.Bytes)
}

// ToNative changes whole elements from the byte order of t to the byte order of this machine.
func (t Type) ToNative(elements []byte) {
	size := t.Bytes
	if t.Kind == 'c' {
		size /= 2 // two numbers
	}
	if size == 1 || t.Big == nativeBig() {
		return
	}
	for number := range slices.Chunk(elements, size) {
		slices.Reverse(number)
	}
}

func nativeBig() bool { return binary.NativeEndian.Uint16([]byte{0, 1}) == 1 }

// typeText matches the texts that NumPy accepts for a type of numbers, such as <f8, and names.
var typeText = regexp.MustCompile(`^([<>=|]?)(?:([biufc])([0-9]{1,2})|(\?|bool_?)|(float|int|uint|complex)([0-9]{1,3}))$`)

// parseType reads the type in a header. The byte order is this machine's if it is "=", "|" or
// missing.
func parseType(text string) (t Type, err error) {
	m := typeText.FindStringSubmatch(text)
	if m == nil {
		return t, noNumber(text)
	}
	switch {
	case m[2] != "":
		t.Kind = m[2][0]
		t.Bytes, _ = strconv.Atoi(m[3])
	case m[4] != "":
		t.Kind, t.Bytes = 'b', 1
	default:
		t.Kind = m[5][0]
		bits, _ := strconv.Atoi(m[6])
		if t.Bytes = bits / 8; bits%8 != 0 {
			return t, noNumber(text)
		}
	}
	sizes := map[byte][]int{'b': {1}, 'i': {1, 2, 4, 8}, 'u': {1, 2, 4, 8}, 'f': {2, 4, 8, 12, 16}, 'c': {8, 16, 24, 32}}
	if !slices.Contains(sizes[t.Kind], t.Bytes) {
		return t, noNumber(text)
	}
	t.Big = t.Bytes > 1 && (m[1] == ">" || m[1] != "<" && nativeBig())
	return t, nil
}

// noNumber returns the error of elements that are neither numbers nor booleans.
func noNumber(text string) error {
	what := "an unknown type"
	switch kind := strings.TrimLeft(text, "<>=|") + " "; kind[0] {
	case 'O':
		what = "objects of Python, which only Python can read"
	case 'S', 'a', 'U':
		what = "texts"
	case 'M', 'm':
		what = "dates or times"
	case 'V':
		what = "bytes without a meaning"
	}
	return fmt.Errorf("npy: dtype %.40q: %s: want numbers or booleans", text, what)
}
