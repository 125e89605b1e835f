package pmi

import (
	"bufio"
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// FuzzLine: a line that is a message is read with bounded memory, and what formatLine writes is
// read again as the same message.
func FuzzLine(f *testing.F) {
	for _, s := range []string{"cmd=maxes rc=0 vallen_max=1024\n", "cmd=get_result rc=-1 msg=no such key\n", "cmd=\n", "cmd=a =\n", "x\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := readLine(bufio.NewReaderSize(bytes.NewReader(b), maxLine))
		if err != nil {
			return
		}
		again, err := readLine(bufio.NewReaderSize(bytes.NewReader(formatLine(m)), maxLine))
		if err != nil || !reflect.DeepEqual(m, again) {
			t.Errorf("%q: %+v, again %+v, %v", b, m, again, err)
		}
		_ = m.refusal("maxes")
		_ = initVersion(m)
	})
}

// FuzzFrame: the same for messages of PMI-2. Those with semicolons in values cannot be sent.
func FuzzFrame(f *testing.F) {
	for _, s := range []string{"    16cmd=a;rc=0;b=c;;;", "10    cmd=a;b=c;", "5     cmd=;", "999999", "     0", "     6cmd=a;;"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := readFrame(bufio.NewReaderSize(bytes.NewReader(b), maxLine))
		if err != nil {
			return
		}
		sent := formatFrame(m)
		if bytes.Count(sent, []byte(";")) != len(m.pairs)+1 {
			return
		}
		again, err := readFrame(bufio.NewReaderSize(bytes.NewReader(sent), maxLine))
		if len(sent) <= frameHead+maxFrame && (err != nil || !reflect.DeepEqual(m, again)) {
			t.Errorf("%q: %+v, again %+v, %v", b, m, again, err)
		}
		_, _ = found(m)
	})
}

// FuzzValues: values, separated by spaces, that assemble to a blob are those that split makes, but
// for their lengths.
func FuzzValues(f *testing.F) {
	for _, s := range []string{"0.", "3.YWJj", "3.YW Jj", "3. Y W J j", "4.YWJj", "1048577.A", "1.QR", "-1.", "3.YW\nJj"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var a assembly
		values := strings.Split(text, " ")
		for i, value := range values {
			complete, err := a.add(value)
			if err != nil {
				return
			}
			if complete != (i == len(values)-1) {
				return
			}
		}
		blob, err := a.blob()
		if err != nil {
			return
		}
		if same := strings.Join(split(blob, minValue), ""); len(blob) != a.bytes || same != strings.Join(values, "") {
			t.Errorf("%q: %d bytes, encoded again %q", text, len(blob), same)
		}
	})
}
