package cmdline

import (
	"flag"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"
)

// values returns a flag of every type that takes numbers.
func values() map[string]flag.Value {
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.Int("int", 0, "")
	set.Int64("int64", 0, "")
	set.Uint("uint", 0, "")
	set.Uint64("uint64", 0, "")
	set.Float64("float64", 0, "")
	set.Duration("duration", 0, "")
	set.Var(cli.NewIntSlice(), "list", "")
	all := map[string]flag.Value{}
	set.VisitAll(func(f *flag.Flag) { all[f.Name] = f.Value })
	return all
}

// TestPlain reads texts as every type of flag; "" means that the text is a mistake.
func TestPlain(t *testing.T) {
	const most = "9223372036854775807"
	for _, c := range []struct{ text, int, uint, float, duration, list string }{
		{"010", "10", "10", "10", "", "10"},
		{"0", "0", "0", "0", "0", "0"},
		{"+5", "5", "5", "5", "", "5"},
		{"-010", "-10", "", "-10", "", "-10"},
		{"0x10", "", "", "", "", ""},
		{"0o17", "", "", "", "", ""},
		{"0b1", "", "", "", "", ""},
		{"1_000", "", "", "", "", ""},
		{"0x_1p-2", "", "", "", "", ""},
		{"0x1p-2", "", "", "", "", ""},
		{"1e3", "", "", "1000", "", ""},
		{"08.5", "", "", "8.5", "", ""},
		{" 5", "", "", "", "", "5"},
		{"5 ", "", "", "", "", "5"},
		{"", "", "", "", "", ""},
		{"-", "", "", "", "", ""},
		{"++5", "", "", "", "", ""},
		{"2, 010", "", "", "", "", "2,10"},
		{"2,,3", "", "", "", "", ""},
		{"2,0x8", "", "", "", "", ""},
		{"NaN", "", "", "", "", ""},
		{"Inf", "", "", "", "", ""},
		{"-infinity", "", "", "", "", ""},
		{"1e999", "", "", "", "", ""},
		{"010s", "", "", "", "010s", ""},
		{"1.5h", "", "", "", "1.5h", ""},
		{"0x1s", "", "", "", "", ""},
		{most, most, most, "9.223372036854776e+18", "", most},
		{"9223372036854775808", "", "9223372036854775808", "9.223372036854776e+18", "", ""},
		{"18446744073709551616", "", "", "1.8446744073709552e+19", "", ""},
		{"٣", "", "", "", "", ""},
	} {
		for name, want := range map[string]string{"int": c.int, "int64": c.int, "uint": c.uint, "uint64": c.uint, "float64": c.float, "duration": c.duration, "list": c.list} {
			v := values()[name]
			got, err := Plain(v, c.text)
			if (err == nil) != (want != "") || err == nil && got != want {
				t.Errorf("%s %q: %q, %v, want %q", name, c.text, got, err, want)
			}
			if err == nil && v.Set(got) != nil {
				t.Errorf("%s %q: package flag refuses %q", name, c.text, got)
			}
		}
	}
}

// FuzzPlain checks that package flag takes what Plain returns, and reads it as decimal.
func FuzzPlain(f *testing.F) {
	for _, text := range []string{"010", "0x10", "1_0", " 7", "+08", "-0", "1e3", "nan", "5s", "3,04", "99999999999999999999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, v := range values() {
			got, err := Plain(v, text)
			if err != nil {
				continue
			}
			if err := v.Set(got); err != nil {
				t.Fatalf("%s %q: %q: %v", name, text, got, err)
			}
			var want any
			switch read := v.(flag.Getter).Get().(type) {
			case int, int64:
				want, err = strconv.ParseInt(text, 10, 64)
			case uint, uint64:
				want, err = strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, 64)
			case float64:
				want, err = strconv.ParseFloat(text, 64)
				if math.IsNaN(read) || math.IsInf(read, 0) {
					t.Fatalf("float64 %q: %v", text, read)
				}
			case time.Duration:
				want, err = time.ParseDuration(text)
			case cli.IntSlice:
				var list []int
				for item := range strings.SplitSeq(text, ",") {
					var n int
					if n, err = strconv.Atoi(strings.TrimSpace(item)); err != nil {
						break
					}
					list = append(list, n)
				}
				if err != nil || fmt.Sprint(read.Value()) != fmt.Sprint(list) {
					t.Fatalf("%s %q: %v, want %v, %v", name, text, read.Value(), list, err)
				}
				continue
			}
			if read := v.(flag.Getter).Get(); err != nil || fmt.Sprint(read) != fmt.Sprint(want) {
				t.Fatalf("%s %q: %v, want %v, %v", name, text, read, want, err)
			}
		}
	})
}
