"""Integrations, each in a module that imports no other framework."""
