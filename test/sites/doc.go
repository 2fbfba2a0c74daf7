// Package sites holds small, complete web sites that simulated users walk in
// tests, benchmarks and calibration: a shop, a software landing page, a
// documentation, a clinic with appointment booking, a bank, a newspaper, a
// council and a bakery's app.
//
// Every site keeps real state on the server, one visit per session cookie, and
// tells at GET /_truth which goals a visit has reached, so that a test can hold
// the oracle's verdict against what happened. Nothing is requested from
// elsewhere: styles, scripts and pictures are part of the program.
//
// The sites are clean. Options.Faults puts deliberate faults into their pages as
// they are served, one mechanism for all sites and kinds; Cases lists variants
// with faults on the way of a task, and what must be found in each.
package sites
