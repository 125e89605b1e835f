//go:build unix

package pmi

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestBlobSizes: bytes of any number up to maxBlob survive split and assembly, for values of the
// shortest and of longer kinds; one more byte, or one value more or less, is refused.
func TestBlobSizes(t *testing.T) {
	for _, most := range []int{minValue, frameValue} {
		for _, n := range []int{0, 1, 2, 3, minValue, most - 1, most, most + 1, maxBlob - 1, maxBlob} {
			want := make([]byte, n)
			for i := range want {
				want[i] = byte(i * 7)
			}
			var a assembly
			values := split(want, most)
			for i, value := range values {
				if len(value) == 0 || len(value) > most {
					t.Fatalf("%d bytes in values of %d: value %d has %d", n, most, i, len(value))
				}
				complete, err := a.add(value)
				if err != nil || complete != (i == len(values)-1) {
					t.Fatalf("%d bytes in values of %d: value %d of %d: complete %t, %v", n, most, i, len(values), complete, err)
				}
			}
			if got, err := a.blob(); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes in values of %d: %d bytes come back, %v", n, most, len(got), err)
			}
		}
	}
	var a assembly
	if _, err := a.add(fmt.Sprint(maxBlob+1, ".A")); err == nil {
		t.Errorf("a blob of %d bytes is accepted", maxBlob+1)
	}
}

// TestMessageSizes: a line and a frame of as many bytes as there may be are read, and not one more;
// a number may be as large as its limit.
func TestMessageSizes(t *testing.T) {
	for more := range 2 {
		line := "cmd=x value=" + strings.Repeat("v", maxLine-len("cmd=x value=\n")+more) + "\n"
		m, err := readLine(bufio.NewReaderSize(strings.NewReader(line), maxLine))
		if (err == nil) != (more == 0) || err == nil && formatText(m) != line {
			t.Errorf("a line of %d bytes: %v", len(line), err)
		}
		body := "cmd=x;value=" + strings.Repeat("v", maxFrame-len("cmd=x;value=;")+more) + ";"
		m, err = readFrame(bufio.NewReader(strings.NewReader(fmt.Sprintf("%6d%s", len(body), body))))
		if (err == nil) != (more == 0) || err == nil && string(formatFrame(m)[frameHead:]) != body {
			t.Errorf("a frame of %d bytes: %v", len(body), err)
		}
	}
	for text, valid := range map[string]bool{"0": true, "7": true, "8": false, "-1": false, "": false, "x": false} {
		n, err := message{pairs: []pair{{"n", text}}}.number("n", 7)
		if (err == nil) != valid || valid && fmt.Sprint(n) != text {
			t.Errorf("number %q of at most 7: %d, %v", text, n, err)
		}
	}
}

func formatText(m message) string { return string(formatLine(m)) }

// TestSemicolons: a value of PMI-2 has as many semicolons as it was sent with, anywhere.
func TestSemicolons(t *testing.T) {
	for _, value := range []string{"", ";", ";;", "a;b", ";a", "a;", ";;;a;;b;", "no such key; sorry"} {
		body := "cmd=x;rc=0;errmsg=" + strings.ReplaceAll(value, ";", ";;") + ";last=1;"
		m, err := parseFrame(body)
		got, _ := m.get("errmsg")
		if last, _ := m.get("last"); err != nil || got != value || last != "1" {
			t.Errorf("%q becomes %q, last=%q, %v", value, got, last, err)
		}
	}
}

// TestKeysDiffer: each piece of each rank in each call has a key of its own, which launchers
// permit.
func TestKeysDiffer(t *testing.T) {
	seen := make(map[string]bool)
	for _, call := range []uint32{0, 1, 2, 10, 11, 1<<32 - 1} {
		if k := callKey(call); seen[k] {
			t.Errorf("two calls have the key %q", k)
		} else {
			seen[k] = true
		}
		for _, rank := range []int{0, 1, 2, 10, 11, 1<<16 - 1} {
			for _, piece := range []int{0, 1, 2, 10, 11, maxBlob} {
				key := valueKey(call, rank, piece)
				if seen[key] || len(key) >= maxKey {
					t.Errorf("call %d, rank %d, piece %d: the key %q is known, or has %d bytes", call, rank, piece, key, len(key))
				}
				seen[key] = true
			}
		}
	}
}

// TestLimitsOfLaunchers: a value has one byte less than the launcher permits, and a line to it at
// most ownLine; a launcher that permits too little is refused, and one that permits just enough
// not.
func TestLimitsOfLaunchers(t *testing.T) {
	for _, c := range []struct {
		key, value int
		valid      bool
	}{{maxKey, minValue + 1, true}, {maxKey - 1, 1024, false}, {maxKey, minValue, false}, {1 << 20, 1 << 30, true}, {maxKey, 900, true}} {
		s := store{name: strings.Repeat("n", 17)}
		err := s.setLimits(c.key, c.value)
		if (err == nil) != c.valid {
			t.Errorf("keys of %d and values of %d: %v", c.key, c.value, err)
		}
		if err != nil {
			continue
		}
		line := s.put(strings.Repeat("k", maxKey), strings.Repeat("v", s.value)).request
		if s.value > c.value-1 || len(line) > ownLine || s.value < c.value-1 && len(line) != ownLine {
			t.Errorf("values of %d where the launcher takes %d, in lines of %d bytes", s.value, c.value, len(line))
		}
	}
}

// TestLargestGather: ranks gather as many bytes as there may be; one more is refused before
// anything is sent, and the next call goes on.
func TestLargestGather(t *testing.T) {
	l := &launcher{version: 2, size: 2}
	large := bytes.Repeat([]byte{5}, maxBlob)
	errs := l.start(t).each(t.Context(), func(c *Client) error {
		if _, err := c.Gather(t.Context(), append(large[:len(large):len(large)], 1)); err == nil {
			return errors.New("a Gather of too many bytes is accepted")
		}
		own := large[:int(c.Rank())*maxBlob]
		all, err := c.Gather(t.Context(), own)
		if err == nil && (len(all[0]) != 0 || !bytes.Equal(all[1], large)) {
			err = fmt.Errorf("%d and %d bytes come", len(all[0]), len(all[1]))
		}
		return err
	})
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

// TestUnaskedAnswers: an answer that comes without a request ends the connection, before the next
// request is sent and after it.
func TestUnaskedAnswers(t *testing.T) {
	for _, early := range []bool{true, false} {
		l := &launcher{version: 1, size: 1, values: 1024}
		l.instead = func(_ int, request message) (sent string, over, handled bool) {
			switch {
			case early && request.cmd == "get_my_kvsname":
				return "cmd=my_kvsname kvsname=kvs_1\ncmd=put_result rc=0\n", false, true
			case !early && request.cmd == "put":
				return "cmd=put_result rc=0\ncmd=barrier_out\ncmd=barrier_out\n", false, true
			}
			return "", false, false
		}
		errs := l.start(t).each(t.Context(), func(c *Client) error {
			for begun := time.Now(); early && c.server.(*wire).failure() == nil && len(c.server.(*wire).answers) == 0; time.Sleep(time.Millisecond) {
				if time.Since(begun) > 10*time.Second {
					return nil // it was dropped
				}
			}
			_, err := c.Gather(t.Context(), []byte("x"))
			return err
		})
		if err := errors.Join(errs...); err == nil {
			t.Errorf("before the request: %t: an answer that nobody has asked for is taken", early)
		}
	}
}
