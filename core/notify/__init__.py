"""Tells of a run somebody who is elsewhere: by webhook, by mail, by chat, and by a file that Prometheus reads."""
