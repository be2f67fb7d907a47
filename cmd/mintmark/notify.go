package main

import (
	"fmt"
	"net"
	"os"
)

// notifyReady notifies the service manager that the program serves. For a service of Type=notify,
// systemd passes a socket in NOTIFY_SOCKET and waits for this message before it considers the
// service started. Without the variable, notifyReady does nothing.
func notifyReady() error {
	address := os.Getenv("NOTIFY_SOCKET")
	if address == "" {
		return nil
	}
	manager, err := net.Dial("unixgram", address)
	if err != nil {
		return fmt.Errorf("NOTIFY_SOCKET: %w", err)
	}
	defer manager.Close()
	if _, err := manager.Write([]byte("READY=1")); err != nil {
		return fmt.Errorf("NOTIFY_SOCKET: %w", err)
	}
	return nil
}
