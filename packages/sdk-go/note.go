package annals

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a signed note (c2sp.org/signed-note). A line of ML-DSA-44 has 3,300 bytes.
const (
	maxNote           = 256 << 10
	maxNoteSignatures = 64
	maxKeyName        = 255
	keyIDBytes        = 4
)

// keyKind is the type of a verifier key.
type keyKind byte

const (
	// kindLog: a log's signature over the text of a note.
	kindLog keyKind = 1
	// kindWitness: a witness's cosignature with its time.
	kindWitness keyKind = 4
	kindMLDSA   keyKind = 6
)

var keyBytes = map[keyKind]int{kindLog: 32, kindWitness: 32, kindMLDSA: 1312}

// verifierKey of signed notes. The id is eight lower-case hexadecimal digits.
type verifierKey struct {
	name, id string
	kind     keyKind
	public   []byte
}

// signedNote is the text that is signed, which ends with a line feed, and its signatures. Parsing trusts
// nothing.
type signedNote struct {
	text       string
	signatures []noteSignature
}

// noteSignature is without the key id; a cosignature begins with its time.
type noteSignature struct {
	name, keyID string
	signature   []byte
}

func (s noteSignature) isBy(key verifierKey) bool { return s.keyID == key.id && s.name == key.name }

var (
	errNote = errors.New("not a signed note")
	errKey  = errors.New("a vkey is <name>+<8 hexadecimal digits>+<base64>, with the id of the name and the key")

	noteControl    = regexp.MustCompile(`[\x00-\x09\x0b-\x1f]`)
	signatureLine  = regexp.MustCompile(`^— ([^ ]+) ([A-Za-z0-9+/=]+)$`)
	verifierFormat = regexp.MustCompile(`^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$`)
	decimalFormat  = regexp.MustCompile(`^(?:0|[1-9][0-9]{0,15})$`)
)

func parseNote(note string) (signedNote, error) {
	blank := strings.LastIndex(note, "\n\n")
	isText := len(note) <= maxNote && utf8.ValidString(note) && !noteControl.MatchString(note)
	if !isText || blank < 0 || blank+3 > len(note) || !strings.HasSuffix(note, "\n") {
		return signedNote{}, errNote
	}
	parsed := signedNote{text: note[:blank+1]}
	for _, line := range strings.Split(note[blank+2:len(note)-1], "\n") {
		signature, err := parseSignature(line)
		if err != nil || len(parsed.signatures) == maxNoteSignatures {
			return signedNote{}, errNote
		}
		parsed.signatures = append(parsed.signatures, signature)
	}
	return parsed, nil
}

func parseSignature(line string) (noteSignature, error) {
	found := signatureLine.FindStringSubmatch(line)
	if found == nil {
		return noteSignature{}, errNote
	}
	signed, isBase64 := strictBase64(found[2])
	if !isKeyName(found[1]) || !isBase64 || len(signed) <= keyIDBytes {
		return noteSignature{}, errNote
	}
	return noteSignature{found[1], hex.EncodeToString(signed[:keyIDBytes]), signed[keyIDBytes:]}, nil
}

// readKey reads a vkey.
func readKey(text string) (verifierKey, error) {
	found := verifierFormat.FindStringSubmatch(text)
	if found == nil || len(found[3]) > 2_000 {
		return verifierKey{}, errKey
	}
	key, isBase64 := strictBase64(found[3])
	if !isBase64 || len(key) == 0 || !isKeyName(found[1]) {
		return verifierKey{}, errKey
	}
	made := makeKey(found[1], keyKind(key[0]), key[1:])
	if made.id != found[2] || keyBytes[made.kind] != len(made.public) {
		return verifierKey{}, errKey
	}
	return made, nil
}

func makeKey(name string, kind keyKind, public []byte) verifierKey {
	digest := sha256.Sum256(append([]byte(name+"\n"+string([]byte{byte(kind)})), public...))
	return verifierKey{name, hex.EncodeToString(digest[:keyIDBytes]), kind, public}
}

// isKeyName: without spaces, plus signs and control characters.
func isKeyName(name string) bool {
	isOther := func(r rune) bool { return r == '+' || isSpace(r) || unicode.IsControl(r) }
	return name != "" && len(name) <= maxKeyName && utf8.ValidString(name) && strings.IndexFunc(name, isOther) < 0
}

// isSpace: JavaScript's spaces, which have one more.
func isSpace(r rune) bool { return r == '\ufeff' || (r != '\u0085' && unicode.IsSpace(r)) }

// strictBase64 is false unless the text is the one standard encoding of some bytes, with its padding.
func strictBase64(text string) ([]byte, bool) {
	decoded, err := base64.StdEncoding.Strict().DecodeString(text)
	// The decoder passes over line breaks.
	return decoded, err == nil && !strings.ContainsAny(text, "\r\n")
}

// wholeText is false unless the text is a number without leading zeros that a double keeps.
func wholeText(text string) (int64, bool) {
	number, err := strconv.ParseInt(text, 10, 64)
	return number, err == nil && decimalFormat.MatchString(text) && number <= maxSequence
}

func timeIn(cosignature []byte) uint64 { return binary.BigEndian.Uint64(cosignature) }
