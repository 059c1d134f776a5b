"""Somebody's own draft: what its sentences claim, whether the works that they cite say so, and the draft with remarks."""
