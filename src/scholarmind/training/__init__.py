"""Turns the runs of a library into examples that a small model can be trained on: as router, planner, filter or decision maker."""
