package sites

import (
	"errors"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"
)

// maxProof bounds the file that proves an address, in bytes; the page says so.
const maxProof = 5 << 20

func (c *council) eligibilityForm() form {
	return form{
		{Name: "resident", Label: "What do you need the permit for?", Type: "radio", missing: "Say what you need the permit for", Options: []option{
			{"yes", "To park at my home in Eastmere", "The vehicle is kept there"},
			{"visit", "For somebody who visits me or works at my home", ""},
			{"business", "For a shop, workshop or office in Eastmere", ""},
		}},
	}
}

func (c *council) aboutForm() form {
	return form{
		{Name: "name", Label: "Full name", Type: "text", Autocomplete: "name", missing: "Enter your full name", rule: atLeast(2, "Enter your full name")},
		{Name: "born", Label: "Date of birth", Type: "parts", Hint: "For example 27 3 1984", missing: "Enter your date of birth", rule: func(s string) string {
			d, err := time.Parse("2/1/2006", s)
			switch {
			case err != nil:
				return "Enter your date of birth as numbers for day, month and year"
			case d.Year() < 1900 || d.After(c.now()):
				return "Enter a date of birth in the past"
			case d.AddDate(17, 0, 0).After(c.now()):
				return "You must be 17 or older to have a permit"
			}
			return ""
		}},
		{Name: "email", Label: "Email address", Type: "email", Autocomplete: "email", Hint: "We send our decision here.", missing: "Enter your email address", rule: emailRule},
	}
}

func (c *council) addressForm() form {
	return form{
		{Name: "street", Label: "House number and street", Type: "text", Autocomplete: "address-line1", missing: "Enter your house number and street", rule: atLeast(4, "Enter your house number and street")},
		{Name: "postcode", Label: "Postcode", Type: "text", Autocomplete: "postal-code", missing: "Enter your postcode", rule: postcodeRule},
	}
}

// permitPrices are by length in months.
var permitPrices = map[string]string{"6": "£34", "12": "£62"}

var registration = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 -]{0,8}[A-Za-z0-9]$`)

func (c *council) vehicleForm() form {
	return form{
		{Name: "registration", Label: "Registration number", Type: "text", Hint: "As on the number plate, for example EA21 MRE.", missing: "Enter the registration number", rule: func(s string) string {
			if !registration.MatchString(s) {
				return "Enter the registration number with letters and digits only, such as EA21 MRE"
			}
			return ""
		}},
		{Name: "length", Label: "How long should the permit be valid?", Type: "radio", Value: "12", missing: "Choose how long the permit should be valid", Options: []option{
			{"6", "6 months", permitPrices["6"]}, {"12", "12 months", permitPrices["12"]},
		}},
	}
}

// proofTypes are the endings of the files that the council can open.
var proofTypes = map[string]bool{".pdf": true, ".jpg": true, ".jpeg": true, ".png": true, ".heic": true, ".webp": true, ".docx": true, ".txt": true}

func (c *council) proofForm() form {
	return form{
		{Name: "proof", Label: "Document with your name and address", Type: "file", Hint: "A photo, scan or document of up to 5 MB: PDF, JPG, PNG, HEIC, DOCX or TXT.", missing: "Choose a file that proves your address", rule: func(s string) string {
			if !proofTypes[strings.ToLower(path.Ext(s))] {
				return "Choose a PDF, JPG, PNG, HEIC, DOCX or TXT file"
			}
			return ""
		}},
	}
}

// Part is the i-th part of a date that was given in three fields: day, month, year.
func (x *field) Part(i int) string {
	if p := strings.Split(x.Value, "/"); i < len(p) {
		return p[i]
	}
	return ""
}

// gather brings what comes in several fields or as a file into the one value
// that the form's rules see. A file chosen earlier stays when no new one comes.
func gather(r *http.Request, f form, answers map[string]string) {
	err := r.ParseMultipartForm(maxProof) // forms without files say ErrNotMultipart, and their values are parsed
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		for _, x := range f {
			x.missing = "The file is larger than 5 MB. Choose a smaller one"
		}
		return
	}
	if r.PostForm == nil {
		return
	}
	for _, x := range f {
		switch x.Type {
		case "parts":
			var parts []string
			for _, p := range []string{"-day", "-month", "-year"} {
				parts = append(parts, strings.ReplaceAll(strings.TrimSpace(r.PostForm.Get(x.Name+p)), "/", ""))
			}
			if date := strings.Join(parts, "/"); date != "//" {
				r.PostForm.Set(x.Name, date)
			}
		case "file":
			r.PostForm.Set(x.Name, answers[x.Name])
			if file, head, err := r.FormFile(x.Name); err == nil {
				_ = file.Close() // only the name is kept
				r.PostForm.Set(x.Name, head.Filename)
			}
		}
	}
}

func declarationForm() form {
	return form{{Name: "declaration", Label: "I declare that these answers are true and that I live at this address", Type: "checkbox", missing: "Confirm that your answers are true"}}
}
