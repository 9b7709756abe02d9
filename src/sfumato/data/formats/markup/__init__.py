"""Pages and records in markup, redacted in place: HTML, XML such as CDA, OpenDocument texts and rich text.

walking     text, tails and attributes of a tree as one string
pages       HTML
records     XML
opendocument  the parts of an .odt file
rich_text   RTF
second_reader  reads a written file again, by the standard library alone
formats     the formats themselves, which load none of this before it is needed
"""
