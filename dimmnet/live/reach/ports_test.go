package reach

import (
	"errors"
	"slices"
	"syscall"
	"testing"
)

func TestParsePorts(t *testing.T) {
	for text, want := range map[string]Ports{"": {}, "17000-17100": {17000, 17100}, "80": {80, 80}, "1-65535": {1, 65535}} {
		if got, err := ParsePorts(text); err != nil || got != want {
			t.Errorf("ParsePorts(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, bad := range []string{"0", "x", "5-4", "1-65536", "-1", "1-2-3", " 1"} {
		if got, err := ParsePorts(bad); err == nil {
			t.Errorf("ParsePorts(%q) = %v, want an error", bad, got)
		}
	}
}

func TestListen(t *testing.T) {
	var tried []uint16
	attempt := func(p Ports, free uint16, other error) error {
		tried = nil
		return p.Listen(func(port uint16) error {
			tried = append(tried, port)
			if port == free {
				return other
			}
			return syscall.EADDRINUSE
		})
	}
	if err := attempt(Ports{5, 9}, 7, nil); err != nil || !slices.Equal(tried, []uint16{5, 6, 7}) {
		t.Errorf("%v after the ports %v", err, tried)
	}
	if err := attempt(Ports{5, 9}, 6, syscall.EACCES); err != syscall.EACCES || len(tried) != 2 {
		t.Errorf("%v after the ports %v", err, tried)
	}
	if err := attempt(Ports{65534, 65535}, 1, nil); !errors.Is(err, syscall.EADDRINUSE) || len(tried) != 2 {
		t.Errorf("%v after the ports %v", err, tried)
	}
	if err := attempt(Ports{}, 0, nil); err != nil || !slices.Equal(tried, []uint16{0}) {
		t.Errorf("%v after the ports %v", err, tried)
	}
}

// TestListenApart: it tries every port of the range once, begins at different ones, and without a
// range asks for ports by their numbers.
func TestListenApart(t *testing.T) {
	begun := map[uint16]bool{}
	for range 100 {
		var tried []uint16
		err := Ports{5, 9}.ListenApart(func(port uint16) error {
			tried = append(tried, port)
			return syscall.EADDRINUSE
		})
		begun[tried[0]] = true
		slices.Sort(tried)
		if !errors.Is(err, syscall.EADDRINUSE) || !slices.Equal(tried, []uint16{5, 6, 7, 8, 9}) {
			t.Fatalf("%v after the ports %v", err, tried)
		}
	}
	if len(begun) < 2 {
		t.Errorf("it begins always at one of %v", begun)
	}
	err := Ports{}.ListenApart(func(port uint16) error {
		if port < firstApart || port > lastApart {
			t.Errorf("it tries port %d", port)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
