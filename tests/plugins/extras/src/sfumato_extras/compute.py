"""A compute engine: one batch after the other, in the thread of the caller."""

from sfumato.compute.local import Local


class Serial(Local):
    name = "serial"

    def map_batches(self, function, batches, *, shared=None):
        for batch in batches:
            yield function(batch) if shared is None else function(shared, batch)
