#!/bin/sh
# Every requirement of spec/requirements.md is cited by a test, and every number a test cites is a requirement.
# usage: spec/check-citations.sh [REQUIREMENTS]
# Prints the numbers nobody cites, and the citations of numbers that do not exist; exit code 1 when there are any.
#
# Tests are: files of a tests/ folder, inline `#[cfg(test)]` modules and the files they name, text scripts (*.txt)
# and interop/*.mjs. A citation stands in a comment (`//`, `#`, or a `*` line of a block comment).
set -eu
cd "$(dirname "$0")/.."
requirements=${1:-spec/requirements.md}

# The files in which citations count: whole (W) or from their `#[cfg(test)]` modules on (M).
# A module `#[cfg(test)] mod name;` makes the file it names a whole one.
list() {
  git ls-files -co --exclude-standard -- '*.rs' '*.txt' 'interop/*.mjs' | sort -u | while IFS= read -r file; do
    [ -f "$file" ] || continue
    case $file in
      *.txt | *.mjs | tests/* | */tests/* | */tests.rs) echo "W $file" ;;
      *)
        echo "M $file"
        awk -v file="$file" '
          /^[ \t]*#\[cfg\(.*test/ { test = 1; next }
          test && /^[ \t]*#\[/ { next }
          test && match($0, /^[ \t]*(pub(\([a-z]+\))? )?mod [a-z_0-9]+;/) {
            name = $0; sub(/^.*mod /, "", name); sub(/;.*/, "", name)
            folder = file; sub(/[^\/]*$/, "", folder)
            stem = file; sub(/^.*\//, "", stem); sub(/\.rs$/, "", stem)
            print "W " folder name ".rs"
            print "W " folder stem "/" name ".rs"
          }
          { test = 0 }' "$file"
        ;;
    esac
  done
}

cited() {
  list | sort -u | while read -r how file; do
    [ -f "$file" ] || continue
    awk -v how="$how" -v file="$file" '
      BEGIN { inside = (how == "W"); text = (file ~ /\.txt$/) }
      how == "M" && !inside && /^[ \t]*#\[cfg\(.*test/ { test = 1; next }
      how == "M" && !inside {
        if (test && /^[ \t]*#\[/) next
        if (test && /^[ \t]*(pub(\([a-z]+\))? )?mod [a-z_0-9]+ *\{/) inside = 1
        test = 0
        next
      }
      how == "M" && /^}/ { inside = 0; next }
      {
        comment = ""
        if (at = index($0, "//")) comment = substr($0, at)
        else if ($0 ~ /^[ \t]*\*/) comment = $0
        else if (text && (at = index($0, "#"))) comment = substr($0, at)
        gsub(/[^A-Za-z0-9-]+/, " ", comment)
        count = split(comment, words, " ")
        for (i = 1; i <= count; i++)
          if (words[i] ~ /^[A-Z]+-[0-9][0-9][0-9]?$/ || words[i] ~ /^P[0-9][0-9]?$/) print words[i], file ":" FNR
      }' "$file"
  done
}

cited | awk '
  FNR == NR {
    if (match($0, /^- [A-Z]+-?[0-9]+: /)) {
      number = substr($0, 3, RLENGTH - 4)
      if (number in known) { print "twice in the list: " number; bad++ }
      known[number] = 1; order[++total] = number; line[number] = $0
      area = number; sub(/-?[0-9]+$/, "", area); areas[area] = 1
      if ($0 ~ /\[not tested: [^]]+\]$/) exempt[number] = 1
    }
    next
  }
  {
    area = $1; sub(/-?[0-9]+$/, "", area)
    if ($1 in known) seen[$1] = 1
    else if ($1 ~ /-/ && area in areas) { print "no such requirement: " $1 " (" $2 ")"; bad++ }
  }
  END {
    for (i = 1; i <= total; i++) {
      number = order[i]
      if (number in seen) covered++
      else if (number in exempt) excused++
      else { print "cited by no test: " substr(line[number], 3, 110); bad++ }
    }
    printf "%d requirements: %d cited by tests, %d exempt, %d cited by none\n", total, covered, excused, total - covered - excused
    if (total == 0) { print "no requirements found"; bad++ }
    exit bad > 0
  }' "$requirements" -
