"""Power at the wall, as a meter there tells it: a UPS, a PDU or a plug behind a NUT server."""
