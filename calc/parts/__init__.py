"""Shared physics, one file per subject. Every function takes and returns traced quantities (`calc.quantity.Q`)."""
