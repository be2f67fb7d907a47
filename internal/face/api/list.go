package api

import (
	"io"

	"mintmark/internal/face/web"
	"mintmark/internal/issuing/cards"
)

// respondList answers with the cards of a customer. The list is in use until the answer has been
// sent.
func respondList(c *call, list *cards.CardList) (web.Response, error) {
	c.done = list.Done
	if !list.Long {
		return c.respond(cardList{list}), nil
	}
	stream := func(to io.Writer) { streamList(to, list, c.ID) }
	return web.Response{
		Status: statusOK, ContentType: contentType, Stream: stream, Owner: c,
	}, nil
}

// cardList is the data member of a list.
type cardList struct{ *cards.CardList }

func (c cardList) appendJSON(to []byte) []byte {
	return c.appendPieces(to, func(text []byte) []byte { return text })
}

// appendPieces is like appendJSON, but after each card it calls each with the text so far and
// continues with the slice that each returns.
func (c cardList) appendPieces(to []byte, each func([]byte) []byte) []byte {
	to = append(to, '[')
	more := false
	for detail := range c.All() {
		if more {
			to = append(to, ',')
		}
		more = true
		to = each(showCard(detail).appendJSON(to))
	}
	return append(to, ']')
}

// streamList writes a long list piece by piece: the list can no longer fail.
func streamList(to io.Writer, list *cards.CardList, requestID string) {
	const piece = 32 << 10
	var broken error
	send := func(text []byte) []byte {
		if broken == nil {
			_, broken = to.Write(text)
		}
		return text[:0]
	}
	text := append(make([]byte, 0, piece+8<<10), opening...)
	text = cardList{list}.appendPieces(text, func(text []byte) []byte {
		if len(text) < piece {
			return text
		}
		return send(text)
	})
	send(closeEnvelope(append(text, ','), requestID))
}
