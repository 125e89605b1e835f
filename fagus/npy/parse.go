package npy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// literal reads the dictionary of a header, a literal of Python.
type literal struct{ rest string }

// parse reads a dictionary. Its keys must be the three of the format, each once.
func parse(dict string) (h Header, err error) {
	l := &literal{dict}
	values := map[string]func() error{
		"descr":         func() (err error) { h.Type, err = l.descr(); return err },
		"fortran_order": func() (err error) { h.Fortran, err = l.boolean(); return err },
		"shape":         func() (err error) { h.Shape, err = l.tuple(); return err },
	}
	if !l.take("{") {
		return h, l.mistake("the begin of a dictionary, {")
	}
	for !l.take("}") {
		key, err := l.text()
		value := values[key]
		switch {
		case err != nil:
			return h, err
		case value == nil:
			return h, fmt.Errorf("npy: the header has the key %.40q: want descr, fortran_order and shape, each once", key)
		case !l.take(":"):
			return h, l.mistake("a colon")
		}
		delete(values, key)
		if err := value(); err != nil {
			return h, err
		}
		if !l.take(",") && !strings.HasPrefix(l.rest, "}") {
			return h, l.mistake("a comma or }")
		}
	}
	if l.skip(); l.rest != "" {
		return h, l.mistake("nothing after the dictionary")
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if values[key] != nil {
			return h, fmt.Errorf("npy: the header lacks the key %q", key)
		}
	}
	return h, nil
}

// skip skips blanks, ends of lines and comments.
func (l *literal) skip() {
	for {
		l.rest = strings.TrimLeft(l.rest, " \t\r\n\f")
		if !strings.HasPrefix(l.rest, "#") {
			return
		}
		_, l.rest, _ = strings.Cut(l.rest, "\n")
	}
}

// take skips blanks, and then the given token, if it comes next.
func (l *literal) take(token string) (ok bool) {
	l.skip()
	l.rest, ok = strings.CutPrefix(l.rest, token)
	return ok
}

func (l *literal) mistake(want string) error {
	return fmt.Errorf("npy: corrupt header, at %.20q: want %s", l.rest, want)
}

// text reads a text in single or double quotes.
func (l *literal) text() (string, error) {
	l.skip()
	rest := strings.TrimLeft(l.rest, "uUbB")
	if rest == "" || len(l.rest)-len(rest) > 1 || rest[0] != '\'' && rest[0] != '"' {
		return "", l.mistake("a text in quotes")
	}
	text, after, closed := strings.Cut(rest[1:], rest[:1])
	if !closed || strings.ContainsAny(text, "\\\n") {
		return "", l.mistake("a text in quotes")
	}
	l.rest = after
	return text, nil
}

func (l *literal) descr() (Type, error) {
	if l.skip(); l.rest != "" && strings.ContainsRune("[({", rune(l.rest[0])) {
		return Type{}, errors.New("npy: the elements are records (a structured dtype): want numbers or booleans, such as one field of the records")
	}
	text, err := l.text()
	if err != nil {
		return Type{}, err
	}
	return parseType(text)
}

func (l *literal) boolean() (bool, error) {
	if l.take("True") {
		return true, nil
	}
	if !l.take("False") {
		return false, l.mistake("fortran_order True or False")
	}
	return false, nil
}

// tuple reads the dimensions. It also accepts a number in brackets without the comma that makes it
// a tuple, as one dimension: some programs write that.
func (l *literal) tuple() ([]int, error) {
	if !l.take("(") {
		return nil, l.mistake("a shape in brackets")
	}
	shape := []int{}
	for !l.take(")") {
		digits := len(l.rest) - len(strings.TrimLeft(l.rest, "0123456789"))
		n, err := strconv.Atoi(l.rest[:digits])
		if err != nil || digits > 1 && l.rest[0] == '0' {
			return nil, l.mistake("a shape of whole numbers, each 0 or more")
		}
		shape, l.rest = append(shape, n), l.rest[digits:]
		l.rest = strings.TrimPrefix(l.rest, "L")
		if !l.take(",") && !strings.HasPrefix(l.rest, ")") {
			return nil, l.mistake("a comma or ) in the shape")
		}
	}
	return shape, nil
}
