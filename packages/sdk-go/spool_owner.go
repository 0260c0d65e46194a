package annals

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	ownerFile = "owner.json"
	// untouchedFor: a folder that its owner has not touched for this time may be claimed.
	untouchedFor = time.Minute
)

// spoolProcess is a process in a file of a spool; nil where the system does not say it.
type spoolProcess struct {
	BootID       *string `json:"boot_id"`
	PIDNamespace *string `json:"pid_namespace"`
	PID          int     `json:"pid"`
	// Started is in ticks since the boot, so that a later process with the same id is not it.
	Started *string `json:"started"`
}

// spoolOwner is the file owner.json.
type spoolOwner struct {
	Account *string `json:"account"`
	// Key has digits of the SHA-256 of the API key: who has the key has the account.
	Key *string `json:"key"`
	spoolProcess
}

// ownerName makes a name. Names sort by time.
func ownerName(now time.Time) string {
	at := strings.Replace(now.UTC().Format("20060102T150405.000"), ".", "", 1)
	return at + "Z-" + randomDigits()
}

// randomDigits are 12 hexadecimal ones.
func randomDigits() string {
	var bytes [6]byte
	_, _ = rand.Read(bytes[:])
	return hex.EncodeToString(bytes[:])
}

func keyDigest(apiKey string) *string {
	sum := sha256.Sum256([]byte("annals spool " + apiKey))
	return Ptr(hex.EncodeToString(sum[:])[:16])
}

func thisProcess() spoolProcess {
	process := spoolProcess{PID: os.Getpid(), Started: startOf(os.Getpid())}
	if id, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
		process.BootID = Ptr(strings.TrimSpace(string(id)))
	}
	if name, err := os.Readlink("/proc/self/ns/pid"); err == nil {
		process.PIDNamespace = &name
	}
	return process
}

// isGone says whether the owner is a dead process, or did not touch its file for a minute.
func (p spoolProcess) isGone(touched, now time.Time) bool {
	if now.Round(0).Sub(touched) > untouchedFor {
		return true
	}
	here := thisProcess()
	if !isSame(p.BootID, here.BootID) || !isSame(p.PIDNamespace, here.PIDNamespace) {
		return false
	}
	started := startOf(p.PID)
	return started != p.Started && !isSame(started, p.Started)
}

// isSame: both are known, and the same.
func isSame(a, b *string) bool { return a != nil && b != nil && *a == *b }

// startOf is nil if there is no such process. A zombie is dead.
func startOf(pid int) *string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	_, after, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	fields := strings.Fields(after)
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return nil
	}
	return &fields[19]
}

// readOwner is nil for a file that is missing or cannot be read.
func readOwner(folder string) *spoolOwner {
	text, err := os.ReadFile(filepath.Join(folder, ownerFile))
	if err != nil {
		return nil
	}
	var owner spoolOwner
	if json.Unmarshal(text, &owner) != nil {
		return nil
	}
	return &owner
}
