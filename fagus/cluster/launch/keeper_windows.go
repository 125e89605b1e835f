package launch

// keeper does nothing: Windows has no process groups that a signal reaches, and no shell.
type keeper struct{}

func startKeeper() *keeper      { return nil }
func keepFolder(string) *keeper { return nil }
func (k *keeper) add(int)       {}
func (k *keeper) remove(int)    {}
func (k *keeper) stop()         {}
