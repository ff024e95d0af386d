"""Why the operating system refused, in the program's own words.

The system's words follow the language of the machine as soon as a library asks for it (Qt does): half a sentence of
ours would be French, and what a program looks for in them would not be found.
"""

from __future__ import annotations

import errno

from core.language import tr

_WORDS = {
    "ENOENT": tr("there is no such file or folder"),
    "EACCES": tr("permission denied"),
    "EPERM": tr("permission denied"),
    "EISDIR": tr("it is a folder"),
    "ENOTDIR": tr("a part of its path is not a folder"),
    "EEXIST": tr("it is there already"),
    "ENOTEMPTY": tr("the folder is not empty"),
    "ENAMETOOLONG": tr("its name is too long"),
    "ELOOP": tr("its links lead in a circle"),
    "ENOSPC": tr("the disk is full"),
    "EDQUOT": tr("the disk quota is used up"),
    "EFBIG": tr("the file is too large"),
    "EROFS": tr("the disk is read-only"),
    "EIO": tr("input/output error"),
    "EINVAL": tr("the system does not take that"),
    "EBUSY": tr("it is in use"),
    "ETXTBSY": tr("it is in use"),
    "EMFILE": tr("too many files are open"),
    "ENFILE": tr("too many files are open"),
    "ENOMEM": tr("there is not enough memory"),
    "EAGAIN": tr("the system has no room for more at the moment"),
    "EWOULDBLOCK": tr("the system has no room for more at the moment"),
    "ENOEXEC": tr("it is not a program of this system"),
    "ENODEV": tr("there is no such device"),
    "ENXIO": tr("there is no such device"),
    "EXDEV": tr("it lies on another disk"),
    "ESTALE": tr("the network drive has lost it"),
    "ETIMEDOUT": tr("there was no answer in time"),
    "ECONNREFUSED": tr("nobody answers there"),
    "EADDRINUSE": tr("the address is in use"),
    "EPIPE": tr("nobody listens any more"),
    "ENOTSUP": tr("that is not possible there"),
    "EOPNOTSUPP": tr("that is not possible there"),
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
    return _WORDS.get(name) or tr("the system says {name}", name=name)
