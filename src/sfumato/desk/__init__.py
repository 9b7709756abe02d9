"""Desks: the local page's interface to folders in which people answer questions.

protocol    what a desk can do
records     what goes back and forth between a desk and the page
registry    the desks that are installed; another package adds one by the entry point `sfumato.desks`
"""
