"""Who is at the other end of a Unix socket, as the kernel says."""

from __future__ import annotations

import socket
import struct
import sys

_UCRED = struct.Struct("3i")
_SOL_LOCAL = 0
_LOCAL_PEERCRED = 1
_XUCRED = struct.Struct("Ii")


def peer_uid(sock: socket.socket) -> int | None:
    """Return the user id of the peer, or None where the system cannot say.

    On Linux these are the credentials at connect (or listen, seen from a client); macOS gives
    the effective user id. Raises OSError when the socket is gone.
    """
    platform: str = sys.platform  # a plain string, or the type checker drops the other systems
    if platform == "linux":
        data = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size)
        _, uid, _ = _UCRED.unpack(data)
        return int(uid)
    if platform == "darwin":
        version, uid = _XUCRED.unpack_from(sock.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, 76))
        return int(uid) if version == 0 else None
    return None
