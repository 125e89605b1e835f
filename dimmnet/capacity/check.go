package capacity

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"syscall"
)

// mostAddressed is how many bytes a process can address at most: half of 48 bits.
const mostAddressed = 1 << 47

// ErrImpossible is the error of a need that no machine can meet.
var ErrImpossible = errors.New("no process can address so much")

// Product returns the product of numbers, none of them negative; math.MaxInt if it overflows.
func Product(factors ...int) int {
	product := uint64(1)
	for _, f := range factors {
		over, low := bits.Mul64(product, uint64(max(0, f)))
		if product = low; over > 0 || low > math.MaxInt {
			product = math.MaxInt
		}
		if f <= 0 {
			return 0 // whatever the others are
		}
	}
	return int(product)
}

// Sum returns the sum of numbers, none of them negative; math.MaxInt if it overflows.
func Sum(terms ...int) (sum int) {
	for _, t := range terms {
		sum += min(t, math.MaxInt-sum)
	}
	return sum
}

// Check returns an error if fewer bytes than needed are left. errors.Is finds ErrImpossible in it
// if no machine has so much, and syscall.ENOMEM otherwise.
func (f Free) Check(need int) error {
	switch {
	case int64(need) > mostAddressed:
		return fmt.Errorf("%s of memory are needed: %w", Text(int64(need)), ErrImpossible)
	case f.Limit != "" && int64(need) > f.Bytes:
		return &lacking{int64(need), f}
	}
	return nil
}

// lacking is the error of a need that exceeds what is left.
type lacking struct {
	need int64
	Free
}

func (e *lacking) Error() string {
	return fmt.Sprintf("at least %s of memory are needed, and %v", Text(e.need), e.Free)
}

// Unwrap makes the error an error of the system.
func (e *lacking) Unwrap() error { return syscall.ENOMEM }

// String says what is left.
func (f Free) String() string {
	if f.Limit == "" {
		return "the system does not say how much is available"
	}
	return fmt.Sprintf("%s are available (%s)", Text(f.Bytes), f.Limit)
}

// Text returns a number of bytes in a suitable unit.
func Text(bytes int64) string {
	switch {
	case bytes == math.MaxInt64:
		return "more than 8 EiB"
	case bytes >= 10<<40:
		return fmt.Sprintf("%d TiB", bytes>>40)
	case bytes >= 100<<20:
		return fmt.Sprintf("%d MiB", bytes>>20)
	case bytes >= 100<<10:
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d bytes", bytes)
}
