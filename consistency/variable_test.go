package consistency

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/syncvar"
)

// TestAsManyVariablesAsIDs binds a variable with the last ID, and one more, which must fail.
func TestAsManyVariablesAsIDs(t *testing.T) {
	s := NewSpace()
	base, err := s.AddRegion("mem", "", 1, make([]byte, 10))
	if err != nil {
		t.Fatal(err)
	}
	s.catalogue.vars = make([]*variable, syncvar.MaxID-1, syncvar.MaxID)
	s.bound = len(s.catalogue.vars)
	if id, err := s.Bind("last", []Range{{base, base + 1}}); err != nil || id != syncvar.MaxID-1 {
		t.Errorf("the last variable has ID %d, error %v", id, err)
	}
	if _, err := s.Bind("more", []Range{{base + 1, base + 2}}); err == nil || !strings.Contains(err.Error(), "there are 1048576 variables already") {
		t.Errorf("one more: error %v", err)
	}
}
