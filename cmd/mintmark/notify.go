package main

import (
	"fmt"
	"net"
	"os"
)

// notifyReady tells the service manager that the program serves. systemd gives a service of
// Type=notify the socket in NOTIFY_SOCKET and waits for this before it says that the service has
// started. Without the variable there is nobody to tell.
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
