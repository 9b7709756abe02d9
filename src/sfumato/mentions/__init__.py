"""What a note says of the person it is about, and how it is brought into the bands of a published table.

A mention means a set of values: an interval of ages or of days, a place, a word. It undercuts a table where that set does
not hold the whole band that the table publishes; it contradicts the record where the set does not hold its value. `rewrite`
puts what undercuts into the band, in the mention's own form.
"""

from .own import Band, OwnValues, OwnWord
from .rewriting import Rewording, Rewritten, rewrite

__all__ = ["Band", "OwnValues", "OwnWord", "Rewording", "Rewritten", "rewrite"]
