package partner

import (
	"path/filepath"
	"reflect"
	"testing"
)

// FuzzAddress: an address that parse accepts is what Address returns for the result.
func FuzzAddress(f *testing.F) {
	f.Add("memory://3,0@10.0.0.1:1,7@[fd77::1]:2=/dev/shm/a=b,c")
	f.Add("memory://1=/x")
	f.Add("memory://1,1@a:1=/x")
	f.Fuzz(func(t *testing.T, address string) {
		path, host, others, err := parse(address)
		if err != nil {
			return
		}
		path2, host2, others2, err := parse(Address(path, host, others))
		if err != nil || path2 != path || host2 != host || !reflect.DeepEqual(others2, others) {
			t.Errorf("%q: %q, %d, %v; then %q, %d, %v, %v", address, path, host, others, path2, host2, others2, err)
		}
	})
}

// FuzzName: a name that is accepted stays in its folder, and is none of the folder's own files.
func FuzzName(f *testing.F) {
	f.Add("c00000001-00000.part")
	f.Add("..")
	f.Add("lock")
	f.Fuzz(func(t *testing.T, name string) {
		if checkName(name) == nil && (filepath.Dir(filepath.Join("/f", name)) != "/f" || filepath.Base(name) != name || name == "lock") {
			t.Errorf("%q is accepted", name)
		}
	})
}
