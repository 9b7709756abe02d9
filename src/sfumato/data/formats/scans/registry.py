"""The registry of recognisers; listing the names loads none of them."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b

from ....core.errors import InputError
from ....core.registry import Registry
from .orientation import ReadPicture, read_upright
from .protocol import Picture, Recogniser

__all__ = ["RECOGNISERS", "PictureReader", "picture_reader"]

RECOGNISERS: Registry[type[Recogniser]] = Registry(
    "recogniser",
    {"tesseract": f"{__package__}.tesseract:Tesseract"},
    group="sfumato.recognisers",
)
"""What reads pictures, by name: each is called without arguments."""
_REMEMBERED = 2_000  # pages whose words are kept: a page is read, written and perhaps sampled


class PictureReader:
    """Reads pages upright by one recogniser, and remembers the words of the last ones.

    Parameters
    ----------
    recogniser : Recogniser
        What reads.

    """

    def __init__(self, recogniser: Recogniser) -> None:
        self.recogniser = recogniser
        self._known: OrderedDict[bytes, ReadPicture] = OrderedDict()

    def read(self, picture: Picture, dpi: int) -> ReadPicture:
        """Return a page turned upright, and its words."""
        key = blake2b(picture.tobytes(), salt=b"%d" % dpi, digest_size=16).digest()
        if key not in self._known:
            self._known[key] = read_upright(self.recogniser, picture, dpi)
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return self._known[key]


_readers: dict[str, PictureReader] = {}


def picture_reader() -> PictureReader | None:
    """Return what reads pictures here: the first recogniser that is installed; None where there is none.

    One that another package registers comes before sfumato's own: it was installed on purpose.
    """
    own = "tesseract"
    for name in sorted(RECOGNISERS, key=lambda n: (n == own, n)):
        if name in _readers:
            return _readers[name]
        try:
            _readers[name] = PictureReader(RECOGNISERS[name]())
        except InputError:
            continue
        return _readers[name]
    return None
