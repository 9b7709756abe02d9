"""An attacker of the text engine: a learner that is turned against the release."""

from .learner import Capital


def capital():
    return Capital()
