"""Repositories elsewhere: their URLs, schedules, clones of ours, and what is told of them."""
