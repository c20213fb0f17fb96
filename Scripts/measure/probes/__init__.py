"""Measuring instruments for links between network namespaces of one machine."""
