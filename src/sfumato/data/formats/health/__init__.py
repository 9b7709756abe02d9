"""Records of health care, redacted by paths: FHIR as JSON and NDJSON, HL7 version 2.

profile     what is done to each element: a file of rules, checked when it is loaded
pseudonyms  keyed ids and references, and dates that move by one shift for each patient
iso_dates   dates of FHIR, shifted as they are written
pages       XHTML of narratives and attachments: its words, and the page with other words
rewriting   what is done to the strings that a walk meets: collected, or replaced
resources   a resource as objects: its texts in order, and the resource with its edits
scanning    resources as bytes, many at a time, by the compiled loops of `_kernels`: what is done where
splicing    a scanned resource: its texts in order, and its bytes with the edits
streams     resources of a file, one after another: lines, or the entries of a bundle
second_reader  reads a written resource again, by the standard library alone
records     what formats of health records share
formats     FHIR as a format of documents
messages    a message of HL7: its texts in order, and the message with its edits
hl7         HL7 version 2 as a format of documents
"""
