"""The sentences and sheets of which clinic notes are put together; `{slots}` are filled by people,
dates, numbers and prose. A slot in capitals is labelled with that kind; the others are ordinary text.
"""

from __future__ import annotations

__all__ = ["CLOSINGS", "HEADERS", "MENTIONS", "OF_ROW", "PROSE", "SHEETS"]

# Prose without anyone in it, but full of words that are names elsewhere.
PROSE = """
Will review in {n} weeks.
Will need blood tests before discharge.
May return to work on a short trial.
May be discharged if the pain is mild.
Hope to stop {drug} after {n} days.
Long history of {condition}, well controlled.
Long and frank talk about diet.
Young adults with {eponym} are seen in {place}.
Brown sputum, small amount, no blood.
Rose from the chair without a hand.
Mark on the left foot is fading.
Grant of sick pay was discussed.
Sandy deposit in the urine, stone not ruled out.
White cells {d}.{d}, within the good range.
Black stools denied, green sputum reported.
He was seen in {place} and in good spirits.
He denies fever, cough or cold hands.
Dose of {drug} is now {dose} mg at night.
{drug} {dose} mg was started, {drug} stopped.
Pain {d}/10 at rest, worse on the hill near home.
BP {bp}, pulse {pulse}, temp 3{d}.{d}.
Sharp pain in the heart region, ECG normal.
Signs of {eponym} were looked for and not found.
Known {eponym}, stable on {drug}.
Family history of {eponym} on one side.
Weber test is central, Rinne test positive.
Bell rung for the nurse at night, twice.
Bed {n} in {place} was free by noon.
Lives near the church, opposite the park, on a small lane.
Lives in a house at the end of a long street.
Walks with a stick, cook at home helps on week days.
Page the ward if the rash spreads.
Cross match done, {n} units held.
Major bleed unlikely. Price of the new drug was raised.
Joy in small things has come back, sleep is sound.
Faith and family are a strong support.
Summer cold has settled; winter cough is back.
Chance of surgery is small at this stage.
Case discussed at the day meeting.
Art therapy on weeks {n} and {n2}, ball games in the hall.
Heart sounds normal, head and neck clear.
Angel of the scan was changed to see the joint.
Ginger tea helps the nausea, olive oil for the ear.
Iris of the left eye is bright, cornea clear.
Penny sized lesion on the right hand, clay coloured.
Heath visitor informed, good plan in place.
Hand grip strong, foot pulses present, skin dry.
Do not resume {drug} before {n} weeks.
In so far as we can tell the wound is clean.
An ultrasound on Ward {d} showed no stone.
So far no growth from cultures {n} and {n2}.
Bridges and caps on two teeth; root canal planned.
Weeks of poor sleep, day time naps of {n} minutes.
Butcher by trade, then a baker, now a keen fisher.
Carpenter by trade; walker and rider in summer.
Rich diet, little exercise, best advice given.
Temple tenderness absent; still waiting for ESR.
Graves disease was excluded by the last TSH of {d}.{d}.
Parkinson features: none. Hodgkin work up negative.
Snow blindness and frost injury in the past.
Pat dry and dress the burn; change after {n} hours.
Dean of students has been told with consent.
Guy ropes were the cause of the fall at the camp site.
Discharged to Hill House with {drug} {dose} mg.
Temp chart from {place} was lost in the storm.
Room {n}{d}{d}, extension below, after the lunch break.
Code {d}{d}{d}{d} on the pump, lot {d}{d}{d}{d}{d}{d} noted.
Weight {pulse} kg, height 1{d}{d} cm, BMI {n}.
Glucose {d}.{d} at {n} hours and {d}.{d} at {n2} hours.
Seen with {complaint}; {condition} is likely.
Presents with {complaint} for {n} days.
Follow up for {condition}. No change of {drug}.
Refer to {place} for {complaint}.
Cultures {d}{d}{d} {d}{d}{d} {d}{d}{d}{d} pending on the system.
Take {drug} {dose} mg with {n} ml of water.
""".strip().splitlines()

