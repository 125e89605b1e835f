package figure

import (
	"fmt"
	"math"
	"strconv"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Tick is a value that an axis marks.
type Tick struct {
	Value float64
	Label string
}

// Ticks returns ticks at 0 and at the multiples of step up to high.
func Ticks(step int, high float64) (list []Tick) {
	for x := 0; float64(x) <= high; x += step {
		list = append(list, Tick{float64(x), strconv.Itoa(x)})
	}
	return list
}

// EvenTicks returns at most seven ticks from low to high, at multiples of 1, 2 or 5 x 10^n.
func EvenTicks(low, high float64) (list []Tick) {
	const most = 6
	if high <= low {
		return []Tick{{low, strconv.FormatFloat(low, 'g', 3, 64)}}
	}
	power := math.Floor(math.Log10((high - low) / most))
	step := math.Pow(10, power)
	for _, factor := range []float64{2, 2.5, 2} { // steps of 2, 5 and 10 times the first
		if step*most >= high-low {
			break
		}
		step *= factor
	}
	decimals := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	for i := math.Ceil(low / step); i*step <= high; i++ {
		list = append(list, Tick{i * step, strconv.FormatFloat(i*step, 'f', decimals, 64)})
	}
	return list
}

// LogTimeTicks returns ticks for a logarithmic axis of times in seconds, labelled with their units:
// at 1, 2 and 5 x 10^n, or, if these are many, at 10^n alone.
func LogTimeTicks(low, high float64) (list []Tick) {
	factors := []int{1, 2, 5}
	if math.Log10(high/low) > 3 {
		factors = factors[:1]
	}
	for power := math.Floor(math.Log10(low)); power <= math.Log10(high); power++ {
		for _, factor := range factors {
			x := float64(factor) * math.Pow(10, power)
			if x >= low && x <= high {
				list = append(list, Tick{x, Short(dimmnet.Time(math.Round(x * float64(dimmnet.Second))))})
			}
		}
	}
	return list
}

// Short returns a time in at most three digits, with its unit.
func Short(t dimmnet.Time) string {
	units := []struct {
		unit dimmnet.Time
		name string
	}{{dimmnet.Nanosecond, "ns"}, {dimmnet.Microsecond, "µs"}, {dimmnet.Millisecond, "ms"}, {dimmnet.Second, "s"}}
	use := units[0]
	for _, u := range units[1:] {
		if float64(t)/float64(u.unit) > 0.9995 { // does not round to 1000 of the unit before
			use = u
		}
	}
	x := float64(t) / float64(use.unit)
	if x >= 100 {
		return fmt.Sprintf("%.0f %s", x, use.name)
	}
	return fmt.Sprintf("%.3g %s", x, use.name)
}
