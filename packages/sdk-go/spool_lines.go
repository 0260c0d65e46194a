package annals

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
)

// digestDigits of the SHA-256 of an event's JSON begin its line.
const digestDigits = 16

// lineOf is the line of an event in a file of a spool.
func lineOf(text []byte) []byte {
	line := make([]byte, 0, digestDigits+1+len(text)+1)
	line = append(line, lineDigest(text)...)
	line = append(line, ' ')
	line = append(line, text...)
	return append(line, '\n')
}

// spoolLines is what a file of a spool has.
type spoolLines struct {
	// texts are the events as JSON.
	texts [][]byte
	// damaged are lines whose digest does not fit, with their ends.
	damaged [][]byte
	// whole is the number of bytes of whole lines; what comes behind them is a torn one.
	whole int
}

func readLines(data []byte) spoolLines {
	var lines spoolLines
	for {
		length := bytes.IndexByte(data[lines.whole:], '\n')
		if length < 0 {
			return lines
		}
		line := data[lines.whole : lines.whole+length+1]
		lines.whole += len(line)
		if text, isWhole := textOfLine(line[:length]); isWhole {
			lines.texts = append(lines.texts, text)
		} else {
			lines.damaged = append(lines.damaged, line)
		}
	}
}

// readSealed reads a file that is complete: what comes behind its last newline is damaged, too.
func readSealed(data []byte) spoolLines {
	lines := readLines(data)
	if lines.whole < len(data) {
		lines.damaged = append(lines.damaged, data[lines.whole:])
		lines.whole = len(data)
	}
	return lines
}

func textOfLine(line []byte) ([]byte, bool) {
	if len(line) <= digestDigits || line[digestDigits] != ' ' {
		return nil, false
	}
	text := line[digestDigits+1:]
	return text, lineDigest(text) == string(line[:digestDigits])
}

func lineDigest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])[:digestDigits]
}
