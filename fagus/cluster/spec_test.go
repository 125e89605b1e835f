package cluster

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/live/reach"
)

// TestSpecEnviron: a rank reads from the environment what its launcher has written there.
func TestSpecEnviron(t *testing.T) {
	all := Spec{
		Net: OFI, Timeout: time.Minute, Stall: -time.Second, Ports: reach.Ports{First: 17000, Last: 17100}, Interface: "ib0", Insecure: true,
		Settings: Settings{ofiProvider: "verbs;ofi_rxm", ofiDomain: "mlx5_0"},
	}
	if of := reflect.ValueOf(all); of.NumField() != 10 || len(all.Environ()) != of.NumField()-3+1 {
		t.Errorf("a Spec has %d fields and the variables %q: want one for each option and each field but Settings, Identity, Log and Drivers", of.NumField(), all.Environ())
	}
	lookup := envOf(all.Environ()).lookup
	got := Spec{Net: OFI} // which not every program has
	if err := got.Complete(lookup, Place{}); err != nil || !reflect.DeepEqual(got, all) {
		t.Errorf("%q gives %+v, %v, want %+v", all.Environ(), got, err, all)
	}
	own := Spec{Net: TCP, Timeout: time.Hour, Stall: time.Hour, Ports: reach.Ports{First: 1, Last: 2}, Interface: "eth0", Settings: Settings{ofiDomain: "own"}}
	want := own
	want.Insecure, want.Settings = true, Settings{ofiProvider: "verbs;ofi_rxm", ofiDomain: "own"}
	if err := own.Complete(lookup, Place{}); err != nil || !reflect.DeepEqual(own, want) {
		t.Errorf("completed: %+v, %v, want %+v", own, err, want)
	}
	var none Spec
	if list := none.Environ(); list != nil {
		t.Errorf("the zero Spec has the variables %q", list)
	}
}

func envOf(list []string) vars {
	v := vars{}
	for _, s := range list {
		name, value, _ := strings.Cut(s, "=")
		v[name] = value
	}
	return v
}

// TestSpecComplete: a variable with a wrong value is an error.
func TestSpecComplete(t *testing.T) {
	wrong := vars{
		"FAGUS_INSECURE": "yes", "FAGUS_STALL": "0", "FAGUS_PORTS": "x", "FAGUS_NET": "ib", "FAGUS_IDENTITY": "/dev/null", "FAGUS_JOIN_TIMEOUT": "25h",
	}
	for name, value := range wrong {
		var s Spec
		if err := s.Complete(vars{name: value}.lookup, Place{}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s=%s: error %v", name, value, err)
		}
	}
}
