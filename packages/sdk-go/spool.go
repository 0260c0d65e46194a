package annals

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// SpoolSync says when the files of a spool are flushed to the disk. In each mode a killed process loses
// nothing; the others are for a machine that loses its power.
type SpoolSync string

const (
	// SyncBatch: every 100 ms, and when a file is complete.
	SyncBatch SpoolSync = "batch"
	// SyncEvent: before Track returns.
	SyncEvent SpoolSync = "event"
	// SyncNone: when the system likes.
	SyncNone SpoolSync = "none"
)

const (
	spoolMaxBytes = 256 << 20
	// spoolMemory is the bound of what waits in memory because the disk does not take it.
	spoolMemory = 32 << 20
)

// SpoolOptions are the settings of a spool. The zero value has the defaults.
type SpoolOptions struct {
	// Sync is SyncBatch by default.
	Sync SpoolSync
	// MaxBytes: an event beyond them is dropped as DropFull. By default 256 MiB.
	MaxBytes int
	// Producer numbers the accepted events in context.producer, so that annals-verify --producers finds
	// missing ones. Letters, digits, ., _ and -.
	Producer string
	// OnProblem is called when the disk fails. By default it is logged as a warning.
	OnProblem func(err error)
}

// Spool keeps tracked events in files, which the next process sends if this one is killed. It needs a local
// disk. A spool is for one client.
type Spool struct {
	dir     string
	options SpoolOptions

	mu      sync.Mutex
	tracker *spoolTracker
}

var producerName = regexp.MustCompile(`^[\w.-]{1,100}$`)

// NewSpool makes a spool. dir may be shared by processes, accounts and SDKs of other languages. It is made
// if it is missing.
func NewSpool(dir string, options SpoolOptions) (*Spool, error) {
	if options.Sync == "" {
		options.Sync = SyncBatch
	}
	if options.MaxBytes <= 0 {
		options.MaxBytes = spoolMaxBytes
	}
	if options.Producer != "" && !producerName.MatchString(options.Producer) {
		return nil, errors.New("annals: a producer has letters, digits, ., _ and -")
	}
	return &Spool{dir: dir, options: options}, nil
}

// SpoolStats counts the files of the whole folder that wait for a person, by kind, and the events of this
// client that wait.
type SpoolStats struct {
	Refused     int `json:"refused"`
	Unconfirmed int `json:"unconfirmed"`
	Damaged     int `json:"damaged"`
	Waiting     int `json:"waiting"`
}

// Stats counts.
func (s *Spool) Stats() (SpoolStats, error) {
	var stats SpoolStats
	s.mu.Lock()
	tracker := s.tracker
	s.mu.Unlock()
	if tracker != nil {
		stats.Waiting = tracker.buffered()
	}
	folders, err := namesIn(s.dir)
	if err != nil {
		return stats, err
	}
	for _, folder := range folders {
		files, err := namesIn(filepath.Join(s.dir, folder))
		if err != nil {
			return stats, err
		}
		for _, file := range files {
			switch filepath.Ext(file) {
			case ".refused":
				stats.Refused++
			case ".unconfirmed":
				stats.Unconfirmed++
			case ".damaged":
				stats.Damaged++
			}
		}
	}
	return stats, nil
}

// namesIn is empty for a folder that is not made yet or was just deleted, and for a file.
func namesIn(path string) ([]string, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return nil, nil
	}
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, err
}

// problemOf says what failed, and where.
func (s *Spool) problem(options TrackingOptions, err error) {
	if s.options.OnProblem != nil {
		options.tell(func() { s.options.OnProblem(err) })
		return
	}
	options.logger().Warn("annals: the spool has a problem", "dir", s.dir, "error", strings.TrimSpace(err.Error()))
}
