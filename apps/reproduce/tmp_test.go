package reproduce_test

import (
	"context"
	"github.com/fagus-dsm/fagus/apps/reproduce"
	"testing"
)

func TestTmp(t *testing.T) {
	table, err := reproduce.SendRecv(context.Background(), reproduce.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range table.Rows {
		t.Logf("%s %.1f %.1f", r.Quantity, r.Model, *r.Paper)
	}
	c, err := reproduce.Bandwidth(context.Background(), reproduce.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(c.BOTFAhead, c.PUSHAhead)
	for _, p := range c.Points {
		if p.Bytes%64 == 0 || p.Bytes%16 == 1 || p.Bytes == 464 || p.Bytes == 928 {
			t.Logf("%d %.0f %.0f  %.1f %.1f %.3f", p.Bytes, p.BOTFns, p.PUSHns, p.BOTF(), p.PUSH(), p.BOTF()/p.PUSH())
		}
	}
}
