"""The estimators, one file per question, in a folder per chapter; found by file name, listed nowhere."""
