package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"mintmark/client"
)

// exampleService is a server with one prepared response.
func exampleService(status int, answer string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
}

func ExampleNew() {
	server := exampleService(200, `{"data":{"cardId":5001,"status":"Verified","accounts":
		[{"accountId":2001,"availableBalance":12.30,"priority":1}]},"errors":[],"status":200}`)
	defer server.Close()

	c := client.New(server.URL, "example1", "example1", client.UserAgent("teller/1.0"))
	card, err := c.CardGetByTag(context.Background(), 1001, "my card")
	if err != nil {
		fmt.Println(err)
		return
	}
	balance := card.Accounts[0].AvailableBalance.StringFixed(2)
	fmt.Println(card.CardID, card.Status, balance)
	// Output: 5001 Verified 12.30
}

func ExampleFailure() {
	server := exampleService(400, `{"errors":[{"code":150503,"message":"Cannot unlock."}],
		"requestId":"6f1b0c2e-0000-4000-8000-000000000001","status":400}`)
	defer server.Close()

	c := client.New(server.URL, "example1", "example1")
	_, err := c.CardUnlock(context.Background(), client.CardRequest{CustomerID: 1001, CardID: 5006})
	var failure *client.Failure
	if errors.As(err, &failure) && failure.Has(150503) {
		fmt.Println("order a new card; request", failure.RequestID)
	}
	// Output: order a new card; request 6f1b0c2e-0000-4000-8000-000000000001
}

func ExampleWithIdempotencyKey() {
	server := exampleService(200, `{"data":{"cardId":10001,"status":"Initiated"},"errors":[],
		"requestId":"6f1b0c2e-0000-4000-8000-000000000002","status":200}`)
	defer server.Close()

	c := client.New(server.URL, "example1", "example1")
	order := client.CardInitiateRequest{
		CustomerID: 1001, CardHolderCustomerID: 1001, VendorTypeCode: "VS",
		PrimaryAccountID: 2001, FirstName: "Ann", LastName: "Lee", NickName: "Everyday",
	}
	// Repeating the call creates no second card.
	ctx := client.WithIdempotencyKey(context.Background(), "order-17")
	card, err := c.CardInitiate(ctx, order)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(card.CardID, card.Status)
	// Output: 10001 Initiated
}
