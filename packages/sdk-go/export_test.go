package annals

import (
	"os"
	"sync"
	"testing"
	"time"
)

// Ticks is a clock that a test moves: what comes each 20 or 30 seconds comes with what is sent here.
func Ticks(t *testing.T) (each20, each30 chan time.Time) {
	before := tick
	ticks := map[time.Duration]chan time.Time{
		20 * time.Second: make(chan time.Time),
		30 * time.Second: make(chan time.Time),
	}
	tick = func(every time.Duration) (<-chan time.Time, func()) { return ticks[every], func() {} }
	t.Cleanup(func() { tick = before })
	return ticks[20*time.Second], ticks[30*time.Second]
}

// ObserveFlushes calls a function with each path that a spool has flushed, until the test ends.
func ObserveFlushes(t *testing.T, observe func(path string)) {
	before := flush
	flush = func(file *os.File) error {
		err := before(file)
		observe(file.Name())
		return err
	}
	t.Cleanup(func() { flush = before })
}

// ClaimTogether lets claimants look into a spool at the same time: all have found the one folder in it before
// the first one claims it. It returns the number of claims.
func ClaimTogether(t *testing.T, dir, account string, claimants int) int {
	var found, done sync.WaitGroup
	found.Add(claimants)
	claims := make(chan int, claimants)
	for range claimants {
		done.Add(1)
		go func() {
			defer done.Done()
			folders, err := claiming{
				dir: dir, name: ownerName(time.Now()), mu: &sync.Mutex{}, now: time.Now,
				self: spoolOwner{Key: Ptr("another"), spoolProcess: thisProcess()},
				account: func() *string {
					found.Done()
					found.Wait()
					return &account
				},
			}.claim()
			if err != nil {
				t.Error(err)
			}
			claims <- len(folders)
		}()
	}
	done.Wait()
	close(claims)
	total := 0
	for claimed := range claims {
		total += claimed
	}
	return total
}
