"""
Every error that we raise on purpose:

* ScholarMindError
  x SettingsError          a setting is unknown or has an impossible value
    + MissingExtraError      a package is not installed that is an extra of ours
  x QueryError             a question, filter or dataset cannot be used as it stands
  x PlanError              a plan asks nothing, or its parts wait for each other
  x ReadError              a file cannot be read as what it claims to be
  x CatalogueError         an on-line catalogue cannot be asked now
  x ClusterError           the machines that are to read for us cannot be reached, or do not fit
    + WorkerLostError        a process there died with its task, as often as it was tried
  x ModelError             the embedder or a language model failed
    + ModelUnavailableError  it could not be reached, or refused
    + ModelReplyError        what it replied cannot be used, also after repairs
    + ContextOverflowError   what it was given is too long for it
    + BudgetError            no call, token, second or money is left for it
  x LibraryError           something about the library on disk
    + LibraryLockedError     somebody else is writing
    + LibraryMismatchError   made with another embedder, or by a newer version
    + LibraryStorageError    disk full, read-only, or damaged

A message says what happened, with the value, and what to do about it.
"""

from typing import Any

# What a mistake of ours raises. Catch it around one step of many, and tell which step it cost: never the whole document.
MISTAKES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


class ScholarMindError(Exception):
    """Base of all of the above; catching it catches everything that we raise."""


class SettingsError(ScholarMindError):
    """A setting is wrong; the message names it and what would be right."""


class MissingExtraError(SettingsError, ImportError):
    """What works within another program needs that program, which one of our extras installs."""

    def __init__(self, extra: str, missing: ImportError) -> None:
        super().__init__(
            f"scholarmind.{extra} needs {missing.name or missing}, which is not installed; "
            f"run: pip install 'scholarmind[{extra}]'"
        )


class QueryError(ScholarMindError):
    """A question or filter cannot be used."""


class PlanError(ScholarMindError):
    """A plan cannot be carried out as it stands."""


class ReadError(ScholarMindError):
    """A document could not be read; `advice` says what its owner can do."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(f"{reason}; {advice}")
        self.reason = reason
        self.advice = advice


class CatalogueError(ScholarMindError):
    """An on-line catalogue cannot be asked now; what it would have said stays open."""


class ClusterError(ScholarMindError):
    """Other machines cannot work for us; what they had done is stored, and the rest is done by the next `add`."""


class WorkerLostError(ClusterError):
    """A task took its process with it, or lost its machine, as often as it was tried."""


class ModelError(ScholarMindError):
    """A model failed. What it had replied before is paid for all the same: `calls` replies, with a `usage` (None: nothing)."""

    usage: Any = None  # a scholarmind.calls.Usage
    calls: int = 0


class ModelUnavailableError(ModelError):
    """A model endpoint could not be reached or refused to work."""


class ModelReplyError(ModelError):
    """A model replied something that cannot be used."""


class ContextOverflowError(ModelError):
    """A model was given more than it can read."""


class BudgetError(ModelError):
    """What may be spent on a question is spent; the message names the limit."""


class LibraryError(ScholarMindError):
    """Something about the library on disk."""


class LibraryLockedError(LibraryError):
    """Another process (named in the message) is writing."""


class LibraryMismatchError(LibraryError):
    """The library was made with other parts than those that would use it now."""


class LibraryStorageError(LibraryError):
    """The disk is full or read-only, or a file is damaged."""
