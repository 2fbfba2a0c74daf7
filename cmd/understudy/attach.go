package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"understudy/eventstore/node"
)

// The users of an event store node, by what they may.
const (
	adminUser  = "admin"  // everything
	readerUser = "reader" // reads and subscriptions
)

// attachment reads the address at which EventStoreDB clients may read the
// embedded node of a running service; nil when none is set. fault is told of
// every setting that is wrong.
func attachment(getenv func(string) string, fault func(name string, err error)) *node.TCP {
	address := getenv("UNDERSTUDY_NODE_LISTEN")
	if address == "" {
		return nil
	}
	if _, _, err := net.SplitHostPort(address); err != nil {
		fault("UNDERSTUDY_NODE_LISTEN", err)
	}
	if getenv("UNDERSTUDY_EVENTSTORE") != "" {
		fault("UNDERSTUDY_NODE_LISTEN", errors.New("there is no embedded node: clients attach to the cluster in UNDERSTUDY_EVENTSTORE"))
	}
	encryption, err := certificate(getenv("UNDERSTUDY_NODE_CERT"), getenv("UNDERSTUDY_NODE_KEY"))
	if err != nil {
		fault("UNDERSTUDY_NODE_CERT, UNDERSTUDY_NODE_KEY", err)
	}
	reader, err := user(getenv, readerUser, "UNDERSTUDY_READER_PASSWORD")
	if err == nil && reader == nil {
		err = errors.New("is missing: clients read as user reader with this password")
	}
	if err != nil {
		fault("UNDERSTUDY_READER_PASSWORD", err)
		return nil
	}
	return &node.TCP{Address: address, TLS: encryption, Users: []node.User{*reader}}
}

// certificate reads a certificate and its key, both in PEM.
func certificate(cert, key string) (*tls.Config, error) {
	if cert == "" || key == "" {
		return nil, errors.New("TLS needs the files of a certificate and of its key")
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// user takes a user's password from a setting or the file that setting_FILE
// names; nil when neither is set.
func user(getenv func(string) string, name, setting string) (*node.User, error) {
	password, err := secret(getenv(setting), getenv(setting+"_FILE"))
	if err != nil || password == "" {
		return nil, err
	}
	if len(password) < node.MinPassword {
		return nil, fmt.Errorf("is shorter than %d characters", node.MinPassword)
	}
	return &node.User{Name: name, Password: password, ReadOnly: name == readerUser}, nil
}
