package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"mintmark/e2e/ledger"
	"mintmark/e2e/recording"
	"mintmark/internal/app"
)

// createOneOfMany creates a card of customer 1010. PostgreSQL may be too busy with the other cards
// of this customer to create one, so the request is repeated.
func createOneOfMany(t *testing.T, world *ledger.World, n int) (cardID int) {
	t.Helper()
	body := strings.NewReplacer("1001", "1010", "2001", "2110", "Unused",
		fmt.Sprintf("Long %d", n)).Replace(ledger.NewCard(""))
	for range 10 {
		reply := world.Send(ledger.Request{Path: "/card/createdigital", Body: body})
		if reply.HTTP == http.StatusServiceUnavailable {
			continue
		}
		var created struct{ CardID int }
		if err := json.Unmarshal(reply.Data, &created); err != nil || reply.HTTP != http.StatusOK {
			t.Errorf("no card: %d %s", reply.HTTP, reply.Raw)
		}
		return created.CardID
	}
	t.Error("no card: the service is busy each time")
	return 0
}

// TestLongLists lists more cards than may be read without reserving memory. The answer matches
// /card/get for each card, many concurrent callers all get it, and a caller that disconnects midway
// leaves its place to the next.
func TestLongLists(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	const many = 520
	var making sync.WaitGroup
	var mu sync.Mutex
	var ids []int
	numbers := make(chan int)
	for range recording.Callers(16) {
		making.Go(func() {
			for n := range numbers {
				cardID := createOneOfMany(t, world, n)
				mu.Lock()
				ids = append(ids, cardID)
				mu.Unlock()
			}
		})
	}
	for n := range many {
		numbers <- n
	}
	close(numbers)
	making.Wait()

	var want bytes.Buffer
	slices.Sort(ids)
	for n, cardID := range ids {
		reply := world.Send(ledger.Request{Path: fmt.Sprintf("/card/get/1010/%d", cardID)})
		want.WriteString([]string{"[", ","}[min(n, 1)])
		want.Write(reply.Data)
	}
	want.WriteString("]")
	var asking sync.WaitGroup
	for range 12 {
		asking.Go(func() {
			reply := world.Send(ledger.Request{Path: "/card/list/1010?status=verified"})
			if reply.HTTP != http.StatusOK || !bytes.Equal(reply.Data, want.Bytes()) {
				t.Errorf("the list is %d, %d bytes", reply.HTTP, len(reply.Data))
			}
		})
	}
	asking.Wait()
	empty := world.Send(ledger.Request{Path: "/card/list/1010?status=HotListed"})
	same(t, "none of them", string(empty.Data), "[]")
	refused := world.Send(ledger.Request{Path: "/card/list/1010?status=nothing"})
	wantCode(t, refused, 59956)

	for range 6 {
		connection := dial(t, world)
		send(t, connection, "GET /card/list/1010 HTTP/1.1\r\n"+authorized+"\r\n")
		if _, err := io.ReadFull(connection, make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		if tcp, ok := connection.Conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // the rest is lost immediately
		}
		connection.Close()
	}
	reply := world.Send(ledger.Request{Path: "/card/list/1010"})
	if reply.HTTP != http.StatusOK || !bytes.Equal(reply.Data, want.Bytes()) {
		t.Errorf("behind those the list is %d, %d bytes", reply.HTTP, len(reply.Data))
	}
}
