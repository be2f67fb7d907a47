package cached

// key identifies something that cache entries depend on and writes change.
type key struct {
	kind kind
	id   int
}

type kind int

const (
	cardKind kind = iota
	customerKind
	listKind // the cards of a customer
	accountKind
	programKind
)

func cardOf(id int) key     { return key{cardKind, id} }
func customerOf(id int) key { return key{customerKind, id} }
func listOf(id int) key     { return key{listKind, id} }
func accountOf(id int) key  { return key{accountKind, id} }
func programOf(id int) key  { return key{programKind, id} }

// allPrograms is the key of a write to a BIN or an encryption key.
var allPrograms = programOf(0)