# Sentences with people and other sensitive things.
MENTIONS = """
{NAME:patient} presents with {complaint} for {n} days.
{NAME:patient} reports {complaint}, worse at night.
{NAME:patient} returned after {n} weeks on {drug}.
{NAME:patient} will be seen in {place}.
{title} {NAME:family} is a {age} year old with {condition}.
{title} {NAME:family} was reviewed today.
{title} {NAME:family} may go home on {drug} {dose} mg.
{title} {NAME:family}'s pain is {d}/10.
I saw {NAME:patient} and {poss} {relation} {NAME:relative} in {place}.
{Poss} {relation} {NAME:relative} gave the history.
{Relation} {NAME:relative} can be reached on {PHONE:phone}.
Spoke to {NAME:relative} ({relation}) on {PHONE:phone}.
Spoke to {NAME:colleague} about {drug}.
Spoke with {NAME:patient} by phone.
Seen by {NAME:colleague} on {DATE:date}.
Seen with Dr {NAME:colleague_family} on the round.
D/W {NAME:colleague_family}, agrees with the plan.
d/w {NAME:initials}, agrees.
Handed over to {NAME:colleague} at {clock}.
Plan agreed with {NAME:patient} and {NAME:relative}.
{NAME:colleague} will call {NAME:relative} with the result.
{NAME:relative} will bring {drug} from home.
{NAME:given} says that the {complaint_short} is better.
{NAME:given} is keen to go home.
{NAME:given} and {NAME:relative} asked about {eponym}.
{NAME:given} has been told; {NAME:relative} is coming at {n}.
{NAME:given} rose late and had {complaint}.
Thank you for asking me to see {NAME:patient}.
Many thanks for referring {title} {NAME:family}, born {DATE:date}.
Last seen on {DATE:date} with {condition}.
Admitted {DATE:date}, discharged {DATE:date}.
Next visit {DATE:date} in {place}.
Operation on {DATE:date} under {title} {NAME:colleague_family}.
Results of {DATE:date} were sent to {EMAIL:email}.
Please mail {EMAIL:email} or ring {PHONE:phone}.
Call {PHONE:phone} before {n} pm.
Moved to {ADDRESS:address} last month.
Lives at {ADDRESS:address} with {poss} {relation}.
Old records under {ID:id}, new number {ID:id}.
Sample {ID:id} taken {DATE:date}.
Insurance {ID:id} has been checked.
Nurse {NAME:colleague_family} changed the dressing.
Sister {NAME:colleague_family} rang {NAME:relative}.
Bloods taken by {NAME:initials}, sent {DATE:date}.
cc {NAME:colleague}, {place}
GP: {NAME:colleague}, {PHONE:phone}
Carer {NAME:relative_given} has the key.
{NAME:relative_given}, the {relation}, is worried about {drug}.
Not to be confused with {NAME:other} in bed {n}.
Wrong notes filed: belong to {NAME:other}, {ID:id}.
{NAME:family} c/o {complaint}, given {drug}.
{NAME:family} declined {drug}.
pt {NAME:family} seen, {condition}, no new issues
According to {NAME:relative_given} the fall was in the kitchen.
""".strip().splitlines()

HEADERS = (
    "Name: {NAME:full}\nDOB: {DATE:birth}\nMRN: {ID:id}\n\n",
    "PATIENT: {NAME:full}    NO: {ID:id}\nADDRESS: {ADDRESS:address}\nTEL: {PHONE:phone}\n\n",
    "Re: {NAME:full}, d.o.b. {DATE:birth}, {ADDRESS:address}\n\n",
    "{NAME:full} | {DATE:birth} | {ID:id}\n",
    "{DATE:date}  {place}\n",
    "Ward round {DATE:date}, {NAME:colleague}\n",
    "From: {NAME:colleague} <{EMAIL:email}>\nSubject: {NAME:family}, {condition}\n\n",
    "Patient {NAME:full} ({age}), {place}\n\n",
    "",
    "",
    "",
)

CLOSINGS = (
    "\n\nSigned: {NAME:colleague}",
    "\n\nYours sincerely,\n{NAME:colleague}\n{place}\nTel. {PHONE:phone}",
    "\n\n{NAME:initials}",
    "\n-- {NAME:colleague}, {EMAIL:email}",
    "\n\nDictated by {NAME:colleague_family}, typed {DATE:date}",
    "\n{NAME:colleague_given}",
    "",
    "",
    "",
)

# Whole short sheets of other kinds.
SHEETS = (
    "Phone note {DATE:date}: {NAME:relative} rang about {NAME:patient}, {complaint}. Ring back on {PHONE:phone}.",
    "Lab {ID:id}\n{NAME:full}\nNa 1{d}{d}  K {d}.{d}  Hb 1{d}{d}\nchecked {NAME:initials}",
    "handover: {NAME:family} bed {n}, {NAME:other_family} bed {n2}, {NAME:third_family} home {DATE:date}",
    "Dear {NAME:colleague_given},\n\nthank you for seeing {NAME:patient} at {ADDRESS:address}. {prose}\n\n{NAME:initials}",
    "Bed {n}  {NAME:full}  {condition}\nBed {n2}  {NAME:other}  {complaint}\nBed {d}  empty  cleaned",
    "Appointment {DATE:date} {place}: {NAME:full}, {PHONE:phone}, {EMAIL:email}",
    "{prose} {prose} {prose}",
    "{prose} {prose}",
)

# What a note of a register's row begins with.
OF_ROW = (
    "{title} {NAME:family} is a {age} year old with {condition}.",
    "{title} {NAME:family}, {age}, was reviewed today.",
    "A {age}-year-old from {area}, seen with {complaint}.",
    "{NAME:patient} ({age}) presents with {complaint}.",
    "{NAME:given} is {age} and lives in {area}.",
    "Aged {age}, known {condition}.",
    "{age} y/o with {complaint}.",
    "{title} {NAME:family} from {area} was seen on {DATE:date}.",
)
