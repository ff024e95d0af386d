"""Why the operating system refused, in the program's own words.

The system's words follow the language of the machine as soon as a library asks for it (Qt does): half a sentence of
ours would be French, and what a program looks for in them would not be found.
"""

from __future__ import annotations

import errno

from core.words import tr

_WORDS = {
    "ENOENT": tr("there is no such file or folder"),
    "EACCES": tr("permission denied"),
    "EPERM": tr("permission denied"),
    "EISDIR": tr("it is a folder"),
    "ENOTDIR": tr("part of its path is not a folder"),
    "EEXIST": tr("it already exists"),
    "ENOTEMPTY": tr("the folder is not empty"),
    "ENAMETOOLONG": tr("its name is too long"),
    "ELOOP": tr("its links form a loop"),
    "ENOSPC": tr("the disk is full"),
    "EDQUOT": tr("the disk quota is used up"),
    "EFBIG": tr("the file is too large"),
    "EROFS": tr("the disk is read-only"),
    "EIO": tr("input/output error"),
    "EINVAL": tr("the system does not accept that"),
    "EBUSY": tr("it is in use"),
    "ETXTBSY": tr("it is in use"),
    "EMFILE": tr("too many files are open"),
    "ENFILE": tr("too many files are open"),
    "ENOMEM": tr("there is not enough memory"),
    "EAGAIN": tr("the system is out of resources at the moment"),
    "EWOULDBLOCK": tr("the system is out of resources at the moment"),
    "ENOEXEC": tr("it is not a program for this system"),
    "ENODEV": tr("there is no such device"),
    "ENXIO": tr("there is no such device"),
    "EXDEV": tr("it is on another disk"),
    "ESTALE": tr("the network drive no longer has it"),
    "ETIMEDOUT": tr("there was no answer in time"),
    "ECONNREFUSED": tr("the connection was refused"),
    "EADDRINUSE": tr("the address is in use"),
    "EPIPE": tr("the other side closed the connection"),
    "ENOTSUP": tr("that is not supported there"),
    "EOPNOTSUPP": tr("that is not supported there"),
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
