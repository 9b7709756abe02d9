"""Scanned pages: read by a recogniser, and published as new pictures that hold only what was read.

    page ─ draw ─▶ grey picture ─ recogniser ─▶ words with boxes ─ trust ─▶ text with a place per character
    edits ─ paint ─▶ white paper, the words that stay, boxes over what goes, grey where nobody could read

A recogniser is a plug-in (`sfumato.recognisers`); the one of the extra `ocr` is Tesseract, in a separate process.
"""
