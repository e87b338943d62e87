"""All cases, in the order of their files."""

from . import freshness, directives, vary, validation, fields, changes, parts, stale, others
from .table import CASES
