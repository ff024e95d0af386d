"""Why the operating system refused, in the program's own words.

The system's words follow the language of the machine as soon as a library asks for it (Qt does): half a sentence of
ours would be French, and what a program looks for in them would not be found.
"""

from __future__ import annotations

import errno

_WORDS = {
    "ENOENT": "there is no such file or folder",
    "EACCES": "permission denied",
    "EPERM": "permission denied",
    "EISDIR": "it is a folder",
    "ENOTDIR": "a part of its path is not a folder",
    "EEXIST": "it is there already",
    "ENOTEMPTY": "the folder is not empty",
    "ENAMETOOLONG": "its name is too long",
    "ELOOP": "its links lead in a circle",
    "ENOSPC": "the disk is full",
    "EDQUOT": "the disk quota is used up",
    "EFBIG": "the file is too large",
    "EROFS": "the disk is read-only",
    "EIO": "input/output error",
    "EINVAL": "the system does not take that",
    "EBUSY": "it is in use",
    "ETXTBSY": "it is in use",
    "EMFILE": "too many files are open",
    "ENFILE": "too many files are open",
    "ENOMEM": "there is not enough memory",
    "EAGAIN": "the system has no room for more at the moment",
    "EWOULDBLOCK": "the system has no room for more at the moment",
    "ENOEXEC": "it is not a program of this system",
    "ENODEV": "there is no such device",
    "ENXIO": "there is no such device",
    "EXDEV": "it lies on another disk",
    "ESTALE": "the network drive has lost it",
    "ETIMEDOUT": "there was no answer in time",
    "ECONNREFUSED": "nobody answers there",
    "EADDRINUSE": "the address is in use",
    "EPIPE": "nobody listens any more",
    "ENOTSUP": "that is not possible there",
    "EOPNOTSUPP": "that is not possible there",
}
"""By the names of errno(3), since their numbers differ between systems."""


def reason_of(error: OSError) -> str:
    """What follows "cannot be read: " in a sentence, without a full stop.

    An error without words here is told by the name of its number, one without a number by its own text (a library made
    it, in English), else by its class.
    """
    if error.errno is None:
        return str(error).rstrip(".") or type(error).__name__
    name = errno.errorcode.get(error.errno, f"errno {error.errno}")
    return _WORDS.get(name) or f"the system says {name}"
