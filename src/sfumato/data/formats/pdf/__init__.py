"""PDF: read in several orders, cut inside its content streams, and read back by a second library.

    bytes ─ sanitise ─▶ clean bytes ─ read ─▶ text with a place per character, further orders
    edits ─ interpret ─▶ glyphs ─ match ─▶ what goes ─ cut, fonts, raster ─▶ bytes ─ verify

Only `sanitise`, `cut`, `fonts` and `raster` write; `verify` shares no code with them. pikepdf, pypdfium2, fontTools
and pdfminer.six are the extra `pdf` and are imported when a PDF is first read.
"""
