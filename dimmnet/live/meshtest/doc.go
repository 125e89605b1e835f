// Package meshtest is the common part of the tests of networks between hosts (tcp, quic, ofi): a
// test suite that runs on all of them, ranks that are processes, and benchmarks.
//
//	func TestManyPeers(t *testing.T) { meshtest.ManyPeers(t, tcp.New(tcp.Config{})) }
//
//	func TestMain(m *testing.M) {
//		if meshtest.IsChild() {
//			os.Exit(meshtest.Child(join)) // this process is a rank
//		}
//		goleak.VerifyTestMain(m)
//	}
//
//	ranks := meshtest.StartJob(t, orders, nil) // starts the test binary again, once per rank
//
// Package dimmnet/porttest has the test suite of single ports.
package meshtest
