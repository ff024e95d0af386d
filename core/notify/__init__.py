"""Tells of a run somebody who is elsewhere: by mail, by webhook, and by a file that Prometheus reads."""
