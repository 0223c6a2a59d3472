#!/bin/sh
# Every script of the site and of the build parses. Node checks a .js file with imports as nothing at all (it exits 0
# on a broken one), so modules go in through standard input, where they can be declared as such.
cd "$(dirname "$0")/../.." || exit 1
failed=0
for file in $(find docs overrides scripts tests \( -name '*.js' -o -name '*.mjs' \) -not -path '*/node_modules/*' | sort); do
    case "$file" in
        *.mjs) kind=module ;;
        *) if grep -qE '^(import|export)[ {*]' "$file"; then kind=module; else kind=commonjs; fi ;;
    esac
    if ! node --input-type=$kind --check < "$file"; then
        echo "$file: does not parse" >&2
        failed=1
    fi
done
exit $failed
