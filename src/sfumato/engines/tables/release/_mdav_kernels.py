"""Maximum distance to average vector (MDAV): points in groups of people who are near each other."""

from __future__ import annotations

import numpy as np

from ...._jit import njit

__all__ = ["group_points"]


@njit(cache=True)
def _far_from(points, left, many, centre):
    """Return the place in `left` of the point farthest from a centre, the first of equals."""
    best, at = -1.0, 0
    for i in range(many):
        distance = 0.0
        for d in range(points.shape[1]):
            gap = points[left[i], d] - centre[d]
            distance += gap * gap
        if distance > best:
            best, at = distance, i
    return at


@njit(cache=True)
def _take_around(points, people, left, many, centre, k, group, number, rows, held):
    """Put the nearest points of `k` different people into a group; return the points and people that are left."""
    distance = np.empty(many)
    for i in range(many):
        total = 0.0
        for d in range(points.shape[1]):
            gap = points[left[i], d] - centre[d]
            total += gap * gap
        distance[i] = total
    inside = 0
    while inside < k:
        near = np.argmin(distance)
        person = people[left[near]]
        if held[person] != number:
            held[person] = number
            inside += 1
        group[left[near]] = number
        distance[near] = np.inf
    gone, kept = 0, 0
    for i in range(many):
        point = left[i]
        if group[point] == number:
            rows[people[point]] -= 1
            if rows[people[point]] == 0:
                gone += 1
        else:
            left[kept] = point
            kept += 1
    return kept, gone


@njit(cache=True)
def group_points(points, people, k):
    """Return the group of each point: every group holds points of at least `k` different people.

    `points` has one row a point, `people` numbers whose point it is from 0; there are at least `k` people.
    """
    many = points.shape[0]
    group = np.full(many, -1, dtype=np.int64)
    left = np.arange(many)
    persons = 0
    for i in range(many):
        persons = max(persons, people[i] + 1)
    rows = np.zeros(persons, dtype=np.int64)
    held = np.full(persons, -1, dtype=np.int64)
    for i in range(many):
        rows[people[i]] += 1
    waiting = 0
    for person in range(persons):
        if rows[person] > 0:
            waiting += 1
    number = 0
    centre = np.empty(points.shape[1])
    while waiting >= 2 * k:
        for d in range(points.shape[1]):
            total = 0.0
            for i in range(many):
                total += points[left[i], d]
            centre[d] = total / many
        first = points[left[_far_from(points, left, many, centre)]].copy()
        two = waiting >= 3 * k
        other = points[left[_far_from(points, left, many, first)]].copy()
        many, gone = _take_around(points, people, left, many, first, k, group, number, rows, held)
        waiting -= gone
        number += 1
        if two:
            many, gone = _take_around(
                points, people, left, many, other, k, group, number, rows, held
            )
            waiting -= gone
            number += 1
    for i in range(many):
        group[left[i]] = number
    return group
