package cli

import (
	"flag"
	"math"
	"strconv"
	"strings"
	"time"
)

// Plain returns text, a value for the flag v, as package flag must read it. Numbers in flags,
// variables and lists follow the rule of strconv.Atoi: decimal digits, perhaps with a sign. So 010
// is ten; 0x10, 1_000, 1e3 and " 5" are mistakes. Package flag alone would read 010 as eight.
// Fractions may also have a point and an exponent, but are neither infinite nor NaN. Blanks may
// follow the commas of a list. Values of other types stay as they are.
func Plain(v flag.Value, text string) (string, error) {
	switch Kind(v).(type) {
	case int, int64:
		n, err := strconv.ParseInt(text, 10, 64)
		return strconv.FormatInt(n, 10), err
	case uint, uint64:
		n, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, 64)
		return strconv.FormatUint(n, 10), err
	case float64:
		x, err := Float(text)
		return strconv.FormatFloat(x, 'g', -1, 64), err
	case time.Duration:
		_, err := time.ParseDuration(text) // decimal
		return text, err
	}
	return text, nil
}

// Float reads a number by the rule of Plain.
func Float(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err == nil && (strings.ContainsAny(text, "xX_") || math.IsInf(x, 0) || math.IsNaN(x)) {
		err = strconv.ErrSyntax
	}
	return x, err
}

// Ints returns the whole numbers of a list with commas between.
func Ints(text string) (all []int, err error) {
	for item := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(item))
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// Kind returns a value of the type that a flag has; nil if the flag does not tell.
func Kind(v flag.Value) any {
	if g, ok := v.(flag.Getter); ok {
		return g.Get()
	}
	return nil
}

// Number is a flag whose values are read as Plain says.
type Number struct{ flag.Value }

// Numbers makes every flag of a set that is a number a Number.
func Numbers(set *flag.FlagSet) {
	set.VisitAll(func(f *flag.Flag) {
		switch Kind(f.Value).(type) {
		case int, int64, uint, uint64, float64:
			f.Value = Number{f.Value}
		}
	})
}

// Set implements flag.Value.
func (n Number) Set(text string) error {
	text, err := Plain(n.Value, text)
	if err != nil {
		return err
	}
	return n.Value.Set(text)
}

// Get implements flag.Getter.
func (n Number) Get() any { return Kind(n.Value) }
