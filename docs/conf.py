"""Build the documentation: `sphinx-build -W docs docs/_build`."""

from sfumato import __version__

project = "sfumato"
author = "the sfumato authors"
release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
autodoc_typehints = "description"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "sfumato"
html_show_search_summary = (
    False  # a summary is fetched page by page, which a site without a server cannot do
)
exclude_patterns = ["_build"]
