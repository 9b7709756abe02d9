"""Reports: facts first (a plain record), then one page and one certificate made from nothing else.

folders → facts → words and charts → report.html and report.pdf; facts.json is the facts themselves.
"""

from .report import Report, report
from .writing import ReportForm, write_report

__all__ = ["Report", "ReportForm", "report", "write_report"]
