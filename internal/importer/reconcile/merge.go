package reconcile

import "iter"

// merged iterates over two sequences in parallel; each must have strictly ascending ids. It calls
// take with both entries of an id, or nil for one that is missing. It holds one entry of each
// sequence and returns the first error of either.
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

// paged returns a sequence that is read page by page; read returns the entries after an id.
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
