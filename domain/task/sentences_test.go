package task

import (
	"strings"
	"testing"
)

// TestAnyKindOfSite reads tasks of many kinds of sites and applications.
func TestAnyKindOfSite(t *testing.T) {
	for _, c := range []struct{ task, want string }{
		// Shops.
		{`Add 3 green teapots to the cart`, `act deed=addcart about=green+teapot count=3`},
		{`Put the cheapest kettle in the basket and go to the checkout.`, "act deed=addcart about=kettle order=cheapest\nact deed=checkout"},
		{`Change the quantity of the green teapot to 4`, `act deed=edit about=quantity+green+teapot new(number)=4`},
		{`Find the most expensive lamp with a wooden foot`, `reach about=lamp+wooden+foot order=most expensive`},
		{`Find out how long the delivery to Norway takes`, `inform about=delivery+norway+take answer=duration`},
		{`Remove the umbrella from your basket.`, `act deed=delete about=umbrella in=basket`},
		{`Buy the book "Winter Birds"`, `act deed=buy about=book named=Winter Birds`},
		{`Order one of each: Onion tart, Pea soup`, `act deed=buy choose=Onion tart choose=Pea soup`},
		{`Find out whether the blue tent is in stock`, `inform about=blue+tent+stock answer=state`},
		{`What does a family ticket cost?`, `inform about=family+ticket+cost answer=money`},
		{`Leave a review for the garden chair saying that you have used it for a year`, `act deed=review about=garden+chair value(text)=I have used it for a year.`},
		{`Enter the voucher code "SPRING5" and press Redeem`, "act deed=type value=SPRING5\nact deed=click named=Redeem"},
		// What is told before it is asked for.
		{`The lamp "Dune" is no longer wanted. Remove it.`, `act deed=delete about=lamp named=Dune`},
		{`You no longer want to get "Bath Weekly". Remove this paper.`, `act deed=delete about=paper named=Bath Weekly`},
		{`The boat "Curlew" should be in the class Dinghies. Move it there.`, `act deed=move about=boat named=Curlew new=Dinghies`},
		{`Find out from what age swimmers need a guard with them in the pool.`, `inform about=age+swimmer+guard+pool`},
		{`The bread of 3 May costs 4.20, not 2.40. Correct that in the book.`, `act deed=edit about=bread+3+may in=book new(number)=4.20 old(number)=2.40`},
		{`Uploads should be no bigger than 20 MB. Set that in the settings.`, `act deed=edit about=upload in=setting new(number)=20`},
		{`You use a magnifier. Find out what the shop says about its staff.`, `inform about=shop+say+staff`},
		{`Fill in the short form. Your name is Ida Moor, the visit is in Wales and you live at 4 Oak Road, Bath.`, `act deed=type about=short widget=form value(name)=Ida Moor value=Wales value=4 Oak Road value=Bath`},
		{`Report a fault: open a ticket with the title "Lift stands still"`, `act deed=create about=ticket value(name)=Lift stands still`},
		{`In the page "Boats" change the length from 12 to 14.`, "reach named=Boats widget=page\nact deed=edit about=length in=boat old(number)=12 new(number)=14"},
		{`Put two things on the list: "Salt" and "Soap".`, "act deed=create about=thing count=2 value(text)=Salt\nact deed=create about=thing count=2 value(text)=Soap"},
		{`Take the umbrella off the list.`, `act deed=delete about=umbrella`},
		{`Record what you paid on 2025-02-03: description "Cinema", 12.50 to the account costs:leisure`, `act deed=create about=pay value(date)=2025-02-03 value(text)=Cinema value(amount)=12.50 value=costs:leisure`},
		{`Add a role called "Auditor" that may only see invoices`, `act deed=create about=role value(name)=Auditor choose=see invoices`},
		{`Invite mia@example.com, who can edit pages`, `act deed=share value(email)=mia@example.com choose=edit pages`},
		{`Write a post saying that you can see the sea`, `act deed=create about=post value(text)=I can see the sea.`},
		{`Ida Moor from Bath has joined the crew. Add her to the sailors.`, `act deed=create about=sailor value(name)=Ida Moor value(city)=Bath`},
		{`The boat "Curlow" is misspelled. It is called "Curlew". Correct that in the register.`, `act deed=edit about=boat in=register old=Curlow new=Curlew`},
		{`Give the boat "Heron" the label "leaks".`, `act deed=edit about=boat+label named=Heron new=leaks`},
		{`The sailor Ida Moor has a new phone number, 01632 960 001. Change it.`, `act deed=edit about=sailor named=Ida Moor new(phone)=01632 960 001`},
		{`"Songs of the sea" can wait: pause this one upload.`, `act deed=pause about=upload named=Songs of the sea count=1`},
		{`Nobody wants "Waltzes 1998" any more. Take it out of the list of uploads.`, `act deed=delete about=upload named=Waltzes 1998`},
		{`Somebody entered a sailor named "Sample" only to try things out. Delete this sailor, and nobody else.`, `act deed=delete about=sailor named=Sample`},
		{`Nobody will ever use "Oars of 1890". Delete it from the shed.`, `act deed=delete in=shed named=Oars of 1890`},
		{`The page "Canoes" says that the boathouse opens in May. It is June: correct that.`, `act deed=edit named=Canoes widget=page old=May new=June`},
		{`We swim on Fridays now, no longer on Tuesdays. Correct that in the note "Club".`, `act deed=edit named=Club widget=note old=Tuesdays new=Fridays`},
		{`Write a new note called "Picnic". It should say that we meet at the old mill.`, `act deed=create about=note widget=note value(name)=Picnic value(text)=We meet at the old mill.`},
		{`Put a shelf called "Poems" in the catalogue`, `act deed=create about=shelf in=catalog value(name)=Poems`},
		{`The heater Attic is too loud. Pause it, so that nobody is woken by it in the night.`, `act deed=pause about=heater named=Attic`},
		{`Fill in the long form. You were born on 7 02 1961.`, `act deed=type about=long widget=form value(date)=7 02 1961`},
		{`Fill in the long form as far as the question about your car. Your name is Ida Moor.`, `act deed=type about=long widget=form value(name)=Ida Moor`},
		{`Fill in the long form as far as the question where you live, and answer Wales. Your name is Ida Moor.`, `act deed=type about=long widget=form choose=Wales value(name)=Ida Moor`},
		// Banks.
		{`Transfer 50 euros to Nora Field with the reference "Rent May"`, `act deed=transfer in=nora+field value(amount)=50 euros value=Nora Field value=Rent May`},
		{`Find the balance of the savings account`, `inform about=balance+savings+account answer=money`},
		{`Move $120 from Checking to Savings on 3 March 2027`, `act deed=move in=check+savings value(amount)=$120 new=Savings value(date)=3 March 2027`},
		{`Find out the interest rate of the student loan.`, `inform about=interest+rate+student+loan answer=percent`},
		// Wikis and documentation.
		{`Add the sentence "Keep left." to the article about harbours and save it.`, "act deed=edit in=harbor widget=article value(text)=Keep left.\nact deed=save in=harbor widget=article"},
		{`Undo the last change of the page "Canals"`, `act deed=undo about=last+change named=Canals widget=page`},
		{`Find the description of strings.Cut`, `reach about=strings.cut widget=documentation`},
		{`Find out how to install and remove a plugin`, `inform about=install+remove+plugin howto=true`},
		{`Look up in the glossary what a keel is`, `inform about=keel in=glossary`},
		{`Create a new page called "Lock keepers" with the text "They work at night."`, `act deed=create widget=page value(name)=Lock keepers value(text)=They work at night.`},
		{`Rename the page "Canals" to "Waterways"`, `act deed=rename widget=page old=Canals new=Waterways`},
		{`Search the manual for "timeout"`, `act deed=search about=manual value=timeout`},
		{`Read how to configure a proxy`, `inform about=configure+proxy howto=true`},
		// Forums.
		{`Find the thread about squeaking brakes and reply with "Try some oil."`, "reach about=squeak+brake widget=thread\nact deed=reply value(text)=Try some oil."},
		{`Find out who started the topic "Wet cellar"`, `inform about=start+topic+wet+cellar answer=person`},
		{`Write a post saying that your bike was stolen`, `act deed=create about=post value(text)=My bike was stolen.`},
		{`Vote for the answer by Lena`, `act deed=vote about=answer in=lena`},
		{`Comment "Well done!" on the photo "Dunes"`, `act deed=comment in=dune+photo value(text)=Well done!`},
		// Mail.
		{`Find the message from Ivo and forward it to Mia`, "reach about=ivo widget=message\nact deed=forward about=ivo in=mia widget=message value=Mia"},
		{`Mark the mail from the bank as important`, `act deed=star about=mail in=bank widget=message`},
		{`Move the message "Invoice 7" to the folder Bills`, `act deed=move about=message in=bill named=Invoice 7 widget=message new=Bills`},
		{`Move the mail by Otto to the trash`, `act deed=delete about=mail in=otto widget=message`},
		{`Send a message to the support asking whether they ship to Malta`, `act deed=contact about=support value(text)=I would like to ask whether you ship to Malta.`},
		{`Write to the landlord and ask for a new key`, `act deed=contact about=landlord value(text)=I would like to ask for a new key.`},
		{`Send the firm a message requesting a visit next week`, `act deed=contact about=firm+message widget=message value(text)=I would like to request a visit next week.`},
		{`Tell the editors that you enjoyed their last issue`, `act deed=contact about=editor value(text)=I enjoyed your last issue.`},
		{`Contact the agency: tell them that you would like to hire them`, `act deed=contact about=agency value(text)=I would like to hire you.`},
		// Calendars.
		{`Create an event called "Dentist" on 5 June 2027 at 9:30`, `act deed=create about=event value(name)=Dentist value(date)=5 June 2027 value(time)=9:30`},
		{`Book a table for 4 people on Friday at 7 pm`, `act deed=book about=table widget=table count=4 value(number)=4 value(date)=Friday value(time)=7 pm`},
		{`Move the meeting "Budget" to 14:00`, `act deed=move about=meeting named=Budget new(time)=14:00`},
		{`Delete the appointment with Dr. Weiss`, `act deed=delete about=appointment+dr+weiss`},
		{`Book the shortest flight from: Bern to: Oslo, NO on 02/11/2027.`, `act deed=book about=flight order=shortest value=Bern value=Oslo, NO value(date)=02/11/2027`},
		{`Search for trains from Basel to Lyon on 3 May`, `act deed=search about=train value(search)=trains value=Basel value=Lyon value(date)=3 May`},
		// Boards and to-do lists.
		{`Move the card "Fix the gate" to the column "Done"`, `act deed=move about=card named=Fix the gate widget=card new=Done`},
		{`Assign the ticket "Lamp broken" to Rosa`, `act deed=assign about=ticket in=rosa named=Lamp broken choose=Rosa`},
		{`Mark the task "Water plants" as done`, `act deed=done about=task named=Water plants`},
		{`Add the item "Flour" to the list "Baking"`, `act deed=create about=item in=bake widget=item value(text)=Flour`},
		{`Rename the board Garden to Yard`, `act deed=rename about=board old=Garden new=Yard`},
		{`Delete all completed tasks`, `act deed=delete about=complete+task`},
		{`Change the priority of the ticket "Lamp broken" from Low to High`, `act deed=edit about=priority+ticket named=Lamp broken old=Low new=High`},
		{`Archive the first card in the column "Ideas"`, `act deed=archive about=card in=idea widget=card nth=1`},
		{`Move the card Book the movers to Done.`, `act deed=move about=card named=Book the movers widget=card new=Done`},
		{`Put a new card on the board: "Return the old keys".`, `act deed=create about=card in=board widget=card value(text)=Return the old keys`},
		{`The pupil Rosa Lind has moved to Whitby: change her city.`, `act deed=edit about=city+pupil named=Rosa Lind new=Whitby`},
		{`Add a pupil named Ines Calder from Hull to the collection "pupils".`, `act deed=create about=pupil in=pupil+collection value(name)=Ines Calder value(city)=Hull`},
		{`Put Jonas Weber with the address jonas@example.org in your contacts.`, `act deed=create in=contact value(name)=Jonas Weber value(email)=jonas@example.org`},
		{`Save the link https://example.org/tides under the title "Tide tables".`, `act deed=create about=link value(url)=https://example.org/tides value(name)=Tide tables`},
		{`Change the title of the calendar "Work" to "Office".`, `act deed=edit about=title+calendar named=Work new=Office`},
		{`Change the title of these pages to "Finds".`, `act deed=edit about=title in=setting new=Finds`},
		{`Start the film and turn its sound off.`, "act deed=play about=film\nact deed=off about=sound"},
		// Settings.
		{`Turn the e-mail notifications off`, `act deed=off about=email+notification`},
		{`Enable two-step login in the security settings`, `act deed=on about=two-step+login in=security+setting`},
		{`Set the language to German and save`, "act deed=edit about=language new=German\nact deed=save"},
		{`Open the settings to change the time zone to Tokyo`, "reach about=setting\nact deed=edit about=time+zone new=Tokyo"},
		{`Change your name from Ann Hill to Ann Berg.`, `act deed=edit about=name old(name)=Ann Hill new(name)=Ann Berg`},
		{`Go to Settings > Privacy > Cookies`, `reach about=cookie in=setting+privacy`},
		{`Make sure the newsletter is turned off`, `act deed=off about=newsletter`},
		// Public forms.
		{`Apply for a fishing permit with the name Ida Moss and the date of birth 1990-04-02`, `act deed=apply about=fishing+permit value(name)=Ida Moss value(date)=1990-04-02`},
		{`Find out which documents are needed for a passport`, `inform about=document+needed+passport`},
		{`Sign up for the newsletter with the e-mail address ida@example.org`, `act deed=subscribe value(email)=ida@example.org`},
		{`Register as Ida Moss with the e-mail ida@example.org and the password Sun-99.`, `act deed=signup value(name)=Ida Moss value(email)=ida@example.org value(password)=Sun-99`},
		{`You lost your password. Ask for it to be reset; your user name is ida7.`, `act deed=reset about=password value(username)=ida7`},
		{`Log in with {{email}} and {{password}}`, `act deed=login secret(email)=email secret(password)=password`},
		{`Fill in the form: first name Ida, city Bergen, phone 555-0199`, `act deed=type widget=form value(name)=Ida value=Bergen value(phone)=555-0199`},
		{`Check the box "I agree" and press Continue`, "act deed=check widget=checkbox choose=I agree\nact deed=click named=Continue"},
		// Media.
		{`Play the song "Low Tide"`, `act deed=play about=song named=Low Tide`},
		{`Sort the films by year`, `act deed=sort about=year in=film`},
		{`Show only comedies from 1999`, `act deed=filter about=comedy value(number)=1999`},
		{`Find the newest video about bees`, `reach about=video+bee order=newest`},
		{`Search for thrillers directed by Ava Lund from year 2003`, `act deed=search about=thriller value(search)=thrillers value=Ava Lund value(number)=2003`},
		// Widgets and companies.
		{`Use the slider to choose 7 and click Apply`, "act deed=choose widget=slider choose=7\nact deed=click named=Apply"},
		{`Use the search to find the pages that mention the ferry`, `act deed=search about=ferry widget=page value(search)=ferry`},
		{`Tick the 2nd checkbox and enter "9" into the 3rd text field`, "act deed=check widget=checkbox nth=2\nact deed=type widget=textbox nth=3 value=9"},
		{`Expand the section "Fees" and click the last link.`, "act deed=expand about=section named=Fees widget=section\nact deed=click widget=link nth=-1"},
		{`Please find out the phone number of the clinic, then look at the map.`, "inform about=phone+number+clinic answer=phone\nreach about=map"},
		{`You are looking for the address of the museum`, `inform about=address+museum answer=place`},
		{`When does the library open on Sundays?`, `inform about=library+open+sunday answer=hours`},
		{`Find out when and where the concert takes place`, "inform about=concert+take+place answer=date\ninform about=concert+take+place answer=place"},
		{`Is the pool open in winter?`, `inform about=pool+open+winter answer=state`},
		{`Find a way to cancel a booking`, `inform about=cancel+booking howto=true`},
		{`Open the third picture and download it`, "reach about=picture nth=3\nact deed=download about=picture nth=3"},
		{`Dagordning`, `reach about=dagordning`},
		// How something is to be.
		{`The shelf Garden should be the default shelf from now on.`, `act deed=edit about=shelf named=Garden new=default shelf`},
		{`The note "Shopping" should be called Groceries.`, `act deed=rename about=note old(text)=Shopping new(name)=Groceries`},
		{`Nobody needs the feed "Daily" any more. Remove it.`, `act deed=delete about=feed named=Daily`},
		{`The old draft should be deleted.`, `act deed=delete about=old+draft`},
		{`The card "Tidy up" should be moved to Done.`, `act deed=move about=card named=Tidy up widget=card new=Done`},
		{`Make the board Garden private.`, `act deed=edit about=board named=Garden new=private`},
		{`Make an appointment for Monday`, `act deed=book value(date)=Monday`},
	} {
		g := Parse(c.task, nil)
		var got []string
		for _, s := range g.Subgoals {
			got = append(got, told(s))
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.task, strings.Join(got, "\n     "), strings.ReplaceAll(c.want, "\n", "\n     "))
		}
	}
}

