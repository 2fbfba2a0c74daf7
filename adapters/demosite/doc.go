// Package demosite is a small web site, "Harbour Coffee Roasters", that comes
// with the program so that a first test has something to walk without a
// network. Its task is to subscribe to a delivery of coffee.
//
// It is meant to look like a real shop and to have the flaws of one. These are
// deliberate, and a report about the site should name them:
//
//  1. The call to action on the home page ("Start your subscription") is pale
//     lettering on a pale ground, 1.8:1, where WCAG 2.2 SC 1.4.3 asks for 4.5:1.
//  2. The menu button on narrow screens and the help button beside "Grind" on
//     the form are icons without an accessible name (WCAG 2.2 SC 4.1.2).
//  3. "Brewing guides", on the home page and in the footer, leads to a page
//     that is not there (404).
//  4. The subscription form complains only after it has been sent, in one
//     sentence at the top of the page that says what is wrong but not beside
//     the field, and nothing on the form says which fields have to be filled.
//
// The rest is meant to be sound. The server keeps no state.
package demosite
