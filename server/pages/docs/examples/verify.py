"""Checks the signature of a webhook delivery. Python 3.8 or newer, nothing else.

    WEBHOOK_SECRET=whsec_... python3 verify.py TIMESTAMP SIGNATURE < body
"""

import hashlib
import hmac
import os
import sys
import time

TOLERANCE_SECONDS = 300


def is_genuine(secret, timestamp, signatures, body):
    """signatures: X-Service-Signature and, if there is one, X-Service-Signature-Previous. body: the received bytes."""
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = b"v1=" + timestamp.encode() + b"\n" + body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return any(hmac.compare_digest(expected.encode(), given.encode()) for given in signatures)


if __name__ == "__main__":
    timestamp, *signatures = sys.argv[1:]
    genuine = is_genuine(os.environ["WEBHOOK_SECRET"], timestamp, signatures, sys.stdin.buffer.read())
    sys.exit(0 if genuine else 1)