func TestMessagesAreWordedAsTheirWriterWould(t *testing.T) {
	for task, want := range map[string]string{
		"Write to the plumber asking for an estimate for your bathroom.":                    "I would like to ask for an estimate for my bathroom.",
		"Send the shop a message saying that you are unhappy with the chair they sent you.": "I am unhappy with the chair you sent me.",
		"Contact the school to ask whether they have a place for your son.":                 "I would like to ask whether you have a place for my son.",
		"Write a message to the club saying you would like to become a member":              "I would like to become a member.",
		"Get in touch with the studio and tell them that you were there on Monday.":         "I was there on Monday.",
		`Reply to the mail by Jon saying "See you there"`:                                   "See you there",
		"Ask the host about the parking":                                                    "I would like to ask about the parking.",
		"Write a comment saying that you agree with the author.":                            "I agree with the author.",
	} {
		got := ""
		for _, v := range Parse(task, nil).Values {
			if v.Kind == "text" {
				got += v.Text
			}
		}
		if got != want {
			t.Errorf("%s\n got %q\nwant %q", task, got, want)
		}
	}
}

func TestASubgoalIsPutInTheFirstPerson(t *testing.T) {
	for task, want := range map[string]string{
		"Find out how much you pay for your ticket.":     "to know how much I pay for my ticket",
		"You want to change your name to Ida":            "to change my name to Ida",
		"Find out what the school can do for you.":       "to know what the school can do for me",
		"Please, look at the pictures that you uploaded": "to find the pictures that I uploaded",
	} {
		if got := Parse(task, nil).Subgoals[0].Plain(); got != want {
			t.Errorf("%s\n got %q\nwant %q", task, got, want)
		}
	}
}

