package bench

import (
	"testing"
	"time"
)

func TestParsePingPong(t *testing.T) {
	const head = "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n"
	tests := []struct {
		name, text string
		trips      int
		want       time.Duration // 0: an error
	}{
		{"page", head + "4k      500     =500     3.9m        0.03s    158.40      25.86       0.04\n", 500, 25860 * time.Microsecond},
		{"word", head + "8       1k      =1k      15k         0.01s     0.75      10.00       0.10\n", 1000, 20 * time.Millisecond},
		{"head only", head, 500, 0},
		{"no provider", "fi_getinfo(): common.c:1032, ret=-61 (No data available)\n", 500, 0},
		{"empty", "", 1, 0},
	}
	for _, test := range tests {
		got, err := parsePingPong(test.text, test.trips)
		if (err == nil) != (test.want > 0) || got != test.want {
			t.Errorf("%s: got %v, %v; want %v", test.name, got, err, test.want)
		}
	}
}
