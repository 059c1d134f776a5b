"""One library for a group of people and for other programs: `scholarmind serve`.

The server answers over HTTP and holds no model. Worker processes, its children, hold them and do the work. What both share is in two
files of the library: `service.db` (keys, jobs) and `runs.db` (what happened in each run). Only the command line imports any of it.
"""