func TestFieldsAreToldByTheWordsOfTheTask(t *testing.T) {
	for _, c := range []struct{ task, value, hint string }{
		{"Book a flight from: Bern to: Oslo on 3 May", "Oslo", "to"},
		{"Search for trains from Basel to Lyon", "Basel", "from"},
		{"Enter 12 as the number of guests", "12", "number guests"},
		{"Create a task called Milk due on 3 May", "3 May", "due"},
		{"Search for songs written by Ida Moss", "Ida Moss", "written"},
		{"Fill in the form: city Bergen, street Hill Road 3", "Bergen", "city"},
		{"Set the language to German", "German", "language"},
	} {
		found := false
		for _, v := range Parse(c.task, nil).Values {
			if v.Text == c.value {
				found = true
				if got := texts(v.Hint); got != c.hint {
					t.Errorf("%s: %s is hinted at by %q, want %q", c.task, v.Text, got, c.hint)
				}
			}
		}
		if !found {
			t.Errorf("%s: no value %s: %+v", c.task, c.value, Parse(c.task, nil).Values)
		}
	}
}

// TestNamesBehindTheirKind: a word is a name where it stands behind what it is one of.
func TestNamesBehindTheirKind(t *testing.T) {
	for what, name := range map[string]string{
		"Find out how many bytes a value of the type money takes in storage.": "money",
		"Find the page that describes the command vacuum.":                    "vacuum",
		"Show only the recipes that have the tag autumn.":                     "autumn",
		"Find out what type of money the shop takes.":                         "",
	} {
		got := ""
		for _, w := range Parse(what, nil).Subgoals[0].Object {
			if w.Verbatim {
				got = w.Text
			}
		}
		if got != name {
			t.Errorf("%q: the name is %q, want %q", what, got, name)
		}
	}
}
