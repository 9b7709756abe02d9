"""The tree of errors; each error is one sentence and, where it helps, a hint.

    SfumatoError
    ├── InputError            the call or the data is wrong                  exit status 2
    │   ├── ParameterError    a parameter is outside its constraint
    │   ├── FormatError       a file cannot be read as what it claims to be
    │   │   └── ModelError    a model directory is damaged or of another version
    │   ├── DataError         the data breaks a rule (span, domain, id, NaN, class)
    │   ├── PlanError         a plan or schema file holds mistakes (all of them, with their paths)
    │   ├── LimitError        a size is beyond a limit that the user can raise
    │   ├── OutputExistsError the output is there already and --force was not given
    │   └── NoCandidateError  no candidate of a frontier meets the request
    └── WorkError             the work itself failed                         exit status 1
        ├── WithheldError     some records could not be processed and were not published
        ├── ReleaseRefusedError  the output measured worse than promised       exit status 3
        ├── InputChangedError the input is no longer what it was when the work began
        └── LockedError       another run is writing to this output

Messages hold counts, offsets, ids of records and names of columns, never a value taken from the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .printing import printable

__all__ = [
    "DataError",
    "FormatError",
    "FormerSpellingWarning",
    "InputChangedError",
    "InputError",
    "LimitError",
    "LockedError",
    "ModelError",
    "NoCandidateError",
    "OutputExistsError",
    "ParameterError",
    "PlanError",
    "PrivacyWarning",
    "ReleaseRefusedError",
    "SfumatoError",
    "UnreadFilesWarning",
    "WithheldError",
    "WorkError",
    "did_you_mean",
]


class SfumatoError(Exception):
    """Base of all errors that sfumato raises on purpose.

    Parameters
    ----------
    message : str
        One sentence.
    hint : str, optional
        What to do about it.

    Examples
    --------
    >>> print(InputError("The file is empty.", hint="Give at least one document."))
    The file is empty. Hint: Give at least one document.

    """

    exit_status = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        # A name of a file or a column may hold what a terminal would obey.
        message = printable(message)
        super().__init__(message)
        self.message = message
        self.hint = None if hint is None else printable(hint)

    def __str__(self) -> str:
        return f"{self.message} Hint: {self.hint}" if self.hint else self.message


class InputError(SfumatoError):
    """The call or the input is wrong; nothing was written."""

    exit_status = 2


class ParameterError(InputError, ValueError):
    """A parameter is outside its constraint.

    >>> raise ParameterError.constraint("k", "GreedySelector", "an int in [2, inf)", 0)
    Traceback (most recent call last):
    sfumato.core.errors.ParameterError: The 'k' parameter of GreedySelector must be an int in \
[2, inf). Got 0 instead.
    """

    @classmethod
    def constraint(
        cls, name: str, owner: str, rule: str, got: object, *, hint: str | None = None
    ) -> ParameterError:
        """Build the error in the one grammar used everywhere."""
        return cls(
            f"The {name!r} parameter of {owner} must be {rule}. Got {got!r} instead.", hint=hint
        )


class FormatError(InputError):
    """A file is not of the kind that it claims to be."""


class ModelError(FormatError):
    """A model directory is damaged, incomplete or of another version."""


class DataError(InputError, ValueError):
    """The data breaks a rule: a span, a domain, an id, a NaN, a class without examples."""


class PlanError(InputError):
    """A plan or schema file holds mistakes; all of them are listed with the path of their key."""

    def __init__(
        self, message: str, *, mistakes: Sequence[str] = (), hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.mistakes = tuple(printable(mistake) for mistake in mistakes)

    def __str__(self) -> str:
        lines = [self.message, *(f"  - {mistake}" for mistake in self.mistakes)]
        if self.hint:
            lines.append(f"Hint: {self.hint}")
        return "\n".join(lines) if self.mistakes else super().__str__()


class LimitError(InputError):
    """A size is beyond a limit; the hint says how to raise it."""


class OutputExistsError(InputError):
    """The output is there already."""


class NoCandidateError(InputError):
    """No candidate of the frontier meets the request."""


class WorkError(SfumatoError):
    """The work failed; what could not be processed was not published."""


class WithheldError(WorkError):
    """Some records could not be processed; they were left out, or withheld from the release."""


class ReleaseRefusedError(WorkError):
    """The output, measured again, was worse than promised, and was not published."""

    exit_status = 3


class InputChangedError(WorkError):
    """The input has changed since the work began."""

    def __init__(self) -> None:
        super().__init__("The input changed while it was published.", hint="start again.")


class LockedError(WorkError):
    """Another run is writing to the same output."""


class PrivacyWarning(UserWarning):
    """A choice that weakens privacy was made, or releases compose."""


class UnreadFilesWarning(UserWarning):
    """Files of a folder, or records of a corpus, cannot be read and are left out."""


class FormerSpellingWarning(FutureWarning):
    """An option, a key or an argument is spelled as in an earlier version."""


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """Return a hint with the known names that may have been meant.

    >>> did_you_mean("agee", ["age", "sex"])
    'did you mean one of these: age, sex?'
    """
    from difflib import get_close_matches

    names = list(known)
    near = get_close_matches(wrong, names, n=3, cutoff=0.6)
    if len(near) == 1 and len(names) > 3:
        return f"did you mean {near[0]!r}?"
    shown = near or names[:8]
    if len(names) <= 8:
        shown = names
    return f"did you mean one of these: {', '.join(shown)}?"
