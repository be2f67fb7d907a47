package main

import (
	"net"
	"path/filepath"
	"testing"
	"time"
)

// TestNotifyReady receives the notification as systemd does. The tests in this file set environment
// variables, so they are not parallel.
func TestNotifyReady(t *testing.T) {
	address := filepath.Join(t.TempDir(), "notify")
	manager, err := net.ListenPacket("unixgram", address)
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	if err := manager.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NOTIFY_SOCKET", address)
	if err := notifyReady(); err != nil {
		t.Fatal(err)
	}
	told := make([]byte, 100)
	length, _, err := manager.ReadFrom(told)
	if err != nil || string(told[:length]) != "READY=1" {
		t.Errorf("the manager is told %q, %v", told[:length], err)
	}
}

func TestNotifyNobody(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	if err := notifyReady(); err != nil {
		t.Errorf("without a manager: %v", err)
	}
	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "gone"))
	if err := notifyReady(); err == nil {
		t.Error("a manager that is gone is told")
	}
}
