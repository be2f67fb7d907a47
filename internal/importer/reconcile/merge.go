package reconcile

import "iter"

// merged goes through two sequences at once, each in the order of its numbers and with each number
// once. It yields what both have of a number, and nil for what one of them lacks. It holds one
// entry of each, and ends with the first error of either.
func merged[T, H any](
	there iter.Seq2[T, error], here iter.Seq2[H, error], idThere func(T) int, idHere func(H) int,
	take func(there *T, here *H),
) error {
	nextThere, stopThere := iter.Pull2(there)
	defer stopThere()
	nextHere, stopHere := iter.Pull2(here)
	defer stopHere()
	t, err, hasThere := nextThere()
	if err != nil {
		return err
	}
	h, err, hasHere := nextHere()
	if err != nil {
		return err
	}
	for hasThere || hasHere {
		takesThere := hasThere && (!hasHere || idThere(t) <= idHere(h))
		takesHere := hasHere && (!hasThere || idHere(h) <= idThere(t))
		var ofThere *T
		var ofHere *H
		if takesThere {
			ofThere = &t
		}
		if takesHere {
			ofHere = &h
		}
		take(ofThere, ofHere)
		if takesThere {
			if t, err, hasThere = nextThere(); err != nil {
				return err
			}
		}
		if takesHere {
			if h, err, hasHere = nextHere(); err != nil {
				return err
			}
		}
	}
	return nil
}

// paged is a sequence that is read page by page: each of the entries behind a number.
func paged[E any](
	read func(after int) ([]E, error), id func(E) int,
) iter.Seq2[E, error] {
	return func(yield func(E, error) bool) {
		for after := 0; ; {
			page, err := read(after)
			if err != nil {
				var none E
				yield(none, err)
				return
			}
			if len(page) == 0 {
				return
			}
			for _, entry := range page {
				if !yield(entry, nil) {
					return
				}
			}
			after = id(page[len(page)-1])
		}
	}
}
