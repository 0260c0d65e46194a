package annals

import (
	"os"
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
