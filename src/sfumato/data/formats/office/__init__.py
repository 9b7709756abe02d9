"""Word documents, spreadsheets, slides and OpenDocument texts, redacted in place.

zipped      reading a hostile zip in bounded memory, and writing one that is the same each time
package     which parts are reached, and by which relationships; all others are dropped
attributes  which attributes stay, which are text, which are dropped
cleaning    what every kind of part loses before it is read
styles, fields, bookmarks  of text documents
sheets, formulas  of spreadsheets
walking     the text of a tree, and the place of each stretch of it
second_reader  reads a written file again, by the standard library alone
formats     the formats themselves, which load none of this before it is needed
"""
